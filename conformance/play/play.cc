#include "conformance/play/play.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "conformance/play/asking.h"
#include "conformance/play/compare.h"
#include "conformance/play/match.h"
#include "conformance/play/stimulus.h"
#include "google/protobuf/arena.h"
#include "vectors/lint.h"
#include "vectors/records.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;
using vectors::Step;
using vectors::Vector;

constexpr char kFits[] = "an answer that fits the request";

class Player {
 public:
  Player(const Vector& vector, const DutInfo& info, const vectors::SpecIndex& index,
         const PacketCodec* codec, Dut& dut, RequestIds& ids, Progress* progress)
      : vector_(vector),
        index_(index),
        codec_(codec),
        asking_(vector, info, index, dut, ids),
        progress_(progress),
        script_(vector, info, index),
        timed_(script_.timed()),
        has_names_(HasNames(vector)) {}

  PlayResult Run() {
    if (codec_ == nullptr && NeedsCodec(vector_)) {
      Harness("The vector gives packets by their fields, and the runner has no codec.");
    } else if (Reset()) {
      for (int i = 0; i < vector_.steps_size() && !over_;) i = PlayGroup(i);
    }
    if (!over_) Finish();
    return std::move(result_);
  }

 private:
  // --- how it ends

  void Harness(std::string text) {
    result_.kind = PlayKind::kHarness;
    result_.text = std::move(text);
    over_ = true;
  }

  void Unsupported(std::string text) {
    result_.kind = PlayKind::kUnsupported;
    result_.text = std::move(text);
    over_ = true;
  }

  std::string ClauseOf(int step) const { return script_.ClauseOf(step); }

  void Diverge(int step, int stimulus, std::string clause, std::string expected, std::string got) {
    Divergence& divergence = result_.divergence;
    result_.kind = PlayKind::kDiverged;
    divergence.step = step + 1;
    divergence.level = script_.LevelOf(clause);
    divergence.clause = std::move(clause);
    const bool latest = stimulus == stimulus_;
    divergence.received = script_.Received(
        stimulus, latest || stimulus < 0 ? sent_ : CountOf(vector_.steps(stimulus)) - 1,
        stimulus_at_.count(stimulus) > 0 ? stimulus_at_[stimulus] : 0, codec_);
    divergence.expected = std::move(expected);
    divergence.got = std::move(got);
    over_ = true;
    divergence.marks = Marks();
    //= CONF-FIRST
    //# A report shows a mismatch once, at the first divergence
    if (result_.fault == FaultKind::kNone) {
      divergence.state = asking_.Snapshot(current_step_, &result_.fault);
    }
  }

  // All that was given to the device so far, all that it did, and what it was expected to do next.
  std::vector<Mark> Marks() const {
    std::vector<Mark> marks;
    for (const Exchange& exchange : exchanges_) {
      if (marks.size() >= kMaxMarks) break;
      if (exchange.stimulus) {
        marks.push_back(MarkOfStimulus(script_, exchange.step, exchange.k, exchange.at, codec_));
      }
      if (exchange.answer->has_reject()) {
        marks.push_back(MarkOfOutcome(script_, exchange.step,
                                      {nullptr, exchange.answer->reject().code()}, codec_));
      }
      for (const dut::Event& event : exchange.answer->done().event()) {
        if (marks.size() >= kMaxMarks) break;
        marks.push_back(MarkOfOutcome(script_, exchange.step, {&event, ""}, codec_));
      }
    }
    for (const Waiting& waiting : waiting_) {
      if (marks.size() >= kMaxMarks) break;
      marks.push_back(MarkOfExpectation(script_, waiting, codec_));
    }
    return marks;
  }

  // The device broke the contract at the request just made; it is alive.
  void Breach(absl::string_view clause, std::string got) {
    Diverge(current_step_, stimulus_, std::string(clause), ExpectedNow(), std::move(got));
  }

  std::string ExpectedNow() const {
    if (waiting_.empty()) return kFits;
    return script_.Describe(waiting_.front(), codec_);
  }

  // --- asking

  void Publish() {
    if (progress_ == nullptr) return;
    progress_->step = current_step_;
    progress_->stimulus = stimulus_;
    progress_->sent = sent_;
    progress_->at = stimulus_ < 0 ? 0 : stimulus_began_;
    progress_->now = now_;
    progress_->answered = result_.answered;
    progress_->waits = !waiting_.empty();
    if (!waiting_.empty()) progress_->waiting = waiting_.front();
  }

