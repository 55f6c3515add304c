"""A second writing of the arithmetic of chapter 8, from its text alone: sections 8.1 to 8.8.

hint.py has sections 8.9 and 8.10, path_count.py 8.11 and 8.12. The tests of
model/congestion/testing hold the model's functions against these.

It shares nothing with the model: what both compute alike, two readings of the text have in common.
Each function cites the clause that it follows. All numbers are integers without a bound, as the
text has them [TERM-INTEGER]; `>>` rounds down [TERM-SHIFT], `//` is only used on what is not
negative [TERM-DIVIDE]. A hint, a demand or a sample that is not there is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Tuple

ONE = 1 << 16  # in Q16.16
WINDOW_MAX = 256 << 16  # of a path
FULL_PACKET = {4: 4214, 6: 4234}  # WIRE-FULL-PACKET: by IP version, at an MTU of 4,096

# Default, least and greatest value of the constants of chapter 8.
CONSTANTS: Dict[str, Tuple[int, int, int]] = {
    "initial_window": (8, 1, 256),
    "window_min": (4096, 1024, 65536),
    "idle_restart_min": (100000, 10000, 1000000000),
    "delay_congested_min": (16000, 1000, 10000000),
    "slow_start_losses": (8, 0, 256),
    "loss_shift": (4, 0, 8),
    "alpha_up_shift": (2, 0, 8),
    "alpha_down_shift": (3, 0, 8),
    "clean_rounds": (4, 1, 64),
    "clean_doublings": (3, 0, 6),
    "increase_shift": (5, 2, 10),
    "increase_min": (1024, 1, 65536),
    "connection_window_max": (65280, 1, 65280),
    "pace_burst": (4, 1, 64),
    "pace_gain_slow_start": (8, 4, 32),
    "pace_gain": (5, 4, 32),
    "hint_life_min": (100000, 10000, 1000000000),
    "hint_percent": (95, 50, 100),
    "hint_idle_min": (64000, 1000, 10000000),
    "hint_period_min": (32000, 1000, 10000000),
    "hint_low_periods": (4, 1, 64),
    "hint_tell_delay": (2000, 1, 1000000),
    "path_diversity": (16, 1, 255),
    "shrink_rounds": (64, 1, 65536),
    "reentropy_rounds": (4, 1, 1024),
    "reentropy_alpha": (4096, 256, 65536),
    "reentropy_hold_off": (32, 1, 4096),
    "reentropy_doublings": (8, 0, 16),
}
DEFAULTS = {name: values[0] for name, values in CONSTANTS.items()}
Constants = Dict[str, int]


def clamp(x: int, low: int, high: int) -> int:
    """TERM-CLAMP: where low is above high the result is high."""
    return min(max(x, low), high)


# 8.1 Units


def full_packet(ip_version: int, mtu: int) -> int:
    """S [CC-S]."""
    return FULL_PACKET[ip_version] - 4096 + mtu


def kb(unit: int, s: int) -> int:
    """KB [CC-KB]."""
    return ((1 << 40) * unit + 4000 * s) // (8000 * s)


@dataclass
class Scale:
    """What turns a rate and a time of a connection into packets: U and S."""

    unit: int
    s: int

    def bdp(self, rate: int, time: int) -> int:
        """BDP(rate, time) in Q16.16 packets [CC-BDP]."""
        return min(1 << 40, (((rate * min(time, 1 << 30)) >> 8) * kb(self.unit, self.s)) >> 16)


def port_share(p: int, q: int, unit: int) -> int:
    """CC-SHARE: p in Mb/s, q connections with this one."""
    return clamp((p // q) // unit, 1, 65534)


def reference_rate(hint: Optional[int], share: int) -> int:
    """CC-REFERENCE."""
    return share if hint is None else min(hint, share)


# 8.2 The state of a path


@dataclass
class Path:
    """CC-STATE, at the beginning of an epoch."""

    w: int
    slow: int
    alpha: int = 0
    first: int = 1
    skip: int = 0
    clean: int = 0
    limited: int = 0
    limited_before: int = 0
    round_start: int = 0
    ce: int = 0
    arrived: int = 0
    lost: int = 0
    marked_before: int = 0
    ever_marked: int = 0
    history: int = 0
    since_ar: int = 0


def window_first(c: Constants) -> int:
    """`w` of path 0; its `slow` is 1 [CC-WINDOW-FIRST]."""
    return c["initial_window"] << 16


def mean_window(others: Sequence[int]) -> int:
    """CC-MEAN, of the windows of the ACTIVE paths given."""
    return sum(others) // len(others) if others else 0


def window_added(others: Sequence[int], c: Constants) -> int:
    """`w` of a path new in the direction; its `slow` is that of path 0 [CC-WINDOW-ADDED]."""
    return clamp(mean_window(others) >> 1, c["window_min"], WINDOW_MAX)


def window_again(w: int, drained: int, others: Sequence[int], c: Constants) -> Tuple[int, int]:
    """`w` and `slow` in a further epoch [CC-WINDOW-AGAIN]."""
    if drained:
        return clamp(max(w, mean_window(others) >> 1), c["window_min"], WINDOW_MAX), 0
    return max(w >> 2, ONE), 1


def idle_ends(idle: int, srtt: int, c: Constants) -> bool:
    """Whether a packet after so much idle time begins anew [CC-WINDOW-IDLE]."""
    return idle > max(8 * srtt, c["idle_restart_min"])


def window_idle(path: Path, n: int, now: int, c: Constants) -> None:
    """What becomes of each of n ACTIVE paths [CC-WINDOW-IDLE]."""
    path.w = max(c["window_min"], (c["initial_window"] << 16) // n)
    path.slow = path.first = 1
    path.alpha = path.skip = path.clean = path.limited = path.limited_before = 0
    path.ce = path.arrived = path.lost = path.marked_before = 0
    path.round_start = now


# 8.3 Rounds


def may_grow(path: Path) -> bool:
    """CC-LIMITED, its last sentence."""
    return path.limited == 1 or path.limited_before == 1


def becomes_limited(in_flight: int, w: int) -> bool:
    """CC-LIMITED, in flight with the packet that was transmitted."""
    return (in_flight + 1) << 16 > w


def marked(path: Path) -> bool:
    """Whether the running round is marked [CC-CONGESTED]."""
    return path.ce > 0 and 2 * path.ce >= path.arrived


def congested(path: Path, in_flight: int, sample: int, min_rtt: int, c: Constants) -> bool:
    """CC-CONGESTED: sample is the last one of the path, min_rtt its own."""
    if in_flight == 0:
        return False
    limit = min_rtt + max(min_rtt >> 1, c["delay_congested_min"])
    return marked(path) or path.marked_before == 1 or (path.ever_marked == 0 and sample > limit)


def round_begin(path: Path, skip_before: int, now: int) -> None:
    """CC-ROUND-BEGIN: skip_before is `skip` as it was before CC-ROUND-END."""
    h = 1 if path.ce > 0 or skip_before == 1 else 0
    path.history = ((path.history << 1) + h) % 16
    path.marked_before = 1 if marked(path) else 0
    path.limited_before = path.limited
    path.limited = path.ce = path.arrived = path.lost = 0
    path.round_start = now


# 8.4 Slow start


def slow_start(path: Path, k: int) -> None:
    """A block newly acknowledged k records [CC-SLOW-START]."""
    if path.slow == 1 and may_grow(path):
        path.w = min(path.w + (k << 16), WINDOW_MAX)


def slow_start_ends(path: Path, m: int, declared: int, congested_: bool, c: Constants) -> bool:
    """Whether a block with m marks and so many losses declared ends it [CC-SLOW-START-END]."""
    if path.slow == 0:
        return False
    too_many = 2 * path.lost > path.arrived + c["slow_start_losses"]
    return m > 0 or (declared > 0 and congested_) or too_many


def slow_start_end(path: Path, now: int, c: Constants) -> None:
    """CC-SLOW-START-END, its second sentence."""
    round_begin(path, path.skip, now)
    path.slow = path.clean = 0
    path.w = max(c["window_min"], path.w >> 1)
    path.alpha = 32768
    path.first = path.skip = 1


# 8.5 The end of a round


@dataclass
class Pipe:
    """What CC-INCREASE asks of the connection."""

    scale: Scale
    rate: int  # the reference rate
    connection_min_rtt: int
    n: int  # ACTIVE paths


def increase(pipe: Pipe, path_min_rtt: int, c: Constants) -> int:
    """A [CC-INCREASE]."""
    time = min(pipe.connection_min_rtt, 2 * path_min_rtt)
    share = (pipe.scale.bdp(pipe.rate, time) >> c["increase_shift"]) // max(1, pipe.n)
    return max(c["increase_min"], share)


def round_end(path: Path, congested_: bool, a_full: int, c: Constants) -> None:
    """CC-ROUND-END: congested_ as judged for step 1, a_full is A."""
    if path.slow == 1:
        return
    if path.skip == 1:
        path.skip = 0
        return
    votes = path.lost << 16 if congested_ else (path.lost << 16) >> c["loss_shift"]  # 2
    num = (path.ce << 16) + votes
    total = path.arrived + path.lost
    f = 0 if total == 0 else min(ONE, num // total)  # 3
    if path.first == 1:  # 4
        path.alpha, path.first = f, 0
    else:
        shift = c["alpha_up_shift"] if f > path.alpha else c["alpha_down_shift"]
        path.alpha += (f - path.alpha) >> shift
    if path.ce + path.lost > 0:  # 5
        d = min(path.alpha, f) if path.ce == 0 and not congested_ else path.alpha
        path.w -= (path.w * d) >> 17
        path.clean = 0
        if path.ce > 0:
            path.skip = 1
    if may_grow(path):  # 6
        if path.ce + path.lost == 0:
            path.clean += 1
        doublings = min(path.clean // c["clean_rounds"], c["clean_doublings"])
        a = ((a_full * (ONE - path.alpha)) >> 16) << doublings
        path.w += min(a, max(path.w >> 1, a_full))
    path.w = clamp(path.w, c["window_min"], WINDOW_MAX)  # 7


def cut_at_rto(path: Path) -> None:
    """CC-RTO."""
    path.w = min(path.w, max(path.w >> 2, ONE))
    path.slow = 0


@dataclass
class Block:
    """What congestion control takes from a path block [TAKE-BLOCK]."""

    now: int
    data_echo: Optional[int]  # none if it carries no echo, or that of a PROBE
    acknowledged: int  # records, newly
    a: int  # TAKE-COUNTERS
    m: int
    declared: int  # losses
    in_flight: int  # before the block
    sample: int  # the last one of the path, this block's included
    min_rtt: int  # of the path, this block's sample included


def take_block(path: Path, block: Block, pipe: Pipe, c: Constants) -> int:
    """Steps 4 to 7 of TAKE-BLOCK. Gives 0, 1 if a round ended, 2 if slow start ended too."""
    path.arrived += block.a
    path.ce += block.m
    if block.m > 0:
        path.ever_marked = 1
    path.lost += block.declared  # LOSS-COUNT
    judged = congested(path, block.in_flight, block.sample, block.min_rtt, c)
    ended = 0
    if slow_start_ends(path, block.m, block.declared, judged, c):
        slow_start_end(path, block.now, c)
        ended = 2
    elif block.data_echo is not None and block.data_echo >= path.round_start:  # CC-ROUND
        skip_before = path.skip
        round_end(path, judged, increase(pipe, block.min_rtt, c), c)
        round_begin(path, skip_before, block.now)
        ended = 1
    slow_start(path, block.acknowledged)
    return ended


# 8.6 The connection window


@dataclass
class ConnectionWindow:
    """The terms of CC-WINDOW; h is None without a hint."""

    sum: int
    h: Optional[int]
    x: int
    wp: int
    w: int


def connection_window(
    windows: Sequence[int], hint: Optional[int], min_rtt: int, scale: Scale, c: Constants
) -> ConnectionWindow:
    """CC-WINDOW: windows are those of the ACTIVE paths, min_rtt that of the connection."""
    total = sum(windows)
    x = min(total, c["connection_window_max"] << 16)
    h = None
    if hint is not None:
        b = scale.bdp(hint, min_rtt)
        h = b + (b >> 2) + ONE
        x = min(x, h)
    wp = max(ONE, x)
    return ConnectionWindow(total, h, x, wp, (wp * scale.s) >> 16)


def path_has_room(in_flight: int, w: int) -> bool:
    """CC-MAY-SEND, condition 3."""
    return in_flight == 0 or (in_flight + 1) << 16 <= w


def connection_has_room(bytes_in_flight: int, b: int, window: int) -> bool:
    """CC-MAY-SEND, condition 4."""
    return bytes_in_flight == 0 or bytes_in_flight + b <= window


def next_paths(paths: Sequence[Tuple[int, int, int]], latest: Optional[int]) -> List[int]:
    """CC-SCHEDULER: the ids of paths (id, in flight, w) in the order of `next-path`."""

    def stands_before(i: Tuple[int, int, int], j: Tuple[int, int, int]) -> bool:
        if i[1] * j[2] != j[1] * i[2]:
            return i[1] * j[2] < j[1] * i[2]
        i_wraps = latest is not None and i[0] <= latest
        j_wraps = latest is not None and j[0] <= latest
        return (i_wraps, i[0]) < (j_wraps, j[0])

    ranks = {i[0]: sum(stands_before(j, i) for j in paths if j is not i) for i in paths}
    return sorted(ranks, key=lambda id_: ranks[id_])


# 8.7 The pacer


@dataclass
class Pacer:
    """CC-PACE: due in units of 2^-22 ns, None while it is before every other time."""

    s: int
    due: Optional[int] = None

    def goes_at(self, t: int) -> int:
        """The first nanosecond from t on at which a packet is admitted."""
        return t if self.due is None else max(t, (self.due + (1 << 22) - 1) >> 22)

    def send(self, t: int, b: int, byte_time: int, c: Constants) -> None:
        """A packet of b bytes is sent at t."""
        earliest = (t << 22) - (c["pace_burst"] - 1) * self.s * byte_time
        due = earliest if self.due is None else max(self.due, earliest)
        self.due = due + b * byte_time


def pace_time_of_hint(hint: int, unit: int) -> int:
    """T with a hint [CC-PACE-TIME]."""
    return max(1, (8000 << 22) // (hint * unit))


def pace_time_of_windows(
    paths: Sequence[Tuple[int, int, int]], x: int, s: int, c: Constants
) -> Tuple[int, int, int]:
    """V, p and T without a hint, of the ACTIVE paths (w, minRTT, slow) [CC-PACE-TIME]."""
    v_all = sum((w << 24) // max(min_rtt, 1024) for w, min_rtt, _ in paths)
    v = (v_all * ((x << 16) // sum(w for w, _, _ in paths))) >> 16
    gain = c["pace_gain_slow_start"] if any(slow for _, _, slow in paths) else c["pace_gain"]
    p = max(1, (v * gain) >> 2)
    return v_all, p, max(1, (1 << 62) // (p * s))


# 8.8 Asking for acknowledgements


def asks(
    path: Path, wp: int, n: int, in_flight: int, span: int, waits: int, path_window: int = 256
) -> bool:
    """Whether a packet has `ar`, and `since_ar` after it [CC-AR].

    in_flight counts the packet, span is `next` - `oldest` after it, waits whether one still waits.
    """
    every = max(1, min(path.w, wp // max(1, n)) >> 18)
    full = becomes_limited(in_flight, path.w) or span == path_window
    ar = path.since_ar + 1 >= every or full or waits == 0
    path.since_ar = 0 if ar else path.since_ar + 1
    return ar
