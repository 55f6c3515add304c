"""The round-trip times of one send path and epoch, and the waits computed from them: chapter 7."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

from receive_path import ALL_ONES

# Default, least and greatest value of the constants of sections 7.5 and 7.6.
CONSTANTS = {
    "min_rtt_bucket": (5000000000, 100000000, 60000000000),
    "probe_delay": (8000, 0, 1000000),
    "probe_gap_min": (2000, 100, 1000000),
    "rto_min": (100000, 10000, 16000000),
    "rto_max": (16000000, 1000000, 100000000),
    "rto_variance_min": (1000, 0, 1000000),
    "rto_alone_min": (1000000, 10000, 100000000),
}


def signed_32(value: int) -> int:
    """A number modulo 2^32 as a signed one in two's complement."""
    value &= ALL_ONES
    return value - (1 << 32) if value >> 31 else value


class RoundTrip:
    """RTT-SAMPLE to RTT-R, LADDER-FIRST, LADDER-BURST, LADDER-VERDICT and RTO-WAIT."""

    def __init__(self, opened: int, constants: Dict[str, int]) -> None:
        self._c = constants
        self._opened = opened
        self._sampled = opened  # BOOK-TIMES
        self.srtt_8 = self.rttvar_4 = 0
        self._any = self._by_block = False
        self.no_sample = 0
        self._began = opened  # of the current bucket
        self._current: Optional[int] = None  # its least sample
        self._former: Optional[int] = None

    def handshake(self, now: int, sample: int) -> int:
        """RTT-HANDSHAKE: gives the sample."""
        return self._sample(now, sample, False)

    def accept(self, now: int, echo: int, hold: int) -> int:
        """RTT-OPENED: gives the sample."""
        r = signed_32(now - echo - hold)
        if echo != self._opened & ALL_ONES or hold == ALL_ONES or r <= 0:
            r = now - self._opened
        return self._sample(now, r, False)

    def block(self, now: int, first: int, latest: int, echo: int, hold: int) -> int:
        """RTT-SAMPLE: gives the sample, or 0 if there is none."""
        if not first:
            return 0
        whole = latest - ((latest - echo) & ALL_ONES)  # TAKE-ECHO
        r = signed_32(now - echo - hold)
        if hold == ALL_ONES or whole <= self._sampled or r <= 0:
            self.no_sample += 1
            return 0
        self._sampled = whole
        return self._sample(now, r, True)

    def _sample(self, now: int, r: int, by_block: bool) -> int:
        """RTT-SMOOTH and RTT-MIN."""
        if not self._any or (by_block and not self._by_block):
            self.srtt_8, self.rttvar_4 = r << 3, r << 1
        else:
            d = r - (self.srtt_8 >> 3)
            self.rttvar_4 += abs(d) - (self.rttvar_4 >> 2)
            self.srtt_8 += d
        self._any = True
        self._by_block = self._by_block or by_block
        bucket = self._c["min_rtt_bucket"]
        t = now - self._began
        if t >= 2 * bucket:
            self._former, self._current, self._began = None, None, now
        elif t >= bucket:
            self._former, self._current = self._current, None
            self._began += bucket
        self._current = r if self._current is None else min(self._current, r)
        return r

    def min_rtt(self) -> int:
        """minRTT, 0 before the first sample."""
        known = [each for each in (self._current, self._former) if each is not None]
        return min(known, default=0)

    def waits(self, sibling_rtt: int, k: int, alone: int) -> Tuple[int, int, int, int]:
        """From b to the first PROBE, the gap of a burst, to the verdict, to expiry k of the RTO."""
        c, srtt, rttvar = self._c, self.srtt_8 >> 3, self.rttvar_4 >> 2
        r = max(srtt, sibling_rtt)  # RTT-R
        first = r + (r >> 2) + c["probe_delay"]
        gap = max(srtt >> 2, c["probe_gap_min"])
        verdict = r + max(r >> 2, 4 * rttvar) + c["probe_delay"]
        if alone:
            return first, gap, verdict, min(c["rto_max"], max(2 * srtt, c["rto_alone_min"]))
        rto = srtt + max(c["rto_variance_min"], 4 * rttvar) + c["probe_delay"]
        rto = min(max(rto, c["rto_min"]), c["rto_max"])
        return first, gap, verdict, min(c["rto_max"], rto << k - 1)
