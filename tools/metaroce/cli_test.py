#!/usr/bin/env python3
"""Runs the metaroce command and compares what a person sees with golden files.

usage: cli_test.py METAROCE MODEL_DUT [--update]

A golden file holds the arguments, standard output, standard error and exit status of one run. With
--update the files are written instead; look at the difference before you commit it.
"""

import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path("tools/metaroce/testdata/golden")
FRAMES = "tools/metaroce/testdata/frames.hex"
PYTHON = "conformance/duts/python/metaroce_dut.py"
CAPTURES = "conformance/check/testdata/golden"
SMALLEST = "conformance/duts/smallest/smallest_dut.py"

# name: arguments. COVER stands for a small tree of sources; MODEL for the model's device, PYTHON and SMALLEST for those in Python, TMP
# for a folder with what `prepare` puts there.
CASES = {
    "version": "--version",
    "help": "--help",
    "no-subcommand": "",
    "unknown-subcommand": "frobnicate",
    "unknown-option": "icrc --loud x",
    "port-out-of-range": f"decode --port 65536 {FRAMES}",
    "icrc": f"icrc {FRAMES}",
    "icrc-json": f"icrc --json {FRAMES}",
    "icrc-unsupported-only": "icrc tools/metaroce/testdata/roce-v1.hex",
    "decode": f"decode {FRAMES}",
    "decode-json": f"decode --json {FRAMES}",
    "decode-no-file": "decode tools/metaroce/testdata/none.hex",
    "decode-folder": "decode tools",
    "decode-bad-hex": "decode tools/metaroce/testdata/bad.hex",
    "check-foreign": f"check {FRAMES}",
    "check-explained": f"check {CAPTURES}/explained.pcapng",
    "check-mismatch": f"check {CAPTURES}/rnr-missing.pcapng",
    "check-json": f"check --json {CAPTURES}/rnr-missing.pcapng",
    "check-no-file": "check tools/metaroce/testdata/none.pcapng",
    "spec-clause": "spec ACK-DUE-HOLE",
    "spec-names": "spec icrc ack path_block ack-moment csn_range ack_max",
    "spec-json": "spec --json CHECK-ICRC",
    "spec-unknown": "spec ACK-DUE-NEVER '\x1b[31mred'",
    "spec-field": "spec common.opcode ack.hint disconnect.reason WIRE.OPCODE",
    "spec-opcode": "spec 0x41 193 WRITE Send_With_Immediate 0x1 300",
    "explore-list": "explore --list",
    "explore-unknown": "explore loss-of-sleep",
    "explore": "explore loss-small marks",
    "explore-limit": "explore --positions 1000 loss",
    "sim": "sim TMP/small.textproto",
    "sim-missed": "sim TMP/small.textproto --rows 2 --set expect.ramp_max_ns=1",
    "sim-entropy": "sim --entropy --routes 4 --hash TOEPLITZ",
    "sim-entropy-hash": "sim --entropy --hash MD5",
    "sim-entropy-after": "sim TMP/small.textproto --entropy --seeds 3 "
    "--set workload[0].messages=0 --set end_ns=100000",
    "sim-entropy-complete": "sim TMP/small.textproto --entropy --seeds 2",
    "sim-entropy-json": "sim --entropy --json",
    "sim-entropy-short": "sim --entropy --short",
    "sim-entropy-both": "sim TMP/small.textproto --entropy --routes 4",
    "sim-seeds-alone": "sim TMP/small.textproto --seeds 3",
    "sim-rows-negative": "sim TMP/small.textproto --rows -1",
    "sim-no-name": "sim TMP/small.textproto --pcapng ''",
    "explore-positions-negative": "explore loss-small --positions -1",
    "explore-unwritable": "explore loss-small --resume TMP/no/such/folder",
    "sim-nothing": "sim",
    "sim-no-file": "sim tools/metaroce/testdata/none.textproto",
    "sim-no-field": "sim TMP/leafs.textproto",
    "sim-bad-value": "sim TMP/small.textproto --set fabric.hosts=1",
    "sim-bad-set": "sim TMP/small.textproto --set fabric.leafs=1",
    "sim-no-connection": "sim TMP/small.textproto --plot TMP/x.svg --connection 1",
    "sim-unwritable": "sim TMP/small.textproto --events TMP/no/such/folder",
    "sim-over-scenario": "sim TMP/small.textproto --events TMP/./small.textproto",
    "sim-two-in-one": "sim TMP/small.textproto --events TMP/x --plot TMP/x",
    "bench-unknown": "bench paths-9",
    "cover-clause": "cover --root COVER --hits COVER/hits --clause ack-due-hole",
    "cover-json": "cover --root COVER --hits COVER/hits --clause ACK-DUE-HOLE --json",
    "cover-problem": "cover --root COVER --hits COVER/hits --clause ACK-DUE-FILL",
    "cover-no-hits": "cover --root COVER --chapter 5 --clause SEQ-PATH",
    "cover-bad-hits": "cover --root COVER --hits COVER/bad-hits",
    "cover-no-source": "cover --root COVER/vectors",
    "cover-unknown": "cover --root COVER --clause ACK-DUE-NEVER",
    "cover-no-chapter": "cover --root COVER --chapter 77",
    "gen-no-cases": "gen --check --cases tools/metaroce/testdata",
    "replay-pass": "replay --dut MODEL --only 'receiver-*' --only ack-time",
    "replay-python": "replay --dut PYTHON --level codec --only 'opcode-*'",
    "replay-smallest": "replay --dut SMALLEST --only opcode-ack --only receiver-write",
    "replay-seeded": "replay --dut 'MODEL --seed=pad-outside-icrc' --level codec --only 'payload-*'",
    "replay-waived": "replay --dut 'MODEL --seed=pad-outside-icrc' --only payload-write"
    " --waivers tools/metaroce/testdata/waivers.json --today 2026-01-01",
    "replay-waiver-expired": "replay --dut 'MODEL --seed=pad-outside-icrc' --only payload-write"
    " --waivers tools/metaroce/testdata/waivers.json --today 2031-01-01",
    "replay-unexpected-pass": "replay --dut MODEL --only payload-write"
    " --waivers tools/metaroce/testdata/waivers.json --today 2026-01-01",
    "replay-unsupported": "replay --dut PYTHON --level endpoint",
    "replay-no-device": "replay --dut ./none --only opcode-write",
    "replay-no-vector": "replay --dut MODEL --only opcode-of-none",
    "replay-no-level": "replay --dut MODEL --level wire",
    "replay-command": "replay --dut \"MODEL '--seed=pad-outside-icrc'\" --only payload-write"
    " --vectors 'TMP/my vectors' --timeout 60000 --today 2031-01-01"
    " --waivers tools/metaroce/testdata/waivers.json",
    "replay-manifest": "replay --dut MODEL --vectors TMP/changed",
    "replay-manifest-json": "replay --dut MODEL --vectors TMP/changed --only opcode-ack --json",
    "replay-strict": "replay --dut MODEL --vectors TMP/changed --strict",
    "replay-strict-same": "replay --dut MODEL --strict --only opcode-ack",
    "replay-junit-nowhere": "replay --dut MODEL --only ack-time --junit none/such.xml",
    "replay-hello-hangs": "replay --dut 'sleep 100' --only opcode-ack --timeout 300",
    "decode-no-packet": "decode TMP/comments.hex",
    "icrc-no-packet": "icrc TMP/comments.hex",
    "decode-blanks": "decode TMP/blanks.hex",
    "icrc-blanks": "icrc TMP/blanks.hex",
    "decode-empty-pcap": "decode TMP/empty.pcap",
    "decode-cut": "decode TMP/cut.pcap",
    "icrc-cut": "icrc TMP/cut.pcap",
    "decode-modified-pcap": "decode TMP/modified.pcap",
    "icrc-modified-pcap": "icrc TMP/modified.pcap",
    "gen-bad-level": "gen --check --cases TMP/bad-level",
    "gen-device": "gen --check --cases TMP/device",
    "replay-open-quote": 'replay --dut "\'MODEL"',
    "replay-no-vectors": "replay --dut MODEL --vectors tools",
}


