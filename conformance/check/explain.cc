#include "conformance/check/explain.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "model/connection/inbound.h"
#include "model/endpoint/congestion.h"

namespace metaroce::check {
namespace {

using endpoint::Connection;
using packet::Packet;
using spec::Opcode;
namespace clause = spec::clause;

// One DATA packet against its sender's books.
class Look {
 public:
  Look(const Connection& c, const endpoint::Settings& settings, Msn next_msn, const Record& record)
      : c_(c),
        settings_(settings),
        next_msn_(next_msn),
        record_(record),
        p_(record.packet),
        common_(p_.headers.common) {}

  std::optional<Verdict> All() {
    if (c_.state != spec::ConnectionState::kOpen) {
      const bool accepted = c_.state == spec::ConnectionState::kAccepted;
      return Say(accepted ? clause::kConnectOpenAcceptor : clause::kConnectStates, "", "no DATA",
                 absl::StrCat("DATA in ", std::string(spec::Name(c_.state))),
                 "DATA is sent in the state OPEN only.");
    }
    if (auto verdict = Path()) return verdict;
    if (auto verdict = Pace()) return verdict;
    if (common_.rtx) return Retransmission();
    if (auto verdict = Order()) return verdict;
    if (auto verdict = Sequences()) return verdict;
    if (auto verdict = Room()) return verdict;
    return common_.moved ? std::nullopt : Message();
  }

 private:
  std::optional<Verdict> Say(spec::Clause clause, std::string field, std::string expected,
                             std::string got, std::string why) const {
    Verdict verdict;
    verdict.record = &record_;
    verdict.side = record_.side;
    verdict.clause = clause;
    verdict.field = std::move(field);
    verdict.expected = std::move(expected);
    verdict.got = std::move(got);
    verdict.why = std::move(why);
    return verdict;
  }
  std::optional<Verdict> Number(spec::Clause clause, std::string field, uint64_t expected,
                                uint64_t got, std::string why) const {
    if (expected == got) return std::nullopt;
    return Say(clause, std::move(field), ShowNumber(expected), ShowNumber(got), std::move(why));
  }

  std::optional<Verdict> Path() {
    const bool known = common_.path < c_.out.size() && bool(c_.out[common_.path].context);
    if (!known) {
      return Say(clause::kPathStates, "common.path", "an open path", ShowNumber(common_.path),
                 "The path is not open.");
    }
    path_ = &c_.out[common_.path];
    if (auto verdict = Number(clause::kPathEpoch, "common.epoch", path_->epoch, common_.epoch,
                              "The path is in another epoch.")) {
      return verdict;
    }
    return Number(clause::kPathEpoch, "udp.source_port", path_->route.entropy, p_.frame.src_port,
                  "An epoch keeps its entropy until it ends.");
  }

  std::optional<Verdict> Pace() {
    const congestion::Pacer& pacer = c_.congestion.pacer;
    if (settings_.windows.kind != congestion::Kind::kBuiltIn || pacer.Admits(record_.at)) {
      return std::nullopt;
    }
    return Say(clause::kCcPace, "", absl::StrCat("no DATA before ", pacer.Due(), " ns"),
               absl::StrCat("DATA at ", record_.at, " ns"), "The pacer does not admit it yet.");
  }

  std::optional<Verdict> Retransmission() {
    const TransmitWindow& window = path_->context->window;
    const PathSeq sequence(common_.number);
    const bool known = sequence >= window.oldest() && sequence < window.next();
    if (!known || window.at(sequence).condition != Condition::kLost) {
      const char* what = !known ? "unknown or acknowledged"
                         : window.at(sequence).condition == Condition::kInFlight ? "in flight"
                                                                                 : "acknowledged";
      return Say(clause::kLossRule, "common.rtx", "0", "1",
                 absl::StrCat("No block has declared the packet lost: path sequence ",
                              common_.number, " is ", what, "."));
    }
    const Csn csn = window.at(sequence).csn;
    if (auto verdict = Number(clause::kSeqPathNamesCsn, "data.csn", csn.value(),
                              p_.headers.data.csn, "The path sequence stands for another CSN.")) {
      return verdict;
    }
    const bool passed = !c_.sent.Has(csn);
    if (passed == (p_.opcode() == Opcode::kVoid)) return std::nullopt;
    return Say(clause::kVoidBuild, "common.opcode",
               passed ? ShowNumber(static_cast<uint8_t>(Opcode::kVoid)) : "the packet itself",
               ShowNumber(common_.opcode),
               absl::StrCat("The CSN is ", passed ? "below" : "not below",
                            " the cumulative CSN that the sender knows."));
  }

