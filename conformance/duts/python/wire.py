"""The tables of chapter 3: constants, layouts and opcodes, and how layouts become bytes.

The tables are typed in by hand from the text, in the order of the text.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, NamedTuple, Tuple

UDP_PORT = 54791  # WIRE-UDP-PORT
ENTROPY_MIN = 49152  # WIRE-ENTROPY
DATA_DSCP = 26  # WIRE-TRAFFIC-CLASS
CONTROL_DSCP = 48  # WIRE-TRAFFIC-CLASS
HOP_LIMIT = 64  # WIRE-IP-FIELDS
WIRE_VERSION = 1  # WIRE-COMMON

UDP_HEADER = 8
ICRC_BYTES = 4
PACKET_MIN = 28  # least UDP length: UDP header, common header, iCRC [CHECK-PACKET-LENGTH]
BLOCKS_MIN, BLOCKS_MAX = 1, 4  # WIRE-TAIL-BLOCKS
BITMAP_BYTES = (0, 8, 16, 32)  # by bitmap_code [WIRE-PATH-BLOCK]

ECN_ECT0, ECN_CE = 2, 3  # RFC 3168, section 5


class Bits(NamedTuple):
    """A field of a layout."""

    name: str
    bits: int
    role: str = ""  # "": stands in records; RESERVED or DERIVED: does not


RESERVED = "reserved"  # written as zero, ignored on receipt [WIRE-RESERVED]
DERIVED = "derived"  # follows from other fields [CONF-CODEC-DERIVED]


class Layout:
    """A header: its fields from the most significant bit of its first byte on [WIRE-BIG-ENDIAN]."""

    def __init__(self, name: str, *fields: Tuple[Any, ...]) -> None:
        self.name = name
        self.fields = tuple(Bits(*field) for field in fields)
        self.size, odd_bits = divmod(sum(field.bits for field in self.fields), 8)
        assert odd_bits == 0 and self.size % 4 == 0, name  # WIRE-WORDS

    def pack(self, value_of: Callable[[Bits], int]) -> bytes:
        """The bytes of the header. Reserved bits are zero without asking `value_of`."""
        whole = 0
        for field in self.fields:
            value = 0 if field.role == RESERVED else value_of(field)
            whole = whole << field.bits | value
        return whole.to_bytes(self.size, "big")

    def unpack(self, data: bytes, at: int) -> Dict[Bits, int]:
        """The values of all fields but the reserved ones, of the header that begins at `at`."""
        whole = int.from_bytes(data[at : at + self.size], "big")
        values = {}
        left = self.size * 8
        for field in self.fields:
            left -= field.bits
            if field.role != RESERVED:
                values[field] = whole >> left & (1 << field.bits) - 1
        return values


LAYOUTS = {
    layout.name: layout
    for layout in (
        # 3.4, the common header
        Layout(
            "common",
            ("version", 4),
            ("pad", 2, DERIVED),
            ("reserved_0", 2, RESERVED),
            ("opcode", 8),
            ("ar", 1),
            ("rtx", 1),
            ("moved", 1),
            ("se", 1),
            ("reserved_1", 4, RESERVED),
            ("path", 8),
            ("epoch", 8),
            ("cid", 24),
            ("number", 32),
            ("transmit_time", 32),
        ),
        # 3.6, DATA
        Layout(
            "data",
            ("csn", 32),
            ("stream", 16),
            ("acks_seen", 16),
            ("msn", 32),
            ("offset", 32),
            ("length", 32),
        ),
        Layout("write_target", ("address", 64), ("rkey", 32)),
        Layout("send_match", ("receive_index", 32)),
        Layout("immediate", ("value", 32)),
        Layout("invalidate", ("rkey", 32)),
        Layout("read_request", ("address", 64), ("rkey", 32)),
        Layout("atomic", ("address", 64), ("rkey", 32), ("operand", 64), ("compare", 64)),
        Layout("atomic_response", ("value", 64)),
        # 3.7, ACK
        Layout(
            "ack",
            ("csn", 32),
            ("right_edge", 32),
            ("blocks", 8, DERIVED),
            ("reserved_0", 8, RESERVED),
            ("hint", 16),
            ("credit", 32),
        ),
        # The bitmap stands behind the layout and is no part of it.
        Layout(
            "path_block",
            ("path", 8),
            ("epoch", 8),
            ("bitmap_code", 2, DERIVED),
            ("reserved_0", 6, RESERVED),
            ("duplicates", 8),
            ("base", 32),
            ("ce", 16),
            ("arrivals", 16),
            ("echo", 32),
            ("hold", 32),
        ),
        # 3.8, NACK
        Layout("ctrl", ("tag", 32)),
        Layout(
            "nack_request",
            ("path", 8),
            ("epoch", 8),
            ("opcode", 8),
            ("reason", 8),
            ("sequence", 32),
            ("csn", 32),
            ("stream", 16),
            ("reserved_0", 16, RESERVED),
            ("msn", 32),
        ),
        Layout(
            "nack_connection",
            ("reserved_0", 8, RESERVED),
            ("cid", 24),
            ("number", 32),
            ("transmit_time", 32),
        ),
        Layout(
            "nack_epoch",
            ("path", 8),
            ("epoch", 8),
            ("current_epoch", 8),
            ("has_current", 1),
            ("reserved_0", 7, RESERVED),
            ("number", 32),
        ),
        # 3.9, CTRL
        Layout(
            "connect",
            ("reserved_0", 8, RESERVED),
            ("cid", 24),
            ("start_csn", 32),
            ("start_msn", 32),
            ("start_sequence", 32),
            ("start_serial", 32),
            ("start_index", 32),
            ("credit", 32),
            ("range", 32),
            ("mtu", 16),
            ("streams", 16),
            ("open_messages", 16),
            ("reads", 16),
            ("paths", 8),
            ("planes", 8),
            ("features", 16),
            ("hint_unit", 16),
            ("reserved_1", 16, RESERVED),
        ),
        Layout("answer", ("echo", 32), ("hold", 32)),
        Layout(
            "connect_reject",
            ("code", 8),
            ("version_min", 4),
            ("version_max", 4),
            ("reserved_0", 16, RESERVED),
        ),
        Layout("disconnect", ("reason", 8), ("reserved_0", 24, RESERVED)),
        Layout(
            "path_open",
            ("reason", 8),
            ("attempt", 8),
            ("plane", 8),
            ("reserved_0", 8, RESERVED),
            ("start_sequence", 32),
        ),
        Layout("path_accept", ("right_edge", 32)),
        Layout("path_refuse", ("code", 8), ("reserved_0", 24, RESERVED)),
        Layout(
            "path_close",
            ("role", 8),
            ("reason", 8),
            ("attempt", 8),
            ("reserved_0", 8, RESERVED),
        ),
        Layout("probe", ("reason", 8), ("attempt", 8), ("acks_seen", 16)),
        Layout("port_status", ("version", 32), ("up", 16), ("reserved_0", 16, RESERVED)),
        Layout("port_status_ack", ("version", 32)),
        Layout("credit_probe", ("receive_index", 32)),
        Layout("credit", ("credit", 32)),
        Layout("rnr", ("reserved_0", 3, RESERVED), ("timer", 5), ("reserved_1", 24, RESERVED)),
    )
}
COMMON = LAYOUTS["common"]
PATH_BLOCK = LAYOUTS["path_block"]

# What stands behind the headers of an opcode [WIRE-LENGTH-HEADERS].
PAYLOAD, EMPTY, PATH_BLOCKS, OPTIONS, FILLER = (
    "PAYLOAD",
    "EMPTY",
    "PATH_BLOCKS",
    "OPTIONS",
    "FILLER",
)


class Opcode(NamedTuple):
    """A row of the opcode table [WIRE-OPCODES]."""

    name: str
    value: int
    headers: Tuple[Layout, ...]
    tail: str

    @property
    def size(self) -> int:
        """The bytes of all headers from the common header on."""
        return sum(header.size for header in self.headers)

    @property
    def travels_as_data(self) -> bool:
        """DATA packets, PROBE and PATH_OPEN have the traffic class of data [WIRE-TRAFFIC-CLASS].

        DATA is the class 0 of the opcode's two most significant bits [WIRE-OPCODE-CLASS].
        """
        return self.value >> 6 == 0 or self.name in ("probe", "path_open")


def _opcode(name: str, value: int, headers: str, tail: str = EMPTY) -> Tuple[int, Opcode]:
    return value, Opcode(name, value, tuple(LAYOUTS[name] for name in headers.split()), tail)


OPCODES: Dict[int, Opcode] = dict(
    (
        _opcode("write", 0x01, "common data write_target", PAYLOAD),
        _opcode(
            "write_with_immediate", 0x02, "common data write_target send_match immediate", PAYLOAD
        ),
        _opcode("send", 0x03, "common data send_match", PAYLOAD),
        _opcode("send_with_immediate", 0x04, "common data send_match immediate", PAYLOAD),
        _opcode("send_with_invalidate", 0x05, "common data send_match invalidate", PAYLOAD),
        _opcode("read_request", 0x06, "common data read_request"),
        _opcode("read_response", 0x07, "common data", PAYLOAD),
        _opcode("fetch_add", 0x08, "common data atomic"),
        _opcode("compare_swap", 0x09, "common data atomic"),
        _opcode("atomic_response", 0x0A, "common data atomic_response"),
        _opcode("void", 0x0B, "common data"),
        _opcode("ack", 0x41, "common ack", PATH_BLOCKS),
        _opcode("nack_invalid_request", 0x81, "common ctrl nack_request"),
        _opcode("nack_remote_access", 0x82, "common ctrl nack_request"),
        _opcode("nack_remote_operation", 0x83, "common ctrl nack_request"),
        _opcode("nack_bad_connection", 0x84, "common nack_connection"),
        _opcode("nack_closing", 0x85, "common ctrl"),
        _opcode("nack_bad_epoch", 0x86, "common ctrl nack_epoch"),
        _opcode("connect", 0xC1, "common ctrl connect", OPTIONS),
        _opcode("connect_reply", 0xC2, "common ctrl connect answer", OPTIONS),
        _opcode("connect_reject", 0xC3, "common ctrl connect_reject"),
        _opcode("connect_confirm", 0xC4, "common ctrl answer"),
        _opcode("disconnect", 0xC5, "common ctrl disconnect"),
        _opcode("disconnect_reply", 0xC6, "common ctrl"),
        _opcode("path_open", 0xC7, "common ctrl path_open", FILLER),
        _opcode("path_accept", 0xC8, "common ctrl answer path_accept"),
        _opcode("path_refuse", 0xC9, "common ctrl path_refuse"),
        _opcode("path_close", 0xCA, "common ctrl path_close"),
        _opcode("path_close_reply", 0xCB, "common ctrl"),
        _opcode("probe", 0xCC, "common ctrl probe"),
        _opcode("port_status", 0xCD, "common ctrl port_status"),
        _opcode("port_status_ack", 0xCE, "common ctrl port_status_ack"),
        _opcode("credit_probe", 0xCF, "common ctrl credit_probe"),
        _opcode("credit", 0xD0, "common ctrl credit"),
        _opcode("rnr", 0xD1, "common ctrl credit rnr"),
    )
)
