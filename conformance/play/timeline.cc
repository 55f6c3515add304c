#include "conformance/play/timeline.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/play/compare.h"
#include "conformance/play/stimulus.h"
#include "vectors/lint.h"
#include "vectors/records.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;
using vectors::Fields;
using vectors::Packet;
using vectors::Step;

constexpr size_t kTextBytes = 160;
constexpr char kHost[] = "host";
constexpr char kPeer[] = "peer";

std::string Line(absl::string_view text) {
  return vectors::Printable(vectors::Shorten(text, kTextBytes));
}

// The lane of what concerns no packet: that of the level.
std::string OwnLane(const Script& script) {
  switch (script.vector().level()) {
    case vectors::CODEC:
      return "codec";
    case vectors::BLOCK:
      return script.vector().block();
    default:
      return kHost;
  }
}

std::string LaneOf(const Script& script, const Fields& packet) {
  const vectors::Level level = script.vector().level();
  if (level == vectors::CODEC || level == vectors::BLOCK) return OwnLane(script);
  const vectors::Field* path = vectors::FindField(packet, "common.path");
  return path == nullptr ? "path not told" : absl::StrCat("path ", path->number());
}

// Fills in lane and text from a packet by its fields.
void SetPacket(const Script& script, const Fields& fields, const PacketCodec* codec, Mark* mark) {
  mark->lane = LaneOf(script, fields);
  const std::string title = codec == nullptr ? "" : codec->Title(fields);
  mark->text = Line(title.empty() ? Show(fields, kTextBytes) : title);
}

void SetFrame(const Script& script, absl::string_view frame, const PacketCodec* codec, Mark* mark) {
  const absl::StatusOr<Fields> fields =
      codec == nullptr ? absl::UnimplementedError("") : codec->Decode(frame);
  if (fields.ok()) return SetPacket(script, *fields, codec, mark);
  mark->lane = OwnLane(script);
  mark->text = Line(absl::StrCat("a frame of ", ShowBytes(frame.size()),
                                 codec == nullptr ? "" : ", refused: ", fields.status().message()));
}

void SetPacket(const Script& script, const Packet& packet, const PacketCodec* codec, Mark* mark) {
  switch (packet.kind_case()) {
    case Packet::kFields:
      return SetPacket(script, packet.fields(), codec, mark);
    case Packet::kIncludes:
      return SetPacket(script, packet.includes(), codec, mark);
    default:
      return SetFrame(script, packet.frame(), codec, mark);
  }
}

}  // namespace

Mark MarkOfStimulus(const Script& script, int step, uint32_t k, uint64_t at,
                    const PacketCodec* codec) {
  const Step& source = script.vector().steps(step);
  Mark mark;
  mark.at = mark.until = at;
  mark.step = step + 1;
  mark.lane = source.peer() ? kPeer : OwnLane(script);
  if (source.has_arrive()) {
    SetPacket(script, source.arrive(), codec, &mark);
  } else if (source.has_decode()) {
    SetFrame(script, source.decode(), codec, &mark);
  } else if (source.has_encode()) {
    SetPacket(script, source.encode(), codec, &mark);
  } else {
    mark.text = Line(DescribeStimulus(source, k, at, false));
    return mark;
  }
  if (CountOf(source) > 1) absl::StrAppend(&mark.text, " (", k + 1, " of ", CountOf(source), ")");
  return mark;
}

Mark MarkOfExpectation(const Script& script, const Waiting& waiting, const PacketCodec* codec) {
  Mark mark;
  mark.kind = Mark::Kind::kExpected;
  mark.at = waiting.base() + (waiting.nothing ? 0 : waiting.after);
  mark.until = waiting.deadline();
  mark.step = waiting.step + 1;
  mark.lane = OwnLane(script);
  Expectation grown;
  const Expectation* expect = &script.Next(waiting, &grown);
  std::string suffix;
  if (expect->has_one_of() && expect->one_of().outcomes_size() > 0) {
    suffix = absl::StrCat(" (or another of ", expect->one_of().outcomes_size(), ")");
    expect = &expect->one_of().outcomes(0);
  }
  const bool decoded = script.vector().level() == vectors::CODEC;
  if (expect->has_packet()) {
    SetPacket(script, expect->packet(), codec, &mark);
  } else if (decoded && (expect->has_fields() || expect->has_includes())) {
    SetPacket(script, expect->has_fields() ? expect->fields() : expect->includes(), codec, &mark);
  } else {
    mark.text = Line(conformance::Describe(*expect));
    if (expect->has_completion() || expect->has_placement()) mark.lane = kHost;
  }
  if (script.vector().steps(waiting.step).peer()) mark.lane = kPeer;
  absl::StrAppend(&mark.text, suffix);
  return mark;
}

Mark MarkOfOutcome(const Script& script, int step, const Outcome& outcome,
                   const PacketCodec* codec) {
  Mark mark;
  mark.kind = Mark::Kind::kGot;
  mark.step = step + 1;
  mark.lane = OwnLane(script);
  if (outcome.event == nullptr) {
    mark.text = Line(conformance::Describe(outcome, codec));
    return mark;
  }
  mark.at = mark.until = outcome.event->at_ns();
  if (outcome.event->has_packet()) {
    SetFrame(script, outcome.event->packet().frame(), codec, &mark);
  } else if (outcome.event->has_fields() && script.vector().level() == vectors::CODEC) {
    SetPacket(script, FromDut(outcome.event->fields().field()), codec, &mark);
  } else {
    mark.text = Line(conformance::Describe(outcome, codec));
    if (!outcome.event->has_fields()) mark.lane = kHost;
  }
  return mark;
}

std::vector<Mark> MarksOf(const Script& script, const PacketCodec* codec) {
  std::vector<Mark> marks;
  uint64_t now = 0;
  int stimulus = -1;
  uint64_t stimulus_at = 0;
  for (int i = 0; i < script.vector().steps_size(); ++i) {
    const Step& step = script.vector().steps(i);
    if (vectors::IsStimulus(step)) {
      stimulus = i;
      stimulus_at = step.has_at() ? step.at() : now;
      const uint32_t count = CountOf(step);
      for (uint32_t k = 0; k < count && marks.size() < kMaxMarks; ++k) {
        marks.push_back(
            MarkOfStimulus(script, i, k, stimulus_at + k * step.repeat().every(), codec));
      }
      now = stimulus_at + (count - 1) * step.repeat().every();
      continue;
    }
    Waiting waiting = script.Wait(i, stimulus, stimulus_at);
    for (; waiting.next < waiting.count && marks.size() < kMaxMarks; ++waiting.next) {
      marks.push_back(MarkOfExpectation(script, waiting, codec));
    }
  }
  return marks;
}

}  // namespace metaroce::conformance
