#include "vectors/manifest.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "spec/compiler/frontend/sha256.h"
#include "vectors/file.h"
#include "vectors/for_each.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kFolders[] = {"block", "codec", "endpoint", "system"};

// The .json files of one folder, as paths below the root. Links are not followed.
absl::Status ListFolder(const fs::path& root, absl::string_view folder,
                        std::vector<std::string>& out) {
  const fs::path top = root / std::string(folder);
  std::error_code error;
  if (!fs::exists(top, error)) return absl::OkStatus();
  fs::recursive_directory_iterator it(top, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (it->path().extension() != ".json") continue;
    out.push_back(it->path().lexically_relative(root).generic_string());
    if (out.size() > kMaxFiles) {
      return absl::InvalidArgumentError(
          absl::StrCat(root.string(), ": the tree has more than ", kMaxFiles, " vectors."));
    }
  }
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat(top.string(), ": cannot be listed: ", error.message(), "."));
  }
  return absl::OkStatus();
}

std::string LevelName(const Vector& vector) {
  return absl::AsciiStrToLower(Level_Name(vector.level()));
}

// One file of the tree: a vector, or why it is none.
struct Loaded {
  std::optional<StoredVector> stored;
  Unreadable unreadable;
};

Loaded LoadOne(const fs::path& root, const std::string& path, const SpecIndex& index) {
  Loaded loaded;
  absl::StatusOr<std::string> text = ReadFile((root / path).string(), kMaxVectorBytes);
  absl::StatusOr<Vector> vector = text.ok() ? LoadVector(*text, path) : text.status();
  if (!vector.ok()) {
    loaded.unreadable = {path, std::string(vector.status().message()),
                         text.ok() ? *std::move(text) : std::string()};
    return loaded;
  }
  loaded.stored = StoredVector{path, *std::move(text), *std::move(vector), {}};
  for (const Finding& finding : CheckVector(loaded.stored->vector, index)) {
    loaded.stored->findings.push_back(ToString(path, finding));
  }
  const std::string fault = FaultOfPlace(path, loaded.stored->vector);
  if (!fault.empty()) loaded.stored->findings.push_back(absl::StrCat(path, ": ", fault));
  return loaded;
}

constexpr size_t kMaxManifestBytes = size_t{8} << 20;
constexpr size_t kShownDifferences = 5;
constexpr size_t kDigestDigits = 64;

struct ManifestLine {
  std::string digest;
  int number;  // from 1
};

// What MANIFEST says, by path. What is no line of it becomes a difference.
std::map<std::string, ManifestLine> ReadManifest(absl::string_view text,
                                                 std::vector<std::string>& differences) {
  std::map<std::string, ManifestLine> out;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const absl::string_view digest = line.substr(0, kDigestDigits);
    const absl::string_view path =
        line.size() > kDigestDigits + 2 ? line.substr(kDigestDigits + 2) : absl::string_view();
    if (path.empty() || line.substr(kDigestDigits, 2) != "  " ||
        digest.find_first_not_of("0123456789abcdef") != absl::string_view::npos) {
      differences.push_back(
          absl::StrCat("MANIFEST:", number, ": This is no checksum, two blanks and a path."));
    } else if (!out.emplace(std::string(path), ManifestLine{std::string(digest), number}).second) {
      differences.push_back(absl::StrCat("MANIFEST:", number, ": ", Printable(Shorten(path, 200)),
                                         " stands there twice."));
    }
  }
  return out;
}

std::string Line(const StoredVector& stored) {
  return absl::StrCat(compiler::Sha256Hex(stored.text), "  ", stored.path);
}

}  // namespace

std::string FaultOfPlace(absl::string_view path, const Vector& vector) {
  const std::string folder = vector.level() == BLOCK ? absl::StrCat("block/", vector.block(), "/")
                                                     : absl::StrCat(LevelName(vector), "/");
  const std::string file = absl::StrCat("/", vector.id(), ".json");
  if (absl::StartsWith(path, folder) && absl::EndsWith(path, file)) return "";
  return absl::StrCat("A vector with this id, level and block lies at ", folder, "...", file, ".");
}

