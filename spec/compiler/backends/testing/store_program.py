#!/usr/bin/python3
"""Writes a C++ program that packs each layout with the structs of spec/layouts.h and prints the bytes.

usage: store_program.py REGISTRY.JSON > PROGRAM.CC

It prints a line `store.LAYOUT HEX` for each layout, with the values of wirepack.storable.
"""

import sys

import wirepack


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def main(path):
    spec = wirepack.Spec(path)
    print('#include <cstdint>\n#include <cstdio>\n\n#include "spec/layouts.h"\n')
    print("int main() {\n  uint8_t bytes[256];")
    for layout in spec.layouts.values():
        values = wirepack.storable(layout)
        print("  {\n    metaroce::spec::%s header{};" % camel(layout.name))
        for field in layout.fields:
            if not field.get("reserved"):
                value = values[field["name"]]
                literal = ("false", "true")[value] if field["bits"] == 1 else "%du" % value
                if field["bits"] > 32:
                    literal = "UINT64_C(%d)" % value
                print("    header.%s = %s;" % (field["name"], literal))
        print("    header.Store(bytes);")
        print('    std::printf("store.%s ");' % layout.name)
        print("    for (unsigned i = 0; i < %d; ++i)" % layout.bytes, end="")
        print(' std::printf("%02x", bytes[i]);\n    std::printf("\\n");\n  }')
    print("  return 0;\n}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
