#!/usr/bin/env python3
"""Plays the vectors to every seeded defect of devices.py and says which vector finds it.

usage: score.py METAROCE MUTANT_DUT VECTORS [RECORDED] [--only NAME]...

A defect is killed when a vector that names its clause fails (or the device dies of it), and only
seen when none but other vectors do. The lines go to standard output, a defect each, and the score
behind them. With RECORDED the lines must be those of this file; run it without to make them anew.
Exit status: 0, 1 if a defect was not killed or the lines differ, 2 on bad usage.
"""

import json
import pathlib
import subprocess
import sys

from devices import DEVICES


def verdicts(metaroce: str, device: str, vectors: str) -> dict:
    """The result of each vector that was played, by its id."""
    done = subprocess.run(
        [metaroce, "replay", "--dut", device, "--vectors", vectors, "--json", "--timeout", "2000"],
        capture_output=True,
        text=True,
    )
    if done.returncode not in (0, 1):
        sys.exit(f"{device}: metaroce replay ended with {done.returncode}:\n{done.stderr}")
    return {result["id"]: result for result in json.loads(done.stdout)["results"]}


def clauses_of(vectors: str) -> dict:
    """The clauses that each vector names, by its id."""
    out = {}
    for path in pathlib.Path(vectors).glob("*/*/*.json"):
        vector = json.loads(path.read_text())
        out[vector["id"]] = vector["clauses"]
    return out


def line(device, found: list, named: list) -> str:
    if named:
        verdict = f"killed by {named[0]}"
    elif found:
        verdict = f"seen by {found[0]}"
    else:
        verdict = "SURVIVED"
    bug = f" {device.bug}" if device.bug else ""
    return f"{device.name} [{device.clause}]{bug}: {verdict} ({len(named)} of {len(found)})"


def main() -> int:
    args = sys.argv[1:]
    only = [args[i + 1] for i in range(len(args) - 1) if args[i] == "--only"]
    args = [a for i, a in enumerate(args) if a != "--only" and (i == 0 or args[i - 1] != "--only")]
    if len(args) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    metaroce, program, vectors = args[:3]
    clauses = clauses_of(vectors)
    good = verdicts(metaroce, f"{program} none", vectors)
    wrong = sorted(i for i, result in good.items() if result["verdict"] != "PASS")
    if wrong:
        sys.exit(f"The device without a defect fails {', '.join(wrong[:5])}.")
    lines = []
    killed = seen = 0
    for device in DEVICES:
        if only and device.name not in only:
            continue
        result = verdicts(metaroce, f"{program} {device.name}", vectors)
        found = sorted(i for i, r in result.items() if r["verdict"] in ("FAIL", "HARNESS_ERROR"))
        named = [i for i in found if device.clause in clauses[i]]
        killed += bool(named)
        seen += bool(found) and not named
        lines.append(line(device, found, named))
        print(lines[-1], flush=True)
    total = len(lines)
    lines.append(
        f"{killed} of {total} killed ({1000 * killed // total / 10} %), {seen} seen by others"
        f" alone, {total - killed - seen} survived"
    )
    print(lines[-1])
    if len(args) == 4:
        recorded = pathlib.Path(args[3]).read_text().splitlines()
        if recorded != lines:
            print(f"{args[3]} says otherwise: {recorded[-1] if recorded else 'nothing'}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
