"""The cases that the twin works out, one file a rule, drawn from a fixed seed.

A line is a case: `name=value ... -> name=value ...`. Values are integers; a list has commas between
them and may be empty; a list of records has their fields one after the other. -1 stands for what is
not there. The comment on top of a file gives the clauses, the order of constants and that of the
fields of records. The draw is a generator of its own: no version of Python changes the files.
The twin itself is the device in Python: conformance/duts/python/congestion.py and its neighbours.

usage: twin_cases.py generate FOLDER   writes the cases, one file a rule
       twin_cases.py check FOLDER      says which files differ from what generate would write
"""

from __future__ import annotations

import os
import sys
from typing import Callable, Dict, List, Sequence, Tuple

import congestion as twin
import twin_direction_cases as direction
import twin_path_cases as paths
from twin_draw import Case, Draw, Value, spaced

BLOCK_COMMENT = [
    spaced(paths.BLOCK_CONSTANTS),
    "path: " + paths.PATH_FIELDS,
    "blocks: " + paths.BLOCK_FIELDS,
    "echo is that of DATA or -1; `limited` is raised by what was sent before the block; in_flight is",
    "before the block; sample and min_rtt are the path's, this block's sample included",
    "after: 1 if a round ended, 2 if slow start ended, else 0; then the fields of path",
]

