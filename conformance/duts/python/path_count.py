"""The number of paths, and their entropies: sections 8.11 and 8.12."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

from congestion import Constants, clamp


# 8.11 How many paths


def count_base(b: int, most: int, c: Constants) -> int:
    """base, with b = BDP(port share, handshake RTT) and most = L [COUNT-BASE]."""
    return clamp(max((5 * b + (1 << 26) - 1) >> 26, c["path_diversity"]), 1, most)


@dataclass
class Growth:
    """What COUNT-GROW asks of a direction that is path-limited."""

    sum: int
    n: int  # open paths
    slow: int  # an ACTIVE path has `slow` = 1
    bdp: int  # BDP(reference rate, minRTT of the connection)
    srtt: int  # of the connection
    e: int  # since the target grew


def count_grow(target: int, base: int, most: int, g: Growth) -> int:
    """The target after COUNT-GROW; it grew if it is another."""
    limit = max(base, min(most, (2 * g.bdp + (1 << 24) - 1) >> 24))
    if g.slow:
        if 4 * g.sum >= (256 * g.n) << 16 and g.e >= g.srtt:
            return max(target, min(limit, 2 * g.n))
    elif 8 * g.sum >= (1792 * g.n) << 16 and g.e >= 2 * g.srtt:
        return max(target, min(limit, g.n + (g.n + 3) // 4))
    return target


NO_DRAIN, TO_EPOCH, TO_CLOSE = 0, 1, 2  # PATH-DRAIN


def close_one(
    paths: Sequence[Tuple[int, int]], opening: int, base: int, target: int
) -> Tuple[Optional[int], int]:
    """The path to close, if any, and the target after it, of ACTIVE (id, drain) [COUNT-SHRINK]."""
    open_paths = opening + sum(drain != TO_CLOSE for _, drain in paths)
    steady = [id_ for id_, drain in paths if drain == NO_DRAIN]
    if open_paths <= base or not steady or max(steady) == 0 or len(steady) == 1:
        return None, target
    return max(steady), max(base, open_paths - 1)


def count_narrow(narrow: int, n: int, wp: int, c: Constants) -> Tuple[int, bool]:
    """`narrow` after the end of a round, and whether one path is to be closed [COUNT-SHRINK]."""
    narrow = narrow + 1 if (2 * n) << 16 > wp else 0
    if narrow >= c["shrink_rounds"] * n:
        return 0, True
    return narrow, False


# 8.12 Another entropy for a path that is marked


@dataclass
class EntropyPath:
    """What REENTROPY-CHOOSE asks of an ACTIVE path."""

    id: int
    w: int
    alpha: int
    history: int
    drain: int
    hold_off_until: int  # 0 if it was never chosen
    choices: int  # since it was last FREE


def persistently_marked(path: EntropyPath, total: int, n: int, c: Constants) -> bool:
    """REENTROPY-MARKED: total is sum."""
    bits = bin(path.history).count("1")
    return bits >= 2 and path.alpha >= c["reentropy_alpha"] and 4 * path.w * n <= 3 * total


def hold_off(srtt: int, choices: int, c: Constants) -> int:
    """REENTROPY-HOLD-OFF, of a path chosen so many times before."""
    return (c["reentropy_hold_off"] * srtt) << min(choices, c["reentropy_doublings"])


@dataclass
class EntropyRounds:
    """The counts of a direction [REENTROPY-EVALUATE]."""

    rounds: int = 0
    limited: int = 0

    def round_ends(
        self,
        limited_before: int,
        paths: Sequence[EntropyPath],
        x: int,
        other_drains: int,
        now: int,
        srtt: int,
        c: Constants,
    ) -> Optional[int]:
        """Evaluates the end of a round and gives the id of the path chosen [REENTROPY-CHOOSE].

        other_drains: a path that is not ACTIVE drains for its next epoch.
        """
        self.rounds += 1
        self.limited += limited_before
        n, total = len(paths), sum(path.w for path in paths)
        if self.rounds < c["reentropy_rounds"] * n:
            return None
        mostly_limited = 4 * self.limited > 3 * self.rounds
        self.rounds = self.limited = 0
        drains = other_drains or any(path.drain == TO_EPOCH for path in paths)
        if not mostly_limited or x != total or drains:
            return None
        fit = [
            path
            for path in paths
            if path.drain == NO_DRAIN
            and now >= path.hold_off_until
            and persistently_marked(path, total, n, c)
        ]
        if not fit:
            return None
        chosen = min(fit, key=lambda path: (-path.alpha, path.id))
        chosen.hold_off_until = now + hold_off(srtt, chosen.choices, c)
        chosen.choices += 1
        return chosen.id