# Commands whose standard output is a full disk.
FULL = ["--version", "--help", "spec ACK-DUE-HOLE"]


def pcap(magic: int, *packets: tuple[bytes, int]) -> bytes:
    """A capture of Ethernet frames, each with its length on the wire."""
    out = struct.pack("<IHHIIII", magic, 2, 4, 0, 0, 65535, 1)
    for packet, length in packets:
        out += struct.pack("<IIII", 0, 0, len(packet), length) + packet
    return out


SMALL = """\
title: "fifty messages"
fabric { hosts: 2 spines: 4 }
endpoint { algorithm: FIXED target_paths: 4 path_window: 32 }
workload { messages: 50 depth: 16 }
fault { packet: DATA link: LEAF_UP nth: 40 }
expect { complete: true spurious_max: 0 ramp_max_ns: 100000 failed_max: 0 }
"""


def prepare(tmp: pathlib.Path) -> None:
    (tmp / "small.textproto").write_text(SMALL)
    (tmp / "leafs.textproto").write_text(SMALL.replace("spines", "leafs"))
    lines = pathlib.Path(FRAMES).read_text().splitlines()
    frame = bytes.fromhex(next(line for line in lines if not line.startswith("#")))
    (tmp / "comments.hex").write_text("# No frame.\n\n")
    (tmp / "blanks.hex").write_text(" \n\t\n")
    (tmp / "empty.pcap").write_bytes(pcap(0xA1B2C3D4))
    (tmp / "cut.pcap").write_bytes(pcap(0xA1B2C3D4, (frame[:60], len(frame))))
    (tmp / "modified.pcap").write_bytes(pcap(0xA1B2CD34, (frame, len(frame))))
    shutil.copytree("vectors/codec/payload", tmp / "my vectors/codec/payload")
    manifest = pathlib.Path("vectors/MANIFEST").read_text().splitlines(keepends=True)
    kept = [line for line in manifest if "  codec/payload/" in line]
    (tmp / "my vectors/MANIFEST").write_text("".join(kept))
    changed = tmp / "changed/codec/opcodes"
    changed.mkdir(parents=True)
    for name in ("opcode-ack", "opcode-write"):
        text = pathlib.Path(f"vectors/codec/opcodes/{name}.json").read_text()
        (changed / f"{name}.json").write_text(text + " " * (name == "opcode-ack"))
    kept = [line for line in manifest if "/opcode-ack." in line or "/opcode-credit." in line]
    (tmp / "changed/MANIFEST").write_text("".join(kept))
    (tmp / "bad-level").mkdir()
    (tmp / "bad-level/x.textproto").write_text('level: "wire"\ngroup: "g"\n')
    (tmp / "device").mkdir()
    (tmp / "device/x.textproto").symlink_to("/dev/zero")


