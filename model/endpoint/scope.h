// What the parts of an endpoint share: one step on one connection. Not for use outside of this
// folder.
#ifndef METAROCE_MODEL_ENDPOINT_SCOPE_H_
#define METAROCE_MODEL_ENDPOINT_SCOPE_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "model/check.h"
#include "model/endpoint/endpoint.h"
#include "model/endpoint/state.h"
#include "model/wire/packet/packet.h"
#include "spec/tables.h"

namespace metaroce::endpoint {

// The rules of these clauses took effect in this step. Few want to know: what they cost stands
// apart from the code that runs for every packet, which would not fit into the cache otherwise.
template <typename... Places>
[[gnu::cold, gnu::noinline]] void SetHits(Hits& hits, Places... places) {
  (hits.set(static_cast<size_t>(places)), ...);
}
template <typename... Clauses>
[[gnu::always_inline]] inline void Hit(const Step& step, Clauses... clauses) {
  if (step.hits != nullptr) [[unlikely]]
    SetHits(*step.hits, clauses...);
}

struct Scope {
  State& e;
  Connection& c;
  const Step& step;
  uint32_t slot;

  Nanoseconds now() const { return step.now; }
  uint64_t Constant(spec::Constant id) const { return e.settings.profile[id]; }
  Nanoseconds Time(spec::Constant id) const { return e.settings.profile.Time(id); }
  // The rules of these clauses took effect here.
  template <typename... Clauses>
  [[gnu::always_inline]] void Hit(Clauses... clauses) const {
    metaroce::endpoint::Hit(step, clauses...);
  }
  // A cell of a machine was entered.
  template <typename MachineState, typename Event>
  void HitCell(MachineState state, Event event) const {
    if (step.hits != nullptr) [[unlikely]]
      SetHits(*step.hits, CellOf(state, event));
  }
  void Count(spec::Counter counter) const { ++e.counters[static_cast<size_t>(counter)]; }
  [[gnu::cold, gnu::noinline]] void Fail(spec::Reason reason) const {
    ++e.failed[static_cast<size_t>(reason)];
    Count(spec::Info(reason).counter);
    Hit(spec::Info(reason).clause);
  }
  // The connection may have a packet to send: Poll will look.
  void Wake() const {
    if (e.ready[slot]) return;
    e.ready[slot] = 1;
    e.ready_order.push_back(slot);
  }

