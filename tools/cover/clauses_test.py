#!/usr/bin/env python3
"""Each clause of the text has its code and its test, or says why not.

usage: clauses_test.py METAROCE TEST...

Runs each TEST with a record of the clauses that took effect (model/testing/hits.h), and then
`metaroce cover` on the source tree from which this test was built.
"""

import os
import pathlib
import subprocess
import sys
import tempfile


def main() -> int:
    metaroce, *tests = sys.argv[1:]
    root = pathlib.Path("WORKSPACE").resolve().parent
    with tempfile.TemporaryDirectory() as folder:
        hits = pathlib.Path(folder, "hits")
        for test in tests:
            done = subprocess.run(
                [test, "--gtest_brief=1"],
                env={**os.environ, "METAROCE_HITS": str(hits)},
                capture_output=True,
                text=True,
            )
            if done.returncode != 0:
                print(f"{test} fails:\n{done.stdout}{done.stderr}")
                return 1
        return subprocess.run([metaroce, "cover", f"--root={root}", f"--hits={hits}"]).returncode


if __name__ == "__main__":
    sys.exit(main())
