#!/usr/bin/python3
"""Each lint check finds the fault it is there for, and nothing in a clean tree."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LINT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lint.py")
CLANG_TIDY = os.path.abspath(".clang-tidy")

CLEAN = {
    "README.md": "# A tree\n",
    "model/x.h": "#pragma once\n\nint F();\n",
    "model/BUILD.bazel": 'cc_library(\n    name = "x",\n    hdrs = ["x.h"],\n)\n',
    "tools/x.sh": '#!/bin/bash\necho "$1"\n',
    "tools/x.py": '#!/usr/bin/python3\nprint("x")\n',
    "vectors/x.json": '{"id": "x"}\n',
}


class LintTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        for name, text in CLEAN.items():
            self.write(name, text)

    def tearDown(self):
        shutil.rmtree(self.root)

    def write(self, name, text, run_bit=None):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        if run_bit is None:
            run_bit = text[:2] in ("#!", b"#!")
        os.chmod(path, 0o755 if run_bit else 0o644)

    def lint(self, check, path=None):
        env = dict(os.environ)
        if path is not None:
            env["PATH"] = path
        result = subprocess.run(
            [sys.executable, LINT, check, self.root],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
            check=False,
        )
        return result.returncode, result.stdout

    def assert_found(self, check, words):
        code, output = self.lint(check)
        self.assertEqual(code, 1, output)
        self.assertIn(words, output)
        self.assertIn(" 1 findings", output)

    def test_a_clean_tree_passes_every_check(self):
        for check in ("format", "shell", "python", "tree"):
            code, output = self.lint(check)
            self.assertEqual(code, 0, output)

    def test_an_empty_tree_does_not_pass(self):
        shutil.rmtree(self.root)
        os.mkdir(self.root)
        self.assertEqual(self.lint("tree")[0], 1)

    def test_a_missing_tool_is_an_error(self):
        for check, tool in (("format", "clang-format-14"), ("shell", "shellcheck")):
            code, output = self.lint(check, path="/nonexistent")
            self.assertEqual(code, 2, output)
            self.assertIn(tool, output)
            self.assertIn("run tools/setup", output)

    def test_only_tracked_files_of_a_checkout_are_looked_at(self):
        subprocess.run(["git", "init", "-q", self.root], check=True)
        subprocess.run(["git", "add", "README.md"], cwd=self.root, check=True)
        self.write("README.md", "# A tree \n")
        self.write("model/untracked.md", "blank \n")
        code, output = self.lint("tree")
        self.assertEqual(code, 1, output)
        self.assertIn("lint tree: 1 files looked at, 1 findings", output)

    def test_code_out_of_format_is_found(self):
        self.write("model/x.h", "#pragma once\n\nint  F();\n")
        self.assert_found("format", "model/x.h:3")

    def test_an_unquoted_variable_in_a_shell_script_is_found(self):
        self.write("tools/x", "#!/bin/bash\nrm $1\n")
        self.assert_found("shell", "SC2086")

    def test_python_that_does_not_compile_is_found(self):
        self.write("tools/x.py", "#!/usr/bin/python3\nprint(\n")
        self.assert_found("python", "tools/x.py:2")

    def test_python_out_of_format_is_found(self):
        self.write("tools/x.py", "#!/usr/bin/python3\nprint('x')\n")
        self.assert_found("python", "would change it")

    def test_a_path_of_one_machine_is_found(self):
        for folder in ("home", "root", "tmp"):
            self.write("docs/x.md", "cd /%s/me/metaroce\n" % folder)
            self.assert_found("tree", "docs/x.md:1: a path of one machine")

    def test_a_url_or_a_relative_path_is_no_path_of_a_machine(self):
        self.write("docs/x.md", "See https://example.org/home/page and docs/tmp/x.\n")
        self.assertEqual(self.lint("tree")[0], 0)

    def test_a_note_of_work_undone_is_found(self):
        for word in ("TB" + "D", "TO" + "DO", "FIX" + "ME", "X" + "XX"):
            self.write("spec/x.md", "The timer is %s.\n" % word)
            self.assert_found("tree", "spec/x.md:1: a note of work undone")

    def test_a_long_file_needs_a_reason_in_the_list(self):
        self.write("model/x.cc", "int x;\n" * 601)
        self.assert_found("tree", "model/x.cc:601: 601 lines")
        self.write("tools/lint/long_files.txt", "model/x.cc: one table of all opcodes\n")
        self.assertEqual(self.lint("tree")[0], 0)
        self.write("tools/lint/long_files.txt", "model/x.cc:\n")
        self.assert_found("tree", "has no reason")

    def test_a_stale_line_in_the_list_of_long_files_is_found(self):
        self.write("tools/lint/long_files.txt", "README.md: one table of all opcodes\n")
        self.assert_found("tree", "README.md is not long")
        self.write("tools/lint/long_files.txt", "gone.md: one table of all opcodes\n")
        self.assert_found("tree", "gone.md does not exist")

    def test_blanks_line_ends_and_the_last_newline_are_found(self):
        for text, words in (
            ("a \n", "docs/x.md:1: a blank"),
            ("a\r\n", "docs/x.md:1: a blank or carriage return"),
            ("a", "does not end with one newline"),
            ("a\n\n", "does not end with one newline"),
            (b"\xff\n", "not UTF-8"),
        ):
            self.write("docs/x.md", text)
            self.assert_found("tree", words)

    def test_test_data_may_hold_anything(self):
        self.write("model/testdata/x.txt", b"\xff \r\n\n")
        self.write("model/golden/x.json", '{"a": \n')
        self.assertEqual(self.lint("tree")[0], 0)

    def test_a_run_bit_and_an_interpreter_go_together(self):
        self.write("tools/x.sh", "#!/bin/bash\n", run_bit=False)
        self.assert_found("tree", "#! but no run bit")
        self.write("tools/x.sh", "# a library\n", run_bit=True)
        self.assert_found("tree", "the run bit but no #!")

    def test_build_files_are_in_one_style(self):
        self.write("model/BUILD.bazel", "cc_library(\n    name = 'x',\n)\n")
        self.assert_found("tree", "model/BUILD.bazel:2: single quotes")
        self.write("model/BUILD.bazel", 'cc_library(\n  name = "x",\n)\n')
        self.assert_found("tree", "model/BUILD.bazel:2: indented by 2")
        self.write("model/BUILD.bazel", 'cc_library(\n    name = "x",\t# it\'s x\n)\n')
        self.assert_found("tree", "model/BUILD.bazel:2: a tab")

    def test_json_that_does_not_parse_or_repeats_a_key_is_found(self):
        self.write("vectors/x.json", '{"id": "x",}\n')
        self.assert_found("tree", "vectors/x.json:1:")
        self.write("vectors/x.json", '{"id": "x", "id": "y"}\n')
        self.assert_found("tree", 'the key "id" stands twice')

    def test_clang_tidy_knows_its_configuration_and_finds_what_it_names(self):
        code = "struct W {\n  W(int x) : x_(x) {}\n  int x_;\n};\n"
        code += "int F() {\n%s  return 0;\n}\n" % ("  // A line.\n" * 60)
        self.write("model/x.cc", code)
        result = subprocess.run(
            ["clang-tidy-14", "--quiet", "--config-file=" + CLANG_TIDY, "model/x.cc", "--"],
            cwd=self.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.assertNotEqual(result.returncode, 0, result.stdout)
        self.assertIn("model/x.cc:2:3: error: single-argument constructors", result.stdout)
        self.assertIn("model/x.cc:5:5: error: function 'F' exceeds", result.stdout)
        self.assertEqual(result.stdout.count(" error: "), 2, result.stdout)


if __name__ == "__main__":
    unittest.main()