  // What goes before it.
  std::optional<Verdict> Order() {
    if (c_.lost_waiting > 0) {
      return Say(clause::kRtxFirst, "common.rtx", "1", "0",
                 absl::StrCat(c_.lost_waiting, " retransmissions wait and go first."));
    }
    if (p_.opcode() == Opcode::kVoid) {
      return Say(clause::kVoidBuild, "common.rtx", "1", "0", "A VOID is a retransmission.");
    }
    const bool waits = c_.sent.waiting() > 0;
    if (waits && !common_.moved) {
      return Say(clause::kCcMovedFirst, "common.moved", "1", "0",
                 absl::StrCat(c_.sent.waiting(), " moved packets wait and go first."));
    }
    return std::nullopt;
  }

  std::optional<Verdict> Sequences() {
    const Csn csn(p_.headers.data.csn);
    const TransmitWindow& window = path_->context->window;
    if (c_.sent.Has(csn) && !c_.sent.at(csn).waits) {
      const bool done = c_.sent.at(csn).done;
      return Say(
          done ? clause::kSeqCsn : clause::kSeqCsnHome, "data.csn",
          common_.moved ? "a CSN that waits to be moved" : ShowNumber(c_.sent.next().value()),
          ShowNumber(csn.value()),
          done ? "The CSN is acknowledged." : "The CSN is unacknowledged in a live epoch.");
    }
    if (common_.moved && !c_.sent.Has(csn)) {
      return Say(clause::kPathMoved, "data.csn", "a CSN that waits to be moved",
                 ShowNumber(csn.value()), "The CSN is not outstanding.");
    }
    if (common_.moved) {
      Csn lowest = c_.sent.cumulative();
      while (!c_.sent.at(lowest).waits) ++lowest;
      if (auto verdict = Number(clause::kCcMovedFirst, "data.csn", lowest.value(), csn.value(),
                                "Moved packets go in ascending order of CSN.")) {
        return verdict;
      }
    } else {
      if (auto verdict = Number(clause::kSeqCsn, "data.csn", c_.sent.next().value(), csn.value(),
                                "A new packet takes the next CSN.")) {
        return verdict;
      }
      if (csn >= c_.peer_edge) {
        return Say(clause::kSeqCsnLimit, "data.csn",
                   absl::StrCat("below ", ShowNumber(c_.peer_edge.value())),
                   ShowNumber(csn.value()), "The CSN is not granted.");
      }
    }
    return Number(clause::kSeqPath, "common.number", window.next().value(), common_.number,
                  "A packet takes the next path sequence of its epoch.");
  }

