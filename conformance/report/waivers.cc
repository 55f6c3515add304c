#include "conformance/report/waivers.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "vectors/file.h"
#include "vectors/json_tree.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::JsonValue;
using vectors::Printable;
using vectors::Shorten;

constexpr size_t kMaxBytes = size_t{1} << 20;

absl::Status Refuse(absl::string_view file, const JsonValue& value, absl::string_view sentence) {
  return absl::InvalidArgumentError(absl::StrCat(file, ":", value.Place(), ": ", sentence));
}

absl::StatusOr<Waiver> ReadWaiver(const JsonValue& value, absl::string_view file) {
  if (value.kind != JsonValue::Kind::kObject) {
    return Refuse(file, value, absl::StrCat("A waiver is ", Name(value.kind), ", not an object."));
  }
  Waiver waiver;
  const std::pair<absl::string_view, std::string*> members[] = {{"vector", &waiver.vector},
                                                                {"clause", &waiver.clause},
                                                                {"reason", &waiver.reason},
                                                                {"owner", &waiver.owner},
                                                                {"expires", &waiver.expires}};
  for (const auto& [name, target] : members) {
    const JsonValue* member = value.Find(name);
    if (member == nullptr || member->kind != JsonValue::Kind::kString || member->text.empty()) {
      return Refuse(file, value, absl::StrCat("The waiver has no text \"", name, "\"."));
    }
    *target = member->text;
  }
  if (value.members.size() != std::size(members)) {
    return Refuse(file, value,
                  "The waiver has other members than vector, clause, reason, owner and expires.");
  }
  if (!IsDay(waiver.expires)) {
    return Refuse(file, value,
                  absl::StrCat("\"", Printable(Shorten(waiver.expires, 20)),
                               "\" is no day written as YYYY-MM-DD."));
  }
  return waiver;
}

}  // namespace

bool IsDay(absl::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (!absl::ascii_isdigit(text[i])) return false;
  }
  int year = 0;
  int month = 0;
  int day = 0;
  if (!absl::SimpleAtoi(text.substr(0, 4), &year) || !absl::SimpleAtoi(text.substr(5, 2), &month) ||
      !absl::SimpleAtoi(text.substr(8, 2), &day)) {
    return false;
  }
  if (month < 1 || month > 12) return false;
  const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const int length = lengths[month - 1] + (month == 2 && leap ? 1 : 0);
  return day >= 1 && day <= length;
}

//= CONF-WAIVER
//# An expired waiver covers nothing.
bool IsExpired(const Waiver& waiver, absl::string_view today) {
  return waiver.expires < today;  // both are YYYY-MM-DD: the order of the text is that of the days
}

absl::StatusOr<std::vector<Waiver>> LoadWaivers(absl::string_view text, absl::string_view file) {
  const absl::StatusOr<JsonValue> tree = vectors::ParseJson(text);
  if (!tree.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", tree.status().message()));
  }
  const JsonValue* list = tree->Find("waivers");
  if (list == nullptr || list->kind != JsonValue::Kind::kArray || tree->members.size() != 1) {
    return Refuse(file, *tree, "The file is no object with the one member \"waivers\", a list.");
  }
  std::vector<Waiver> waivers;
  std::set<std::pair<std::string, std::string>> seen;
  for (const JsonValue& item : list->items) {
    absl::StatusOr<Waiver> waiver = ReadWaiver(item, file);
    if (!waiver.ok()) return waiver.status();
    if (!seen.emplace(waiver->vector, waiver->clause).second) {
      return Refuse(file, item,
                    absl::StrCat("There is another waiver of ", Printable(waiver->vector), " at ",
                                 Printable(waiver->clause), "."));
    }
    waivers.push_back(*std::move(waiver));
  }
  return waivers;
}

absl::StatusOr<std::vector<Waiver>> LoadWaiversFile(const std::string& path) {
  const absl::StatusOr<std::string> text = vectors::ReadFile(path, kMaxBytes);
  if (!text.ok()) return text.status();
  return LoadWaivers(*text, path);
}

absl::Status CheckWaivers(const std::vector<Waiver>& waivers, const std::set<std::string>& ids,
                          const vectors::SpecIndex& index) {
  for (const Waiver& waiver : waivers) {
    if (ids.count(waiver.vector) == 0) {
      return absl::InvalidArgumentError(absl::StrCat("There is a waiver of the vector ",
                                                     Printable(waiver.vector),
                                                     ", and there is no such vector."));
    }
    if (!index.ClauseLevel(waiver.clause).has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("The waiver of the vector ", Printable(waiver.vector), " is for the clause ",
                       Printable(Shorten(waiver.clause, 60)), ", and there is no such clause."));
    }
  }
  return absl::OkStatus();
}

}  // namespace metaroce::conformance
