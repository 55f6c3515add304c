// The blocks of one direction at its sender: window, number of paths, pace, entropies, what is
// next. Where a rule asks for a connection, one is made up with what the input says.
#include <algorithm>

#include "conformance/duts/model/untimed.h"
#include "model/congestion/count.h"
#include "model/endpoint/congestion.h"
#include "model/wire/packet/packet.h"

namespace metaroce::conformance {
namespace {

using spec::PathState;

// The rates of the ports of an endpoint, `mbps` together.
void SetRates(uint64_t mbps, endpoint::State* e) {
  e->settings.ports.resize(spec::constant::kPlanesMax);
  e->ports_up = UINT16_MAX;
  for (uint32_t& rate : e->settings.port_rates) {
    rate = static_cast<uint32_t>(std::min<uint64_t>(mbps, UINT32_MAX));
    mbps -= rate;
  }
}

//= CONF-CONNECTION-WINDOW
//# The block `connection-window` is the hint of one connection at its sender, and what is computed
//# from it.
class ConnectionWindow : public UntimedBlock {
 public:
  ConnectionWindow(const RecordView& config, const Profile& profile) {
    e_.settings.profile = profile;
    e_.ready.resize(1);
    c_.up = UINT16_MAX;
    c_.ip_mtu_bytes = config.Small("full_packet", 4214);
    c_.local.hint_unit = static_cast<uint16_t>(config.Number("unit", 16));
    c_.newest_serial = AckSerial(config.Small("start_serial") - 1);
    c_.congestion.kb = congestion::Kb(c_.local.hint_unit, c_.ip_mtu_bytes);
    c_.congestion.bound = profile[spec::Constant::kConnectionWindowMax] << 16;
  }

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const uint64_t connections = in.Number("connections", 1);
    if (connections == 0) return absl::InvalidArgumentError("connections is 0; at least 1 counts.");
    congestion::ConnectionState& all = c_.congestion;
    all.sum = in.Number("sum");
    all.min_rtt = in.Time("min_rtt");
    all.srtt = in.Time("srtt");
    SetRates(in.Number("port_rate") / connections, &e_);
    endpoint::Step step;
    step.now = in.Time("now");
    const endpoint::Scope s{e_, c_, step, 0};
    const bool latest = in.Word("kind") == "ack" && TakeAck(s, in);
    const bool hint = endpoint::HintLives(c_, step.now);
    const uint64_t bdp = hint ? congestion::Bdp(all.hint, all.min_rtt, all.kb) : 0;
    AddNumber("latest", latest, out);
    AddNumber("hint", hint ? all.hint : UINT16_MAX, out);
    AddNumber("share", endpoint::PortShare(s), out);
    AddNumber("reference", endpoint::ReferenceRate(s), out);
    AddNumber("bdp", bdp, out);
    AddNumber("h", hint ? congestion::HintBound(bdp) : UINT64_MAX, out);
    AddNumber("x", endpoint::WindowX(c_, step.now), out);
    AddNumber("wp", endpoint::WindowPackets(c_, step.now), out);
    AddNumber("window", endpoint::WindowBytes(c_, step.now), out);
    return absl::OkStatus();
  }

 private:
  // True if the ACK is latest.
  bool TakeAck(const endpoint::Scope& s, const RecordView& in) {
    packet::Packet p = packet::NewPacket(spec::Opcode::kAck);
    p.headers.common.number = in.Small("serial");
    p.headers.ack.hint = static_cast<uint16_t>(in.Number("hint"));
    const AckSerial before = c_.newest_serial;
    endpoint::TakeAck(s, p);
    return before != c_.newest_serial;
  }

  endpoint::State e_;
  endpoint::Connection c_;
};

//= CONF-PATH-COUNT
//# The block `path-count` is the target of one direction.
class PathCount : public UntimedBlock {
 public:
  PathCount(const RecordView& config, const Profile& profile) {
    e_.settings.profile = profile;
    SetRates(256, &e_);
    c_.up = UINT16_MAX;
    c_.local.hint_unit = 1;
    c_.local.paths = static_cast<uint8_t>(config.Number("most"));
    c_.congestion.base = congestion::BaseTarget(config.Number("bdp"), c_.local.paths, profile);
    c_.target = c_.congestion.base;
  }

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const uint32_t open = in.Small("open");
    const std::string kind = in.Word("kind");
    bool opens = false;
    uint64_t closes = 255;
    if (kind == "ack") {
      Grow(in, open);
      opens =
          in.Flag("may_open") && congestion::WantsPath(open, c_.target, in.Number("wp"),
                                                       static_cast<uint32_t>(in.Number("planes")));
    } else if (kind == "idle" || congestion::CountNarrow(&c_.congestion.narrow, in.Small("active"),
                                                         in.Number("wp"), e_.settings.profile)) {
      closes = Close(in, open);
    }
    AddNumber("base", c_.congestion.base, out);
    AddNumber("target", c_.target, out);
    AddNumber("narrow", c_.congestion.narrow, out);
    AddNumber("opens", opens, out);
    AddNumber("closes", closes, out);
    return absl::OkStatus();
  }

