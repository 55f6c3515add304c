#!/usr/bin/python3
"""The generated covergroups have a bin for each cell and each choice, and only names that there are.

usage: covergroups_verilator_test.py METAROCE_COVERAGE_PKG.SV METAROCE_SPEC_PKG.SV SPEC.JSON KEYWORDS

Verilator 5.006 has no covergroups, and no other simulator is at hand: their bins are held against the
text here, and what the bins and the cover points are made of goes to Verilator as plain functions.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

VERILATOR = "/usr/bin/verilator"


def bins(text, kind, name):
    """The bins of a covergroup, by name: what kind and what they hold."""
    body = re.search(r"covergroup %s%s_cg .*?endgroup" % (kind, name), text, re.DOTALL)
    if body is None:
        sys.exit("there is no covergroup of %s" % name)
    found = re.findall(r"^ +(bins|illegal_bins) (\w+) = ([^;]*);", body.group(0), re.MULTILINE)
    if len(found) != len({name for _, name, _ in found}):
        sys.exit("two bins of %s have one name" % name)
    return {name: (kind, value) for kind, name, value in found}


def cells(machine, text):
    """How many cells of the machine there are; each must be a bin."""
    found = bins(text, "", machine["name"])
    stem = machine["name"].upper()
    for cell in machine["on"]:
        for state in cell["state"]:
            for event in cell["event"]:
                kind = "illegal_bins" if cell.get("impossible") else "bins"
                value = (
                    "binsof(state_before) intersect {%s_STATE_%s} && binsof(event_seen) intersect"
                    " {%s_EVENT_%s}" % (stem, state, stem, event)
                )
                have = found.pop("%s__%s" % (state.lower(), event.lower()), None)
                if have != (kind, value):
                    sys.exit("%s, %s, %s: %s" % (machine["name"], state, event, have))
    if found:
        sys.exit("%s: bins of no cell: %s" % (machine["name"], ", ".join(found)))
    return len(machine["state"]) * len(machine["event"])


def as_functions(text):
    """The package with a function in place of each covergroup: its arguments, and all it mentions."""

    def function(match):
        name, arguments, body = match.groups()
        body = re.sub("//.*", "", body)
        values = re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", body)
        values += re.findall(r"coverpoint (\([^{]*\)) \{", body)
        values += re.findall(r"coverpoint (\w+)", body)
        arguments = ", ".join("input " + argument for argument in arguments.split(", "))
        total = " + ".join("64'(%s)" % value for value in values)
        return "function automatic longint unsigned %s(%s);\n return %s;\nendfunction" % (
            name,
            arguments,
            total,
        )

    pattern = r"covergroup (\w+) with function sample\(([^)]*)\);(.*?)endgroup"
    return re.sub(pattern, function, text, flags=re.DOTALL)


def no_keywords(text, keywords):
    """Nothing that is named here is a reserved word."""
    named = re.findall(r"(?:bins|covergroup) (\w+)", text) + re.findall(r"(\w+): c", text)
    for name in named:
        if name in keywords:
            sys.exit("%s is a reserved word" % name)


def main(coverage, package, spec_path, keywords_path):
    with open(coverage, encoding="utf-8") as f:
        text = f.read()
    with open(keywords_path, encoding="utf-8") as f:
        no_keywords(text, set(re.findall(r'"(\w+)"', f.read())))
    with open(spec_path, encoding="utf-8") as f:
        data = json.load(f)["data"]
    count = sum(cells(machine, text) for machine in data["machine"])
    for choice in data["choice"]:
        found = bins(text, "choice_", choice["name"].replace("-", "_"))
        want = len(choice["names"]["name"]) if "names" in choice else 6
        if len(found) != want:
            sys.exit("%s has %d bins, not %d" % (choice["name"], len(found), want))
    functions = as_functions(text)
    if "covergroup" in functions or "PATH" not in functions:
        sys.exit("a covergroup was not understood")
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "metaroce_coverage_pkg.sv")
        with open(plain, "w", encoding="utf-8") as f:
            f.write(functions)
        done = subprocess.run(
            [VERILATOR, "--lint-only", "-Wall", package, plain],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        sys.exit(done.stdout[-5000:])
    if "endgroup" not in text or count == 0:
        sys.exit("there is nothing to cover")
    print("%d cells and %d choices" % (count, len(data["choice"])))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    if not os.access(VERILATOR, os.X_OK):
        sys.exit(VERILATOR + " is missing; run tools/setup")
    main(*sys.argv[1:])
