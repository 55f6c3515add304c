"""Cases of the windows, the rounds and the pacer: sections 8.1 to 8.8."""

from __future__ import annotations

from typing import Dict, List, Tuple

import congestion as twin
from twin_draw import MTUS, RTT_MAX, Case, Draw, Value, flat, listed, none_as


def bdp_case(d: Draw, number: int) -> Case:
    """CC-S to CC-BDP."""
    version, mtu = d.of((4, 6)), d.of(MTUS)
    unit, rate, time = d.between(1, 65535), d.between(1, 65534), d.rtt()
    fixed = [(4, 4096, 16, 25000, 12000), (4, 4096, 16, 25000, 1500000)]
    fixed += [
        (v, m, u, 65534, 1 << 30) for v, m, u in ((4, 256, 16), (6, 1024, 64), (4, 256, 65535))
    ]
    if number < len(fixed):
        version, mtu, unit, rate, time = fixed[number]
    s = twin.full_packet(version, mtu)
    inputs = {"ip": version, "mtu": mtu, "unit": unit, "rate": rate, "time": time}
    outputs = {"s": s, "kb": twin.kb(unit, s), "bdp": twin.Scale(unit, s).bdp(rate, time)}
    return inputs, outputs


def share_case(d: Draw, number: int) -> Case:
    """CC-SHARE."""
    p = 0 if number == 0 else 100000 * d.between(1, 128) if d.flag() else d.between(0, 1 << 33)
    q, unit, hint = d.between(1, 65536), d.between(1, 65535) if d.flag() else 16, d.hint()
    share = twin.port_share(p, q, unit)
    inputs = {"p": p, "q": q, "unit": unit, "hint": none_as(hint)}
    return inputs, {"share": share, "reference": twin.reference_rate(hint, share)}


def added_case(d: Draw, number: int) -> Case:
    """CC-WINDOW-ADDED."""
    c = d.constants(["initial_window", "window_min"])
    others = [] if number == 0 else d.windows(6, c)
    outputs = {"first": twin.window_first(c), "added": twin.window_added(others, c)}
    return {"constants": listed(c, ["initial_window", "window_min"]), "others": others}, outputs


def again_case(d: Draw, number: int) -> Case:
    """CC-WINDOW-AGAIN."""
    c = d.constants(["window_min"])
    others, w = [] if number < 2 else d.windows(4, c), d.window(c)
    drained = number % 2
    w_after, slow = twin.window_again(w, drained, others, c)
    inputs = {"window_min": c["window_min"], "w": w, "drained": drained, "others": others}
    return inputs, {"w": w_after, "slow": slow}


PATH_FIELDS = "w alpha slow first skip clean limited limited_before round_start ce arrived lost "
PATH_FIELDS += "marked_before ever_marked history"


def path_values(path: twin.Path) -> List[int]:
    """A path as a record of PATH_FIELDS."""
    return [getattr(path, name) for name in PATH_FIELDS.split()]


def drawn_path(d: Draw, c: twin.Constants) -> twin.Path:
    """A path at some time of its epoch."""
    path = twin.Path(w=d.window(c), slow=d.flag(5))
    path.alpha, path.clean = d.of((0, 100, d.between(0, 65536))), d.below(40)
    path.first, path.skip = d.flag(4), d.flag(6)
    path.limited, path.limited_before = d.flag(), d.flag()
    path.round_start, path.history = d.of((0, 7000, 100000, d.between(0, 1 << 40))), d.below(16)
    path.arrived = d.between(0, 600)
    path.ce = 0 if d.flag() else d.between(0, path.arrived)
    path.lost = 0 if d.flag() else d.of((1, (path.arrived >> 1) + 4, d.between(0, 300)))
    path.marked_before = d.flag(4)
    path.ever_marked = int(path.ce > 0 or d.flag())
    return path


IDLE_CONSTANTS = ["initial_window", "window_min", "idle_restart_min"]


def idle_case(d: Draw, number: int) -> Case:
    """CC-WINDOW-IDLE."""
    c = d.constants(IDLE_CONSTANTS)
    path, n, srtt = drawn_path(d, c), d.between(1, 255), d.rtt()
    limit = max(8 * srtt, c["idle_restart_min"])
    idle = d.of((limit, limit + 1, d.between(0, 1 << 36)))
    inputs = {"constants": listed(c, IDLE_CONSTANTS), "path": path_values(path)}
    inputs.update({"n": n, "idle": idle, "srtt": srtt, "now": path.round_start + idle})
    again = twin.idle_ends(idle, srtt, c)
    twin.window_idle(path, n, path.round_start + idle, c)
    return inputs, {"again": int(again), "path": path_values(path)}


