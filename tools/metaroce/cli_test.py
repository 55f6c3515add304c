#!/usr/bin/env python3
"""Runs the metaroce command and compares what a person sees with golden files.

usage: cli_test.py METAROCE MODEL_DUT C_LIBRARY MISBEHAVING_LIBRARY [--update]

A golden file holds the arguments, standard output, standard error and exit status of one run. With
--update the files are written instead; look at the difference before you commit it.
"""

import hashlib
import json
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
MISBEHAVING = "conformance/dut/testdata/misbehaving_dut.py"
SMALLEST = "conformance/duts/smallest/smallest_dut.py"

# Into a tree of the test's own.
PROMOTE = "vector promote --vectors TMP/found --title 'A device does so' --note 'seen in a test'"

# name: arguments. COVER stands for a small tree of sources; MODEL for the model's device, CLIB for that in C, MISBEHAVING and
# MISLIB for devices that break, PYTHON and SMALLEST for those in Python, TMP
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
    "explore-no-history": "explore loss-small --vector TMP/none.json",
    "explore-no-side": "explore loss-small --vector TMP/none.json --side 2",
    "explore-unwritable": "explore loss-small --resume TMP/no/such/folder",
    "sim-nothing": "sim",
    "sim-no-file": "sim tools/metaroce/testdata/none.textproto",
    "sim-no-field": "sim TMP/leafs.textproto",
    "sim-bad-value": "sim TMP/small.textproto --set fabric.hosts=1",
    "sim-bad-set": "sim TMP/small.textproto --set fabric.leafs=1",
    "sim-no-connection": "sim TMP/small.textproto --plot TMP/x.svg --connection 1",
    "sim-unwritable": "sim TMP/small.textproto --events TMP/no/such/folder",
    "sim-over-scenario": "sim TMP/small.textproto --events TMP/./small.textproto",
    "sim-full-disk": "sim TMP/small.textproto --rows 2 --events /dev/full",
    "sim-rows-beyond": "sim TMP/small.textproto --rows 18446744073709551616",
    "sim-rows-empty": "sim TMP/small.textproto --rows ''",
    "sim-seed-octal": "sim TMP/small.textproto --seed 010 --rows 0",
    "sim-seed-hex": "sim TMP/small.textproto --seed 0x10",
    "sim-seed-plus": "sim TMP/small.textproto --seed +5",
    "sim-seed-blank": "sim TMP/small.textproto --seed ' 5'",
    "sim-seeds-hex": "sim TMP/small.textproto --entropy --seeds 0x10",
    "sim-set-first": "sim --set seed=2 --rows 0 --set expect.ramp_max_ns=9 TMP/small.textproto",
    "sim-set-short": "sim TMP/small.textproto --short --set seed=2 --set fabric.hosts=1",
    "sim-bad-file": "sim TMP/seed-0.textproto --set end_ns=5000",
    "sim-bad-number": "sim TMP/minus.textproto",
    "sim-connection-alone": "sim TMP/small.textproto --connection 0",
    "sim-responder-alone": "sim TMP/small.textproto --responder --pcapng TMP/x",
    "sim-standard-output": "sim TMP/small.textproto --events -",
    "explore-positions-hex": "explore loss-small --positions 0x10",
    "bench-runs-octal": "bench paths-9 --runs 010 --packets 0x10",
    "sim-two-in-one": "sim TMP/small.textproto --events TMP/x --plot TMP/x",
    "bench-unknown": "bench paths-9",
    "cover-clause": "cover --root COVER --hits COVER/hits --clause ack-due-hole",
    "cover-json": "cover --root COVER --hits COVER/hits --clause ACK-DUE-HOLE --json",
    "cover-problem": "cover --root COVER --hits COVER/hits --clause ACK-DUE-FILL",
    "cover-no-hits": "cover --root COVER --chapter 5 --clause SEQ-PATH",
    "cover-bad-hits": "cover --root COVER --hits COVER/bad-hits",
    "cover-no-source": "cover --root COVER/vectors",
    "cover-unknown": "cover --root COVER --clause ACK-DUE-NEVER",
    "cover-vectors-clause": "cover --root COVER --vectors --clause ACK-ECHO",
    "cover-vectors-unread": "cover --root TMP/illegal --vectors",
    "cover-no-chapter": "cover --root COVER --chapter 77",
    "gen-no-cases": "gen --check --cases tools/metaroce/testdata",
    "gen-id-twice": "gen --cases TMP/twice --out TMP/twice-out",
    "gen-guide": "gen --cases TMP/guide --out TMP/guide-out",
    "gen-guide-lint": "vector lint --vectors TMP/guide-out",
    "gen-guide-replay": "replay --dut MODEL --vectors TMP/guide-out",
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
    "replay-system": "replay --dut MODEL --only system-blackout-ends",
    "replay-unsupported": "replay --dut PYTHON --level endpoint",
    "replay-no-device": "replay --dut ./none --only opcode-write",
    "replay-not-on-path": "replay --dut no-such-device --only opcode-write",
    "replay-not-executable": f"replay --dut ./{FRAMES} --only opcode-write",
    "replay-waiver-unsupported": "replay --dut CLIB --only payload-write --only vector-first"
    " --waivers tools/metaroce/testdata/waivers.json --today 2031-01-01",
    "replay-no-vector": "replay --dut MODEL --only opcode-of-none",
    "replay-no-level": "replay --dut MODEL --level wire",
    "replay-command": "replay --dut \"MODEL '--seed=pad-outside-icrc'\" --only payload-write"
    " --vectors 'TMP/my vectors' --timeout 60000 --today 2031-01-01"
    " --waivers tools/metaroce/testdata/waivers.json",
    "replay-manifest": "replay --dut MODEL --vectors TMP/changed",
    "replay-manifest-none": "replay --dut MODEL --vectors TMP/bare",
    "replay-changed": "replay --dut MODEL --vectors TMP/changed --allow-changed",
    "replay-changed-json": "replay --dut MODEL --vectors TMP/changed --allow-changed"
    " --only opcode-ack --level codec --shard 1/1 --json",
    "replay-suite": "replay --dut MODEL --suite wrap-around --only 'vector-wrap*' --only 'payload-*'",
    "replay-no-suite": "replay --dut MODEL --suite entropies",
    "replay-shard": "replay --dut MODEL --only 'payload-*' --shard 2/4",
    "replay-no-shard": "replay --dut MODEL --shard 4/3",
    "replay-empty-shard": "replay --dut MODEL --shard ''",
    "replay-jobs": "replay --dut 'MODEL --seed=pad-outside-icrc' --only 'payload-*' --jobs 4",
    "replay-fail-fast": "replay --dut 'MODEL --seed=pad-outside-icrc' --only 'payload-*'"
    " --only opcode-ack --fail-fast --jobs 2",
    "replay-library": "replay --dut CLIB --level block --only 'vector-*'",
    "replay-no-library": "replay --dut ./none.so --only opcode-ack",
    "replay-html-nowhere": "replay --dut MODEL --only ack-time --html none/such.html",
    "replay-junit-nowhere": "replay --dut MODEL --only ack-time --junit none/such.xml",
    "replay-html-full-disk": "replay --dut MODEL --only ack-time --html /dev/full",
    "replay-hello-hangs": "replay --dut 'sleep 100' --only opcode-ack --timeout 300",
    "replay-unreadable": "replay --dut MODEL --vectors TMP/unread --allow-changed",
    "replay-hello-exit": "replay --dut 'MISBEHAVING hello-exit' --only opcode-ack",
    "replay-hello-contract": "replay --dut 'MISBEHAVING hello-contract' --only opcode-ack",
    "replay-hello-profile": "replay --dut 'MISBEHAVING hello-profile' --only opcode-ack",
    "replay-hello-echo": "replay --dut cat --only opcode-ack",
    "replay-bye-status": "replay --dut 'MISBEHAVING bye-status' --vectors TMP/three"
    " --allow-changed",
    "replay-death": "replay --dut 'MISBEHAVING crash' --vectors TMP/three --allow-changed",
    "replay-hang": "replay --dut 'MISBEHAVING hang' --vectors TMP/three --allow-changed"
    " --timeout 2000",
    "replay-twice": "replay --dut 'MISBEHAVING twice' --vectors TMP/three --allow-changed",
    "replay-library-death": "replay --dut 'MISLIB crash' --vectors TMP/three --allow-changed",
    "replay-library-hang": "replay --dut 'MISLIB hang' --vectors TMP/three --allow-changed"
    " --timeout 2000",
    "replay-library-answer": "replay --dut 'MISLIB lost-count' --vectors TMP/three"
    " --allow-changed",
    "replay-library-open": "replay --dut 'MISLIB open-error' --vectors TMP/three --allow-changed",
    "replay-library-close": "replay --dut 'MISLIB close-crash' --vectors TMP/three"
    " --allow-changed",
    "vector-lint": "vector lint --vectors TMP/few",
    "vector-lint-tree": "vector lint --vectors TMP/unread",
    "vector-lint-file": "vector lint TMP/loose.json",
    "vector-lint-folder": "vector lint TMP/few",
    "vector-lint-comma": "vector lint TMP/comma.json",
    "vector-fmt-check": "vector fmt --check TMP/loose.json",
    "vector-fmt": "vector fmt TMP/loose.json",
    "vector-fmt-again": "vector fmt --check TMP/loose.json",
    "vector-fmt-no-json": "vector fmt TMP/unread/codec/broken.json",
    "vector-show-endpoint": "vector show receiver-write",
    "vector-show-system": "vector show system-blackout-ends",
    "vector-show-block": "vector show ack-time vector-wrap-hole",
    "vector-show-codec": "vector show icrc-covered-ipv4",
    "vector-show-notes": "vector show timers-only-the-clock-ends paths-rate",
    "vector-show-unknown": "vector show none-such",
    "vector-show-findings": "vector show TMP/unread/codec/findings.json",
    "vector-lint-retired": "vector lint --vectors TMP/retired",
    "vector-lint-since": "vector lint --vectors TMP/retired --since TMP/few",
    "vector-lint-since-file": "vector lint TMP/loose.json --since TMP/few",
    "vector-export-bundle": "vector export --form bundle --vectors TMP/few --out TMP/few.bundle",
    "vector-export-one": "vector export --form bundle --only vector-first --out TMP/one.bundle",
    "vector-export-json": "vector export --form json --vectors TMP/few.bundle --out TMP/again",
    "vector-export-c": "vector export --form c --vectors TMP/few.bundle --out TMP/c",
    "vector-export-memh": "vector export --form memh --level block --only vector-first --out TMP/memh",
    "vector-export-pcapng": "vector export --form pcapng --only receiver-write --only vector-first --out TMP/pcapng",
    "vector-export-names": "vector export --form c --only connecting-repeated --out TMP/x",
    "vector-export-form": "vector export --form xml --out TMP/x",
    "vector-export-none": "vector export --form c --level block --only receiver-write --out TMP/x",
    "vector-export-system": "vector export --form c --only system-write --only vector-first --out TMP/s",
    "vector-export-findings": "vector export --form bundle --vectors TMP/unread --out TMP/x",
    "vector-export-nowhere": "vector export --form bundle --vectors TMP/few --out TMP/no/such/x",
    "vector-lint-bundle": "vector lint --vectors TMP/few.bundle",
    "vector-show-bundle": "vector show vector-first --vectors TMP/one.bundle",
    "replay-bundle": "replay --dut MODEL --vectors TMP/few.bundle",
    "replay-bundle-again": "replay --dut MODEL --vectors TMP/again",
    "replay-bundle-cut": "replay --dut MODEL --vectors TMP/cut.bundle",
    "replay-bundle-stale": "replay --dut MODEL --vectors TMP/stale.bundle",
    "replay-bundle-circle": "replay --dut MODEL --vectors TMP/circle.bundle",
    "replay-bundle-text": "replay --dut MODEL --vectors TMP/other.bundle",
    "replay-bundle-text-allowed": "replay --dut MODEL --vectors TMP/other.bundle"
    " --allow-other-text",
    "replay-bundle-text-changed": "replay --dut MODEL --vectors TMP/other.bundle --allow-changed",
    "replay-bundle-none": "replay --dut MODEL --vectors tools/metaroce/testdata/frames.hex",
    "mutants-no-library": "mutants --dut ./none.so",
    "mutants-no-list": "mutants --dut CLIB",
    "vector-new-codec": "vector new mine --level codec --vectors TMP/new",
    "vector-new-again": "vector new mine --level codec --vectors TMP/new",
    "vector-new-taken": "vector new mine --level endpoint --vectors TMP/new",
    "vector-new-endpoint": "vector new mine-too --level endpoint --vectors TMP/new",
    "vector-new-system": "vector new lost-once --level system --vectors TMP/new",
    "vector-new-receive": "vector new lost-fill --level block --block receive-vector"
    " --vectors TMP/new",
    "vector-new-generate": "vector new late-ack --level block --block ack-generation"
    " --vectors TMP/new",
    "vector-new-level": "vector new mine --level wire --vectors TMP/new",
    "vector-new-id": "vector new 'My Own' --level codec --vectors TMP/new",
    "vector-new-lint": "vector lint --vectors TMP/new",
    "vector-new-replay": "replay --dut MODEL --vectors TMP/new --allow-changed",
    "promote": PROMOTE + " TMP/long.json --id pad-in-icrc --dut 'MODEL --seed=pad-outside-icrc'",
    "promote-gen": "gen --cases TMP/opcode-cases --out TMP/found",
    "promote-gen-check": "gen --check --cases TMP/opcode-cases --out TMP/found",
    "promote-seeded": "replay --dut 'MODEL --seed=pad-outside-icrc' --vectors TMP/found",
    "promote-model": "replay --dut MODEL --vectors TMP/found",
    "promote-as-it-is": PROMOTE + " vectors/endpoint/receiver/receiver-write.json --id again"
    " --clause ACK-DUE-AR --group found",
    "promote-taken": PROMOTE + " TMP/long.json --id opcode-ack",
    "promote-retired": PROMOTE + " TMP/long.json --id was-one",
    "promote-id": PROMOTE + " TMP/long.json --id 'My Own'",
    "promote-group": PROMOTE + " TMP/long.json --id new --group ../up",
    "promote-clause": PROMOTE + " TMP/long.json --id new --clause WIRE-NEVER",
    "promote-negative": PROMOTE + " TMP/long.json --id new --negative ACK-DUE-AR",
    "promote-model-fails": PROMOTE + " TMP/wrong.json --id new",
    "promote-passes": PROMOTE + " TMP/long.json --id new --dut MODEL",
    "promote-unsupported": PROMOTE + " vectors/endpoint/receiver/receiver-write.json --id new"
    " --dut PYTHON",
    "promote-no-device": PROMOTE + " TMP/long.json --id new --dut ./none",
    "promote-open-quote": PROMOTE + ' TMP/long.json --id new --dut "\'MODEL"',
    "promote-no-file": PROMOTE + " TMP/none.json --id new",
    "promote-no-json": PROMOTE + " TMP/unread/codec/broken.json --id new",
    "promote-vector-side": PROMOTE + " TMP/long.json --id new --side a",
    "promote-vector-port": PROMOTE + " TMP/long.json --id new --port 1",
    "promote-no-tree": "vector promote TMP/long.json --id new --note n --vectors TMP/none",
    "promote-no-note": "vector promote TMP/long.json --id new",
    "promote-capture": PROMOTE
    + f" {CAPTURES}/rnr-missing.pcapng --id rnr-missing --flag STATE_TABLE",
    "promote-capture-side": PROMOTE + f" {CAPTURES}/explained.pcapng --id new",
    "promote-capture-clause": PROMOTE + f" {CAPTURES}/explained.pcapng --id new --side b",
    "promote-capture-no-side": PROMOTE + f" {CAPTURES}/explained.pcapng --id new --side c",
    "promote-capture-flag": PROMOTE + f" {CAPTURES}/explained.pcapng --id new --side b"
    " --clause ACK-DUE-AR",
    "promote-capture-foreign": PROMOTE + f" {FRAMES} --id new",
    "promote-lint": "vector lint --vectors TMP/found",
    "gen-kept-bad": "gen --check --cases TMP/opcode-cases --out TMP/kept",
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


