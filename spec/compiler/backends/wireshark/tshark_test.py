#!/usr/bin/python3
"""The generated dissector in tshark: every field of every kind of packet by name, and no bytes that
make it fail.

usage: tshark_test.py METAROCE.LUA SPEC.JSON
"""

import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testing"))
import wirepack

TSHARK = "/usr/bin/tshark"
UNITS = {"NANOSECONDS": " ns", "BYTES": " bytes", "PACKETS": " packets"}

LUA = SPEC = PORT = None


def frame(payload, v6=False, source=0xC123, destination=None):
    """An Ethernet frame that carries `payload` in UDP."""
    udp = struct.pack(">HHHH", source, destination or PORT, 8 + len(payload), 0) + payload
    ethernet = bytes(range(2, 14))
    if v6:
        header = (
            struct.pack(">IHBB", 0x6000C123, len(udp), 17, 64)
            + bytes(15)
            + b"\1"
            + bytes(15)
            + b"\2"
        )
        return ethernet + b"\x86\xdd" + header + udp
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0)
    return ethernet + b"\x08\x00" + header + b"\x0a\0\0\1\x0a\0\0\2" + udp


def write_pcap(path, frames):
    """frames: (bytes captured, length on the wire)."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for i, (data, length) in enumerate(frames):
            f.write(struct.pack("<IIII", i, 0, len(data), length) + data)


def tshark(frames, *arguments):
    """Output of tshark over the frames; each is bytes, or bytes and length on the wire."""
    frames = [f if isinstance(f, tuple) else (f, len(f)) for f in frames]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test.pcap")
        write_pcap(path, frames)
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            [TSHARK, "-n", "-r", path, "-X", "lua_script:" + LUA] + list(arguments),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            check=False,
        )
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if (
        done.returncode != 0
        or re.search("lua", err, re.IGNORECASE)
        or re.search(r"Lua Error|\[Malformed Packet", out)
    ):
        raise AssertionError(
            "tshark %s: exit %d\n%s\n%s"
            % (
                " ".join(arguments),
                done.returncode,
                err,
                "\n".join(l for l in out.split("\n") if "Lua" in l or "[Malf" in l),
            )
        )
    return out


def dissect(frames):
    """For each frame the fields of the dissector, in their order, as XML elements."""
    root = xml.etree.ElementTree.fromstring(tshark(frames, "-T", "pdml"))
    packets = []
    for packet in root.iter("packet"):
        for proto in packet.iter("proto"):
            if proto.get("name") == "metaroce":
                packets.append(
                    [f for f in proto.iter("field") if f.get("name").startswith("metaroce.")]
                )
                break
        else:
            packets.append(None)
    return packets


class Expected:
    """A packet, and the fields that the dissector must show for it, in order."""

    def __init__(self, opcode, seed):
        self.opcode = opcode
        self.seed = seed
        self.data = b""
        self.fields = []  # (name, "int" or "bytes" or "none", value, field or None)

    def add(self, layout, forced):
        seed = self.seed * 1000 + len(self.fields)
        values = wirepack.patterned(layout, seed)
        for i, field in enumerate(layout.fields):
            names = sorted(SPEC.enums.get(field.get("enum", ""), {}))
            if names and self.seed % 2 == 0:
                values[field["name"]] = names[(self.seed // 2 + i) % len(names)]
            if field.get("reserved") and self.seed % 2 == 0:
                values[field["name"]] = 0
            if field.get("all_ones") and self.seed % 3 == 1:
                values[field["name"]] = 2 ** field["bits"] - 1
        values.update({k: v for k, v in forced.items() if k in values})
        self.data += layout.pack(values)
        self.fields.append(("metaroce." + layout.name, "none", None, None))
        for field in layout.fields:
            name = "metaroce.%s.%s" % (layout.name, field["name"])
            self.fields.append((name, "int", values[field["name"]], field))

    def add_bitmap(self, layout, code):
        length = layout.bitmap["lengths"][code] // 8
        if length == 0:
            return
        number = 0
        for i in range(0, length, 4):
            number = number << 32 | wirepack.pattern(self.seed * 77 + i, 32)
        data = number.to_bytes(length, "big")
        self.data += data
        name = "metaroce.%s.%s" % (layout.name, layout.bitmap["name"])
        self.fields.append((name, "bytes", data, None))
        self.fields.append((name + ".count", "int", bin(number).count("1"), None))

    def add_bytes(self, name, data):
        self.data += data
        self.fields.append(("metaroce." + name, "bytes", data, None))

    def add_number(self, name, value, size):
        self.data += value.to_bytes(size, "big")
        self.fields.append(("metaroce." + name, "int", value, None))

    def close(self):
        icrc = bytes([0x78, 0x56, 0x34, self.seed & 0xFF])
        self.data += icrc
        self.fields.append(("metaroce.icrc", "int", int.from_bytes(icrc, "little"), None))


def junk(seed, length):
    return bytes(wirepack.pattern(seed + i, 8) for i in range(length))


def build(opcode, seed, blocks=1, codes=(0,), payload=0, options=(), there=None):
    """A right packet of the opcode. blocks and codes are for PATH_BLOCKS, payload for PAYLOAD.

    With `there` that many blocks follow, whatever the count says.
    """
    tail = opcode["tail"]
    packet = Expected(opcode, seed)
    pad = -payload % 4 if tail == "PAYLOAD" else 0
    forced = {"opcode": opcode["value"], "pad": pad}
    if "wire_version" in SPEC.constants:
        forced["version"] = SPEC.constants["wire_version"]["default"]
    for i, name in enumerate(opcode["header"]):
        own = dict(forced) if i == 0 else {}
        if tail == "PATH_BLOCKS" and opcode["count_field"].split(".")[0] == name:
            own[opcode["count_field"].split(".")[1]] = blocks
        packet.add(SPEC.layouts[name], own)
    if tail == "PAYLOAD":
        packet.fields.append(("metaroce.payload.length", "int", payload, None))
        if payload:
            packet.add_bytes("payload", junk(seed, payload))
        if pad:
            packet.add_bytes("pad", bytes(pad))
    if tail == "PATH_BLOCKS":
        layout = SPEC.layouts[opcode["repeat"]]
        for i in range(blocks if there is None else there):
            own = {}
            if layout.bitmap:
                own[layout.bitmap["selected_by"]] = codes[i % len(codes)]
            packet.add(layout, own)
            if layout.bitmap:
                packet.add_bitmap(layout, codes[i % len(codes)])
    if tail == "OPTIONS":
        for kind, length in options:
            packet.fields.append(("metaroce.option", "none", None, None))
            packet.add_number("option.type", kind, 2)
            packet.add_number("option.length", length, 2)
            if length:
                packet.add_bytes("option.value", junk(seed, length))
            if length % 4:
                packet.add_bytes("option.padding", bytes(-length % 4))
    if (tail == "OPTIONS" and options) or (tail == "FILLER" and payload):
        packet.add_bytes("filler", bytes(8) + junk(seed, 12))
    packet.close()
    return packet


def right_packets():
    """Each opcode with several values in each field; each bitmap length; payloads with each pad."""
    packets = []
    for opcode in SPEC.opcodes:
        variants = 2 + 2 * max(
            [
                len(SPEC.enums.get(f.get("enum", ""), {}))
                for name in opcode["header"][1:]
                for f in SPEC.layouts[name].fields
            ]
            + [2]
        )
        for seed in range(min(variants, 40)):
            packets.append(
                build(
                    opcode,
                    seed,
                    blocks=opcode.get("count_min", 1),
                    payload=seed * 7,
                    options=[(1 + seed, seed), (0xFFFF, 3)] if seed else (),
                )
            )
        if opcode["tail"] == "PATH_BLOCKS":
            layout = SPEC.layouts[opcode["repeat"]]
            codes = range(len(layout.bitmap["lengths"])) if layout.bitmap else [0]
            for blocks in range(opcode["count_min"], opcode["count_max"] + 1):
                for code in codes:
                    rotated = [(code + i) % len(codes) for i in range(blocks)]
                    packets.append(build(opcode, 50 + code, blocks=blocks, codes=rotated))
    return packets


def receiver_reason(data):
    """The reason of the checks on the bytes alone, from the version on, or "". Not the iCRC's."""
    common = SPEC.layouts[SPEC.common]
    if len(data) % 4 != 0 or len(data) < common.bytes + 4:
        return "packet-length"

    def field(start, layout, name):
        for f in layout.fields:
            if f["name"] == name:
                number = int.from_bytes(data[start : start + layout.bytes], "big")
                return number >> (layout.bytes * 8 - f["first_bit"] - f["bits"]) & (
                    2 ** f["bits"] - 1
                )
        raise KeyError(name)

    if field(0, common, "version") != SPEC.constants["wire_version"]["default"]:
        return "version"
    known = [o for o in SPEC.opcodes if o["value"] == field(0, common, "opcode")]
    if not known:
        return "opcode-unknown"
    opcode = known[0]
    starts, at = {}, 0
    for name in opcode["header"]:
        starts[name] = at
        at += SPEC.layouts[name].bytes
    end = len(data) - 4
    room = end - at
    if room < 0:
        return "length-short"
    pad = field(0, common, "pad")
    if opcode["tail"] == "PAYLOAD":
        return "length-pad" if pad > room or (pad and pad == room) else ""
    if pad:
        return "length-pad"
    if opcode["tail"] == "EMPTY":
        return "length-long" if room else ""
    if opcode["tail"] == "PATH_BLOCKS":
        name, count_field = opcode["count_field"].split(".")
        count = field(starts[name], SPEC.layouts[name], count_field)
        if not opcode["count_min"] <= count <= opcode["count_max"]:
            return "block-count"
        block = SPEC.layouts[opcode["repeat"]]
        for _ in range(count):
            if at + block.bytes > end:
                return "block-length"
            code = field(at, block, block.bitmap["selected_by"])
            at += block.bytes
            if code >= len(block.bitmap["lengths"]):
                return "block-length"
            at += block.bitmap["lengths"][code] // 8
        return "" if at == end else "block-length"
    while opcode["tail"] == "OPTIONS" and at < end:
        kind, length = struct.unpack(">HH", data[at : at + 4])
        if kind == 0:
            break
        at += 4 + (length + 3) // 4 * 4
        if at > end:
            return "options"
    return ""


