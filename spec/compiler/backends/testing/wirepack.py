"""Packs headers from the data of a Spec, bit by bit, for tests of generated code.

Written against spec.proto alone: nothing here was generated, and no other encoder is used. A test that
compares generated code with this compares two readings of the same text.
"""

import json

MASK64 = 2**64 - 1


class Layout:
    """One layout: fields with their place, and the bitmap that may follow them."""

    def __init__(self, data):
        self.name = data["name"]
        self.fields = []
        bit = 0
        for f in data.get("field", []):
            field = dict(f, first_bit=bit)
            self.fields.append(field)
            bit += field["bits"]
        assert bit % 32 == 0, self.name
        self.bytes = bit // 8
        self.bitmap = data.get("bitmap")
        if self.bitmap:
            self.bitmap = dict(self.bitmap, lengths=self.bitmap.get("lengths", []))

    def pack(self, values):
        """The bytes of the fields, first field in the most significant bits of the first byte."""
        number = 0
        for field in self.fields:
            value = values[field["name"]]
            assert 0 <= value < 2 ** field["bits"], (self.name, field["name"], value)
            number = number << field["bits"] | value
        return number.to_bytes(self.bytes, "big")


class Spec:
    """What tests need of a Spec in protobuf's JSON form."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            spec = json.load(f)
        data = spec["data"]
        self.version = spec.get("version", "")
        self.hash = spec.get("hash", "")
        self.layouts = {l["name"]: Layout(l) for l in data["layout"]}
        self.opcodes = [dict(o, value=o.get("value", 0)) for o in data["opcode"]]
        self.common = self.opcodes[0]["header"][0]
        self.constants = {
            c["name"]: {key: int(c.get(key, 0)) for key in ("default", "min", "max")}
            for c in data.get("constant", [])
        }
        self.enums = {
            e["name"]: {v.get("value", 0): v["name"] for v in e["value"]}
            for e in data.get("enum", [])
        }
        self.enums.setdefault("opcode", {o["value"]: o["name"] for o in self.opcodes})
        self.enums.setdefault("reason", {r["code"]: r["name"] for r in data.get("reason", [])})
        self.classes = {c.get("value", 0): c["class"] for c in data.get("opcode_class", [])}


def _mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK64
    return x ^ x >> 31


def pattern(seed, bits):
    """A number of `bits` bits that shows when bits are swapped, shifted or dropped.

    Neither zero nor all ones from 2 bits on; not the same backwards from 4 bits on.
    """
    if bits == 1:
        return _mix(seed) >> 63
    while True:
        value = _mix(seed) >> (64 - bits)
        text = format(value, "0%db" % bits)
        plain = value in (0, 2**bits - 1) or (bits >= 4 and text == text[::-1])
        if not plain:
            return value
        seed += 0x1000003


def patterned(layout, seed):
    """A value for each field of the layout; different seeds give different values."""
    return {f["name"]: pattern(seed * 64 + i, f["bits"]) for i, f in enumerate(layout.fields)}


def storable(layout):
    """The same with zero in the selector of a bitmap and in reserved bits, which an encoder may own."""
    values = patterned(layout, 4)
    for field in layout.fields:
        if field.get("reserved") or (
            layout.bitmap and field["name"] == layout.bitmap["selected_by"]
        ):
            values[field["name"]] = 0
    return values