def prepare_vectors(tmp: pathlib.Path) -> None:
    """Trees of vectors: good ones, bad ones, and three that a rejecting device passes."""
    good = json.loads(pathlib.Path("vectors/codec/opcodes/opcode-ack.json").read_text())
    (tmp / "loose.json").write_text(json.dumps(good, indent=4))
    for name in ("few/codec/opcodes", "unread/codec", "three/codec"):
        (tmp / name).mkdir(parents=True)
    for name in ("opcode-ack", "opcode-write"):
        shutil.copy(f"vectors/codec/opcodes/{name}.json", tmp / "few/codec/opcodes")
    (tmp / "unread/codec/broken.json").write_text("{")
    (tmp / "comma.json").write_text('{"id": "a",\n"clauses": ["WIRE-WRITE",],\n}')
    bad = dict(good, id="findings", clauses=["WIRE-NEVER"])
    (tmp / "unread/codec/findings.json").write_text(json.dumps(bad))
    (tmp / "illegal").mkdir()
    (tmp / "illegal/vectors").symlink_to(tmp / "unread")
    steps = [{"decode": "0x01"}, {"expect": {"reject": "length-short"}}]
    for name in ("first", "second", "third"):
        vector = dict(good, id=name, capabilities=["codec-decode"], steps=steps)
        (tmp / f"three/codec/{name}.json").write_text(json.dumps(vector))