def congested_case(d: Draw, number: int) -> Case:
    """CC-CONGESTED."""
    c, min_rtt = d.constants(["delay_congested_min"]), d.of((12000, 31999, 32002, d.rtt()))
    path = twin.Path(65536, d.flag(), arrived=d.below(9), marked_before=d.flag(4))
    path.ce = 0 if d.flag() else d.of((path.arrived >> 1, path.arrived + 1 >> 1, path.arrived))
    path.ever_marked = int(path.ce > 0 or path.marked_before or d.flag(3))
    limit = min_rtt + max(min_rtt >> 1, c["delay_congested_min"])
    sample, in_flight = d.of((limit, limit + 1, d.rtt())), d.of((0, 1, 8, 200))
    inputs = {"delay_congested_min": c["delay_congested_min"], "ce": path.ce}
    inputs.update({"arrived": path.arrived, "marked_before": path.marked_before})
    inputs.update({"ever_marked": path.ever_marked, "in_flight": in_flight, "sample": sample})
    judged = twin.congested(path, in_flight, sample, min_rtt, c)
    outputs = {"marked": int(twin.marked(path)), "congested": int(judged)}
    return {**inputs, "min_rtt": min_rtt}, outputs


BLOCK_FIELDS = "now echo acknowledged a m declared in_flight sample min_rtt limited"
BLOCK_CONSTANTS = ["window_min", "delay_congested_min", "slow_start_losses", "loss_shift"]
BLOCK_CONSTANTS += ["alpha_up_shift", "alpha_down_shift", "clean_rounds", "clean_doublings"]
BLOCK_CONSTANTS += ["increase_shift", "increase_min"]


def drawn_block(d: Draw, path: twin.Path, now: int, kind: int) -> Tuple[twin.Block, int]:
    """A block of a path that is quiet (0), lossy (1), marked (2) or anything (3)."""
    min_rtt = 12000 if d.flag(3) == 0 else d.between(1, 200000)
    a = d.below(24) if kind < 3 else d.between(0, 32767)
    m = d.below(a + 1) if kind == 2 and d.flag(3) or kind == 3 and d.flag(4) else 0
    declared = d.below(5) if kind == 1 and d.flag() or kind == 3 and d.flag(3) else 0
    start = path.round_start
    echo = d.of((start, start, start, start + 1, start - 1, now - 12000, -1))
    limited = 1 - d.flag(5)
    block = twin.Block(
        now=now,
        data_echo=None if echo < 0 else echo,
        acknowledged=d.below(a + 2) if kind < 3 else d.between(0, 256),
        a=a,
        m=m,
        declared=declared,
        in_flight=d.of((0, 1, 256)) if d.flag(6) else 8,
        sample=min_rtt + d.of((0, 16000, 16001, min_rtt >> 1, d.between(0, 60000))),
        min_rtt=min_rtt,
    )
    return block, limited


def block_values(block: twin.Block, limited: int) -> List[int]:
    """A block as a record of BLOCK_FIELDS."""
    values = [block.now, none_as(block.data_echo), block.acknowledged, block.a, block.m]
    return values + [block.declared, block.in_flight, block.sample, block.min_rtt, limited]


def blocks_of(d: Draw, path: twin.Path, pipe: twin.Pipe, c: twin.Constants, many: int) -> Case:
    """A path, so many blocks, and the path after each."""
    inputs: Dict[str, Value] = {"constants": listed(c, BLOCK_CONSTANTS)}
    inputs.update({"unit": pipe.scale.unit, "s": pipe.scale.s, "rate": pipe.rate})
    inputs.update({"connection_min_rtt": pipe.connection_min_rtt, "n": pipe.n})
    inputs["path"] = path_values(path)
    now, kind = path.round_start, d.below(4)
    blocks, after = [], []
    for _ in range(many):
        now += d.between(1, 30000)
        block, limited = drawn_block(d, path, now, kind)
        path.limited |= limited
        ended = twin.take_block(path, block, pipe, c)
        blocks.append(block_values(block, limited))
        after.append([ended] + path_values(path))
    inputs["blocks"] = flat(blocks)
    return inputs, {"after": flat(after)}


def drawn_pipe(d: Draw) -> twin.Pipe:
    """What CC-INCREASE asks."""
    return twin.Pipe(d.scale(), d.between(1, 65534), d.rtt(), d.between(0, 255))


