"""A direction of a connection, by chapters 5, 8, 9, 10: CSNs, entropies, what is next, order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence, Set, Tuple

from congestion import connection_has_room, next_paths, path_has_room
from receive_path import ALL_ONES, PATH_WINDOW, distance

ENTROPY_MIN, ENTROPY_MAX = 49152, 65535  # WIRE-ENTROPY
STREAMS = 64


class CsnTracker:
    """A receiver's record of CSNs (section 5.3, CHECK-CSN-DUPLICATE, CHECK-CSN-RANGE)."""

    def __init__(self, base: int, granted: int, open_paths: int) -> None:
        self.cumulative = base
        self._granted = granted
        self._beyond: Set[int] = set()  # received, beyond the cumulative CSN
        self.right_edge = base
        self.open_paths(open_paths)

    def open_paths(self, number: int) -> None:
        """So many receive paths are open from now on [SEQ-CSN-EDGE]."""
        self._range = max(self._granted, PATH_WINDOW * number)
        self._grow()

    def packet(self, csn: int) -> str:
        """A DATA packet with this CSN: its outcome."""
        if distance(self.cumulative, csn) < 0 or csn in self._beyond:
            return "duplicate"
        if distance(self.right_edge, csn) >= 0:
            return "beyond-edge"
        self._beyond.add(csn)
        while self.cumulative in self._beyond:
            self._beyond.remove(self.cumulative)
            self.cumulative = self.cumulative + 1 & ALL_ONES
        self._grow()
        return "new"

    def _grow(self) -> None:
        edge = self.cumulative + self._range & ALL_ONES
        if distance(self.right_edge, edge) > 0:
            self.right_edge = edge


def entropy_of(x: int, key: int) -> int:
    """The entropy of index x under the key K [ENTROPY-CHOICE]."""
    a, b = x >> 7, x % 128
    for r in range(4):
        k = 2 * ((key >> (8 * r)) % 256) + 1
        f = (((2 * b + 1) * k * 40503) >> 9) % 128
        a, b = b, a ^ f
    return ENTROPY_MIN + (a << 7) + b


class Entropies:
    """The entropies of the epochs of one direction [ENTROPY-RULE, ENTROPY-CHOICE]."""

    def __init__(self, tag: int, acceptor: int, path_zero: int) -> None:
        self._key = tag ^ ALL_ONES if acceptor else tag
        self.index = 0
        self._last: Dict[int, int] = {0: path_zero}  # of the last epoch of a path
        self._live: Set[int] = {0}  # OPENING, ACTIVE and SUSPECT paths

    def open(self, path: int) -> int:
        """A new epoch of the path: gives its entropy."""
        taken = {self._last[each] for each in self._live}
        if path in self._last:
            taken.add(self._last[path])
        while True:
            entropy = entropy_of(self.index, self._key)
            self.index = (self.index + 1) % (1 << 14)
            if entropy not in taken:
                break
        self._last[path] = entropy
        self._live.add(path)
        return entropy

    def end(self, path: int) -> None:
        """The path is FREE or DENIED from now on."""
        self._live.discard(path)


class Scheduler:
    """RTX-FIRST, CC-MOVED-FIRST, MSG-TURNS, MSG-NEXT, CC-MAY-SEND and CC-SCHEDULER."""

    def __init__(self) -> None:
        self._stream: Optional[int] = None  # of the latest new request packet
        self._kind: Optional[str] = None  # of the latest packet of new data
        self._path: Optional[int] = None  # of the latest moved or new packet

    def packet(
        self, retransmissions: int, moved: int, requests: int, responses: int
    ) -> Tuple[str, Optional[int]]:
        """Which packet is next; of a request, the stream."""
        if retransmissions > 0:
            return "retransmission", None
        if moved > 0:
            return "moved", None
        if requests == 0 and responses == 0:
            return "none", None
        if requests > 0 and responses > 0:
            kind = "request" if self._kind == "response" else "response"
        else:
            kind = "request" if requests > 0 else "response"
        self._kind = kind
        if kind == "response":
            return kind, None
        first = 0 if self._stream is None else self._stream + 1
        order = [(first + i) % STREAMS for i in range(STREAMS)]
        self._stream = next(stream for stream in order if requests >> stream & 1)
        return kind, self._stream

    def path(
        self, paths: Sequence[Tuple[int, int, int, int]], size: int, window: int, flight: int
    ) -> Optional[int]:
        """The path of a packet, out of (id, fit, in flight, w)."""
        if not connection_has_room(flight, size, window):
            return None
        able = [(i, n, w) for i, fit, n, w in paths if fit and path_has_room(n, w)]
        if not able:
            return None
        self._path = next_paths(able, self._path)[0]
        return self._path


@dataclass
class Work:
    """A work request at the requester, a request at the responder."""

    response: bool
    done: bool = False
    packets: int = 0  # accepted
    last: bool = False  # the last packet was accepted


class Requester:
    """MSG-POST, MSG-DONE-ACKNOWLEDGED, MSG-DONE-RESPONSE and MSG-COMPLETION-ORDER."""

    def __init__(self, start_msn: int) -> None:
        self._next_msn = [start_msn] * STREAMS
        self.next = [start_msn] * STREAMS  # the first MSN that is not completed
        self._work: Dict[Tuple[int, int], Work] = {}

    def post(self, stream: int, response: bool) -> int:
        """Gives the MSN of the work request."""
        msn = self._next_msn[stream]
        self._next_msn[stream] = msn + 1 & ALL_ONES
        self._work[stream, msn] = Work(response)
        return msn

    def acknowledged(self, stream: int, msn: int) -> bool:
        """All CSNs of the request are acknowledged. Gives whether it is done by now."""
        work = self._work[stream, msn]
        work.done = work.done or not work.response
        return work.done

    def answered(self, stream: int, msn: int) -> bool:
        """The response is placed."""
        self._work[stream, msn].done = True
        return True

    def complete(self, stream: int) -> int:
        """Completes what may be completed now: how many work requests."""
        completed = 0
        while (stream, self.next[stream]) in self._work:
            if not self._work[stream, self.next[stream]].done:
                break
            del self._work[stream, self.next[stream]]
            self.next[stream] = self.next[stream] + 1 & ALL_ONES
            completed += 1
        return completed


class Responder:
    """MSG-COMPLETE and MSG-DELIVER."""

    def __init__(self, start_msn: int, mtu: int) -> None:
        self._mtu = mtu
        self.next = [start_msn] * STREAMS  # the first MSN that is not delivered
        self._work: Dict[Tuple[int, int], Work] = {}

    def packet(self, stream: int, msn: int, payload: bool, offset: int, length: int) -> bool:
        """Accepts a packet, with or without a payload tail. Is its request complete?"""
        work = self._work.setdefault((stream, msn), Work(False))
        work.packets += 1
        packets = max(1, -(-length // self._mtu)) if payload else 1
        work.last = work.last or not payload or offset + self._mtu >= length
        work.done = work.last and work.packets >= packets
        return work.done

    def deliver(self, stream: int) -> int:
        """Delivers what may be delivered now: how many requests."""
        delivered: List[int] = []
        while (stream, self.next[stream]) in self._work:
            if not self._work[stream, self.next[stream]].done:
                break
            delivered.append(self.next[stream])
            del self._work[stream, self.next[stream]]
            self.next[stream] = self.next[stream] + 1 & ALL_ONES
        return len(delivered)
