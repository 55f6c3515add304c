#!/usr/bin/env python3
"""Tests of the DUT: frames and sequences made by hand from the text."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
import unittest
from typing import List, Optional, Tuple

import codec
import contract
import metaroce_dut
import wire
from contract import Advance, Apply, Block, Decode, Encode, Event, Reset, field
from records import DutError, Record, Value
from receive_path import ReceiveVector, distance

# A VOID over IPv4, laid out by hand, without its iCRC.
VOID_ETHERNET = bytes.fromhex("020000000002 020000000001 0800")
VOID_IP = bytes.fromhex("45 6a 0044 0000 4000 40 11 b63b c0000201 c0000202")
VOID_UDP = bytes.fromhex("c000 d607 0030 0000")
VOID_COMMON = bytes.fromhex("10 0b a0 03 02 000005 00000009 0000000c")
VOID_DATA = bytes.fromhex("00000007 0000 0006 00000000 00000000 00000000")

CONNECT: Record = {"common.opcode": 0xC1, "option[0].type": 5, "option[0].value": b"12345"}


def slow_icrc(covered: bytes) -> bytes:
    """CRC-32 of IEEE 802.3, bit by bit."""
    register = 0xFFFFFFFF
    for byte in covered:
        for i in range(8):
            feedback = (register ^ byte >> i) & 1
            register = register >> 1 ^ (0xEDB88320 if feedback else 0)
    return (register ^ 0xFFFFFFFF).to_bytes(4, "little")


def reseal(frame: bytes) -> bytes:
    """An untagged IPv4 frame without options, with its header checksum and iCRC made right."""
    ip, rest = bytearray(frame[14:34]), frame[34:-4]
    ip[10:12] = b"\0\0"
    ip[10:12] = (codec.ones_complement_sum(bytes(ip)) ^ 0xFFFF).to_bytes(2, "big")
    return frame[:14] + bytes(ip) + rest + codec.icrc(bytes(ip), rest)


def patch(frame: bytes, at: int, new: bytes) -> bytes:
    return frame[:at] + new + frame[at + len(new) :]


class CodecTest(unittest.TestCase):
    """Level codec."""

    def rejects(self, frame: bytes, code: str) -> None:
        with self.assertRaises(codec.Rejected) as caught:
            codec.decode(frame)
        self.assertEqual(caught.exception.code, code)

    def test_void_by_hand(self) -> None:
        masked_ip = VOID_IP[:1] + b"\xff" + VOID_IP[2:8] + b"\xff\x11\xff\xff" + VOID_IP[12:]
        packet = VOID_COMMON + VOID_DATA
        crc = slow_icrc(b"\xff" * 8 + masked_ip + VOID_UDP[:6] + b"\xff\xff" + packet)
        frame = VOID_ETHERNET + VOID_IP + VOID_UDP + packet + crc
        record = codec.decode(frame)
        expected = {
            "ip.dscp": 26,
            "ip.ecn": 2,
            "ip.df": 1,
            "common.ar": 1,
            "common.rtx": 0,
            "common.moved": 1,
            "common.path": 3,
            "common.epoch": 2,
            "common.cid": 5,
            "common.number": 9,
            "common.transmit_time": 12,
            "data.csn": 7,
            "data.acks_seen": 6,
        }
        for name, value in expected.items():
            self.assertEqual(record[name], value, name)
        self.assertNotIn("common.pad", record)
        self.assertNotIn("common.reserved_0", record)
        self.assertEqual(codec.encode(record), frame)

    def test_encode_of_decode_is_the_frame(self) -> None:
        tags: Record = {"eth.vlan[0]": 0x88A80001, "eth.vlan[1]": 0x81000FFF}
        blocks: Record = {"path_block[0].bitmap": b"\0" * 7 + b"\2", "path_block[1].hold": 1}
        records: List[Record] = [
            {"common.opcode": 0x01, "payload": b"abcde", **tags},
            {"common.opcode": 0x03, "ip.options": b"\1" * 40, "ip.df": 0, "udp.checksum": 0xFFFF},
            {"common.opcode": 0x41, "ip.version": 6, **blocks},
            {"common.opcode": 0xC7, "filler": 1024, "ip.src": b"\xfe" * 16, "ip.flow_label": 1},
            {**CONNECT, "option[1].type": 0xFFFF, "filler": 8},
        ]
        records += [{"common.opcode": value} for value in wire.OPCODES if value != 0x41]
        for record in records:
            frame = codec.encode(record)
            decoded = codec.decode(frame)
            self.assertEqual(codec.encode(decoded), frame)
            self.assertEqual(decoded, {**decoded, **record})

    def test_traffic_class_and_flow_label(self) -> None:
        for opcode, dscp in ((0x01, 26), (0xCC, 26), (0xC7, 26), (0xC1, 48), (0x84, 48)):
            record = codec.decode(codec.encode({"common.opcode": opcode}))
            self.assertEqual((record["ip.dscp"], record["ip.ecn"]), (dscp, 2))
        record = codec.decode(codec.encode({"common.opcode": 0x0B, "ip.version": 6}))
        self.assertEqual(record["ip.flow_label"], 0xC000)
        self.assertEqual(record["ip.src"], bytes.fromhex("20010db8000000000000000000000001"))

    def test_what_changes_in_flight_is_masked(self) -> None:
        frame = codec.encode({"common.opcode": 0x0B, "ip.version": 6})
        for at in (15, 16, 17, 21, 60, 61):  # traffic class, flow label, hop limit, UDP checksum
            codec.decode(patch(frame, at, bytes([frame[at] ^ 0x0F])))
        self.rejects(patch(frame, 55, b"\1"), "icrc")  # the UDP source port
        self.rejects(patch(frame, len(frame) - 6, b"\1"), "icrc")

    def test_reasons_below_the_transport(self) -> None:
        frame = codec.encode({"common.opcode": 0x0B})
        for end in range(len(frame)):
            self.rejects(frame[:end], "frame-truncated")
        self.assertEqual(codec.decode(frame + b"padding"), codec.decode(frame))
        self.rejects(patch(frame, 12, b"\x08\x06"), "not-ip")
        self.rejects(patch(frame, 12, bytes.fromhex("8100000188a8000281000003")), "not-ip")
        self.rejects(patch(frame, 14, b"\x44"), "ip-header")
        self.rejects(patch(frame, 14, b"\x65"), "ip-header")
        self.rejects(patch(frame, 16, b"\0\x13"), "ip-header")
        self.rejects(patch(frame, 20, b"\x20"), "ip-fragment")
        self.rejects(patch(frame, 22, b"\x41"), "ip-checksum")
        self.rejects(reseal(patch(frame, 23, b"\x06")), "not-udp")
        self.rejects(patch(frame, 38, b"\0\x2f"), "udp-length")
        self.rejects(patch(frame, 36, b"\x12\xb7"), "not-metaroce")

    def test_reasons_of_the_packet(self) -> None:
        frame = codec.encode({"common.opcode": 0x0B})
        self.rejects(patch(frame, 42, b"\x20"), "version")
        self.rejects(patch(frame, 43, b"\xff"), "opcode-unknown")
        self.rejects(patch(frame, 43, b"\x08"), "length-short")
        self.rejects(patch(frame, 43, b"\xce"), "length-long")
        self.rejects(patch(frame, 42, b"\x14\xce"), "length-pad")
        self.rejects(patch(frame, 42, b"\x14\x07"), "length-pad")
        self.rejects(frame[:-1] + bytes([frame[-1] ^ 1]), "icrc")
        codec.decode(reseal(patch(frame, 42, b"\x13")))  # reserved bits are ignored
        ack = codec.encode({"common.opcode": 0x41, "path_block[0].path": 1})
        self.rejects(patch(ack, 66, b"\0"), "block-count")
        self.rejects(patch(ack, 66, b"\5"), "block-count")
        self.rejects(patch(ack, 66, b"\2"), "block-length")
        self.rejects(patch(ack, 76, b"\x40"), "block-length")
        connect = codec.encode(CONNECT)
        self.rejects(patch(connect, 112, b"\0\x09"), "options")
        self.assertEqual(codec.decode(reseal(patch(connect, 110, b"\0\0")))["filler"], 12)

    def test_what_no_canonical_frame_has(self) -> None:
        refused: Tuple[Record, ...] = (
            {},
            {"common.opcode": 0x00},
            {"common.opcode": 0x0B, "payload": b"x"},
            {"common.opcode": 0x0B, "common.pad": 0},
            {"common.opcode": 0x0B, "data.stream": 1 << 16},
            {"common.opcode": 0x0B, "ip.src": b"1234", "ip.dst": b"1" * 16},
            {"common.opcode": 0x0B, "ip.flow_label": 1},
            {"common.opcode": 0x0B, "eth.vlan[1]": 0x81000001},
            {"common.opcode": 0x0B, "udp.destination_port": 4791},
            {"common.opcode": 0x41},
            {"common.opcode": 0xC1, "filler": 3},
            {"common.opcode": 0xC1, "option[0].value": b""},
        )
        for record in refused:
            with self.assertRaises(DutError, msg=str(record)):
                codec.encode(record)

    def test_any_bytes(self) -> None:
        """CHECK-TOTAL: every sequence of bytes passes, or fails with one reason."""
        draw = random.Random(1)
        seeds = [codec.encode({"common.opcode": value}) for value in (0x01, 0x0B, 0xC7)]
        seeds += [codec.encode(CONNECT), codec.encode({"common.opcode": 0x07, "ip.version": 6})]
        seeds.append(codec.encode({"common.opcode": 0x41, "path_block[0].path": 1}))
        for _ in range(5000):
            frame = bytearray(draw.choice(seeds))
            for _ in range(draw.randrange(1, 4)):
                frame[draw.randrange(12, len(frame))] = draw.choice((0, 1, 0x7F, 0x80, 0xFF))
            del frame[draw.choice((len(frame), draw.randrange(len(frame)))) :]
            try:
                codec.decode(bytes(frame))
            except codec.Rejected:
                pass


class ReceiveVectorTest(unittest.TestCase):
    """The block `receive-vector`."""

    def test_outcomes_across_the_wrap(self) -> None:
        path = ReceiveVector(0xFFFFFFFE)
        outcomes = [
            path.data(sequence & 0xFFFFFFFF, 0, time)
            for time, sequence in enumerate((-2, 1, 0, 1, -1, -2, 258, 257, 2))
        ]
        self.assertEqual(
            outcomes,
            ["in-order", "hole", "late", "duplicate", "fill", "duplicate"]
            + ["beyond-window", "hole", "fill"],
        )
        self.assertEqual(
            path.block(),
            {
                "base": 3,
                "bitmap": (1 << 254).to_bytes(32, "big"),
                "arrivals": 8,
                "ce": 0,
                "duplicates": 2,
                "echo": 8,
            },
        )

    def test_bitmap_lengths(self) -> None:
        for ahead, length in ((63, 8), (64, 16), (127, 16), (128, 32), (255, 32)):
            path = ReceiveVector(10)
            self.assertEqual(path.data(10 + ahead, 1, 0), "hole")
            bitmap = path.block()["bitmap"]
            self.assertEqual(bitmap, (1 << ahead).to_bytes(length, "big"))

    def test_far_numbers_and_counts(self) -> None:
        self.assertEqual(distance(0, 1 << 31), -(1 << 31))
        path = ReceiveVector(0)
        self.assertEqual(path.data(1 << 31, 0, 5), "duplicate")
        self.assertEqual(path.data((1 << 31) - 1, 0, 6), "beyond-window")
        path.arrivals, path.ce, path.duplicates = 0xFFFF, 0xFFFF, 0xFF
        path.data(0xFFFFFFFF, 1, 7)
        path.probe(8)
        block = path.block()
        names = ("arrivals", "ce", "duplicates", "echo", "bitmap")
        self.assertEqual([block[name] for name in names], [0, 0, 0, 8, b""])


class DeviceTest(unittest.TestCase):
    """Blocks and levels through Device, and the bytes of the contract."""

    def reset(self, level: str, block: str = "", config: Optional[Record] = None) -> None:
        self.device = metaroce_dut.Device()
        answer = self.device.answer(Reset(level, block, config or {}))
        self.assertEqual(answer, contract.done([]))

    def packet(self, at_ns: int, *events: Event, **fields: Value) -> None:
        request = Apply(at_ns, Block({"kind": "data", **fields}))
        self.assertEqual(self.device.answer(request), contract.done(list(events)))

    def advance(self, to_ns: int, *events: Event) -> None:
        self.assertEqual(self.device.answer(Advance(to_ns)), contract.done(list(events)))

    @staticmethod
    def ack(at_ns: int, arrivals: int, hold: int, **changes: Value) -> Event:
        block: Record = {"base": arrivals, "bitmap": b"", "arrivals": arrivals, "ce": 0}
        return Event(at_ns, {**block, "duplicates": 0, "echo": 0, **changes, "hold": hold})

    def test_coalescing_time(self) -> None:
        self.reset("block", "ack-generation", {"ack_delay_max": 100, "probe_delay": 200})
        self.packet(10, sequence=0)
        self.packet(110, sequence=1)  # in the nanosecond of the expiry: the packet comes first
        self.advance(200, self.ack(110, 2, 0))
        self.packet(300, sequence=2)
        self.packet(350, sequence=3)
        self.packet(401, self.ack(400, 4, 50), sequence=4)
        self.advance(500)
        self.advance(501, self.ack(501, 5, 100))
        self.advance(10_000)

    def test_coalescing_count(self) -> None:
        self.reset("block", "ack-generation", {"ack_every": 3})
        for start in (0, 3):
            self.packet(start, sequence=start)
            self.packet(start, sequence=start + 1)
            self.packet(start + 1, self.ack(start + 1, start + 3, 0), sequence=start + 2)
        self.advance(100_000)

    def test_at_once(self) -> None:
        self.reset("block", "ack-generation")
        beyond = self.ack(5, 0, 0xFFFFFFFF)  # no arrival so far
        self.packet(5, beyond, sequence=256)
        self.packet(6, self.ack(6, 1, 0), sequence=0, ar=1)
        self.packet(7, self.ack(7, 2, 0), sequence=1, csn_duplicate=1)
        hole = self.ack(8, 3, 0, base=2, bitmap=b"\0" * 7 + b"\2")
        self.packet(8, hole, sequence=3)
        self.packet(9, self.ack(9, 4, 0, echo=77), sequence=2, transmit_time=77)
        self.packet(10, self.ack(10, 5, 0, base=4, duplicates=1), sequence=0)
        self.packet(11, sequence=4)
        self.packet(
            12, self.ack(12, 6, 0, base=5, duplicates=1, echo=9), kind="probe", transmit_time=9
        )
        self.packet(20, self.ack(20, 6, 8, base=5, duplicates=1, echo=9), sequence=261)
        self.advance(100_000)

    def test_time_does_not_go_back(self) -> None:
        self.reset("block", "ack-generation")
        self.advance(10)
        self.advance(10)
        with self.assertRaises(DutError):
            self.device.answer(Apply(10, Block({"kind": "data"})))

    def test_unsupported(self) -> None:
        device = metaroce_dut.Device()
        for reset, capability in (
            (Reset("endpoint", "", {}), "endpoint-receiver"),
            (Reset("block", "icrc", {}), "block-icrc"),
        ):
            self.assertEqual(device.answer(reset), contract.unsupported(capability))
            with self.assertRaises(DutError):
                device.answer(Advance(1))

    def test_codec(self) -> None:
        self.reset("codec", config={"hop_limit": 9})
        frame = codec.encode({"common.opcode": 0x0B, "ip.ttl": 9})
        answer = self.device.answer(Apply(0, Encode({"common.opcode": 0x0B})))
        self.assertEqual(answer, contract.done([Event(0, frame)]))
        with self.assertRaises(codec.Rejected):
            self.device.answer(Apply(0, Decode(b"")))


class ContractTest(unittest.TestCase):
    """The process, and messages written by hand."""

    def serve(self, stream: bytes) -> List[bytes]:
        here = os.path.dirname(os.path.abspath(__file__))
        command = [sys.executable, os.path.join(here, "metaroce_dut.py")]
        result = subprocess.run(command, input=stream, stdout=subprocess.PIPE, check=True)
        answers: List[bytes] = []
        out = io.BytesIO(result.stdout)
        while True:
            message = contract.read_message(out)
            if message is None:
                return answers
            answers.append(message)

    @staticmethod
    def message(hexadecimal: str) -> bytes:
        body = bytes.fromhex(hexadecimal)
        return len(body).to_bytes(4, "big") + body

    def test_a_process(self) -> None:
        stream = self.message("08 01 22 02 08 01")  # Hello of contract 1
        stream += self.message("2a 07 0a 05")  # Reset that ends within a field
        stream += self.message("08 03 2a 07 0a 05" + b"codec".hex())
        stream += self.message("08 04 12 01 61 18 01 32 04 12 02 0a 00")  # Decode of no bytes
        stream += self.message("08 ac 02 7a 01 00 42 00")  # id 300, an unknown field, Snapshot
        stream += self.message("08 06 4a 00") + self.message("08 07 4a 00")  # Bye, and too much
        answers = self.serve(stream)
        self.assertEqual(len(answers), 6)
        self.assertTrue(answers[0].startswith(bytes.fromhex("0801 12")))
        self.assertTrue(answers[1].startswith(bytes.fromhex("0800 32")))
        self.assertEqual(answers[2], bytes.fromhex("0803 1a00"))
        self.assertEqual(answers[3], field(1, 4) + contract.reject("frame-truncated"))
        self.assertEqual(answers[4], field(1, 300) + contract.unsupported("snapshot"))
        self.assertEqual(answers[5], bytes.fromhex("0806 1a00"))

    def test_end_of_file(self) -> None:
        for stream in (b"", b"\0\0", b"\0\0\0\x09\x08\x01"):
            self.assertEqual(self.serve(stream), [])

    def test_members_of_a_oneof_are_present(self) -> None:
        event = Event(0, {"a": 0, "b": b"", "c": ""})
        expected = "1a1b 0a19 0800 1215 0a05 0a0161 1000 0a05 0a0162 1a00 0a05 0a0163 2200"
        self.assertEqual(contract.done([event]).hex(), expected.replace(" ", ""))

    def test_any_message(self) -> None:
        draw = random.Random(2)
        device = metaroce_dut.Device()
        record = field(1, field(1, "kind") + field(4, "data"))
        apply = field(6, field(1, 1) + field(4, record))
        reset = field(5, field(1, "block") + field(2, "ack-generation"))
        encode = field(6, field(3, field(1, field(1, "common.opcode") + field(2, 11))))
        for _ in range(5000):
            message = bytearray(field(1, 7) + draw.choice((reset, apply, encode)))
            for _ in range(draw.randrange(3)):
                message[draw.randrange(len(message))] = draw.randrange(256)
            answer, _ = metaroce_dut.serve_message(device, bytes(message))
            self.assertNotIn(b"defect", answer)


if __name__ == "__main__":
    unittest.main()
