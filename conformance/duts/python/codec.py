"""Level codec: frames to records and back [CONF-DECODE, CONF-ENCODE].

`decode` applies the checks of section 4.2 in their order; `encode` builds the one canonical frame
of a record and lets `decode` confirm it.
"""

from __future__ import annotations

import struct
import zlib
from typing import Dict, List, NoReturn, Optional, Tuple

import wire
from records import DutError, Reader, Record
from wire import Bits, Layout, Opcode

ETHERTYPE_IPV4, ETHERTYPE_IPV6 = 0x0800, 0x86DD
VLAN_TAGS = (0x8100, 0x88A8)  # tag protocol identifiers of IEEE 802.1Q
VLAN_TAGS_MAX = 2
PROTOCOL_UDP = 17
IPV4_DF = 0x4000
IPV4_FRAGMENT = 0x3FFF  # MF and the fragment offset


class Rejected(Exception):
    """The frame fails a check; `code` is the reason of chapter 4."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def _reject(code: str) -> NoReturn:
    raise Rejected(code)


def _u16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big")


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


# --- Checksums ---------------------------------------------------------------------------------


def icrc(ip_header: bytes, rest: bytes) -> bytes:
    """The iCRC of a packet as it is sent, least significant byte first [WIRE-ICRC].

    `rest` goes from the UDP header to the pad. The fields that change in flight count as all
    ones [WIRE-ICRC-MASK]; zlib.crc32 is the CRC-32 of IEEE 802.3.
    """
    header, packet = bytearray(ip_header), bytearray(rest)
    if header[0] >> 4 == 4:
        header[1] = header[8] = header[10] = header[11] = 0xFF  # type of service, TTL, checksum
    else:
        header[0] |= 0x0F  # traffic class and flow label
        header[1:4] = b"\xff\xff\xff"
        header[7] = 0xFF  # hop limit
    packet[6:8] = b"\xff\xff"  # UDP checksum
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + header + packet))


def ones_complement_sum(data: bytes) -> int:
    """The one's complement sum of 16-bit words; 0xFFFF over a header with a right checksum."""
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


# --- Decode ------------------------------------------------------------------------------------


def decode(frame: bytes) -> Record:
    """The record of a frame that passes every check on the bytes alone; else raises Rejected."""
    record: Record = {}
    ip, ethertype = _ethernet(frame, record)
    # CHECK-FRAME
    udp, end = (_ipv4 if ethertype == ETHERTYPE_IPV4 else _ipv6)(frame, ip, record)
    if len(frame) - udp < wire.UDP_HEADER:
        _reject("frame-truncated")
    length = _u16(frame, udp + 4)
    if length < wire.UDP_HEADER or length != end - udp:
        _reject("udp-length")
    record["udp.source_port"] = _u16(frame, udp)
    record["udp.destination_port"] = _u16(frame, udp + 2)
    record["udp.checksum"] = _u16(frame, udp + 6)
    if record["udp.destination_port"] != wire.UDP_PORT:  # CHECK-PORT
        _reject("not-metaroce")
    if length % 4 or length < wire.PACKET_MIN:  # CHECK-PACKET-LENGTH
        _reject("packet-length")
    _packet(frame[udp + wire.UDP_HEADER : end - wire.ICRC_BYTES], record)
    covered_to = end - wire.ICRC_BYTES
    if frame[covered_to:end] != icrc(frame[ip:udp], frame[udp:covered_to]):  # CHECK-ICRC
        _reject("icrc")
    return record


def _ethernet(frame: bytes, record: Record) -> Tuple[int, int]:
    """Where the IP header begins, and the EtherType."""
    if len(frame) < 14:
        _reject("frame-truncated")
    record["eth.dst"], record["eth.src"] = frame[0:6], frame[6:12]
    at = 12
    for i in range(VLAN_TAGS_MAX):
        if _u16(frame, at) not in VLAN_TAGS:
            break
        if len(frame) < at + 6:
            _reject("frame-truncated")
        record[f"eth.vlan[{i}]"] = _u32(frame, at)
        at += 4
    ethertype = _u16(frame, at)
    if ethertype not in (ETHERTYPE_IPV4, ETHERTYPE_IPV6):  # a third tag is not IP either
        _reject("not-ip")
    return at + 2, ethertype