 private:
  // The rate is 256, the time 2^16 ns: their product is `kb` (CC-BDP).
  void Grow(const RecordView& in, uint32_t open) {
    congestion::ConnectionState& all = c_.congestion;
    all.sum = in.Number("sum");
    all.bound = UINT64_MAX;
    all.slow_paths = in.Flag("slow") ? 1 : 0;
    all.srtt = in.Time("srtt");
    all.min_rtt = 65536;
    all.kb = in.Number("bdp");
    c_.lost_waiting = in.Flag("limited") ? 1 : 0;
    c_.in_state[static_cast<size_t>(PathState::kOpening)] = static_cast<uint16_t>(open);
    endpoint::Step step;
    step.now = in.Time("now");
    endpoint::GrowTarget(endpoint::Scope{e_, c_, step, 0});
  }

  uint64_t Close(const RecordView& in, uint32_t open) {
    const std::string steady = in.Data("steady");
    uint32_t count = 0;
    uint32_t highest = 0;
    for (uint32_t id = 0; id < 256; ++id) {
      if (!RecordView::Bit(steady, id)) continue;
      ++count;
      highest = id;
    }
    if (!congestion::MayClose(open, c_.congestion.base, count)) return 255;
    c_.target = congestion::TargetOfClose(open, c_.congestion.base);
    return highest;
  }

  endpoint::State e_;
  endpoint::Connection c_;
};

//= CONF-PACER
//# `send` is a DATA packet that is sent if the pacer admits it at `now`
class PacerBlock : public UntimedBlock {
 public:
  PacerBlock(const RecordView& config, const Profile& profile)
      : profile_(profile),
        full_packet_(config.Small("full_packet", 4214)),
        unit_(config.Number("unit", 16)) {}

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const Nanoseconds now = in.Time("now");
    const absl::StatusOr<uint64_t> byte = ByteTime(in);
    if (!byte.ok()) return byte.status();
    const bool admitted = pacer_.Admits(now);
    if (in.Word("kind") == "send" && admitted) {
      const auto burst = static_cast<uint32_t>(profile_[spec::Constant::kPaceBurst]);
      pacer_.Charge(now, in.Small("size"), *byte, burst, full_packet_);
      sent_ = true;
    }
    AddNumber("admitted", admitted, out);
    AddNumber("byte_time", *byte, out);
    AddNumber("due", sent_ ? static_cast<uint64_t>(pacer_.ExactDue()) : 0, out);
    AddNumber("next", static_cast<uint64_t>(std::max(now, pacer_.Due())), out);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<uint64_t> ByteTime(const RecordView& in) const {
    const uint64_t hint = in.Number("hint", UINT16_MAX);
    if (hint == 0) return absl::InvalidArgumentError("hint is 0; a connection has none below 1.");
    if (hint != UINT16_MAX) return congestion::ByteTimeOfRate(hint, unit_);
    uint64_t speed = 0;
    uint64_t sum = 0;
    bool slow = false;
    for (const uint32_t i : in.Members("path")) {
      const std::string path = absl::StrCat("path[", i, "].");
      const uint32_t w = in.Small(path + "w");
      speed += congestion::Speed(w, in.Time(path + "min_rtt"));
      sum += w;
      slow = slow || in.Flag(path + "slow");
    }
    if (sum == 0)
      return absl::InvalidArgumentError("without a hint a path with a window is given.");
    if (in.Number("x") > sum) {
      return absl::InvalidArgumentError(
          absl::StrCat("x is ", in.Number("x"), "; it must be at most ", sum, ", the sum of w."));
    }
    const uint64_t gain =
        profile_[slow ? spec::Constant::kPaceGainSlowStart : spec::Constant::kPaceGain];
    return congestion::ByteTimeOfSpeed(speed, sum, in.Number("x"), gain, full_packet_);
  }

  const Profile profile_;
  const uint32_t full_packet_;
  const uint64_t unit_;
  congestion::Pacer pacer_;
  bool sent_ = false;
};

//= CONF-ENTROPY
//# The block `entropy` chooses the entropies of one direction by the default order of
//# [ENTROPY-CHOICE].
class Entropy : public UntimedBlock {
 public:
  explicit Entropy(const RecordView& config) {
    c_.tag = config.Small("tag");
    c_.initiator = !config.Flag("acceptor");
    c_.out.resize(256);
    Begin(0, static_cast<uint16_t>(config.Number("path_zero")));
  }

  absl::Status Take(const RecordView& in, FieldList* out) override {
    const auto path = static_cast<uint8_t>(in.Number("path"));
    uint16_t entropy = 0;
    if (in.Word("kind") == "open") {
      const endpoint::Step step;
      entropy = endpoint::NewEntropy(endpoint::Scope{e_, c_, step, 0}, path);
      Begin(path, entropy);
    } else {
      c_.out[path].context.reset();
    }
    AddNumber("entropy", entropy, out);
    AddNumber("index", c_.entropy_index, out);
    return absl::OkStatus();
  }

 private:
  void Begin(uint8_t path, uint16_t entropy) {
    SendPath& p = c_.out[path];
    p.used = true;
    p.route.entropy = entropy;
    if (!p.context) p.context.emplace();
  }

