"""Seeded defects of the model, each an exact edit of one place.

In `new` the word MUTANT is true while this one is active, so that one copy of the model holds all.
`old` stands exactly once in the file, or the build fails: a defect does not outlive its place.
`preset` is the scenario of the explorer that finds it.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    name: str
    clause: str
    file: str
    old: str
    new: str
    preset: str


MUTANTS = [
    Mutant(
        "loss-without-evidence",
        "LOSS-RULE",
        "model/path/transmit_window.cc",
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
        "failover",
    ),
    Mutant(
        "dead-epoch-forgets",
        "PATH-MOVED",
        "model/endpoint/paths.cc",
        "s.c.sent.Move(record.csn);",
        "if (!MUTANT) s.c.sent.Move(record.csn);",
        "deny",
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
        "model/connection/outbound.cc",
        "message == kNone || !slab_[message].done",
        "message == kNone || (!MUTANT && !slab_[message].done)",
        "loss-small",
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
        "credit-asked-once",
        "CREDIT-PROBE-REPEAT",
        "model/endpoint/credit.cc",
        "Enter(s, &s.c.credit, CreditEvent::kRepeatExpires);\n  SendCreditProbe(s);",
        "Enter(s, &s.c.credit, CreditEvent::kRepeatExpires);\n  if (!MUTANT) SendCreditProbe(s);",
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
        "compared-as-numbers",
        "SEQ-COMPARE",
        "model/serial.h",
        "{ return *this - other < 0; }",
        "{ return MUTANT ? value_ < other.value_ : *this - other < 0; }",
        "wrap",
    ),
    Mutant(
        "cumulative-too-far",
        "ACK-CUMULATIVE",
        "model/endpoint/accept.cc",
        "body.csn = s.c.received.cumulative().value();",
        "body.csn = s.c.received.cumulative().value() + (MUTANT ? 1 : 0);",
        "loss",
    ),
    Mutant(
        "base-too-far",
        "ACK-VECTOR",
        "model/path/receive_vector.cc",
        "  Shift(run);",
        "  Shift(run + (MUTANT && span_ > run ? 1 : 0));",
        "loss",
    ),
    Mutant(
        "read-slot-kept",
        "MSG-READ-SLOT",
        "model/endpoint/transmit.cc",
        "if (s.c.outbound.Sent(message)) {",
        "if (s.c.outbound.Sent(message) && !MUTANT) {",
        "read-atomic",
    ),
    Mutant(
        "epoch-not-compared",
        "TAKE-BAD-BLOCK",
        "model/endpoint/take.cc",
        "if (!path.context || path.epoch != block.epoch) {",
        "if (!path.context || (!MUTANT && path.epoch != block.epoch)) {",
        "failover-return",
    ),
]
