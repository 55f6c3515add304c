"""The blocks without a time of the contract: an input record in, an output record out (15.4).

Each class reads the records of one block and calls the rules; what a record holds stands in the
clause named. To plug in blocks of your own, put your code where the rules are called.
"""

from __future__ import annotations

import re
from typing import Callable, Dict, List, Optional, Protocol, Sequence, Tuple

import congestion
import round_trip
import send_path
from connection import STREAMS, CsnTracker, Entropies, Requester, Responder, Scheduler
from hint import ALL_ONES as NO_HINT
from hint import HintConnection, HintReceiver, SenderHint
from machines import MACHINES, Machine
from path_count import Growth, close_one, count_base, count_grow, count_narrow
from records import DutError, Reader, Record
from send_path import serial_less

RANGES: Dict[str, Tuple[int, int, int]] = {
    **congestion.CONSTANTS,
    **send_path.CONSTANTS,
    **round_trip.CONSTANTS,
}
Flat = Dict[str, int]
MTU = 1024  # CONF-COMPLETION-ORDER
MAX_TIME = 1 << 40  # CONF-BLOCK-NUMBERS


def constants(fields: Reader, names: Sequence[str]) -> Flat:
    """The constants of the block, each with its default or as the configuration has it."""
    out = {}
    for name in names:
        default, least, greatest = RANGES[name]
        out[name] = fields.number(name, 64, default)
        if not least <= out[name] <= greatest:
            raise DutError(f"{name} is {out[name]}, not between {least} and {greatest}")
    return out


def members(fields: Reader, name: str, of: Dict[str, Tuple[int, int]]) -> Dict[int, Flat]:
    """The list `name[i].field`: of each member its fields, from their bits and defaults."""
    pattern = re.compile(re.escape(name) + r"\[(\d|1[0-5])\]\.")
    found = {int(match.group(1)) for match in map(pattern.match, fields.names()) if match}
    return {
        i: {each: fields.number(f"{name}[{i}].{each}", *rule) for each, rule in of.items()}
        for i in sorted(found)
    }


def numbers(fields: Reader, of: Dict[str, int]) -> Flat:
    """Numbers with these bits; one that is absent is 0 [CONF-BLOCK]."""
    return {name: fields.number(name, bits, 0) for name, bits in of.items()}


class Block(Protocol):
    """What a block does: from a configuration, then one input after another."""

    def __init__(self, config: Reader) -> None:
        ...

    def take(self, fields: Reader) -> Record:
        """Takes an input record and gives the output record."""


class CsnTrackerBlock:
    """CONF-CSN-TRACKER."""

    def __init__(self, config: Reader) -> None:
        self._csns = CsnTracker(
            config.number("base", 32, 0),
            config.number("range", 32),
            config.number("open_paths", 8, 1),
        )

    def take(self, fields: Reader) -> Record:
        kind = fields.word("kind", ("packet", "paths"))
        csn, paths = fields.number("csn", 32, 0), fields.number("open_paths", 8, 0)
        outcome = "none"
        if kind == "packet":
            outcome = self._csns.packet(csn)
        else:
            self._csns.open_paths(paths)
        return {
            "outcome": outcome,
            "cumulative": self._csns.cumulative,
            "right_edge": self._csns.right_edge,
        }


