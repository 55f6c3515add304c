#!/usr/bin/env python3
"""Makes one copy of the model that holds all edits of a list, and a table of them.

usage: patch.py OUT PREFIX [--devices] [--tests] FILE...

The list is that of mutants.py and negations.py; with --devices that of devices.py.

Each FILE that is no test is copied below OUT, its includes of other FILEs led to the copies (PREFIX
is how their folder is named in an include). With --tests those FILEs are copied that are tests, and
no others. Every edit of the list must apply to exactly one place.
"""

import pathlib
import re
import sys

from devices import DEVICES
from mutants import MUTANTS
from negations import NEGATIONS


def patched(name: str, text: str, all_edits: list) -> str:
    """The text with every edit of this file in it."""
    edits = []
    for number, mutant in enumerate(all_edits, 1):
        if mutant.file != name:
            continue
        found = text.count(mutant.old)
        if found != 1:
            sys.exit(f"{mutant.name}: its place stands {found} times in {name}, not once")
        if "MUTANT" not in mutant.new:
            sys.exit(f"{mutant.name}: it is always active")
        at = text.index(mutant.old)
        new = re.sub(r"\bMUTANT\b", f"(::metaroce::mutants::active == {number})", mutant.new)
        edits.append((at, at + len(mutant.old), new, mutant.name))
    edits.sort()
    for before, after in zip(edits, edits[1:]):
        if before[1] > after[0]:
            sys.exit(f"{before[3]} and {after[3]} edit the same place of {name}")
    for begin, end, new, _ in reversed(edits):
        text = text[:begin] + new + text[end:]
    if edits:
        at = text.index("#include")
        text = f'{text[:at]}#include "fuzz/mutants/active.h"\n{text[at:]}'
    return text


def table(all_edits: list) -> str:
    """The edits as C++ data."""
    rows = "".join(
        f'    {{"{m.name}", "{m.clause}", "{m.file}", "{m.preset}",'
        f' "{m.shown or m.clause}", "{getattr(m, "bug", "")}"}},\n'
        for m in all_edits
    )
    return (
        '#include "fuzz/mutants/active.h"\n\nnamespace metaroce::mutants {\n\n'
        "uint32_t active = 0;\n\nconst std::vector<Mutant>& All() {\n"
        f"  static const auto* const kAll = new std::vector<Mutant>{{\n{rows}  }};\n"
        "  return *kAll;\n}\n\n}  // namespace metaroce::mutants\n"
    )


def main() -> None:
    out, prefix, *files = sys.argv[1:]
    devices = files[0] == "--devices"
    if devices:
        files.pop(0)
    tests = files[0] == "--tests"
    if tests:
        files.pop(0)
    all_edits = DEVICES if devices else MUTANTS + NEGATIONS
    names = set(files)
    for mutant in all_edits:
        if mutant.file not in names:
            sys.exit(f"{mutant.name}: {mutant.file} is no file of the model")
    for name in files:
        if name.endswith("_test.cc") != tests:
            continue
        text = patched(name, pathlib.Path(name).read_text(), all_edits)
        text = re.sub(
            r'#include "([^"]+)"',
            lambda m: f'#include "{prefix}/{m[1]}"' if m[1] in names else m[0],
            text,
        )
        path = pathlib.Path(out, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if not tests:
        pathlib.Path(out, "mutants.cc").write_text(table(all_edits))


if __name__ == "__main__":
    main()
