#include "conformance/system/system.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/duts/model/setup.h"
#include "conformance/play/asking.h"
#include "conformance/play/compare.h"
#include "conformance/play/match.h"
#include "conformance/play/stimulus.h"
#include "conformance/play/timeline.h"
#include "conformance/system/happening.h"
#include "conformance/system/history.h"
#include "conformance/system/network.h"
#include "conformance/system/placements.h"
#include "conformance/system/witness.h"
#include "vectors/config_rules.h"
#include "vectors/lint.h"
#include "vectors/records.h"
#include "vectors/system_rules.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;
using vectors::Step;
using vectors::Vector;

//= CONF-SYSTEM-VERDICT
//# Where one end sent more than 65,536 packets, or 67,108,864 bytes
constexpr uint64_t kMostPackets = 65536;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

packet::Bytes BytesOf(absl::string_view bytes) {
  return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

class SystemPlayer {
 public:
  SystemPlayer(const Vector& vector, const DutInfo& info, const vectors::SpecIndex& index,
               const PacketCodec* codec, Dut& dut, RequestIds& ids, Progress* progress)
      : vector_(vector),
        info_(info),
        index_(index),
        codec_(codec),
        asking_(vector, info, index, dut, ids),
        progress_(progress),
        script_(vector, info, index),
        udp_port_(UdpPort(vector)),
        network_(vector.system(), udp_port_),
        placements_(udp_port_),
        history_(script_, codec) {
    ReadSteps();
  }

  PlayResult Run() {
    if (codec_ == nullptr && NeedsCodec(vector_)) {
      Harness("The vector gives packets by their fields, and the runner has no codec.");
    }
    if (!over_) MakePeer();
    if (!over_) Reset();
    //= CONF-SYSTEM-ORDER
    //# turn k, from 0, is from k times the shortest of all delays up to the nanosecond before k + 1
    //# times it.
    const uint64_t turn = vectors::ShortestDelay(vector_.system());
    for (uint64_t end = turn - 1; !over_; end += turn) {
      for (const End who : {End::kDut, End::kPeer}) {
        if (!over_) Turn(who, end);
      }
      if (!over_) Judge(end);
      if (!over_ && Done(end)) Conclude(end);
    }
    return std::move(result_);
  }

 private:
  static uint16_t UdpPort(const Vector& vector) {
    const vectors::Field* port = vectors::FindField(vector.config(), "udp_port");
    return port == nullptr ? spec::constant::kUdpPort : static_cast<uint16_t>(port->number());
  }

  // Takes the script apart: what is given to each end, and what is expected.
  void ReadSteps() {
    int stimulus = -1;
    uint64_t now = 0;
    uint64_t began = 0;
    for (int i = 0; i < vector_.steps_size(); ++i) {
      const Step& step = vector_.steps(i);
      if (!vectors::IsStimulus(step)) {
        Expected expected;
        expected.waiting = script_.Wait(i, stimulus, began);
        expected.end = step.peer() ? End::kPeer : End::kDut;
        expected.memory = step.expect().has_memory();
        expected_.push_back(expected);
        continue;
      }
      stimulus = i;
      began = step.has_at() ? step.at() : now;
      for (uint32_t k = 0; k < CountOf(step); ++k) {
        now = began + k * step.repeat().every();
        if (!step.has_advance())
          Side(step.peer() ? End::kPeer : End::kDut).push_back({now, i, k, began});
      }
      last_step_ = now;
    }
  }

  std::deque<Given>& Side(End end) { return given_[static_cast<size_t>(end)]; }
  SparseMemory& MemoryOf(End end) { return memory_[static_cast<size_t>(end)]; }

  // --- how it ends

  void Harness(std::string text) {
    result_.kind = PlayKind::kHarness;
    result_.text = std::move(text);
    over_ = true;
  }

  // The device's fault at that time, unless something that it sent by then is worse.
  //
  //= CONF-SYSTEM-VERDICT
  //# the earliest of it is the first divergence, and of what has the same time the packet that
  //# the text does not allow
  void Diverge(uint64_t at, int step, std::string clause, std::string expected, std::string got) {
    if (!Explained(std::min(at, known_until_))) return;
    Show(at, step, std::move(clause), std::move(expected), std::move(got));
  }

  // False if not, and it was told.
  bool Explained(uint64_t until) {
    const absl::StatusOr<std::optional<Unexplained>> found =
        witness_.Explain(config_, info_, index_, until);
    if (!found.ok()) {
      Harness(absl::StrCat("What the DUT sent cannot be checked: ", found.status().message()));
      return false;
    }
    if (!found->has_value()) return true;
    Unexplained why = **found;
    if (!why.frame.empty()) {
      dut::Event event;
      event.mutable_packet()->set_frame(why.frame);
      result_.divergence.sides = Decode(Expectation(), {&event, ""}, codec_);
    }
    Show(why.at, history_.StepAt(why.at), std::move(why.clause), std::move(why.expected),
         std::move(why.got));
    return false;
  }

  void Show(uint64_t at, int step, std::string clause, std::string expected, std::string got) {
    Divergence& divergence = result_.divergence;
    result_.kind = PlayKind::kDiverged;
    divergence.step = step + 1;
    divergence.level = script_.LevelOf(clause);
    divergence.clause = std::move(clause);
    divergence.received = history_.ReceivedBefore(at);
    divergence.expected = std::move(expected);
    divergence.got = std::move(got);
    divergence.marks = Marks(at);
    over_ = true;
    if (result_.fault == FaultKind::kNone) {
      divergence.state = asking_.Snapshot(step_, &result_.fault);
    }
  }

  void Misfits(const Misfit& misfit) {
    result_.fault = misfit.fault;
    if (misfit.clause.empty()) {
      result_.kind = PlayKind::kUnsupported;
      result_.text = misfit.got;
      over_ = true;
      return;
    }
    //= CONF-SYSTEM-VERDICT
    //# a breach of the contract ends the vector when it shows, but what came before it is judged first
    if (result_.answered) {
      JudgeTurn();
      if (over_ || !Explained(known_until_)) return;
    }
    Show(now_, step_, misfit.clause, "an answer that fits the request", misfit.got);
  }

  std::vector<Mark> Marks(uint64_t at) const {
    std::vector<Mark> marks = history_.Marks(at);
    for (const Expected& expected : expected_) {
      if (expected.met || expected.memory || marks.size() >= kMaxMarks) continue;
      marks.push_back(MarkOfExpectation(script_, expected.waiting, codec_));
    }
    return marks;
  }

  // --- the two ends

  //= CONF-SYSTEM
  //# Its peer is an endpoint that keeps this text, with the default of every choice
  void MakePeer() {
    ToDut(vector_.config(), &config_);
    ToDut(vector_.system().peer(), &peer_config_);
    Setup(config_).Register(&MemoryOf(End::kDut));
    const Setup setup = Setup::OfPeer(config_, peer_config_);
    setup.Register(&MemoryOf(End::kPeer));
    absl::StatusOr<std::unique_ptr<ModelDut::Level>> made = MakeEndpointLevel(setup);
    if (!made.ok()) {
      return Harness(absl::StrCat("The peer cannot be made: ", made.status().message()));
    }
    peer_ = *std::move(made);
  }

  //= CONF-SYSTEM
  //# At this level the DUT is one endpoint as at the level `endpoint`, is reset with that level
  void Reset() {
    dut::Request request;
    request.mutable_reset()->set_level("endpoint");
    *request.mutable_reset()->mutable_config() = config_;
    dut::Answer answer;
    if (!Ask(request, &answer)) return;
    if (answer.done().event_size() > 0) Misfits({"CONF-ANSWER", "events in the answer to Reset"});
  }

  bool Ask(dut::Request& request, dut::Answer* answer) {
    Publish();
    if (const std::optional<Misfit> misfit = asking_.Ask(request, step_, answer)) {
      Misfits(*misfit);
      return false;
    }
    result_.answered = true;
    return true;
  }

  void Publish() {
    if (progress_ == nullptr) return;
    progress_->step = step_;
    progress_->stimulus = step_;
    progress_->sent = k_;
    progress_->at = step_at_;
    progress_->now = now_;
    progress_->answered = result_.answered;
    const auto waits = std::find_if(expected_.begin(), expected_.end(),
                                    [](const Expected& e) { return !e.met && !e.memory; });
    progress_->waits = waits != expected_.end();
    if (progress_->waits) progress_->waiting = waits->waiting;
  }

  // All that happens to one end up to and including `until`.
  //
  //= CONF-SYSTEM-ORDER
  //# Of the same time come first the steps of the
  //# vector in their order, then the frames that arrive, in the order in which they left the other
  //# end
  void Turn(End end, uint64_t until) {
    std::deque<Given>& steps = Side(end);
    while (!over_) {
      const bool step = !steps.empty() && steps.front().at <= until;
      if (!step || steps.front().at > 0) {
        const uint64_t before = step ? steps.front().at - 1 : until;
        if (std::optional<Arrival> arrival = network_.Take(end, before)) {
          Happening happening;
          happening.arrives = true;
          happening.event.set_at_ns(arrival->at);
          happening.event.mutable_packet()->set_plane(arrival->plane);
          happening.event.mutable_packet()->set_frame(std::move(arrival->frame));
          Give(end, std::move(happening));
          continue;
        }
      }
      if (!step) break;
      Happening happening;
      happening.step = steps.front();
      happening.event.set_at_ns(steps.front().at);
      steps.pop_front();
      Give(end, std::move(happening));
    }
    if (over_) return;
    dut::Request request;
    request.mutable_advance()->set_to_ns(until);
    Do(end, request, until, nullptr);
  }

  // Something happens to one end.
  void Give(End end, Happening happening) {
    happening.end = end;
    happening.given = true;
    const uint64_t at = happening.event.at_ns();
    dut::Request request;
    if (happening.arrives) {
      request.mutable_apply()->set_at_ns(at);
      request.mutable_apply()->mutable_arrive()->set_frame(happening.event.packet().frame());
      request.mutable_apply()->mutable_arrive()->set_plane(happening.event.packet().plane());
    } else {
      const absl::Status status = MakeRequest(vector_, vector_.steps(happening.step.step),
                                              happening.step.k, at, codec_, index_, &request);
      if (!status.ok()) {
        return Harness(absl::StrCat("Step ", happening.step.step + 1, ": ", status.message()));
      }
      if (end == End::kDut) {
        witness_.Posts(request.apply().post().field());
        step_ = happening.step.step;
        k_ = happening.step.k;
        step_at_ = happening.step.began;
      }
    }
    const Happening& given = history_.Add(std::move(happening));
    Do(end, request, at, &request.apply(), given.arrives);
  }

  // Makes a request of one end at that time, and takes what follows.
  void Do(End end, dut::Request& request, uint64_t at, const dut::Apply* apply,
          bool from_peer = false) {
    const uint64_t before = done_until_[static_cast<size_t>(end)];
    done_until_[static_cast<size_t>(end)] = at;
    dut::Answer answer;
    if (end == End::kDut) {
      now_ = at;
      if (!Ask(request, &answer)) return;
    } else {
      const absl::Status status =
          apply != nullptr ? peer_->Apply(*apply, &answer) : peer_->Advance(at, &answer);
      if (!status.ok()) return Harness(absl::StrCat("The peer: ", status.message()));
    }
    if (end == End::kDut) known_until_ = apply == nullptr ? at : std::max<uint64_t>(at, 1) - 1;
    bool seen = end == End::kPeer || apply == nullptr || !apply->has_arrive();
    const auto see = [&] {
      if (seen) return;
      seen = true;
      witness_.Saw(at, apply->arrive().plane(), apply->arrive().frame());
      if (from_peer) placements_.Arrives(apply->arrive().frame());
    };
    uint64_t last = before;
    for (dut::Event& event : *answer.mutable_done()->mutable_event()) {
      if (end == End::kDut) {
        if (const auto misfit = JudgeEvent(event, last, at)) return Misfits(*misfit);
      }
      last = event.at_ns();
      //= CONF-TIME
      //# the DUT first does all that falls due before t, then takes the stimulus at t
      if (last == at) see();
      Did(end, std::move(event));
      if (over_) return;
    }
    see();
  }

  // One end did something.
  void Did(End end, dut::Event event) {
    if (event.has_fields()) return Misfits({"CONF-ANSWER", "an event with a record of a block"});
    Happening happening;
    happening.end = end;
    happening.step.step = step_;
    happening.event = std::move(event);
    if (happening.event.has_packet()) {
      const dut::Packet& packet = happening.event.packet();
      const uint64_t at = happening.event.at_ns();
      const uint64_t planes = std::max<uint64_t>(vectors::AgreedPlanes(vector_.config()), 1);
      if (packet.plane() >= planes) {
        return Show(at, step_, "CONF-ENDPOINT-STATE",
                    absl::StrCat("a packet by a plane below ", planes),
                    absl::StrCat("a packet by plane ", packet.plane(), ", at ", at, " ns"));
      }
      network_.Send(end == End::kDut ? End::kPeer : End::kDut, at, packet.plane(), packet.frame());
      if (end == End::kDut) witness_.Sent(at, packet.plane(), packet.frame());
      Sent& sent = sent_[static_cast<size_t>(end)];
      sent.bytes += packet.frame().size();
      if (++sent.packets > kMostPackets || sent.bytes > kMostBytes) {
        if (!Explained(std::min(at, known_until_))) return;
        return Harness(absl::StrCat(NameOf(end), " sent packet ", sent.packets, " and byte ",
                                    sent.bytes, " by ", at, " ns; at most ", kMostPackets,
                                    " packets, of ", kMostBytes, " bytes, are looked at."));
      }
    }
    turn_.push_back(&history_.Add(std::move(happening)));
  }

  // --- the verdict

  // What both ends did in the turn that ends then.
  void Judge(uint64_t end) {
    JudgeTurn();
    if (!over_) Expire(end + 1);
  }

  //= CONF-SYSTEM-ORDER
  //# What both ends did in the turn is judged in the order of time, of the same time the DUT's
  //# first.
  void JudgeTurn() {
    std::stable_sort(turn_.begin(), turn_.end(), [](const Happening* a, const Happening* b) {
      return a->event.at_ns() < b->event.at_ns();
    });
    for (const Happening* happening : turn_) {
      if (over_) break;
      Expire(happening->event.at_ns());
      if (!over_) Judge(*happening);
    }
    turn_.clear();
  }

  void Judge(const Happening& happening) {
    const dut::Event& event = happening.event;
    if (event.has_placement()) {
      if (happening.end == End::kDut) JudgePlacement(happening);
      MemoryOf(happening.end).Write(event.placement().address(), BytesOf(event.placement().data()));
      return;
    }
    if (event.has_packet()) {
      if (happening.end == End::kDut) JudgeAck(happening);
      //= CONF-SYSTEM-STEPS
      //# its endpoint sends no packet but ACKs and is told of no completion.
      if (over_ || placements_.IsAck(event.packet().frame())) return;
    }
    for (const Expected& expected : expected_) {
      if (!expected.waiting.nothing || expected.met || expected.end != happening.end) continue;
      if (event.at_ns() < expected.waiting.base()) continue;
      const int step = expected.waiting.step;
      return Diverge(event.at_ns(), step, script_.ClauseOf(step),
                     absl::StrCat("nothing of ", NameOf(expected.end), " until ",
                                  expected.waiting.deadline(), " ns"),
                     absl::StrCat(history_.MarkOf(happening).text, ", at ", event.at_ns(), " ns"));
    }
    if (!event.has_completion()) return;
    if (happening.end == End::kDut) witness_.Told(event.at_ns(), event.completion());
    Complete(happening);
  }

  //= CONF-SYSTEM-VERDICT
  //# The DUT placed the payload of each CSN at most once
  void JudgePlacement(const Happening& happening) {
    const dut::Event& event = happening.event;
    const auto fault = placements_.Place(event.placement().address(), event.placement().data());
    if (fault == Placements::Fault::kNone) return;
    const bool elsewhere = fault == Placements::Fault::kAddress;
    Diverge(event.at_ns(), happening.step.step, elsewhere ? "WIRE-ADDRESS" : "CHECK-CSN-DUPLICATE",
            elsewhere ? "a placement at the address that the packet with these bytes gives"
                      : "no placement of bytes that no packet had, or that were placed before",
            absl::StrCat(Describe({&event, ""}, codec_), ", at ", event.at_ns(), " ns"));
  }

  void JudgeAck(const Happening& happening) {
    const auto unplaced = placements_.Sends(happening.event.packet().frame());
    if (!unplaced.has_value()) return;
    const uint64_t at = happening.event.at_ns();
    Diverge(at, happening.step.step, "CONF-PLACEMENT",
            absl::StrCat("the placement of the packet with CSN ", *unplaced, " before its ACK"),
            absl::StrCat(history_.MarkOf(happening).text, ", at ", at, " ns"));
  }

  //= CONF-SYSTEM-STEPS
  //# A completion is compared with the first `completion` of its endpoint that waits.
  void Complete(const Happening& happening) {
    const dut::Event& event = happening.event;
    const Outcome outcome{&event, ""};
    const uint64_t at = event.at_ns();
    const auto first = std::find_if(expected_.begin(), expected_.end(), [&](const Expected& e) {
      return !e.met && !e.memory && !e.waiting.nothing && e.end == happening.end;
    });
    if (first == expected_.end()) {
      return Diverge(at, happening.step.step, script_.ClauseOf(-1),
                     absl::StrCat("no more completions at ", NameOf(happening.end)),
                     absl::StrCat(Describe(outcome, codec_), ", at ", at, " ns"));
    }
    Waiting& waiting = first->waiting;
    Expectation grown;
    const Expectation& expectation = script_.Next(waiting, &grown);
    std::optional<Mismatch> mismatch = Match(expectation, outcome, codec_);
    const uint64_t earliest = waiting.base() + waiting.after;
    if (!mismatch.has_value() && at < earliest) {
      mismatch =
          Mismatch{absl::StrCat(Describe(expectation), ", not before ", earliest, " ns"),
                   absl::StrCat("the same at ", at, " ns, ", earliest - at, " ns too early"), 0};
    } else if (mismatch.has_value()) {
      absl::StrAppend(&mismatch->got, ", at ", NameOf(happening.end), ", at ", at, " ns");
    }
    if (mismatch.has_value()) {
      result_.divergence.sides = Decode(expectation, outcome, codec_);
      return Diverge(at, waiting.step, script_.ClauseOf(waiting.step), mismatch->expected,
                     mismatch->got);
    }
    if (++waiting.next < waiting.count) return;
    first->met = true;
    Look(at);
  }

  // Compares the memory of which the moment has come.
  //
  //= CONF-SYSTEM-STEPS
  //# at the moment at which all completions in front of it are met, at either end.
  void Look(uint64_t at) {
    for (Expected& expected : expected_) {
      if (expected.waiting.nothing || (expected.met && !expected.memory)) continue;
      if (!expected.memory) return;
      if (expected.met) continue;
      expected.met = true;
      const int step = expected.waiting.step;
      const vectors::Placement& wanted = vector_.steps(step).expect().memory();
      const packet::Bytes there =
          MemoryOf(expected.end)
              .Read(wanted.address(), static_cast<uint32_t>(wanted.data().size()));
      if (there == BytesOf(wanted.data())) continue;
      size_t i = 0;
      while (i < there.size() && there[i] == static_cast<uint8_t>(wanted.data()[i])) ++i;
      Expectation got;
      got.mutable_memory()->set_address(wanted.address());
      got.mutable_memory()->set_data(std::string(there.begin(), there.end()));
      return Diverge(at, step, script_.ClauseOf(step),
                     absl::StrCat(Describe(vector_.steps(step).expect()), ", at ",
                                  NameOf(expected.end), " at ", at, " ns"),
                     absl::StrCat(Describe(got), ", other from byte ", i, " on"));
    }
  }

  // What had to come before `time` and did not; what had to be quiet until then was.
  void Expire(uint64_t time) {
    const Expected* missed = nullptr;
    for (Expected& expected : expected_) {
      const uint64_t deadline = expected.waiting.deadline();
      if (expected.met || expected.memory || deadline >= time) continue;
      if (expected.waiting.nothing) {
        expected.met = true;
      } else if (missed == nullptr || deadline < missed->waiting.deadline()) {
        missed = &expected;
      }
    }
    if (missed == nullptr) return;
    const uint64_t deadline = missed->waiting.deadline();
    Diverge(deadline, missed->waiting.step, script_.ClauseOf(missed->waiting.step),
            absl::StrCat(script_.Describe(missed->waiting), ", at ", NameOf(missed->end)),
            absl::StrCat("nothing until ", deadline, " ns"));
  }

  //= CONF-SYSTEM-ORDER
  //# The
  //# last turn is the first at the end of which every step was given and no expectation waits.
  bool Done(uint64_t end) const {
    return last_step_ <= end &&
           std::all_of(expected_.begin(), expected_.end(), [](const Expected& e) { return e.met; });
  }

  void Conclude(uint64_t end) {
    if (Explained(end)) over_ = true;  // every expectation was met
  }

  const Vector& vector_;
  const DutInfo& info_;
  const vectors::SpecIndex& index_;
  const PacketCodec* codec_;
  Asking asking_;
  Progress* const progress_;
  const Script script_;
  const uint16_t udp_port_;

  FieldList config_;
  FieldList peer_config_;
  std::unique_ptr<ModelDut::Level> peer_;
  Network network_;
  SparseMemory memory_[2];
  Witness witness_;
  Placements placements_;

  std::deque<Given> given_[2];      // not given yet
  uint64_t last_step_ = 0;          // when the last is
  std::vector<Expected> expected_;  // in the order of the vector
  History history_;
  std::vector<Happening*> turn_;     // what both ends did in this turn
  uint64_t done_until_[2] = {0, 0};  // the time of the latest request
  uint64_t known_until_ = 0;         // all that the DUT did by then is known
  struct Sent {
    uint64_t packets = 0;
    uint64_t bytes = 0;
  } sent_[2];

  PlayResult result_;
  bool over_ = false;
  uint64_t now_ = 0;      // of the latest request to the DUT
  int step_ = -1;         // the latest that the DUT was given
  uint32_t k_ = 0;        // of its burst
  uint64_t step_at_ = 0;  // when that began
};

}  // namespace

//= CONF-SYSTEM
//# one that it does not give has its default at both ends, whatever the profile says
PlayResult PlaySystem(const Vector& vector, const DutInfo& info, const vectors::SpecIndex& index,
                      const PacketCodec* codec, Dut& dut, RequestIds& ids, Progress* progress) {
  Vector whole = vector;
  for (const auto& [name, value] : info.profile) {
    const auto parameter = index.Parameter(name);
    if (!parameter.has_value() || parameter->profile || parameter->fixed) continue;
    if (parameter->value == value || vectors::FindField(whole.config(), name) != nullptr) continue;
    vectors::Field& field = *whole.mutable_config()->add_field();
    field.set_name(name);
    field.set_number(parameter->value);
  }
  return SystemPlayer(whole, info, index, codec, dut, ids, progress).Run();
}

}  // namespace metaroce::conformance
