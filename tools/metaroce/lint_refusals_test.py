#!/usr/bin/env python3
"""Every sentence of the linter is said of some bad vector, and reads as the golden file has it.

usage: lint_refusals_test.py METAROCE [--update]
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import bad_vectors

GOLDEN = pathlib.Path("tools/metaroce/testdata/golden/lint/refusals.txt")
SOURCES = [
    "vectors/lint.cc",
    "vectors/taken_names.cc",
    "vectors/config_rules.cc",
    "vectors/system_rules.cc",
]
# Said of vectors that no JSON file gives: the reader refuses such a bound before.
NOT_FROM_JSON = ["A bound has one to eight terms."]
# Text of a sentence that says something by itself.
MIN_LETTERS = 16


def lint(metaroce: str) -> str:
    """What lint says of each file, without the canonical form, which none of them has."""
    lines = []
    with tempfile.TemporaryDirectory() as tmp:
        for name, text in bad_vectors.files().items():
            path = pathlib.Path(tmp, name)
            path.write_text(text)
            done = subprocess.run(
                [metaroce, "vector", "lint", path], stdout=subprocess.PIPE, text=True, check=False
            )
            said = [line for line in done.stdout.split("\n")[:-2] if "canonical form" not in line]
            if done.returncode != 1 or not said:
                lines.append(f"{name}: lint says nothing, exit {done.returncode}")
            lines += [line.replace(f"{tmp}/", "") for line in said]
    return "\n".join(lines) + "\n"


def sentences() -> list:
    """The texts of the refusals in the sources, as far as they are literal."""
    found = []
    for source in SOURCES:
        text = pathlib.Path(source).read_text()
        for call in re.findall(r"\bAdd\((?:[^;{}]|\{[^{}]*\})*?\);", text):
            call = re.sub(r'"\s*\n\s*"', "", call)
            found += re.findall(r'"((?:[^"\\]|\\.)*)"', call)
    plain = (text.replace('\\"', '"') for text in found)
    return [text for text in plain if len(re.sub(r"[^a-z]", "", text)) >= MIN_LETTERS]


def main() -> int:
    said = lint(sys.argv[1])
    if "--update" in sys.argv:
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(said)
    failed = 0
    if said != GOLDEN.read_text():
        print(f"--- {GOLDEN}\n{GOLDEN.read_text()}+++ now\n{said}")
        failed += 1
    wanted = sentences()
    for text in wanted:
        if text not in said and text not in NOT_FROM_JSON:
            print(f'no bad vector makes lint say "{text}"')
            failed += 1
    if len(wanted) < 40:
        print(f"only {len(wanted)} sentences were found in {SOURCES}")
        failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
