#include "conformance/check/verdict.h"

#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/wire/packet/dissect.h"

namespace metaroce::check {
namespace {

using packet::Part;
using spec::Clause;
using spec::Opcode;
namespace clause = spec::clause;

struct FieldClause {
  absl::string_view name;  // without the number of a path block
  Clause clause;
};

// Fields with a rule of their own, where the packet's kind does not matter.
constexpr FieldClause kFields[] = {
    {"common.transmit_time", clause::kWireTransmitTime},
    {"common.epoch", clause::kPathEpoch},
    {"common.ar", clause::kCcAr},
    {"common.rtx", clause::kRtxSamePath},
    {"common.moved", clause::kPathMoved},
    {"common.se", clause::kMsgSolicited},
    {"ctrl.tag", clause::kWireTag},
    {"data.csn", clause::kSeqCsn},
    {"data.stream", clause::kMsgNext},
    {"data.acks_seen", clause::kWireAcksSeen},
    {"data.msn", clause::kSeqMsn},
    {"data.offset", clause::kMsgOffsetOrder},
    {"data.length", clause::kMsgSegment},
    {"payload", clause::kMsgSegment},
    {"send_match.receive_index", clause::kSeqIndex},
    {"write_target.address", clause::kWireAddress},
    {"atomic_response.value", clause::kMsgAtomicValue},
    {"ack.csn", clause::kAckCumulative},
    {"ack.right_edge", clause::kSeqCsnEdge},
    {"ack.blocks", clause::kAckSecondary},
    {"ack.hint", clause::kConnectFeatures},
    {"ack.credit", clause::kSeqCredit},
    {"path_block.path", clause::kAckEntropy},
    {"path_block.bitmap_code", clause::kAckBitmap},
    {"path_block.bitmap", clause::kAckSnapshot},
    {"path_block.duplicates", clause::kAckCounters},
    {"path_block.base", clause::kSeqPathReceive},
    {"path_block.ce", clause::kAckCounters},
    {"path_block.arrivals", clause::kAckCounters},
    {"path_block.echo", clause::kAckEcho},
    {"path_block.hold", clause::kAckHold},
    {"nack_request.reason", clause::kCheckOrder},
    {"answer.echo", clause::kWireAnswerTime},
    {"answer.hold", clause::kWireAnswerTime},
    {"path_open.reason", clause::kPathOpenReason},
    {"path_open.attempt", clause::kPathOpenAgain},
    {"path_open.plane", clause::kPlaneAgain},
    {"path_open.start_sequence", clause::kPathStartSequence},
    {"path_accept.right_edge", clause::kSeqCsnEdge},
    {"probe.acks_seen", clause::kWireAcksSeen},
    {"credit.credit", clause::kSeqCredit},
    {"rnr.timer", clause::kCreditAnswer},
    {"ip.dscp", clause::kWireTrafficClass},
    {"ip.ecn", clause::kWireTrafficClass},
    {"ip.flow_label", clause::kWireFlowLabel},
    {"udp.checksum", clause::kWireUdpChecksum},
    {"udp.destination_port", clause::kWireUdpPort},
    {"ip.src", clause::kConnectAddresses},
    {"ip.dst", clause::kConnectAddresses},
};

// "path_block[1].base" as "path_block.base".
std::string Plain(const std::string& name) {
  const size_t from = name.find('[');
  const size_t to = name.find(']');
  if (from == std::string::npos || to == std::string::npos) return name;
  return name.substr(0, from) + name.substr(to + 1);
}

Clause OfNumber(spec::OpcodeClass opcode_class) {
  switch (opcode_class) {
    case spec::OpcodeClass::kData:
      return clause::kSeqPath;
    case spec::OpcodeClass::kAck:
      return clause::kSeqSerial;
    default:
      return clause::kSeqTransaction;
  }
}

Clause OfEntropy(const packet::Packet& p) {
  switch (p.info().opcode_class) {
    case spec::OpcodeClass::kData:
      return clause::kPathEpoch;
    case spec::OpcodeClass::kAck:
      return clause::kAckEntropy;
    default:
      break;
  }
  if (p.opcode() == Opcode::kPathOpen) return clause::kEntropyRule;
  if (p.opcode() == Opcode::kProbe) return clause::kPathEpoch;
  if (p.opcode() == Opcode::kCreditProbe) return clause::kCreditProbePath;
  if (p.opcode() == Opcode::kPathClose) return clause::kPathCloseRoute;
  if (p.opcode() == Opcode::kPortStatus) return clause::kPortStatusRoute;
  return clause::kWireAnswerEntropy;
}

Clause OfField(const Part& part, const packet::Packet& p) {
  const std::string name = Plain(part.name);
  if (name == "common.number") return OfNumber(p.info().opcode_class);
  if (name == "udp.source_port") return OfEntropy(p);
  if (name == "probe.reason" || name == "probe.attempt") return ClauseOf(p, false);
  if (name == "common.opcode" && p.opcode() == Opcode::kVoid) return clause::kVoidBuild;
  for (const FieldClause& field : kFields) {
    if (field.name == name) return field.clause;
  }
  if (absl::StartsWith(name, "connect.")) return clause::kConnectNegotiation;
  if (part.layout != nullptr && part.layout->clause != spec::kNoClause) return part.layout->clause;
  return clause::kWireIpFields;
}

std::string Show(const packet::FieldValue& value) {
  if (const uint64_t* number = std::get_if<uint64_t>(&value)) return ShowNumber(*number);
  constexpr size_t kShown = 16;
  const auto& data = std::get<std::vector<uint8_t>>(value);
  const std::string hex = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(data.data()), std::min(data.size(), kShown)));
  if (data.size() <= kShown) return absl::StrCat("0x", hex);
  return absl::StrCat("0x", hex, "... (", data.size(), " bytes)");
}

