"""Vectors that `metaroce vector lint` refuses, one for each sentence that it has.

Each is a good vector of some kind with a change: a dotted path and the new value; None takes the
member away. What lint says of them is in testdata/golden/vector-lint-refusals.txt.
"""

from __future__ import annotations

import copy
import json
from typing import Any, Dict, List, Tuple

HEAD: Dict[str, Any] = {
    "id": "v",
    "title": "A title",
    "level": "codec",
    "clauses": ["WIRE-ACK"],
    "capabilities": ["codec-decode", "codec-encode"],
    "flags": ["FIELD_PLACE"],
    "provenance": {"kind": "spec", "note": "a note"},
}
AT_ONCE = {"parameter": "react_max", "relation": "=", "value": 0}
BLOCK = {"level": "block", "clauses": ["ACK-VECTOR"]}
DATA = {"kind": "data", "sequence": 1}
RECEIVED = {"fields": {"common.opcode": 1, "payload": "0x01"}}
GOOD: Dict[str, Dict[str, Any]] = {
    "decode": {"steps": [{"decode": "0x01"}, {"expect": {"reject": "frame"}}]},
    "encode": {
        "steps": [
            {"encode": {"common.opcode": 65}},
            {"expect": {"packet": {"includes": {"common.opcode": 65}}}},
        ]
    },
    "receive-vector": {
        **BLOCK,
        "block": "receive-vector",
        "capabilities": ["block-receive-vector"],
        "config": {"base": 0},
        "steps": [{"apply": DATA}, {"expect": {"includes": {"base": 0}}}],
    },
    "ack-generation": {
        **BLOCK,
        "block": "ack-generation",
        "capabilities": ["block-ack-generation"],
        "steps": [
            {"at": 10, "apply": DATA},
            {"expect": {"includes": {"base": 0}, "within": "ack_max"}},
        ],
    },
    "endpoint": {
        "level": "endpoint",
        "capabilities": ["endpoint-receiver"],
        "config": {},
        "steps": [
            {"at": 10, "arrive": RECEIVED},
            {"expect": {"packet": {"includes": {"common.opcode": 65}}}},
        ],
    },
    "system": {
        "level": "system",
        "capabilities": ["endpoint-receiver", "endpoint-requester", "fixed-window"],
        "profile": [AT_ONCE],
        "config": {"window": 8},
        "system": {
            "delays": [{"to_peer": 1000, "to_dut": 1000}],
            "faults": [{"toward": "peer", "does": "drop"}],
        },
        "steps": [
            {"at": 10, "post": {"kind": "write", "id": 1}},
            {"expect": {"completion": {"kind": "work", "id": 1}, "within": 1000}},
            {"expect": {"memory": {"address": 1, "data": "0x01"}}},
        ],
    },
}