def normal(text: str) -> str:
    """Takes out what differs from run to run: the hash of the text, and times."""
    text = re.sub(r"(?m) +[0-9.]+ +[0-9]+  (holds|unfinished|[A-Z ]+)$", r" SECONDS RATE  \1", text)
    text = re.sub(r'("spec_hash": )"[0-9a-f]{64}"', r'\1"HASH"', text)
    return re.sub(r"\b(text|texts) [0-9a-f]{12,64}\b", r"\1 HASH", text)


def run(metaroce: str, places: dict[str, str], arguments: str) -> str:
    words = shlex.split(arguments)
    for name, place in places.items():
        words = [word.replace(name, place) for word in words]
    done = subprocess.run(
        [metaroce, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=120
    )
    shown = arguments.encode("unicode_escape").decode()
    parts = [f"$ metaroce {shown}".rstrip(), done.stdout.decode()]
    if done.stderr:
        parts += ["[standard error]", done.stderr.decode()]
    text = "\n".join(part.rstrip("\n") for part in parts) + f"\n[exit {done.returncode}]\n"
    for name, place in places.items():
        text = text.replace(place, name)
    return normal(text)


def check_full(metaroce: str) -> int:
    """How many commands do not notice that nothing of what they write arrives."""
    failed = 0
    for arguments in FULL:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [metaroce, *shlex.split(arguments)],
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=120,
            )
        if done.returncode != 2 or b"standard output cannot be written" not in done.stderr:
            print(f"{arguments} to a full disk: exit {done.returncode}, {done.stderr!r}")
            failed += 1
    return failed


def main() -> int:
    metaroce, model = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as tmp:
        prepare(pathlib.Path(tmp))
        cover = "tools/metaroce/testdata/cover"
        places = {
            "COVER": cover,
            "MODEL": model,
            "PYTHON": PYTHON,
            "SMALLEST": SMALLEST,
            "TMP": tmp,
        }
        return check_full(metaroce) + compare(metaroce, places) > 0


def compare(metaroce: str, places: dict[str, str]) -> int:
    """How many runs differ from their golden file."""
    update = "--update" in sys.argv
    failed = 0
    known = {name + ".txt" for name in CASES}
    for stray in sorted(path.name for path in GOLDEN.glob("*.txt") if path.name not in known):
        print(f"{GOLDEN}/{stray} belongs to no case")
        failed += 1
    for name, arguments in CASES.items():
        path = GOLDEN / f"{name}.txt"
        found = run(metaroce, places, arguments)
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(found)
            continue
        wanted = path.read_text() if path.exists() else ""
        if found != wanted:
            failed += 1
            print(f"--- {path}\n{wanted}+++ now\n{found}")
    print(f"{len(CASES) - failed} of {len(CASES)} runs as the golden files say")
    return failed


if __name__ == "__main__":
    sys.exit(main())
