#!/usr/bin/env python3
"""Holds the model to its bounds on instructions per packet, counted by callgrind.

usage: instructions_test.py METAROCE --recorded | --ratios | --record FILE

--recorded  no case may take 2 % more than testdata/instructions.json says. The numbers hold for one
            compiler and for --config=opt; with another the test says so and passes.
--ratios    with 72 paths a packet may cost 1.3 times the instructions of one on a single path,
            with 4,096 connections 2 times.
--record    writes FILE anew: `model/bench/record_instructions`.

The count is the same on every machine with the same compiler, so the bounds are exact and the test
never depends on how busy the machine is. The vectorised CRC is left out: no case computes one.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path("model/bench/testdata/instructions.json")
MOST = 1.02
# case: how many packets, and what counts them.
BACK_TO_BACK = "metaroce::bench::BackToBack::Measure(unsigned long)"
FABRIC = "metaroce::bench::FabricLoad::Measure(unsigned long)"
CASES = {
    "path-1": (20000, BACK_TO_BACK),
    "paths-8": (20000, BACK_TO_BACK),
    "two-tier": (20000, FABRIC),
    "fabric-steps": (20000, FABRIC),
}
# case: the bound, as a multiple of path-1.
RATIOS = {"paths-72": 1.3, "connections-4096": 2.0}
RECORD = "model/bench/record_instructions"


def instructions(metaroce: str, case: str) -> float:
    """Per packet, DATA and ACK alike, with the codec."""
    packets, counted = CASES.get(case, (20000, BACK_TO_BACK))
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={folder}/out",
                "--collect-atstart=no",
                f"--toggle-collect={counted}",
                metaroce,
                "bench",
                "--json",
                f"--packets={packets}",
                case,
            ],
            capture_output=True,
            text=True,
        )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found or int(found[1]) == 0:
        sys.exit(f"callgrind did not count {case}:\n{done.stdout}{done.stderr}")
    return int(found[1]) / json.loads(done.stdout)["cases"][0]["packets"]


def compiler(metaroce: str) -> str:
    """By what the program was compiled, and how, as far as it can be seen."""
    program = pathlib.Path(metaroce).resolve()
    done = subprocess.run(
        ["readelf", "--string-dump=.comment", program], capture_output=True, text=True
    )
    # Libraries that clang did not compile are named there too.
    found = re.findall(r"(?:clang version|GCC:) .*", done.stdout)
    found.sort(key=lambda line: not line.startswith("clang"))
    mode = re.search(r"/[^/]*-(opt|dbg|fastbuild)/", str(program))
    return f"{found[0].strip() if found else 'an unknown compiler'}, {mode[1] if mode else '?'}"


def measure(metaroce: str) -> dict:
    counts = {case: round(instructions(metaroce, case), 1) for case in CASES}
    return {"built_by": compiler(metaroce), "instructions_a_packet": counts}


def hold(metaroce: str) -> int:
    recorded = json.loads(RECORDED.read_text())
    built_by = compiler(metaroce)
    if built_by != recorded["built_by"]:
        print(f"SKIPPED: this was built by {built_by}, and the recorded numbers are those of")
        print(f"{recorded['built_by']}. Nothing was counted.")
        return 0
    failed = 0
    for case, before in recorded["instructions_a_packet"].items():
        count = instructions(metaroce, case)
        change = 100 * (count / before - 1)
        bad = count > MOST * before
        failed += bad
        verdict = "MORE than 2 % more" if bad else "within 2 %"
        print(
            f"{case}: {count:.1f} instructions a packet, recorded {before}: {change:+.2f} %, {verdict}"
        )
    if failed:
        print(
            f"If that is what it must cost, run {RECORD}, say why in the commit, and commit {RECORDED}."
        )
    return failed


def ratios(metaroce: str) -> int:
    one = instructions(metaroce, "path-1")
    print(f"path-1: {one:.0f} instructions a packet")
    failed = 0
    for case, bound in RATIOS.items():
        count = instructions(metaroce, case)
        ratio = count / one
        verdict = "within" if ratio <= bound else "BEYOND"
        failed += ratio > bound
        print(f"{case}: {count:.0f} instructions a packet, {ratio:.2f} times, {verdict} {bound}")
    return failed


def main() -> int:
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not there (apt-get install valgrind); nothing was counted.")
    metaroce, what = sys.argv[1:3]
    if what == "--record":
        text = json.dumps(measure(metaroce), indent=2) + "\n"
        pathlib.Path(sys.argv[3]).write_text(text)
        print(text, end="")
        return 0
    return min(1, hold(metaroce) if what == "--recorded" else ratios(metaroce))


if __name__ == "__main__":
    sys.exit(main())