def prepare_counter_examples(tmp: pathlib.Path) -> None:
    """A tree with its cases, and vectors to be promoted into it."""
    shutil.copytree("vectors/codec/opcodes", tmp / "found/codec/opcodes")
    (tmp / "opcode-cases").mkdir()
    shutil.copy("vectors/cases/codec/opcodes.textproto", tmp / "opcode-cases")
    (tmp / "found/retired.textproto").write_text(
        'retired { id: "was-one" version: "0.0.9" clause: "WIRE-OPCODES" reason: "It was wrong." }\n'
    )
    shutil.copytree(tmp / "found", tmp / "kept")
    parts = [
        json.loads(path.read_text())
        for path in sorted(pathlib.Path("vectors/codec/payload").glob("*.json"))
    ]
    parts = [part for part in parts if "codec-encode" not in part["capabilities"]]
    steps = [step for part in parts for step in part["steps"]][:100]
    long = dict(parts[0], id="long", steps=steps)
    (tmp / "long.json").write_text(json.dumps(long))
    steps = [{"decode": "0x01"}, {"expect": {"reject": "icrc"}}]
    wrong = dict(long, id="wrong", capabilities=["codec-decode"], steps=steps)
    (tmp / "wrong.json").write_text(json.dumps(wrong))
    # The cases that the guide shows, and two of one id.
    guide = pathlib.Path("docs/write-a-vector.md").read_text()
    for name, text in enumerate(re.findall(r"```textproto\n(.*?)```", guide, re.S)):
        (tmp / "guide").mkdir(exist_ok=True)
        (tmp / f"guide/{name}.textproto").write_text(text)
    (tmp / "twice").mkdir()
    (tmp / "twice/a.textproto").write_text((tmp / "guide/0.textproto").read_text())
    other = (tmp / "guide/0.textproto").read_text().replace('group: "mine"', 'group: "other"')
    (tmp / "twice/b.textproto").write_text(other)
    kept = dict(wrong, provenance={"kind": "shrink", "note": "n"})
    (tmp / "kept/codec/opcodes/wrong.json").write_text(json.dumps(kept))


