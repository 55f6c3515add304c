#!/usr/bin/python3
"""The generated SystemVerilog package in Verilator: it passes the lint, and a bench that imports it packs
each header to the bits that the text gives.

usage: verilator_test.py METAROCE_SPEC_PKG.SV SPEC.JSON [STORE]

STORE is a program that packs each layout in C++ [testing/store_program.py].
"""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "testing"))
import wirepack

VERILATOR = "/usr/bin/verilator"
SEEDS = (1, 2)


def run(folder, *command):
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit("%s\nexit %d\n%s" % (" ".join(command), done.returncode, done.stdout[-5000:]))
    return done.stdout


def members(package, name):
    """The members of the packed struct of a layout, in order."""
    body = re.search(r"typedef struct packed \{([^}]*)\} %s_t;" % name, package)
    return re.findall(r"(\w+);", re.sub("//.*", "", body.group(1)))


class Bench:
    """Statements of a test bench, and the lines they must print."""

    def __init__(self, spec, package):
        self.spec = spec
        self.package = package
        self.variables = []
        self.statements = []
        self.expected = []

    def show(self, tag, expression, value, digits):
        self.statements.append('$display("%s %%h", %s);' % (tag, expression))
        self.expected.append("%s %0*x" % (tag, digits, value))

    def variable(self, kind):
        name = "v%d" % len(self.variables)
        self.variables.append("%s %s;" % (kind, name))
        return name

    def literal(self, layout, values):
        """A struct by the names of its members, which are given backwards: only names place them."""
        names = members(self.package, layout.name)
        assert len(names) == len(layout.fields), (layout.name, names)
        parts = []
        for member, field in zip(names, layout.fields):
            assert member in (field["name"], field["name"] + "_"), (layout.name, member)
            parts.append("%s: %d'h%x" % (member, field["bits"], values[field["name"]]))
        return "'{%s}" % ", ".join(reversed(parts))

    def read_members(self, layout, values):
        """Each member of a struct that was given as bits."""
        variable = self.variable(layout.name + "_t")
        data = layout.pack(values)
        self.statements.append("%s = %d'h%s;" % (variable, 8 * len(data), data.hex()))
        for member, field in zip(members(self.package, layout.name), layout.fields):
            digits = (field["bits"] + 3) // 4
            self.show(member, "%s.%s" % (variable, member), values[field["name"]], digits)

    def show_packed(self, tag, variable, data):
        self.show(tag, variable, int.from_bytes(data, "big"), 2 * len(data))

    def layouts(self):
        for layout in self.spec.layouts.values():
            for seed in SEEDS:
                values = wirepack.patterned(layout, seed)
                variable = self.variable(layout.name + "_t")
                self.statements.append("%s = %s;" % (variable, self.literal(layout, values)))
                self.show_packed(
                    "layout.%s.%d" % (layout.name, seed), variable, layout.pack(values)
                )
            variable = self.variable(layout.name + "_t")
            values = wirepack.storable(layout)
            self.statements.append("%s = %s;" % (variable, self.literal(layout, values)))
            self.show_packed("store." + layout.name, variable, layout.pack(values))
            self.read_members(layout, wirepack.patterned(layout, 9))
            shout = layout.name.upper()
            self.show(shout + "_BYTES", shout + "_BYTES", layout.bytes, 8)
            self.show(shout + "_BITS", shout + "_BITS", 8 * layout.bytes, 8)
            if layout.bitmap:
                self.bitmaps(layout)

    def bitmaps(self, layout):
        name = layout.bitmap["name"]
        bits_of = layout.bitmap["lengths"]
        selector = [f for f in layout.fields if f["name"] == layout.bitmap["selected_by"]][0]
        for length in sorted(set(bits_of) - {0}):
            values = wirepack.patterned(layout, length)
            number = 0
            for i in range(0, length, 32):
                number = number << 32 | wirepack.pattern(length + i, 32)
            variable = self.variable("%s_%d_t" % (layout.name, length))
            fixed = self.literal(layout, values)
            whole = "'{fixed: %s, %s: %d'h%x}" % (fixed, name, length, number)
            self.statements.append("%s = %s;" % (variable, whole))
            data = layout.pack(values) + number.to_bytes(length // 8, "big")
            self.show_packed("bitmap.%s.%d" % (layout.name, length), variable, data)
        for code in range(2 ** selector["bits"]):
            argument = "%d'd%d" % (selector["bits"], code)
            known = code < len(bits_of)
            function = "%s_%s" % (layout.name, name)
            self.show("known.%d" % code, "%s_known(%s)" % (function, argument), known, 1)
            bits = bits_of[code] if known else 0
            self.show("bits.%d" % code, "%s_bits(%s)" % (function, argument), bits, 8)

    def opcodes(self):
        # A loop that Verilator does not unroll: 256 copies of each function take it a minute.
        self.statements.append(
            'for (int i = 0; i < 256; ++i) $display("opcode %h %h %h %h", i, opcode_known(i[7:0]),'
            " opcode_header_bytes(i[7:0]), 32'(opcode_tail(i[7:0])));"
        )
        tails = dict(re.findall(r"(TAIL_\w+) = 3'h(\d)", self.package))
        known = {o["value"]: o for o in self.spec.opcodes}
        for value in range(256):
            opcode = known.get(value)
            length = sum(self.spec.layouts[n].bytes for n in opcode["header"]) if opcode else 0
            tail = int(tails["TAIL_" + opcode["tail"] if opcode else "TAIL_NONE"])
            line = "opcode %08x %d %08x %08x" % (value, bool(opcode), length, tail)
            self.expected.append(line)
        for opcode in self.spec.opcodes:
            self.show(opcode["name"], "OPCODE_" + opcode["name"].upper(), opcode["value"], 2)
            self.headers(opcode)

    def headers(self, opcode):
        """The struct of all headers of an opcode."""
        variable = self.variable(opcode["name"] + "_headers_t")
        data = b""
        parts = []
        names = members(self.package, opcode["name"] + "_headers")
        for i, (member, name) in enumerate(zip(names, opcode["header"])):
            layout = self.spec.layouts[name]
            values = wirepack.patterned(layout, 100 * opcode["value"] + i)
            parts.append("%s: %s" % (member, self.literal(layout, values)))
            data += layout.pack(values)
        assert len(names) == len(opcode["header"]), opcode["name"]
        self.statements.append("%s = '{%s};" % (variable, ", ".join(reversed(parts))))
        self.show_packed("headers." + opcode["name"], variable, data)

    def numbers(self):
        for name, c in self.spec.constants.items():
            digits = (max(c["max"], c["default"]).bit_length() + 3) // 4 or 1
            self.show(name, "CONST_" + name.upper(), c["default"], digits)
        for name, values in self.spec.enums.items():
            for value, word in values.items():
                constant = "%s_%s" % (name.upper(), word.upper().replace("-", "_"))
                self.show(constant, "32'(%s)" % constant, value, 8)

    def text(self):
        lines = self.variables + ["initial begin"]
        lines += ["  " + s for s in self.statements] + ["  $finish;", "end"]
        body = "\n".join("  " + line for line in lines)
        return "module bench;\n  import metaroce_spec_pkg::*;\n%s\nendmodule\n" % body


def main(package_path, spec_path, store_path=None):
    spec = wirepack.Spec(spec_path)
    package_path = os.path.abspath(package_path)
    with open(package_path, encoding="utf-8") as f:
        bench = Bench(spec, f.read())
    bench.layouts()
    bench.opcodes()
    bench.numbers()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "bench.sv"), "w", encoding="utf-8") as f:
            f.write(bench.text())
        run(folder, VERILATOR, "--lint-only", "-Wall", package_path)
        run(
            folder,
            *(VERILATOR, "--cc", "--exe", "--main", "--build", "--no-timing", "-Wall", "-O0"),
            *("-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0", "-j", "2"),
            *("--top-module", "bench", package_path, "bench.sv"),
        )
        printed = run(folder, os.path.join(folder, "obj_dir", "Vbench")).split("\n")
    printed = [line for line in printed if line and not line.startswith("- ")]
    for want, got in zip(bench.expected, printed):
        if want != got:
            sys.exit("The bench printed\n  %s\nbut the text gives\n  %s" % (got, want))
    if len(printed) != len(bench.expected):
        sys.exit("The bench printed %d lines of %d." % (len(printed), len(bench.expected)))
    if store_path:
        stored = run(".", os.path.abspath(store_path)).split()
        if stored != " ".join(line for line in printed if line.startswith("store.")).split():
            sys.exit("The structs of C++ and of SystemVerilog pack differently:\n%s" % stored)
    print("%d values agree." % len(printed))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    if not os.access(VERILATOR, os.X_OK):
        sys.exit(VERILATOR + " is missing; run tools/setup")
    main(*sys.argv[1:])