def block_case(d: Draw, number: int) -> Case:
    """One block, of a path at any time of its life."""
    c = d.constants(BLOCK_CONSTANTS, 6)
    path, pipe = drawn_path(d, c), drawn_pipe(d)
    if number % 5 == 0:  # a loss that does not cut much
        path.slow = path.skip = path.first = path.ce = path.marked_before = 0
        path.arrived, path.lost, path.ever_marked = 40 + d.below(99), 1 + d.below(9), 1
    if number % 5 == 1:  # growth that its bounds hold back
        path.slow = path.skip = path.ce = path.lost = path.alpha = 0
        path.w, path.limited = c["window_min"] + d.below(99999), 1
    if d.flag() or number % 5 == 1:
        pipe = twin.Pipe(twin.Scale(16, 4214), 25000, d.of((12000, 1500000)), d.of((1, 16)))
    return blocks_of(d, path, pipe, c, 1)


def history_case(d: Draw, number: int) -> Case:
    """Blocks of one path, one after another."""
    c = d.constants(BLOCK_CONSTANTS, 20)
    path = twin.Path(twin.window_first(c), 1, round_start=100000)
    if number % 2:
        path.w, path.slow = d.window(c), 0
    pipe = twin.Pipe(twin.Scale(16, 4214), d.of((1562, 3125, 25000)), 12000, d.of((1, 8, 16)))
    return blocks_of(d, path, pipe, c, 10)


def slow_start_case(d: Draw, number: int) -> Case:
    """CC-SLOW-START and CC-SLOW-START-END, of a path with `slow` = 1 and marks counted already."""
    c = d.constants(["slow_start_losses", "window_min"])
    path = twin.Path(d.of((d.window(c), 65536, (256 << 16) - 65536 * d.below(9))), 1)
    path.limited, path.limited_before, path.lost = d.flag(), d.flag(), d.of((0, 4, 5, 9, 200))
    path.arrived = max(0, 2 * path.lost - c["slow_start_losses"] + d.of((-1, 0, 0, 1, 9)))
    m, declared, judged, k = d.flag(6), d.below(path.lost + 1), d.flag(), d.of((0, 1, 5, 256))
    path.ce = min(m, path.arrived)
    inputs = {"slow_start_losses": c["slow_start_losses"], "window_min": c["window_min"]}
    inputs.update({"w": path.w, "limited": path.limited, "limited_before": path.limited_before})
    inputs.update({"arrived": path.arrived, "lost": path.lost, "m": path.ce, "declared": declared})
    inputs.update({"congested": judged, "acknowledged": k})
    ends = twin.slow_start_ends(path, path.ce, declared, judged == 1, c)
    if ends:
        twin.slow_start_end(path, 0, c)
    twin.slow_start(path, k)
    return inputs, {"ends": int(ends), "w": path.w}


def increase_case(d: Draw, number: int) -> Case:
    """CC-INCREASE."""
    names = ["increase_shift", "increase_min"]
    c, pipe, min_rtt = d.constants(names), drawn_pipe(d), d.rtt()
    inputs = {"constants": listed(c, names), "unit": pipe.scale.unit, "s": pipe.scale.s}
    inputs.update({"rate": pipe.rate, "connection_min_rtt": pipe.connection_min_rtt})
    inputs.update({"path_min_rtt": min_rtt, "n": pipe.n})
    return inputs, {"a": twin.increase(pipe, min_rtt, c)}


def rto_case(d: Draw, number: int) -> Case:
    """CC-RTO."""
    w = (65535, 65536, 65537, 4 * 65536, 4 * 65536 + 4, 1024, twin.WINDOW_MAX)[number % 7]
    path = twin.Path(w if number < 7 else d.between(1024, twin.WINDOW_MAX), d.flag())
    inputs = {"w": path.w, "slow": path.slow}
    twin.cut_at_rto(path)
    return inputs, {"w": path.w, "slow": path.slow}


def window_case(d: Draw, number: int) -> Case:
    """CC-WINDOW."""
    c = d.constants(["connection_window_max"])
    windows, copies, scale = [] if number == 0 else d.windows(5, c), 1, d.scale()
    if number < 3:
        windows, copies = (windows, [twin.WINDOW_MAX], [d.window(c)])[number], 255
    hint, min_rtt = d.hint(), d.rtt()
    got = twin.connection_window(windows * copies, hint, min_rtt, scale, c)
    inputs = {"connection_window_max": c["connection_window_max"], "unit": scale.unit, "s": scale.s}
    inputs.update({"hint": none_as(hint), "min_rtt": min_rtt, "copies": copies})
    inputs["windows"] = windows
    return inputs, {"h": none_as(got.h), "x": got.x, "wp": got.wp, "w": got.w}


