"""The books of one send path and epoch, by chapter 7: what is in flight, lost, acknowledged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List

from receive_path import ALL_ONES, distance

# Default, least and greatest value of the constants [LOSS-LIMIT, TOLERANCE-GROW, TOLERANCE-END].
CONSTANTS = {
    "loss_limit": (16, 2, 255),
    "tolerance_step": (1000, 100, 1000000),
    "tolerance_life": (10000000000, 100000000, 100000000000),
}
IN_FLIGHT, LOST, ACKNOWLEDGED = "in flight", "lost", "acknowledged"  # BOOK-FLIGHT


@dataclass
class SendRecord:
    """BOOK-RECORD, without what is needed to build the packet again."""

    csn: int
    sent: int
    size: int
    condition: str = IN_FLIGHT
    losses: int = 0


@dataclass
class PathBlock:
    """A block that arrived: the fields of the wire, and what the other steps know."""

    now: int
    base: int
    bitmap: int
    arrivals: int
    ce: int
    duplicates: int
    echo: int
    hold: int
    srtt: int


@dataclass
class Taken:
    """What a block did."""

    outcome: str  # bad, news, old or loss-limit
    acknowledged: int = 0
    declared: int = 0
    arrived: int = 0
    marked: int = 0
    duplicated: int = 0


def serial_less(a: int, b: int) -> bool:
    """SEQ-COMPARE."""
    return distance(b, a) < 0


class SendBooks:
    """The records of one epoch, its times, the counters last taken and the tolerance."""

    def __init__(self, base: int, opened: int, constants: Dict[str, int]) -> None:
        self._c = constants
        self.next = base
        self._records: Dict[int, SendRecord] = {}
        self._latest = self._heard = opened  # BOOK-TIMES
        self._arrivals = self._ce = self._duplicates = 0
        self.tolerance = 0
        self._raised = opened

    # BOOK-EDGES, BOOK-FLIGHT

    def oldest(self) -> int:
        """The lowest path sequence that is not acknowledged, or `next`."""
        for sequence in self._ascending():
            if self._records[sequence].condition != ACKNOWLEDGED:
                return sequence
        return self.next

    def flight(self) -> List[SendRecord]:
        """The records in flight."""
        return [each for each in self._records.values() if each.condition == IN_FLIGHT]

    def lost(self) -> int:
        """Bit i: path sequence `oldest` + i is lost and waits to be sent again."""
        oldest, out = self.oldest(), 0
        for sequence, record in self._records.items():
            if record.condition == LOST:
                out |= 1 << distance(oldest, sequence)
        return out

    def _ascending(self) -> List[int]:
        """The path sequences of the records; the lowest is furthest from `next`."""
        return sorted(self._records, key=lambda sequence: distance(self.next, sequence))

    # What is sent

    def send(self, now: int, csn: int, size: int) -> int:
        """The first transmission of the next path sequence, which this gives."""
        self._stamp(now)
        sequence = self.next
        self._records[sequence] = SendRecord(csn, now, size)
        self.next = sequence + 1 & ALL_ONES
        return sequence

    def resend(self, now: int, sequence: int, size: int, cumulative: int) -> str:
        """A packet that waits is sent again; which it is [RTX-SAME-PATH, VOID-BUILD]."""
        record = self._records.get(sequence)
        if record is None or record.condition != LOST:
            raise ValueError(f"path sequence {sequence} does not wait to be sent again")
        self._stamp(now)
        record.condition, record.sent, record.size = IN_FLIGHT, now, size
        return "void" if serial_less(record.csn, cumulative) else "retransmission"

    def probe(self, now: int) -> None:
        """A PROBE of the path is sent [BOOK-TIMES]."""
        self._stamp(now)

    def _stamp(self, now: int) -> None:
        """What is sent has this transmit time: later than all before [WIRE-TRANSMIT-TIME]."""
        if now <= self._latest:
            raise ValueError(f"the transmit time {now} is not later than {self._latest}")
        self._latest = now

    # What a block says

    def take(self, block: PathBlock) -> Taken:
        """Steps 1, 2, 4 and 5 of TAKE-BLOCK."""
        if self._bad(block):
            return Taken("bad")
        acknowledged = [s for s in self._ascending() if self._reports(block, s)]
        acknowledged = [s for s in acknowledged if self._records[s].condition != ACKNOWLEDGED]
        carries = not (block.hold == ALL_ONES and block.echo == 0)  # TAKE-ECHO
        echo = self._latest - ((self._latest - block.echo) & ALL_ONES)
        newer = carries and echo > self._heard
        taken = Taken("news" if newer or acknowledged else "old", len(acknowledged))  # TAKE-NEWS
        if newer:
            self._heard = echo
        for sequence in acknowledged:  # TAKE-RELEASE
            self._records[sequence].condition = ACKNOWLEDGED
        self._take_counters(block, taken)
        self._grow_tolerance(block, taken)
        if carries:
            self._judge(echo, taken)
        return taken

    def _bad(self, block: PathBlock) -> bool:
        """TAKE-BAD-BLOCK, but for its second rule: every block here is of the epoch."""
        last = block.base + max(block.bitmap.bit_length() - 1, 0)
        beyond_next = serial_less(self.next, block.base)
        if block.bitmap > 0 and not serial_less(last & ALL_ONES, self.next):
            beyond_next = True
        carries = not (block.hold == ALL_ONES and block.echo == 0)
        too_late = carries and distance(self._latest & ALL_ONES, block.echo) > 0  # TERM-TIME
        return bool(block.bitmap & 1) or beyond_next or too_late

    @staticmethod
    def _reports(block: PathBlock, sequence: int) -> bool:
        """TAKE-RELEASE: whether the block acknowledges a path sequence."""
        ahead = distance(block.base, sequence)
        return ahead < 0 or bool(block.bitmap >> ahead & 1)

    def _take_counters(self, block: PathBlock, taken: Taken) -> None:
        """TAKE-COUNTERS."""
        a = block.arrivals - self._arrivals & 0xFFFF
        if not 1 <= a <= (1 << 15) - 1:
            return
        taken.arrived = a
        taken.marked = min(block.ce - self._ce & 0xFFFF, a)
        taken.duplicated = block.duplicates - self._duplicates & 0xFF
        self._arrivals, self._ce, self._duplicates = block.arrivals, block.ce, block.duplicates

    def _grow_tolerance(self, block: PathBlock, taken: Taken) -> None:
        """TOLERANCE-END, then TOLERANCE-GROW."""
        if block.now - self._raised >= self._c["tolerance_life"]:
            self.tolerance = 0
        if taken.duplicated > 0:
            self.tolerance = min(block.srtt, max(self._c["tolerance_step"], 2 * self.tolerance))
            self._raised = block.now

    def _judge(self, echo: int, taken: Taken) -> None:
        """LOSS-RULE, LOSS-COUNT and LOSS-LIMIT."""
        for sequence in self._ascending():
            record = self._records[sequence]
            if record.condition != IN_FLIGHT or echo - record.sent <= self.tolerance:
                continue
            record.condition = LOST
            record.losses += 1
            taken.declared += 1
            if record.losses >= self._c["loss_limit"]:
                taken.outcome = "loss-limit"
                return