  void Arm(uint32_t timer, Nanoseconds deadline) const { c.timers.Arm(timer, deadline); }
  static uint32_t Of(uint8_t path, PathTimer timer) { return TimerOf(path, timer); }
};

// The place from which a cyclic order of `n` ids counts that begins behind `latest`, 255 being none
// yet.
inline uint32_t Behind(uint8_t latest, uint32_t n) { return latest == 255 ? n - 1 : latest; }

// Takes the machine from `*state` by `event` as its table says. The cell must not be impossible.
template <typename MachineState, typename Event>
const spec::Cell<MachineState>& Enter(const Scope& s, MachineState* state, Event event) {
  const spec::Cell<MachineState>& cell = spec::Lookup(*state, event);
  METAROCE_CHECK(cell.kind != spec::CellKind::kImpossible);
  if (cell.kind == spec::CellKind::kIgnored) s.Count(*cell.counter);
  s.HitCell(*state, event);
  s.Hit(cell.clause);
  *state = cell.next;
  return cell;
}

// out.cc: packets that leave.
// An answer: takes route and plane of what it answers (WIRE-ANSWER-ENTROPY). Fills in cid, time,
// tag.
void Answer(const Scope& s, packet::Packet& p, Route route);
// A packet of path p's own kind: stamped later than all before on the epoch.
inline Nanoseconds Stamp(const Scope& s, SendContext& x) {
  //= WIRE-TRANSMIT-TIME
  //# each is the greater of the clock and the last one plus 1.
  x.latest = std::max(s.now(), x.latest + 1);
  return x.latest;
}
TransactionId NextId(const Scope& s);
void FullSize(const Scope& s, packet::Packet& p);

// accept.cc: what arrives at the receiver's half.
void ArriveData(const Scope& s, const packet::Packet& p, const Arrival& a);
void ArriveProbe(const Scope& s, const packet::Packet& p, const Arrival& a);
void SendAck(const Scope& s, uint8_t path, std::optional<uint8_t> second);
void AckExpires(const Scope& s, uint8_t path);
// An ACK of the path is due at once.
void AckNow(const Scope& s, uint8_t path);
// The open receive path that had the latest arrival, of equal ones the lowest; not `except`.
std::optional<uint8_t> LatestArrival(const Scope& s, std::optional<uint8_t> except = std::nullopt);
// The ACK of a path leaves now, and what follows it.
void AckLeaves(const Scope& s, uint8_t path);
bool Invalidates(const Scope& s, uint32_t rkey);

// take.cc: what an ACK brings.
void TakeAck(const Scope& s, const packet::Packet& p);
void TakeEdge(const Scope& s, Csn edge);
void Acknowledge(const Scope& s, Csn csn);
void CompleteAll(const Scope& s, uint16_t stream);

// transmit.cc: DATA.
bool TrySend(const Scope& s);
// The path of the next moved or new packet of `bytes`, by CC-MAY-SEND and CC-SCHEDULER; kNobody if
// there is none.
uint32_t PickPath(const Scope& s, uint32_t bytes);
// After a change of path p's state or books: what the scheduler and the connection know of it.
void Refresh(const Scope& s, uint8_t path);

// ladder.cc: the timers of an epoch.
void LadderEvent(const Scope& s, uint8_t path, spec::LadderEvent event);
void LadderExpires(const Scope& s, uint8_t path);
void NewsEndsBurst(const Scope& s, uint8_t path, bool first_block);
void FirstBlockEcho(const Scope& s, uint8_t path, Nanoseconds echo);
void Probe(const Scope& s, uint8_t path, spec::ProbeReason reason, uint32_t attempt);
void KeepaliveExpires(const Scope& s, uint8_t path);
void ArmKeepalive(const Scope& s, uint8_t path);
Nanoseconds NewestRtt(const Scope& s, uint8_t except);
Nanoseconds ConnectionSrtt(const Scope& s);
void TakeSample(const Scope& s, uint8_t path, Nanoseconds sample, bool of_block);

// paths.cc: the life of a path at its sender.
void PathEvent(const Scope& s, uint8_t path, spec::PathEvent event);
void PathTimerExpires(const Scope& s, uint8_t path);
// Opens a path if there is none, or, after an ACK, if there are too few.
void OpenMore(const Scope& s, bool after_ack);
void TakeAccept(const Scope& s, const packet::Packet& p);
void TakeRefuse(const Scope& s, const packet::Packet& p);
void TakeBadEpoch(const Scope& s, const packet::Packet& p);
void SecondAnswer(const Scope& s, uint8_t path);
void DrainedPerhaps(const Scope& s, uint8_t path);
void OpenPathZero(const Scope& s, Route route, Nanoseconds rtt, Nanoseconds latest);
void BackoffEnds(const Scope& s);

// entropy.cc
// The entropy of the next epoch of a path.
uint16_t NewEntropy(const Scope& s, uint8_t path);
// The entropy of an index in the default order of ENTROPY-CHOICE.
uint16_t DefaultEntropy(const Scope& s, uint32_t index);

// contexts.cc: receive contexts, PATH_CLOSE.
void TakePathOpen(const Scope& s, const packet::Packet& p, const Arrival& a);
void OpenReceivePath(const Scope& s, uint8_t path, uint8_t epoch, PathSeq start, TransactionId id,
                     Route route);
void FreeReceivePath(const Scope& s, uint8_t path);
void SilenceExpires(const Scope& s, uint8_t path);
void TakePathClose(const Scope& s, const packet::Packet& p, const Arrival& a);
void TakePathCloseReply(const Scope& s, const packet::Packet& p);
void ClosePath(const Scope& s, uint8_t path, bool receiver, uint8_t epoch,
               spec::CloseReason reason);
void CloseExpires(const Scope& s, uint8_t path, bool receiver);
void PathWasOpened(const Scope& s, uint8_t path, bool receiver);
// The connection ends: what path id `path` of either direction has of contexts and PATH_CLOSE.
void EndPathContexts(const Scope& s, uint8_t path);
bool SharedFree(const State& e, bool out);

// planes.cc
// The plane for a path that is about to be opened and is on none yet.
// Of these planes, which are some, the one for `path`, or for CONNECT if it is null.
uint8_t PlaneFor(const Scope& s, const SendPath* path, uint16_t planes);
uint16_t PlanesUp(const State& e, const Connection& c);
void PlanesChanged(const Scope& s);
void Balance(const Scope& s);
void PortChanged(const Scope& s);
void PortExpires(const Scope& s);
void TakePortStatus(const Scope& s, const packet::Packet& p, const Arrival& a);
void TakePortStatusAck(const Scope& s, const packet::Packet& p);

// credit.cc
void LearnCredit(const Scope& s, ReceiveIndex credit);
void AskForCredit(const Scope& s, ReceiveIndex index);
inline void WaitForCredit(const Scope& s) {
  if (s.c.credit != spec::CreditState::kIdle || s.c.state != spec::ConnectionState::kOpen) return;
  if (!s.c.outbound.MayWaitForCredit()) return;
  if (const auto index = s.c.outbound.WaitsForCredit()) AskForCredit(s, *index);
}
void CreditExpires(const Scope& s);
void TakeCreditProbe(const Scope& s, const packet::Packet& p, const Arrival& a);
void TakeCreditAnswer(const Scope& s, const packet::Packet& p, bool rnr);
void CreditLate(const Scope& s);

// connect.cc: setting up and ending.
uint32_t Random32(State& e);
// A new connection in a free slot, with a cid of its own.
uint32_t NewConnection(State& e, Chooser* chooser);
uint32_t FreeSlot(const State& e);
spec::Connect Offer(State& e, Chooser* chooser);
uint32_t DrawTag(State& e, Chooser* chooser);
TransactionId DrawId(State& e, Chooser* chooser);
void Agree(spec::Connect* own, spec::Connect* peer);
void Begin(const Scope& s);
void TakeConnect(State& e, const packet::Packet& p, const Arrival& a, const Step& step);
void AnswerStranger(const State& e, const Step& step, const Arrival& a, packet::Packet& p);
void Tell(const Scope& s, const Ended& ended);
inline void Tell(const Scope& s, spec::ConnectionCause cause, uint8_t code) {
  Tell(s, Ended{cause, code});
}
void Opened(const Scope& s, Route route, Nanoseconds rtt);
void TakeConnectReply(const Scope& s, const packet::Packet& p, const Arrival& a);
void TakeConfirm(const Scope& s, const packet::Packet& p, const Arrival& a);
void TakeReject(const Scope& s, const packet::Packet& p);
void TakeDisconnect(const Scope& s, const packet::Packet& p, const Arrival& a);
void RetryExpires(const Scope& s);
void SendConnect(const Scope& s);
void SendConnectReply(const Scope& s);
void SendDisconnect(const Scope& s);
void Quarantine(const Scope& s);

// errors.cc
// The connection errs: completes `concerned` with `status`, flushes the rest, stores NACK_CLOSING
// unless `nack`.
void Err(const Scope& s, spec::ConnectionEvent event, spec::ConnectionCause cause, uint8_t code,
         uint32_t concerned, spec::CompletionStatus status, const StoredNack* nack);
void Refuse(const Scope& s, const packet::Packet& p, const Arrival& a, spec::Reason reason);
void RefuseOperation(const Scope& s, spec::Opcode opcode, uint16_t stream, Msn msn);
void SendStoredNack(const Scope& s, Route route);
// What CLOSE-FREE says; completes everything.
void LeaveOpen(const Scope& s, uint32_t concerned, spec::CompletionStatus status,
               std::optional<ReceiveIndex> receive);
void TakeNack(const Scope& s, const packet::Packet& p);

// clocks.cc
inline bool Outstanding(const Connection& c) {
  return c.unacknowledged > 0 || c.outbound.incomplete() > 0 || c.outbound.HasUnsent();
}
void StartClocks(const Scope& s);
// pace.cc: the direction may have become idle.
void IdlePerhaps(const Scope& s);
// At the end of every step of a connection that is OPEN.
inline void ArmClocks(const Scope& s) {
  if (s.e.settings.windows.kind != congestion::Kind::kFixed) IdlePerhaps(s);
  const bool run = s.c.outstanding_since != kNever;
  if (Outstanding(s.c) == run) return;
  if (!run) return StartClocks(s);
  s.c.outstanding_since = kNever;
}
void ProgressExpires(const Scope& s);
void LivenessExpires(const Scope& s);

}  // namespace metaroce::endpoint

#endif  // METAROCE_MODEL_ENDPOINT_SCOPE_H_
