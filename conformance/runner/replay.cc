#include "conformance/runner/replay.h"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/runner/session.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::StoredVector;
using vectors::Tree;

absl::Status CheckOptions(const Tree& tree, const vectors::SpecIndex& index,
                          const ReplayOptions& options) {
  if (!IsDay(options.today)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", options.today, "\" is no day written as YYYY-MM-DD."));
  }
  absl::Status status = CheckSelection(options.selection, tree, AllSuites());
  if (!status.ok()) return status;
  std::set<std::string> ids;
  for (const StoredVector& stored : tree.vectors) ids.insert(stored.vector.id());
  for (const vectors::Unreadable& file : tree.unreadable) ids.insert(Stem(file.path));
  return CheckWaivers(options.waivers, ids, index);
}

// Turns what was played into the verdict that counts, by the waivers.
void ApplyWaivers(const ReplayOptions& options, VectorResult& result) {
  const bool failed = result.verdict == Verdict::kFail;
  if (!failed && result.verdict != Verdict::kPass) return;
  for (const Waiver& waiver : options.waivers) {
    if (waiver.vector != result.id) continue;
    if (!failed) {
      result.verdict = Verdict::kUnexpectedPass;
      result.waiver = waiver;
    } else if (waiver.clause != result.divergence.clause) {
      if (result.text.empty()) {
        result.text = absl::StrCat("its waiver is for ", vectors::Printable(waiver.clause));
      }
    } else if (IsExpired(waiver, options.today)) {
      result.text = absl::StrCat("its waiver expired on ", waiver.expires);
      return;
    } else {
      result.verdict = Verdict::kWaived;
      result.waiver = waiver;
      result.text.clear();
      return;
    }
  }
}

VectorResult Blank(const StoredVector& stored) {
  VectorResult result;
  result.id = stored.vector.id();
  result.path = stored.path;
  result.level = LevelName(stored.vector.level());
  result.title = stored.vector.title();
  result.clauses = {stored.vector.clauses().begin(), stored.vector.clauses().end()};
  result.suites = SuitesOf(AllSuites(), stored.vector);
  return result;
}

VectorResult Unread(const vectors::Unreadable& file) {
  VectorResult result;
  result.id = vectors::Printable(Stem(file.path));
  result.path = file.path;
  result.level = file.path.substr(0, file.path.find('/'));
  result.verdict = Verdict::kHarnessError;
  result.text = vectors::Printable(file.sentence);
  return result;
}

bool Fails(const VectorResult& result) {
  return result.verdict == Verdict::kFail || result.verdict == Verdict::kUnexpectedPass ||
         result.verdict == Verdict::kHarnessError;
}

// Puts what a session tells, in any order, into a report.
class Collector : public SessionSink {
 public:
  Collector(const Selected& selected, const vectors::SpecIndex& index, const ReplayOptions& options)
      : selected_(selected), index_(index), options_(options), results_(selected.vectors.size()) {
    report_.spec_version = index.version();
    report_.spec_hash = index.hash();
    report_.run.selected = selected.vectors.size() + selected.unreadable.size();
    const Shard& shard = options.selection.shard;
    if (shard.count > 1) report_.run.shard = absl::StrCat(shard.index, "/", shard.count);
    began_ = std::chrono::steady_clock::now();
  }

  void Connected(const DutInfo& info) override {
    report_.dut = info;
    if (info.spec_hash == index_.hash()) return;
    report_.notes.push_back(absl::StrCat(
        "The DUT was built from ",
        info.spec_hash.empty() ? "a text it does not name"
                               : absl::StrCat("the text ", info.spec_hash.substr(0, 12)),
        ", the vectors from the text ", index_.hash().substr(0, 12), "."));
  }

  void Played(size_t number, const VectorResult& played) override {
    VectorResult result = Blank(*selected_.vectors[number]);
    result.verdict = played.verdict;
    result.divergence = played.divergence;
    result.text = played.text;
    result.nanoseconds = played.nanoseconds;
    for (const std::string& clause : result.clauses) NoteLevel(clause);
    if (!result.divergence.clause.empty()) NoteLevel(result.divergence.clause);
    ApplyWaivers(options_, result);
    const bool is_new = !results_[number].has_value();
    if (!is_new && result.nanoseconds == 0) result.nanoseconds = results_[number]->nanoseconds;
    results_[number] = std::move(result);
    if (is_new && options_.progress) {
      options_.progress(++played_, results_.size(), results_[number]->id);
    }
  }