  // False if the vector is over.
  bool Ask(dut::Request& request, int step, dut::Answer* answer) {
    current_step_ = step;
    Publish();
    std::optional<Misfit> misfit = asking_.Ask(request, step, answer);
    if (!misfit.has_value()) {
      result_.answered = true;
      return true;
    }
    result_.fault = misfit->fault;
    if (misfit->clause.empty()) {
      Unsupported(std::move(misfit->got));
    } else {
      Breach(misfit->clause, std::move(misfit->got));
    }
    return false;
  }

  //= CONF-RESET
  //# `Reset` puts the DUT into the state that level, block and configuration describe, with the
  //# time 0.
  bool Reset() {
    dut::Request& request = *New<dut::Request>(brief_);
    request.mutable_reset()->set_level(absl::AsciiStrToLower(vectors::Level_Name(vector_.level())));
    request.mutable_reset()->set_block(vector_.block());
    ToDut(vector_.config(), request.mutable_reset()->mutable_config());
    dut::Answer& answer = *New<dut::Answer>(brief_);
    if (!Ask(request, -1, &answer)) return false;
    if (answer.done().event_size() > 0) {
      Breach("CONF-ANSWER", "events in the answer to Reset");
      return false;
    }
    return true;
  }

  // --- expectations

  //= CONF-UNASKED
  //# A vector that leaves one kind open lists it in `ignore`.
  bool Ignored(const dut::Event& event) const {
    const char* kind = event.has_packet()       ? "packet"
                       : event.has_completion() ? "completion"
                       : event.has_placement()  ? "placement"
                                                : "";
    return std::find(vector_.ignore().begin(), vector_.ignore().end(), kind) !=
           vector_.ignore().end();
  }

  // Both sides of a divergence, in full.
  void Decoded(const Waiting& waiting, const Outcome& outcome) {
    Expectation grown;
    result_.divergence.sides = Decode(script_.Next(waiting, &grown), outcome, codec_);
  }

  // Drops what can no longer come, now that everything up to and including `time` is known.
  void Settle(uint64_t time) {
    while (!over_ && !waiting_.empty() && waiting_.front().deadline() <= time) {
      const Waiting& front = waiting_.front();
      if (!front.nothing) {
        Decoded(front, Outcome());
        Diverge(front.step, front.stimulus, ClauseOf(front.step), script_.Describe(front, codec_),
                absl::StrCat("nothing until ", time, " ns"));
        return;
      }
      waiting_.pop_front();
    }
  }

