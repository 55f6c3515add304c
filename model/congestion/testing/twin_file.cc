#include "model/congestion/testing/twin_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace metaroce::congestion {
namespace {

constexpr char kFolder[] = "model/congestion/testing/testdata/";
constexpr char kArrow[] = " -> ";

absl::Status Bad(absl::string_view text, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" ", what));
}

}  // namespace

absl::StatusOr<Fields> Fields::Parse(absl::string_view text) {
  Fields fields;
  for (const absl::string_view part : absl::StrSplit(text, ' ')) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, '=');
    if (sides.size() != 2 || sides[0].empty()) return Bad(part, "is not name=value");
    Field field;
    field.name = std::string(sides[0]);
    for (const Field& other : fields.fields_) {
      if (other.name == field.name) return Bad(part, "stands there twice");
    }
    const std::vector<absl::string_view> numbers = absl::StrSplit(sides[1], ',');
    for (const absl::string_view number : numbers) {
      if (sides[1].empty()) break;
      int64_t value = 0;
      if (!absl::SimpleAtoi(number, &value) || absl::StrCat(value) != number) {
        return Bad(part, "has a value that is no number");
      }
      field.values.push_back(value);
    }
    fields.fields_.push_back(field);
  }
  return fields;
}

std::vector<int64_t> Fields::List(absl::string_view name) {
  for (Field& field : fields_) {
    if (field.name != name) continue;
    field.read = true;
    return field.values;
  }
  ADD_FAILURE() << "no field " << name;
  return {};
}

int64_t Fields::operator[](absl::string_view name) {
  const std::vector<int64_t> values = List(name);
  EXPECT_EQ(values.size(), 1u) << name;
  return values.size() == 1 ? values[0] : 0;
}

std::vector<std::vector<int64_t>> Fields::Records(absl::string_view name, size_t size) {
  const std::vector<int64_t> values = List(name);
  EXPECT_EQ(values.size() % size, 0u) << name;
  std::vector<std::vector<int64_t>> records;
  for (auto at = values.begin(); values.end() - at >= static_cast<ptrdiff_t>(size); at += size) {
    records.emplace_back(at, at + size);
  }
  return records;
}

std::string Fields::Unread() const {
  std::string names;
  for (const Field& field : fields_) {
    if (!field.read) absl::StrAppend(&names, names.empty() ? "" : " ", field.name);
  }
  return names;
}

absl::StatusOr<Case> ParseCase(absl::string_view line) {
  const std::vector<absl::string_view> sides = absl::StrSplit(line, kArrow);
  if (sides.size() != 2) return Bad(line, "has not one arrow");
  absl::StatusOr<Fields> in = Fields::Parse(sides[0]);
  if (!in.ok()) return in.status();
  absl::StatusOr<Fields> out = Fields::Parse(sides[1]);
  if (!out.ok()) return out.status();
  return Case{*in, *out};
}

void ForEachCase(absl::string_view rule, const std::function<void(Fields&, Fields&)>& check) {
  const std::string name = absl::StrCat(kFolder, rule, ".txt");
  std::ifstream file(name);
  ASSERT_TRUE(file) << name;
  std::stringstream text;
  text << file.rdbuf();
  std::vector<std::string> lines = absl::StrSplit(text.str(), '\n');
  ASSERT_EQ(lines.back(), "") << name << ": the last line does not end";
  lines.pop_back();
  size_t cases = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    SCOPED_TRACE(absl::StrCat(name, ":", i + 1));
    if (cases == 0 && absl::StartsWith(lines[i], "# ")) continue;
    absl::StatusOr<Case> it = ParseCase(lines[i]);
    ASSERT_TRUE(it.ok()) << it.status();
    check(it->in, it->out);
    EXPECT_EQ(it->in.Unread(), "");
    EXPECT_EQ(it->out.Unread(), "");
    ++cases;
  }
  EXPECT_GT(cases, 0u) << name << " has no case";
}

uint64_t U(int64_t x) {
  EXPECT_GE(x, 0);
  return static_cast<uint64_t>(x);
}

uint32_t U32(int64_t x) {
  EXPECT_TRUE(x >= 0 && x <= UINT32_MAX) << x;
  return static_cast<uint32_t>(x);
}

bool Flag(int64_t x) {
  EXPECT_TRUE(x == 0 || x == 1) << x;
  return x == 1;
}

Profile With(const std::vector<absl::string_view>& names, const List& values) {
  Profile profile;
  EXPECT_EQ(names.size(), values.size());
  for (size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
    const absl::Status status = profile.Set(names[i], U(values[i]));
    EXPECT_TRUE(status.ok()) << status;
  }
  return profile;
}

}  // namespace metaroce::congestion