  void Problem(const std::string& sentence) override { report_.problems.push_back(sentence); }

  // True if the run stops at that vector.
  bool Stops(size_t number) const {
    return options_.fail_fast && results_[number].has_value() && Fails(*results_[number]);
  }

  // Numbers from `end` on do not count.
  Report Take(size_t end, bool interrupted) {
    for (const vectors::Unreadable* file : selected_.unreadable) {
      report_.results.push_back(Unread(*file));
    }
    for (size_t i = 0; i < results_.size() && i < end; ++i) {
      if (results_[i].has_value()) report_.results.push_back(*std::move(results_[i]));
    }
    NoteExpired();
    report_.run.interrupted = interrupted;
    report_.run.failed_fast = !interrupted && end < results_.size();
    if (interrupted) {
      report_.problems.push_back(absl::StrCat("The run was interrupted: ", report_.results.size(),
                                              " of ", report_.run.selected,
                                              " vectors were played."));
    } else if (report_.run.failed_fast) {
      report_.notes.push_back(
          absl::StrCat("The run was stopped at the first failure: ", report_.results.size(), " of ",
                       report_.run.selected, " vectors were played."));
    }
    report_.run.running_ns = static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - began_).count());
    return std::move(report_);
  }

 private:
  // Expired waivers of vectors of this run that are neither the reason of a failure nor of a pass
  // that is unexpected: nothing else would say that they are over.
  void NoteExpired() {
    for (const Waiver& waiver : options_.waivers) {
      if (!IsExpired(waiver, options_.today)) continue;
      for (const VectorResult& result : report_.results) {
        if (result.id != waiver.vector || result.verdict == Verdict::kUnexpectedPass) continue;
        if (result.verdict == Verdict::kFail && result.divergence.clause == waiver.clause) continue;
        report_.notes.push_back(absl::StrCat("The waiver of ", vectors::Printable(waiver.vector),
                                             " at ", waiver.clause, " expired on ", waiver.expires,
                                             "; the vector is ", Name(result.verdict), "."));
      }
    }
  }

  void NoteLevel(const std::string& clause) {
    if (report_.clause_levels.count(clause) > 0) return;
    report_.clause_levels[clause] = index_.ClauseLevel(clause).value_or("");
  }

  const Selected& selected_;
  const vectors::SpecIndex& index_;
  const ReplayOptions& options_;
  std::vector<std::optional<VectorResult>> results_;
  size_t played_ = 0;
  Report report_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace

absl::StatusOr<Report> Replay(const Tree& tree, const vectors::SpecIndex& index,
                              const PacketCodec* codec, Dut& dut, const ReplayOptions& options) {
  absl::Status status = CheckOptions(tree, index, options);
  if (!status.ok()) return status;
  const Selected selected = Select(options.selection, tree, AllSuites());
  Collector collector(selected, index, options);
  Session session(index, codec, dut, collector);
  status = session.Connect();
  if (!status.ok()) return status;
  size_t end = selected.vectors.size();
  for (size_t i = 0; i < end; ++i) {
    session.PlayOne(*selected.vectors[i], i);
    if (i > 0 && collector.Stops(i - 1)) {
      end = i;  // what came before was found out only now
    } else if (collector.Stops(i)) {
      end = i + 1;
    }
  }
  session.End();
  return collector.Take(end, false);
}

absl::StatusOr<Report> Replay(const Tree& tree, const vectors::SpecIndex& index,
                              const PacketCodec* codec, const MakeDut& make,
                              const WorkerOptions& workers, const ReplayOptions& options) {
  const absl::Status status = CheckOptions(tree, index, options);
  if (!status.ok()) return status;
  const Selected selected = Select(options.selection, tree, AllSuites());
  Collector collector(selected, index, options);
  WorkerOptions own = workers;
  own.stops = [&](size_t number, const VectorResult&) { return collector.Stops(number); };
  const WorkersEnd end = RunWorkers(selected.vectors, index, codec, make, own, collector);
  if (!end.status.ok()) return end.status;
  Report report = collector.Take(end.played_below, end.interrupted);
  report.run.jobs = workers.jobs;
  return report;
}

}  // namespace metaroce::conformance
