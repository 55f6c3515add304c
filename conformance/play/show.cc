#include "conformance/play/show.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/play/compare.h"
#include "conformance/play/script.h"
#include "conformance/play/stimulus.h"
#include "conformance/play/timeline.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;
using vectors::Fields;
using vectors::Packet;
using vectors::Step;

constexpr size_t kColumns = 100;
constexpr size_t kLabel = 14;   // of the head
constexpr size_t kIndent = 31;  // of what belongs to a step
constexpr size_t kBytesOfLine = 16;
constexpr size_t kWhole = size_t{1} << 20;  // longer than any line

// The words joined by blanks, in lines behind `first`; the later ones are indented.
std::string Wrap(const std::string& first, size_t indent, const std::vector<std::string>& words) {
  std::string out = first;
  size_t column = first.size();
  bool begins = true;
  for (const std::string& word : words) {
    if (!begins && column + 1 + word.size() > kColumns) {
      absl::StrAppend(&out, "\n", std::string(indent, ' '));
      column = indent;
      begins = true;
    }
    absl::StrAppend(&out, begins ? "" : " ", word);
    column += word.size() + (begins ? 0 : 1);
    begins = false;
  }
  return absl::StrCat(out, "\n");
}

std::vector<std::string> Words(const Fields& fields) {
  std::vector<std::string> words;
  for (const vectors::Field& field : fields.field()) {
    words.push_back(absl::StrCat(
        Show(field), words.size() + 1 < static_cast<size_t>(fields.field_size()) ? "," : ""));
  }
  return words;
}

template <typename Names>
std::vector<std::string> NameWords(const Names& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) {
    words.push_back(
        absl::StrCat(name, words.size() + 1 < static_cast<size_t>(names.size()) ? "," : ""));
  }
  return words;
}

template <typename Predicates>
std::vector<std::string> PredicateWords(const Predicates& predicates) {
  std::vector<std::string> words;
  for (const vectors::Predicate& predicate : predicates) {
    words.push_back(absl::StrCat(predicate.parameter(), " ", predicate.relation(), " ",
                                 predicate.value(),
                                 words.size() + 1 < size_t(predicates.size()) ? "," : ""));
  }
  return words;
}

std::string HeadLine(absl::string_view label, const std::vector<std::string>& words) {
  if (words.empty()) return "";
  return Wrap(absl::StrFormat("%-*s", static_cast<int>(kLabel), label), kLabel, words);
}

// "2.", "drop to the peer", "opcode 1,", "the first 3".
std::vector<std::string> FaultWords(int number, const vectors::PathFault& fault) {
  std::vector<std::string> words = {absl::StrCat(number, "."), fault.does(),
                                    fault.toward() == "dut" ? "to the DUT" : "to the peer"};
  const auto add = [&](bool there, absl::string_view what, uint64_t value, absl::string_view unit) {
    if (there) words.push_back(absl::StrCat(what, " ", value, unit));
  };
  add(fault.has_plane(), "plane", fault.plane(), "");
  add(fault.has_entropy(), "entropy", fault.entropy(), "");
  add(fault.has_opcode(), "opcode", fault.opcode(), "");
  add(fault.has_path(), "path", fault.path(), "");
  add(fault.from() > 0, "from", fault.from(), " ns");
  add(fault.has_until(), "until", fault.until(), " ns");
  add(fault.has_first(), "first", fault.first(), "");
  add(fault.has_count(), "count", fault.count(), "");
  add(fault.by() > 0, "by", fault.by(), " ns");
  add(fault.does() == "corrupt", "byte", fault.byte(), "");
  if (!fault.note().empty()) {
    words.push_back(absl::StrCat("(", vectors::Printable(fault.note()), ")"));
  }
  return words;
}

// The peer and the path.
std::string SystemLines(const vectors::System& system) {
  std::string out = HeadLine("peer", Words(system.peer()));
  for (int i = 0; i < system.delays_size(); ++i) {
    const vectors::Delay& delay = system.delays(i);
    absl::StrAppend(&out, HeadLine(absl::StrCat("plane ", i),
                                   {absl::StrCat(delay.to_peer(), " ns to the peer,"),
                                    absl::StrCat(delay.to_dut(), " ns to the DUT")}));
  }
  for (int i = 0; i < system.faults_size(); ++i) {
    absl::StrAppend(&out, HeadLine(i == 0 ? "faults" : "", FaultWords(i + 1, system.faults(i))));
  }
  return out;
}

std::string FieldLines(const Fields& fields) {
  if (fields.field_size() == 0) return "";
  return Wrap(std::string(kIndent, ' '), kIndent, Words(fields));
}

std::string ByteLines(absl::string_view bytes) {
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += kBytesOfLine) {
    absl::StrAppendFormat(&out, "%*s%04x ", static_cast<int>(kIndent), "", at);
    for (const char byte : bytes.substr(at, kBytesOfLine)) {
      absl::StrAppendFormat(&out, " %02x", static_cast<uint8_t>(byte));
    }
    absl::StrAppend(&out, "\n");
  }
  return out;
}

// Lines that say more than the line of the mark does already.
std::string Unsaid(const Fields& fields, const Mark& mark) {
  return absl::StrContains(mark.text, Show(fields, kWhole)) ? "" : FieldLines(fields);
}

