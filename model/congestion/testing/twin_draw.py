"""What the cases of the twin are drawn from, and how a case is kept."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence, Tuple, Union

import congestion as twin

Value = Union[int, Sequence[int]]
Case = Tuple[Dict[str, Value], Dict[str, Value]]  # inputs, outputs
MTUS = (256, 512, 1024, 2048, 4096)
RTT_MAX = (1 << 31) - 1  # RTT-SAMPLE


class Draw:
    """splitmix64, and what the cases draw from it."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def bits(self) -> int:
        """64 random bits."""
        mask = (1 << 64) - 1
        self._state = (self._state + 0x9E3779B97F4A7C15) & mask
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """0 to n - 1."""
        return self.bits() % n

    def flag(self, one_in: int = 2) -> int:
        """1, once in so many draws."""
        return int(self.below(one_in) == 0)

    def of(self, values: Sequence[int]) -> int:
        """One of the values."""
        return values[self.below(len(values))]

    def between(self, low: int, high: int) -> int:
        """A number of any width from low to high, its edges often."""
        if self.flag(6):
            return self.of((low, high, min(low + 1, high), max(high - 1, low)))
        width = self.below((high - low).bit_length() + 1)
        return low + min(self.below(1 << width), high - low)

    def constants(self, names: Sequence[str], edges_one_in: int = 4) -> twin.Constants:
        """All constants: those named now and then off their defaults."""
        c = dict(twin.DEFAULTS)
        for name in names:
            if self.flag(edges_one_in):
                c[name] = self.between(*twin.CONSTANTS[name][1:])
        return c

    def window(self, c: twin.Constants) -> int:
        """A window of a path."""
        return self.between(c["window_min"], twin.WINDOW_MAX)

    def windows(self, most: int, c: twin.Constants) -> List[int]:
        """Windows of up to so many paths."""
        return [self.window(c) for _ in range(self.below(most + 1))]

    def rtt(self) -> int:
        """A round-trip time, of a usual size or not."""
        if self.flag():
            return self.between(1, RTT_MAX)
        return self.of((9000, 12000, 20000, 200000, 1500000)) + self.below(5000) * self.flag()

    def scale(self) -> twin.Scale:
        """U and S of a connection."""
        s = twin.full_packet(self.of((4, 6)), self.of(MTUS))
        return twin.Scale(16, 4214) if self.flag() else twin.Scale(self.between(1, 65535), s)

    def hint(self) -> Optional[int]:
        """A hint that was taken, or none."""
        return None if self.flag(4) else self.between(1, 65534)


def none_as(x: Optional[int]) -> int:
    """-1 for what is not there."""
    return -1 if x is None else x


def listed(c: twin.Constants, names: Sequence[str]) -> List[int]:
    """The values of these constants."""
    return [c[name] for name in names]


def flat(records: Sequence[Sequence[int]]) -> List[int]:
    """The fields of records one after the other."""
    return [value for record in records for value in record]


def spaced(names: Sequence[str]) -> str:
    """For a comment: the constants in their order."""
    return "constants: " + " ".join(names)
