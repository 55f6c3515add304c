#!/usr/bin/env python3
"""Makes one copy of the model that holds every mutant and every negation, and a table of them.

usage: patch.py OUT PREFIX [--tests] FILE...

Each FILE that is no test is copied below OUT, its includes of other FILEs led to the copies (PREFIX
is how their folder is named in an include). With --tests those FILEs are copied that are tests, and
no others. Every edit of mutants.py and negations.py must apply to exactly one place.
"""

import pathlib
import re
import sys

from mutants import MUTANTS
from negations import NEGATIONS

EDITS = MUTANTS + NEGATIONS


def patched(name: str, text: str) -> str:
    """The text with every mutant of this file in it."""
    edits = []
    for number, mutant in enumerate(EDITS, 1):
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


def table() -> str:
    """The mutants as C++ data."""
    rows = "".join(
        f'    {{"{m.name}", "{m.clause}", "{m.file}", "{m.preset}",'
        f' "{m.shown or m.clause}"}},\n'
        for m in EDITS
    )
    return (
        '#include "fuzz/mutants/active.h"\n\nnamespace metaroce::mutants {\n\n'
        "uint32_t active = 0;\n\nconst std::vector<Mutant>& All() {\n"
        f"  static const auto* const kAll = new std::vector<Mutant>{{\n{rows}  }};\n"
        "  return *kAll;\n}\n\n}  // namespace metaroce::mutants\n"
    )


def main() -> None:
    out, prefix, *files = sys.argv[1:]
    tests = files[0] == "--tests"
    if tests:
        files.pop(0)
    names = set(files)
    for mutant in EDITS:
        if mutant.file not in names:
            sys.exit(f"{mutant.name}: {mutant.file} is no file of the model")
    for name in files:
        if name.endswith("_test.cc") != tests:
            continue
        text = patched(name, pathlib.Path(name).read_text())
        text = re.sub(
            r'#include "([^"]+)"',
            lambda m: f'#include "{prefix}/{m[1]}"' if m[1] in names else m[0],
            text,
        )
        path = pathlib.Path(out, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    if not tests:
        pathlib.Path(out, "mutants.cc").write_text(table())


if __name__ == "__main__":
    main()
