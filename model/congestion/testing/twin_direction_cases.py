"""Cases of the hint, of the number of paths and of their entropies: sections 8.9 to 8.12."""

from __future__ import annotations

import congestion as twin
import path_count as twin_count
import hint as twin_hint
from twin_draw import Case, Draw, flat, listed, none_as


def take_case(d: Draw, number: int) -> Case:
    """HINT-TAKE and HINT-LIFE."""
    c = d.constants(["hint_life_min"])
    hint, now, steps, got = twin_hint.SenderHint(), d.between(0, 1 << 24), [], []
    for _ in range(6):
        srtt = d.of((9000, 12000, 12500, d.rtt()))
        left = max(1, hint.until - now)
        now += d.of((left - 1, left, 500))
        latest, value = -1, 0  # the hint is only looked at
        if got[-1:] in ([], [-1]) or d.flag(3):
            latest = 1 - d.flag(3)
            value = d.of((0, 25000, 65534, 65535, d.below(65536)))
            hint.take(now, srtt, latest, value, c)
        steps.append((now, srtt, latest, value))
        got.append(none_as(hint.get(now)))
    return {"hint_life_min": c["hint_life_min"], "steps": flat(steps)}, {"hints": got}


def shares_case(d: Draw, number: int) -> Case:
    """HINT-SHARES."""
    n = 1 + d.below(9)
    c = d.constants(["hint_percent"])
    rate = 0 if number == 0 else d.of((400000, 800000, d.between(0, 1 << 24)))
    capacity = twin_hint.hint_capacity(rate, c)
    equal = capacity // n
    cids = sorted({d.between(1, (1 << 24) - 1) for _ in range(n)})
    wants = (None, 0, equal, equal + 1, equal >> 1, d.between(0, 2 * capacity))
    demands = [(cid, wants[d.below(6)]) for cid in cids]
    shares = twin_hint.hint_shares(demands, capacity)
    records = [(cid, none_as(demand)) for cid, demand in demands]
    inputs = {"hint_percent": c["hint_percent"], "rate": rate, "demands": flat(records)}
    return inputs, {"capacity": capacity, "shares": [shares[cid] for cid in cids]}


HINT_CONSTANTS = ["hint_percent", "hint_idle_min", "hint_period_min", "hint_low_periods"]
HINT_STEPS = 32


def hint_receiver(d: Draw, c: twin.Constants, number: int) -> twin_hint.HintReceiver:
    """A receiver of two to four connections; of one host only, each third time."""
    rates = (400000, 1000 + d.below(2000), d.between(0, 1 << 22), 400000)
    receiver = twin_hint.HintReceiver(rates[number % 4], c)
    for host in range(2 + d.below(3)):
        cid, scale, rtt = (
            host + 1 + 4 * d.between(0, (1 << 22) - 2),
            d.scale(),
            d.of((12000, 12000, 50000)),
        )
        addresses = [1, host + 1] if number % 3 == 2 else [2 * host + d.below(3), 2 * host + 1]
        receiver.connections[cid] = twin_hint.HintConnection(
            cid, rtt, scale.unit, scale.s, addresses
        )
    return receiver


