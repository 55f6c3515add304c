#!/usr/bin/env python3
"""Runs the metaroce command and compares what a person sees with golden files.

usage: cli_test.py METAROCE MODEL_DUT [--update]

A golden file holds the arguments, standard output, standard error and exit status of one run. With
--update the files are written instead; look at the difference before you commit it.
"""

import pathlib
import re
import shlex
import subprocess
import sys

GOLDEN = pathlib.Path("tools/metaroce/testdata/golden")
FRAMES = "tools/metaroce/testdata/frames.hex"
PYTHON = "conformance/duts/python/metaroce_dut.py"

# name: arguments. MODEL stands for the model's device, PYTHON for the one in Python.
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
    "spec-clause": "spec ACK-DUE-HOLE",
    "spec-names": "spec icrc ack path_block ack-moment csn_range ack_max",
    "spec-json": "spec --json CHECK-ICRC",
    "spec-unknown": "spec ACK-DUE-NEVER",
    "explore-list": "explore --list",
    "explore-unknown": "explore loss-of-sleep",
    "explore": "explore loss-small marks",
    "explore-limit": "explore --positions 1000 loss",
    "gen-no-cases": "gen --check --cases tools/metaroce/testdata",
    "replay-pass": "replay --dut MODEL --only 'receiver-*' --only ack-time",
    "replay-python": "replay --dut PYTHON --level codec --only 'opcode-*'",
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
    "replay-open-quote": 'replay --dut "\'MODEL"',
    "replay-no-vectors": "replay --dut MODEL --vectors tools",
}


def normal(text: str) -> str:
    """Takes out what differs from run to run: the hash of the text, and times."""
    text = re.sub(r"(?m) +[0-9.]+ +[0-9]+  (holds|unfinished|[A-Z ]+)$", r" SECONDS RATE  \1", text)
    return re.sub(r"\b(text|texts) [0-9a-f]{12,64}\b", r"\1 HASH", text)


def run(metaroce: str, model: str, arguments: str) -> str:
    words = [
        word.replace("MODEL", model).replace("PYTHON", PYTHON) for word in shlex.split(arguments)
    ]
    done = subprocess.run(
        [metaroce, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=120
    )
    parts = [f"$ metaroce {arguments}".rstrip(), done.stdout.decode()]
    if done.stderr:
        parts += ["[standard error]", done.stderr.decode()]
    text = "\n".join(part.rstrip("\n") for part in parts) + f"\n[exit {done.returncode}]\n"
    return normal(text.replace(model, "MODEL").replace(PYTHON, "PYTHON"))


def main() -> int:
    metaroce, model = sys.argv[1:3]
    update = "--update" in sys.argv
    failed = 0
    known = {name + ".txt" for name in CASES}
    for stray in sorted(path.name for path in GOLDEN.glob("*.txt") if path.name not in known):
        print(f"{GOLDEN}/{stray} belongs to no case")
        failed += 1
    for name, arguments in CASES.items():
        path = GOLDEN / f"{name}.txt"
        found = run(metaroce, model, arguments)
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(found)
            continue
        wanted = path.read_text() if path.exists() else ""
        if found != wanted:
            failed += 1
            print(f"--- {path}\n{wanted}+++ now\n{found}")
    print(f"{len(CASES) - failed} of {len(CASES)} runs as the golden files say")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
