// What an ACK brings to its receiver, in the order of TAKE-ORDER (section 7.2).
#include "model/endpoint/congestion.h"

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
  //= WIRE-BITMAP-ZERO
  //# A block whose bitmap has bit 0 set is a bad block
  if ((block.bitmap[0] & 1) != 0 || block.path >= s.c.out.size()) return true;
  const SendPath& path = s.c.out[block.path];
  //= PATH-LATE-BLOCK
  //# A block of a dead epoch acknowledges nothing [TAKE-BAD-BLOCK], whatever it reports.
  if (!path.context || path.epoch != block.epoch) {
    s.Hit(spec::clause::kPathLateBlock);
    return true;
  }
  if (path.state == PathState::kOpening && !path.context->opening.accepted) return true;
  const TransmitWindow& window = path.context->window;
  const PathSeq base(block.base);
  if (base > window.next()) return true;
  for (uint32_t i = 4; i-- > 0;) {
    if (block.bitmap[i] == 0) continue;
    const uint32_t highest = i * 64 + 63 - static_cast<uint32_t>(__builtin_clzll(block.bitmap[i]));
    if (base + highest >= window.next()) return true;
    break;
  }
  const bool has_echo = block.hold != UINT32_MAX || block.echo != 0;
  return has_echo && WireTime(block.echo) > ToWire(path.context->latest);
}

void Sample(const Scope& s, SendContext& x, const Taken& t, congestion::Block* told) {
  const int32_t sample =
      static_cast<int32_t>(static_cast<uint32_t>(s.now()) - t.block.echo - t.block.hold);
  //= RTT-SAMPLE
  //# A first block that gives none adds one to `rtt_no_sample`; all else in it counts.
  if (!t.first) return;
  if (!t.has_echo || t.echo <= x.sampled || t.block.hold == UINT32_MAX || sample <= 0) {
    return s.Count(Counter::kRttNoSample);
  }
  s.Hit(spec::clause::kRttSample, spec::clause::kTakeEcho, spec::clause::kRttSmooth);
  x.sampled = t.echo;
  told->sample = sample;
  TakeSample(s, t.path, sample, true);
}

//= TAKE-COUNTERS
//# If a is from 1 to 2^15 - 1 the counters are taken
void Counters(const Scope& s, SendContext& x, const spec::PathBlock& b, congestion::Block* told) {
  const uint16_t arrivals = static_cast<uint16_t>(b.arrivals - x.arrivals);
  //= TOLERANCE-END
  //# the tolerance becomes 0 before [TOLERANCE-GROW] is applied.
  if (x.tolerance > 0 && s.now() - x.tolerance_at >= s.Time(spec::Constant::kToleranceLife)) {
    s.Hit(spec::clause::kToleranceEnd);
    x.tolerance = 0;
  }
  if (arrivals == 0 || arrivals >= 0x8000) return s.Hit(spec::clause::kTakeCounters);
  const uint16_t marks = static_cast<uint16_t>(b.ce - x.ce);
  const uint8_t duplicates = static_cast<uint8_t>(b.duplicates - x.duplicates);
  x.arrivals = b.arrivals;
  x.ce = b.ce;
  x.duplicates = b.duplicates;
  told->arrivals = arrivals;
  told->marks = std::min(marks, arrivals);
  if (Moves(s)) {
    //= TAKE-COUNTERS
    //# `arrived` grows by a and `ce` of the round by m [CC-STATE]; `ever_marked` becomes 1 if m is
    //# above 0;
    x.congestion.arrived += told->arrivals;
    x.congestion.ce += told->marks;
    x.congestion.ever_marked = x.congestion.ever_marked || told->marks > 0;
  }
  if (duplicates == 0) return;
  //= TOLERANCE-GROW
  //# the tolerance becomes min(SRTT, max(`tolerance_step`, 2 * tolerance)), and the time is kept.
  s.Hit(spec::clause::kToleranceGrow);
  x.tolerance =
      std::min(x.rtt.srtt(), std::max(s.Time(spec::Constant::kToleranceStep), 2 * x.tolerance));
  x.tolerance_at = s.now();
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
  Taken t{block, block.path, first, block.hold != UINT32_MAX || block.echo != 0, 0, false};
  //= TAKE-ECHO
  //# The echo stands for the whole time `latest` - d, where d is `latest` modulo 2^32 less `echo`,
  //# modulo 2^32.
  if (t.has_echo) t.echo = x.latest - Nanoseconds{static_cast<uint32_t>(x.latest) - block.echo};
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

}  // namespace

void Acknowledge(const Scope& s, Csn csn) {
  //= TAKE-RELEASE
  //# A bit that is not sent or not set acknowledges nothing and takes nothing back.
  if (!s.c.sent.Has(csn)) return;
  SentCsn& sent = s.c.sent.at(csn);
  if (sent.done) return;
  sent.done = true;
  --s.c.unacknowledged;
  const uint32_t message = sent.message;
  const uint16_t stream = s.c.outbound.at(message).work.stream;
  const bool response = s.c.outbound.at(message).response;
  s.c.outbound.Acknowledged(message);
  if (!response) CompleteAll(s, stream);
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
    s.c.sent.Pass(cumulative, [&](SentCsn& sent) {
      --s.c.unacknowledged;
      const uint16_t stream = s.c.outbound.at(sent.message).work.stream;
      const bool response = s.c.outbound.at(sent.message).response;
      s.c.outbound.Acknowledged(sent.message);
      if (!response) CompleteAll(s, stream);
    });
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