class LossDetectionBlock:
    """CONF-LOSS-DETECTION."""

    NUMBERS = {"now": 64, "csn": 32, "size": 16, "sequence": 32, "cumulative": 32, "base": 32}
    NUMBERS.update({"arrivals": 16, "ce": 16, "duplicates": 8, "echo": 32, "hold": 32, "srtt": 32})

    def __init__(self, config: Reader) -> None:
        names = list(send_path.CONSTANTS)
        base, opened = config.number("base", 32, 0), config.number("opened", 64, 0)
        self._books = send_path.SendBooks(base, opened, constants(config, names))

    def take(self, fields: Reader) -> Record:
        kind = fields.word("kind", ("send", "resend", "probe", "block"))
        n = numbers(fields, self.NUMBERS)
        bitmap = int.from_bytes(fields.data("bitmap", (0, 8, 16, 32)), "big")
        books, sequence, taken = self._books, 0, send_path.Taken(kind)
        if kind == "send":
            sequence, taken.outcome = books.send(n["now"], n["csn"], n["size"]), "sent"
        elif kind == "resend":
            sequence = n["sequence"]
            taken.outcome = books.resend(n["now"], sequence, n["size"], n["cumulative"])
        elif kind == "probe":
            books.probe(n["now"])
        else:
            names = ("arrivals", "ce", "duplicates", "echo", "hold", "srtt")
            values = [n[name] for name in names]
            taken = books.take(send_path.PathBlock(n["now"], n["base"], bitmap, *values))
        if taken.outcome == "loss-limit":
            return self._record(taken, 0, 0, 0, [], 0, 0)
        return self._record(
            taken,
            sequence,
            books.oldest(),
            books.next,
            books.flight(),
            books.lost(),
            books.tolerance,
        )

    @staticmethod
    def _record(
        taken: send_path.Taken,
        sequence: int,
        oldest: int,
        next_: int,
        flight: List[send_path.SendRecord],
        lost: int,
        tolerance: int,
    ) -> Record:
        over = taken.outcome == "loss-limit"
        return {
            "outcome": taken.outcome,
            "sequence": sequence,
            "oldest": oldest,
            "next": next_,
            "in_flight": len(flight),
            "bytes": sum(each.size for each in flight),
            "waiting": lost.to_bytes(32, "big"),
            "acknowledged": 0 if over else taken.acknowledged,
            "declared": taken.declared,
            "arrived": 0 if over else taken.arrived,
            "marked": 0 if over else taken.marked,
            "duplicated": 0 if over else taken.duplicated,
            "tolerance": tolerance,
        }


class RttRtoBlock:
    """CONF-RTT-RTO."""

    NUMBERS = {"now": 64, "sample": 32, "latest": 64, "first": 1, "echo": 32, "hold": 32}
    NUMBERS.update({"sibling_rtt": 32, "alone": 1})

    def __init__(self, config: Reader) -> None:
        opened = config.number("opened", 64, 0)
        self._trip = round_trip.RoundTrip(opened, constants(config, list(round_trip.CONSTANTS)))

    def take(self, fields: Reader) -> Record:
        kind = fields.word("kind", ("handshake", "accept", "block", "ask"))
        n, k = numbers(fields, self.NUMBERS), fields.number("k", 8, 1)
        trip, sample = self._trip, 0
        if kind == "handshake":
            sample = trip.handshake(n["now"], n["sample"])
        elif kind == "accept":
            sample = trip.accept(n["now"], n["echo"], n["hold"])
        elif kind == "block":
            sample = trip.block(n["now"], n["first"], n["latest"], n["echo"], n["hold"])
        first_probe, gap, verdict, rto = trip.waits(n["sibling_rtt"], k, n["alone"])
        return {
            "sample": sample,
            "srtt_8": trip.srtt_8,
            "rttvar_4": trip.rttvar_4,
            "min_rtt": trip.min_rtt(),
            "no_sample": trip.no_sample,
            "first_probe_wait": first_probe,
            "probe_gap": gap,
            "verdict_wait": verdict,
            "rto_wait": rto,
        }


