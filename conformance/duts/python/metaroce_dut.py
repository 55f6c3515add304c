#!/usr/bin/env python3
"""A device under test for the MetaRoCE conformance runner, in Python's standard library alone.

It reads requests from standard input and writes answers to standard output, as chapter 15 of the
text says. It has the levels codec and block.

To plug in an implementation of your own, keep contract.py and records.py as they are, and put your
code where the classes Codec, ReceiveVectorBlock and AckGenerationBlock, and those of blocks.py,
call the rules: codec.py, receive_path.py and the others.
"""

from __future__ import annotations

import sys
import traceback
from typing import BinaryIO, Callable, Dict, List, Optional, Tuple, Union

import blocks
import codec
import contract
from contract import Event
from records import DutError, Reader, Record
from receive_path import AckGeneration, ReceiveVector

NAME = "metaroce-python"
VERSION = "0.1.0"
CAPABILITIES = [
    "codec-decode",
    "codec-encode",
    "block-receive-vector",
    "block-ack-generation",
    "default-ack-generation",
    "ack-when-due",
    *(f"block-{block}" for block in blocks.BLOCKS),
    *(f"default-{block}" for block in blocks.DEFAULTS),
    "constants",
]
# Whatever this DUT does it does in the nanosecond of its cause [PROFILE-LATENCY].
PROFILE = {"react_max": 0, "ack_max": 0, "stamp_max": 0}

ACK_EVERY_DEFAULT, ACK_EVERY_MIN, ACK_EVERY_MAX = 8, 1, 128  # ACK-DUE-COUNT
ACK_DELAY_MAX_DEFAULT, ACK_DELAY_MAX_MAX = 8000, 1_000_000  # ACK-DUE-TIME


def take_constants(config: Reader) -> Dict[str, int]:
    """What is left of a configuration sets constants [CONF-CONSTANTS].

    Most constants have no effect on the levels and blocks of this DUT, so any name is accepted.
    """
    constants: Dict[str, int] = {}
    for name, value in config.rest().items():
        if not isinstance(value, int):
            raise DutError(f"the constant {name} must be a number")
        constants[name] = value
    return constants


class Codec:
    """Level codec. It has no time and no state [CONF-EVENTS]."""

    def __init__(self, config: Record) -> None:
        self._constants = take_constants(Reader(config))

    def apply(self, at_ns: int, stimulus: contract.Stimulus) -> List[Event]:
        if isinstance(stimulus, contract.Decode):
            return [Event(0, codec.decode(stimulus.frame))]
        if isinstance(stimulus, contract.Encode):
            return [Event(0, codec.encode(stimulus.fields, self._constants))]
        raise DutError("the level codec takes Decode and Encode only")

    def advance(self, to_ns: int) -> List[Event]:
        return []


class ReceiveVectorBlock:
    """The block `receive-vector`. It has no time [CONF-RECEIVE-VECTOR]."""

    def __init__(self, config: Record) -> None:
        fields = Reader(config)
        self._path = ReceiveVector(fields.number("base", 32, 0))
        take_constants(fields)

    def apply(self, at_ns: int, stimulus: contract.Stimulus) -> List[Event]:
        fields = block_input(stimulus)
        kind = fields.word("kind", ("data", "probe"))
        sequence = fields.number("sequence", 32, 0)
        ce = fields.number("ce", 1, 0)
        transmit_time = fields.number("transmit_time", 32, 0)
        fields.finish()
        if kind == "data":
            outcome = self._path.data(sequence, ce, transmit_time)
        else:
            outcome = self._path.probe(transmit_time)
        return [Event(0, {"outcome": outcome, **self._path.block()})]

    def advance(self, to_ns: int) -> List[Event]:
        return []


class AckGenerationBlock:
    """The block `ack-generation`: the clock around the rules of receive_path.py."""

    def __init__(self, config: Record) -> None:
        fields = Reader(config)
        base = fields.number("base", 32, 0)
        ack_every = fields.number("ack_every", 64, ACK_EVERY_DEFAULT)
        ack_delay_max = fields.number("ack_delay_max", 64, ACK_DELAY_MAX_DEFAULT)
        take_constants(fields)
        if not ACK_EVERY_MIN <= ack_every <= ACK_EVERY_MAX:
            raise DutError(f"ack_every cannot be {ack_every}")
        if ack_delay_max > ACK_DELAY_MAX_MAX:
            raise DutError(f"ack_delay_max cannot be {ack_delay_max}")
        self._path = AckGeneration(base, ack_every, ack_delay_max)
        self._earliest = 0  # the least time that the next Apply may have

    def apply(self, at_ns: int, stimulus: contract.Stimulus) -> List[Event]:
        """First all that falls due before `at_ns`, then the packet [CONF-TIME]."""
        fields = block_input(stimulus)
        kind = fields.word("kind", ("data", "probe"))
        sequence = fields.number("sequence", 32, 0)
        ce = fields.number("ce", 1, 0)
        ar = fields.number("ar", 1, 0)
        csn_duplicate = fields.number("csn_duplicate", 1, 0)
        transmit_time = fields.number("transmit_time", 32, 0)
        fields.finish()
        if at_ns < self._earliest:
            raise DutError(f"time goes back to {at_ns}")
        self._earliest = at_ns
        events = self._expire(before=at_ns)
        if kind == "data":
            ack = self._path.data(at_ns, sequence, ce, ar, csn_duplicate, transmit_time)
        else:
            ack = self._path.probe(at_ns, transmit_time)
        return events if ack is None else events + [Event(at_ns, ack)]

    def advance(self, to_ns: int) -> List[Event]:
        """All that falls due up to and including `to_ns`; no packet comes in it any more."""
        if to_ns + 1 < self._earliest:
            raise DutError(f"time goes back to {to_ns}")
        self._earliest = to_ns + 1
        return self._expire(before=to_ns + 1)

    def _expire(self, before: int) -> List[Event]:
        deadline = self._path.deadline
        if deadline is None or deadline >= before:
            return []
        return [Event(deadline, self._path.acknowledge(deadline))]