def send_case(d: Draw, number: int) -> Case:
    """CC-MAY-SEND."""
    w, in_flight = d.between(1024, twin.WINDOW_MAX), d.between(0, 256)
    if d.flag():
        w = max(1024, min((in_flight + 1 << 16) + d.of((-1, 0, 1)), twin.WINDOW_MAX))
    window, b = d.between(374, 1 << 28), d.between(64, 4234)
    flight = d.of((0, max(0, window - b), max(0, window - b + 1), d.between(0, 1 << 28)))
    inputs = {"w": w, "in_flight": in_flight, "bytes_in_flight": flight, "b": b, "window": window}
    outputs = {"limited": int(twin.becomes_limited(in_flight, w))}
    outputs["path"] = int(twin.path_has_room(in_flight, w))
    return inputs, {**outputs, "connection": int(twin.connection_has_room(flight, b, window))}


def next_case(d: Draw, number: int) -> Case:
    """CC-SCHEDULER."""
    ids = [id_ for id_ in range(12) if d.flag()] or [d.below(255)]
    paths = [
        (id_, d.below(4), d.of((65536, 131072, 196608, d.window(twin.DEFAULTS)))) for id_ in ids
    ]
    latest = None if d.flag(4) else d.below(13)
    inputs = {"latest": none_as(latest), "paths": flat(paths)}
    return inputs, {"order": twin.next_paths(paths, latest)}


GAINS = ["pace_gain_slow_start", "pace_gain"]


def pace_time_case(d: Draw, number: int) -> Case:
    """CC-PACE-TIME."""
    c, scale, copies = d.constants(GAINS + ["connection_window_max"]), d.scale(), 1
    paths = [(d.window(c), d.rtt(), d.flag(6)) for _ in range(1 + d.below(4))]
    if number == 0:
        paths, scale = [(twin.window_first(c), 12000, 1)], twin.Scale(16, 4214)
    if number == 1:  # the shortest time
        paths, c["pace_gain"], scale = [(twin.WINDOW_MAX, 1, 0)], 32, twin.Scale(16, 4234)
    if number == 2:  # the longest
        paths, scale = [(1024, RTT_MAX, 0)], twin.Scale(16, 374)
    if number in (1, 3):
        copies, paths = 255, paths[:1]
    x = min(copies * sum(w for w, _, _ in paths), c["connection_window_max"] << 16)
    v, p, byte_time = twin.pace_time_of_windows(paths * copies, x, scale.s, c)
    hint = d.between(1, 65534)
    inputs: Dict[str, Value] = {"gains": listed(c, GAINS), "hint": hint, "unit": scale.unit}
    inputs.update({"s": scale.s, "x": x, "copies": copies, "paths": flat(paths)})
    outputs = {"with_hint": twin.pace_time_of_hint(hint, scale.unit), "v": v, "p": p}
    return inputs, {**outputs, "without_hint": byte_time}


def pace_case(d: Draw, number: int) -> Case:
    """CC-PACE."""
    c, s = d.constants(["pace_burst"]), twin.full_packet(d.of((4, 6)), d.of(MTUS))
    pacer = twin.Pacer(s)
    now = (0, 1 << 42, 1 << 50)[number] if number < 3 else d.between(0, 1 << 41)
    byte_time = d.of((83886, 746494, d.between(7, (1 << 50))))
    sends, after = [], []
    for _ in range(7):
        now += d.between(0, 4 * s * byte_time >> 22) if d.flag(3) else 0
        b = s if d.flag() else d.between(86, s)
        byte_time = byte_time if d.flag() else d.between(max(7, byte_time >> 2), 2 * byte_time)
        sends.append((now, b, byte_time))
        now = pacer.goes_at(now)
        pacer.send(now, b, byte_time, c)
        after.append((now, pacer.due >> 22, pacer.due % (1 << 22)))
    inputs = {"pace_burst": c["pace_burst"], "s": s, "sends": flat(sends)}
    return inputs, {"after": flat(after)}


def ar_case(d: Draw, number: int) -> Case:
    """CC-AR."""
    path, n = twin.Path(d.of((d.window(twin.DEFAULTS), 1 << 19, 1 << 24)), 0), d.of((0, 1, 8, 255))
    wp = d.of((d.between(65536, 65280 << 16), max(1, n) << 19, (max(1, n) << 18) - 1))
    every = max(1, min(path.w, wp // max(1, n)) >> 18)
    path.since_ar = max(0, every - d.of((1, 2, 2, 3)))
    in_flight = d.of((1, 1, max(1, (path.w >> 16) - d.below(3))))
    span, waits = d.of((in_flight, 255, 256)), 1 - d.flag(8)
    inputs = {"w": path.w, "wp": wp, "n": n, "since_ar": path.since_ar, "in_flight": in_flight}
    inputs.update({"span": span, "waits": waits})
    ar = twin.asks(path, wp, n, in_flight, span, waits)
    return inputs, {"ar": int(ar), "since_ar": path.since_ar}
