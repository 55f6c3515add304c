#!/usr/bin/env python3
"""Holds the model to its bounds on instructions per packet, counted by callgrind.

usage: instructions_test.py METAROCE

With 72 paths a packet may cost 1.3 times the instructions of one on a single path, with 4,096
connections 2 times. The count is the same on every machine with the same compiler, so the bounds
are exact and the test never depends on how busy the machine is.
"""

import re
import shutil
import subprocess
import sys
import tempfile

PACKETS = 20000
# case: the bound, as a multiple of path-1.
BOUNDS = {"paths-72": 1.3, "connections-4096": 2.0}


def instructions(metaroce: str, case: str) -> float:
    """Per packet, DATA and ACK alike, with the codec."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={folder}/out",
                "--collect-atstart=no",
                "--toggle-collect=metaroce::bench::BackToBack::Measure(unsigned long)",
                metaroce,
                "bench",
                f"--packets={PACKETS}",
                case,
            ],
            capture_output=True,
            text=True,
        )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found or int(found[1]) == 0:
        sys.exit(f"callgrind did not count {case}:\n{done.stdout}{done.stderr}")
    return int(found[1]) / PACKETS


def main() -> int:
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not there (apt-get install valgrind); nothing was counted.")
    metaroce = sys.argv[1]
    one = instructions(metaroce, "path-1")
    print(f"path-1: {one:.0f} instructions a packet")
    failed = 0
    for case, bound in BOUNDS.items():
        count = instructions(metaroce, case)
        ratio = count / one
        verdict = "within" if ratio <= bound else "BEYOND"
        failed += ratio > bound
        print(f"{case}: {count:.0f} instructions a packet, {ratio:.2f} times, {verdict} {bound}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
