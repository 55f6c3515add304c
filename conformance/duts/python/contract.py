"""The messages of the contract as bytes (section 15.2 and conformance/dut.proto).

Protocol Buffers need two wire types here and nothing else [CONF-ENCODING], so they are written out
by hand. Names and numbers of the fields are those of dut.proto.
"""

from __future__ import annotations

from typing import BinaryIO, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from records import DutError, Record, Value

CONTRACT_VERSION = 1
MESSAGE_MAX = 1_048_576  # CONF-TRANSPORT

# --- Transport ---------------------------------------------------------------------------------


class BrokenStream(Exception):
    """The stream of requests cannot be followed any further."""


def read_message(stream: BinaryIO) -> Optional[bytes]:
    """The next message, or None at the end of the file."""
    prefix = stream.read(4)
    if len(prefix) < 4:
        return None
    length = int.from_bytes(prefix, "big")
    if length > MESSAGE_MAX:
        raise BrokenStream(f"a message of {length} bytes is longer than {MESSAGE_MAX}")
    message = stream.read(length)
    return message if len(message) == length else None


def write_message(stream: BinaryIO, message: bytes) -> None:
    """Writes a message with its length before it, and sends it off."""
    stream.write(len(message).to_bytes(4, "big") + message)
    stream.flush()


# --- The binary form ---------------------------------------------------------------------------

VARINT, LENGTH = 0, 2  # the wire types
RawValue = Union[int, bytes]


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, value: Union[int, bytes, str]) -> bytes:
    """A field, written even if its value is 0 or empty, as members of a oneof must be."""
    if isinstance(value, int):
        return _varint(number << 3 | VARINT) + _varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | LENGTH) + _varint(len(data)) + data


def _read_varint(data: bytes, at: int) -> Tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise DutError("a message ends within a varint")
        value |= (data[at] & 0x7F) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value & (1 << 64) - 1, at
    raise DutError("a varint is longer than ten bytes")


