#!/usr/bin/python3
"""tools/setup installs only what is missing, and refuses in a sentence where it cannot."""
import os
import subprocess
import tempfile
import unittest

SETUP = os.path.abspath("tools/setup")
DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
OTHER = 'PRETTY_NAME="Other Linux 3"\nID=other\nVERSION_ID="3"\n'


class SetupTest(unittest.TestCase):
    """Runs tools/setup with stand-ins for Debian's programs that write down their calls."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.bin = os.path.join(self.folder.name, "bin")
        self.log = os.path.join(self.folder.name, "log")
        self.installed = os.path.join(self.folder.name, "installed")
        os.mkdir(self.bin)
        self.write(self.log, "")
        self.write(self.installed, "")
        for name in ("bash", "env", "grep", "sed"):
            os.symlink("/bin/" + name, os.path.join(self.bin, name))
        # Like the real one: silent about what it does not know, and then it fails.
        self.program(
            "dpkg-query",
            'sed "s/$/ installed/" "$SETUP_TEST_INSTALLED"\nexit 1',
        )
        self.program("apt-get", 'echo "apt-get $*" >>"$SETUP_TEST_LOG"')
        self.user(0)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def program(self, name, body):
        path = os.path.join(self.bin, name)
        self.write(path, "#!/bin/bash\n" + body + "\n")
        os.chmod(path, 0o755)

    def user(self, uid):
        self.program("id", "echo %d" % uid)

    def setup(self, *arguments, system=DEBIAN):
        os_release = os.path.join(self.folder.name, "os-release")
        self.write(os_release, system)
        env = {
            "PATH": self.bin,
            "SETUP_OS_RELEASE": os_release,
            "SETUP_TEST_LOG": self.log,
            "SETUP_TEST_INSTALLED": self.installed,
        }
        result = subprocess.run(
            [SETUP, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=env,
            check=False,
        )
        with open(self.log, encoding="utf-8") as log:
            return result.returncode, result.stdout, log.read()

    def missing(self, *arguments):
        output = self.setup("-n", *arguments)[1]
        return output.split("missing: ")[1].split()

    def test_everything_missing_is_installed_in_one_go(self):
        wanted = self.missing()
        code, output, log = self.setup()
        self.assertEqual(code, 0, output)
        self.assertIn("--no-install-recommends " + " ".join(wanted), log)
        self.assertIn("DPkg::Lock::Timeout", log)
        self.assertEqual(log.count("apt-get"), 2, log)

    def test_the_core_group_is_part_of_all(self):
        core, everything = self.missing("core"), self.missing()
        self.assertIn("bazel-bootstrap", core)
        self.assertLess(set(core), set(everything))

    def test_only_what_is_missing_is_installed(self):
        wanted = self.missing()
        self.write(self.installed, "\n".join(wanted[1:]) + "\n")
        code, output, log = self.setup()
        self.assertEqual(code, 0, output)
        self.assertTrue(log.rstrip().endswith("--no-install-recommends " + wanted[0]), log)

    def test_nothing_is_asked_of_the_mirror_when_all_is_there(self):
        self.write(self.installed, "\n".join(self.missing()) + "\n")
        code, output, log = self.setup()
        self.assertEqual((code, log), (0, ""), output)
        self.assertEqual(self.setup("-n")[0], 0)

    def test_a_dry_run_installs_nothing_and_says_so_by_its_exit_code(self):
        code, _, log = self.setup("core", "--dry-run")
        self.assertEqual((code, log), (1, ""))

    def test_sudo_is_used_by_anyone_but_root(self):
        self.user(1000)
        self.program("sudo", 'echo "sudo $*" >>"$SETUP_TEST_LOG"')
        code, output, log = self.setup("core")
        self.assertEqual(code, 0, output)
        self.assertTrue(log.startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get"), log)

    def test_without_root_and_sudo_it_says_what_root_should_run(self):
        self.user(1000)
        code, output, log = self.setup("core")
        self.assertEqual((code, log), (2, ""))
        self.assertIn("let root run 'apt-get install g++ ", output)

    def test_another_system_is_refused_by_name(self):
        code, output, log = self.setup(system=OTHER)
        self.assertEqual((code, log), (2, ""))
        self.assertIn("this is Other Linux 3; the packages are those of Debian 12", output)

    def test_a_system_without_apt_is_refused(self):
        os.remove(os.path.join(self.bin, "apt-get"))
        code, output, _ = self.setup()
        self.assertEqual(code, 2)
        self.assertIn("apt-get is not on PATH", output)

    def test_a_failed_installation_fails(self):
        self.program("apt-get", '[[ "$*" != *install* ]]')
        self.assertNotEqual(self.setup()[0], 0)

    def test_a_failed_update_does_not_stop_the_installation(self):
        self.program("apt-get", '[[ "$*" != *update* ]]')
        code, output, _ = self.setup()
        self.assertEqual(code, 0, output)
        self.assertIn("trying with the package lists as they are", output)

    def test_an_unknown_argument_shows_the_usage(self):
        code, output, _ = self.setup("everything")
        self.assertEqual(code, 2)
        self.assertIn("tools/setup core", output)


if __name__ == "__main__":
    unittest.main()