# File, clauses, further comment, cases, how many.
Rule = Tuple[str, str, List[str], Callable[[Draw, int], Case], int]
RULES: List[Rule] = [
    ("bdp", "CC-S CC-KB CC-BDP", [], paths.bdp_case, 20),
    ("share", "CC-SHARE CC-REFERENCE", ["p in Mb/s"], paths.share_case, 14),
    (
        "window_added",
        "CC-WINDOW-FIRST CC-WINDOW-ADDED CC-MEAN",
        ["constants: initial_window window_min; others: w of the other ACTIVE paths"],
        paths.added_case,
        12,
    ),
    (
        "window_again",
        "CC-WINDOW-AGAIN CC-MEAN",
        ["others: w of the other ACTIVE paths; drained: a planned change or one of plane balance"],
        paths.again_case,
        11,
    ),
    (
        "window_idle",
        "CC-WINDOW-IDLE",
        [
            spaced(paths.IDLE_CONSTANTS),
            "path: " + paths.PATH_FIELDS,
            "again: 1 if the path begins anew; path: what becomes of it then, or would",
        ],
        paths.idle_case,
        9,
    ),
    ("congested", "CC-CONGESTED", [], paths.congested_case, 16),
    (
        "slow_start",
        "CC-SLOW-START CC-SLOW-START-END",
        ["slow is 1; arrived and lost with those of the block; congested as judged"],
        paths.slow_start_case,
        20,
    ),
    (
        "block",
        "CC-CONGESTED CC-SLOW-START CC-SLOW-START-END CC-ROUND CC-ROUND-END CC-ROUND-BEGIN",
        BLOCK_COMMENT,
        paths.block_case,
        30,
    ),
    (
        "blocks",
        "CC-CONGESTED CC-SLOW-START CC-SLOW-START-END CC-ROUND CC-ROUND-END CC-ROUND-BEGIN",
        BLOCK_COMMENT,
        paths.history_case,
        5,
    ),
    (
        "increase",
        "CC-INCREASE",
        ["constants: increase_shift increase_min; rate: the reference rate"],
        paths.increase_case,
        12,
    ),
    ("rto", "CC-RTO", [], paths.rto_case, 14),
    (
        "connection_window",
        "CC-WINDOW",
        [
            "windows: w of ACTIVE paths, each so many times as copies says; w in bytes, h -1: no hint"
        ],
        paths.window_case,
        15,
    ),
    (
        "may_send",
        "CC-LIMITED CC-MAY-SEND",
        ["limited: in_flight with the packet just sent; path, connection: conditions 3 and 4"],
        paths.send_case,
        15,
    ),
    ("next_path", "CC-SCHEDULER", ["paths: id in_flight w"], paths.next_case, 16),
    (
        "pace_time",
        "CC-PACE-TIME",
        [spaced(paths.GAINS), "paths: w min_rtt slow, each so many times as copies says"],
        paths.pace_time_case,
        15,
    ),
    (
        "pace",
        "CC-PACE",
        [
            "sends: the time from which a packet waits, its bytes, the T of when it goes; it goes as soon",
            "as it is admitted. after: when it went, the whole ns of due, rounded down, and the rest of",
            "due in 2^-22 ns. 64 bits do not hold every due.",
        ],
        paths.pace_case,
        7,
    ),
    (
        "ar",
        "CC-AR",
        [
            "in_flight with the packet; span: next - oldest after it; waits: another one waits after it"
        ],
        paths.ar_case,
        20,
    ),
    (
        "hint_take",
        "HINT-TAKE HINT-LIFE",
        ["steps: time srtt latest hint; latest -1: no ACK. hints: after each step, -1: none"],
        direction.take_case,
        8,
    ),
    (
        "hint_shares",
        "HINT-CAPACITY HINT-SHARES",
        ["demands: cid demand; shares in the same order, in Mb/s"],
        direction.shares_case,
        16,
    ),
    (
        "hint_value",
        "HINT-ARRIVAL HINT-SWEEP HINT-PERIOD HINT-VALUE",
        [
            spaced(direction.HINT_CONSTANTS),
            "connections: cid rtt unit s address address, two peer addresses",
            "steps: time cid bytes; bytes that arrive then in one packet or more, 0: an ACK is built",
            "after: hint (-1 at an arrival), active connections, and of the connection of the step",
            "active r1 r2 low demand",
        ],
        direction.hints_case,
        5,
    ),
    ("count_base", "COUNT-BASE", ["most: L"], direction.base_case, 14),
    (
        "count_grow",
        "COUNT-GROW",
        ["the direction is path-limited; n: open paths; most: L; e: since the target grew"],
        direction.grow_case,
        26,
    ),
    (
        "count_shrink",
        "COUNT-SHRINK",
        ["paths: id drain of the ACTIVE ones, drain 1: for its next epoch, 2: to be closed"],
        direction.shrink_case,
        19,
    ),
    (
        "reentropy",
        "REENTROPY-EVALUATE REENTROPY-MARKED REENTROPY-CHOOSE REENTROPY-HOLD-OFF",
        [
            spaced(direction.ENTROPY_CONSTANTS),
            "paths: id w alpha history drain hold_off_until choices, the ACTIVE ones; x: X",
            "drain as in count_shrink.txt; other_drains: a path that is not ACTIVE drains so",
        ],
        direction.entropy_case,
        16,
    ),
]


def written(values: Dict[str, Value]) -> str:
    """name=value, with blanks between."""
    fields = []
    for name, value in values.items():
        text = str(value) if isinstance(value, int) else ",".join(str(each) for each in value)
        fields.append(name + "=" + text)
    return " ".join(fields)


def text_of(rule: Rule, seed: int) -> str:
    """The file of a rule."""
    _, clauses, comment, case, many = rule
    draw = Draw(seed)
    lines = ["# " + clauses] + ["# " + line for line in comment]
    for number in range(many):
        inputs, outputs = case(draw, number)
        lines.append(written(inputs) + " -> " + written(outputs))
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Exit: 0 done or alike, 1 files differ, 2 wrong usage."""
    if len(arguments) != 2 or arguments[0] not in ("generate", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    differ = 0
    for seed, rule in enumerate(RULES, 8000):
        path, text = os.path.join(arguments[1], rule[0] + ".txt"), text_of(rule, seed)
        if arguments[0] == "generate":
            with open(path, "w", encoding="ascii") as file:
                file.write(text)
            continue
        with open(path, encoding="ascii") as file:
            if file.read() != text:
                print("%s: not what the twin works out" % path)
                differ = 1
    return differ


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
