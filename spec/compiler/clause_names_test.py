#!/usr/bin/python3
"""clause_names_test.py COMPILER RUNTIME_HEADER: code that names a clause does not outlive it.

Compiles a small text to tables, and code that names a clause of it; deletes the clause from the
text; the same code must then be refused for that name. Also holds the compiler's exit codes.
"""
import os
import subprocess
import sys
import tempfile
import unittest

COMPILER = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(sys.argv[2]).rsplit("/spec/compiler/runtime/", 1)[0]

HEAD = "# 1. Test\n\nStatus: final.\n\n"
KEPT = "**ACK-KEPT** (MUST, OURS). Kept.\n\n"
GONE = "**ACK-GONE** (MUST, OURS). Soon deleted.\n\n"
CODE = """
#include "spec/tables.h"
static_assert(metaroce::spec::clause::kAckKept != metaroce::spec::kNoClause);
metaroce::spec::Clause Cited() { return metaroce::spec::clause::kAckGone; }
"""


class ClauseNamesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        os.mkdir(os.path.join(self.folder.name, "spec"))

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def compile_text(self, text, *options):
        chapter = self.write("1.md", text)
        return subprocess.run(
            [COMPILER, *options, chapter], capture_output=True, text=True, check=False
        )

    def compile_code(self, text):
        tables = self.compile_text(text, "--backend=cpp", "--out=" + self.path("spec"))
        self.assertEqual(tables.returncode, 0, tables.stderr)
        code = self.write("code.cc", CODE)
        return subprocess.run(
            ["g++", "-std=c++20", "-fsyntax-only", "-I" + self.folder.name, "-I" + ROOT, code],
            capture_output=True,
            text=True,
            check=False,
        )

    def test_code_that_names_a_clause_compiles(self):
        built = self.compile_code(HEAD + KEPT + GONE)
        self.assertEqual(built.returncode, 0, built.stderr)

    def test_code_that_names_a_deleted_clause_does_not_compile(self):
        built = self.compile_code(HEAD + KEPT)
        self.assertNotEqual(built.returncode, 0)
        self.assertIn("kAckGone", built.stderr)
        self.assertNotIn("kAckKept", built.stderr.replace("did you mean ‘kAckKept’", ""))

    def test_accepted_text_exits_with_0(self):
        result = self.compile_text(HEAD + KEPT)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def test_refused_text_exits_with_1_and_says_where(self):
        result = self.compile_text(HEAD + KEPT + KEPT)
        self.assertEqual(result.returncode, 1)
        chapter = self.path("1.md")
        self.assertEqual(
            result.stderr,
            "%s:7: the clause ACK-KEPT is already defined at %s:5.\n" % (chapter, chapter),
        )

    def test_wrong_usage_exits_with_2(self):
        for arguments in (["--backend=cobol"], ["--colour"], [self.path("missing.md")]):
            result = subprocess.run(
                [COMPILER, *arguments], capture_output=True, text=True, check=False
            )
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("spec_compiler: ", result.stderr)

    def test_output_that_cannot_be_written_exits_with_2(self):
        result = self.compile_text(
            HEAD + KEPT, "--backend=json", "--out=" + self.path("no/such/folder")
        )
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot write", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