  void Consume(const Outcome& outcome, uint64_t at) {
    if (outcome.event != nullptr && Ignored(*outcome.event)) return;
    while (!waiting_.empty() && waiting_.front().nothing && waiting_.front().deadline() < at) {
      waiting_.pop_front();
    }
    const auto what = [&] {
      return absl::StrCat(Describe(outcome, codec_),
                          timed_ ? absl::StrCat(", at ", at, " ns") : "");
    };
    if (waiting_.empty()) {
      result_.divergence.sides = Decode(Expectation(), outcome, codec_);
      Diverge(current_step_, stimulus_, ClauseOf(last_expectation_), "nothing more", what());
      return;
    }
    const auto place = PlaceFor(outcome, at);
    Waiting& front = *place;
    //= CONF-STEP
    //# An expectation of which the last bound is over is a mismatch before what comes later is
    //# compared with another.
    const auto overdue = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& w) {
      return timed_ && !w.nothing && w.deadline() < at;
    });
    if (overdue != waiting_.end() && overdue != place) {
      Decoded(*overdue, outcome);
      Diverge(overdue->step, overdue->stimulus, ClauseOf(overdue->step),
              script_.Describe(*overdue, codec_), absl::StrCat("nothing by then; later ", what()));
      return;
    }
    if (front.nothing) {
      Decoded(front, outcome);
      Diverge(front.step, front.stimulus, ClauseOf(front.step), script_.Describe(front, codec_),
              what());
      return;
    }
    Expectation* grown = New<Expectation>(brief_);
    const Expectation* next = &script_.Next(front, grown);
    if (has_names_) {
      if (next != grown) *grown = *next;
      Resolve(names_, vector_, index_, *grown);
      next = grown;
      //= CONF-TAKEN
      //# An event that is compared with a later expectation before the name is taken over is a
      //# mismatch.
      const std::string ahead = NameAhead(*grown, front.step, vector_);
      if (!ahead.empty()) {
        Diverge(front.step, front.stimulus, ClauseOf(front.step), script_.Describe(front, codec_),
                absl::StrCat(what(), ", before $", ahead, " was taken"));
        return;
      }
    }
    const Expectation& expectation = *next;
    std::optional<Mismatch> mismatch = Match(expectation, outcome, codec_);
    if (mismatch.has_value() && timed_ && at > front.deadline()) {
      mismatch = Mismatch{script_.Describe(front, codec_),
                          absl::StrCat("nothing by then; later ", what()), 0};
    } else if (!mismatch.has_value() && timed_) {
      mismatch = MatchTime(front, expectation, at);
    }
    if (mismatch.has_value()) {
      result_.divergence.sides = Decode(expectation, outcome, codec_);
      Diverge(front.step, front.stimulus, ClauseOf(front.step), mismatch->expected, mismatch->got);
      return;
    }
    if (has_names_) TakeOver(expectation, GotFields(outcome, codec_), names_);
    if (++front.next == front.count) waiting_.erase(place);
  }

  // The expectation that the event is compared with: the first that it does not pass over; if it
  // passes over all, the first. Precondition: something waits.
  //
  //= CONF-STEP
  //# a packet and a placement pass over completions that wait, and a completion passes over packets
  std::deque<Waiting>::iterator PlaceFor(const Outcome& outcome, uint64_t at) {
    const bool completion = outcome.event != nullptr && outcome.event->has_completion();
    for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
      //= CONF-STEP
      //# A `nothing` whose time is over is met and is passed over
      if (it->nothing && it->deadline() < at) continue;
      const bool passes = completion ? !it->completion && !it->placement : it->completion;
      if (it->nothing || !passes) return it;
    }
    return waiting_.begin();
  }

  //= CONF-EXPECT-TIME
  //# The event is not earlier than `at` + `after` and not later than `at` + `within`
  std::optional<Mismatch> MatchTime(const Waiting& waiting, const Expectation& expectation,
                                    uint64_t at) const {
    const uint64_t earliest = waiting.base() + waiting.after;
    if (at < earliest) {
      return Mismatch{absl::StrCat(Describe(expectation, codec_), ", not before ", earliest, " ns"),
                      absl::StrCat("the same at ", at, " ns, ", earliest - at, " ns too early"), 0};
    }
    if (at > waiting.deadline()) {
      return Mismatch{
          script_.Describe(waiting, codec_),
          absl::StrCat("the same at ", at, " ns, ", at - waiting.deadline(), " ns too late"), 0};
    }
    return std::nullopt;
  }

  // --- steps

  // The stimulus at `i`, which comes at `at`, with the numbers that its names stand for. Null if
  // the vector is over: the event that gives one has not come.
  //
  //= CONF-TAKEN
  //# Else all that falls due before its `at` comes first. If a name is not taken over by then, the
  //# first expectation that waits is a mismatch.
  const Step* Stimulus(int i, uint64_t at, Step* named) {
    if (!has_names_) return &vector_.steps(i);
    *named = vector_.steps(i);
    Resolve(names_, vector_, index_, *named);
    if (NameLeft(*named).empty()) return named;
    if (timed_ && at > now_) {
      dut::Request request;
      request.mutable_advance()->set_to_ns(at - 1);
      Send(request, i, at - 1, false);
      if (over_) return nullptr;
      Resolve(names_, vector_, index_, *named);
    }
    const std::string left = NameLeft(*named);
    if (left.empty()) return named;
    if (waiting_.empty()) {
      Harness(absl::StrCat("Step ", i + 1, ": No expectation before takes \"$", left, "\" over."));
      return nullptr;
    }
    const Waiting& front = waiting_.front();
    Diverge(front.step, front.stimulus, ClauseOf(front.step), script_.Describe(front, codec_),
            absl::StrCat("nothing by then; step ", i + 1, " needs $", left,
                         timed_ ? absl::StrCat(" at ", at, " ns") : ""));
    return nullptr;
  }

  // Plays the stimulus at `i` with the expectations behind it. Returns the index of the next.
  int PlayGroup(int i) {
    const uint64_t at = vector_.steps(i).has_at() ? vector_.steps(i).at() : now_;
    Step named;
    const Step* given = Stimulus(i, at, &named);
    if (given == nullptr) return vector_.steps_size();
    const Step& stimulus = *given;
    stimulus_ = i;
    stimulus_at_[i] = at;
    stimulus_began_ = at;
    sent_ = 0;
    int next = i + 1;
    while (next < vector_.steps_size() && !vectors::IsStimulus(vector_.steps(next))) {
      waiting_.push_back(script_.Wait(next, i, at));
      last_expectation_ = next;
      ++next;
    }
    const uint32_t count = CountOf(stimulus);
    for (uint32_t k = 0; k < count && !over_; ++k) {
      sent_ = k;
      brief_.Reset();
      dut::Request& request = *New<dut::Request>(brief_);
      const absl::Status status = MakeRequest(
          vector_, stimulus, k, at + k * stimulus.repeat().every(), codec_, index_, &request);
      if (!status.ok()) {
        Harness(absl::StrCat("Step ", i + 1, ": ", status.message()));
        return next;
      }
      Send(request, i, at + k * stimulus.repeat().every(), true);
    }
    return next;
  }

  void Send(dut::Request& request, int step, uint64_t time, bool stimulus) {
    const uint64_t before = now_;
    now_ = time;
    const bool kept = marks_ < kMaxMarks;
    dut::Answer& answer = *New<dut::Answer>(kept ? kept_ : brief_);
    if (kept) exchanges_.push_back({step, sent_, time, stimulus, &answer});
    if (!Ask(request, step, &answer)) return;
    marks_ += stimulus + answer.has_reject() + static_cast<size_t>(answer.done().event_size());
    if (answer.has_reject()) {
      Outcome outcome;
      outcome.reject = answer.reject().code();
      Consume(outcome, 0);
      return;
    }
    if (!timed_ && answer.done().event_size() != 1) {
      Diverge(waiting_.empty() ? step : waiting_.front().step, stimulus_,
              ClauseOf(waiting_.empty() ? step : waiting_.front().step), ExpectedNow(),
              answer.done().event_size() == 0
                  ? "nothing"
                  : absl::StrCat(answer.done().event_size(), " events, where one belongs"));
      return;
    }
    uint64_t last = before;
    for (const dut::Event& event : answer.done().event()) {
      if (auto misfit = JudgeEvent(event, timed_ ? last : 0, timed_ ? now_ : 0)) {
        return Breach(misfit->clause, std::move(misfit->got));
      }
      last = event.at_ns();
      Outcome outcome;
      outcome.event = &event;
      Consume(outcome, event.at_ns());
      if (over_) return;
    }
    // What falls due in the nanosecond of a stimulus may still come: the packet went first.
    if (timed_ && request.has_advance()) {
      Settle(time);
    } else if (timed_ && time > 0) {
      Settle(time - 1);
    }
  }

  // Lets time pass until the last expectation is decided.
  void Finish() {
    if (waiting_.empty()) return;
    uint64_t end = 0;
    for (const Waiting& waiting : waiting_) end = std::max(end, waiting.last_deadline());
    end = std::max(end, now_);
    brief_.Reset();
    dut::Request& request = *New<dut::Request>(brief_);
    request.mutable_advance()->set_to_ns(end);
    Send(request, vector_.steps_size() - 1, end, false);
  }

  // A message that lives as long as the arena is not reset. Requests and answers are made of many
  // small parts, which an arena gives and takes in one piece.
  template <typename Message>
  static Message* New(google::protobuf::Arena& arena) {
    return google::protobuf::Arena::CreateMessage<Message>(&arena);
  }

  static google::protobuf::ArenaOptions Within(char* room, size_t size) {
    google::protobuf::ArenaOptions options;
    options.initial_block = room;
    options.initial_block_size = size;
    return options;
  }

  // A request that was made, and the answer to it.
  struct Exchange {
    int step;
    uint32_t k;  // of the burst
    uint64_t at;
    bool stimulus;              // of the vector; else time that passes at its end
    const dut::Answer* answer;  // in kept_
  };

  const Vector& vector_;
  const vectors::SpecIndex& index_;
  const PacketCodec* codec_;
  Asking asking_;
  Progress* const progress_;
  const Script script_;
  const bool timed_;
  const bool has_names_;

  static constexpr size_t kRoom = 16384;
  alignas(8) char kept_room_[kRoom];
  alignas(8) char brief_room_[kRoom];
  google::protobuf::Arena kept_{Within(kept_room_, kRoom)};    // for the vector
  google::protobuf::Arena brief_{Within(brief_room_, kRoom)};  // for one request

  PlayResult result_;
  bool over_ = false;
  std::deque<Waiting> waiting_;
  TakenNames names_;
  uint64_t now_ = 0;
  int current_step_ = -1;
  int stimulus_ = -1;  // index of the latest
  uint32_t sent_ = 0;  // which of a burst
  int last_expectation_ = -1;
  uint64_t stimulus_began_ = 0;
  std::map<int, uint64_t> stimulus_at_;  // when each stimulus began
  std::vector<Exchange> exchanges_;      // as many as there are marks for
  size_t marks_ = 0;                     // that they make
};

}  // namespace

PlayResult Play(const Vector& vector, const DutInfo& info, const vectors::SpecIndex& index,
                const PacketCodec* codec, Dut& dut, RequestIds& ids, Progress* progress) {
  return Player(vector, info, index, codec, dut, ids, progress).Run();
}

}  // namespace metaroce::conformance
