// The blocks of one send path: its books, its round-trip times, its window.
#include <algorithm>
#include <array>

#include "conformance/duts/model/untimed.h"
#include "model/congestion/built_in.h"
#include "model/endpoint/congestion.h"
#include "model/path/block.h"
#include "model/path/waits.h"

namespace metaroce::conformance {
namespace {

using congestion::PathState;

spec::PathBlock BlockOf(const RecordView& in) {
  spec::PathBlock block{};
  block.base = in.Small("base");
  block.arrivals = static_cast<uint16_t>(in.Number("arrivals"));
  block.ce = static_cast<uint16_t>(in.Number("ce"));
  block.duplicates = static_cast<uint8_t>(in.Number("duplicates"));
  block.echo = in.Small("echo");
  block.hold = in.Small("hold");
  const std::string bitmap = in.Data("bitmap");
  for (size_t i = 0; i < 256; ++i) {
    if (RecordView::Bit(bitmap, i)) block.bitmap[i / 64] |= uint64_t{1} << (i % 64);
  }
  return block;
}

// What a block did.
struct Told {
  uint32_t acknowledged = 0;
  uint32_t declared = 0;
  TakenCounts counts;
};

//= CONF-LOSS-DETECTION
//# `block` is a block of the epoch in an ACK that arrives; the block does steps 1, 2, 4 and 5 of
//# [TAKE-BLOCK].
class LossDetection : public UntimedBlock {
 public:
  LossDetection(const RecordView& config, const Profile& profile) : profile_(profile) {
    x_.window = TransmitWindow(PathSeq(config.Small("base")));
    x_.latest = x_.heard = x_.sampled = config.Time("opened");
  }

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const std::string kind = in.Word("kind");
    if (kind == "block") return TakeBlock(in, out);
    const Nanoseconds now = in.Time("now");
    if (now <= x_.latest) {
      return absl::InvalidArgumentError(absl::StrCat("now is ", now, "; it must be more than ",
                                                     x_.latest, ", the latest transmit time."));
    }
    const auto size = static_cast<uint16_t>(in.Number("size"));
    std::string outcome = "probe";
    uint32_t sequence = 0;
    if (kind == "send") {
      if (!x_.window.HasRoom()) return absl::InvalidArgumentError("the path window is full.");
      outcome = "sent";
      sequence = x_.window.Append(Csn(in.Small("csn")), now, size, false).value();
    } else if (kind == "resend") {
      const PathSeq lost(in.Small("sequence"));
      if (lost < x_.window.oldest() || lost >= x_.window.next() ||
          x_.window.at(lost).condition != Condition::kLost) {
        return absl::InvalidArgumentError(
            absl::StrCat("path sequence ", lost.value(), " does not wait to be sent again."));
      }
      //= VOID-BUILD
      //# When a retransmission is built and its CSN is below the cumulative CSN known to the sender
      const bool is_void = x_.window.at(lost).csn < Csn(in.Small("cumulative"));
      outcome = is_void ? "void" : "retransmission";
      sequence = lost.value();
      x_.window.Resend(lost, now, size);
    }
    x_.latest = now;
    Write(outcome, sequence, Told(), out);
    return absl::OkStatus();
  }

 private:
  absl::Status TakeBlock(const RecordView& in, FieldList* out) {
    const spec::PathBlock block = BlockOf(in);
    if (Contradicts(x_, block)) {
      Write("bad", 0, Told(), out);
      return absl::OkStatus();
    }
    const bool has_echo = CarriesEcho(block);
    const Nanoseconds echo = has_echo ? WholeEcho(x_, block) : -1;
    const PathSeq base(block.base);
    const bool newer = has_echo && echo > x_.heard;
    const bool news = newer || x_.window.WouldRelease(base, block.bitmap);
    if (newer) x_.heard = echo;
    Told told;
    told.acknowledged = x_.window.Release(base, block.bitmap, [](Csn) {});
    x_.rtt = Rtt();
    if (in.Number("srtt") > 0) x_.rtt.Sample(in.Time("srtt"), true, 0, 1);
    if (ToleranceEnds(x_, in.Time("now"), profile_)) x_.tolerance = 0;
    told.counts = TakeCounts(x_, block);
    if (told.counts.duplicates > 0) GrowTolerance(x_, in.Time("now"), profile_);
    const bool over = has_echo && Lose(echo, &told);
    Write(over ? "loss-limit" : news ? "news" : "old", 0, told, out);
    return absl::OkStatus();
  }

