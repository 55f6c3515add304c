#!/usr/bin/env python3
"""The smallest device under test: it answers Hello and Bye, and whatever else it is asked by Error.

Every vector of the level codec fails (CONF-ERROR). Put your codec where the Error is made. The numbers
of the fields are those of conformance/dut.proto, and the runner writes them in order; contract.py in
../python reads them in any order and has the rest of what a device needs.
"""

import sys


def data(number, value):
    """A field of bytes, shorter than 128 (CONF-ENCODING)."""
    return bytes([number * 8 + 2, len(value)]) + value


HELLO = data(
    2, b"\x08\x01" + data(2, b"smallest") + data(5, b"codec-decode") + data(5, b"codec-encode")
)
DONE = data(3, b"")
ERROR = data(6, data(1, b"there is no codec yet"))

while len(prefix := sys.stdin.buffer.read(4)) == 4:  # CONF-TRANSPORT
    request = sys.stdin.buffer.read(int.from_bytes(prefix, "big"))
    end = 2  # the first field is the id: a key of one byte, then a varint
    while request[end - 1] & 0x80:
        end += 1
    is_hello, is_bye = request[end] == 4 * 8 + 2, request[end] == 9 * 8 + 2
    answer = request[:end] + (HELLO if is_hello else DONE if is_bye else ERROR)
    sys.stdout.buffer.write(len(answer).to_bytes(4, "big") + answer)
    sys.stdout.buffer.flush()
    if is_bye:
        break
