#!/usr/bin/python3
"""A device that answers every Decode with a rejection, and misbehaves on cue.

usage: misbehaving_dut.py DEED [VECTOR]

The deed is done when the Apply of VECTOR (default "second") arrives; deeds that begin with `hello-`,
`reset-` and `bye-` are done at those requests instead. Standard library only.
"""
import os
import signal
import struct
import subprocess
import sys
import time

deed = sys.argv[1]
cue = sys.argv[2] if len(sys.argv) > 2 else "second"
source = sys.stdin.buffer
sink = sys.stdout.buffer


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field * 8) + varint(value)


def data(field, value):
    return varint(field * 8 + 2) + varint(len(value)) + value


def fields_of(message):
    """Field number -> last value, of a message of varints and lengths."""
    found, at = {}, 0

    def read_varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = read_varint()
        value = read_varint()
        if key & 7 == 2:
            value, at = message[at : at + value], at + value
        found[key >> 3] = value
    return found


def frame(message):
    return struct.pack(">I", len(message)) + message


def write(raw):
    sink.write(raw)
    sink.flush()


def flood_forever(stream):
    try:
        while True:
            stream.write(b"flood " * 4096)
            stream.flush()
    except OSError:
        sys.exit(1)


def hello(request_id, contract=1):
    capabilities = b"".join(data(5, c) for c in (b"codec-decode", b"codec-encode"))
    if deed == "hello-many":
        capabilities = data(5, b"x") * 100000
    profile = b""
    if deed == "hello-profile":
        profile = data(6, data(1, b"ack_max") + number(2, 10**15))
    body = number(1, contract) + data(2, b"misbehaving") + data(3, b"1") + capabilities + profile
    return number(1, request_id) + data(2, body)


def reject(request_id, code=b"length-short"):
    return number(1, request_id) + data(4, data(1, code))


def done(request_id):
    return number(1, request_id) + data(3, b"")


def unsupported(request_id):
    return number(1, request_id) + data(5, data(1, deed.split("=")[1].encode()))


def misbehave(request_id):
    """Does the deed. Returns True if the request still wants its answer."""
    if deed == "exit":
        sys.exit(3)
    elif deed == "crash":
        sys.stderr.write("about to crash\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    elif deed == "hang":
        time.sleep(1000)
    elif deed == "hang-with-child":
        # The child holds the pipes open and would outlive its parent.
        child = subprocess.Popen(["sleep", "1000"])
        sys.stderr.write("child %d\n" % child.pid)
        sys.stderr.flush()
        os._exit(5)
    elif deed == "hang-with-daemon":
        # The child leaves the group and the session, and is nobody's child.
        child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        sys.stderr.write("child %d\n" % child.pid)
        sys.stderr.flush()
        os._exit(5)
    elif deed == "ignore-sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(1000)
    elif deed == "close-stdout":
        os.close(1)
        time.sleep(1000)
    elif deed == "close-stdin":
        os.close(0)
        time.sleep(1000)
    elif deed == "garbage":
        write(b"Segmentation fault (core dumped)\n" * 40)
        time.sleep(1000)
    elif deed == "text-before":
        write(b"\x00\x00\x00\x02hi")
        return True
    elif deed == "unparsable":
        write(frame(b"\xff\xff\xff"))
    elif deed == "oversize":
        write(struct.pack(">I", 0xDEADBEEF) + b"x" * 100)
        time.sleep(1000)
    elif deed == "half-length":
        write(b"\x00\x00")
        time.sleep(1000)
    elif deed == "half-frame":
        write(frame(reject(request_id))[:-3])
        time.sleep(1000)
    elif deed == "half-frame-exit":
        write(frame(reject(request_id))[:-3])
        sys.exit(0)
    elif deed == "drip":
        for byte in frame(reject(request_id)) * 100:
            write(bytes([byte]))
            time.sleep(0.1)
    elif deed == "flood":
        flood_forever(sink)
    elif deed == "flood-log":
        flood_forever(sys.stderr.buffer)
    elif deed == "twice":
        write(frame(reject(request_id)) * 2)
    elif deed == "late-surplus":
        write(frame(reject(request_id)))
        time.sleep(0.3)
        write(frame(reject(request_id)))
    elif deed == "exit-after":
        write(frame(reject(request_id)))
        sys.exit(0)
    elif deed == "wrong-id":
        write(frame(reject(request_id + 1)))
    elif deed == "no-kind":
        write(frame(number(1, request_id)))
    elif deed == "hello-again":
        write(frame(hello(request_id)))
    elif deed == "error":
        write(frame(number(1, request_id) + data(6, data(1, b"cannot \x1b[31m do"))))
    elif deed.startswith("unsupported="):
        write(frame(unsupported(request_id)))
    elif deed == "huge-answer":
        write(frame(reject(request_id, b"x" * 1000000)))
    elif deed == "wrong-reason":
        write(frame(reject(request_id, b"length-long")))
    elif deed == "chatty-log":
        sys.stderr.write("line\n" * 100000)
        sys.stderr.flush()
        return True
    else:
        return True
    return False


def main():
    starts = 0
    if deed == "hello-exit":
        sys.exit(4)
    while True:
        length = source.read(4)
        if len(length) < 4:
            return 0
        message = source.read(struct.unpack(">I", length)[0])
        request = fields_of(message)
        request_id = request[1]
        vector = request.get(2, b"").decode()
        if 4 in request:
            starts += 1
            if deed == "hello-hang":
                sys.stderr.write("asked\n")
                sys.stderr.flush()
                time.sleep(1000)
            write(frame(hello(request_id, 7 if deed == "hello-contract" else 1)))
        elif 9 in request:
            if deed == "bye-hang":
                time.sleep(1000)
            if deed == "bye-stay":
                write(frame(done(request_id)))
                time.sleep(1000)
            write(frame(reject(request_id) if deed == "bye-reject" else done(request_id)))
            if deed == "bye-chatty-log":
                sys.stderr.write("line\n" * 100000)
            if deed == "bye-surplus":
                write(frame(done(request_id)))
            return 6 if deed == "bye-status" else 0
        elif 5 in request:
            if deed == "reset-exit" and vector == cue:
                sys.exit(3)
            if deed.startswith("reset-unsupported=") and vector == cue:
                write(frame(unsupported(request_id)))
                continue
            if deed == "reset-reject" and vector == cue:
                write(frame(reject(request_id)))
                continue
            write(frame(done(request_id)))
        elif vector != cue or misbehave(request_id):
            write(frame(reject(request_id)))


if __name__ == "__main__":
    sys.exit(main())