def _fields(data: bytes) -> Iterator[Tuple[int, RawValue]]:
    """The fields of a message in their order: number and value."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        if key & 7 == VARINT:
            value, at = _read_varint(data, at)
            yield key >> 3, value
        elif key & 7 == LENGTH:
            length, at = _read_varint(data, at)
            if length > len(data) - at:
                raise DutError("a message ends within a field")
            yield key >> 3, data[at : at + length]
            at += length
        else:
            raise DutError(f"wire type {key & 7} does not occur in the contract")


def _number(value: RawValue) -> int:
    if not isinstance(value, int):
        raise DutError("a field that is a number holds bytes")
    return value


def _data(value: RawValue) -> bytes:
    if not isinstance(value, bytes):
        raise DutError("a field that holds bytes is a number")
    return value


def _text(value: RawValue) -> str:
    return _data(value).decode("utf-8", errors="replace")


# --- Requests ----------------------------------------------------------------------------------


class Hello(NamedTuple):
    contract: int
    spec_version: str
    spec_hash: str


class Reset(NamedTuple):
    level: str
    block: str
    config: Record


class Decode(NamedTuple):
    frame: bytes


class Encode(NamedTuple):
    fields: Record


class Block(NamedTuple):
    fields: Record


class OtherStimulus(NamedTuple):
    """An Apply with a stimulus of a level that this DUT does not have."""


Stimulus = Union[Decode, Encode, Block, OtherStimulus]


class Apply(NamedTuple):
    at_ns: int
    stimulus: Stimulus


class Advance(NamedTuple):
    to_ns: int


class Snapshot(NamedTuple):
    pass


class Bye(NamedTuple):
    pass


Kind = Union[Hello, Reset, Apply, Advance, Snapshot, Bye]


def request_id(message: bytes) -> int:
    """The id of a Request, as far as it can be read: an Error has to repeat it."""
    found = 0
    try:
        for number, value in _fields(message):
            if number == 1 and isinstance(value, int):
                found = value
    except DutError:
        pass
    return found & 0xFFFFFFFF


def parse_request(message: bytes) -> Kind:
    """What a Request asks for. The members of its oneof have the numbers 4 to 9."""
    parsers: Dict[int, Callable[[bytes], Kind]] = {
        4: _parse_hello,
        5: _parse_reset,
        6: _parse_apply,
        7: lambda data: Advance(_number(_last(data, 1, 0))),
        8: lambda data: Snapshot(),
        9: lambda data: Bye(),
    }
    kind: Optional[Kind] = None
    for number, value in _fields(message):
        if number in parsers:
            kind = parsers[number](_data(value))
    if kind is None:
        raise DutError("the request has no kind that this DUT knows")
    return kind


def _last(data: bytes, wanted: int, default: RawValue) -> RawValue:
    """The value of a field that stands alone; absent means the default."""
    for number, value in _fields(data):
        if number == wanted:
            default = value
    return default


def _parse_hello(data: bytes) -> Hello:
    return Hello(_number(_last(data, 1, 0)), _text(_last(data, 2, b"")), _text(_last(data, 3, b"")))


def _parse_reset(data: bytes) -> Reset:
    return Reset(_text(_last(data, 1, b"")), _text(_last(data, 2, b"")), _parse_record(data, 3))


def _parse_apply(data: bytes) -> Apply:
    at_ns = 0
    stimulus: Optional[Stimulus] = None
    for number, value in _fields(data):
        if number == 1:
            at_ns = _number(value)
        elif number == 2:
            stimulus = Decode(_data(_last(_data(value), 1, b"")))
        elif number == 3:
            stimulus = Encode(_parse_record(_data(value), 1))
        elif number == 4:
            stimulus = Block(_parse_record(_data(value), 1))
        elif number in (5, 6):
            stimulus = OtherStimulus()
    if stimulus is None:
        raise DutError("the Apply has no stimulus")
    return Apply(at_ns, stimulus)


def _parse_record(data: bytes, wanted: int) -> Record:
    """The repeated Field number `wanted` of a message, as a record."""
    record: Record = {}
    for number, value in _fields(data):
        if number == wanted:
            name, content = _parse_field(_data(value))
            if name in record:
                raise DutError(f"the record has {name} twice")
            record[name] = content
    return record


def _parse_field(data: bytes) -> Tuple[str, Value]:
    name = ""
    content: Optional[Value] = None
    for number, value in _fields(data):
        if number == 1:
            name = _text(value)
        elif number == 2:
            content = _number(value)
        elif number == 3:
            content = _data(value)
        elif number == 4:
            content = _text(value)
    if content is None:
        raise DutError(f"the field {name} has no value")
    return name, content


# --- Answers -----------------------------------------------------------------------------------


class Event(NamedTuple):
    """A consequence: a record (`fields`) or the bytes of a frame (`packet`)."""

    at_ns: int
    content: Union[Record, bytes]


def _record(number: int, record: Record) -> bytes:
    """A record as the repeated Field with this number."""
    out = bytearray()
    for name, value in record.items():
        member = 2 if isinstance(value, int) else 3 if isinstance(value, bytes) else 4
        out += field(number, field(1, name) + field(member, value))
    return bytes(out)


def hello_answer(
    name: str, version: str, capabilities: List[str], profile: Dict[str, int]
) -> bytes:
    """HelloAnswer. The hash of the text stays empty: it is not known here [CONF-HELLO]."""
    body = field(1, CONTRACT_VERSION) + field(2, name) + field(3, version)
    body += b"".join(field(5, capability) for capability in capabilities)
    return field(2, body + _record(6, dict(profile)))


def done(events: List[Event]) -> bytes:
    """Done, with the events in their order."""
    body = bytearray()
    for event in events:
        if isinstance(event.content, bytes):
            content = field(3, field(1, event.content))
        else:
            content = field(2, _record(1, event.content))
        body += field(1, field(1, event.at_ns) + content)
    return field(3, bytes(body))


def reject(code: str) -> bytes:
    """Reject, with a reason of chapter 4."""
    return field(4, field(1, code))


def unsupported(capability: str) -> bytes:
    """Unsupported, with the capability that the DUT lacks [CONF-UNSUPPORTED]."""
    return field(5, field(1, capability))


def error(text: str) -> bytes:
    """Error, always a failure of the DUT [CONF-ERROR]."""
    return field(6, field(1, text))


def answer(request: int, kind: bytes) -> bytes:
    """An Answer that repeats the id of its request."""
    return field(1, request) + kind
