// metaroce vector promote: a counter-example becomes a vector of the tree.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "conformance/check/check.h"
#include "conformance/check/trace.h"
#include "conformance/play/wire_codec.h"
#include "conformance/promote/from_capture.h"
#include "conformance/promote/retell.h"
#include "conformance/promote/shrink.h"
#include "conformance/runner/replay.h"
#include "spec/tables.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/device.h"
#include "tools/metaroce/input.h"
#include "tools/metaroce/selecting.h"
#include "vectors/bundle/retired.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

namespace fs = std::filesystem;

using conformance::VectorResult;
using conformance::Verdict;
using vectors::Quoted;
using vectors::Vector;

absl::Status Refuse(std::string sentence) {
  return absl::InvalidArgumentError(std::move(sentence));
}

// "1 step", "7 steps".
std::string Count(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

// The device that fails, and what of a vector it fails.
class Failing {
 public:
  Failing(const std::vector<std::string>& command, uint32_t timeout_ms)
      : make_(DeviceOf(command, timeout_ms, 0, "/dev/null", &workers_)) {}

  // Of each vector in turn, up to the first failure.
  absl::StatusOr<std::vector<VectorResult>> Play(const std::vector<const Vector*>& vectors) const {
    vectors::Tree tree;
    for (const Vector* vector : vectors) {
      tree.vectors.push_back({absl::StrFormat("%06d", tree.vectors.size()), "", *vector, {}});
    }
    conformance::ReplayOptions options;
    options.fail_fast = true;
    auto report =
        conformance::Replay(tree, vectors::SpecTables(), &codec_, make_, workers_, options);
    if (!report.ok()) return report.status();
    return std::move(report->results);
  }

  // The failure of a vector that stands for itself.
  absl::StatusOr<conformance::Divergence> Failure(const Vector& vector) const {
    const auto results = Play({&vector});
    if (!results.ok()) return results.status();
    const VectorResult& result = results->front();
    switch (result.verdict) {
      case Verdict::kFail:
        return result.divergence;
      case Verdict::kPass:
        return Refuse("The device passes the vector: there is nothing to make small.");
      default:
        return Refuse(absl::StrCat("The device does not play the vector: ",
                                   conformance::Name(result.verdict), ": ", result.text));
    }
  }

  // The first that fails by the clause.
  absl::StatusOr<std::optional<size_t>> First(const std::vector<const Vector*>& vectors,
                                              const std::string& clause) const {
    for (size_t begin = 0; begin < vectors.size();) {
      const auto results = Play({vectors.begin() + static_cast<ptrdiff_t>(begin), vectors.end()});
      if (!results.ok()) return results.status();
      for (size_t i = 0; i < results->size(); ++i) {
        const VectorResult& result = (*results)[i];
        if (result.verdict == Verdict::kFail && result.divergence.clause == clause) {
          return begin + i;
        }
      }
      if (results->empty()) break;
      begin += results->size();
    }
    return std::nullopt;
  }

 private:
  const conformance::WirePacketCodec codec_;
  conformance::WorkerOptions workers_;
  const conformance::MakeDut make_;
};

class Promotion {
 public:
  Promotion(const PromoteOptions& options, const Streams& streams)
      : options_(options), streams_(streams) {}

  absl::Status Run() {
    absl::Status status = CheckName();
    if (status.ok()) {
      status = absl::EndsWith(options_.file, ".json") ? TakeVector() : TakeCapture();
    }
    if (status.ok()) status = Name();
    if (status.ok() && !options_.dut.empty()) status = MakeSmall();
    if (status.ok()) status = Write();
    return status;
  }

 private:
  // The tree may have the vector.
  absl::Status CheckName() {
    // A folder that is not there is made, as by `vector new`.
    std::error_code error;
    const bool there = fs::exists(options_.vectors, error);
    const auto tree = there ? vectors::LoadTree(options_.vectors, vectors::SpecTables())
                            : absl::StatusOr<vectors::Tree>(vectors::Tree());
    if (!tree.ok()) return tree.status();
    for (const vectors::StoredVector& stored : tree->vectors) {
      if (stored.vector.id() != options_.id) continue;
      return Refuse(absl::StrCat("--id ", Quoted(options_.id), " is the id of ", stored.path,
                                 " below ", options_.vectors, "; every vector has its own."));
    }
    const auto retired = vectors::LoadRetired(options_.vectors);
    if (!retired.ok()) return retired.status();
    for (const vectors::Retired& entry : retired->retired()) {
      if (entry.id() != options_.id) continue;
      return Refuse(absl::StrCat("--id ", Quoted(options_.id), " is retired since ",
                                 entry.version(), ": ", entry.reason(),
                                 " No vector has it again (CONF-VECTOR-RETIRED)."));
    }
    if (options_.group.empty() ||
        options_.group.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") !=
            std::string::npos) {
      return Refuse(absl::StrCat("--group ", Quoted(options_.group),
                                 " is no folder's name of a-z, 0-9 and -."));
    }
    return absl::OkStatus();
  }

  absl::Status TakeVector() {
    if (!options_.side.empty() || !options_.profile.empty() ||
        options_.port != spec::constant::kUdpPort) {
      return Refuse("--side, --profile and --port are for a capture; this is a vector.");
    }
    auto vector = vectors::LoadVectorFile(options_.file);
    if (!vector.ok()) return vector.status();
    vector_ = *std::move(vector);
    return absl::OkStatus();
  }

  absl::Status TakeCapture() {
    if (!options_.side.empty() && options_.side != "a" && options_.side != "b") {
      return Refuse(absl::StrCat("--side ", Quoted(options_.side), " is neither a nor b."));
    }
    const auto file = ReadInput(options_.file);
    if (!file.ok()) return file.status();
    const auto in_file = [&](const absl::Status& status) {
      return absl::Status(status.code(), absl::StrCat(options_.file, ": ", status.message()));
    };
    const packet::Bytes bytes(reinterpret_cast<const uint8_t*>(file->data()), file->size());
    const auto trace = check::ReadTrace(bytes, options_.port);
    if (!trace.ok()) return in_file(trace.status());
    check::Profiles profiles;
    absl::Status status = check::ReadProfile(trace->profile, &profiles);
    if (!status.ok()) return in_file(status);
    if (!options_.profile.empty()) {
      const auto lines = ReadInput(options_.profile);
      if (!lines.ok()) return lines.status();
      status = check::ReadProfile(*lines, &profiles);
      if (!status.ok())
        return absl::Status(status.code(), absl::StrCat(options_.profile, ": ", status.message()));
    }
    const auto result = check::Check(*trace, profiles);
    if (!result.ok()) return in_file(result.status());
    if (!result->verdict && options_.side.empty()) {
      return Refuse(absl::StrCat(options_.file,
                                 ": the capture is explained, so no side is at fault; --side says "
                                 "which one is the device."));
    }
    if (!result->verdict && options_.clauses.empty()) {
      return Refuse(absl::StrCat(options_.file,
                                 ": the capture is explained, so no verdict names a clause; "
                                 "--clause says what the vector is about."));
    }
    const char side = !options_.side.empty()       ? options_.side[0]
                      : result->verdict->side == 0 ? 'a'
                                                   : 'b';
    auto made = promote::VectorOf(*trace, profiles, *result, side, vectors::SpecTables(), codec_);
    if (!made.ok()) return in_file(made.status());
    vector_ = std::move(made->vector);
    made_ = std::move(made->made);
    if (result->verdict) {
      vector_.add_clauses(std::string(spec::Info(result->verdict->clause).id));
      told_ += check::ToText(*result);
    }
    if (!made->differs.empty()) told_ += absl::StrCat(made->differs, "\n");
    return absl::OkStatus();
  }

  template <typename List>
  static void Put(const std::vector<std::string>& from, List* to) {
    if (!from.empty()) to->Assign(from.begin(), from.end());
  }

  // What a person says of it, and whether it can stand like that.
  absl::Status Name() {
    before_ = vector_.steps_size();
    vector_.set_id(options_.id);
    if (!options_.title.empty()) vector_.set_title(options_.title);
    if (!options_.clauses.empty() && options_.negative.empty()) vector_.clear_negative();
    Put(options_.clauses, vector_.mutable_clauses());
    Put(options_.negative, vector_.mutable_negative());
    Put(options_.flags, vector_.mutable_flags());
    vector_.mutable_provenance()->set_kind(vectors::SHRINK);
    vector_.mutable_provenance()->set_note(Note());
    const std::string fault = promote::FaultOf(vector_, vectors::SpecTables(), codec_);
    return fault.empty() ? absl::OkStatus() : Refuse(fault);
  }

  std::string Note() const {
    return absl::StrCat(options_.note, "; promoted from ",
                        fs::path(options_.file).filename().string(),
                        before_ == vector_.steps_size()
                            ? ""
                            : absl::StrCat(", ", vector_.steps_size(), " of ", before_, " steps"));
  }

  absl::Status MakeSmall() {
    const std::vector<std::string> command = SplitCommand(options_.dut);
    if (command.empty()) return Refuse("--dut: the command is empty or a quote is left open.");
    const Failing device(command, options_.timeout_ms);
    const auto failure = device.Failure(vector_);
    if (!failure.ok()) return failure.status();
    absl::StrAppend(&told_, "The device fails step ", failure->step, "  [", failure->clause, " ",
                    failure->level, "]\n  expected  ", failure->expected, "\n  got       ",
                    failure->got, "\n");
    const std::string clause = failure->clause;
    auto shrunk = promote::Shrink(
        vector_, made_, failure->step - 1,
        [&](const std::vector<const Vector*>& vectors) { return device.First(vectors, clause); },
        vectors::SpecTables(), codec_);
    if (!shrunk.ok()) return shrunk.status();
    vector_ = std::move(shrunk->vector);
    made_ = std::move(shrunk->made);
    absl::StrAppend(&told_, Count(before_, "step"), " before, ", vector_.steps_size(), " after (",
                    Count(shrunk->attempts, "vector"), " tried)\n");
    if (options_.clauses.empty()) NameClauses(clause);
    vector_.mutable_provenance()->set_note(Note());
    const std::string fault = promote::FaultOf(vector_, vectors::SpecTables(), codec_);
    return fault.empty() ? absl::OkStatus() : Refuse(fault);
  }

  // A vector that lost most of its steps shows no longer all that it was about: the clause by which
  // the device fails is left, and those that steps name.
  void NameClauses(const std::string& failing) {
    if (absl::StartsWith(failing, "CONF-")) return;  // the device died, or broke the contract
    std::vector<std::string> clauses = {failing};
    for (vectors::Step& step : *vector_.mutable_steps()) {
      if (!step.has_expect()) continue;
      // A step without a clause tests the first.
      if (step.clause().empty() && vector_.clauses(0) != failing)
        step.set_clause(vector_.clauses(0));
      if (step.clause() == failing) step.clear_clause();
      if (!step.clause().empty() &&
          std::find(clauses.begin(), clauses.end(), step.clause()) == clauses.end()) {
        clauses.push_back(step.clause());
      }
    }
    std::vector<std::string> negative;
    for (const std::string& name : vector_.negative()) {
      if (std::find(clauses.begin(), clauses.end(), name) != clauses.end())
        negative.push_back(name);
    }
    vector_.mutable_negative()->Assign(negative.begin(), negative.end());
    vector_.mutable_clauses()->Assign(clauses.begin(), clauses.end());
  }

  absl::Status Write() {
    const fs::path usual = vectors::DefaultPath(vector_);
    const fs::path path = fs::path(options_.vectors) /
                          (vector_.level() == vectors::BLOCK
                               ? usual
                               : usual.parent_path() / options_.group / usual.filename());
    std::error_code error;
    if (fs::exists(path, error)) return Refuse(absl::StrCat(path.string(), " is there already."));
    fs::create_directories(path.parent_path(), error);
    const absl::Status written = vectors::WriteFile(path.string(), vectors::WriteVector(vector_));
    if (!written.ok()) return written;
    streams_.out << told_ << path.string()
                 << " is written: " << Count(static_cast<size_t>(vector_.steps_size()), "step")
                 << ", and the model passes them. What remains:\n";
    if (!made_.empty()) {
      streams_.out << "  hold against the text the " << Count(made_.size(), "expectation")
                   << " that the model made:\n";
    } else {
      streams_.out << "  look at it:\n";
    }
    const bool published = options_.vectors == PromoteOptions().vectors;
    streams_.out << "    metaroce vector show " << path.string() << "\n";
    if (published)
      streams_.out << "  put it into the MANIFEST, and commit both:\n    metaroce gen\n";
    streams_.out << "  play it to your device:\n    metaroce replay";
    if (!published) streams_.out << " --vectors " << options_.vectors << " --allow-changed";
    streams_.out << " --only " << vector_.id() << " --dut ...\n";
    return absl::OkStatus();
  }

  const PromoteOptions& options_;
  const Streams& streams_;
  const conformance::WirePacketCodec codec_;
  Vector vector_;
  int before_ = 0;      // steps
  std::set<int> made_;  // indices of the steps whose expectations are the model's
  std::string told_;    // lines for the user
};

}  // namespace

int VectorPromote(const PromoteOptions& options, const Streams& streams) {
  const absl::Status status = Promotion(options, streams).Run();
  if (status.ok()) return kOk;
  streams.err << vectors::Printable(status.message()) << "\n";
  return status.code() == absl::StatusCode::kUnimplemented ? kUnsupported : kBadInput;
}

}  // namespace metaroce::cli
