#include "conformance/play/compare.h"

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "vectors/json.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Field;
using vectors::Fields;
using vectors::Printable;
using vectors::Shorten;

constexpr size_t kMaxNameBytes = 60;
constexpr size_t kMaxDataBytes = 40;
// From here on a person wants the hexadecimal form as well.
constexpr uint64_t kShowHexFrom = 65536;

std::string ShowName(absl::string_view name) { return Printable(Shorten(name, kMaxNameBytes)); }

std::string ShowData(absl::string_view data) {
  if (data.empty()) return "no bytes";
  if (data.size() <= kMaxDataBytes) return vectors::Hex(data);
  return absl::StrCat(vectors::Hex(data.substr(0, kMaxDataBytes)), "... (", data.size(), " bytes)");
}

// Two long values that begin alike are told apart by where they differ.
void PointIntoData(const Field& expected, const Field& got, Difference* difference) {
  if (expected.value_case() != Field::kData || got.value_case() != Field::kData) return;
  const std::string& a = expected.data();
  const std::string& b = got.data();
  if (a.size() != b.size() || a.size() <= kMaxDataBytes) return;
  size_t at = 0;
  while (at < a.size() && a[at] == b[at]) ++at;
  const std::string name = ShowName(expected.name());
  difference->expected = absl::StrFormat("%s byte %d = 0x%02x", name, at, uint8_t(a[at]));
  difference->got = absl::StrFormat("%s byte %d = 0x%02x", name, at, uint8_t(b[at]));
}

std::string WithoutValue(absl::string_view name) {
  return absl::StrCat("the field ", ShowName(name), " has no value");
}

std::string Twice(absl::string_view name) {
  return absl::StrCat("the field ", ShowName(name), " stands twice in a record");
}

std::string FaultOfMany(const DutFields& fields) {
  absl::flat_hash_set<absl::string_view> seen;
  for (const dut::Field& field : fields) {
    if (field.value_case() == dut::Field::VALUE_NOT_SET) return WithoutValue(field.name());
    if (!seen.insert(field.name()).second) return Twice(field.name());
  }
  return "";
}

constexpr int kFewFields = 64;

// One of 64 bits, the same for the same name.
uint64_t BitOf(absl::string_view name) {
  if (name.empty()) return 1;
  const auto at = [&](size_t i) { return static_cast<uint8_t>(name[i]); };
  return uint64_t{1} << ((name.size() * 11 + at(name.size() - 1) * 5u + at(name.size() / 2)) % 64);
}

template <typename List>
void GrowNumbers(List& fields, const Fields& by, uint64_t k, vectors::Record record,
                 const vectors::SpecIndex& index) {
  if (k == 0) return;
  for (const Field& step : by.field()) {
    const auto rule = vectors::RuleOf(record, step.name(), index);
    const uint64_t mask = rule.has_value() ? rule->max() : ~uint64_t{0};
    for (auto& field : fields) {
      if (!field.has_number() || field.name() != step.name()) continue;
      field.set_number((field.number() + k * step.number()) & mask);
    }
  }
}

}  // namespace

bool Equal(const Field& a, const Field& b) {
  if (a.value_case() != b.value_case()) return false;
  switch (a.value_case()) {
    case Field::kNumber:
      return a.number() == b.number();
    case Field::kData:
      return a.data() == b.data();
    case Field::kWord:
      return a.word() == b.word();
    case Field::kTaken:  // only what nobody took over yet is compared as a name
      return a.taken().name() == b.taken().name() && a.taken().plus() == b.taken().plus();
    case Field::VALUE_NOT_SET:
      break;
  }
  return true;
}

bool Agrees(const Field& expected, const Field& got) {
  //= CONF-TAKEN
  //# takes the field's value over as it comes, whatever it is.
  if (expected.has_taken()) return got.value_case() == Field::kNumber;
  return Equal(expected, got);
}

Fields FromDut(const DutFields& fields) {
  Fields out;
  for (const dut::Field& field : fields) {
    Field& copy = *out.add_field();
    copy.set_name(field.name());
    switch (field.value_case()) {
      case dut::Field::kNumber:
        copy.set_number(field.number());
        break;
      case dut::Field::kData:
        copy.set_data(field.data());
        break;
      case dut::Field::kWord:
        copy.set_word(field.word());
        break;
      case dut::Field::VALUE_NOT_SET:
        break;
    }
  }
  return out;
}

void ToDut(const Fields& fields, DutFields* out) {
  out->Reserve(fields.field_size());
  for (const Field& field : fields.field()) {
    dut::Field& copy = *out->Add();
    copy.set_name(field.name());
    switch (field.value_case()) {
      case Field::kNumber:
        copy.set_number(field.number());
        break;
      case Field::kData:
        copy.set_data(field.data());
        break;
      case Field::kWord:
        copy.set_word(field.word());
        break;
      case Field::kTaken:  // resolved before it goes to a device
      case Field::VALUE_NOT_SET:
        break;
    }
  }
}