class PathWindowBlock:
    """CONF-PATH-WINDOW."""

    CONSTANTS = ["initial_window", "window_min", "delay_congested_min", "slow_start_losses"]
    CONSTANTS += ["loss_shift", "alpha_up_shift", "alpha_down_shift", "clean_rounds"]
    CONSTANTS += ["clean_doublings", "increase_shift", "increase_min"]
    NUMBERS = {"now": 64, "in_flight": 16, "data_echo": 64, "acknowledged": 16, "declared": 16}
    NUMBERS.update({"arrived": 16, "marked": 16, "rtt": 32, "min_rtt": 32})
    NUMBERS.update({"connection_min_rtt": 32, "rate": 16, "active": 8, "drained": 1, "mean": 25})
    NUMBERS.update({"slow": 1})
    OUTPUT = "w alpha slow first skip limited limited_before marked_before ever_marked clean ce "
    OUTPUT += "arrived lost round_start history"

    def __init__(self, config: Reader) -> None:
        self._c = constants(config, self.CONSTANTS)
        self._path = congestion.Path(
            w=config.number("w", 25, congestion.window_first(self._c)),
            slow=config.number("slow", 1, 1),
            round_start=config.number("round_start", 64, 0),
        )
        s, unit = config.number("full_packet", 16, 4214), config.number("unit", 16, 16)
        self._scale = congestion.Scale(unit, s)

    def take(self, fields: Reader) -> Record:
        kinds = ("sent", "block", "rto", "idle", "again", "added")
        kind, n = fields.word("kind", kinds), numbers(fields, self.NUMBERS)
        c, ended = self._c, 0
        if kind == "sent":
            if congestion.becomes_limited(n["in_flight"], self._path.w):  # CC-LIMITED
                self._path.limited = 1
        elif kind == "block":
            ended = self._block(n)
        elif kind == "rto":
            congestion.cut_at_rto(self._path)
        elif kind == "idle":
            congestion.window_idle(self._path, n["active"], n["now"], c)
        else:
            others = [n["mean"]]  # whose mean it is
            if kind == "again":
                w, slow = congestion.window_again(self._path.w, n["drained"], others, c)
            else:
                w, slow = congestion.window_added(others, c), n["slow"]
            self._path = congestion.Path(w=w, slow=slow, round_start=n["now"])
        out: Record = {"ended": ("none", "round", "slow-start")[ended]}
        out.update({name: getattr(self._path, name) for name in self.OUTPUT.split()})
        return out

    def _block(self, n: Flat) -> int:
        pipe = congestion.Pipe(self._scale, n["rate"], n["connection_min_rtt"], n["active"])
        block = congestion.Block(
            now=n["now"],
            data_echo=None if n["data_echo"] == (1 << 64) - 1 else n["data_echo"],
            acknowledged=n["acknowledged"],
            a=n["arrived"],
            m=n["marked"],
            declared=n["declared"],
            in_flight=n["in_flight"],
            sample=n["rtt"],
            min_rtt=n["min_rtt"],
        )
        return congestion.take_block(self._path, block, pipe, self._c)


class ConnectionWindowBlock:
    """CONF-CONNECTION-WINDOW."""

    NUMBERS = {"now": 64, "serial": 32, "hint": 16, "srtt": 32, "min_rtt": 32, "sum": 40}
    NUMBERS.update({"port_rate": 36})

    def __init__(self, config: Reader) -> None:
        self._c = constants(config, ["connection_window_max", "hint_life_min"])
        self._serial = config.number("start_serial", 32, 0) - 1 & (1 << 32) - 1  # TAKE-SERIAL
        s, unit = config.number("full_packet", 16, 4214), config.number("unit", 16, 16)
        self._scale = congestion.Scale(unit, s)
        self._hint = SenderHint()

    def take(self, fields: Reader) -> Record:
        kind, n = fields.word("kind", ("ack", "ask")), numbers(fields, self.NUMBERS)
        connections = fields.number("connections", 32, 1)
        latest = kind == "ack" and serial_less(self._serial, n["serial"])
        if latest:
            self._serial = n["serial"]
            self._hint.take(n["now"], n["srtt"], 1, n["hint"], self._c)
        hint = self._hint.get(n["now"])
        share = congestion.port_share(n["port_rate"], connections, self._scale.unit)
        got = congestion.connection_window([n["sum"]], hint, n["min_rtt"], self._scale, self._c)
        return {
            "latest": int(latest),
            "hint": NO_HINT if hint is None else hint,
            "share": share,
            "reference": congestion.reference_rate(hint, share),
            "bdp": 0 if hint is None else self._scale.bdp(hint, n["min_rtt"]),
            "h": (1 << 64) - 1 if got.h is None else got.h,
            "x": got.x,
            "wp": got.wp,
            "window": got.w,
        }


