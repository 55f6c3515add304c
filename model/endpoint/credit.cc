// Receive credit at both ends (section 10.8).
#include "model/endpoint/scope.h"

namespace metaroce::endpoint {
namespace {

using packet::Packet;
using spec::Counter;
using spec::CreditEvent;
using spec::Opcode;

//= CREDIT-PROBE-PATH
//# of a path of the requester in the best state that a path has, in the order ACTIVE, SUSPECT,
//# OPENING.
std::optional<uint8_t> CreditPath(const Scope& s) {
  const auto rank = [](spec::PathState state) {
    return IsActive(state) ? 0 : IsSuspect(state) ? 1 : state == spec::PathState::kOpening ? 2 : 3;
  };
  int best = 3;
  for (const SendPath& path : s.c.out) best = std::min(best, rank(path.state));
  if (best == 3) return std::nullopt;
  std::vector<uint8_t> paths;
  const uint32_t n = static_cast<uint32_t>(s.c.out.size());
  for (uint32_t i = 1; i <= n; ++i) {
    const uint32_t q = (Behind(s.c.credit_path, n) + i) % n;
    if (rank(s.c.out[q].state) == best) paths.push_back(static_cast<uint8_t>(q));
  }
  // The one taken last stands at the end, so the default and any other but the last differ from it.
  const size_t count =
      paths.size() > 1 && paths.back() == s.c.credit_path ? paths.size() - 1 : paths.size();
  return paths[ChoosePlace(s.step.chooser, spec::Choice::kCreditPath, count,
                           [&](uint64_t place) { return s.c.out[paths[place]].route.entropy; })];
}

void SendCreditProbe(const Scope& s) {
  const Nanoseconds least = s.Time(spec::Constant::kCreditProbeMin);
  const std::optional<uint8_t> path = CreditPath(s);
  if (!path) return s.Arm(kCreditTimer, s.now() + least);
  s.Hit(spec::clause::kCreditProbePath);
  s.c.credit_path = *path;
  Packet p = packet::NewPacket(Opcode::kCreditProbe);
  p.headers.common.path = spec::constant::kNoPath;
  p.headers.common.number = s.c.credit_id.value();
  //= WIRE-CREDIT
  //# CREDIT_PROBE names the receive index its sender waits for.
  p.headers.credit_probe.receive_index = s.c.credit_asked.value();
  s.c.credit_sent = s.now();
  s.Count(Counter::kCreditProbes);
  Answer(s, p, s.c.out[*path].route);
  //= CREDIT-PROBE-REPEAT
  //# SRTT is that of the path whose entropy the transmission carried.
  s.Arm(kCreditTimer, s.now() + std::max(2 * s.c.out[*path].context->rtt.srtt(), least));
}

void SendCredit(const Scope& s, TransactionId id, Route route) {
  Packet p = packet::NewPacket(Opcode::kCredit);
  p.headers.common.path = spec::constant::kNoPath;
  p.headers.common.number = id.value();
  p.headers.credit.credit = s.c.receives.credit().value();
  Answer(s, p, route);
}

void SendRnr(const Scope& s, TransactionId id, Route route) {
  Packet p = packet::NewPacket(Opcode::kRnr);
  p.headers.common.path = spec::constant::kNoPath;
  p.headers.common.number = id.value();
  p.headers.credit.credit = s.c.receives.credit().value();
  p.headers.rnr.timer = static_cast<uint8_t>(s.Constant(spec::Constant::kRnrTimerCode));
  Answer(s, p, route);
}

//= RNR-TIMER
//# The timer codes are those of the enum `rnr_wait`, which gives the time of each code in
//# nanoseconds. Code 0 is the longest time.
Nanoseconds RnrWait(uint8_t code) {
  return static_cast<Nanoseconds>(spec::Named<spec::RnrWait>::kAll[code & 31].value);
}

}  // namespace

void AskForCredit(const Scope& s, ReceiveIndex index) {
  s.Hit(spec::clause::kMsgCredit);
  Enter(s, &s.c.credit, CreditEvent::kWaitForCredit);
  s.c.credit_id = NextId(s);
  s.c.credit_sent = kNever;
  s.c.credit_asked = index;
  SendCreditProbe(s);
}

//= CREDIT-LEARN
//# The credit that a requester has learned is the greatest of the credits in the peer's CONNECT or
//# CONNECT_REPLY, in each ACK that is not void, and in each CREDIT and RNR of the connection
void LearnCredit(const Scope& s, ReceiveIndex credit) {
  if (credit <= s.c.outbound.credit()) return;
  s.Hit(spec::clause::kCreditNewer, spec::clause::kCreditLearn);
  s.c.outbound.Credit(credit);
  s.c.rnr_count = 0;
  Enter(s, &s.c.credit, CreditEvent::kNewerCredit);
  s.Arm(kCreditTimer, kNever);
  s.Wake();
  WaitForCredit(s);
}

void CreditExpires(const Scope& s) {
  if (s.c.credit == spec::CreditState::kWaiting) {
    Enter(s, &s.c.credit, CreditEvent::kWaitExpires);
    return WaitForCredit(s);
  }
  Enter(s, &s.c.credit, CreditEvent::kRepeatExpires);
  SendCreditProbe(s);
}

void TakeCreditProbe(const Scope& s, const Packet& p, const Arrival& a) {
  const ReceiveIndex index(p.headers.credit_probe.receive_index);
  const TransactionId id(p.headers.common.number);
  //= CREDIT-ANSWER
  //# by CREDIT if its receive index is below the credit, else by RNR with the code
  //# `rnr_timer_code`.
  s.Hit(spec::clause::kCreditAnswer);
  if (index < s.c.receives.credit()) return SendCredit(s, id, a.route);
  s.c.asked = Connection::Asked{index, id, a.route};
  SendRnr(s, id, a.route);
}

//= CREDIT-LATE
//# When a receive is posted that the latest CREDIT_PROBE answered by RNR asked for, its receiver
//# sends CREDIT at once
void CreditLate(const Scope& s) {
  if (!s.c.asked || s.c.asked->index >= s.c.receives.credit()) return;
  s.Hit(spec::clause::kCreditLate);
  const Connection::Asked asked = *s.c.asked;
  s.c.asked.reset();
  SendCredit(s, asked.id, asked.route);
}

void TakeCreditAnswer(const Scope& s, const Packet& p, bool rnr) {
  const ReceiveIndex credit(p.headers.credit.credit);
  if (credit > s.c.outbound.credit()) return LearnCredit(s, credit);
  const bool matched = s.c.credit == spec::CreditState::kProbing &&
                       TransactionId(p.headers.common.number) == s.c.credit_id;
  Enter(s, &s.c.credit,
        !matched ? CreditEvent::kAnswerUnmatched
        : rnr    ? CreditEvent::kRnrMatched
                 : CreditEvent::kCreditMatched);
  //= CREDIT-STATES
  //# ANSWER_UNMATCHED is any other CREDIT or RNR that brings none.
  if (!matched) s.Hit(spec::clause::kCreditStates);
  if (!matched || !rnr) return;
  ++s.c.rnr_count;
  s.Count(Counter::kRnrReceived);
  const uint64_t retry = s.Constant(spec::Constant::kRnrRetry);
  //= RNR-COUNT
  //# Else, when the count is `rnr_retry` + 1, the connection goes to ERROR with the cause
  //# `rnr-exceeded`.
  if (retry != 7 && s.c.rnr_count == retry + 1) {
    return Err(s, spec::ConnectionEvent::kRnrExceeded, spec::ConnectionCause::kRnrExceeded, 0,
               s.c.outbound.WithIndex(s.c.credit_asked), spec::CompletionStatus::kRnrExceeded,
               nullptr);
  }
  //= RNR-WAIT
  //# After such an RNR no CREDIT_PROBE is sent until the time of its code has passed since its
  //# arrival.
  s.Hit(spec::clause::kRnrWait, spec::clause::kRnrTimer);
  s.Arm(kCreditTimer, s.now() + RnrWait(p.headers.rnr.timer));
}

}  // namespace metaroce::endpoint