//= CONF-RECORDS
//# A record is a set of fields with different names.
std::string FaultOfRecord(const DutFields& fields) {
  // Most records are short, and the bits of most names new: then no name is looked for.
  if (fields.size() > kFewFields) return FaultOfMany(fields);
  uint64_t bits = 0;
  for (int i = 0; i < fields.size(); ++i) {
    const std::string& name = fields[i].name();
    if (fields[i].value_case() == dut::Field::VALUE_NOT_SET) return WithoutValue(name);
    const uint64_t bit = BitOf(name);
    for (int j = 0; j < i && (bits & bit) != 0; ++j) {
      if (fields[j].name() == name) return Twice(name);
    }
    bits |= bit;
  }
  return "";
}

std::string ShowBytes(size_t count) { return absl::StrCat(count, count == 1 ? " byte" : " bytes"); }

std::string ShowNumber(uint64_t number) {
  if (number < kShowHexFrom) return absl::StrCat(number);
  return absl::StrFormat("%d (0x%x)", number, number);
}

std::string Show(const Field& field) {
  const std::string name = ShowName(field.name());
  switch (field.value_case()) {
    case Field::kNumber:
      // Nobody knows opcodes by their decimal value.
      if (absl::EndsWith(field.name(), "opcode")) {
        return absl::StrFormat("%s = 0x%02x", name, field.number());
      }
      return absl::StrCat(name, " = ", ShowNumber(field.number()));
    case Field::kData:
      return absl::StrCat(name, " = ", ShowData(field.data()));
    case Field::kWord:
      return absl::StrCat(name, " = ", ShowName(field.word()));
    case Field::kTaken:
      return absl::StrCat(name, " = ", ShowName(vectors::ToString(field)));
    case Field::VALUE_NOT_SET:
      break;
  }
  return absl::StrCat(name, " without a value");
}

std::string Show(const Fields& fields, size_t length) {
  std::string out;
  int left = fields.field_size();
  for (const Field& field : fields.field()) {
    const std::string shown = Show(field);
    if (!out.empty() && out.size() + shown.size() > length) {
      return absl::StrCat(out, " and ", left, " more");
    }
    absl::StrAppend(&out, out.empty() ? "" : ", ", shown);
    --left;
  }
  return out.empty() ? "no field" : out;
}

bool Same(const Fields& expected, const DutFields& got, bool exact) {
  if (exact ? expected.field_size() != got.size() : expected.field_size() > got.size()) {
    return false;
  }
  int next = 0;
  for (const Field& want : expected.field()) {
    while (!exact && next < got.size() && got[next].name() != want.name()) ++next;
    if (next == got.size()) return false;
    const dut::Field& have = got[next++];
    if (want.name() != have.name()) return false;
    switch (want.value_case()) {
      case Field::kNumber:
        if (have.value_case() != dut::Field::kNumber || have.number() != want.number())
          return false;
        break;
      case Field::kData:
        if (have.value_case() != dut::Field::kData || have.data() != want.data()) return false;
        break;
      case Field::kWord:
        if (have.value_case() != dut::Field::kWord || have.word() != want.word()) return false;
        break;
      case Field::kTaken:
        if (have.value_case() != dut::Field::kNumber) return false;
        break;
      case Field::VALUE_NOT_SET:
        return false;
    }
  }
  return true;
}

std::optional<Difference> Compare(const Fields& expected, const Fields& got, bool exact) {
  Difference difference;
  size_t count = 0;
  const auto add = [&](absl::string_view name, std::string want, std::string have) {
    if (count++ == 0) {
      difference.field = std::string(name);
      difference.expected = std::move(want);
      difference.got = std::move(have);
    }
  };
  for (int i = 0; i < expected.field_size(); ++i) {
    const Field& want = expected.field(i);
    // Most devices give their fields in the order in which they are expected.
    const Field* have = i < got.field_size() && got.field(i).name() == want.name()
                            ? &got.field(i)
                            : vectors::FindField(got, want.name());
    if (have == nullptr) {
      add(want.name(), Show(want), absl::StrCat("no field ", ShowName(want.name())));
    } else if (!Agrees(want, *have)) {
      const bool first = count == 0;
      add(want.name(), Show(want), Show(*have));
      if (first) PointIntoData(want, *have, &difference);
    } else {
      ++difference.equal;
    }
  }
  if (exact && difference.equal != static_cast<size_t>(got.field_size())) {
    for (const Field& have : got.field()) {
      if (vectors::FindField(expected, have.name()) == nullptr) {
        add(have.name(), absl::StrCat("no field ", ShowName(have.name())), Show(have));
      }
    }
  }
  if (count == 0) return std::nullopt;
  difference.others = count - 1;
  return difference;
}

void Grow(Fields& fields, const Fields& by, uint64_t k, vectors::Record record,
          const vectors::SpecIndex& index) {
  GrowNumbers(*fields.mutable_field(), by, k, record, index);
}

void Grow(DutFields& fields, const Fields& by, uint64_t k, vectors::Record record,
          const vectors::SpecIndex& index) {
  GrowNumbers(fields, by, k, record, index);
}

}  // namespace metaroce::conformance