class UntimedBlock:
    """A block of blocks.py: one output record for each input record [CONF-EVENTS]."""

    def __init__(self, block: Callable[[Reader], blocks.Block], config: Record) -> None:
        fields = Reader(config)
        self._block = block(fields)
        take_constants(fields)

    def apply(self, at_ns: int, stimulus: contract.Stimulus) -> List[Event]:
        fields = block_input(stimulus)
        output = self._block.take(fields)
        fields.finish()
        return [Event(0, output)]

    def advance(self, to_ns: int) -> List[Event]:
        return []


def block_input(stimulus: contract.Stimulus) -> Reader:
    if not isinstance(stimulus, contract.Block):
        raise DutError("the level block takes Block only")
    return Reader(stimulus.fields)


Level = Union[Codec, ReceiveVectorBlock, AckGenerationBlock, UntimedBlock]
BLOCKS: Dict[str, Callable[[Record], Level]] = {
    "receive-vector": ReceiveVectorBlock,
    "ack-generation": AckGenerationBlock,
}


class Device:
    """Answers one request after another. Only a Reset gives it a level [CONF-RESET]."""

    def __init__(self) -> None:
        self._level: Optional[Level] = None

    def answer(self, request: contract.Kind) -> bytes:
        """The kind of the answer. Raises Rejected or DutError for Reject and Error."""
        if isinstance(request, contract.Hello):
            return contract.hello_answer(NAME, VERSION, CAPABILITIES, PROFILE)
        if isinstance(request, contract.Reset):
            return self._reset(request)
        if isinstance(request, contract.Snapshot):
            return contract.unsupported("snapshot")
        if isinstance(request, contract.Bye):
            return contract.done([])
        if self._level is None:
            raise DutError("there was no Reset, or it was not answered with Done")
        if isinstance(request, contract.Apply):
            return contract.done(self._level.apply(request.at_ns, request.stimulus))
        return contract.done(self._level.advance(request.to_ns))

    def _reset(self, request: contract.Reset) -> bytes:
        self._level = None
        if request.level == "endpoint":
            return contract.unsupported("endpoint-receiver")
        if request.level == "block":
            if request.block in BLOCKS:
                self._level = BLOCKS[request.block](request.config)
            elif request.block in blocks.BLOCKS:
                self._level = UntimedBlock(blocks.BLOCKS[request.block], request.config)
            else:
                return contract.unsupported(f"block-{request.block}")
        elif request.level == "codec":
            self._level = Codec(request.config)
        else:
            raise DutError(f"there is no level {request.level}")
        return contract.done([])


def serve_message(device: Device, message: bytes) -> Tuple[bytes, bool]:
    """The one Answer to a message, whatever its bytes, and whether it is the last [CONF-ANSWER]."""
    request: Optional[contract.Kind] = None
    try:
        request = contract.parse_request(message)
        kind = device.answer(request)
    except codec.Rejected as rejected:
        kind = contract.reject(rejected.code)
    except DutError as failure:
        kind = contract.error(str(failure))
    except Exception as failure:  # a defect of this program: the runner is to hear of it
        traceback.print_exc()
        kind = contract.error(f"the DUT has a defect: {failure!r}")
    answer = contract.answer(contract.request_id(message), kind)
    return answer, isinstance(request, contract.Bye)


def serve(requests: BinaryIO, answers: BinaryIO) -> int:
    """Serves until Bye or the end of the file [CONF-BYE]; gives the exit status."""
    device = Device()
    ended = False
    try:
        while not ended:
            message = contract.read_message(requests)
            if message is None:
                return 0
            answer, ended = serve_message(device, message)
            contract.write_message(answers, answer)
    except (contract.BrokenStream, OSError) as failure:
        print(failure, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer))
