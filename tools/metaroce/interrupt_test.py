#!/usr/bin/env python3
"""A run that is interrupted says what was played until then, and leaves no process behind.

usage: interrupt_test.py METAROCE
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as tree

METAROCE = sys.argv.pop(1)
# At the Apply of the vector "second" it fills its log for ever.
DEVICE = "conformance/dut/testdata/misbehaving_dut.py flood-log"


class InterruptTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.tmp = pathlib.Path(self.folder.name)
        vectors = self.tmp / "vectors/codec"
        vectors.mkdir(parents=True)
        good = json.loads(pathlib.Path("vectors/codec/opcodes/opcode-ack.json").read_text())
        steps = [{"decode": "0x01"}, {"expect": {"reject": "length-short"}}]
        for name in ("first", "second", "third"):
            vector = dict(good, id=name, capabilities=["codec-decode"], steps=steps)
            (vectors / f"{name}.json").write_text(json.dumps(vector))

    def tearDown(self) -> None:
        self.folder.cleanup()

    def interrupted(self, number: int) -> subprocess.CompletedProcess:
        """The run, after the signal came in the middle of the second vector."""
        log = self.tmp / "log"
        # The last argument means nothing: by it the device is found if it is left.
        device = f"{DEVICE} second {self.folder.name}"
        command = [METAROCE, "replay", "--dut", device, "--vectors", self.tmp / "vectors"]
        command += ["--allow-changed", "--timeout", "60000", "--log", log]
        command += ["--junit", self.tmp / "out.xml", "--html", self.tmp / "out.html"]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not log.exists() or log.stat().st_size == 0:
            self.assertLess(time.monotonic(), deadline, "the device never began")
            time.sleep(0.05)
        run.send_signal(number)
        out, _ = run.communicate(timeout=30)
        return subprocess.CompletedProcess(command, run.returncode, out)

    def test_what_was_played_is_printed_and_written(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            done = self.interrupted(number)
            self.assertEqual(done.returncode, 1)
            said = "problem: The run was interrupted: 1 of 3 vectors were played."
            self.assertIn(said, done.stdout)
            self.assertRegex(done.stdout, r"(?m)^codec +1 +0 ")
            cases = tree.parse(self.tmp / "out.xml").getroot().iter("testcase")
            self.assertEqual([case.get("name") for case in cases], ["first", "problem-1"])
            page = "".join(tree.parse(self.tmp / "out.html").getroot().itertext())
            self.assertIn("1 of 3 vectors", page)
            left = subprocess.run(["pgrep", "-f", self.folder.name], stdout=subprocess.PIPE)
            self.assertEqual(left.stdout, b"", "processes are left")
            (self.tmp / "log").unlink()


if __name__ == "__main__":
    unittest.main()
