#!/usr/bin/env python3
"""A device with a seeded defect fails a vector; `metaroce vector promote` makes it smaller, and what it wrote still
finds the defect, and nothing in the model.

usage: promote_test.py METAROCE MODEL_LIBRARY MUTANTS_LIBRARY
"""

import json
import pathlib
import subprocess
import sys
import tempfile

# The defect, the vector that it fails, and how many steps are enough to show it.
CASES = [
    ("coalesce-off-by-one", "block/ack-generation/ack-ar-resets-count", 12),
    ("ack-echo-of-first", "block/receive-vector/vector-echo-order", 6),
    ("loss-limit-off", "endpoint/loss/sender-loss-limit", 12),
    ("rnr-seven-counts", "endpoint/credit/rnr-retry-seven", 26),
    ("icrc-not-checked", "codec/icrc/icrc-each-bit", 2),
    ("copy-judged-by-original", "block/loss-detection/loss-of-retransmission", 14),
]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200
    )


def failures(metaroce: str, tree: pathlib.Path, device: str, name: str) -> list[str]:
    """The ids that the device fails."""
    done = run(
        metaroce, "replay", "--dut", device, "--vectors", str(tree), "--allow-changed", "--only", name, "--json"
    )  # fmt: skip
    report = json.loads(done.stdout)
    return [v["id"] for v in report["results"] if v["verdict"] != "PASS"]


def main() -> int:
    metaroce, model, mutants = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
    failed = 0

    def expect(holds: bool, sentence: str) -> None:
        nonlocal failed
        if not holds:
            failed += 1
            print(sentence)

    with tempfile.TemporaryDirectory() as tmp:
        tree = pathlib.Path(tmp)
        for defect, name, enough in CASES:
            path = pathlib.Path(f"vectors/{name}.json")
            device = f"{mutants} {defect}"
            done = run(
                metaroce, "vector", "promote", str(path), "--id", defect, "--vectors", tmp,
                "--note", "a seeded defect", "--dut", device,
            )  # fmt: skip
            expect(done.returncode == 0, f"{defect}: {done.stdout}{done.stderr}")
            if done.returncode != 0:
                continue
            (found,) = tree.rglob(f"{defect}.json")
            before = len(json.loads(path.read_text())["steps"])
            after = len(json.loads(found.read_text())["steps"])
            print(f"{defect}: {before} steps before, {after} after")
            expect(
                after <= min(before, enough),
                f"{defect}: {enough} steps are enough: {done.stdout}",
            )
            expect(f"{before} steps before, {after} after" in done.stdout, done.stdout)
            expect(
                failures(metaroce, tree, device, defect) == [defect],
                f"{defect} is not found",
            )
            expect(
                failures(metaroce, tree, model, defect) == [],
                f"{defect}: the model fails it",
            )
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