class ReceiverHintBlock:
    """CONF-RECEIVER-HINT, with the default of the choice `hint-age`."""

    CONNECTION = {"cid": (24, 0), "rtt": (32, 0), "full_packet": (16, 4214), "unit": (16, 16)}
    CONNECTION["addresses"] = (16, 0)
    CONSTANTS = ["hint_percent", "hint_idle_min", "hint_period_min", "hint_low_periods"]
    CONSTANTS += ["hint_tell_delay"]

    def __init__(self, config: Reader) -> None:
        self._receiver = HintReceiver(
            config.number("rate", 36, 0), constants(config, self.CONSTANTS)
        )
        self._cids: Dict[int, int] = {}
        for i, of in members(config, "connection", self.CONNECTION).items():
            addresses = [bit for bit in range(16) if of["addresses"] >> bit & 1]
            self._receiver.connections[of["cid"]] = HintConnection(
                of["cid"], of["rtt"], of["unit"], of["full_packet"], addresses
            )
            self._cids[i] = of["cid"]

    def take(self, fields: Reader) -> Record:
        kind = fields.word("kind", ("data", "ack", "rate", "tell"))
        n = numbers(fields, {"now": 64, "connection": 8, "size": 16, "rate": 36})
        receiver, hint = self._receiver, 0
        shown: Optional[HintConnection] = None
        if kind == "rate":
            receiver.rate = n["rate"]
        elif kind != "tell":
            if n["connection"] not in self._cids:
                raise DutError(f"there is no connection {n['connection']}")
            cid = self._cids[n["connection"]]
            if kind == "data":
                receiver.arrival(n["now"], cid, n["size"])
            else:
                hint = receiver.value(n["now"], cid)
            if receiver.connections[cid].active:
                shown = receiver.connections[cid]
        if kind == "tell":
            told = receiver.tell(n["now"])
            active = sum((cid in told) << i for i, cid in self._cids.items())
        else:
            active = sum(receiver.connections[cid].active << i for i, cid in self._cids.items())
        out: Record = {"hint": hint, "active": active}
        for name in ("bytes", "r1", "r2", "low"):
            out[name] = 0 if shown is None else getattr(shown, name)
        out["demand"] = 0
        if shown is not None:
            out["demand"] = (1 << 64) - 1 if shown.demand is None else shown.demand
        return out


class PathCountBlock:
    """CONF-PATH-COUNT, with the default of the choice `path-count`."""

    NUMBERS = {"now": 64, "limited": 1, "open": 8, "slow": 1, "sum": 64, "wp": 64, "bdp": 64}
    NUMBERS.update({"srtt": 32, "may_open": 1, "active": 8, "planes": 5})

    def __init__(self, config: Reader) -> None:
        self._c = constants(config, ["path_diversity", "shrink_rounds"])
        self._most = config.number("most", 8)
        self._base = count_base(config.number("bdp", 64, 0), self._most, self._c)
        self._target, self._narrow, self._grown = self._base, 0, 0

    def take(self, fields: Reader) -> Record:
        kind, n = fields.word("kind", ("ack", "round", "idle")), numbers(fields, self.NUMBERS)
        steady = int.from_bytes(fields.data("steady", (32,)), "big")
        opens, closes = False, None
        if kind == "ack":
            if n["limited"]:
                self._grow(n)
            less = (2 * n["open"]) << 16 < n["wp"] or n["open"] < n["planes"]
            opens = n["may_open"] == 1 and n["open"] < self._target and less  # COUNT-OPEN
        else:
            closing = True
            if kind == "round":
                self._narrow, closing = count_narrow(self._narrow, n["active"], n["wp"], self._c)
            if closing:
                closes = self._close(n["open"], [i for i in range(256) if steady >> i & 1])
        return {
            "base": self._base,
            "target": self._target,
            "narrow": self._narrow,
            "opens": int(opens),
            "closes": 255 if closes is None else closes,
        }

    def _grow(self, n: Flat) -> None:
        e = n["now"] - self._grown
        growth = Growth(n["sum"], n["open"], n["slow"], n["bdp"], n["srtt"], e)
        target = count_grow(self._target, self._base, self._most, growth)
        if target != self._target:
            self._target, self._grown = target, n["now"]

    def _close(self, open_paths: int, steady: List[int]) -> Optional[int]:
        """COUNT-SHRINK: so many paths are open, these do not drain."""
        paths = [(i, 0) for i in steady]
        closes, self._target = close_one(paths, open_paths - len(steady), self._base, self._target)
        return closes