  endpoint::State e_;
  endpoint::Connection c_;
};

//= CONF-SCHEDULER
//# The block `scheduler` says what one direction sends next and on which path.
class Scheduler : public UntimedBlock {
 public:
  Scheduler() {
    c_.ip_mtu_bytes = 1;  // so that W is the sum of the windows
    c_.congestion.bound = UINT64_MAX;
    c_.out.resize(16);
    c_.schedule = Schedule(16);
    e_.ready.resize(1);
  }

  absl::Status Take(const RecordView& in, FieldList* out) override {
    std::string takes = "none";
    uint64_t stream = 255;
    uint64_t path = 255;
    if (in.Word("kind") == "path") {
      const uint32_t picked = PickPath(in);
      if (picked != Schedule::kNobody) {
        takes = "path";
        path = c_.latest_path = picked;
      }
      //= RTX-FIRST
      //# While a retransmission waits on any path of a direction, no moved and no new packet of that
      //# direction is sent.
    } else if (in.Number("retransmissions") > 0) {
      takes = "retransmission";
      //= CC-MOVED-FIRST
      //# While a moved packet waits, no new packet is sent.
    } else if (in.Number("moved") > 0) {
      takes = "moved";
    } else {
      takes = PickMessage(in, &stream);
    }
    AddWord("takes", takes, out);
    AddNumber("stream", stream, out);
    AddNumber("path", path, out);
    return absl::OkStatus();
  }

 private:
  uint32_t PickPath(const RecordView& in) {
    const endpoint::Step step;
    const endpoint::Scope s{e_, c_, step, 0};
    const std::vector<uint32_t> given = in.Members("path");
    for (uint32_t id = 0; id < 16; ++id) {
      const std::string name = absl::StrCat("path[", id, "].");
      SendPath& p = c_.out[id];
      p.context.reset();
      if (std::find(given.begin(), given.end(), id) != given.end()) {
        SendContext& x = p.context.emplace();
        p.state = in.Flag(name + "fit") ? PathState::kActive : PathState::kActiveToClose;
        x.congestion.w = std::max<uint32_t>(1, in.Small(name + "w"));
        const uint32_t in_flight = std::min<uint32_t>(in.Small(name + "in_flight"), 255);
        for (uint32_t i = 0; i < in_flight; ++i) x.window.Append(Csn(i), i + 1, 1, false);
      }
      endpoint::Refresh(s, static_cast<uint8_t>(id));
    }
    c_.flight_bytes = in.Number("bytes");
    c_.congestion.sum = in.Number("window") << 16;
    return endpoint::PickPath(s, in.Small("size"));
  }

  // A connection of which exactly these messages are ready, and of which the latest new packet was
  // the one before.
  std::string PickMessage(const RecordView& in, uint64_t* stream) {
    Outbound messages;
    if (last_stream_ >= 0) Send(static_cast<uint16_t>(last_stream_), &messages);
    if (last_was_response_) Respond(&messages);
    for (uint16_t slot = 0; slot < 64; ++slot) {
      if (((in.Number("requests") >> slot) & 1) == 0) continue;
      WorkRequest work;
      work.stream = slot;
      messages.Post(work);
    }
    if (in.Number("responses") > 0) messages.Respond(WorkRequest(), Msn(), 0);
    const uint32_t next = messages.Next(nullptr);
    if (next == Outgoing::kNone) return "none";
    last_was_response_ = messages.at(next).response;
    if (last_was_response_) return "response";
    *stream = messages.at(next).work.stream;
    last_stream_ = static_cast<int>(*stream);
    return "request";
  }

  // One request of the stream has been sent and is done with.
  static void Send(uint16_t stream, Outbound* messages) {
    WorkRequest work;
    work.stream = stream;
    const uint32_t message = messages->Post(work);
    messages->Sent(message);
    messages->Acknowledged(message);
    messages->Complete(stream);
    messages->Reap(stream);
  }
  static void Respond(Outbound* messages) {
    messages->Respond(WorkRequest(), Msn(), 0);
    const uint32_t message = messages->Next(nullptr);
    messages->Sent(message);
    messages->Acknowledged(message);
  }

  endpoint::State e_;
  endpoint::Connection c_;
  int last_stream_ = -1;
  bool last_was_response_ = false;
};

}  // namespace

MadeBlock MakeConnectionWindow(const RecordView& config, const Profile& profile) {
  return std::make_unique<ConnectionWindow>(config, profile);
}
MadeBlock MakePathCount(const RecordView& config, const Profile& profile) {
  if (config.Number("most") == 0) return absl::InvalidArgumentError("most is 0; it is at least 1.");
  return std::make_unique<PathCount>(config, profile);
}
MadeBlock MakePacer(const RecordView& config, const Profile& profile) {
  return std::make_unique<PacerBlock>(config, profile);
}
MadeBlock MakeEntropy(const RecordView& config, const Profile&) {
  return std::make_unique<Entropy>(config);
}
MadeBlock MakeScheduler(const RecordView&, const Profile&) { return std::make_unique<Scheduler>(); }

}  // namespace metaroce::conformance
