#!/usr/bin/python3
"""The generated C header in C99 and in C++: a program that uses every function of it writes and reads each
field at the bits that the text gives, and disturbs no other.

usage: c_header_test.py METAROCE_SPEC.H SPEC.JSON
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testing"))
import wirepack

WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-O1"]
COMPILERS = [
    ["/usr/bin/gcc", "-std=c99", "-ffreestanding", "-fsyntax-only", "-x", "c"],
    ["/usr/bin/gcc", "-std=c99", "-x", "c"],
    ["/usr/bin/g++", "-std=c++11", "-x", "c++"],
]

PRELUDE = """
#include "metaroce_spec.h"
#include <stdio.h>
#include <string.h>
static void hex(const char *tag, const uint8_t *bytes, unsigned count) {
  unsigned i;
  printf("%s ", tag);
  for (i = 0; i < count; ++i) printf("%02x", bytes[i]);
  printf("\\n");
}
static void number(const char *tag, uint64_t value) {
  printf("%s %llx\\n", tag, (unsigned long long)value);
}
"""


class Program:
    """Statements of a C program, and the lines they must print."""

    def __init__(self, spec):
        self.spec = spec
        self.functions = []
        self.statements = []
        self.expected = []

    def number(self, tag, expression, value):
        self.statements.append('number("%s", (uint64_t)(%s));' % (tag, expression))
        self.expected.append("%s %x" % (tag, value & wirepack.MASK64))

    def hex(self, tag, count, data):
        self.statements.append('hex("%s", h, %d);' % (tag, count))
        self.expected.append("%s %s" % (tag, data.hex()))

    def end_function(self):
        """Compilers are slow at one long function."""
        name = "part%d" % len(self.functions)
        lines = ["static void %s(void) {" % name, "  uint8_t h[4096];", "  memset(h, 0, sizeof h);"]
        lines += ["  " + s for s in self.statements]
        self.functions.append("\n".join(lines + ["}"]))
        self.statements = []

    def layout(self, layout):
        """All fields over both backgrounds; then each alone: its neighbours keep what they had."""
        stem = "mr_%s_" % layout.name
        self.number(stem + "bytes", "MR_%s_BYTES" % layout.name.upper(), layout.bytes)
        for seed, background in ((1, 0), (2, 0xFF), (3, 0)):
            values = wirepack.patterned(layout, seed)
            self.statements.append("memset(h, %d, %d);" % (background, layout.bytes))
            for field in layout.fields:
                self.set(layout, field, values[field["name"]])
            self.hex("layout.%s.%d" % (layout.name, seed), layout.bytes, layout.pack(values))
            for field in layout.fields:
                name = field["name"]
                self.number(stem + name, "%sget_%s(h)" % (stem, name), values[name])
        for field in layout.fields:
            self.alone(layout, field)
            shout = "MR_%s_%s" % (layout.name.upper(), field["name"].upper())
            self.number(shout, shout + "_FIRST_BIT", field["first_bit"])
            self.number(shout, shout + "_BITS", field["bits"])
            self.number(shout, shout + "_MAX", 2 ** field["bits"] - 1)
        self.end_function()

    def set(self, layout, field, value):
        self.statements.append(
            "mr_%s_set_%s(h, UINT64_C(0x%x));" % (layout.name, field["name"], value)
            if field["bits"] > 32
            else "mr_%s_set_%s(h, 0x%xu);" % (layout.name, field["name"], value)
        )

    def alone(self, layout, field):
        zero = {f["name"]: 0 for f in layout.fields}
        ones = {f["name"]: 2 ** f["bits"] - 1 for f in layout.fields}
        tag = "alone.%s.%s" % (layout.name, field["name"])
        self.statements.append("memset(h, 0xff, %d);" % layout.bytes)
        self.set(layout, field, 0)
        self.hex(tag, layout.bytes, layout.pack({**ones, field["name"]: 0}))
        # As wide as the argument's type: what does not fit is dropped.
        width = [w for w in (8, 16, 32, 64) if w >= field["bits"]][0]
        self.statements.append("memset(h, 0, %d);" % layout.bytes)
        self.set(layout, field, 2**width - 1)
        self.hex(tag, layout.bytes, layout.pack({**zero, field["name"]: 2 ** field["bits"] - 1}))

    def bitmap(self, layout):
        name = layout.bitmap["name"]
        select = [f for f in layout.fields if f["name"] == layout.bitmap["selected_by"]][0]
        lengths = layout.bitmap["lengths"]
        for code in range(2 ** select["bits"]):
            bits = lengths[code] if code < len(lengths) else -1
            self.number("bits", "mr_%s_%s_bits(%d)" % (layout.name, name, code), bits)
            self.statements.append("memset(h, 0, sizeof h);")
            self.set(layout, select, code)
            total = layout.bytes + bits // 8 if bits >= 0 else -1
            self.number("size", "mr_%s_bytes(h)" % layout.name, total)
            fixed = layout.pack({**{f["name"]: 0 for f in layout.fields}, select["name"]: code})
            last = max(bits - 1, 0)
            on = sorted({0, 1, 9, last - 8, last} & set(range(max(bits, 0))))
            for bit in on + [max(bits, 0), 5000]:
                self.statements.append("mr_%s_set_%s_bit(h, %du, 1);" % (layout.name, name, bit))
            value = sum(2**bit for bit in on)
            tail = value.to_bytes(max(bits, 0) // 8, "big") + bytes(4)
            self.hex("bitmap.%d" % code, layout.bytes + len(tail), fixed + tail)
            for bit in on + [2, 10, max(bits, 0), 5000]:
                get = "mr_%s_get_%s_bit(h, %du)" % (layout.name, name, bit)
                self.number("bit", get, bit in on)
            if on:
                self.statements.append("mr_%s_set_%s_bit(h, %du, 0);" % (layout.name, name, on[-1]))
                tail = (value - 2 ** on[-1]).to_bytes(bits // 8, "big")
                self.hex("cleared.%d" % code, layout.bytes + len(tail), fixed + tail)
        longest = max(lengths)
        self.number("longest", "MR_%s_%s_MAX_BITS" % (layout.name.upper(), name.upper()), longest)
        self.end_function()

    def opcodes(self):
        known = {o["value"]: o for o in self.spec.opcodes}
        for value in range(257):
            opcode = known.get(value)
            size = sum(self.spec.layouts[n].bytes for n in opcode["header"]) if opcode else -1
            self.number("header_bytes", "mr_opcode_header_bytes(%du)" % value, size)
            tail = "MR_TAIL_" + opcode["tail"] if opcode else "MR_TAIL_NONE"
            self.number("tail", "mr_opcode_tail(%du) == %s" % (value, tail), 1)
            call = "mr_opcode_name(%du)" % value
            name = 'strcmp(%s, "%s") == 0' % (call, opcode["name"]) if opcode else call + " == 0"
            self.number("name", name, 1)
        for opcode in self.spec.opcodes:
            shout = "MR_OPCODE_" + opcode["name"].upper()
            self.number(shout, shout, opcode["value"])
        for code, name in self.spec.enums["reason"].items():
            shout = "MR_REASON_" + name.upper().replace("-", "_")
            self.number(shout, shout, code)
            self.number(name, 'strcmp(mr_reason_name(%du), "%s")' % (code, name), 0)
        self.end_function()

    def numbers(self):
        for name, c in self.spec.constants.items():
            self.number(name, "MR_CONST_" + name.upper(), c["default"])
        for name, values in self.spec.enums.items():
            for value, word in values.items():
                shout = "MR_%s_%s" % (name.upper(), word.upper().replace("-", "_"))
                self.number(shout, shout, value)
        for name, text in (("VERSION", self.spec.version), ("HASH", self.spec.hash)):
            self.number(name, 'strcmp(MR_SPEC_%s, "%s")' % (name, text), 0)
        self.end_function()

    def text(self):
        calls = ["  part%d();" % i for i in range(len(self.functions))]
        main = ["int main(void) {"] + calls + ["  return 0;", "}"]
        return "\n".join([PRELUDE] + self.functions + main) + "\n"


def run(command, folder):
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TMPDIR": folder}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode != 0:
        sys.exit("%s\nexit %d\n%s" % (" ".join(command), done.returncode, done.stdout[:5000]))
    return done.stdout


def main(header_path, spec_path):
    spec = wirepack.Spec(spec_path)
    with open(header_path, encoding="utf-8") as f:
        header = f.read()
    if re.findall("#include (.*)", header) != ["<stdint.h>"]:
        sys.exit("The header includes more than <stdint.h>.")
    program = Program(spec)
    for layout in spec.layouts.values():
        program.layout(layout)
        if layout.bitmap:
            program.bitmap(layout)
    program.opcodes()
    program.numbers()
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("metaroce_spec.h", header), ("program.c", program.text())):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        for compiler in COMPILERS:
            run(compiler + WARNINGS + ["-I.", "-o", "program", "program.c"], folder)
            if "-fsyntax-only" in compiler:
                continue
            printed = run(["./program"], folder).split("\n")[:-1]
            for want, got in zip(program.expected, printed):
                if want != got:
                    sys.exit("%s printed\n  %s\nbut the text gives\n  %s" % (compiler, got, want))
            if len(printed) != len(program.expected):
                sys.exit("%d lines of %d printed." % (len(printed), len(program.expected)))
            print("%s: %d values agree." % (" ".join(compiler), len(printed)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