def varint(value: int) -> bytes:
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def text_field(number: int, text: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(text)) + text


def bundle(head: bytes) -> bytes:
    """A bundle of no vectors, whose head has its right checksum."""
    line = f"metaroce bundle 1 {hashlib.sha256(head).hexdigest()}\n"
    return line.encode() + varint(len(head)) + head


def prepare_bundles(tmp: pathlib.Path) -> None:
    """Lists of retired ids, and bundles that are not as they should be."""
    shutil.copytree(tmp / "few", tmp / "retired")
    path = tmp / "retired/codec/opcodes/opcode-ack.json"
    vector = json.loads(path.read_text())
    vector["steps"][0]["note"] = "notes may change"
    vector["capabilities"].append("constants")
    path.write_text(json.dumps(vector, indent=2))
    (tmp / "retired/codec/opcodes/opcode-write.json").unlink()
    entry = 'retired {{ id: "{}" version: "0.1.0" clause: "WIRE-OPCODES" replaced_by: "{}" reason: "r" }}\n'
    (tmp / "retired/retired.textproto").write_text(
        entry.format("a-was", "b-was")
        + entry.format("b-was", "a-was")
        + entry.format("opcode-ack", "")
    )
    retired = [
        text_field(4, text_field(1, a) + text_field(2, b"1") + text_field(3, b"X") + text_field(4, b)
                   + text_field(5, b"r"))
        for a, b in ((b"first", b"second"), (b"second", b"first"))
    ]  # fmt: skip
    (tmp / "circle.bundle").write_bytes(bundle(b"".join(retired)))


