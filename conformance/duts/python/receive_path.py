"""One receive path and epoch, by chapter 6: its vector, its counts, and when it owes an ACK."""

from __future__ import annotations

from typing import Optional

from records import Record

PATH_WINDOW = 256  # CHECK-PATH-WINDOW
ALL_ONES = 0xFFFFFFFF
BITMAP_LENGTHS = (0, 64, 128, 256)  # WIRE-PATH-BLOCK


def distance(a: int, b: int) -> int:
    """The distance from `a` to `b` in a space of 32 bits, as a signed number [SEQ-COMPARE]."""
    difference = b - a & ALL_ONES
    return difference - (1 << 32) if difference >> 31 else difference


class ReceiveVector:
    """The state of [ACK-STATE] but for what concerns time.

    Bit i of `vector` stands for path sequence `base` + i. Bit 0 is never set between packets. The
    greatest path sequence received needs no place of its own: it is that of the highest bit, and
    `base` - 1 when no bit is set.
    """

    def __init__(self, base: int) -> None:
        self.base = base
        self.vector = 0
        self.arrivals = self.ce = self.duplicates = 0
        self.echo = 0

    def data(self, sequence: int, ce: int, transmit_time: int) -> str:
        """Takes a DATA packet and gives its outcome [ACK-VECTOR-OUTCOME]."""
        ahead = distance(self.base, sequence)
        if ahead >= PATH_WINDOW:
            return "beyond-window"  # not an arrival: nothing changes
        self.arrivals += 1  # ACK-ARRIVAL
        self.ce += ce
        self.echo = transmit_time
        if ahead < 0 or self.vector >> ahead & 1:
            self.duplicates += 1
            return "duplicate"
        greatest = self.vector.bit_length() - 1  # as a distance from base
        self._mark(ahead)
        if ahead > greatest + 1:
            return "hole"
        if ahead == greatest + 1:
            return "in-order"
        return "fill" if ahead == 0 else "late"

    def probe(self, transmit_time: int) -> str:
        """Takes a PROBE: an arrival that adds to no count [ACK-ARRIVAL-PROBE]."""
        self.echo = transmit_time
        return "probe"

    def _mark(self, ahead: int) -> None:
        """ACK-VECTOR: sets the bit, and moves base on to the first bit that is not set."""
        self.vector |= 1 << ahead
        while self.vector & 1:
            self.vector >>= 1
            self.base = self.base + 1 & ALL_ONES

    def block(self) -> Record:
        """What a path block reports [ACK-BITMAP, ACK-ECHO, ACK-COUNTERS]."""
        bits = next(bits for bits in BITMAP_LENGTHS if bits >= self.vector.bit_length())
        return {
            "base": self.base,
            "bitmap": self.vector.to_bytes(bits // 8, "big"),
            "arrivals": self.arrivals & 0xFFFF,
            "ce": self.ce & 0xFFFF,
            "duplicates": self.duplicates & 0xFF,
            "echo": self.echo,
        }


class AckGeneration:
    """When ACKs of one path leave, and their first block (section 6.2).

    Takes the default of the choices `ack-moment` and `ack-early`: an ACK leaves in the nanosecond
    in which it is due, and none leaves that is not due.
    """

    def __init__(self, base: int, ack_every: int, ack_delay_max: int) -> None:
        self._received = ReceiveVector(base)
        self._ack_every = ack_every
        self._ack_delay_max = ack_delay_max
        self._arrived_at: Optional[int] = None  # the echoed packet
        self._unacknowledged = 0
        self.deadline: Optional[int] = None  # of the coalescing limit [ACK-DUE-TIME]

    def data(
        self, now: int, sequence: int, ce: int, ar: int, csn_duplicate: int, transmit_time: int
    ) -> Optional[Record]:
        """Takes a DATA packet and gives the ACK that it makes due at once, if it does."""
        outcome = self._received.data(sequence, ce, transmit_time)
        if outcome == "beyond-window":  # ACK-DUE-DUPLICATE
            return self.acknowledge(now)
        self._arrived_at = now
        self._unacknowledged += 1
        if self.deadline is None:
            self.deadline = now + self._ack_delay_max
        due_at_once = (
            ar  # ACK-DUE-AR
            or csn_duplicate  # ACK-DUE-DUPLICATE
            or outcome in ("hole", "fill", "duplicate")  # ACK-DUE-HOLE, -FILL, -DUPLICATE
            or self._unacknowledged >= self._ack_every  # ACK-DUE-COUNT
        )
        return self.acknowledge(now) if due_at_once else None

    def probe(self, now: int, transmit_time: int) -> Record:
        """Takes a PROBE and gives its ACK [ACK-DUE-PROBE]."""
        self._received.probe(transmit_time)
        self._arrived_at = now
        return self.acknowledge(now)

    def acknowledge(self, now: int) -> Record:
        """Builds an ACK. It acknowledges all arrivals so far [ACK-ACKNOWLEDGES]."""
        self._unacknowledged = 0
        self.deadline = None
        hold = ALL_ONES if self._arrived_at is None else now - self._arrived_at  # ACK-HOLD
        return {**self._received.block(), "hold": min(hold, ALL_ONES)}
