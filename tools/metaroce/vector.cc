// metaroce vector: looks at vectors, and helps to write them.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/play/show.h"
#include "conformance/play/wire_codec.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/suite.h"
#include "vectors/bundle/retired.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/manifest.h"
#include "vectors/scaffold.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

namespace fs = std::filesystem;

int Complain(const Streams& streams, absl::string_view text) {
  streams.err << std::string(text) << "\n";
  return kBadInput;
}

// Why the file is no vector that can be played, a line each; `*canonical` is its canonical text.
absl::StatusOr<std::vector<std::string>> Findings(const std::string& path, std::string* canonical) {
  const absl::StatusOr<std::string> text = vectors::ReadFile(path, vectors::kMaxVectorBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<vectors::Vector> vector = vectors::LoadVector(*text, path);
  if (!vector.ok()) return std::vector<std::string>{std::string(vector.status().message())};
  std::vector<std::string> findings;
  for (const vectors::Finding& finding : vectors::CheckVector(*vector, vectors::SpecTables())) {
    findings.push_back(vectors::ToString(path, finding));
  }
  *canonical = vectors::WriteVector(*vector);
  if (*canonical != *text) {
    findings.push_back(
        absl::StrCat(path, ": It is not in canonical form; `metaroce vector fmt` writes that."));
  }
  return findings;
}

int Summary(size_t files, size_t findings, const Streams& streams) {
  streams.out << files << (files == 1 ? " vector, " : " vectors, ") << findings
              << (findings == 1 ? " finding\n" : " findings\n");
  return findings == 0 ? kOk : kMismatch;
}

// Without files, the whole tree: then ids and places are checked as well.
int LintTree(const VectorOptions& options, const Streams& streams) {
  const auto suite = LoadSuite(options.vectors, false);
  if (!suite.ok()) return Complain(streams, suite.status().message());
  const vectors::Tree& tree = suite->tree;
  std::vector<std::string> findings = tree.Findings();
  for (const vectors::StoredVector& stored : tree.vectors) {
    // A bundle has no texts of its own, and its reader has judged them.
    if (suite->bundle) break;
    if (vectors::WriteVector(stored.vector) == stored.text) continue;
    findings.push_back(absl::StrCat(
        stored.path, ": It is not in canonical form; `metaroce vector fmt` writes that."));
  }
  // A bundle may have some of the vectors alone (CONF-BUNDLE).
  const auto which = suite->bundle ? vectors::Vectors::kSome : vectors::Vectors::kAll;
  for (const auto& finding : vectors::CheckRetired(suite->retired, tree.vectors, which)) {
    findings.push_back(vectors::ToString(vectors::kRetiredFile, finding));
  }
  if (!options.since.empty()) {
    const auto earlier = LoadSuite(options.since, false);
    if (!earlier.ok()) return Complain(streams, earlier.status().message());
    const auto broken = vectors::CompareWithEarlier(earlier->tree, tree, suite->retired);
    findings.insert(findings.end(), broken.begin(), broken.end());
  }
  for (const std::string& finding : findings) {
    streams.out << vectors::Printable(finding) << "\n";
  }
  return Summary(tree.vectors.size() + tree.unreadable.size(), findings.size(), streams);
}

}  // namespace

int VectorLint(const VectorOptions& options, const Streams& streams) {
  if (options.files.empty()) return LintTree(options, streams);
  if (!options.since.empty()) {
    return Complain(streams, "--since compares a whole tree, and no single files.");
  }
  size_t count = 0;
  for (const std::string& path : options.files) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      return Complain(streams, absl::StrCat(path, " is a folder; --vectors ", path,
                                            " looks at all that is below it."));
    }
    std::string canonical;
    const auto findings = Findings(path, &canonical);
    if (!findings.ok()) return Complain(streams, findings.status().message());
    for (const std::string& finding : *findings) {
      streams.out << vectors::Printable(finding) << "\n";
    }
    count += findings->size();
  }
  return Summary(options.files.size(), count, streams);
}

int VectorFormat(const VectorOptions& options, const Streams& streams) {
  int status = kOk;
  for (const std::string& path : options.files) {
    const absl::StatusOr<std::string> text = vectors::ReadFile(path, vectors::kMaxVectorBytes);
    if (!text.ok()) return Complain(streams, text.status().message());
    const absl::StatusOr<vectors::Vector> vector = vectors::LoadVector(*text, path);
    if (!vector.ok()) return Complain(streams, vectors::Printable(vector.status().message()));
    const std::string canonical = vectors::WriteVector(*vector);
    if (canonical == *text) continue;
    if (options.check) {
      streams.out << path << " is not in canonical form\n";
      status = kMismatch;
      continue;
    }
    const absl::Status written = vectors::WriteFile(path, canonical);
    if (!written.ok()) return Complain(streams, written.message());
    streams.out << path << " is written anew\n";
  }
  return status;
}

namespace {

// The vector of that id, or in that file.
absl::StatusOr<vectors::Vector> Find(const std::string& name, const VectorOptions& options) {
  if (absl::EndsWith(name, ".json")) {
    auto vector = vectors::LoadVectorFile(name);
    if (!vector.ok()) return vector;
    const auto findings = vectors::CheckVector(*vector, vectors::SpecTables());
    if (findings.empty()) return vector;
    return absl::InvalidArgumentError(vectors::ToString(name, findings.front()));
  }
  auto suite = LoadSuite(options.vectors, false);
  if (!suite.ok()) return suite.status();
  for (vectors::StoredVector& stored : suite->tree.vectors) {
    if (stored.vector.id() != name) continue;
    if (stored.findings.empty()) return std::move(stored.vector);
    return absl::InvalidArgumentError(stored.findings.front());
  }
  return absl::NotFoundError(
      absl::StrCat("There is no vector ", name, " below ", options.vectors, "."));
}

}  // namespace

int VectorShow(const VectorOptions& options, const Streams& streams) {
  const conformance::WirePacketCodec codec;
  for (const std::string& name : options.files) {
    const auto vector = Find(name, options);
    if (!vector.ok()) return Complain(streams, vectors::Printable(vector.status().message()));
    if (&name != &options.files.front()) streams.out << "\n";
    streams.out << conformance::ShowVector(*vector, vectors::SpecTables(), &codec);
  }
  return kOk;
}

int VectorNew(const VectorOptions& options, const Streams& streams) {
  const auto vector = vectors::Scaffold(options.files.front(), options.level, options.block);
  if (!vector.ok()) return Complain(streams, vector.status().message());
  const fs::path path = fs::path(options.vectors) / vectors::DefaultPath(*vector);
  std::error_code error;
  if (fs::exists(path, error)) {
    return Complain(streams, absl::StrCat(path.string(), " is there already."));
  }
  // A folder that holds nothing yet is fine.
  if (const auto suite = LoadSuite(options.vectors, false); suite.ok()) {
    for (const vectors::StoredVector& stored : suite->tree.vectors) {
      if (stored.vector.id() != vector->id()) continue;
      return Complain(streams, absl::StrCat(stored.path, " has the id ", vector->id(), "."));
    }
  }
  fs::create_directories(path.parent_path(), error);
  const absl::Status written = vectors::WriteFile(path.string(), vectors::WriteVector(*vector));
  if (!written.ok()) return Complain(streams, written.message());
  streams.out << path.string()
              << " is written: a vector that passes, to be changed into yours. Play it with\n"
                 "  metaroce replay --vectors "
              << options.vectors << " --allow-changed --only " << vector->id() << " --dut ...\n";
  return kOk;
}

}  // namespace metaroce::cli
