#!/usr/bin/env python3
"""The table of `metaroce cover --vectors` is the one that was reviewed, and no side lacks.

usage: vectors_test.py METAROCE [--update]
"""

import difflib
import os
import pathlib
import subprocess
import sys

TABLE = pathlib.Path("tools/cover/testdata/vectors.txt")


def main() -> int:
    root = pathlib.Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    done = subprocess.run(
        [sys.argv[1], "cover", "--vectors"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if "--update" in sys.argv:
        (root / TABLE).write_text(done.stdout)
        print(done.stderr, end="")
        return done.returncode
    before = TABLE.read_text()
    if done.stdout != before:
        print(f"{TABLE} is not what `metaroce cover --vectors` prints:")
        print(
            *difflib.unified_diff(before.splitlines(), done.stdout.splitlines(), lineterm=""),
            sep="\n",
        )
    if done.returncode != 0:
        print(done.stderr, end="")
    return 1 if done.stdout != before or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
