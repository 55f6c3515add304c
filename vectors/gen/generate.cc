#include "vectors/gen/generate.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "vectors/bundle/retired.h"
#include "vectors/file.h"
#include "vectors/gen/case.pb.h"
#include "vectors/gen/expand.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/records.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLevels[] = {"codec", "block", "endpoint", "system"};

// The longest file of cases that is read, and the longest MANIFEST.
constexpr size_t kMaxCaseBytes = size_t{1} << 20;
constexpr size_t kMaxManifestBytes = size_t{8} << 20;

// Files with this ending below `root`, sorted.
std::vector<fs::path> FilesBelow(const fs::path& root, const std::string& ending) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::recursive_directory_iterator it(root, error), end; it != end; it.increment(error)) {
    if (it->path().extension() == ending) out.push_back(it->path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The level and the block of a file of cases, and the folder they go to.
absl::Status CheckHead(const CaseFile& file) {
  const std::string& level = file.level();
  if (level != "codec" && level != "block" && level != "endpoint" && level != "system") {
    return absl::InvalidArgumentError(absl::StrCat(
        "the level ", Quoted(level), " is none of codec, block, endpoint and system."));
  }
  if (level == "block" && FindBlock(file.block()) == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the level is block, and there is no block ", Quoted(file.block()), "."));
  }
  if (level != "block" && !file.block().empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the block ", Quoted(file.block()),
                                                   " belongs to no case of level ", level, "."));
  }
  // The group is a folder's name and nothing more.
  if (file.group().find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") !=
      std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("the group ", Quoted(file.group()), " has other signs than a-z, 0-9 and -."));
  }
  return absl::OkStatus();
}

absl::StatusOr<CaseFile> ReadCases(const fs::path& path) {
  const absl::StatusOr<std::string> text = ReadFile(path.string(), kMaxCaseBytes);
  if (!text.ok()) return text.status();
  CaseFile file;
  FirstError errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  if (!parser.ParseFromString(*text, &file)) {
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ":", Printable(errors.text())));
  }
  const absl::Status head = CheckHead(file);
  if (!head.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path.string(), ": ", head.message()));
  }
  return file;
}

std::string PathOf(const CaseFile& file, const Vector& vector) {
  if (!file.block().empty()) return absl::StrCat("block/", file.block(), "/", vector.id(), ".json");
  return absl::StrCat(file.level(), "/", file.group(), "/", vector.id(), ".json");
}

// What stands below `root` now, by path.
std::set<std::string> Stored(const std::string& root) {
  std::set<std::string> out;
  for (const char* level : kLevels) {
    for (const fs::path& path : FilesBelow(fs::path(root) / level, ".json")) {
      out.insert(path.lexically_relative(root).generic_string());
    }
  }
  return out;
}

// A case may not take the place of a vector that is kept.
absl::Status CheckFree(const std::string& root, const StoredVector& made, bool there) {
  if (!there) return absl::OkStatus();
  const auto text = ReadFile((fs::path(root) / made.path).string(), kMaxVectorBytes);
  if (!text.ok() || *text == made.text) return absl::OkStatus();
  const auto old = LoadVector(*text, made.path);
  if (!old.ok() || old->provenance().kind() != SHRINK) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(made.path, ": It is kept (its provenance is shrink), and a case has the id ",
                   made.vector.id(), " too."));
}

//= CONF-VECTOR-RETIRED
//# An id that a published vector had is never the id of another.
absl::Status CheckNotRetired(const std::string& root, const std::vector<StoredVector>& vectors) {
  const auto list = LoadRetired(root);
  if (!list.ok()) return list.status();
  std::map<std::string, std::string> versions;
  for (const Retired& entry : list->retired()) versions.emplace(entry.id(), entry.version());
  for (const StoredVector& vector : vectors) {
    const auto retired = versions.find(vector.vector.id());
    if (retired == versions.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat(vector.path, ": Its id is retired since ",
                                                   Printable(retired->second), " by ", kRetiredFile,
                                                   "; no vector has it again."));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<StoredVector>> GenerateAll(const std::string& cases_root,
                                                      const SpecIndex& index) {
  std::vector<StoredVector> out;
  std::map<std::string, std::string> ids;  // and the file of each one's case
  for (const fs::path& path : FilesBelow(cases_root, ".textproto")) {
    absl::StatusOr<CaseFile> file = ReadCases(path);
    if (!file.ok()) return file.status();
    const std::string name = path.lexically_relative(cases_root).generic_string();
    for (const Case& c : file->case_()) {
      const auto [other, fresh] = ids.emplace(c.id(), name);
      if (!fresh) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, ": ", Quoted(c.id()), " is the id of a case in ", other->second,
                         " already; every vector has its own (CONF-VECTOR-RETIRED)."));
      }
      absl::StatusOr<Vector> vector = Expand(*file, c, index);
      if (!vector.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(name, ": ", vector.status().message()));
      }
      const std::vector<Finding> findings = CheckVector(*vector, index);
      if (!findings.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, ": ", ToString(c.id(), findings.front())));
      }
      std::string text = WriteVector(*vector);
      if (text.size() > kMaxVectorBytes) {
        return absl::InvalidArgumentError(absl::StrCat(name, ": ", c.id(), ": the vector has ",
                                                       text.size(), " bytes; at most ",
                                                       kMaxVectorBytes, "."));
      }
      out.push_back({PathOf(*file, *vector), std::move(text), *std::move(vector), {}});
    }
  }
  if (out.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(cases_root, " holds no cases."));
  }
  std::sort(out.begin(), out.end(),
            [](const StoredVector& a, const StoredVector& b) { return a.path < b.path; });
  return out;
}

