#!/usr/bin/env python3
"""Holds the cases of level block against the blocks in Python, and completes their output records.

A step of a case has in `gives` what its author demands of the output record, from the text. The
other fields of the record stand in `rest`: this program works them out and writes them. Where a
block gives something else than `gives` demands, it says so and writes nothing. A step stands on one
line, as the files in vectors/cases/block have it.

usage: complete_cases.py [--check] FILE...   --check: writes nothing, and says what differs
"""

from __future__ import annotations

import re
import sys
from typing import Dict, List, Sequence, Tuple

from blocks import BLOCKS
from records import DutError, Reader, Record, Value

DATA = ("bitmap", "steady", "waiting")  # the fields of the blocks whose value is data
STEP = re.compile(r'^  step \{ apply: "([^"]*)"(?: gives: "([^"]*)")?(?: rest: "([^"]*)")?(.*)$')
NO_STEP = 'a step is not written on one line as `  step { apply: "..." gives: "..." }`'
REPEAT = re.compile(r'repeat \{ count: (\d+) by: "([^"]*)" \}')
WIDTH_32 = (
    "sequence",
    "csn",
    "base",
    "next",
    "oldest",
    "msn",
    "cumulative",
    "right_edge",
    "offset",
)


def value_of(name: str, text: str) -> Value:
    """A value as vectors/gen/case.proto writes it."""
    if name in DATA:
        return bytes.fromhex(text[2:])
    if re.fullmatch(r"0x[0-9a-f]+|\d+", text):
        return int(text, 0)
    return text


def record_of(text: str) -> Record:
    """The record in a line."""
    pairs = (item.split("=", 1) for item in text.split())
    return {name: value_of(name, value) for name, value in pairs}


def text_of(record: Record) -> str:
    """A record in a line."""
    words = []
    for name, value in record.items():
        text = "0x" + value.hex() if isinstance(value, bytes) else str(value)
        words.append(f"{name}={text}")
    return " ".join(words)


def advanced(record: Record, by: Record, k: int) -> Record:
    """The record of the k-th of a burst [CONF-BURST]."""
    out = dict(record)
    for name, increment in by.items():
        value = out.get(name)
        if isinstance(value, int) and isinstance(increment, int):
            mask = (1 << (32 if name in WIDTH_32 else 64)) - 1
            out[name] = value + k * increment & mask
    return out


class CaseFile:
    """One file of cases, step by step."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        found = [line for line in self.lines if line.startswith("block: ")]
        self.block = found[0].split('"')[1] if found else ""
        self.faults: List[str] = []

    def complete(self) -> List[str]:
        """The lines with every `rest` as the block gives it."""
        out: List[str] = []
        case: Dict[str, str] = {}
        device = None
        for number, line in enumerate(self.lines, 1):
            if line == "case {":
                case, device = {"config": "", "base": ""}, None
            match = re.match(r'  (config|base): "(.*)"$', line)
            if match:
                case[match.group(1)] += " " + match.group(2)
            step = STEP.match(line)
            if step is None:
                if line.lstrip().startswith("step"):
                    self.faults.append(f"{self.path}:{number}: {NO_STEP}")
                out.append(line)
                continue
            if device is None:
                device = BLOCKS[self.block](Reader(record_of(case["config"])))
            repeat = REPEAT.search(step.group(4))
            count, by = (int(repeat.group(1)), repeat.group(2)) if repeat else (1, "")
            given = {**record_of(case["base"]), **record_of(step.group(1))}
            gives = record_of(step.group(2) or "")
            rest = ""
            for k in range(count):
                fields = Reader(advanced(given, record_of(by), k))
                try:
                    record = device.take(fields)
                    fields.finish()
                except (DutError, ValueError) as failure:
                    self.faults.append(f"{self.path}:{number}: {failure}")
                    return self.lines
                self._compare(number, advanced(gives, record_of(by), k), record)
                if count == 1:
                    rest = text_of({n: v for n, v in record.items() if n not in gives})
            if self.block == "receive-vector" or count > 1:
                rest = ""
            parts = f'  step {{ apply: "{step.group(1)}"'
            parts += f' gives: "{step.group(2)}"' if step.group(2) else ""
            out.append(parts + (f' rest: "{rest}"' if rest else "") + step.group(4))
        return out

    def _compare(self, number: int, gives: Record, record: Record) -> None:
        for name, value in gives.items():
            if record.get(name) != value:
                wrong = f"the case demands {text_of({name: value})}, the block gives"
                have = text_of({name: record[name]}) if name in record else "no such field"
                self.faults.append(f"{self.path}:{number}: {wrong} {have}")


def complete_all(paths: Sequence[str], check: bool) -> Tuple[List[str], List[str]]:
    """What is wrong, and the files that were or would be written."""
    faults: List[str] = []
    written: List[str] = []
    for path in paths:
        file = CaseFile(path)
        if file.block not in BLOCKS:
            if not check:
                print(f"{path}: nothing to complete: it is of none of the blocks in Python")
            continue
        lines = file.complete()
        faults += file.faults
        if file.faults or lines == file.lines:
            continue
        written.append(path)
        if not check:
            with open(path, "w", encoding="utf-8") as out:
                out.write("\n".join(lines))
    return faults, written


def main(arguments: Sequence[str]) -> int:
    """Exit: 0 done or alike, 1 something differs, 2 wrong usage."""
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    check = list(arguments[:1]) == ["--check"]
    paths = arguments[1:] if check else arguments
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        faults, written = complete_all(paths, check)
    except OSError as failure:
        print(failure, file=sys.stderr)
        return 2
    for fault in faults:
        print(fault)
    if check:
        for path in written:
            print(f"{path}: not as the blocks complete it")
    return 1 if faults or (check and written) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