absl::StatusOr<Tree> LoadTree(const std::string& root, const SpecIndex& index) {
  std::error_code error;
  if (!fs::is_directory(root, error)) {
    return absl::NotFoundError(absl::StrCat(root, ": there is no such folder."));
  }
  std::vector<std::string> paths;
  for (const absl::string_view folder : kFolders) {
    absl::Status status = ListFolder(root, folder, paths);
    if (!status.ok()) return status;
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Loaded> files(paths.size());
  ForEach(paths.size(), [&](size_t i) { files[i] = LoadOne(root, paths[i], index); });
  Tree tree;
  std::map<std::string, std::string> by_id;
  for (Loaded& file : files) {
    if (!file.stored.has_value()) {
      tree.unreadable.push_back(std::move(file.unreadable));
      continue;
    }
    StoredVector& stored = *file.stored;
    const auto [first, is_new] = by_id.emplace(stored.vector.id(), stored.path);
    if (!is_new) {
      stored.findings.push_back(absl::StrCat(stored.path, ": the id \"",
                                             Printable(stored.vector.id()),
                                             "\" is already that of ", first->second, "."));
    }
    tree.vectors.push_back(std::move(stored));
  }
  return tree;
}

std::vector<std::string> Tree::Findings() const {
  std::vector<std::string> out;
  for (const Unreadable& file : unreadable) out.push_back(file.sentence);
  for (const StoredVector& stored : vectors) {
    out.insert(out.end(), stored.findings.begin(), stored.findings.end());
  }
  return out;
}

std::string DefaultPath(const Vector& vector) {
  return vector.level() == BLOCK ? absl::StrCat("block/", vector.block(), "/", vector.id(), ".json")
                                 : absl::StrCat(LevelName(vector), "/", vector.id(), ".json");
}

std::string WriteManifest(const std::vector<StoredVector>& vectors) {
  std::map<std::string, const StoredVector*> by_path;
  for (const StoredVector& stored : vectors) by_path[stored.path] = &stored;
  std::string out;
  for (const auto& [path, stored] : by_path) absl::StrAppend(&out, Line(*stored), "\n");
  return out;
}

std::vector<std::string> CompareWithManifest(const std::string& root, const Tree& tree) {
  const absl::StatusOr<std::string> text =
      ReadFile((fs::path(root) / "MANIFEST").string(), kMaxManifestBytes);
  if (!text.ok()) {
    return {absl::StrCat(Printable(text.status().message()),
                         ". Nothing says whether the vectors are the published ones.")};
  }
  std::vector<std::string> differences;
  std::map<std::string, ManifestLine> listed = ReadManifest(*text, differences);
  std::map<std::string, const std::string*> found;
  for (const StoredVector& stored : tree.vectors) found[stored.path] = &stored.text;
  for (const Unreadable& file : tree.unreadable) found[file.path] = &file.text;
  std::vector<const std::string*> contents;
  for (const auto& [path, text_of] : found) contents.push_back(text_of);
  std::vector<std::string> digests(contents.size());
  ForEach(contents.size(), [&](size_t i) { digests[i] = compiler::Sha256Hex(*contents[i]); });
  size_t i = 0;
  for (const auto& [path, text_of] : found) {
    const std::string& digest = digests[i++];
    const std::string shown = Printable(Shorten(path, 200));
    const auto line = listed.find(path);
    if (line == listed.end()) {
      differences.push_back(absl::StrCat(shown, ": path: MANIFEST has no such file."));
    } else if (line->second.digest != digest) {
      differences.push_back(absl::StrCat(shown, ": sha256: It is not that of line ",
                                         line->second.number,
                                         " of MANIFEST: the file was changed."));
    }
    if (line != listed.end()) listed.erase(line);
  }
  for (const auto& [path, line] : listed) {
    differences.push_back(absl::StrCat(Printable(Shorten(path, 200)),
                                       ": path: MANIFEST has it on line ", line.number,
                                       ", and there is no such file."));
  }
  if (differences.size() > kShownDifferences) {
    const size_t more = differences.size() - kShownDifferences;
    differences.resize(kShownDifferences);
    differences.push_back(absl::StrCat("MANIFEST: ", more, " more differences."));
  }
  return differences;
}

absl::Status CheckManifest(absl::string_view manifest, const std::vector<StoredVector>& vectors) {
  const std::string want = WriteManifest(vectors);
  if (manifest == want) return absl::OkStatus();
  const std::vector<std::string> want_lines = absl::StrSplit(want, '\n');
  const std::vector<std::string> have_lines = absl::StrSplit(manifest, '\n');
  const std::set<std::string> have(have_lines.begin(), have_lines.end());
  const std::set<std::string> wanted(want_lines.begin(), want_lines.end());
  for (const std::string& line : want_lines) {
    if (have.count(line) == 0) {
      return absl::FailedPreconditionError(absl::StrCat("MANIFEST lacks the line \"", line,
                                                        "\": the vector is new, or was changed."));
    }
  }
  for (const std::string& line : have_lines) {
    if (wanted.count(line) == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("MANIFEST has the line \"", Printable(Shorten(line, 200)),
                       "\", and there is no such vector with these contents."));
    }
  }
  return absl::FailedPreconditionError("The lines of MANIFEST are not in the order of the paths.");
}

}  // namespace metaroce::vectors
