#!/usr/bin/python3
"""The receive vector in SystemVerilog passes its vectors over DPI-C, and the wrong one fails them.

usage: rtl_test.py METAROCE DPI_C DPI_PACKAGE RTL BENCH VECTORS

Compiled by Verilator with a simulated clock, as docs/plug-in-a-dut.md shows it.
"""

import json
import os
import subprocess
import sys
import tempfile

VERILATOR = "/usr/bin/verilator"


def run(*command, cwd=".", ok=(0,)):
    done = subprocess.run(
        command,
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "HOME": cwd, "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode not in ok:
        sys.exit(
            f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr[-4000:]}{done.stdout[-2000:]}"
        )
    return done.stdout


def build(folder, sources, *options):
    """The program that simulates the bench."""
    run(
        VERILATOR,
        *("--binary", "--timing", "-Wall", "-Wno-DECLFILENAME", "-O1", "-j", "2"),
        *("--top-module", "bench", "--Mdir", folder),
        *options,
        *sources,
        cwd=folder,
    )
    return os.path.join(folder, "Vbench")


def verdicts(metaroce, program, vectors, ok):
    out = run(
        *(metaroce, "replay", "--dut", program, "--vectors", vectors, "--json", "--level", "block"),
        ok=ok,
    )
    return {result["id"]: result for result in json.loads(out)["results"]}


def main(metaroce, *paths):
    *sources, vectors = (os.path.abspath(path) for path in paths)
    metaroce = os.path.abspath(metaroce)
    bound = {path[: -len(".json")] for path in os.listdir(f"{vectors}/block/receive-vector")}
    with tempfile.TemporaryDirectory() as good, tempfile.TemporaryDirectory() as bad:
        program = build(good, sources)
        found = verdicts(metaroce, program, vectors, ok=(0,))
        passed = {name for name, result in found.items() if result["verdict"] == "PASS"}
        if passed != bound:
            sys.exit(f"Passed and not bound, or the other way round: {sorted(passed ^ bound)}")
        program = build(bad, sources, "-GPLAIN_COMPARE=1'b1")
        found = verdicts(metaroce, program, vectors, ok=(1,))
        failed = {name for name, result in found.items() if result["verdict"] == "FAIL"}
        if not {"vector-half-space", "vector-wrap-hole"} <= failed < bound:
            sys.exit(f"The wrong one fails {sorted(failed)}.")
    print(f"{len(passed)} vectors pass; of the wrong one {len(failed)} fail: {sorted(failed)}")


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    if not os.access(VERILATOR, os.X_OK):
        sys.exit(VERILATOR + " is missing; run tools/setup")
    main(*sys.argv[1:])
