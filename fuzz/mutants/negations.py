"""Negations of rules, each an exact edit that turns a branch the other way which a clause is cited at.

They hold `metaroce cover` to its word: where a clause is said to be hit by tests, one of these tests
fails if its rule is broken. The clauses are drawn (sample.py). In `new` the word MUTANT is true while
the negation is active; `test` is the test that then fails. `preset` and `shown` are empty: neither
the explorer nor the check hunts them.
"""

from typing import NamedTuple


class Negation(NamedTuple):
    clause: str
    file: str
    old: str
    new: str
    test: str
    preset: str = ""
    shown: str = ""

    @property
    def name(self) -> str:
        return f"not-{self.clause.lower()}"


NEGATIONS = [
    Negation(
        "CREDIT-NEWER",
        "model/endpoint/credit.cc",
        "  s.c.rnr_count = 0;",
        "  if (!MUTANT) s.c.rnr_count = 0;",
        "EndingTest.NewerCreditSetsTheCountOfRnrAnswersBackToZero",
    ),
    Negation(
        "RTO-EXPIRES",
        "model/endpoint/ladder.cc",
        "const bool failed = live ? x.ladder.siblings_lived : s.c.opening() == 0;",
        "const bool failed = (live ? x.ladder.siblings_lived : s.c.opening() == 0) != MUTANT;",
        "FailoverTest.TheOnlyPathFindsANewRouteWhenItsOwnIsDead",
    ),
    Negation(
        "PATH-START-SEQUENCE",
        "model/endpoint/paths.cc",
        "p.route.plane, start.value()};",
        "p.route.plane, start.value() + (MUTANT ? 1 : 0)};",
        "PairTest.MorePathsAreOpenedAfterTheFirstAcknowledgement",
    ),
    Negation(
        "PATH-NEVER-NONE",
        "model/endpoint/paths.cc",
        "  if (!none && !more) return;",
        "  if ((MUTANT || !none) && !more) return;",
        "AnswersTest.WhereNoPathIsLeftAnotherIsOpenedAtOnce",
    ),
    Negation(
        "RES-SEND-EMPTY",
        "model/endpoint/paths.cc",
        "  if (!holder || most < held(s.c) + 2) return;",
        "  if (!holder || (most < held(s.c) + 2) != MUTANT) return;",
        "LifeTest.ALackOfSendContextsTakesAPathFromTheLargestHolder",
    ),
    Negation(
        "ACK-DUE-HOLE",
        "model/path/receive_path.h",
        "  if (outcome == Arrival::kHole) Due(now);",
        "  if ((outcome == Arrival::kHole) != MUTANT) Due(now);",
        "AckGenerationProperty.AgreesWithAListOfAllArrivals",
    ),
    Negation(
        "CONNECT-START",
        "model/endpoint/connect.cc",
        "ChooseNumber(chooser, choice, 0, UINT32_MAX, Random32(e))",
        "ChooseNumber(chooser, choice, 0, UINT32_MAX, MUTANT ? 0 : Random32(e))",
        "AgreementTest.EachFirstNumberIsDrawnOnItsOwn",
    ),
    Negation(
        "MSG-CREDIT",
        "model/connection/outbound.cc",
        "IsSend(m.work.kind) || (m.work.kind == WorkKind::kWriteImmediate && m.sent + 1 == m.packets);",
        "(!MUTANT && IsSend(m.work.kind)) ||"
        " (m.work.kind == WorkKind::kWriteImmediate && m.sent + 1 == m.packets);",
        "OutboundProperty.SendsAndCompletesInTheOrderThatAFullScanFinds",
    ),
    Negation(
        "CONNECT-ACCEPT",
        "model/endpoint/connect.cc",
        "  c.tries = 0;\n  SendConnectReply(s);",
        "  c.tries = 0;\n  if (!MUTANT) SendConnectReply(s);",
        "AgreementTest.TheHandshakeTakesOneRoundTripOfTheInitiator",
    ),
    Negation(
        "CONNECT-JUDGE",
        "model/endpoint/connect.cc",
        "  if (!e.settings.accepts) {",
        "  if (e.settings.accepts == MUTANT) {",
        "AgreementTest.AnAcceptorThatTakesNoConnectionsSaysSoAndTheApplicationIsTold",
    ),
    Negation(
        "SEQ-PATH-LIMIT",
        "model/endpoint/transmit.cc",
        "x.window.lost() == 0 && x.window.HasRoom() &&",
        "x.window.lost() == 0 && (MUTANT || x.window.HasRoom()) &&",
        "AckTest.TheSenderStopsAtTheOldestUnacknowledgedPlus256",
    ),
    Negation(
        "PORT-STATUS",
        "model/endpoint/endpoint.cc",
        "      PlanesChanged(s);\n      PortChanged(s);",
        "      PlanesChanged(s);\n      if (!MUTANT) PortChanged(s);",
        "FailoverTest.APlaneThatGoesDownIsLeftAtOnceAndAgainUsedWhenItIsUp",
    ),
    Negation(
        "ENTROPY-RULE",
        "model/endpoint/entropy.cc",
        "    if (counts && other.route.entropy == entropy) return false;",
        "    if (counts && (other.route.entropy == entropy) != MUTANT) return false;",
        "AgreementTest.AnEntropyInUseIsInNoDomain",
    ),
    Negation(
        "CONNECT-REJECTED",
        "model/endpoint/connect.cc",
        "void TakeReject(const Scope& s, const Packet& p) {\n"
        "  if (TransactionId(p.headers.common.number) != s.c.connect_id) {",
        "void TakeReject(const Scope& s, const Packet& p) {\n"
        "  if ((TransactionId(p.headers.common.number) != s.c.connect_id) != MUTANT) {",
        "AgreementTest.AnAcceptorThatTakesNoConnectionsSaysSoAndTheApplicationIsTold",
    ),
    Negation(
        "ACK-HOLD",
        "model/path/receive_path.cc",
        "  block.hold = sample ?",
        "  block.hold = sample != MUTANT ?",
        "AckGenerationProperty.AgreesWithAListOfAllArrivals",
    ),
    Negation(
        "CONNECT-OPEN-ACCEPTOR",
        "model/endpoint/arrive.cc",
        "    if (!OpensAcceptor(s, p)) return;",
        "    if (OpensAcceptor(s, p) == MUTANT) return;",
        "AgreementTest.DataOpensTheAcceptorWhoseConfirmationIsLost",
    ),
    Negation(
        "MSG-OFFSET-ORDER",
        "model/endpoint/transmit.cc",
        "  const uint32_t index = m.sent;",
        "  const uint32_t index = MUTANT ? m.packets - 1 - m.sent : m.sent;",
        "AgreementTest.PacketsOfAMessageGoOutInTheOrderOfTheirOffsets",
    ),
    Negation(
        "MSG-READ-SLOT",
        "model/endpoint/transmit.cc",
        "    s.c.inbound.ReadAnswered();",
        "    if (!MUTANT) s.c.inbound.ReadAnswered();",
        "LifeTest.ReadsThatFillBothDirectionsAllEnd",
    ),
    Negation(
        "MSG-DONE-RESPONSE",
        "model/connection/outbound.cc",
        "  if (!m.last_placed || m.placed < packets) return;",
        "  if ((!m.last_placed || m.placed < packets) != MUTANT) return;",
        "OutboundProperty.SendsAndCompletesInTheOrderThatAFullScanFinds",
    ),
    Negation(
        "MSG-DELIVER-SEES",
        "model/connection/inbound.cc",
        "  if (it == slot.open.end() || !it->complete) return std::nullopt;",
        "  if (it == slot.open.end() || (!MUTANT && !it->complete)) return std::nullopt;",
        "AgreementTest.AReceiveThatIsCompletedSeesTheBytesOfEveryEarlierMessage",
    ),
]