  // True if the epoch has died of it.
  bool Lose(Nanoseconds echo, Told* told) {
    if (!x_.window.Loses(echo - x_.tolerance)) return false;
    std::array<PathSeq, TransmitWindow::kSize> lost;
    const uint32_t count = x_.window.Lose(echo - x_.tolerance, &lost);
    for (uint32_t i = 0; i < count; ++i) {
      ++told->declared;
      //= LOSS-LIMIT
      //# When a record's number of losses reaches `loss_limit`, the event LOSS_LIMIT ends the epoch
      if (x_.window.at(lost[i]).losses >= profile_[spec::Constant::kLossLimit]) return true;
    }
    return false;
  }

  void Write(const std::string& outcome, uint32_t sequence, const Told& told, FieldList* out) {
    const bool over = outcome == "loss-limit";
    const TransmitWindow& window = x_.window;
    std::string waiting(32, '\0');
    for (PathSeq s = window.oldest(); !over && s < window.next(); ++s) {
      if (window.at(s).condition != Condition::kLost) continue;
      const auto i = static_cast<size_t>(s - window.oldest());
      waiting[31 - i / 8] = static_cast<char>(waiting[31 - i / 8] | 1 << (i % 8));
    }
    const auto add = [&](absl::string_view name, uint64_t value) {
      AddNumber(name, over ? 0 : value, out);
    };
    AddWord("outcome", outcome, out);
    add("sequence", sequence);
    add("oldest", window.oldest().value());
    add("next", window.next().value());
    add("in_flight", window.in_flight());
    add("bytes", window.flight_bytes());
    AddData("waiting", waiting, out);
    add("acknowledged", told.acknowledged);
    AddNumber("declared", told.declared, out);
    add("arrived", told.counts.arrivals);
    add("marked", told.counts.marks);
    add("duplicated", told.counts.duplicates);
    add("tolerance", static_cast<uint64_t>(x_.tolerance));
  }

  const Profile profile_;
  SendContext x_;
};

//= CONF-RTT-RTO
//# Every output has all that may be asked for, with R, k and the states of the siblings as the input
//# says.
class RttRto : public UntimedBlock {
 public:
  RttRto(const RecordView& config, const Profile& profile)
      : profile_(profile),
        opened_(config.Time("opened")),
        sampled_(opened_),
        bucket_(profile.Time(spec::Constant::kMinRttBucket)),
        rtt_(opened_) {}

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const std::string kind = in.Word("kind");
    const Nanoseconds now = in.Time("now");
    const uint32_t k = in.Small("k", 1);
    if (k == 0) return absl::InvalidArgumentError("k is 0; it must be at least 1.");
    Nanoseconds sample = 0;
    if (kind == "handshake") {
      if (in.Number("sample") == 0) return absl::InvalidArgumentError("the sample is 0.");
      sample = in.Time("sample");
    } else if (kind == "accept") {
      sample = OpenedSample(now, opened_, in.Small("echo"), in.Small("hold"));
    } else if (kind == "block" && in.Flag("first")) {
      sample = OfBlock(in);
    }
    if (sample > 0) rtt_.Sample(sample, kind == "block", now, bucket_);
    const Nanoseconds r = std::max(rtt_.srtt(), in.Time("sibling_rtt"));
    const auto add = [&](absl::string_view name, Nanoseconds value) {
      AddNumber(name, static_cast<uint64_t>(value), out);
    };
    add("sample", sample);
    add("srtt_8", rtt_.srtt_8());
    add("rttvar_4", rtt_.rttvar_4());
    add("min_rtt", rtt_.last() == 0 ? 0 : rtt_.minimum());
    add("no_sample", no_sample_);
    add("first_probe_wait", FirstProbeWait(r, profile_));
    add("probe_gap", ProbeGap(rtt_, profile_));
    add("verdict_wait", VerdictWait(rtt_, r, profile_));
    add("rto_wait", RtoWait(rtt_, k, in.Flag("alone"), profile_));
    return absl::OkStatus();
  }

