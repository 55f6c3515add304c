// What an ACK brings to its receiver, in the order of TAKE-ORDER (section 7.2).
#include "model/endpoint/congestion.h"
#include "model/path/block.h"
#include "model/path/waits.h"

namespace metaroce::endpoint {
namespace {

using spec::Counter;
using spec::PathState;

// A block with what follows from it before anything is changed.
struct Taken {
  const spec::PathBlock& block;
  uint8_t path;
  bool first;  // of its ACK
  bool has_echo;
  Nanoseconds echo;  // whole
  bool news;
};

//= TAKE-BAD-BLOCK
//# A block is bad when one of these holds. It is ignored alone, and `bad_block` grows.
bool Bad(const Scope& s, const spec::PathBlock& block) {
  if (block.path >= s.c.out.size()) return true;
  const SendPath& path = s.c.out[block.path];
  //= PATH-LATE-BLOCK
  //# A block of a dead epoch acknowledges nothing [TAKE-BAD-BLOCK], whatever it reports.
  if (!path.context || path.epoch != block.epoch) {
    s.Hit(spec::clause::kPathLateBlock);
    return true;
  }
  if (path.state == PathState::kOpening && !path.context->opening.accepted) return true;
  return Contradicts(*path.context, block);
}

void Sample(const Scope& s, SendContext& x, const Taken& t, congestion::Block* told) {
  //= RTT-SAMPLE
  //# A first block that gives none adds one to `rtt_no_sample`; all else in it counts.
  if (!t.first) return;
  const int32_t sample = RoundTrip(s.now(), t.block.echo, t.block.hold);
  if (!GivesSample(t.has_echo, t.echo, x.sampled, t.block.hold, sample)) {
    return s.Count(Counter::kRttNoSample);
  }
  s.Hit(spec::clause::kRttSample, spec::clause::kTakeEcho, spec::clause::kRttSmooth);
  x.sampled = t.echo;
  told->sample = sample;
  TakeSample(s, t.path, sample, true);
}

void Counters(const Scope& s, SendContext& x, const spec::PathBlock& b, congestion::Block* told) {
  //= TOLERANCE-END
  //# the tolerance becomes 0 before [TOLERANCE-GROW] is applied.
  if (ToleranceEnds(x, s.now(), s.e.settings.profile)) {
    s.Hit(spec::clause::kToleranceEnd);
    x.tolerance = 0;
  }
  const TakenCounts taken = TakeCounts(x, b);
  if (taken.arrivals == 0) return s.Hit(spec::clause::kTakeCounters);
  told->arrivals = taken.arrivals;
  told->marks = taken.marks;
  if (Moves(s)) CountInRound(x.congestion, taken);
  if (taken.duplicates == 0) return;
  s.Hit(spec::clause::kToleranceGrow);
  GrowTolerance(x, s.now(), s.e.settings.profile);
}

// False if the epoch has died of it.
bool Lose(const Scope& s, SendContext& x, const Taken& t, congestion::Block* told) {
  if (!t.has_echo || !x.window.Loses(t.echo - x.tolerance)) return true;
  std::array<PathSeq, TransmitWindow::kSize> lost;
  //= LOSS-RULE
  //# the time of the echo less the transmit time of its latest transmission is greater than the
  //# path's tolerance.
  const uint32_t count = x.window.Lose(t.echo - x.tolerance, &lost);
  s.c.lost_waiting += count;
  told->lost = count;
  if (Moves(s)) x.congestion.lost += count;
  const uint64_t limit = s.Constant(spec::Constant::kLossLimit);
  for (uint32_t i = 0; i < count; ++i) {
    s.Hit(spec::clause::kLossRule, spec::clause::kLossCount, spec::clause::kBookFlight);
    s.Count(Counter::kLosses);
    s.c.lost.push_back({t.path, s.c.out[t.path].epoch, lost[i]});
    if (x.window.at(lost[i]).losses < limit) continue;
    //= LOSS-LIMIT
    //# When a record's number of losses reaches `loss_limit`, the event LOSS_LIMIT ends the epoch
    PathEvent(s, t.path, spec::PathEvent::kLossLimit);
    return false;
  }
  return true;
}

// Step 1 of TAKE-BLOCK.
void News(const Scope& s, SendContext& x, const Taken& t) {
  const PathState state = s.c.out[t.path].state;
  if (state == PathState::kOpening) {
    if (t.news) {
      SecondAnswer(s, t.path);
    } else {
      PathEvent(s, t.path, spec::PathEvent::kBlockOld);
    }
  } else {
    PathEvent(s, t.path, t.news ? spec::PathEvent::kBlockNews : spec::PathEvent::kBlockOld);
  }
  if (t.first && t.has_echo) FirstBlockEcho(s, t.path, t.echo);
  if (!t.news) return s.Hit(spec::clause::kTakeNews);
  NewsEndsBurst(s, t.path, t.first);
  x.news_at = s.now();
  if (t.has_echo && t.echo > x.heard) x.heard = t.echo;
}

void TakeBlock(const Scope& s, const spec::PathBlock& block, bool first) {
  if (Bad(s, block)) {
    s.Hit(spec::clause::kTakeBadBlock);
    return s.Count(Counter::kBadBlock);
  }
  s.Hit(spec::clause::kTakeBlock, spec::clause::kTakeOrder);
  SendContext& x = *s.c.out[block.path].context;
  Taken t{block, block.path, first, CarriesEcho(block), 0, false};
  if (t.has_echo) t.echo = WholeEcho(x, block);
  const PathSeq base(block.base);
  //= TAKE-NEWS
  //# when it carries an echo newer than `heard`, or when it acknowledges a record that was not
  //# acknowledged.
  t.news = (t.has_echo && t.echo > x.heard) || x.window.WouldRelease(base, block.bitmap);
  News(s, x, t);
  // The path may have become ACTIVE and been drained for the sake of the planes: another epoch.
  const SendPath& path = s.c.out[block.path];
  if (!path.context || path.epoch != block.epoch) return;

  congestion::Block told;
  told.in_flight = x.window.in_flight();
  const uint32_t lost = x.window.lost();
  //= TAKE-RELEASE
  //# A block acknowledges each record whose path sequence is below `base`, and each whose bit in
  //# the bitmap is set.
  told.acknowledged = x.window.Release(base, block.bitmap, [&](Csn csn) { Acknowledge(s, csn); });
  s.c.lost_waiting -= lost - x.window.lost();
  if (told.acknowledged > 0) {
    //= PATH-K
    //# It becomes 0 when a block newly acknowledges a record of the path, and at no other time.
    s.Hit(spec::clause::kTakeRelease, spec::clause::kPathK);
    x.opening.k = 0;
    s.c.data_acknowledged = true;
  }
  Sample(s, x, t, &told);
  Counters(s, x, block, &told);
  if (Moves(s)) {
    TellAckBlock(s, t.path, told);
    if (!Lose(s, x, t, &told)) return;
    if (told.lost > 0) TellLoss(s, t.path, told.lost);
    TakeWindows(s, t.path, t.has_echo ? t.echo : -1, told);
    // The path may have been drained or closed for its marks or for want of work.
    if (!path.context || path.epoch != block.epoch) return;
  } else if (!Lose(s, x, t, &told)) {
    return;
  }
  const bool empty = x.window.in_flight() == 0;
  LadderEvent(s, t.path,
              t.news ? (empty ? spec::LadderEvent::kNewsEmpty : spec::LadderEvent::kNews)
                     : (empty ? spec::LadderEvent::kOldEmpty : spec::LadderEvent::kOld));
  if (empty) ArmKeepalive(s, t.path);
  Refresh(s, t.path);
  DrainedPerhaps(s, t.path);
}

// `csns` of a message's CSNs were acknowledged for the first time.
void MessageAcknowledged(const Scope& s, uint32_t message, uint32_t csns) {
  s.c.unacknowledged -= csns;
  const uint16_t stream = s.c.outbound.at(message).work.stream;
  const bool response = s.c.outbound.at(message).response;
  s.c.outbound.Acknowledged(message, csns);
  if (!response) CompleteAll(s, stream);
}

}  // namespace

void Acknowledge(const Scope& s, Csn csn) {
  //= TAKE-RELEASE
  //# A bit that is not sent or not set acknowledges nothing and takes nothing back.
  if (!s.c.sent.Has(csn)) return;
  SentCsn& sent = s.c.sent.at(csn);
  if (sent.done) return;
  sent.done = true;
  MessageAcknowledged(s, sent.message, 1);
}

void CompleteAll(const Scope& s, uint16_t stream) {
  for (uint32_t m; (m = s.c.outbound.Complete(stream)) != Outgoing::kNone;) {
    s.Hit(spec::clause::kMsgCompletionOrder, spec::clause::kMsgCompletion,
          HasResponse(s.c.outbound.at(m).work.kind) ? spec::clause::kMsgDoneResponse
                                                    : spec::clause::kMsgDoneAcknowledged);
    WorkDone done;
    done.id = s.c.outbound.at(m).work.id;
    done.stream = stream;
    s.c.outbound.Reap(stream);
    s.step.sink->OnWork(s.c.cid(), done);
  }
}

void TakeEdge(const Scope& s, Csn edge) {
  //= TAKE-EDGE
  //# A right edge newer than the one known replaces it. One that is not newer is not taken.
  if (edge <= s.c.peer_edge) return;
  s.Hit(spec::clause::kTakeEdge);
  s.c.peer_edge = edge;
  s.c.edge_held = false;
}

namespace {

// Passes the CSNs below a newer cumulative one; those in a row that are of one message together.
void PassTo(const Scope& s, Csn cumulative) {
  uint32_t message = Outgoing::kNone;
  uint32_t csns = 0;
  s.c.sent.Pass(cumulative, [&](const SentCsn& sent) {
    if (sent.message != message) {
      if (csns > 0) MessageAcknowledged(s, message, csns);
      message = sent.message;
      csns = 0;
    }
    ++csns;
  });
  if (csns > 0) MessageAcknowledged(s, message, csns);
}

}  // namespace

void TakeAck(const Scope& s, const packet::Packet& p) {
  const spec::Ack& ack = p.headers.ack;
  const Csn cumulative(ack.csn);
  //= TAKE-VOID
  //# An ACK whose cumulative CSN is beyond the next CSN to be assigned is void: nothing of it is
  //# taken.
  if (cumulative > s.c.sent.next()) {
    s.Hit(spec::clause::kTakeVoid);
    return s.Count(Counter::kVoidAcks);
  }
  const AckSerial serial(p.headers.common.number);
  const bool latest = serial > s.c.newest_serial;
  //= TAKE-SERIAL
  //# An ACK is *latest* when its serial is newer than the serials of all ACKs taken before.
  if (latest) {
    s.c.newest_serial = serial;
  } else {
    s.Hit(spec::clause::kTakeSerial);
  }
  if (cumulative > s.c.sent.cumulative()) {
    s.Hit(spec::clause::kTakeCumulative);
    PassTo(s, cumulative);
    s.c.data_acknowledged = true;
  }
  TakeEdge(s, Csn(ack.right_edge));
  LearnCredit(s, ReceiveIndex(ack.credit));
  for (uint32_t i = 0; i < ack.blocks; ++i) {
    if (s.c.state != spec::ConnectionState::kOpen) return;
    TakeBlock(s, p.headers.path_block[i], i == 0);
  }
  if (Moves(s)) {
    if (latest) TakeHint(s, ack.hint);
    GrowTarget(s);
  }
  OpenMore(s, true);
  s.Wake();
  // A Send may wait for credit that waited for the window of open messages.
  if (s.c.outbound.LacksCredit()) WaitForCredit(s);
}

}  // namespace metaroce::endpoint