class DissectorTest(unittest.TestCase):
    def check_fields(self, packet, elements):
        place = "opcode %s, seed %d" % (packet.opcode["name"], packet.seed)
        self.assertIsNotNone(elements, place)
        generated = ("metaroce.class", "metaroce.fault")
        shown = [
            e
            for e in elements
            if not e.get("name").startswith("metaroce.expert.") and e.get("name") not in generated
        ]
        self.assertEqual([f[0] for f in packet.fields], [e.get("name") for e in shown], place)
        for (name, kind, value, field), element in zip(packet.fields, shown):
            where = "%s, field %s: %s" % (place, name, element.attrib)
            if kind == "int":
                self.assertEqual(value, int(element.get("show"), 0), where)
            elif kind == "bytes":
                self.assertEqual(value.hex(), element.get("value"), where)
            if field:
                self.check_label(field, value, element.get("showname"), where)
        faults = [e.get("show") for e in elements if e.get("name") == "metaroce.fault"]
        self.assertEqual([], faults, place)
        classes = [e.get("show") for e in elements if e.get("name") == "metaroce.class"]
        self.assertEqual([packet.opcode["class"]], classes, place)

    def check_label(self, field, value, label, where):
        self.assertIn(field["name"].replace("_", " ").capitalize(), label, where)
        names = SPEC.enums.get(field.get("enum", ""), {})
        if value in names:
            self.assertIn(names[value], label, where)
        if field.get("unit") in UNITS and not names and field["bits"] > 1:
            self.assertIn(UNITS[field["unit"]], label, where)
        if field["bits"] == 1:
            self.assertIn("True" if value else "False", label, where)
        if field.get("all_ones"):
            special = "[" + field["all_ones"] + "]"
            self.assertEqual(value == 2 ** field["bits"] - 1, special in label, where)

    def test_every_field_of_every_packet_is_shown_with_its_value(self):
        for v6 in (False, True):
            packets = right_packets()
            shown = dissect([frame(p.data, v6) for p in packets])
            self.assertEqual(len(packets), len(shown))
            for packet, elements in zip(packets, shown):
                self.check_fields(packet, elements)
        seen = {}
        for name, kind, value, _ in (f for p in packets for f in p.fields):
            seen.setdefault(name, set()).add(value)
        stacked = {n for o in SPEC.opcodes for n in o["header"] + [o.get("repeat", "")]}
        for layout in SPEC.layouts.values():
            for field in layout.fields if layout.name in stacked else []:
                name = "metaroce.%s.%s" % (layout.name, field["name"])
                fixed = (SPEC.common, "version") == (layout.name, field["name"])
                self.assertGreaterEqual(len(seen[name]), 1 if fixed else 2, name)

    def test_fields_of_one_name_can_be_asked_for(self):
        packet = build(SPEC.opcodes[0], 3)
        name, _, value, _ = [f for f in packet.fields if f[0].endswith(".opcode")][0]
        out = tshark([frame(packet.data)], "-T", "fields", "-e", name)
        self.assertEqual(str(value), out.strip())
        self.assertEqual("", tshark([frame(packet.data)], "-Y", "%s != %d" % (name, value)))

    def test_the_list_names_protocol_opcode_and_fault(self):
        packets = [build(o, 2, blocks=o.get("count_min", 1)) for o in SPEC.opcodes]
        frames = [frame(p.data) for p in packets] + [frame(packets[0].data[:-4] + bytes(5))]
        lines = tshark(
            frames, "-T", "fields", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info"
        ).split("\n")
        for packet, line in zip(packets, lines):
            self.assertRegex(line, "^MetaRoCE\t%s " % packet.opcode["name"].upper())
            self.assertNotIn("[", line)
        self.assertIn("[packet-length]", lines[len(packets)])

    def test_only_the_destination_port_makes_a_packet_ours(self):
        data = build(SPEC.opcodes[0], 1).data
        frames = [frame(data), frame(data, source=PORT, destination=1234), frame(data, source=PORT)]
        count = ["-T", "fields", "-e", "metaroce.class"]
        ours = lambda *more: [bool(l) for l in tshark(frames, *count, *more).split("\n")[:3]]
        self.assertEqual([True, False, True], ours())
        self.assertEqual([True, True, True], ours("-d", "udp.port==1234,metaroce"))
        self.assertEqual([False, True, False], ours("-o", "metaroce.udp_port:1234"))

    def test_reserved_bits_are_noted(self):
        packets = [
            build(opcode, seed, blocks=opcode.get("count_min", 1))
            for opcode in SPEC.opcodes
            for seed in (1, 2)
        ]
        frames = [frame(p.data) for p in packets]
        lines = tshark(frames, "-T", "fields", "-e", "metaroce.expert.reserved").split("\n")
        for packet, line in zip(packets, lines):
            values = [
                v for _, kind, v, f in packet.fields if kind == "int" and f and f.get("reserved")
            ]
            self.assertEqual(any(values), bool(line), packet.opcode["name"])

    def near_misses(self):
        """Packets whose count of blocks, pad or bitmap code is wrong beside a length that is right."""
        cases = []
        for opcode in SPEC.opcodes:
            first = SPEC.layouts[SPEC.common]
            rest = sum(SPEC.layouts[n].bytes for n in opcode["header"][1:])
            values = wirepack.patterned(first, 1)
            values["opcode"] = opcode["value"]
            values["version"] = SPEC.constants["wire_version"]["default"]
            pad_bits = [f["bits"] for f in first.fields if f["name"] == "pad"][0]
            for pad in range(2**pad_bits):
                values["pad"] = pad
                cases += [first.pack(values) + bytes(rest + room + 4) for room in (0, 4, 8, 32)]
            if opcode["tail"] != "PATH_BLOCKS":
                continue
            layout = SPEC.layouts[opcode["repeat"]]
            for told in range(opcode["count_min"] - 1, opcode["count_max"] + 2):
                for there in range(opcode["count_max"] + 2):
                    cases.append(build(opcode, 6, blocks=told, there=there).data)
            selector = [f for f in layout.fields if f["name"] == layout.bitmap["selected_by"]][0]
            for code in range(2 ** selector["bits"]):
                for length in layout.bitmap["lengths"]:
                    packet = build(
                        opcode, 6, blocks=opcode["count_min"], there=opcode["count_min"] - 1
                    )
                    block = dict(wirepack.patterned(layout, 6), **{selector["name"]: code})
                    cases.append(packet.data[:-4] + layout.pack(block) + bytes(length // 8 + 4))
        return cases

    def mutations(self, count):
        """Right packets cut, extended, and with bytes changed; and bytes of chance."""
        generator = random.Random(20)
        packets = [p.data for p in right_packets()]
        cases = self.near_misses()
        cases += [p[:n] for p in packets[::9] for n in range(0, min(len(p), 120))]
        cases += [p + bytes(4) for p in packets]
        common = SPEC.layouts[SPEC.common]
        first = {f["name"]: 0 for f in common.fields}
        for value in range(256):
            first.update(opcode=value, version=SPEC.constants["wire_version"]["default"])
            cases.append(common.pack(first) + bytes(24))
        for _ in range(count):
            data = bytearray(generator.choice(packets))
            for _ in range(generator.randrange(1, 5)):
                data[generator.randrange(len(data))] = generator.randrange(256)
            if generator.random() < 0.5:
                del data[generator.randrange(len(data)) & ~3 :]
            cases.append(bytes(data))
            cases.append(generator.randbytes(generator.randrange(100)))
        return cases

    def test_any_bytes_are_shown_and_a_fault_is_named_as_a_receiver_names_it(self):
        cases = self.mutations(800)
        out = tshark([frame(c) for c in cases], "-T", "fields", "-e", "metaroce.fault").split("\n")
        seen = set()
        for case, reason in zip(cases, out):
            if case:  # tshark calls no dissector for a datagram of no bytes
                self.assertEqual(receiver_reason(case), reason, case.hex())
            seen.add(reason)
        self.assertLessEqual(
            {
                "packet-length",
                "version",
                "opcode-unknown",
                "length-short",
                "length-pad",
                "length-long",
                "block-count",
                "block-length",
                "options",
                "",
            },
            seen,
        )
        tshark([frame(c) for c in cases], "-V")

    def test_a_capture_cut_anywhere_is_shown_as_far_as_it_goes(self):
        frames = []
        for packet in right_packets()[::7]:
            whole = frame(packet.data)
            frames += [(whole[:n], len(whole)) for n in range(42, len(whole), 3)]
        out = tshark(
            frames, "-T", "fields", "-e", "metaroce.expert.cut", "-e", "metaroce.fault"
        ).split("\n")
        for (data, length), line in zip(frames, out):
            note, reason = line.split("\t")
            self.assertEqual("", reason)
            # Without one captured byte behind UDP no dissector is called.
            self.assertEqual(42 < len(data) < length, bool(note), (len(data), length, line))
        tshark(frames, "-V")


if __name__ == "__main__":
    if not os.access(TSHARK, os.X_OK):
        sys.exit(TSHARK + " is missing; run tools/setup")
    LUA = os.path.abspath(sys.argv[1])
    SPEC = wirepack.Spec(sys.argv[2])
    PORT = SPEC.constants["udp_port"]["default"]
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