 private:
  // The sample of a first block, 0 if it gives none.
  Nanoseconds OfBlock(const RecordView& in) {
    const spec::PathBlock block = BlockOf(in);
    SendContext x;
    x.latest = in.Time("latest");
    const Nanoseconds echo = WholeEcho(x, block);
    const int32_t sample = RoundTrip(in.Time("now"), block.echo, block.hold);
    if (!GivesSample(CarriesEcho(block), echo, sampled_, block.hold, sample)) {
      ++no_sample_;
      return 0;
    }
    sampled_ = echo;
    return sample;
  }

  const Profile profile_;
  const Nanoseconds opened_;
  Nanoseconds sampled_;
  const Nanoseconds bucket_;
  Rtt rtt_;
  Nanoseconds no_sample_ = 0;
};

// The window of one path of a connection that is made up around it. The path is SUSPECT but where a
// rule needs it to be ACTIVE: so the rules of the direction leave it alone.
//
//= CONF-PATH-WINDOW
//# The block `path-window` is the state of [CC-STATE] of one path with the built-in algorithm.
class PathWindow : public UntimedBlock {
 public:
  PathWindow(const RecordView& config, const Profile& profile) {
    e_.settings.profile = profile;
    c_.up = 1;
    c_.ip_mtu_bytes = config.Small("full_packet", 4214);
    c_.local.hint_unit = static_cast<uint16_t>(config.Number("unit", 16));
    c_.congestion.kb = congestion::Kb(c_.local.hint_unit, c_.ip_mtu_bytes);
    c_.out.resize(2);  // path 0, of which `slow` matters, and the path
    for (SendPath& path : c_.out) path.context.emplace();
    c_.out[1].state = spec::PathState::kSuspect;
    path().w = config.Small("w", congestion::FirstWindow(profile));
    path().slow = config.Flag("slow", true);
    path().round_start = config.Time("round_start");
  }

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const std::string kind = in.Word("kind");
    const uint32_t n = in.Small("active");
    if (in.Number("in_flight") > TransmitWindow::kSize) {
      return absl::InvalidArgumentError(
          absl::StrCat("in_flight is ", in.Number("in_flight"), "; it must be at most 256."));
    }
    endpoint::Hits hits;
    endpoint::Step step;
    step.now = in.Time("now");
    step.hits = &hits;
    const endpoint::Scope s{e_, c_, step, 0};
    const bool slow_before = path().slow;
    if (kind == "sent") {
      Sent(s, in.Small("in_flight"));
    } else if (kind == "block") {
      TakeBlock(s, in, n);
    } else if (kind == "rto") {
      endpoint::WindowAtRto(s, 1);
    } else if (kind == "idle") {
      if (n == 0) return absl::InvalidArgumentError("active is 0; it must be at least 1.");
      congestion::Restart(path(), n, step.now, e_.settings.profile);
    } else {
      Rises(s, in, kind == "again");
    }
    const bool ended = hits.test(static_cast<size_t>(spec::clause::kCcRound));
    const bool slow_ended = ended && slow_before && !path().slow;
    Write(slow_ended ? "slow-start" : ended ? "round" : "none", out);
    return absl::OkStatus();
  }

 private:
  PathState& path() { return c_.out[1].context->congestion; }

  // A DATA packet was transmitted, with which so many are in flight.
  void Sent(const endpoint::Scope& s, uint32_t in_flight) {
    SendContext& x = *c_.out[1].context;
    x.window = TransmitWindow();
    for (uint32_t i = 0; i < in_flight; ++i) x.window.Append(Csn(i), i + 1, 100, false);
    c_.congestion.sum = path().w;
    c_.congestion.bound = UINT64_MAX;
    endpoint::DataLeft(s, x, 100);
  }

  void TakeBlock(const endpoint::Scope& s, const RecordView& in, uint32_t n) {
    SendContext& x = *c_.out[1].context;
    x.rtt = Rtt(s.now());
    for (const char* sample : {"min_rtt", "rtt"}) {
      if (in.Number(sample) > 0) x.rtt.Sample(in.Time(sample), true, s.now(), kNever / 4);
    }
    e_.settings.port_rates[0] = in.Small("rate") * c_.local.hint_unit;
    c_.congestion.min_rtt = in.Time("connection_min_rtt");
    c_.in_state[static_cast<size_t>(spec::PathState::kActive)] = static_cast<uint16_t>(n);
    congestion::Block block;
    block.acknowledged = in.Small("acknowledged");
    block.arrivals = in.Small("arrived");
    block.marks = in.Small("marked");
    block.lost = in.Small("declared");
    block.in_flight = in.Small("in_flight");
    TakenCounts counts;
    counts.arrivals = static_cast<uint16_t>(block.arrivals);
    counts.marks = static_cast<uint16_t>(block.marks);
    CountInRound(path(), counts);
    path().lost += block.lost;  // LOSS-COUNT
    const uint64_t echo = in.Number("data_echo");
    endpoint::TakeWindows(s, 1, echo == UINT64_MAX ? -1 : static_cast<Nanoseconds>(echo), block);
  }

  // The path becomes ACTIVE, with one other ACTIVE path of the mean window.
  void Rises(const endpoint::Scope& s, const RecordView& in, bool again) {
    c_.out[0].context->congestion.slow = in.Flag("slow");
    c_.out[1].context->opening.drained = in.Flag("drained");
    c_.in_state[static_cast<size_t>(spec::PathState::kActive)] = 2;
    c_.congestion = congestion::ConnectionState();
    c_.congestion.kb = congestion::Kb(c_.local.hint_unit, c_.ip_mtu_bytes);
    c_.congestion.sum = in.Number("mean");
    c_.out[1].state = spec::PathState::kActive;
    endpoint::WindowUp(s, 1, again ? endpoint::Rise::kAgain : endpoint::Rise::kAdded);
    c_.out[1].state = spec::PathState::kSuspect;
  }

  void Write(absl::string_view ended, FieldList* out) {
    const PathState& p = path();
    AddWord("ended", ended, out);
    AddNumber("w", p.w, out);
    AddNumber("alpha", p.alpha, out);
    AddNumber("slow", p.slow, out);
    AddNumber("first", p.first, out);
    AddNumber("skip", p.skip, out);
    AddNumber("limited", p.limited, out);
    AddNumber("limited_before", p.limited_before, out);
    AddNumber("marked_before", p.marked_before, out);
    AddNumber("ever_marked", p.ever_marked, out);
    AddNumber("clean", p.clean, out);
    AddNumber("ce", p.ce, out);
    AddNumber("arrived", p.arrived, out);
    AddNumber("lost", p.lost, out);
    AddNumber("round_start", static_cast<uint64_t>(p.round_start), out);
    AddNumber("history", p.history, out);
  }

  endpoint::State e_;
  endpoint::Connection c_;
};

}  // namespace

MadeBlock MakeLossDetection(const RecordView& config, const Profile& profile) {
  return std::make_unique<LossDetection>(config, profile);
}
MadeBlock MakeRttRto(const RecordView& config, const Profile& profile) {
  return std::make_unique<RttRto>(config, profile);
}
MadeBlock MakePathWindow(const RecordView& config, const Profile& profile) {
  return std::make_unique<PathWindow>(config, profile);
}

}  // namespace metaroce::conformance
