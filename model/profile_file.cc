#include "model/profile_file.h"

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace metaroce {
namespace {

// Decimal, or hexadecimal after 0x; false if it is neither or needs more than 64 bits.
bool ToNumber(absl::string_view text, uint64_t* value) {
  for (const char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) return false;
  }
  if (absl::StartsWith(text, "0x")) return absl::SimpleHexAtoi(text.substr(2), value);
  return absl::SimpleAtoi(text, value);
}

// What an outsider wrote, as it may stand in a sentence.
std::string Quoted(absl::string_view text) {
  constexpr size_t kMost = 60;
  std::string quoted = "\"";
  for (const char c : text.substr(0, kMost)) {
    quoted += absl::ascii_isprint(static_cast<unsigned char>(c)) ? c : '?';
  }
  return quoted + (text.size() > kMost ? "...\"" : "\"");
}

}  // namespace

absl::StatusOr<Profile> ParseProfile(absl::string_view name, absl::string_view text) {
  Profile profile;
  std::map<std::string, int> lines;  // by constant
  int number = 0;
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(name, ":", number, ": ", why));
  };
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos) {
      return refuse(absl::StrCat(Quoted(line), " is no field; it must be \"constant: value\"."));
    }
    const absl::string_view constant = absl::StripAsciiWhitespace(line.substr(0, colon));
    const absl::string_view written = absl::StripAsciiWhitespace(line.substr(colon + 1));
    uint64_t value = 0;
    if (!ToNumber(written, &value)) {
      return refuse(absl::StrCat(
          Quoted(constant), " is ", Quoted(written),
          "; it must be a decimal number, or a hexadecimal one after 0x, of at most 64 bits."));
    }
    const auto [before, is_new] = lines.emplace(std::string(constant), number);
    if (!is_new) {
      return refuse(
          absl::StrCat(Quoted(constant), " was set in line ", before->second, " already."));
    }
    const absl::Status set = profile.Set(constant, value);
    if (absl::IsNotFound(set)) {
      return refuse(absl::StrCat("The text has no constant ", Quoted(constant), "."));
    }
    if (!set.ok()) return refuse(set.message());
  }
  const absl::Status rules = profile.Validate();
  if (!rules.ok()) return absl::InvalidArgumentError(absl::StrCat(name, ": ", rules.message()));
  return profile;
}

}  // namespace metaroce