std::string FrameLines(absl::string_view frame, const Mark& mark, const PacketCodec* codec) {
  std::string out;
  if (codec != nullptr) {
    const absl::StatusOr<Fields> fields = codec->Decode(frame);
    if (fields.ok()) out = Unsaid(*fields, mark);
  }
  return absl::StrCat(out, ByteLines(frame));
}

// The fields that are given, and the bytes that they become.
std::string GivenLines(const Fields& fields, const Mark& mark, const PacketCodec* codec) {
  std::string out = Unsaid(fields, mark);
  if (codec == nullptr) return out;
  const absl::StatusOr<std::string> frame = codec->Encode(fields);
  return frame.ok() ? absl::StrCat(out, ByteLines(*frame)) : out;
}

std::string ExpectationLines(const Expectation& expect, const Mark& mark,
                             const PacketCodec* codec) {
  switch (expect.kind_case()) {
    case Expectation::kFields:
      return Unsaid(expect.fields(), mark);
    case Expectation::kIncludes:
      return Unsaid(expect.includes(), mark);
    case Expectation::kCompletion:
      return Unsaid(expect.completion(), mark);
    case Expectation::kPlacement:
      return ByteLines(expect.placement().data());
    case Expectation::kMemory:
      return ByteLines(expect.memory().data());
    case Expectation::kPacket:
      if (expect.packet().has_frame()) return FrameLines(expect.packet().frame(), mark, codec);
      return Unsaid(
          expect.packet().has_fields() ? expect.packet().fields() : expect.packet().includes(),
          mark);
    case Expectation::kOneOf: {
      std::string out;
      for (const Expectation& outcome : expect.one_of().outcomes()) {
        absl::StrAppend(&out, std::string(kIndent, ' '), "or\n",
                        ExpectationLines(outcome, mark, codec));
      }
      return out;
    }
    default:
      return "";
  }
}

std::string StepLines(const Step& step, const Mark& mark, const PacketCodec* codec) {
  std::string out;
  const std::string note = vectors::Printable(step.note());
  if (!absl::StrContains(mark.text, note)) {
    absl::StrAppend(&out, std::string(kIndent, ' '), "note: ", note, "\n");
  }
  switch (step.what_case()) {
    case Step::kDecode:
      return absl::StrCat(out, FrameLines(step.decode(), mark, codec));
    case Step::kEncode:
      return absl::StrCat(out, GivenLines(step.encode(), mark, codec));
    case Step::kApply:
      return absl::StrCat(out, Unsaid(step.apply(), mark));
    case Step::kPost:
      return absl::StrCat(out, Unsaid(step.post(), mark));
    case Step::kArrive:
      return absl::StrCat(out, step.arrive().has_frame()
                                   ? FrameLines(step.arrive().frame(), mark, codec)
                                   : GivenLines(step.arrive().fields(), mark, codec));
    case Step::kExpect:
      return absl::StrCat(out, ExpectationLines(step.expect(), mark, codec));
    default:
      return out;
  }
}

std::string MarkLine(const Mark& mark, bool timed, size_t lane) {
  const bool given = mark.kind == Mark::Kind::kStimulus;
  const std::string bounds =
      given || mark.until == mark.at ? "" : absl::StrCat(", by ", mark.until);
  const std::string time = timed ? absl::StrCat(mark.at) : "";
  return absl::StrFormat("%12s %5d  %-*s  %s%s%s\n", time, mark.step, static_cast<int>(lane),
                         mark.lane, given ? "> " : "< ", mark.text, bounds);
}

}  // namespace

std::string ShowVector(const vectors::Vector& vector, const vectors::SpecIndex& index,
                       const PacketCodec* codec) {
  const DutInfo plain;
  const Script script(vector, plain, index);
  const std::vector<Mark> marks = MarksOf(script, codec);
  size_t lane = 6;  // columns
  for (const Mark& mark : marks) lane = std::max(lane, mark.lane.size());
  std::string out = absl::StrCat(
      vector.id(), "  ", absl::AsciiStrToLower(vectors::Level_Name(vector.level())),
      vector.block().empty() ? "" : absl::StrCat(" ", vector.block()), "\n", vector.title(), "\n\n",
      HeadLine("clauses", NameWords(vector.clauses())),
      HeadLine("capabilities", NameWords(vector.capabilities())),
      HeadLine("profile", PredicateWords(vector.profile())),
      HeadLine("flags", NameWords(vector.flags())), HeadLine("ignored", NameWords(vector.ignore())),
      HeadLine("configuration", Words(vector.config())), SystemLines(vector.system()),
      absl::StrFormat("\n%12s %5s  %-*s  %s\n", script.timed() ? "ns" : "", "step",
                      static_cast<int>(lane), "lane", "> given, < expected"));
  int shown = 0;
  for (const Mark& mark : marks) {
    absl::StrAppend(&out, MarkLine(mark, script.timed(), lane));
    if (mark.step == shown) continue;  // the next of a burst
    shown = mark.step;
    absl::StrAppend(&out, StepLines(vector.steps(mark.step - 1), mark, codec));
  }
  if (marks.size() >= kMaxMarks) absl::StrAppend(&out, "(the first ", kMaxMarks, " are shown)\n");
  return out;
}

}  // namespace metaroce::conformance
