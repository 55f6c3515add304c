#!/usr/bin/env python3
"""Runs `metaroce sim` as docs/simulate.md shows it, and reads what it writes with other programs.

usage: sim_test.py METAROCE DISSECTOR
"""

import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

GUIDE = "docs/simulate.md"
MIX = "model/sim/scenarios/n-mix.textproto"
SVG = "{http://www.w3.org/2000/svg}"
METAROCE = str(pathlib.Path(sys.argv[1]).resolve())
DISSECTOR = str(pathlib.Path(sys.argv[2]).resolve())


def sim(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [METAROCE, "sim", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=600
    )


class SimTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        tmp = cls.folder.name
        cls.pcapng = f"{tmp}/out.pcapng"
        cls.events = f"{tmp}/out.jsonl"
        cls.plot = f"{tmp}/out.svg"
        done = sim(
            *(MIX, "--short", "--json"),
            *("--pcapng", cls.pcapng, "--events", cls.events, "--plot", cls.plot),
        )
        cls.results = json.loads(done.stdout)
        text = pathlib.Path(cls.events).read_text()
        cls.lines = [json.loads(line) for line in text.splitlines()]

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def count(self, key: str) -> int:
        return sum(self.results[kind][key] for kind in ("data", "ack", "control"))

    def test_wireshark_reads_every_packet_of_the_capture(self) -> None:
        fields = ["frame.interface_name", "ipv6.src", "ipv6.tclass.ecn", "udp.dstport", "frame.len"]
        command = ["tshark", "-r", self.pcapng, "-T", "fields"]
        for field in fields:
            command += ["-e", field]
        environment = {**os.environ, "HOME": self.folder.name}
        done = subprocess.run(command, capture_output=True, env=environment, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        packets = [line.split("\t") for line in done.stdout.decode().splitlines()]
        sent = [packet for packet in packets if packet[0].endswith(" sent")]
        received = [packet for packet in packets if packet[0].endswith(" received")]
        self.assertEqual(len(sent) + len(received), len(packets))
        # A packet that waits in its host's port at the end has not been sent.
        said = sum(line["event"] == "sent" for line in self.lines)
        self.assertEqual(len(sent), said)
        self.assertLessEqual(said, self.count("sent"))
        self.assertEqual(len(received), self.count("arrived"))
        self.assertEqual({packet[3] for packet in packets}, {"54791"})
        self.assertEqual({packet[2] for packet in sent if packet[4] == "4222"} - {"2"}, set())
        self.assertTrue(any(packet[2] == "3" for packet in received), "none is marked")
        for name, source in (("a0 sent", "fd00::1"), ("d1 sent", "fd00:0:0:1::4")):
            self.assertEqual({packet[1] for packet in sent if packet[0] == name}, {source})

    def test_the_dissector_reads_what_a_capture_holds(self) -> None:
        done = subprocess.run(
            ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", self.pcapng],
            capture_output=True,
            env={**os.environ, "HOME": self.folder.name},
            timeout=300,
        )
        lines = done.stdout.decode().splitlines()
        self.assertEqual(len(lines), sum(e["event"] in ("sent", "arrived") for e in self.lines))
        for line in lines:
            self.assertRegex(line, r" MetaRoCE [0-9]+ [A-Z_]+ path=")
        self.assertTrue(any(" WRITE path=" in line for line in lines))

    def test_the_log_agrees_with_the_numbers(self) -> None:
        times = [line["ps"] for line in self.lines]
        self.assertEqual(times, sorted(times))
        kinds = [line["event"] for line in self.lines]
        self.assertEqual(kinds.count("arrived"), self.count("arrived"))
        self.assertEqual(kinds.count("lost"), self.count("tail_drops") + self.count("other_drops"))
        self.assertEqual(kinds.count("completed"), self.results["messages"])
        self.assertEqual(set(kinds) & {"fault", "port", "open", "posted", "path", "marked"},
                         {"fault", "port", "open", "posted", "path", "marked"})  # fmt: skip

    def test_the_plot_is_svg_with_labelled_axes(self) -> None:
        root = xml.etree.ElementTree.parse(self.plot).getroot()
        texts = {element.text for element in root.iter(SVG + "text")}
        wanted = {"sent, packets", "window, packets", "in flight, packets", "RTT, us", "time, us"}
        self.assertEqual(wanted - texts, set())
        lines = list(root.iter(SVG + "polyline"))
        self.assertGreaterEqual(len(lines), 4 * 8)
        width, height = (int(n) for n in root.attrib["viewBox"].split()[2:])
        for line in lines:
            for point in line.attrib["points"].split():
                x, y = (float(n) for n in point.split(","))
                self.assertTrue(0 <= x <= width and 0 <= y <= height, point)

    def test_the_plot_marks_faults_and_tells_paths_apart(self) -> None:
        root = xml.etree.ElementTree.parse(self.plot).getroot()
        words = [element.text for element in root.iter(SVG + "text")]
        for word in ("DOWN", "end of DOWN", "RATE"):
            self.assertEqual(words.count(word), 1, word)
        faults = [line for line in root.iter(SVG + "line") if line.attrib.get("class") == "fault"]
        # At 60, 200, 300, 400, 500, 900 and 1,000 us, in four panels.
        self.assertEqual(len(faults), 4 * 7)
        tmp = self.folder.name
        plot = f"{tmp}/many.svg"
        many = "model/sim/scenarios/e-permutation-16-paths.textproto"
        self.assertEqual(sim(many, "--short", "--plot", plot).returncode & ~1, 0)
        root = xml.etree.ElementTree.parse(plot).getroot()
        looks = {
            (line.attrib["stroke"], line.attrib.get("stroke-dasharray", ""))
            for line in root.iter(SVG + "polyline")
        }
        self.assertEqual(len(looks), 16)

    def test_a_log_does_not_change_the_results(self) -> None:
        done = sim(MIX, "--short", "--json")
        self.assertEqual(json.loads(done.stdout), self.results)

    def refused(self, *arguments: str) -> str:
        done = sim(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
        return done.stderr.decode()

    def test_two_outputs_are_never_one_file(self) -> None:
        with tempfile.TemporaryDirectory() as tmp:
            folder = pathlib.Path(tmp)
            (folder / "link").symlink_to("new")
            pairs = [("new", "./new"), ("new", "link"), ("link", "new"), ("link", "link")]
            for one, other in pairs:
                said = self.refused(
                    *(MIX, "--short", "--pcapng", f"{tmp}/{one}", "--events", f"{tmp}/{other}")
                )
                self.assertIn("it must be another file", said)
                self.assertEqual([path.name for path in folder.iterdir()], ["link"])
            # A hard link to the scenario.
            (folder / "mix").write_bytes(pathlib.Path(MIX).read_bytes())
            os.link(folder / "mix", folder / "same")
            said = self.refused(f"{tmp}/mix", "--plot", f"{tmp}/same")
            self.assertIn("which is the scenario", said)
            self.assertEqual((folder / "mix").read_bytes(), pathlib.Path(MIX).read_bytes())

    def test_a_refusal_touches_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as tmp:
            folder = pathlib.Path(tmp)
            (folder / "keep").write_text("kept")
            for bad in ("", "/no/such", "-"):
                plot = "-" if bad == "-" else tmp + bad
                self.refused(
                    *(MIX, "--short", "--events", f"{tmp}/keep", "--pcapng", f"{tmp}/new"),
                    *("--plot", plot),
                )
                self.assertEqual([path.name for path in folder.iterdir()], ["keep"])
                self.assertEqual((folder / "keep").read_text(), "kept")
            # What was longer before is gone when the run is not refused.
            (folder / "keep").write_text("x" * 10000000)
            done = sim(MIX, "--short", "--events", f"{tmp}/keep", "--set", "end_ns=50000")
            self.assertEqual(done.returncode, 0)
            for line in (folder / "keep").read_text().splitlines():
                json.loads(line)

    def test_decode_shows_the_headers_of_the_capture(self) -> None:
        done = subprocess.run(
            [METAROCE, "decode", "--json", self.pcapng], capture_output=True, timeout=300
        )
        self.assertEqual(done.returncode, 127)
        frames = json.loads(done.stdout)
        self.assertEqual(len(frames), sum(e["event"] in ("sent", "arrived") for e in self.lines))
        opcodes = {frame["fields"]["common.opcode"] for frame in frames}
        self.assertGreaterEqual(len(opcodes), 5)
        for frame in frames:
            self.assertIn("these headers were not checked", frame["why"])
            self.assertNotIn("icrc", frame["fields"])
            self.assertNotIn("payload", frame["fields"])

    def test_ctrl_c_gives_the_results_so_far(self) -> None:
        log = f"{self.folder.name}/interrupted.jsonl"
        command = [
            METAROCE,
            "sim",
            MIX,
            "--set",
            "end_ns=100000000000",
            "--set",
            "window_ns=1000000",
        ]
        with subprocess.Popen(
            command + ["--events", log], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            # It runs when there is something in its log.
            for _ in range(3000):
                if os.path.exists(log) and os.path.getsize(log) > 0:
                    break
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
        self.assertIn(b"Interrupted", err)
        self.assertIn(b"goodput", out)
        self.assertEqual(process.returncode, 1)
        for line in pathlib.Path(log).read_text().splitlines():
            json.loads(line)

    def test_every_command_of_the_guide_runs(self) -> None:
        text = pathlib.Path(GUIDE).read_text()
        shown = [
            line.split("#")[0]
            for block in re.findall(r"```sh\n(.*?)```", text, re.S)
            for line in block.splitlines()
            if line.startswith("metaroce sim")
        ]
        self.assertGreaterEqual(len(shown), 4)
        root = pathlib.Path().resolve()
        for line in shown:
            words = [
                str(root / word) if word.startswith("model/") else word
                for word in shlex.split(line)
            ]
            done = subprocess.run(
                [METAROCE, *words[1:]], capture_output=True, cwd=self.folder.name, timeout=600
            )
            self.assertIn(done.returncode, (0, 1), f"{line}: {done.stderr}")
            self.assertNotEqual(done.stdout, b"", line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
