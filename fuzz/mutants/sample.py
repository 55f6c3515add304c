#!/usr/bin/env python3
"""Draws the clauses that negations.py negates: the same twenty from the same text and sources.

usage: sample.py REGISTRY

Candidates are the MUST clauses of the chapters of the endpoint that are not unproven and that a line
of the model cites or hits. Their order is that of a hash of a fixed seed and the id, so that a new
clause moves no other; those without a branch to negate are passed over, each for the reason that
WITHOUT gives. REGISTRY is the text as data; the sources lie below the working folder.
"""

import hashlib
import json
import pathlib
import re
import sys

SEED = 20
COUNT = 20
CHAPTERS = ("05", "06", "07", "09", "10", "11", "12", "13")
FOLDERS = ("model/connection", "model/endpoint", "model/path")

# Clauses that were drawn and have no branch which could be taken the other way.
WITHOUT: dict[str, str] = {}


def enumerator(clause: str) -> str:
    return "k" + "".join(word.capitalize() for word in clause.split("-"))


def named_by_code() -> set[str]:
    """What the sources cite, and the enumerators that they use."""
    named: set[str] = set()
    files = 0
    for folder in FOLDERS:
        for path in sorted(pathlib.Path(folder).iterdir()):
            if path.suffix not in (".cc", ".h") or path.name.endswith("_test.cc"):
                continue
            files += 1
            text = path.read_text()
            named.update(re.findall(r"^\s*//= ([A-Z0-9-]+)$", text, re.M))
            named.update(re.findall(r"clause::(k\w+)", text))
    if files < 20:
        sys.exit(f"only {files} sources were found; run this in the folder of the project")
    return named


def draw(registry: str) -> list[str]:
    named = named_by_code()
    clauses = json.loads(pathlib.Path(registry).read_text())["clause"]
    candidates = [
        clause["id"]
        for clause in clauses
        if clause["level"] == "MUST"
        and clause["chapter"][:2] in CHAPTERS
        and not clause.get("unproven")
        and (clause["id"] in named or enumerator(clause["id"]) in named)
    ]
    candidates.sort(key=lambda clause: hashlib.sha256(f"{SEED} {clause}".encode()).digest())
    return [clause for clause in candidates if clause not in WITHOUT][:COUNT]


if __name__ == "__main__":
    print("\n".join(draw(sys.argv[1])))