def _ipv4(frame: bytes, ip: int, record: Record) -> Tuple[int, int]:
    """Where the UDP header begins, and where the packet ends."""
    room = len(frame) - ip
    if room < 20:
        _reject("frame-truncated")
    header, total = (frame[ip] & 0x0F) * 4, _u16(frame, ip + 2)
    if room < header or room < total:
        _reject("frame-truncated")
    if frame[ip] >> 4 != 4 or header < 20 or total < header:
        _reject("ip-header")
    flags = _u16(frame, ip + 6)
    if flags & IPV4_FRAGMENT:
        _reject("ip-fragment")
    if ones_complement_sum(frame[ip : ip + header]) != 0xFFFF:
        _reject("ip-checksum")
    if frame[ip + 9] != PROTOCOL_UDP:
        _reject("not-udp")
    record["ip.version"] = 4
    record["ip.src"], record["ip.dst"] = frame[ip + 12 : ip + 16], frame[ip + 16 : ip + 20]
    record["ip.dscp"], record["ip.ecn"] = frame[ip + 1] >> 2, frame[ip + 1] & 3
    record["ip.ttl"] = frame[ip + 8]
    record["ip.id"] = _u16(frame, ip + 4)
    record["ip.df"] = 1 if flags & IPV4_DF else 0
    if header > 20:
        record["ip.options"] = frame[ip + 20 : ip + header]
    return ip + header, ip + total


def _ipv6(frame: bytes, ip: int, record: Record) -> Tuple[int, int]:
    """Where the UDP header begins, and where the packet ends."""
    room = len(frame) - ip
    if room < 40 or room < 40 + _u16(frame, ip + 4):
        _reject("frame-truncated")
    if frame[ip] >> 4 != 6:
        _reject("ip-header")
    if frame[ip + 6] != PROTOCOL_UDP:  # an extension header is a protocol other than UDP
        _reject("not-udp")
    word = _u32(frame, ip)
    record["ip.version"] = 6
    record["ip.src"], record["ip.dst"] = frame[ip + 8 : ip + 24], frame[ip + 24 : ip + 40]
    record["ip.dscp"], record["ip.ecn"] = word >> 22 & 0x3F, word >> 20 & 3
    record["ip.ttl"] = frame[ip + 7]
    record["ip.flow_label"] = word & 0xFFFFF
    return ip + 40, ip + 40 + _u16(frame, ip + 4)


def _packet(packet: bytes, record: Record) -> None:
    """The MetaRoCE headers and the tail: all behind the UDP header but the iCRC."""
    if packet[0] >> 4 != wire.WIRE_VERSION:  # CHECK-VERSION
        _reject("version")
    opcode = wire.OPCODES.get(packet[1])
    if opcode is None:  # CHECK-OPCODE
        _reject("opcode-unknown")
    tail = packet[opcode.size :]
    if len(packet) < opcode.size:  # CHECK-LENGTH begins here
        _reject("length-short")
    derived: Dict[str, int] = {}
    at = 0
    for layout in opcode.headers:
        _take_fields(layout, packet, at, f"{layout.name}.", record, derived)
        at += layout.size
    pad = derived["common.pad"]
    if pad and (opcode.tail != wire.PAYLOAD or len(tail) <= pad):  # WIRE-PAD, WIRE-TAIL-PAYLOAD
        _reject("length-pad")
    if opcode.tail == wire.PAYLOAD:
        record["payload"] = tail[: len(tail) - pad]
    elif opcode.tail == wire.EMPTY:
        if tail:
            _reject("length-long")
    elif opcode.tail == wire.PATH_BLOCKS:
        _path_blocks(tail, derived["ack.blocks"], record)
    elif opcode.tail == wire.OPTIONS:
        record["filler"] = _options(tail, record)
    else:
        record["filler"] = len(tail)


def _take_fields(
    layout: Layout, data: bytes, at: int, prefix: str, record: Record, derived: Dict[str, int]
) -> None:
    for field, value in layout.unpack(data, at).items():
        if field.role == wire.DERIVED:
            derived[prefix + field.name] = value
        else:
            record[prefix + field.name] = value


