#!/usr/bin/python3
"""in_tree.py QUOTES: compares the clauses quoted in all sources with the chapters.

Looks at the source tree that this test was built from, so that no source can be left out of a list:
the files that git tracks, or every file of an unpacked release.
"""
import os
import subprocess
import sys

SOURCES = (".h", ".cc", ".c", ".py")


def tree_files(root):
    """Sorted paths below root."""
    if os.path.exists(os.path.join(root, ".git")):
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "ls-files", "-z"],
            cwd=root,
            stdout=subprocess.PIPE,
            check=True,
        )
        names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
    else:
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if not f.startswith(".")]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))


def main():
    quotes = os.path.realpath(sys.argv[1])
    root = os.path.dirname(os.path.realpath("WORKSPACE"))
    files = tree_files(root)
    chapters = [f for f in files if os.path.dirname(f) == "spec" and f.endswith(".md")]
    sources = [f for f in files if f.endswith(SOURCES)]
    if not chapters or not sources:
        sys.exit("no chapters or no sources below %s" % root)
    os.chdir(root)
    os.execv(quotes, [quotes, *chapters, "--", *sources])


if __name__ == "__main__":
    main()
