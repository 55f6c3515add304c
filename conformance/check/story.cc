#include "conformance/check/story.h"

#include <algorithm>

#include "model/connection/inbound.h"

namespace metaroce::check {
namespace {

using packet::Packet;
using spec::Opcode;

constexpr size_t kRefusals = 16;

bool IsRequest(Opcode opcode) {
  return spec::Info(opcode).opcode_class == spec::OpcodeClass::kData &&
         opcode != Opcode::kReadResponse && opcode != Opcode::kAtomicResponse &&
         opcode != Opcode::kVoid;
}

WorkKind KindOfWork(Opcode opcode) {
  switch (opcode) {
    case Opcode::kWriteWithImmediate:
      return WorkKind::kWriteImmediate;
    case Opcode::kSend:
      return WorkKind::kSend;
    case Opcode::kSendWithImmediate:
      return WorkKind::kSendImmediate;
    case Opcode::kSendWithInvalidate:
      return WorkKind::kSendInvalidate;
    case Opcode::kReadRequest:
      return WorkKind::kRead;
    case Opcode::kFetchAdd:
      return WorkKind::kFetchAdd;
    case Opcode::kCompareSwap:
      return WorkKind::kCompareSwap;
    default:
      return WorkKind::kWrite;
  }
}

}  // namespace

std::array<std::optional<Kind>, 2> KindsOf(const Packet& packet) {
  switch (packet.opcode()) {
    case Opcode::kConnect:
      return {Kind::kStart, Kind::kSetup};
    case Opcode::kConnectReply:
      return {Kind::kStart};
    case Opcode::kDisconnect:
      return {Kind::kSetup};
    case Opcode::kPathOpen:
      return {Kind::kPathOpen};
    case Opcode::kCreditProbe:
      return {Kind::kCreditProbe};
    case Opcode::kAck:
      return {Kind::kAck};
    case Opcode::kCredit:
    case Opcode::kRnr:
      return {Kind::kCreditAnswer};
    case Opcode::kPortStatus:
      return {Kind::kPortStatus};
    case Opcode::kProbe:
      if (packet.headers.probe.reason == static_cast<uint8_t>(spec::ProbeReason::kLiveness)) {
        return {Kind::kLiveness};
      }
      return {};
    default:
      return {};
  }
}

Story::Story(const Trace& trace, uint8_t side) : trace_(&trace) {
  for (const Record& record : trace.records) {
    if (record.side == side && !record.received && record.parsed.ok()) Take(record);
  }
}

void Story::Take(const Record& record) {
  const Packet& p = record.packet;
  endpoint::Port& port = ports_[record.plane];
  port.ip = frame::SourceAddress(p.frame, record.frame);
  port.mac = frame::SourceMac(p.frame, record.frame);
  planes_ = std::max<size_t>(planes_, record.plane + 1u);
  if (p.opcode() == Opcode::kConnect || p.opcode() == Opcode::kConnectReply) TakeAddresses(p, port);
  for (const std::optional<Kind>& kind : KindsOf(p)) {
    if (!kind) continue;
    kinds_[static_cast<size_t>(*kind)].push_back(static_cast<uint32_t>(record.number - 1));
  }
  if (IsRequest(p.opcode())) TakeRequest(p);
  switch (p.opcode()) {
    case Opcode::kNackInvalidRequest:
    case Opcode::kNackRemoteAccess:
    case Opcode::kNackRemoteOperation:
      // A connection has one; what repeats it says the same.
      if (refusals_.size() < kRefusals) refusals_.push_back({p.headers.nack_request, record.at});
      break;
    default:
      break;
  }
}

// The addresses of planes by which nothing may have left yet.
void Story::TakeAddresses(const Packet& p, const endpoint::Port& seen) {
  packet::Bytes list = p.options;
  packet::Option option;
  while (packet::NextOption(&list, &option)) {
    const bool v4 = option.type == static_cast<uint16_t>(spec::ConnectOption::kAddressesIpv4);
    if (!v4 && option.type != static_cast<uint16_t>(spec::ConnectOption::kAddressesIpv6)) continue;
    const size_t bytes = v4 ? 4 : 16;
    const size_t planes = std::min<size_t>(option.value.size() / bytes, ports_.size());
    planes_ = std::max(planes_, planes);
    for (size_t plane = 0; plane < planes; ++plane) {
      std::array<uint8_t, 16> raw{};
      std::copy_n(option.value.begin() + static_cast<ptrdiff_t>(plane * bytes), bytes, raw.begin());
      ports_[plane] = {seen.mac, v4 ? frame::IpAddress::V4({raw[0], raw[1], raw[2], raw[3]})
                                    : frame::IpAddress::V6(raw)};
    }
    return;
  }
}

void Story::TakeRequest(const Packet& p) {
  const RequestPacket request = ToRequest(p.headers, p.payload.size());
  const uint64_t key = FaceOf(request.stream, request.msn);
  const auto [at, fresh] = messages_.try_emplace(key);
  Message& m = at->second;
  const WorkKind kind = KindOfWork(request.opcode);
  if (fresh) {
    m.work.kind = kind;
    m.work.stream = request.stream;
    m.work.length = request.length;
    m.work.rkey = request.rkey;
    m.work.address = request.address;
    m.work.operand = request.operand;
    m.work.compare = request.compare;
  }
  if (request.last()) {
    m.last_seen = true;
    m.work.kind = kind;
    m.work.word = request.word;
    m.work.solicited = request.solicited;
  }
  m.consumes = m.consumes || ConsumesReceive(kind);
  if (request.has_index && !m.has_index) {
    m.has_index = true;
    m.index = request.index;
    by_index_.try_emplace(request.index.value(), key);
  }
}

const Record* Story::Nth(Kind kind, size_t n) const {
  const std::vector<uint32_t>& all = kinds_[static_cast<size_t>(kind)];
  return n < all.size() ? &trace_->records[all[n]] : nullptr;
}

const Message* Story::Find(uint16_t stream, Msn msn) const {
  const auto at = messages_.find(FaceOf(stream, msn));
  return at == messages_.end() ? nullptr : &at->second;
}

std::optional<uint64_t> Story::WithIndex(ReceiveIndex index) const {
  const auto at = by_index_.find(index.value());
  if (at == by_index_.end()) return std::nullopt;
  return at->second;
}

const Refusal* Story::RefusalOf(uint8_t path, uint8_t epoch, uint32_t sequence) const {
  for (const Refusal& refusal : refusals_) {
    const spec::NackRequest& body = refusal.body;
    if (body.path == path && body.epoch == epoch && body.sequence == sequence) return &refusal;
  }
  return nullptr;
}

const Refusal* Story::OperationRefused() const {
  for (const Refusal& refusal : refusals_) {
    if (refusal.body.reason == static_cast<uint8_t>(spec::Reason::kRemoteOperation)) {
      return &refusal;
    }
  }
  return nullptr;
}

}  // namespace metaroce::check