def _path_blocks(tail: bytes, count: int, record: Record) -> None:
    """WIRE-TAIL-BLOCKS: the count is judged before the length."""
    if not wire.BLOCKS_MIN <= count <= wire.BLOCKS_MAX:
        _reject("block-count")
    at = 0
    for i in range(count):
        bitmap = at + wire.PATH_BLOCK.size
        if len(tail) < bitmap:
            _reject("block-length")
        derived: Dict[str, int] = {}
        prefix = f"path_block[{i}]."
        _take_fields(wire.PATH_BLOCK, tail, at, prefix, record, derived)
        at = bitmap + wire.BITMAP_BYTES[derived[prefix + "bitmap_code"]]
        if len(tail) < at:
            _reject("block-length")
        record[prefix + "bitmap"] = tail[bitmap:at]
    if at != len(tail):
        _reject("block-length")


def _options(tail: bytes, record: Record) -> int:
    """WIRE-TAIL-OPTIONS. Gives the bytes of filler, from the type field 0 on.

    The room is a multiple of four [WIRE-LENGTH-UDP]: where a byte is, a type and a length are.
    """
    at = i = 0
    while at < len(tail) and _u16(tail, at) != 0:
        value, end = at + 4, at + 4 + _u16(tail, at + 2)
        if end > len(tail):
            _reject("options")
        record[f"option[{i}].type"] = _u16(tail, at)
        record[f"option[{i}].value"] = tail[value:end]
        at = end + -end % 4
        i += 1
    return len(tail) - at


# --- Encode ------------------------------------------------------------------------------------

Constants = Dict[str, int]


def encode(record: Record, constants: Optional[Constants] = None) -> bytes:
    """The one canonical frame with these fields [CONF-ENCODE].

    `constants` may replace `hop_limit`, `data_dscp` and `control_dscp` [CONF-CONSTANTS].
    """
    fields = Reader(record)
    number = fields.number("common.opcode", 8)
    opcode = wire.OPCODES.get(number)
    if opcode is None:
        raise DutError(f"there is no opcode {number:#04x}")
    packet = _build_packet(fields, opcode)
    ethernet, ip, udp = _build_lower_layers(fields, opcode, len(packet), constants or {})
    fields.finish()
    covered = udp + packet
    frame = ethernet + ip + covered + icrc(ip, covered)
    try:
        decode(frame)
    except Rejected as rejected:
        raise DutError(f"no canonical frame has these fields: {rejected.code}") from None
    return frame


def _build_packet(fields: Reader, opcode: Opcode) -> bytes:
    """All behind the UDP header but the iCRC."""
    tail = pad = b""
    blocks = 0
    if opcode.tail == wire.PAYLOAD:
        tail = fields.data("payload", range(1 << 16))
        pad = bytes(-len(tail) % 4)  # WIRE-TAIL-PAYLOAD
    elif opcode.tail == wire.PATH_BLOCKS:
        blocks = fields.count("path_block")
        if not wire.BLOCKS_MIN <= blocks <= wire.BLOCKS_MAX:
            raise DutError(f"an ACK has one to four path blocks, not {blocks}")
        tail = b"".join(_build_path_block(fields, f"path_block[{i}].") for i in range(blocks))
    elif opcode.tail == wire.OPTIONS:
        options = range(fields.count("option"))
        tail = b"".join(_build_option(fields, f"option[{i}].") for i in options)
        tail += _build_filler(fields)
    elif opcode.tail == wire.FILLER:
        tail = _build_filler(fields)

    derived = {"common.pad": len(pad), "ack.blocks": blocks, "common.opcode": opcode.value}
    defaults = {"common.version": wire.WIRE_VERSION}

    def pack(layout: Layout) -> bytes:
        def value_of(field: Bits) -> int:
            name = f"{layout.name}.{field.name}"
            if name in derived:
                return derived[name]
            return fields.number(name, field.bits, defaults.get(name, 0))

        return layout.pack(value_of)

    return b"".join(pack(layout) for layout in opcode.headers) + tail + pad


def _build_path_block(fields: Reader, prefix: str) -> bytes:
    bitmap = fields.data(prefix + "bitmap", wire.BITMAP_BYTES)

    def value_of(field: Bits) -> int:
        if field.name == "bitmap_code":
            return wire.BITMAP_BYTES.index(len(bitmap))
        return fields.number(prefix + field.name, field.bits, 0)

    return wire.PATH_BLOCK.pack(value_of) + bitmap