def prepare_more_bundles(tmp: pathlib.Path) -> None:
    """From the bundle that the command itself has written."""
    good = (tmp / "few.bundle").read_bytes()
    (tmp / "cut.bundle").write_bytes(good[:-100])
    (tmp / "stale.bundle").write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    # Another hash of the text, under a checksum that is right.
    begin = good.index(b"\n") + 1
    size = good[begin] & 0x7F | good[begin + 1] << 7
    head = good[begin + 2 : begin + 2 + size]
    at = head.index(b"\x12\x40") + 2
    head = head[:at] + b"f" * 64 + head[at + 64 :]
    (tmp / "other.bundle").write_bytes(bundle(head) + good[begin + 2 + size :])


def prepare(tmp: pathlib.Path) -> None:
    prepare_vectors(tmp)
    prepare_bundles(tmp)
    prepare_counter_examples(tmp)
    (tmp / "small.textproto").write_text(SMALL)
    (tmp / "seed-0.textproto").write_text(SMALL + "seed: 0\n")
    (tmp / "minus.textproto").write_text(SMALL.replace("messages: 50", "messages: -50"))
    (tmp / "leafs.textproto").write_text(SMALL.replace("spines", "leafs"))
    lines = pathlib.Path(FRAMES).read_text().splitlines()
    frame = bytes.fromhex(next(line for line in lines if not line.startswith("#")))
    (tmp / "comments.hex").write_text("# No frame.\n\n")
    (tmp / "blanks.hex").write_text(" \n\t\n")
    (tmp / "empty.pcap").write_bytes(pcap(0xA1B2C3D4))
    (tmp / "cut.pcap").write_bytes(pcap(0xA1B2C3D4, (frame[:60], len(frame))))
    (tmp / "modified.pcap").write_bytes(pcap(0xA1B2CD34, (frame, len(frame))))
    shutil.copytree("vectors/codec/icrc", tmp / "bare/codec/icrc")
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
    text = re.sub(
        r"(?m) +[0-9.]+ +[0-9]+  (holds|unfinished|[A-Z ]+)$",
        r" SECONDS RATE  \1",
        text,
    )
    text = re.sub(r'("spec_hash": )"[0-9a-f]{64}"', r'\1"HASH"', text)
    text = re.sub(r'("(?:nanoseconds|[a-z]*ing_ns)": )[0-9]+', r"\1TIME", text)
    text = re.sub(r"(?m)^time: (.*) in [0-9.]+ s (by .*) in [0-9.]+ s; .*$", r"time: \1 \2", text)
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


