#!/usr/bin/env python3
"""Tests of the blocks without time: the numbers of the notes of the text, and what is refused."""

from __future__ import annotations

import unittest

import blocks
import congestion
import contract
import metaroce_dut
from connection import ENTROPY_MAX, ENTROPY_MIN, entropy_of
from machines import MACHINES, Machine
from records import DutError, Reader, Record


class NotesTest(unittest.TestCase):
    """What the notes of chapters 8 and 9 give as examples."""

    def test_bdp(self) -> None:
        scale = congestion.Scale(16, 4214)
        self.assertEqual(congestion.kb(16, 4214), 521838)
        self.assertEqual(scale.bdp(25000, 12000), 9331190)
        self.assertEqual(scale.bdp(25000, 1500000), 1166398823)

    def test_pace(self) -> None:
        windows = [(8 << 16, 12000, 1)]
        got = congestion.pace_time_of_windows(windows, 8 << 16, 4214, congestion.DEFAULTS)
        self.assertEqual(got, (733007751, 1466015502, 746494))
        self.assertEqual(congestion.pace_time_of_hint(25000, 16), 83886)

    def test_entropy(self) -> None:
        self.assertEqual([entropy_of(x, 0) for x in range(3)], [0xCE99, 0xF9CC, 0xE4F5])

    def test_every_entropy_stands_once_in_the_order(self) -> None:
        for key in (0, 0xFFFFFFFF, 0x12345678):
            order = sorted(entropy_of(x, key) for x in range(1 << 14))
            self.assertEqual(order, list(range(ENTROPY_MIN, ENTROPY_MAX + 1)))


class MachinesTest(unittest.TestCase):
    """The tables as tables."""

    def test_no_cell_twice_and_every_state_known(self) -> None:
        for name, rows in MACHINES.items():
            cells = [
                (s, e)
                for states, events, _, _ in rows
                for s in states.split()
                for e in events.split()
            ]
            self.assertEqual(len(cells), len(set(cells)), name)
            states = Machine(name, "").states()
            for _, _, after, _ in rows:
                self.assertIn(after or states[0], states)

    def test_an_impossible_event_is_an_error(self) -> None:
        with self.assertRaises(ValueError):
            Machine("path", "free").take("drained")


class RefusedTest(unittest.TestCase):
    """Configurations and inputs that are none."""

    def refused(self, block: str, config: Record, taken: Record) -> None:
        device = metaroce_dut.Device()
        with self.assertRaises((DutError, ValueError)):
            device.answer(contract.Reset("block", block, config))
            device.answer(contract.Apply(0, contract.Block(taken)))

    def test_records(self) -> None:
        self.refused("pacer", {"pace_burst": 65}, {"kind": "ask", "hint": 1})
        self.refused("pacer", {}, {"kind": "ask", "hint": 65536})
        self.refused("pacer", {}, {"kind": "ask", "hint": 1, "path[16].w": 1})
        self.refused("csn-tracker", {}, {"kind": "packet"})
        self.refused("csn-tracker", {"range": 256}, {"kind": "packet", "sequence": 1})
        self.refused("loss-detection", {}, {"kind": "resend", "sequence": 5})
        self.refused("receiver-hint", {"rate": 1}, {"kind": "ack", "connection": 1})
        self.refused("completion-order", {"role": "requester"}, {"kind": "packet"})
        self.refused("path-lifecycle", {"machine": "path", "state": "idle"}, {"kind": "deny"})

    def test_a_list_ends_at_fifteen(self) -> None:
        fields = Reader({"path[15].w": 3, "path[2].w": 4})
        self.assertEqual(
            blocks.members(fields, "path", {"w": (25, 0)}), {2: {"w": 4}, 15: {"w": 3}}
        )


if __name__ == "__main__":
    unittest.main()