absl::Status AddKept(const std::string& root, const SpecIndex& index,
                     std::vector<StoredVector>* vectors) {
  std::set<std::string> paths = Stored(root);
  std::map<std::string, std::string> ids;  // and where each is
  for (const StoredVector& made : *vectors) {
    const absl::Status free = CheckFree(root, made, paths.erase(made.path) > 0);
    if (!free.ok()) return free;
    ids[made.vector.id()] = made.path;
  }
  for (const std::string& path : paths) {
    const auto refuse = [&](absl::string_view sentence) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": ", sentence));
    };
    auto text = ReadFile((fs::path(root) / path).string(), kMaxVectorBytes);
    if (!text.ok()) {
      // Without the root, as everywhere here.
      return absl::InvalidArgumentError(
          absl::StripPrefix(text.status().message(), (fs::path(root) / "").string()));
    }
    auto vector = LoadVector(*text, path);
    if (!vector.ok()) return vector.status();
    if (vector->provenance().kind() != SHRINK) continue;
    const std::vector<Finding> findings = CheckVector(*vector, index);
    if (!findings.empty()) return absl::InvalidArgumentError(ToString(path, findings.front()));
    const std::string misplaced = FaultOfPlace(path, *vector);
    if (!misplaced.empty()) return refuse(misplaced);
    if (WriteVector(*vector) != *text) {
      return refuse("It is not in canonical form; `metaroce vector fmt` writes that.");
    }
    const auto [other, fresh] = ids.emplace(vector->id(), path);
    if (!fresh) return refuse(absl::StrCat(other->second, " has the id ", vector->id(), " too."));
    vectors->push_back({path, *std::move(text), *std::move(vector), {}});
  }
  std::sort(vectors->begin(), vectors->end(),
            [](const StoredVector& a, const StoredVector& b) { return a.path < b.path; });
  return CheckNotRetired(root, *vectors);
}

absl::Status WriteAll(const std::vector<StoredVector>& vectors, const std::string& root) {
  std::set<std::string> old = Stored(root);
  for (const StoredVector& vector : vectors) {
    old.erase(vector.path);
    const fs::path path = fs::path(root) / vector.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    const absl::Status status = WriteFile(path.string(), vector.text);
    if (!status.ok()) return status;
  }
  for (const std::string& path : old) {
    std::error_code error;
    fs::remove(fs::path(root) / path, error);
    // Folders that held nothing else go too, but for those of the levels; one that is not empty
    // cannot be removed.
    for (fs::path folder = fs::path(path).parent_path();
         folder.has_parent_path() && fs::remove(fs::path(root) / folder, error);) {
      folder = folder.parent_path();
    }
  }
  return WriteFile((fs::path(root) / "MANIFEST").string(), WriteManifest(vectors));
}

absl::Status CheckAll(const std::vector<StoredVector>& vectors, const std::string& root) {
  std::set<std::string> old = Stored(root);
  for (const StoredVector& vector : vectors) {
    if (old.erase(vector.path) == 0) {
      return absl::FailedPreconditionError(absl::StrCat(vector.path, " is missing."));
    }
    const auto text = ReadFile((fs::path(root) / vector.path).string(), kMaxVectorBytes);
    if (!text.ok() || *text != vector.text) {
      return absl::FailedPreconditionError(
          absl::StrCat(vector.path, " differs from what its case gives."));
    }
  }
  if (!old.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(*old.begin(), " comes from no case, and its provenance is not shrink."));
  }
  const auto manifest = ReadFile((fs::path(root) / "MANIFEST").string(), kMaxManifestBytes);
  if (!manifest.ok()) return absl::FailedPreconditionError("MANIFEST cannot be read.");
  return CheckManifest(*manifest, vectors);
}

}  // namespace metaroce::vectors