// A receiver reads it, and the text says what it is.
bool Counts(const Part& part) {
  if (part.role == packet::PartRole::kField) {
    return part.name != "ip.id" && !absl::StartsWith(part.name, "eth.");
  }
  return part.name == "path_block[0].bitmap_code" || part.name == "ack.blocks";
}

}  // namespace

std::string ShowNumber(uint64_t number) {
  if (number < 10) return absl::StrCat(number);
  return absl::StrCat(number, " (0x", absl::Hex(number), ")");
}

Clause ClauseOf(const packet::Packet& p, bool missing) {
  switch (p.opcode()) {
    case Opcode::kAck:
      return missing ? clause::kAckMoment : clause::kAckEarly;
    case Opcode::kProbe:
      switch (static_cast<spec::ProbeReason>(p.headers.probe.reason)) {
        case spec::ProbeReason::kRto:
          return clause::kRtoExpires;
        case spec::ProbeReason::kActivate:
          return clause::kPathActivate;
        case spec::ProbeReason::kKeepalive:
          return clause::kPathKeepalive;
        case spec::ProbeReason::kWitness:
          return clause::kLadderWitness;
        case spec::ProbeReason::kLiveness:
          return clause::kClockLiveness;
        default:
          return p.headers.probe.attempt < 2 ? clause::kLadderFirst : clause::kLadderBurst;
      }
    case Opcode::kPathOpen:
      return clause::kPathOpen;
    case Opcode::kPathAccept:
      return clause::kReceiveAccept;
    case Opcode::kPathRefuse:
      return clause::kReceiveRefuse;
    case Opcode::kPathClose:
      return clause::kPathClose;
    case Opcode::kPathCloseReply:
      return clause::kPathCloseAnswer;
    case Opcode::kConnect:
      return clause::kConnectRetry;
    case Opcode::kConnectReply:
      return clause::kConnectReplyRepeat;
    case Opcode::kConnectConfirm:
      return clause::kConnectConfirm;
    case Opcode::kConnectReject:
      return clause::kConnectJudge;
    case Opcode::kDisconnect:
      return clause::kCloseRetry;
    case Opcode::kDisconnectReply:
      return clause::kCloseReceived;
    case Opcode::kPortStatus:
      return clause::kPortStatusRepeat;
    case Opcode::kPortStatusAck:
      return clause::kPortStatusTake;
    case Opcode::kCreditProbe:
      return clause::kCreditProbeStart;
    case Opcode::kCredit:
    case Opcode::kRnr:
      return clause::kCreditAnswer;
    case Opcode::kNackBadEpoch:
      return clause::kCheckPath;
    case Opcode::kNackBadConnection:
      return clause::kNackBadConnectionSend;
    case Opcode::kNackClosing:
      return clause::kErrorNackRepeat;
    case Opcode::kNackInvalidRequest:
    case Opcode::kNackRemoteAccess:
    case Opcode::kNackRemoteOperation:
      return clause::kCheckRefused;
    default:
      return clause::kCcMaySend;
  }
}

std::string Title(const packet::Packet& p) {
  std::string title(p.info().name);
  const spec::Common& common = p.headers.common;
  if (common.path != spec::constant::kNoPath) {
    absl::StrAppend(&title, " path ", common.path, " epoch ", common.epoch);
  }
  absl::StrAppend(&title, " number ", common.number);
  if (p.info().opcode_class == spec::OpcodeClass::kData) {
    absl::StrAppend(&title, " csn ", p.headers.data.csn);
  }
  if (common.rtx) absl::StrAppend(&title, " rtx");
  if (common.moved) absl::StrAppend(&title, " moved");
  return title;
}

std::optional<Verdict> Differ(const Record& got, packet::Bytes expected) {
  if (got.frame == expected) return std::nullopt;
  packet::Packet wanted;
  if (!packet::Parse(expected, packet::ParseOptions(), &wanted).ok()) return std::nullopt;
  const std::vector<Part> is = packet::DissectFrame(got.packet.frame, got.frame);
  const std::vector<Part> should = packet::DissectFrame(wanted.frame, expected);
  for (size_t i = 0; i < should.size(); ++i) {
    const Part& want = should[i];
    if (!Counts(want)) continue;
    const Part* have = nullptr;
    for (size_t j = 0; j < is.size() && have == nullptr; ++j) {
      const Part& part = is[(i + j) % is.size()];
      if (part.name == want.name) have = &part;
    }
    if (have != nullptr && have->value == want.value) continue;
    Verdict verdict;
    verdict.record = &got;
    verdict.side = got.side;
    verdict.clause = OfField(want, wanted);
    verdict.field = want.name;
    verdict.expected = Show(want.value);
    verdict.got = have == nullptr ? "no such field" : Show(have->value);
    return verdict;
  }
  if (is.size() <= should.size()) return std::nullopt;
  Verdict verdict;
  verdict.record = &got;
  verdict.side = got.side;
  verdict.clause = got.packet.info().clause;
  verdict.field = is[should.size()].name;
  verdict.expected = "no such field";
  verdict.got = Show(is[should.size()].value);
  return verdict;
}

}  // namespace metaroce::check
