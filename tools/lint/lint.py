#!/usr/bin/python3
"""Checks of the tracked files that need no compiler.

usage: lint.py CHECK ROOT      CHECK: format, shell, python, tree

format  .h and .cc files are as clang-format-14 would write them
shell   shellcheck finds nothing in any shell script
python  Python files compile, and are as black would write them
tree    what is said in tree_check.py

ROOT is a git checkout (tracked files are checked), or a plain copy of one (all
files are). Prints each finding as `file:line: sentence`.
Exit: 0 clean, 1 findings, 2 a tool is missing or the usage is wrong.
"""
import os
import re
import subprocess
import sys

import tree_check

CLANG_FORMAT = "clang-format-14"
BLACK = ["/usr/bin/black", "--line-length=100", "--quiet"]


class MissingTool(Exception):
    pass


def run(root, command):
    """Runs a tool in ROOT; a tool that is not there is an error, never a skip."""
    try:
        return subprocess.run(
            command,
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    except OSError as error:
        message = "%s cannot be run (%s); run tools/setup" % (command[0], error.strerror)
        raise MissingTool(message) from error


def listed_files(root):
    """Sorted paths, relative to ROOT, of regular files."""
    if os.path.exists(os.path.join(root, ".git")):
        command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
        # Not run(): names may hold any byte but NUL, and stderr must stay apart.
        try:
            result = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True)
        except OSError as error:
            raise MissingTool("git cannot be run (%s); run tools/setup" % error.strerror) from error
        names = [os.fsdecode(name) for name in result.stdout.split(b"\0") if name]
    else:
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if f not in (".git", ".build")]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    paths = [os.path.join(root, name) for name in names]
    return sorted(
        name
        for name, path in zip(names, paths)
        if os.path.isfile(path) and not os.path.islink(path)
    )


def first_line(root, name):
    with open(os.path.join(root, name), "rb") as file:
        return file.readline(200).decode("utf-8", "replace")


def check_format(root, files):
    sources = [f for f in files if f.endswith((".h", ".cc"))]
    if not run(root, [CLANG_FORMAT, "--version"]).stdout:
        raise MissingTool("%s does not answer; run tools/setup" % CLANG_FORMAT)
    if not sources:
        return []
    result = run(root, [CLANG_FORMAT, "--dry-run", "--Werror"] + sources)
    first_places = {}
    for line in result.stdout.split("\n"):
        match = re.match(r"(?:\./)?([^:]+):(\d+):\d+: (?:error|warning):", line)
        if match:
            first_places.setdefault(match.group(1), match.group(2))
    findings = [
        "%s:%s: %s -i %s would change it" % (name, number, CLANG_FORMAT, name)
        for name, number in sorted(first_places.items())
    ]
    if result.returncode != 0 and not findings:
        findings = result.stdout.strip().split("\n")
    return findings


def check_shell(root, files):
    scripts = [f for f in files if f.endswith(".sh")]
    scripts += [f for f in files if first_line(root, f).startswith(("#!/bin/bash", "#!/bin/sh"))]
    run(root, ["shellcheck", "--version"])
    result = run(root, ["shellcheck", "--format=gcc", "--"] + sorted(set(scripts)))
    if result.returncode != 0 and scripts:
        return result.stdout.strip().split("\n")
    return []


def check_python(root, files):
    sources = [
        f for f in files if f.endswith(".py") or re.match(r"#!.*\bpython", first_line(root, f))
    ]
    findings = []
    run(root, BLACK + ["--version"])
    for source in sources:
        with open(os.path.join(root, source), "rb") as file:
            try:
                compile(file.read(), source, "exec")
            except (SyntaxError, ValueError) as error:
                line = getattr(error, "lineno", None) or 1
                findings.append("%s:%d: %s" % (source, line, error))
                continue
        if run(root, BLACK + ["--check", source]).returncode != 0:
            findings.append("%s:1: %s %s would change it" % (source, " ".join(BLACK), source))
    return findings


CHECKS = {
    "format": check_format,
    "shell": check_shell,
    "python": check_python,
    "tree": tree_check.check,
}


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in CHECKS or not os.path.isdir(arguments[1]):
        print(__doc__, file=sys.stderr)
        return 2
    check, root = CHECKS[arguments[0]], arguments[1]
    try:
        files = listed_files(root)
        findings = check(root, files)
    except MissingTool as error:
        print("lint: %s" % error)
        return 2
    for finding in findings:
        print(finding)
    print("lint %s: %d files looked at, %d findings" % (arguments[0], len(files), len(findings)))
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
