#include "tools/metaroce/selecting.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "vectors/vector.pb.h"

namespace metaroce::cli {
namespace {

std::optional<vectors::Level> LevelOf(const std::string& name) {
  if (name == "codec") return vectors::CODEC;
  if (name == "block") return vectors::BLOCK;
  if (name == "endpoint") return vectors::ENDPOINT;
  if (name == "system") return vectors::SYSTEM;
  return std::nullopt;
}

}  // namespace

absl::Status ReadLevels(const std::vector<std::string>& names, conformance::Selection* selection) {
  for (const std::string& name : names) {
    const auto level = LevelOf(name);
    if (!level) {
      return absl::InvalidArgumentError(
          absl::StrCat("--level ", name, " is none of codec, block, endpoint and system."));
    }
    selection->levels.push_back(*level);
  }
  return absl::OkStatus();
}

std::vector<std::string> SplitCommand(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  if (quote != 0) words.clear();
  return words;
}

}  // namespace metaroce::cli