class PacerBlock:
    """CONF-PACER."""

    PATH = {"w": (25, 0), "min_rtt": (32, 0), "slow": (1, 0)}

    def __init__(self, config: Reader) -> None:
        self._c = constants(config, ["pace_burst", "pace_gain_slow_start", "pace_gain"])
        self._unit = config.number("unit", 16, 16)
        self._pacer = congestion.Pacer(config.number("full_packet", 16, 4214))

    def take(self, fields: Reader) -> Record:
        kind = fields.word("kind", ("send", "ask"))
        n, hint = numbers(fields, {"now": 64, "size": 16, "x": 64}), fields.number(
            "hint", 16, NO_HINT
        )
        paths = [
            (p["w"], p["min_rtt"], p["slow"]) for p in members(fields, "path", self.PATH).values()
        ]
        pacer = self._pacer
        if hint != NO_HINT:
            byte_time = congestion.pace_time_of_hint(hint, self._unit)
        else:
            byte_time = congestion.pace_time_of_windows(paths, n["x"], pacer.s, self._c)[2]
        admitted = pacer.goes_at(n["now"]) == n["now"]
        if kind == "send" and admitted:
            pacer.send(n["now"], n["size"], byte_time, self._c)
        return {
            "admitted": int(admitted),
            "byte_time": byte_time,
            "due": 0 if pacer.due is None else pacer.due & (1 << 64) - 1,
            "next": pacer.goes_at(n["now"]),
        }


class EntropyBlock:
    """CONF-ENTROPY, with the default of the choice `entropy`."""

    def __init__(self, config: Reader) -> None:
        tag, acceptor = config.number("tag", 32, 0), config.number("acceptor", 1, 0)
        self._entropies = Entropies(tag, acceptor, config.number("path_zero", 16))

    def take(self, fields: Reader) -> Record:
        kind, path = fields.word("kind", ("open", "end")), fields.number("path", 8, 0)
        entropy = 0
        if kind == "open":
            entropy = self._entropies.open(path)
        else:
            self._entropies.end(path)
        return {"entropy": entropy, "index": self._entropies.index}


class SchedulerBlock:
    """CONF-SCHEDULER, with the defaults of `next-request` and `next-path`."""

    NUMBERS = {"retransmissions": 16, "moved": 16, "responses": 16, "requests": 64, "size": 16}
    NUMBERS.update({"window": 64, "bytes": 64})
    PATH = {"fit": (1, 0), "w": (25, 0), "in_flight": (16, 0)}

    def __init__(self, config: Reader) -> None:
        self._scheduler = Scheduler()

    def take(self, fields: Reader) -> Record:
        kind, n = fields.word("kind", ("packet", "path")), numbers(fields, self.NUMBERS)
        paths = [
            (i, p["fit"], p["in_flight"], p["w"])
            for i, p in members(fields, "path", self.PATH).items()
        ]
        takes, stream, path = "none", None, None
        if kind == "packet":
            takes, stream = self._scheduler.packet(
                n["retransmissions"], n["moved"], n["requests"], n["responses"]
            )
        else:
            path = self._scheduler.path(paths, n["size"], n["window"], n["bytes"])
            takes = "none" if path is None else "path"
        return {
            "takes": takes,
            "stream": 255 if stream is None else stream,
            "path": 255 if path is None else path,
        }


