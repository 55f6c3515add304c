// metaroce mutants: which vectors find each of a library's seeded defects.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/dut/library_dut.h"
#include "conformance/play/wire_codec.h"
#include "conformance/runner/replay.h"
#include "fuzz/mutants/library.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/suite.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

using conformance::VectorResult;
using conformance::Verdict;

struct Defect {
  std::string name;
  std::string clause;
  std::string bug;
};

int Complain(const Streams& streams, absl::string_view text) {
  streams.err << vectors::Printable(text) << "\n";
  return kBadInput;
}

// The library is only asked for its list here; devices are opened in processes that may die.
absl::StatusOr<std::vector<Defect>> ListOf(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = dlerror();
    return absl::NotFoundError(
        absl::StrCat("The library cannot be loaded: ", why == nullptr ? library : why));
  }
  const auto list =
      reinterpret_cast<decltype(&metaroce_mutants)>(dlsym(handle, "metaroce_mutants"));
  if (list == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        library, " has no function metaroce_mutants (fuzz/mutants/library.h): it has no defects."));
  }
  std::vector<Defect> defects;
  for (const absl::string_view line : absl::StrSplit(list(), '\n', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words.size() < 2 || words.size() > 3) {
      return absl::InvalidArgumentError(
          absl::StrCat(library, ": \"", vectors::Shorten(line, 80),
                       "\" in its list of defects is not a name, a clause and a kind of bug."));
    }
    defects.push_back({words[0], words[1], words.size() == 3 ? words[2] : ""});
  }
  return defects;
}

class Score {
 public:
  Score(const MutantsOptions& options, const vectors::Tree& tree) : tree_(tree) {
    library_ = options.library;
    workers_.jobs = static_cast<int>(
        options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency()));
    workers_.isolated = true;
    workers_.log_path = "/dev/null";
    workers_.answer_timeout = std::chrono::milliseconds(options.timeout_ms);
  }

  absl::StatusOr<std::vector<VectorResult>> Play(const std::string& name) const {
    const std::vector<std::string> command = {library_, name};
    const auto make = [command] { return std::make_unique<conformance::LibraryDut>(command); };
    auto report = conformance::Replay(tree_, vectors::SpecTables(), &codec_, make, workers_, {});
    if (!report.ok()) return report.status();
    return std::move(report->results);
  }

  // The line about a defect; counts it.
  std::string Judge(const Defect& defect, const std::vector<VectorResult>& results) {
    std::vector<std::string> found;
    std::vector<std::string> named;  // of these, by a vector that is about the clause
    for (const VectorResult& result : results) {
      if (result.verdict != Verdict::kFail && result.verdict != Verdict::kHarnessError) continue;
      found.push_back(result.id);
      const auto& clauses = result.clauses;
      if (std::find(clauses.begin(), clauses.end(), defect.clause) != clauses.end()) {
        named.push_back(result.id);
      }
    }
    ++all_;
    killed_ += named.empty() ? 0 : 1;
    seen_ += named.empty() && !found.empty() ? 1 : 0;
    const auto first = [](const std::vector<std::string>& ids) {
      return *std::min_element(ids.begin(), ids.end());
    };
    const std::string verdict = !named.empty()   ? absl::StrCat("killed by ", first(named))
                                : !found.empty() ? absl::StrCat("seen by ", first(found))
                                                 : "SURVIVED";
    return absl::StrCat(defect.name, " [", defect.clause, "]", defect.bug.empty() ? "" : " ",
                        defect.bug, ": ", verdict, " (", named.size(), " of ", found.size(), ")");
  }

  std::string Summary() const {
    const size_t permille = all_ == 0 ? 0 : 1000 * killed_ / all_;
    return absl::StrFormat("%d of %d killed (%d.%d %%), %d seen by others alone, %d survived",
                           killed_, all_, permille / 10, permille % 10, seen_,
                           all_ - killed_ - seen_);
  }

  bool all_killed() const { return killed_ == all_; }

 private:
  const vectors::Tree& tree_;
  const conformance::WirePacketCodec codec_;
  std::string library_;
  conformance::WorkerOptions workers_;
  size_t all_ = 0;
  size_t killed_ = 0;
  size_t seen_ = 0;
};

// Those that are asked for, in the order of the list; all if none is.
absl::StatusOr<std::vector<Defect>> Choose(const std::vector<std::string>& names,
                                           std::vector<Defect> defects) {
  for (const std::string& name : names) {
    if (std::none_of(defects.begin(), defects.end(),
                     [&](const Defect& defect) { return defect.name == name; })) {
      return absl::InvalidArgumentError(absl::StrCat("There is no defect ", name, "."));
    }
  }
  if (names.empty()) return defects;
  defects.erase(std::remove_if(defects.begin(), defects.end(),
                               [&](const Defect& defect) {
                                 return std::find(names.begin(), names.end(), defect.name) ==
                                        names.end();
                               }),
                defects.end());
  return defects;
}

}  // namespace

int Mutants(const MutantsOptions& options, const Streams& streams) {
  auto list = ListOf(options.library);
  if (!list.ok()) return Complain(streams, list.status().message());
  const auto defects = Choose(options.only, *std::move(list));
  if (!defects.ok()) return Complain(streams, defects.status().message());
  if (options.list) {
    for (const Defect& defect : *defects) {
      streams.out << defect.name << " [" << defect.clause << "] " << defect.bug << "\n";
    }
    return kOk;
  }
  const auto suite = LoadSuite(options.vectors, true);
  if (!suite.ok()) return Complain(streams, suite.status().message());
  if (!suite->differences.empty()) {
    return Complain(streams, absl::StrJoin(suite->differences, " "));
  }
  Score score(options, suite->tree);
  // What a device without a defect fails says nothing about the defects.
  const auto good = score.Play("none");
  if (!good.ok()) return Complain(streams, good.status().message());
  for (const VectorResult& result : *good) {
    if (result.verdict == Verdict::kPass) continue;
    return Complain(streams, absl::StrCat("The device without a defect does not pass ", result.id,
                                          ": ", conformance::Name(result.verdict), "."));
  }
  for (const Defect& defect : *defects) {
    const auto results = score.Play(defect.name);
    if (!results.ok()) return Complain(streams, results.status().message());
    streams.out << score.Judge(defect, *results) << std::endl;
  }
  streams.out << score.Summary() << "\n";
  return score.all_killed() ? kOk : kMismatch;
}

}  // namespace metaroce::cli
