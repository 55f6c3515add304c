#include "conformance/runner/replay.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/runner/session.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::StoredVector;
using vectors::Tree;

// "codec/deep/id.json" -> "id".
std::string Stem(absl::string_view path) {
  const size_t slash = path.rfind('/');
  absl::string_view name = slash == absl::string_view::npos ? path : path.substr(slash + 1);
  return std::string(name.substr(0, name.rfind(".json")));
}

std::string LevelName(vectors::Level level) {
  return absl::AsciiStrToLower(vectors::Level_Name(level));
}

bool Selects(const std::string& pattern, absl::string_view id) {
  if (!absl::EndsWith(pattern, "*")) return id == pattern;
  return absl::StartsWith(id, pattern.substr(0, pattern.size() - 1));
}

class Selection {
 public:
  explicit Selection(const ReplayOptions& options) : options_(options) {}

  bool Has(absl::string_view id, absl::string_view level) const {
    bool wanted = options_.levels.empty();
    for (const vectors::Level candidate : options_.levels) {
      wanted = wanted || LevelName(candidate) == level;
    }
    bool named = options_.only.empty();
    for (const std::string& pattern : options_.only) named = named || Selects(pattern, id);
    return wanted && named;
  }

 private:
  const ReplayOptions& options_;
};

absl::Status CheckOptions(const Tree& tree, const ReplayOptions& options) {
  if (!IsDay(options.today)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", options.today, "\" is no day written as YYYY-MM-DD."));
  }
  std::set<std::string> ids;
  for (const StoredVector& stored : tree.vectors) ids.insert(stored.vector.id());
  for (const vectors::Unreadable& file : tree.unreadable) ids.insert(Stem(file.path));
  for (const std::string& pattern : options.only) {
    const bool found = std::any_of(ids.begin(), ids.end(),
                                   [&](const std::string& id) { return Selects(pattern, id); });
    if (!found) {
      return absl::InvalidArgumentError(
          absl::StrCat("There is no vector ", vectors::Printable(pattern), "."));
    }
  }
  return CheckWaivers(options.waivers, ids);
}

// Turns what was played into verdicts, by the waivers.
void ApplyWaivers(const ReplayOptions& options, Report& report) {
  for (VectorResult& result : report.results) {
    const bool failed = result.verdict == Verdict::kFail;
    if (!failed && result.verdict != Verdict::kPass) continue;
    for (const Waiver& waiver : options.waivers) {
      if (waiver.vector != result.id) continue;
      const bool expired = IsExpired(waiver, options.today);
      if (!failed) {
        result.verdict = Verdict::kUnexpectedPass;
        result.waiver = waiver;
      } else if (waiver.clause != result.divergence.clause) {
        if (result.text.empty()) {
          result.text = absl::StrCat("its waiver is for ", vectors::Printable(waiver.clause));
        }
      } else if (expired) {
        result.text = absl::StrCat("its waiver expired on ", waiver.expires);
        break;
      } else {
        result.verdict = Verdict::kWaived;
        result.waiver = waiver;
        result.text.clear();
        break;
      }
    }
  }
}

VectorResult ResultOf(const StoredVector& stored) {
  VectorResult result;
  result.id = stored.vector.id();
  result.path = stored.path;
  result.level = LevelName(stored.vector.level());
  result.title = stored.vector.title();
  return result;
}

void AddUnreadable(const Tree& tree, const Selection& selection, Report& report) {
  for (const vectors::Unreadable& file : tree.unreadable) {
    VectorResult result;
    result.id = vectors::Printable(Stem(file.path));
    result.path = file.path;
    result.level = file.path.substr(0, file.path.find('/'));
    result.verdict = Verdict::kHarnessError;
    result.text = vectors::Printable(file.sentence);
    if (selection.Has(result.id, result.level)) report.results.push_back(std::move(result));
  }
}

}  // namespace

absl::StatusOr<Report> Replay(const Tree& tree, const vectors::SpecIndex& index,
                              const PacketCodec* codec, Dut& dut, const ReplayOptions& options) {
  absl::Status status = CheckOptions(tree, options);
  if (!status.ok()) return status;
  Report report;
  report.spec_version = index.version();
  report.spec_hash = index.hash();
  const Selection selection(options);
  std::vector<const StoredVector*> selected;
  for (const StoredVector& stored : tree.vectors) {
    if (selection.Has(stored.vector.id(), LevelName(stored.vector.level()))) {
      selected.push_back(&stored);
    }
  }
  AddUnreadable(tree, selection, report);
  Session session(index, codec, dut, report);
  status = session.Connect();
  if (!status.ok()) return status;
  for (size_t i = 0; i < selected.size(); ++i) {
    if (options.progress) options.progress(i, selected.size(), selected[i]->vector.id());
    report.results.push_back(ResultOf(*selected[i]));
    session.PlayOne(*selected[i]);
  }
  session.End();
  ApplyWaivers(options, report);
  return report;
}

}  // namespace metaroce::conformance