  std::optional<Verdict> Room() {
    const SendContext& x = *path_->context;
    if (path_->state != spec::PathState::kActive) {
      return Say(clause::kCcMaySend, "common.path", "an ACTIVE path",
                 absl::StrCat(common_.path, ", ", std::string(spec::Name(path_->state))),
                 "Only an ACTIVE path that does not drain takes moved and new packets.");
    }
    if (!x.window.HasRoom()) {
      return Say(
          clause::kSeqPathLimit, "common.number",
          absl::StrCat("below ", ShowNumber((x.window.oldest() + TransmitWindow::kSize).value())),
          ShowNumber(common_.number), "The path window is full.");
    }
    const uint32_t in_flight = x.window.in_flight();
    if (in_flight > 0 && uint64_t{in_flight + 1} << 16 > x.congestion.w) {
      return Say(clause::kCcMaySend, "common.path",
                 absl::StrCat("at most ", x.congestion.w >> 16, " packets in flight"),
                 absl::StrCat(in_flight + 1), "The window of the path is full.");
    }
    const uint64_t window = endpoint::WindowBytes(c_, record_.at);
    // Below Ethernet there are preamble, FCS and gap: 24 bytes.
    const uint64_t bytes = record_.frame.size() + 24;
    if (c_.flight_bytes > 0 && c_.flight_bytes + bytes > window) {
      return Say(clause::kCcMaySend, "", absl::StrCat("at most ", window, " bytes in flight"),
                 absl::StrCat(c_.flight_bytes + bytes), "The window of the connection is full.");
    }
    return std::nullopt;
  }

  std::optional<Verdict> Message() {
    const spec::Data& data = p_.headers.data;
    const bool response =
        p_.opcode() == Opcode::kReadResponse || p_.opcode() == Opcode::kAtomicResponse;
    const uint32_t message = response ? c_.outbound.Response(data.stream, Msn(data.msn))
                                      : c_.outbound.WithMsn(data.stream, Msn(data.msn));
    if (message == Outgoing::kNone) {
      if (response) {
        return Say(clause::kMsgResponse, "data.msn", "a request that was delivered",
                   ShowNumber(data.msn), "Nothing was asked with this stream and MSN.");
      }
      if (c_.outbound.Posted(data.stream, Msn(data.msn))) return Sent();
      return Say(clause::kSeqMsnOpen, "data.msn", "an MSN that may begin", ShowNumber(data.msn),
                 absl::StrCat("Stream ", data.stream, " has no such message that may have begun."));
    }
    const Outgoing& m = c_.outbound.at(message);
    if (!response && !c_.outbound.InWindow(message)) {
      return Say(clause::kSeqMsnOpen, "data.msn", "an MSN that may begin", ShowNumber(data.msn),
                 "The stream has as many open messages as the peer granted.");
    }
    if (m.sent == m.packets) return Sent();
    if (spec::Info(p_.opcode()).tail == spec::Tail::kPayload) {
      if (auto verdict =
              Number(clause::kMsgOffsetOrder, "data.offset", uint64_t{m.sent} * c_.local.mtu,
                     data.offset, "The packets of a message go in the order of their offsets.")) {
        return verdict;
      }
    }
    if (response) return std::nullopt;
    if (HasResponse(m.work.kind) && !c_.outbound.MayRead()) {
      return Say(clause::kMsgReadLimit, "", "a Read or atomic less to be answered", Title(p_),
                 "As many as the peer granted wait for their responses.");
    }
    const bool last = m.sent + 1 == m.packets;
    const bool needs = IsSend(m.work.kind) || (m.work.kind == WorkKind::kWriteImmediate && last);
    if (needs && m.index >= c_.outbound.credit()) {
      return Say(clause::kMsgCredit, "send_match.receive_index",
                 absl::StrCat("below ", ShowNumber(c_.outbound.credit().value())),
                 ShowNumber(m.index.value()), "The receive is not credited.");
    }
    return std::nullopt;
  }

  std::optional<Verdict> Sent() const {
    return Say(clause::kSeqMsn, "data.msn", "the MSN of a message that has packets to send",
               ShowNumber(p_.headers.data.msn),
               "All packets of the message with this MSN have been sent before.");
  }

  const Connection& c_;
  const endpoint::Settings& settings_;
  Msn next_msn_;
  const Record& record_;
  const Packet& p_;
  const spec::Common& common_;
  const SendPath* path_ = nullptr;
};

}  // namespace

std::optional<Verdict> Explain(const Connection& connection, const endpoint::Settings& settings,
                               Msn next_msn, const Record& record) {
  return Look(connection, settings, next_msn, record).All();
}

}  // namespace metaroce::check