def hints_case(d: Draw, number: int) -> Case:
    """A history of arrivals and ACKs."""
    c = d.constants(HINT_CONSTANTS, 12)
    c["hint_low_periods"] = d.of((1, 2, 2, c["hint_low_periods"]))
    receiver = hint_receiver(d, c, number)
    cids, now, steps, after = sorted(receiver.connections), d.between(0, 1 << 20), [], []
    greedy = d.of(cids)
    for _ in range(HINT_STEPS):
        gap = d.of((31999, 32000, 50000, 64000, 100000, 130000))
        now += gap if d.flag(8) else d.of((0, 4000, 8000, 12000, 1))
        cid = greedy if d.flag(3) else d.of(cids)
        each = receiver.connections[cid]
        size, hint = 0, -1
        if d.flag(4):
            hint = receiver.value(now, cid)
        else:
            modest = 86 + d.below(8 * receiver.rate // len(cids) + 1)  # in one period of 32 us
            size = 8 * receiver.rate if cid == greedy else d.of((86, each.s, modest, modest >> 1))
            receiver.arrival(now, cid, size)
        steps.append((now, cid, size))
        state = (each.active, each.r1, each.r2, each.low, none_as(each.demand))
        after.append((hint, len(receiver.active())) + state)
    records = [
        (each.cid, each.rtt, each.unit, each.s, *each.addresses)
        for _, each in sorted(receiver.connections.items())
    ]
    inputs = {"constants": listed(c, HINT_CONSTANTS), "rate": receiver.rate}
    inputs["connections"] = flat(records)
    return {**inputs, "steps": flat(steps)}, {"after": flat(after)}


def base_case(d: Draw, number: int) -> Case:
    """COUNT-BASE."""
    c, scale, rate, rtt = d.constants(["path_diversity"]), d.scale(), d.between(1, 65534), d.rtt()
    most = d.of((1, 144, d.between(1, 255)))
    if number < 2:
        scale, rate, rtt, most = twin.Scale(16, 4214), 25000, (12000, 1500000)[number], 144
    inputs = {"path_diversity": c["path_diversity"], "unit": scale.unit, "s": scale.s}
    inputs.update({"share": rate, "rtt": rtt, "most": most})
    return inputs, {"base": twin_count.count_base(scale.bdp(rate, rtt), most, c)}


def grow_case(d: Draw, number: int) -> Case:
    """COUNT-GROW."""
    n, slow, srtt = (
        d.of((1, 2, 15, 16, 17, 23, 70, d.between(1, 255))),
        d.flag(),
        12000 + d.below(9),
    )
    scale = twin.Scale(16, 4214) if d.flag() else d.scale()
    edge = 64 * n << 16 if slow else 224 * n << 16
    total = max(1024, d.of((edge - 1, edge, edge, edge + 1, 255 << 24, d.between(1024, 255 << 24))))
    base = d.between(1, 16)
    target, most = d.of((base, n, n, n, n + d.below(9))), d.of((n + 1, 144, 255, 255))
    most, target = max(most, base), max(base, min(target, most))
    e = d.of((srtt - 1, srtt, 1 << 33)) if slow else d.of((2 * srtt - 1, 2 * srtt, 1 << 33))
    rate = d.of((25000, 25000, d.between(1, 65534)))
    min_rtt = d.of((12000, 200000, 1500000, 4500000, d.below(1500000)))
    if number < 8:  # by a quarter, at the edges
        n, slow, scale = (1, 2, 4, 5, 8, 9, 16, 17)[number], 0, twin.Scale(16, 4214)
        rate, min_rtt, base, most = 25000, 4500000, 1, 255
        target, total, e = n, (224 * n << 16) - int(number == 2), 2 * srtt - int(number == 3)
    inputs = {"unit": scale.unit, "s": scale.s, "target": target, "base": base, "most": most}
    inputs.update({"sum": total, "n": n, "slow": slow, "rate": rate, "min_rtt": min_rtt})
    inputs.update({"srtt": srtt, "e": e})
    growth = twin_count.Growth(total, n, slow, scale.bdp(rate, min_rtt), srtt, e)
    return inputs, {"target": twin_count.count_grow(target, base, most, growth)}


def shrink_case(d: Draw, number: int) -> Case:
    """COUNT-SHRINK."""
    c = d.constants(["shrink_rounds"])
    ids = [id_ for id_ in range(10) if d.flag()] or [0]
    paths = [(id_, d.of((0, 0, 0, 1, 2))) for id_ in ids]
    if number < 6:  # few that may be closed
        ids = [[0, 4], [0], [7], [3, 4, 6], [0, 2], [1, 5]][number]
        paths = [(id_, twin_count.TO_EPOCH * (id_ == ids[-1] > ids[0])) for id_ in ids]
    n, opening = len(ids), d.below(3)
    narrow = max(0, c["shrink_rounds"] * n - (d.of((1, 1, 2, 0)) if number >= 6 else 1))
    wp = max(65536, d.of(((2 * n << 16) - 1, 2 * n << 16, 65536)))
    open_paths = opening + sum(drain != twin_count.TO_CLOSE for _, drain in paths)
    base = max(1, open_paths - d.of((0, 1, 2, 5)) - (number < 6))
    target = base + d.below(9)
    inputs = {"shrink_rounds": c["shrink_rounds"], "paths": flat(paths), "opening": opening}
    inputs.update({"narrow": narrow, "wp": wp, "base": base, "target": target})
    narrow, close = twin_count.count_narrow(narrow, n, wp, c)
    closed = None
    if close:
        closed, target = twin_count.close_one(paths, opening, base, target)
    return inputs, {"narrow": narrow, "closed": none_as(closed), "target": target}


ENTROPY_CONSTANTS = ["reentropy_rounds", "reentropy_alpha", "reentropy_hold_off"]
ENTROPY_CONSTANTS += ["reentropy_doublings"]


def entropy_case(d: Draw, number: int) -> Case:
    """The end of a round, for section 8.12."""
    c = d.constants(ENTROPY_CONSTANTS, 8)
    now, srtt = d.between(100000, 1 << 30), d.of((12000, 1500000, d.rtt()))
    draining = d.flag(9)
    paths = [
        twin_count.EntropyPath(
            id=id_,
            w=d.of((65536, 65536, 98304, 196608, 262144)),
            alpha=d.of((4095, 4096, 30000, 30000, 30000, d.between(4096, 65536))),
            history=d.of((1, 3, 5, 9, 12, 15)),
            drain=d.of((0, 0, 0, 0, 2, draining)),
            hold_off_until=d.of((0, 0, now, now, now + 1)),
            choices=d.of((0, 1, 8, 9)),
        )
        for id_ in range(12)
        if d.flag(3)
    ] or [twin_count.EntropyPath(0, 4096, 65536, 3, 0, 0, 0)]
    most = c["reentropy_rounds"] * len(paths)
    before, limited_before = max(0, most - 1 - d.flag(8)), 1 - d.flag(8)
    limited = max(0, min(before, (3 * most >> 2) - limited_before + d.of((0, 1, before, before))))
    counts = twin_count.EntropyRounds(before, limited)
    total = sum(path.w for path in paths)
    x, other = total - d.flag(12), d.flag(16)
    records = [
        (path.id, path.w, path.alpha, path.history, path.drain, path.hold_off_until, path.choices)
        for path in paths
    ]
    inputs = {"constants": listed(c, ENTROPY_CONSTANTS), "rounds": before, "limited": limited}
    inputs.update({"limited_before": limited_before, "x": x, "other_drains": other, "now": now})
    inputs.update({"srtt": srtt, "paths": flat(records)})
    chosen = counts.round_ends(limited_before, paths, x, other, now, srtt, c)
    marked = [int(twin_count.persistently_marked(path, total, len(paths), c)) for path in paths]
    until = [path.hold_off_until for path in paths if path.id == chosen]
    outputs = {"marked": marked, "chosen": none_as(chosen), "hold_off_until": (until or [-1])[0]}
    return inputs, {**outputs, "rounds": counts.rounds, "limited": counts.limited}
