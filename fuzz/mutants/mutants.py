"""Seeded defects of the model, each an exact edit of one place.

In `new` the word MUTANT is true while this one is active, so that one copy of the model holds all.
`old` stands exactly once in the file, or the build fails: a defect does not outlive its place.
`preset` is the scenario of the explorer that finds it. `shown` is the clause that the first wrong
packet of a capture breaks, where that is another: what a device does inside is seen by its
consequence.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    name: str
    clause: str
    file: str
    old: str
    new: str
    preset: str
    shown: str = ""


MUTANTS = [
    Mutant(
        "loss-without-evidence",
        "LOSS-RULE",
        "model/path/transmit_window.h",
        "in_flight_ > 0 && at(first_sent_).sent < before",
        "in_flight_ > 0 && (MUTANT || at(first_sent_).sent < before)",
        "loss-small",
    ),
    Mutant(
        "csn-placed-again",
        "CHECK-CSN-DUPLICATE",
        "model/endpoint/accept.cc",
        "if (s.c.received.Received(csn)) {",
        "if (!MUTANT && s.c.received.Received(csn)) {",
        "planes",
        "CHECK-REFUSED",
    ),
    Mutant(
        "dead-epoch-forgets",
        "PATH-MOVED",
        "model/endpoint/paths.cc",
        "s.c.sent.Move(record.csn);",
        "if (!MUTANT) s.c.sent.Move(record.csn);",
        "planes",
        "CC-MOVED-FIRST",
    ),
    Mutant(
        "reads-unlimited",
        "MSG-READ-LIMIT",
        "model/connection/outbound.cc",
        "HasResponse(m.work.kind) && outstanding_ >= limits_.reads",
        "!MUTANT && HasResponse(m.work.kind) && outstanding_ >= limits_.reads",
        "read-atomic",
    ),
    Mutant(
        "completed-before-done",
        "MSG-COMPLETION-ORDER",
        "model/connection/outbound.h",
        "message == Outgoing::kNone || !slab_[message].done",
        "message == Outgoing::kNone || (!MUTANT && !slab_[message].done)",
        "loss-small",
        "CHECK-REFUSED",
    ),
    Mutant(
        "credit-ignored",
        "MSG-CREDIT",
        "model/connection/outbound.cc",
        "needs && m.index >= credit_",
        "!MUTANT && needs && m.index >= credit_",
        "send-rnr",
    ),
    Mutant(
        "acceptor-without-timers",
        "CONNECT-REPLY-REPEAT",
        "model/endpoint/connect.cc",
        "e.touched.push_back(slot);\n  c.tag",
        "if (!MUTANT) e.touched.push_back(slot);\n  c.tag",
        "open-close",
    ),
    Mutant(
        "read-slot-kept",
        "MSG-READ-SLOT",
        "model/endpoint/transmit.cc",
        "if (s.c.outbound.Sent(message)) {",
        "if (s.c.outbound.Sent(message) && !MUTANT) {",
        "read-atomic",
        "CHECK-REFUSED",
    ),
    Mutant(
        "disconnect-asked-once",
        "CLOSE-RETRY",
        "model/endpoint/connect.cc",
        "s.Arm(kRetryTimer, s.now() +"
        " (s.Time(spec::Constant::kDisconnectRetryFirst) << s.c.tries));",
        "if (!MUTANT) s.Arm(kRetryTimer,"
        " s.now() + (s.Time(spec::Constant::kDisconnectRetryFirst) << s.c.tries));",
        "open-close",
    ),
    Mutant(
        "close-forgets-work",
        "ERROR-FLUSH",
        "model/endpoint/errors.cc",
        "CompleteAllAs(s, concerned, status, receive);\n  c.outbound =",
        "if (!MUTANT) CompleteAllAs(s, concerned, status, receive);\n  c.outbound =",
        "open-close",
    ),
]
