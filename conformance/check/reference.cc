#include "conformance/check/reference.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/check/explain.h"
#include "model/check.h"
#include "model/connection/inbound.h"

namespace metaroce::check {
namespace {

using endpoint::Connection;
using packet::Packet;
using spec::Opcode;
namespace clause = spec::clause;

// More receives or work requests that a trace shows at once are beyond what is checked.
constexpr int32_t kMostAtOnce = 1 << 20;

bool IsData(const Packet& p) { return p.info().opcode_class == spec::OpcodeClass::kData; }

bool IsResponse(Opcode opcode) {
  return opcode == Opcode::kReadResponse || opcode == Opcode::kAtomicResponse;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Reference>> Reference::Make(uint8_t side, const Declared& declared,
                                                           Story* own, const Story* peer) {
  absl::StatusOr<endpoint::Endpoint> made = endpoint::Endpoint::Make(declared.settings);
  if (!made.ok()) return made.status();
  auto reference =
      std::unique_ptr<Reference>(new Reference(side, declared, own, peer, *std::move(made)));
  if (!declared.open) return reference;
  const absl::StatusOr<uint32_t> cid = declared.open(&reference->endpoint_);
  if (!cid.ok()) return cid.status();
  reference->cid_ = *cid;
  return reference;
}

Reference::Reference(uint8_t side, const Declared& declared, Story* own, const Story* peer,
                     endpoint::Endpoint endpoint)
    : side_(side),
      react_max_(declared.react_max),
      regions_known_(declared.open != nullptr),
      own_(own),
      peer_(peer),
      endpoint_(std::move(endpoint)),
      eyes_(this) {}

std::optional<uint64_t> Reference::Eyes::Shown(spec::Choice choice) {
  using spec::Choice;
  const auto show = [&](const Record* record, auto face) -> std::optional<uint64_t> {
    if (record == nullptr) return std::nullopt;
    by = record;
    return static_cast<uint64_t>(face(record->packet));
  };
  const auto start = [&](auto face) { return show(Next(Kind::kStart), face); };
  switch (choice) {
    case Choice::kCid:
      return start([](const Packet& p) { return p.headers.connect.cid; });
    case Choice::kConnectTag:
      return start([](const Packet& p) { return p.headers.ctrl.tag; });
    case Choice::kConnectId:
      return start([](const Packet& p) { return p.headers.common.number; });
    case Choice::kConnectCsn:
      return start([](const Packet& p) { return p.headers.connect.start_csn; });
    case Choice::kConnectMsn:
      return start([](const Packet& p) { return p.headers.connect.start_msn; });
    case Choice::kConnectSequence:
      return start([](const Packet& p) { return p.headers.connect.start_sequence; });
    case Choice::kConnectSerial:
      return start([](const Packet& p) { return p.headers.connect.start_serial; });
    case Choice::kConnectIndex:
      return start([](const Packet& p) { return p.headers.connect.start_index; });
    case Choice::kSetupEntropy:
      return show(Next(Kind::kSetup), [](const Packet& p) { return p.frame.src_port; });
    case Choice::kPathId:
      return show(Next(Kind::kPathOpen), [](const Packet& p) { return p.headers.common.path; });
    case Choice::kPlane:
      by = Next(Kind::kStart);
      if (by != nullptr) return by->plane;
      return show(Next(Kind::kPathOpen), [](const Packet& p) { return p.headers.path_open.plane; });
    case Choice::kEntropy:
      return show(Next(Kind::kPathOpen), [](const Packet& p) { return p.frame.src_port; });
    case Choice::kStartSequence:
      return show(Next(Kind::kPathOpen),
                  [](const Packet& p) { return p.headers.path_open.start_sequence; });
    case Choice::kCreditPath:
      return show(Next(Kind::kCreditProbe), [](const Packet& p) { return p.frame.src_port; });
    case Choice::kLivenessPath:
      return show(Next(Kind::kLiveness), [](const Packet& p) { return p.headers.common.path; });
    case Choice::kNextPath:
      return show(data, [](const Packet& p) { return p.headers.common.path; });
    case Choice::kNextRetransmission:
      return show(data, [](const Packet& p) {
        return FaceOf(p.headers.common.path, PathSeq(p.headers.common.number));
      });
    case Choice::kNextRequest:
    case Choice::kNextResponse:
      return show(data, [](const Packet& p) {
        return FaceOf(p.headers.data.stream, Msn(p.headers.data.msn));
      });
    case Choice::kAckSecondary:
      further = 0;
      return show(Next(Kind::kAck), [](const Packet& p) { return p.headers.ack.blocks - 1; });
    case Choice::kAckSecondaryPath:
      ++further;
      return show(Next(Kind::kAck),
                  [&](const Packet& p) { return p.headers.path_block[further & 3].path; });
    case Choice::kAckMoment:
      // It leaves when it is seen, and at the latest then.
      by = nullptr;
      return static_cast<uint64_t>(owner_->endpoint_.state().settings.ack_max);
    default:
      // ack-early and bad-connection-answer: the packet is taken when it is seen, or not.
      return std::nullopt;
  }
}

void Reference::OnPacket(uint32_t cid, const endpoint::PacketOut& out) {
  if (cid != 0) cid_ = cid;
  for (const std::optional<Kind>& kind : KindsOf(out.packet)) {
    if (kind) ++sent_[static_cast<size_t>(*kind)];
  }
  Owed owed;
  owed.packet = out.packet;
  auto frame = packet::Serialize(out.packet, endpoint::FrameOf(out));
  METAROCE_CHECK(frame.ok());
  owed.frame = *std::move(frame);
  const bool ack = out.packet.opcode() == Opcode::kAck;
  // An ACK that the model sends by its own timer has waited for `ack_max`.
  owed.latest = now_ + (ack && by_timer_ ? 0 : react_max_);
  owed.optional = out.packet.opcode() == Opcode::kNackBadConnection;
  owed_.push_back(std::move(owed));
}

void Reference::OnWork(uint32_t, const endpoint::WorkDone& done) {
  done_.push_back({done.id, done.status == spec::CompletionStatus::kSuccess, now_});
}

packet::Bytes Reference::Read(uint64_t, uint32_t length) {
  if (unreadable_) return {};
  if (payload_.size() == length) return payload_;
  if (zeros_.size() < length) zeros_.resize(length);
  return packet::Bytes(zeros_.data(), length);
}

endpoint::Step Reference::At(Nanoseconds now) {
  now_ = now;
  endpoint::Step step;
  step.now = now;
  step.sink = this;
  step.memory = this;
  step.chooser = &eyes_;
  return step;
}

Given& Reference::Note(Given::Kind kind, uint8_t number, bool on) {
  Given& given = given_.size() < kMostGiven ? given_.emplace_back() : spare_;
  given.kind = kind;
  given.at = now_;
  given.number = number;
  given.on = on;
  return given;
}

Connection* Reference::Current() {
  endpoint::State& state = endpoint_.state();
  const auto at = state.by_cid.find(cid_);
  return at == state.by_cid.end() ? nullptr : state.connections[at->second].get();
}

void Reference::PollTimer(Nanoseconds now) {
  if (const Connection* c = Current()) {
    const uint32_t timer = c->timers.First() == kNever ? 0 : c->timers.FirstId();
    const bool ack =
        timer >= endpoint::kConnectionTimers &&
        (timer - endpoint::kConnectionTimers) % endpoint::kPathTimers == endpoint::kAckTimer;
    const Record* next = own_->Nth(Kind::kAck, sent_[static_cast<size_t>(Kind::kAck)]);
    if (ack && next != nullptr && next->at <= now) {
      GrantUpTo(ReceiveIndex(next->packet.headers.ack.credit));
    }
  }
  now_ = now;
  PostProbed(false);
  by_timer_ = true;
  endpoint_.Poll(At(now));
  by_timer_ = false;
}

std::optional<Verdict> Reference::Before(const Record& next) {
  while (TimerDue(next.at - 1)) {
    PollTimer(std::max(now_, endpoint_.state().timers.First()));
    if (auto verdict = Chosen(next)) return verdict;
  }
  for (size_t i = 0; i < owed_.size();) {
    if (owed_[i].latest >= next.at) {
      ++i;
    } else if (owed_[i].optional) {
      owed_.erase(owed_.begin() + static_cast<ptrdiff_t>(i));
    } else {
      return Missing(owed_[i], next);
    }
  }
  const Connection* c = Current();
  if (c == nullptr || c->lost_waiting == 0) {
    lost_since_.reset();
    return std::nullopt;
  }
  if (!lost_since_) lost_since_ = now_;
  //= RTX-AT-ONCE
  //# It is sent at once, subject to the pacer alone
  const Nanoseconds latest = std::max(*lost_since_, c->congestion.pacer.Due()) + react_max_;
  if (latest < next.at) {
    Verdict verdict;
    verdict.record = &next;
    verdict.side = side_;
    verdict.missing = true;
    verdict.latest = latest;
    verdict.clause = clause::kRtxAtOnce;
    verdict.expected = absl::StrCat("a retransmission by ", latest, " ns");
    verdict.got = "none";
    verdict.why = absl::StrCat(c->lost_waiting, " packets were declared lost at ", *lost_since_,
                               " ns and wait.");
    return verdict;
  }
  return std::nullopt;
}

std::optional<Verdict> Reference::Take(const Record& record) {
  now_ = record.at;
  return record.received ? Received(record) : Sent(record);
}

std::optional<Verdict> Reference::Missing(const Owed& owed, const Record& next) const {
  Verdict verdict;
  verdict.record = &next;
  verdict.side = side_;
  verdict.missing = true;
  verdict.latest = owed.latest;
  verdict.clause = ClauseOf(owed.packet, true);
  verdict.expected = absl::StrCat(Title(owed.packet), " by ", owed.latest, " ns");
  verdict.got = "none";
  verdict.why = "It was due and did not come.";
  return verdict;
}

// A choice that is outside of its domain.
std::optional<Verdict> Reference::Chosen(const Record& record) {
  if (!eyes_.outside()) return std::nullopt;
  const ObservedChooser::Outside outside = *eyes_.outside();
  eyes_.Clear();
  const spec::ChoiceInfo& info = spec::Info(outside.choice);
  Verdict verdict;
  verdict.record = eyes_.by != nullptr ? eyes_.by : &record;
  verdict.side = side_;
  verdict.clause = info.clause;
  verdict.field = std::string(info.determined_by);
  verdict.expected = outside.count > 0 ? absl::StrCat("one of ", outside.count,
                                                      outside.count == 1 ? " value" : " values")
                                       : absl::StrCat("from ", outside.min, " to ", outside.max);
  verdict.got = ShowNumber(outside.face);
  verdict.why = outside.ToString();
  return verdict;
}

bool Reference::TakeExact(const Record& record) {
  for (size_t i = 0; i < owed_.size(); ++i) {
    if (packet::Bytes(owed_[i].frame) != record.frame) continue;
    owed_.erase(owed_.begin() + static_cast<ptrdiff_t>(i));
    return true;
  }
  return false;
}

std::optional<Verdict> Reference::Received(const Record& record) {
  if (record.parsed.ok()) PreparePeerRequest(record);
  PostProbed(false);
  Note(Given::Kind::kPacket).record = &record;
  endpoint_.ArriveFrame(record.frame, record.plane, At(record.at));
  unreadable_ = false;
  return Chosen(record);
}

std::optional<Verdict> Reference::Sent(const Record& record) {
  if (!record.parsed.ok()) {
    Verdict verdict;
    verdict.record = &record;
    verdict.side = side_;
    verdict.clause = spec::Info(record.parsed.reason()).clause;
    verdict.expected = "a packet that passes the checks on its bytes";
    verdict.got = std::string(record.parsed.name());
    verdict.why = record.parsed.ToString();
    return verdict;
  }
  if (IsData(record.packet)) return SentData(record);
  if (TakeExact(record)) return std::nullopt;
  Cause(record);
  if (auto verdict = Chosen(record)) return verdict;
  while (!TakeExact(record)) {
    if (!TimerDue(record.at)) return Wrong(record);
    PollTimer(record.at);
    if (auto verdict = Chosen(record)) return verdict;
  }
  return std::nullopt;
}

// The packet is none that the model sends now.
std::optional<Verdict> Reference::Wrong(const Record& record) {
  const Packet& p = record.packet;
  for (size_t i = 0; i < owed_.size(); ++i) {
    const Packet& o = owed_[i].packet;
    if (o.opcode() != p.opcode() || o.headers.common.path != p.headers.common.path) continue;
    if (auto verdict = Differ(record, owed_[i].frame)) return verdict;
    owed_.erase(owed_.begin() + static_cast<ptrdiff_t>(i));
    return std::nullopt;
  }
  Verdict verdict;
  verdict.record = &record;
  verdict.side = side_;
  verdict.clause = ClauseOf(p, false);
  verdict.expected = "no such packet";
  verdict.got = Title(p);
  verdict.why = "Nothing that this side saw makes it send this now.";
  return verdict;
}

std::optional<Verdict> Reference::SentData(const Record& record) {
  while (TimerDue(record.at)) {
    PollTimer(record.at);
    if (auto verdict = Chosen(record)) return verdict;
  }
  const Packet& p = record.packet;
  Connection* c = Current();
  if (c == nullptr || c->peer.cid != p.headers.common.cid) {
    Verdict verdict;
    verdict.record = &record;
    verdict.side = side_;
    verdict.clause = clause::kConnectStates;
    verdict.field = "common.cid";
    verdict.expected = c == nullptr ? "no DATA" : ShowNumber(c->peer.cid);
    verdict.got = ShowNumber(p.headers.common.cid);
    verdict.why = "There is no connection with this cid.";
    return verdict;
  }
  const bool response = IsResponse(p.opcode());
  const spec::Data& data = p.headers.data;
  const bool fresh = !p.headers.common.rtx && !p.headers.common.moved;
  if (fresh && !response) PostUpTo(data.stream, Msn(data.msn));
  if (fresh && p.opcode() == Opcode::kAtomicResponse) {
    const uint32_t message = c->outbound.Response(data.stream, Msn(data.msn));
    if (message != Outgoing::kNone) {
      c->outbound.Change(message).value = p.headers.atomic_response.value;
    }
  }
  const std::optional<Verdict> reason =
      Explain(*c, endpoint_.state().settings, NextMsn(data.stream), record);
  endpoint::State& state = endpoint_.state();
  const uint32_t slot = state.by_cid.find(cid_)->second;
  payload_ = p.payload;
  eyes_.data = &record;
  c->outbound.Suppose(!p.headers.common.ar);
  while (!state.ready_order.empty()) state.ready_order.pop_front();
  state.ready_order.push_back(slot);
  state.ready[slot] = 1;
  HoldCut(record);
  const size_t before = owed_.size();
  endpoint_.Poll(At(record.at));
  c->outbound.Suppose(false);
  eyes_.data = nullptr;
  payload_ = {};
  std::optional<Verdict> verdict = Chosen(record);
  for (size_t i = before; i < owed_.size(); ++i) {
    if (!IsData(owed_[i].packet)) continue;
    if (!verdict) verdict = Differ(record, owed_[i].frame);
    if (!verdict) {
      owed_.erase(owed_.begin() + static_cast<ptrdiff_t>(i));
      return std::nullopt;
    }
    break;
  }
  if (reason) return reason;
  if (verdict) return verdict;
  Verdict none;
  none.record = &record;
  none.side = side_;
  none.clause = clause::kMsgReady;
  none.expected = "no DATA";
  none.got = Title(p);
  none.why = "No packet of its message is ready.";
  return none;
}

void Reference::GrantUpTo(ReceiveIndex credit) {
  const Connection* c = Current();
  if (c == nullptr || credit - c->receives.credit() > kMostAtOnce) return;
  while (c->receives.credit() < credit) {
    PostedReceive receive;
    receive.length = UINT32_MAX;
    if (!endpoint_.PostReceive(cid_, receive, At(now_)).ok()) return;
    Note(Given::Kind::kReceive);
    if (c->state >= spec::ConnectionState::kClosing) return;
  }
}

void Reference::PostOne(uint16_t stream, Msn msn) {
  Connection* c = Current();
  const Message* known = own_->Find(stream, msn);
  WorkRequest work;
  if (known != nullptr) {
    work = known->work;
    if (known->has_index) c->outbound.TakeIndex(known->index);
  } else {
    // Never sent: it waited for something to the end.
    work.stream = stream;
    c->outbound.HoldNext();
  }
  if (known != nullptr) {
    Note(Given::Kind::kWork).work = work;
  }
  work.id = FaceOf(stream, msn);
  (void)endpoint_.Post(cid_, work, At(now_)).ok();
}

Msn& Reference::NextMsn(uint16_t stream) {
  return next_msn_.try_emplace(stream, Msn(Current()->local.start_msn)).first->second;
}

void Reference::PostUpTo(uint16_t stream, Msn msn) {
  const Connection* c = Current();
  if (c == nullptr || c->state != spec::ConnectionState::kOpen) return;
  if (stream >= c->local.streams) return;
  Msn& next = NextMsn(stream);
  // Beyond that no message may have begun.
  if (msn - next >= c->local.open_messages) return;
  for (; next <= msn; ++next) PostOne(stream, next);
}

// The work request that the next CREDIT_PROBE is for, if that one leaves now: the one to be
// explained, or one that follows on what is happening.
void Reference::PostProbed(bool itself) {
  const Record* probe =
      own_->Nth(Kind::kCreditProbe, sent_[static_cast<size_t>(Kind::kCreditProbe)]);
  Connection* c = Current();
  if (probe == nullptr || probe->at > now_ || c == nullptr) return;
  if (c->state != spec::ConnectionState::kOpen) return;
  const ReceiveIndex index(probe->packet.headers.credit_probe.receive_index);
  const auto key = own_->WithIndex(index);
  const bool first = !itself && c->credit == spec::CreditState::kIdle;
  // Had it waited for credit alone, the CREDIT_PROBE would have been sent when it was posted. So
  // what happens ends what it waited for besides (SEQ-MSN-OPEN, a fence), unless another CTRL
  // packet comes first.
  if (first && (!key || probe->packet.headers.common.number != c->next_id.value())) return;
  if (first) c->credit = spec::CreditState::kProbing;
  if (key) PostUpTo(static_cast<uint16_t>(*key >> 32), Msn(static_cast<uint32_t>(*key)));
  if (first) c->credit = spec::CreditState::kIdle;
  if (first || (key && c->credit != spec::CreditState::kIdle)) return;
  // Of one that was never sent nothing else is known.
  (void)endpoint_.SupposeWaits(cid_, key ? std::nullopt : std::optional(index), At(now_)).ok();
}

// Before a DATA packet: whether a Write of which the last packet was never sent is ready for it. It
// may have an immediate and wait for credit; only `ar` tells.
void Reference::HoldCut(const Record& record) {
  Connection* c = Current();
  const Packet& p = record.packet;
  const spec::Data& data = p.headers.data;
  if (!p.headers.common.rtx && !p.headers.common.moved && p.opcode() == Opcode::kWrite) {
    const Message* known = own_->Find(data.stream, Msn(data.msn));
    const uint64_t rest = uint64_t{data.length} - data.offset;
    if (known != nullptr && !known->last_seen && rest <= 2 * uint64_t{c->local.mtu}) {
      cut_.push_back(FaceOf(data.stream, Msn(data.msn)));
    }
  }
  for (uint64_t key : cut_) {
    const uint32_t message =
        c->outbound.WithMsn(static_cast<uint16_t>(key >> 32), Msn(static_cast<uint32_t>(key)));
    if (message == Outgoing::kNone) continue;
    Outgoing& m = c->outbound.Change(message);
    m.held = m.work.kind == WorkKind::kWrite && (p.headers.common.ar || IsResponse(p.opcode()));
  }
}

// What the model has to have for it to take a packet of the peer as the side did.
void Reference::PreparePeerRequest(const Record& record) {
  Connection* c = Current();
  if (c == nullptr) return;
  now_ = record.at;
  const Packet& p = record.packet;
  if (p.opcode() == Opcode::kCreditProbe) {
    const Record* answer =
        own_->Nth(Kind::kCreditAnswer, sent_[static_cast<size_t>(Kind::kCreditAnswer)]);
    if (answer != nullptr && answer->packet.headers.common.number == p.headers.common.number) {
      GrantUpTo(ReceiveIndex(answer->packet.headers.credit.credit));
    }
    return;
  }
  if (!IsData(p)) return;
  const spec::Common& common = p.headers.common;
  const Refusal* refusal = own_->RefusalOf(common.path, common.epoch, common.number);
  const auto reason =
      refusal == nullptr ? spec::Reason{} : static_cast<spec::Reason>(refusal->body.reason);
  const RequestPacket request = ToRequest(p.headers, p.payload.size());
  if (reason == spec::Reason::kReceiveLength && request.length > 0) {
    PostedReceive* receive = c->receives.Find(request.index);
    if (receive != nullptr) receive->length = request.length - 1;
  }
  const Refusal* operation = own_->OperationRefused();
  const bool fails = operation != nullptr && operation->at <= record.at + react_max_;
  unreadable_ = fails;
  if (regions_known_) return;
  std::vector<Region>& regions = c->regions;
  if (regions.empty()) regions.emplace_back();
  if (NamesMemory(p.opcode())) {
    Region& region = regions[0];
    region = Region{0, UINT64_MAX, request.rkey, kRemoteWrite | kRemoteRead | kRemoteAtomic, true};
    if (reason == spec::Reason::kRkey) region.valid = false;
    if (reason == spec::Reason::kAccessRights) region.rights = 0;
    if (reason == spec::Reason::kAccessBounds) region.length = 0;
  }
  if (p.opcode() == Opcode::kSendWithInvalidate && !fails) {
    regions.erase(std::remove_if(regions.begin() + 1, regions.end(),
                                 [](const Region& region) { return !region.valid; }),
                  regions.end());
    regions.push_back(Region{0, UINT64_MAX, request.word, 0, true});
  }
}

}  // namespace metaroce::check