Change = Tuple[str, Any]
BAD: List[Tuple[str, List[Change]]] = [
    ("decode", [("id", "No-Word")]),
    ("decode", [("title", None)]),
    ("decode", [("title", "t" * 401)]),
    ("decode", [("title", "bell \u0007")]),
    ("decode", [("level", None)]),
    ("decode", [("block", "receive-vector")]),
    ("receive-vector", [("block", "warp")]),
    ("decode", [("provenance", None)]),
    ("decode", [("clauses", [])]),
    ("decode", [("clauses", ["WIRE-NEVER"])]),
    ("decode", [("flags", ["PAD", "PAD"])]),
    ("decode", [("ignore", ["packet"])]),
    ("decode", [("profile", [{"parameter": "haste", "relation": ">=", "value": 1}])]),
    ("decode", [("profile", [{"parameter": "ack_max", "relation": "!=", "value": 1}])]),
    ("decode", [("capabilities", ["codec-encode"])]),
    ("decode", [("config", {"base": 0})]),
    ("receive-vector", [("config", {"bass": 0})]),
    ("receive-vector", [("config", {"base": 1 << 32})]),
    ("receive-vector", [("config", {"base": "0x00"})]),
    ("ack-generation", [("config", {"ack_every": 0})]),
    ("endpoint", [("config", {"local.paths": 0})]),
    ("endpoint", [("config", {"local.mtu": 1000, "peer.mtu": 1000})]),
    ("endpoint", [("config", {"local.mtu": 1024, "peer.mtu": 4096})]),
    ("endpoint", [("config", {"peer.paths": 4, "path[4].epoch": 1})]),
    ("endpoint", [("config", {"memory[0].address": 0})]),
    ("endpoint", [("config", {"local.ip": "0x0a000001", "peer.ip": "0x" + "00" * 16})]),
    ("endpoint", [("config", {"local.mac": "0x01"})]),
    ("decode", [("steps", [])]),
    ("decode", [("steps", [{"decode": "0x01"}, {"expect": {"reject": "frame"}}] * 101)]),
    ("decode", [("steps.0", {"note": "idle"})]),
    ("decode", [("steps.0", {"expect": {"reject": "frame"}})]),
    ("decode", [("steps.1", {"decode": "0x02"})]),
    ("ack-generation", [("steps.1", {"at": 20, "advance": True})]),
    ("encode", [("steps.0.repeat", {"count": 1})]),
    ("ack-generation", [("steps.0.repeat", {"count": 2, "every": 1 << 60})]),
    ("encode", [("steps.0.repeat", {"count": 2, "every": 5})]),
    ("encode", [("steps.0.repeat", {"count": 2, "by": {"common.cid": "0x01"}})]),
    ("encode", [("steps.0.repeat", {"count": 2, "by": {"common.cid": 1}})]),
    ("decode", [("steps.0.at", 5)]),
    ("ack-generation", [("steps.0.at", 1 << 60)]),
    ("ack-generation", [("steps.2", {"at": 5, "apply": DATA})]),
    (
        "ack-generation",
        [("steps.2", {"at": 50, "advance": True}), ("steps.3", {"at": 50, "apply": DATA})],
    ),
    ("decode", [("steps.0", {"post": {"kind": "receive"}})]),
    ("decode", [("steps.0.clause", "WIRE-ACK")]),
    ("ack-generation", [("steps.2", {"at": 50, "advance": False})]),
    ("ack-generation", [("steps.2", {"at": 50, "advance": True, "repeat": {"count": 2}})]),
    ("encode", [("steps.0.encode", {"common.cid": 1})]),
    ("encode", [("steps.0.encode", {"common.opcode": 0xCB, "option[0].type": 0})]),
    ("receive-vector", [("steps.0.apply", {"sequence": 1})]),
    ("receive-vector", [("steps.0.apply", {"kind": "data"})]),
    ("receive-vector", [("steps.0.apply", {"kind": "rumour", "sequence": 1})]),
    ("endpoint", [("steps.0.arrive.plane", 1)]),
    ("endpoint", [("steps.0.arrive", {"includes": {"common.opcode": 1}})]),
    ("endpoint", [("steps.0.arrive", {})]),
    ("ack-generation", [("steps.1.expect.within", "1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1")]),
    ("ack-generation", [("steps.1.expect.within", 1 << 60)]),
    ("ack-generation", [("steps.1.expect.within", "haste_max")]),
    ("ack-generation", [("steps.1.expect.within", "ack_every")]),
    ("ack-generation", [("steps.1.expect.after", 9), ("steps.1.expect.within", 8)]),
    ("decode", [("steps.1.clause", "WIRE-PAD")]),
    ("ack-generation", [("steps.1.at", 1 << 60)]),
    ("decode", [("steps.1.expect.within", 5)]),
    ("ack-generation", [("steps.1.expect", {"nothing": 5}), ("steps.1.repeat", {"count": 2})]),
    ("encode", [("steps.1.expect", {"fields": {"common.opcode": 65}})]),
    ("receive-vector", [("steps.1.expect", {"includes": {}})]),
    ("encode", [("steps.1.expect", {"reject": "frame"})]),
    ("decode", [("steps.1.expect", {"reject": "mood"})]),
    ("decode", [("steps.1.expect", {"packet": {"frame": "0x01"}})]),
    ("decode", [("steps.1.expect", {"completion": {"id": 1}})]),
    ("decode", [("steps.1.expect", {"placement": {"address": 1, "data": "0x01"}})]),
    ("endpoint", [("steps.1.expect", {"placement": {"address": 1}})]),
    ("decode", [("steps.1.expect", {"nothing": 5})]),
    ("ack-generation", [("steps.1.expect", {"nothing": 5, "within": 6})]),
    ("decode", [("steps.1.expect", {})]),
    ("decode", [("steps.1.expect", {"one_of": {"outcomes": [{"reject": "frame"}]}})]),
    (
        "decode",
        [
            (
                "steps.1.expect",
                {
                    "one_of": {
                        "choice": "mood",
                        "outcomes": [{"reject": "frame"}, {"reject": "icrc", "within": 1}],
                    }
                },
            )
        ],
    ),
    (
        "decode",
        [
            (
                "steps.1.expect",
                {
                    "one_of": {
                        "outcomes": [
                            {"reject": "frame"},
                            {"one_of": {"outcomes": [{"reject": "icrc"}]}},
                        ]
                    }
                },
            )
        ],
    ),
    ("decode", [("negative", ["WIRE-PAD"])]),
    # Names taken over: unknown, used before, of another width, used where they are taken over,
    # never used, in a configuration, in a burst of expectations.
    ("endpoint", [("steps.0.arrive.fields", {"common.opcode": 1, "common.cid": "$cid"})]),
    (
        "endpoint",
        [
            ("steps.0.arrive.fields", {"common.opcode": 1, "common.number": "$number"}),
            ("steps.1.expect.packet.includes", {"common.number": "$number"}),
        ],
    ),
    (
        "endpoint",
        [
            ("steps.1.expect.packet.includes", {"common.number": "$number"}),
            ("steps.2", {"arrive": {"fields": {"common.opcode": 1, "common.path": "$number"}}}),
        ],
    ),
    (
        "endpoint",
        [("steps.1.expect.packet.includes", {"common.number": "$n", "ack.csn": "$n + 1"})],
    ),
    ("endpoint", [("steps.1.expect.packet.includes", {"common.number": "$number"})]),
    ("endpoint", [("config", {"local.cid": "$cid"})]),
    (
        "endpoint",
        [
            ("steps.1.expect.packet.includes", {"common.number": "$number"}),
            ("steps.1.repeat", {"count": 2}),
        ],
    ),
    ("endpoint", [("steps.1.expect.packet.includes", {"payload": "$bytes"})]),
    ("endpoint", [("steps.1.expect.packet.includes", {"common.number": "$a-"})]),
    ("endpoint", [("steps.1.expect.packet.includes", {"common.number": "$Number"})]),
    # What is no vector at all.
    ("decode", [("colour", "red")]),
    ("decode", [("title", 7)]),
    ("decode", [("steps.0.decode", "0x0")]),
    ("decode", [("steps.0.note", "\u20ac" * 200)]),
    # The level system: what it has, its peer, the delays, the faults, the steps.
    ("system", [("system", None)]),
    ("endpoint", [("system", {"delays": [{"to_peer": 1000, "to_dut": 1000}]})]),
    ("endpoint", [("steps.1.peer", True)]),
    ("endpoint", [("steps.1.expect", {"memory": {"address": 1, "data": "0x01"}})]),
    ("system", [("capabilities", ["endpoint-receiver"])]),
    ("system", [("config", {})]),
    ("system", [("profile", [])]),
    ("system", [("profile", [{**AT_ONCE, "relation": "<=", "value": 5}])]),
    ("system", [("ignore", ["packet"])]),
    ("system", [("config", {"window": 8, "path[1].base": 5})]),
    ("system", [("config", {"window": 8, "accept": 1})]),
    ("system", [("system.peer", {"tag": 1})]),
    ("system", [("system.peer", {"window": "$window"})]),
    ("system", [("system.peer", {"window": 300})]),
    ("system", [("system.delays", [])]),
    ("system", [("system.delays", [{"to_peer": 1000, "to_dut": 1000}] * 2)]),
    ("system", [("system.delays.0.to_peer", 99)]),
    ("system", [("system.delays.0.to_dut", 1000000001)]),
    ("system", [("system.faults.0.toward", "dust")]),
    ("system", [("system.faults.0.does", "lose")]),
    ("system", [("system.faults", [{"toward": "peer", "does": "drop"}] * 65)]),
    ("system", [("system.faults.0.plane", 1)]),
    ("system", [("system.faults.0.entropy", 65536)]),
    ("system", [("system.faults.0.opcode", 256)]),
    ("system", [("system.faults.0.path", 256)]),
    ("system", [("system.faults.0.first", 0)]),
    ("system", [("system.faults.0.count", 0)]),
    ("system", [("system.faults.0", {"toward": "dut", "does": "drop", "from": 9, "until": 9})]),
    ("system", [("system.faults.0", {"toward": "dut", "does": "delay"})]),
    ("system", [("system.faults.0.by", 5)]),
    ("system", [("system.faults.0.byte", 5)]),
    ("system", [("system.faults.0", {"toward": "dut", "does": "corrupt", "byte": 65536})]),
    ("system", [("system.faults.0.note", "n" * 401)]),
    ("system", [("steps.0.post", {"kind": "connect"})]),
    ("system", [("steps.0.post", {"kind": "write", "id": 1, "length": 524289})]),
    ("system", [("steps.0.post", {"id": 1})]),
    ("system", [("steps.0.post", {"kind": "port", "plane": 0})]),
    ("system", [("steps.0", {"at": 10, "arrive": {"frame": "0x01"}, "peer": True})]),
    ("system", [("steps.1.expect", {"packet": {"frame": "0x01"}})]),
    ("system", [("steps.1.expect.within", "react_max")]),
    ("system", [("steps.1.expect.completion", {"kind": "work", "id": "$id"})]),
    ("system", [("steps.1.expect", {"memory": {"address": 1, "data": "0x01"}})]),
    ("system", [("steps.2.expect.within", 5)]),
    ("system", [("steps.2.expect", {"memory": {"address": 1}})]),
    (
        "system",
        [("steps.2.expect", {"memory": {"address": "18446744073709551615", "data": "0x0102"}})],
    ),
    ("system", [("steps.3", {"at": 100000000, "advance": True})]),
]


def changed(kind: str, changes: List[Change]) -> Dict[str, Any]:
    """The good vector of that kind with the changes."""
    vector = {**copy.deepcopy(HEAD), **copy.deepcopy(GOOD[kind])}
    for path, value in changes:
        at: Any = vector
        *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        for part in way:
            at = at[part]
        if value is None:
            del at[last]
        elif isinstance(at, list) and last == len(at):
            at.append(value)
        else:
            at[last] = value
    return vector


def files() -> Dict[str, str]:
    """File name to text: every bad vector, and what is no JSON."""
    out = {f"{i:02}.json": json.dumps(changed(*bad)) for i, bad in enumerate(BAD)}
    out["no-json.json"] = "{"
    out["twice.json"] = '{"id": "a", "id": "b"}'
    return out