def check_folder(metaroce: str, tmp: str) -> int:
    """Under `bazel run` names are those of the folder where it was called."""
    done = subprocess.run(
        [str(pathlib.Path(metaroce).absolute()), "vector", "lint", "--vectors", "few"],
        cwd="/",
        env={"BUILD_WORKING_DIRECTORY": tmp},
        capture_output=True,
        timeout=120,
    )
    if done.returncode == 0 and done.stdout == b"2 vectors, 0 findings\n":
        return 0
    print(f"In the folder of `bazel run`: exit {done.returncode}, {done.stdout!r}{done.stderr!r}")
    return 1


def main() -> int:
    metaroce, model, c_library, misbehaving_library = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as tmp:
        prepare(pathlib.Path(tmp))
        cover = "tools/metaroce/testdata/cover"
        places = {
            "COVER": cover,
            "CLIB": "./" + c_library,
            "MODEL": model,
            "MISBEHAVING": MISBEHAVING,
            "MISLIB": "./" + misbehaving_library,
            "PYTHON": PYTHON,
            "SMALLEST": SMALLEST,
            "TMP": tmp,
        }
        return check_full(metaroce) + check_folder(metaroce, tmp) + compare(metaroce, places) > 0


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
        if name == "vector-export-bundle":
            prepare_more_bundles(pathlib.Path(places["TMP"]))
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
