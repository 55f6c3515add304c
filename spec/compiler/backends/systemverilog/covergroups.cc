#include "spec/compiler/backends/systemverilog/covergroups.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "spec/compiler/backends/support/support.h"
#include "spec/compiler/names.h"

namespace metaroce::compiler {
namespace {

class Writer {
 public:
  explicit Writer(const Spec& spec) : spec_(spec) {}

  absl::StatusOr<std::string> Write() {
    out_ =
        "// Generated from the text of the MetaRoCE specification. Do not edit.\n"
        "package metaroce_coverage_pkg;\n"
        "  import metaroce_spec_pkg::*;\n\n";
    for (const Machine& machine : spec_.data().machine()) WriteMachine(machine);
    for (const Choice& choice : spec_.data().choice()) WriteChoice(choice);
    absl::StrAppend(&out_, "endpackage\n");
    if (!status_.ok()) return status_;
    return std::move(out_);
  }

 private:
  void Name(const std::string& identifier, const std::string& item) {
    if (status_.ok()) status_ = names_.Add(identifier, item);
  }

  void Comment(absl::string_view text, absl::string_view indent) {
    absl::StrAppend(&out_, indent, "// ", CommentText(text), "\n");
  }

  void WriteCell(const std::string& stem, const std::string& state, const std::string& event,
                 const Transition& cell) {
    const bool impossible = !cell.impossible().empty();
    const std::string what = impossible ? absl::StrCat("cannot come: ", cell.impossible())
                             : !cell.ignored().empty() ? absl::StrCat("counted by ", cell.ignored())
                             : cell.next().empty()     ? "stays"
                                                       : absl::StrCat("to ", cell.next());
    absl::StrAppend(&out_, "      ", impossible ? "illegal_bins" : "bins", " ",
                    absl::AsciiStrToLower(state), "__", absl::AsciiStrToLower(event),
                    " = binsof(state_before) intersect {", stem, "_STATE_", state,
                    "} && binsof(event_seen) intersect {", stem, "_EVENT_", event, "};  // ",
                    cell.clause().empty() ? "" : absl::StrCat("[", cell.clause(), "] "),
                    CommentText(what), "\n");
  }

  void WriteMachine(const Machine& machine) {
    const std::string stem = ShoutCase(machine.name());
    Name(absl::StrCat(machine.name(), "_cg"), absl::StrCat("the machine ", machine.name()));
    Comment(absl::StrCat("The machine ", machine.name(), " [", machine.clause(),
                         "]: sample it with the state in which an event finds it, and the event."),
            "  ");
    absl::StrAppend(&out_, "  covergroup ", machine.name(), "_cg with function sample(",
                    machine.name(), "_state_e in_state, ", machine.name(),
                    "_event_e event_of);\n"
                    "    option.per_instance = 1;\n"
                    "    state_before: coverpoint in_state;\n"
                    "    event_seen: coverpoint event_of;\n"
                    "    cells: cross state_before, event_seen {\n");
    for (const Transition& cell : machine.on()) {
      for (const std::string& state : cell.state()) {
        for (const std::string& event : cell.event()) WriteCell(stem, state, event, cell);
      }
    }
    absl::StrAppend(&out_, "    }\n  endgroup\n\n");
  }

  void WriteChoice(const Choice& choice) {
    const std::string name =
        absl::StrCat("choice_", absl::StrReplaceAll(choice.name(), {{"-", "_"}}));
    Name(absl::StrCat(name, "_cg"), absl::StrCat("the choice ", choice.name()));
    Comment(absl::StrCat("The choice ", choice.name(), " [", choice.clause(), "], which ",
                         choice.determined_by(), " shows."),
            "  ");
    if (choice.has_names()) {
      WriteNames(name, choice);
    } else {
      WriteRange(name, choice);
    }
  }

  void WriteNames(const std::string& name, const Choice& choice) {
    const std::string type = absl::StrCat(name, "_e");
    Name(type, absl::StrCat("the names of the choice ", choice.name()));
    absl::StrAppend(&out_, "  typedef enum int {");
    std::string bins;
    for (int i = 0; i < choice.names().name_size(); ++i) {
      const std::string& word = choice.names().name(i);
      const std::string value = absl::StrCat(ShoutCase(name), "_", ShoutCase(word));
      Name(value, absl::StrCat(word, " of the choice ", choice.name()));
      absl::StrAppend(&out_, i == 0 ? "" : ", ", value);
      absl::StrAppend(&bins, "      bins ", absl::StrReplaceAll(word, {{"-", "_"}}), "_ = {", value,
                      "};", word == choice.default_() ? "  // the default" : "", "\n");
    }
    absl::StrAppend(&out_, "} ", type, ";\n  covergroup ", name, "_cg with function sample(", type,
                    " taken);\n    option.per_instance = 1;\n    values: coverpoint taken {\n",
                    bins, "    }\n  endgroup\n\n");
  }

  // Where in its range a value lies is what a bench can have missed; the greatest one often depends
  // on state.
  void WriteRange(const std::string& name, const Choice& choice) {
    const Range& range = choice.range();
    const std::string least = absl::StrCat("64'd", range.min());
    std::string upper = "whatever the state allows";
    if (range.upper_case() == Range::kMax) upper = absl::StrCat(range.max());
    if (range.upper_case() == Range::kMaxProfile) {
      upper = absl::StrCat("PROFILE_", ShoutCase(range.max_profile()), " or the device's own");
    }
    if (range.upper_case() == Range::kMaxConstant) {
      upper = absl::StrCat("CONST_", ShoutCase(range.max_constant()));
    }
    if (range.upper_case() == Range::kMaxExpression) upper = range.max_expression();
    Comment(absl::StrCat("From ", range.min(), " to ", upper, "; the default is ",
                         choice.default_(), "."),
            "  ");
    absl::StrAppend(
        &out_, "  covergroup ", name,
        "_cg with function sample(longint unsigned taken, longint unsigned greatest);\n"
        "    option.per_instance = 1;\n"
        "    is_default: coverpoint (taken == 64'd",
        choice.default_(),
        ") {\n      bins yes = {1};\n      bins no = {0};\n    }\n"
        "    place: coverpoint (",
        range.min() == 0 ? "" : absl::StrCat("taken < ", least, " || "),
        "taken > greatest ? 3 : taken == ", least,
        " ? 0 : taken == greatest ? 1 : 2) {\n"
        "      bins least = {0};\n      bins greatest_ = {1};\n      bins between = {2};\n"
        "      illegal_bins outside = {3};\n    }\n  endgroup\n\n");
  }

  const Spec& spec_;
  std::string out_;
  Identifiers names_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::string> GenerateCovergroups(const Spec& spec) {
  if (auto s = CheckSpec(spec); !s.ok()) return s;
  return Writer(spec).Write();
}

}  // namespace metaroce::compiler