class PathLifecycleBlock:
    """CONF-PATH-LIFECYCLE."""

    def __init__(self, config: Reader) -> None:
        name = config.word("machine", tuple(MACHINES))
        self._machine = Machine(name, "")
        self._machine.state = config.word("state", self._machine.states())
        self._events = {e for _, events, _, _ in MACHINES[name] for e in events.split()}

    def take(self, fields: Reader) -> Record:
        counter = self._machine.take(fields.word("kind", sorted(self._events)))
        outcome = "ignored" if counter else "taken"
        return {"state": self._machine.state, "outcome": outcome, "counter": counter or "none"}


class CompletionOrderBlock:
    """CONF-COMPLETION-ORDER."""

    REQUESTS = ("write", "write-with-immediate", "send", "read", "fetch-add")

    def __init__(self, config: Reader) -> None:
        role, start = config.word("role", ("requester", "responder")), config.number(
            "start_msn", 32, 0
        )
        self._requester = Requester(start) if role == "requester" else None
        self._responder = Responder(start, MTU)

    def take(self, fields: Reader) -> Record:
        if self._requester is None:
            return self._packet(fields, self._responder)
        return self._request(fields, self._requester)

    def _fields(self, fields: Reader, kinds: Sequence[str]) -> Tuple[str, str, Flat]:
        kind = fields.word("kind", kinds)
        given = "request" in fields or kind in ("post", "packet")
        request = fields.word("request", self.REQUESTS) if given else ""
        n = numbers(fields, {"stream": 8, "msn": 32, "length": 32, "offset": 32})
        if n["stream"] >= STREAMS:
            raise DutError(f"there is no stream {n['stream']}")
        return kind, request, n

    def _request(self, fields: Reader, requester: Requester) -> Record:
        kind, request, n = self._fields(fields, ("post", "acknowledged", "answered"))
        stream, msn, done = n["stream"], n["msn"], False
        if kind == "post":
            msn = requester.post(stream, request in ("read", "fetch-add"))
        elif kind == "acknowledged":
            done = requester.acknowledged(stream, msn)
        else:
            done = requester.answered(stream, msn)
        return self._record(msn, done, requester.complete(stream), requester.next[stream])

    def _packet(self, fields: Reader, responder: Responder) -> Record:
        _, request, n = self._fields(fields, ("packet",))
        payload = request not in ("read", "fetch-add")
        stream, msn = n["stream"], n["msn"]
        complete = responder.packet(stream, msn, payload, n["offset"], n["length"])
        return self._record(msn, complete, responder.deliver(stream), responder.next[stream])

    @staticmethod
    def _record(msn: int, complete: bool, finished: int, next_: int) -> Record:
        return {"msn": msn, "complete": int(complete), "finished": finished, "next": next_}


BLOCKS: Dict[str, Callable[[Reader], Block]] = {
    "csn-tracker": CsnTrackerBlock,
    "loss-detection": LossDetectionBlock,
    "rtt-rto": RttRtoBlock,
    "path-window": PathWindowBlock,
    "connection-window": ConnectionWindowBlock,
    "receiver-hint": ReceiverHintBlock,
    "path-count": PathCountBlock,
    "pacer": PacerBlock,
    "entropy": EntropyBlock,
    "scheduler": SchedulerBlock,
    "path-lifecycle": PathLifecycleBlock,
    "completion-order": CompletionOrderBlock,
}
# Those that take the default of a choice [CONF-BLOCK-DEFAULTS].
DEFAULTS = ("receiver-hint", "path-count", "entropy", "scheduler")