def _build_option(fields: Reader, prefix: str) -> bytes:
    kind = fields.number(prefix + "type", 16)
    if kind == 0:
        raise DutError(f"{prefix}type is never 0")
    value = fields.data(prefix + "value", range(1 << 16))
    return struct.pack(">HH", kind, len(value)) + value + bytes(-len(value) % 4)


def _build_filler(fields: Reader) -> bytes:
    filler = fields.number("filler", 16, 0)
    if filler % 4:
        raise DutError("the filler is a multiple of four bytes")
    return bytes(filler)


def _build_lower_layers(
    fields: Reader, opcode: Opcode, packet_size: int, constants: Constants
) -> Tuple[bytes, bytes, bytes]:
    """Ethernet, IP and UDP header, with the defaults of [CONF-CODEC-FRAME]."""
    tags: List[int] = []
    for i in range(fields.count("eth.vlan")):
        tags.append(fields.number(f"eth.vlan[{i}]", 32))
    ethernet = fields.data("eth.dst", (6,), bytes.fromhex("020000000002"))
    ethernet += fields.data("eth.src", (6,), bytes.fromhex("020000000001"))
    ethernet += b"".join(struct.pack(">I", tag) for tag in tags)

    src, dst = fields.data("ip.src", (4, 16)), fields.data("ip.dst", (4, 16))
    version = fields.number("ip.version", 4, 6 if 16 in (len(src), len(dst)) else 4)
    if version == 4:
        src, dst = src or bytes((192, 0, 2, 1)), dst or bytes((192, 0, 2, 2))
    else:
        prefix = bytes.fromhex("20010db8") + bytes(11)  # 2001:db8::
        src, dst = src or prefix + b"\x01", dst or prefix + b"\x02"
    if version not in (4, 6) or {len(src), len(dst)} != {4 if version == 4 else 16}:
        raise DutError("the IP version and the lengths of the addresses do not agree")

    source_port = fields.number("udp.source_port", 16, wire.ENTROPY_MIN)
    udp_length = wire.UDP_HEADER + packet_size + wire.ICRC_BYTES
    if udp_length > 0xFFFF:
        raise DutError("the packet is longer than UDP allows")
    udp = struct.pack(
        ">HHHH",
        source_port,
        fields.number("udp.destination_port", 16, wire.UDP_PORT),
        udp_length,
        fields.number("udp.checksum", 16, 0),  # WIRE-UDP-CHECKSUM
    )

    if opcode.travels_as_data:  # WIRE-TRAFFIC-CLASS
        dscp_default = constants.get("data_dscp", wire.DATA_DSCP)
    else:
        dscp_default = constants.get("control_dscp", wire.CONTROL_DSCP)
    traffic_class = fields.number("ip.dscp", 6, dscp_default) << 2
    traffic_class |= fields.number("ip.ecn", 2, wire.ECN_ECT0)
    ttl = fields.number("ip.ttl", 8, constants.get("hop_limit", wire.HOP_LIMIT))

    if version == 6:
        flow_label = fields.number("ip.flow_label", 20, source_port)  # WIRE-FLOW-LABEL
        word = 6 << 28 | traffic_class << 20 | flow_label
        ip = struct.pack(">IHBB", word, udp_length, PROTOCOL_UDP, ttl) + src + dst
        return ethernet + struct.pack(">H", ETHERTYPE_IPV6), ip, udp

    options = fields.data("ip.options", range(4, 41, 4))
    header = 20 + len(options)
    if header + udp_length > 0xFFFF:
        raise DutError("the packet is longer than IPv4 allows")
    ip = struct.pack(
        ">BBHHHBBH",
        4 << 4 | header // 4,
        traffic_class,
        header + udp_length,
        fields.number("ip.id", 16, 0),
        IPV4_DF if fields.number("ip.df", 1, 1) else 0,
        ttl,
        PROTOCOL_UDP,
        0,
    )
    ip += src + dst + options
    checksum = struct.pack(">H", ones_complement_sum(ip) ^ 0xFFFF)
    ip = ip[:10] + checksum + ip[12:]
    return ethernet + struct.pack(">H", ETHERTYPE_IPV4), ip, udp
