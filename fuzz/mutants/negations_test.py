#!/usr/bin/env python3
"""Holds the negations to their tests: each makes the test fail that negations.py names.

usage: negations_test.py NEGATED REGISTRY

NEGATED is the program with all tests of the model on the patched copy. The clauses must be those
that sample.py draws from REGISTRY and the sources.
"""

import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import sample  # noqa: E402
from negations import NEGATIONS  # noqa: E402

SECONDS = 120  # a negation may keep a test from ending: that is a failure of the test too


def passes(negated: str, name: str, test: str) -> bool:
    """Whether the test, of which there must be one, passes while the negation is active."""
    try:
        done = subprocess.run(
            [negated, f"--gtest_filter={test}:{test}/*"],
            env={**os.environ, "METAROCE_MUTANT": name},
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    ran = re.search(r"Running (\d+) tests?", done.stdout)
    if ran is None or int(ran[1]) == 0:
        sys.exit(f"{name}: there is no test {test}\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def main() -> int:
    negated, registry = sys.argv[1:]
    problems = []
    drawn = sample.draw(registry)
    negations = {negation.clause: negation for negation in NEGATIONS}
    for clause in drawn:
        if clause not in negations:
            problems.append(f"{clause} was drawn, and negations.py does not negate it")
    for clause in sorted(set(negations) - set(drawn)):
        problems.append(f"{clause} is negated, and was not drawn")
    for test in sorted({negation.test for negation in NEGATIONS}):
        if not passes(negated, "", test):
            problems.append(f"{test} fails without a negation")
    for negation in NEGATIONS:
        if passes(negated, negation.name, negation.test):
            problems.append(f"{negation.name} ({negation.clause}) survives {negation.test}")
        else:
            print(f"{negation.clause}: {negation.test} fails")
    print("\n".join(problems))
    print(f"{len(NEGATIONS)} negations, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
