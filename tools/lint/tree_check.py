"""Checks of the tree as text: rules that hold for every tracked file.

* no absolute path of somebody's machine;
* no note of work left undone in what we publish (write an issue instead);
* no file of code or prose over 600 lines, unless long_files.txt gives the reason;
* UTF-8, ends with one newline, no carriage return, no blank at the end of a line
  (files under a folder of test data or goldens may hold anything);
* a file has the run bit if, and only if, it starts with `#!`;
* BUILD.bazel and .bzl files: double quotes, four blanks a level, no tab;
* JSON files parse, with no key twice in an object.
"""
import json
import os
import re

MAX_LINES = 600
LONG_FILES = "tools/lint/long_files.txt"
PROSE_AND_CODE = (".h", ".cc", ".c", ".py", ".bzl", ".sh", ".proto", ".md", ".sv", ".lua")
DATA_FOLDERS = {"testdata", "golden", "corpus"}

# Written with brackets so that this file does not find itself.
MACHINE_PATH = re.compile(
    r"(?<![\w.)\]}$/-])/(?:hom[e]|roo[t]|User[s]|wor[k]|far[m]|mn[t]|tm[p])/\w"
)
UNDONE = re.compile(r"\b(?:TB[D]|TOD[O]|FIXM[E]|XX[X])\b")


def is_data(name):
    return bool(DATA_FOLDERS.intersection(name.split("/")[:-1]))


def long_files(root, findings):
    """The names in long_files.txt; a line is `name: reason`."""
    names = {}
    path = os.path.join(root, LONG_FILES)
    if not os.path.exists(path):
        return names
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip() or line.startswith("#"):
                continue
            name, _, reason = line.partition(":")
            if len(reason.split()) < 3:
                findings.append("%s:%d: %s has no reason" % (LONG_FILES, number, name.strip()))
            names[name.strip()] = number
    return names


def check_text(name, text, findings):
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            findings.append("%s:%d: a path of one machine: %s" % (name, number, line.strip()[:80]))
        if UNDONE.search(line):
            findings.append("%s:%d: a note of work undone: %s" % (name, number, line.strip()[:80]))
        if not is_data(name) and line != line.rstrip():
            findings.append("%s:%d: a blank or carriage return ends the line" % (name, number))
    if not is_data(name) and text and (not text.endswith("\n") or text.endswith("\n\n")):
        findings.append("%s:%d: the file does not end with one newline" % (name, len(lines)))


def check_build_file(name, text, findings):
    in_string = False  # within a """ docstring or template
    continued = False  # an operator ended the line before: this one aligns with its operand
    for number, line in enumerate(text.split("\n"), 1):
        code = line if not in_string else ""
        if line.count('"""') % 2 == 1:
            in_string = not in_string
            code = ""
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', code).split("#")[0]
        if "\t" in line:
            findings.append("%s:%d: a tab" % (name, number))
        if "'" in code:
            findings.append("%s:%d: single quotes; use double quotes" % (name, number))
        indent = len(code) - len(code.lstrip(" "))
        if code.strip() and indent % 4 != 0 and not continued:
            findings.append("%s:%d: indented by %d; use four a level" % (name, number, indent))
        continued = code.rstrip().endswith(("+", " or", " and"))


def no_double_key(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError('the key "%s" stands twice in one object' % key)
    return dict(pairs)


def check_json(name, text, findings):
    try:
        json.loads(text, object_pairs_hook=no_double_key)
    except ValueError as error:
        findings.append("%s:%d: %s" % (name, getattr(error, "lineno", 1), error))


def check(root, files):
    findings = []
    allowed = long_files(root, findings)
    for name in files:
        path = os.path.join(root, name)
        with open(path, "rb") as file:
            raw = file.read()
        runnable = os.access(path, os.X_OK)
        if runnable != raw.startswith(b"#!"):
            said = "the run bit but no #!" if runnable else "#! but no run bit"
            findings.append("%s:1: %s" % (name, said))
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            if not is_data(name):
                findings.append("%s:1: not UTF-8; binary files belong under testdata/" % name)
            continue
        check_text(name, text, findings)
        lines = text.count("\n")
        if name.endswith(PROSE_AND_CODE) and lines > MAX_LINES and name not in allowed:
            place = "%s:%d" % (name, MAX_LINES + 1)
            findings.append("%s: %d lines; split it, or say why in %s" % (place, lines, LONG_FILES))
        if name in allowed and lines <= MAX_LINES:
            findings.append("%s:%d: %s is not long" % (LONG_FILES, allowed[name], name))
        if name.endswith((".bzl", "BUILD.bazel")):
            check_build_file(name, text, findings)
        if name.endswith(".json") and not is_data(name):
            check_json(name, text, findings)
    for name in allowed:
        if name not in files:
            findings.append("%s:%d: %s does not exist" % (LONG_FILES, allowed[name], name))
    return findings
