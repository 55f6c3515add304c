"""The hint, at the sender and at the receiver: sections 8.9 and 8.10."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, Optional, Sequence, Tuple

from congestion import Constants, clamp

ALL_ONES = 65535  # TERM-ALL-ONES, of a hint


# 8.9 The hint at the sender


@dataclass
class SenderHint:
    """HINT-TAKE and HINT-LIFE."""

    taken: Optional[int] = None
    until: int = 0

    def take(self, now: int, srtt: int, latest: int, hint: int, c: Constants) -> None:
        """An ACK arrives: srtt is that of the connection then, latest as TAKE-SERIAL judged it."""
        if latest:
            self.taken = None if hint == ALL_ONES else max(1, hint)
            self.until = now + max(8 * srtt, c["hint_life_min"])

    def get(self, now: int) -> Optional[int]:
        """The hint now."""
        return self.taken if now < self.until else None


# 8.10 The hint at the receiver


@dataclass
class HintConnection:
    """HINT-STATE, and what the rules ask of the connection."""

    cid: int
    rtt: int
    unit: int
    s: int
    addresses: List[int]
    active: int = 0
    last_arrival: int = 0
    period_start: int = 0
    bytes: int = 0
    r1: int = 0
    r2: int = 0
    low: int = 0
    demand: Optional[int] = None
    told: int = ALL_ONES  # the hint of its latest ACK since it became active


def hint_capacity(rate: int, c: Constants) -> int:
    """C [HINT-CAPACITY]."""
    return max(1, rate * c["hint_percent"] // 100)


def hint_shares(demands: Sequence[Tuple[int, Optional[int]]], capacity: int) -> Dict[int, int]:
    """HINT-SHARES: the share of each cid, from (cid, demand)."""
    shares: Dict[int, int] = {}
    left, k = capacity, len(demands)
    for cid, demand in sorted(demands, key=lambda d: (d[1] is None, d[1] or 0, d[0])):
        equal = left // k
        shares[cid] = demand if demand is not None and demand <= equal else equal
        left -= shares[cid]
        k -= 1
    return shares


@dataclass
class HintReceiver:
    """All connections of a receiver; rate is that of its ports that are up, in Mb/s."""

    rate: int
    c: Constants
    connections: Dict[int, HintConnection] = field(default_factory=dict)
    tell_at: Optional[int] = None

    def active(self) -> List[HintConnection]:
        """The active connections."""
        return [each for each in self.connections.values() if each.active]

    def sweep(self, now: int) -> None:
        """HINT-SWEEP."""
        active = self.active()
        capacity = hint_capacity(self.rate, self.c)
        for each in active:
            packets = 4 * len(active) * each.s * 8000 // capacity
            if now - each.last_arrival >= max(self.c["hint_idle_min"], 2 * each.rtt, packets):
                each.active = 0

    def period(self, each: HintConnection, now: int) -> None:
        """HINT-PERIOD: only an active connection has a running period."""
        if not each.active:
            return
        length = max(self.c["hint_period_min"], each.rtt)
        capacity, n = hint_capacity(self.rate, self.c), len(self.active())
        while now >= each.period_start + length:
            each.r2, each.r1 = each.r1, each.bytes * 8000 // length
            each.bytes = 0
            each.period_start += length
            each.low = each.low + 1 if 2 * each.r1 * n < capacity else 0
            m = max(each.r1, each.r2)
            is_low = each.low >= self.c["hint_low_periods"]
            each.demand = max(m + (m >> 1), capacity // (4 * n)) if is_low else None

    def arrival(self, now: int, cid: int, size: int) -> None:
        """HINT-ARRIVAL."""
        each = self.connections[cid]
        self.sweep(now)
        self.period(each, now)
        if not each.active:
            each.active, each.period_start, each.demand = 1, now, None
            each.bytes = each.r1 = each.r2 = each.low = 0
            each.told = ALL_ONES
            if self.tell_at is None:
                self.tell_at = now + self.c["hint_tell_delay"]
        each.bytes += size
        each.last_arrival = now

    def value(self, now: int, cid: int) -> int:
        """HINT-VALUE, with the feature `hint`, of an ACK that is built."""
        self.connections[cid].told = self.would_be(now, cid)
        return self.connections[cid].told

    def tell(self, now: int) -> List[int]:
        """HINT-TELL: the cids of which an ACK is due at once."""
        if self.tell_at is None or now < self.tell_at:
            return []
        self.tell_at = None
        self.sweep(now)
        return [
            each.cid for each in self.active() if 16 * self.would_be(now, each.cid) < 15 * each.told
        ]

    def would_be(self, now: int, cid: int) -> int:
        """The hint that an ACK of the connection would carry."""
        own = self.connections[cid]
        self.sweep(now)
        for each in self.active():
            self.period(each, now)
        counted = self.active()
        demands = [(each.cid, each.demand) for each in counted]
        if not own.active:
            counted.append(own)
            demands.append((cid, None))
        if set.intersection(*(set(each.addresses) for each in counted)):
            return ALL_ONES
        share = hint_shares(demands, hint_capacity(self.rate, self.c))[cid]
        return clamp(share // own.unit, 1, 65534)
