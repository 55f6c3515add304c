// metaroce spec: what the text says of a name.
#include <map>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "spec/tables.h"
#include "tools/metaroce/commands.h"
#include "vectors/json_tree.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

using vectors::JsonValue;

// Facts about one named thing, in the order in which they are shown.
struct Entry {
  std::string kind;
  std::string name;
  std::vector<std::pair<std::string, std::string>> facts;

  void Add(const std::string& name, std::string_view value) {
    if (!value.empty()) facts.emplace_back(name, std::string(value));
  }
  void AddClause(spec::Clause clause) {
    if (clause != spec::kNoClause) Add("clause", spec::Name(clause));
  }
};

Entry OfClause(spec::Clause clause) {
  const spec::ClauseInfo& info = spec::Info(clause);
  Entry entry{"clause", std::string(info.id), {}};
  entry.Add("level",
            absl::StrCat(std::string(spec::Name(info.level)), info.final ? "" : ", draft"));
  entry.Add("unproven", info.unproven);
  if (info.no_positive == info.no_negative) {
    entry.Add("no vector", info.no_positive);
  } else {
    entry.Add("no positive vector", info.no_positive);
    entry.Add("no negative vector", info.no_negative);
  }
  entry.Add("provenance", info.provenance);
  entry.Add("place", absl::StrCat("spec/", std::string(info.chapter), ":", info.line));
  entry.Add("heading", info.heading);
  entry.Add("text", info.text);
  entry.Add("why", info.why);
  entry.Add("freedom", info.freedom);
  return entry;
}

Entry OfNumber(const char* kind, const spec::NumberInfo& info) {
  Entry entry{kind, std::string(info.name), {}};
  const std::string unit =
      info.unit == spec::Unit::kNone ? "" : absl::StrCat(" ", std::string(spec::Name(info.unit)));
  if (info.fixed) {
    entry.Add("value", absl::StrCat(info.default_value, unit, ", fixed"));
  } else {
    entry.Add("default", absl::StrCat(info.default_value, unit));
    entry.Add("range", absl::StrCat(info.min, " to ", info.max, unit));
  }
  entry.Add("note", info.note);
  entry.AddClause(info.clause);
  return entry;
}

Entry OfReason(spec::Reason reason) {
  const spec::ReasonInfo& info = spec::Info(reason);
  Entry entry{"reason", std::string(info.name), {}};
  entry.Add("code", absl::StrCat(static_cast<int>(reason)));
  entry.Add("check", spec::Name(info.check));
  entry.Add("disposition", spec::Name(info.disposition));
  if (info.nack) entry.Add("nack", spec::Name(*info.nack));
  entry.Add("counter", spec::Name(info.counter));
  entry.Add("note", info.note);
  entry.AddClause(info.clause);
  return entry;
}

Entry OfOpcode(spec::Opcode opcode) {
  const spec::OpcodeInfo& info = spec::Info(opcode);
  Entry entry{"opcode", std::string(info.name), {}};
  entry.Add("value", absl::StrFormat("0x%02x", static_cast<int>(opcode)));
  entry.Add("class", spec::Name(info.opcode_class));
  std::string headers;
  for (spec::Layout layout : info.headers) {
    absl::StrAppend(&headers, headers.empty() ? "" : ", ", std::string(spec::Name(layout)));
  }
  entry.Add("headers", absl::StrCat(headers, " (", info.fixed_bytes, " bytes)"));
  entry.Add("tail", spec::Name(info.tail));
  entry.Add("note", info.note);
  entry.AddClause(info.clause);
  return entry;
}

std::string Bits(const spec::FieldInfo& field) {
  return absl::StrCat(field.bits, field.bits == 1 ? " bit" : " bits");
}

Entry OfLayout(const spec::LayoutInfo& info) {
  Entry entry{"layout", std::string(info.name), {}};
  entry.Add("title", info.title);
  entry.Add("size", absl::StrCat(info.bytes, " bytes"));
  for (const spec::FieldInfo& field : info.fields) {
    std::string fact = absl::StrCat("bit ", field.bit_offset, ", ", Bits(field));
    if (field.reserved) absl::StrAppend(&fact, ", reserved");
    if (field.unit != spec::Unit::kNone) {
      absl::StrAppend(&fact, ", ", std::string(spec::Name(field.unit)));
    }
    if (!field.note.empty()) absl::StrAppend(&fact, ", ", std::string(field.note));
    entry.facts.emplace_back(std::string(field.name), fact);
  }
  entry.AddClause(info.clause);
  return entry;
}

Entry OfField(const spec::LayoutInfo& layout, const spec::FieldInfo& field) {
  Entry entry{"field", absl::StrCat(std::string(layout.name), ".", std::string(field.name)), {}};
  entry.Add("place", absl::StrCat("bit ", field.bit_offset % 8, " of byte ", field.bit_offset / 8,
                                  " of the layout, from the most significant"));
  entry.Add("size", Bits(field));
  if (field.reserved) entry.Add("reserved", "sent as zero, ignored on receipt");
  if (field.unit != spec::Unit::kNone) entry.Add("unit", spec::Name(field.unit));
  entry.Add("serial", field.serial);
  entry.Add("all ones", field.all_ones);
  entry.Add("note", field.note);
  if (field.values != nullptr) {
    for (const spec::EnumValueInfo& value : field.values->values) {
      entry.facts.emplace_back(absl::StrCat("value ", value.value), std::string(value.name));
    }
  }
  entry.AddClause(layout.clause);
  return entry;
}

Entry OfNote(const char* kind, const spec::NoteInfo& info) {
  Entry entry{kind, std::string(info.name), {}};
  entry.Add("note", info.note);
  entry.AddClause(info.clause);
  return entry;
}

Entry OfChoice(const spec::ChoiceInfo& info) {
  Entry entry{"choice", std::string(info.name), {}};
  std::string domain;
  for (std::string_view name : info.names) {
    absl::StrAppend(&domain, domain.empty() ? "" : ", ", std::string(name));
  }
  if (info.names.empty()) {
    domain = absl::StrCat(info.min, " to ");
    absl::StrAppend(&domain, info.upper == spec::Upper::kNumber ? absl::StrCat(info.max)
                                                                : std::string(info.upper_name));
  }
  entry.Add("domain", domain);
  entry.Add("default", info.names.empty() ? absl::StrCat(info.default_value)
                                          : std::string(info.names[info.default_value]));
  entry.Add("determined by", info.determined_by);
  entry.Add("note", info.note);
  entry.AddClause(info.clause);
  return entry;
}

// Every named thing of the text; a name may stand for several.
std::multimap<std::string, Entry> AllEntries() {
  std::multimap<std::string, Entry> out;
  const auto add = [&](Entry entry) {
    std::string name = entry.name;
    out.emplace(std::move(name), std::move(entry));
  };
  for (const auto& clause : spec::Named<spec::Clause>::kAll) add(OfClause(clause.value));
  for (const auto& reason : spec::Named<spec::Reason>::kAll) add(OfReason(reason.value));
  for (spec::Opcode opcode : spec::kOpcodes) add(OfOpcode(opcode));
  for (const spec::LayoutInfo* layout : spec::kLayouts) {
    add(OfLayout(*layout));
    for (const spec::FieldInfo& field : layout->fields) add(OfField(*layout, field));
  }
  for (const spec::NumberInfo& info : spec::kConstants) add(OfNumber("constant", info));
  for (const spec::NumberInfo& info : spec::kProfileParameters) {
    add(OfNumber("profile parameter", info));
  }
  for (const spec::ChoiceInfo& info : spec::kChoices) add(OfChoice(info));
  for (const spec::NoteInfo& info : spec::kCounters) add(OfNote("counter", info));
  for (const spec::NoteInfo& info : spec::kCapabilities) add(OfNote("capability", info));
  for (const spec::NoteInfo& info : spec::kFlags) add(OfNote("flag", info));
  return out;
}

// What has this name, else what has it in another case, else the opcode with this number.
std::vector<const Entry*> Find(const std::multimap<std::string, Entry>& all,
                               const std::string& name) {
  std::vector<const Entry*> found;
  const auto [begin, end] = all.equal_range(name);
  for (auto it = begin; it != end; ++it) found.push_back(&it->second);
  if (!found.empty()) return found;
  for (const auto& [other, entry] : all) {
    if (absl::EqualsIgnoreCase(other, name)) found.push_back(&entry);
  }
  uint32_t number = 0;
  const bool hex = absl::StartsWithIgnoreCase(name, "0x");
  if (hex ? !absl::SimpleHexAtoi(name, &number) : !absl::SimpleAtoi(name, &number)) return found;
  for (spec::Opcode opcode : spec::kOpcodes) {
    if (static_cast<uint32_t>(opcode) != number) continue;
    const auto [first, last] = all.equal_range(std::string(spec::Name(opcode)));
    for (auto it = first; it != last; ++it) {
      if (it->second.kind == "opcode") found.push_back(&it->second);
    }
  }
  return found;
}

void Print(const Entry& entry, std::ostream& out) {
  out << entry.kind << " " << entry.name << "\n";
  for (const auto& [name, value] : entry.facts) {
    out << absl::StreamFormat("  %-14s %s\n", name, value);
  }
}

JsonValue ToJson(const Entry& entry) {
  JsonValue value = JsonValue::Object();
  value.Add("kind", JsonValue::String(entry.kind));
  value.Add("name", JsonValue::String(entry.name));
  JsonValue facts = JsonValue::Object();
  for (const auto& [name, text] : entry.facts) facts.Add(name, JsonValue::String(text));
  value.Add("facts", std::move(facts));
  return value;
}

void PrintOverview(std::ostream& out) {
  out << VersionText() << "\n";
  size_t must = 0;
  size_t unproven = 0;
  std::string chapter;
  for (const auto& item : spec::Named<spec::Clause>::kAll) {
    const spec::ClauseInfo& info = spec::Info(item.value);
    must += info.level == spec::Level::kMust ? 1 : 0;
    unproven += info.unproven.empty() ? 0 : 1;
    if (chapter != info.chapter) {
      chapter = std::string(info.chapter);
      out << "spec/" << chapter << (info.final ? "" : " (draft)") << "\n";
    }
    out << absl::StreamFormat("  %-34s %s\n", std::string(info.id),
                              std::string(spec::Name(info.level)));
  }
  out << spec::Named<spec::Clause>::kAll.size() << " clauses, " << must << " MUST, " << unproven
      << " unproven. `metaroce spec NAME` shows one, or an opcode, layout, reason, constant, "
         "choice, counter, capability or flag; an opcode by its number too, and a field as "
         "LAYOUT.FIELD.\n";
}

}  // namespace

std::string VersionText() {
  return absl::StrCat(
      "metaroce ", std::string(spec::kVersion), ", text ", std::string(spec::kHash.substr(0, 16)),
      "\nAn independent specification of MetaRoCE, written from public statements only; not the "
      "official one.");
}

int Spec(const SpecOptions& options, const Streams& streams) {
  if (options.names.empty() && !options.json) {
    PrintOverview(streams.out);
    return kOk;
  }
  const std::multimap<std::string, Entry> all = AllEntries();
  JsonValue list = JsonValue::Array();
  int exit = kOk;
  const auto show = [&](const Entry& entry) {
    if (options.json) {
      list.Add(ToJson(entry));
    } else {
      Print(entry, streams.out);
    }
  };
  if (options.names.empty()) {
    for (const auto& [name, entry] : all) show(entry);
  }
  for (const std::string& name : options.names) {
    const std::vector<const Entry*> found = Find(all, name);
    if (found.empty()) {
      streams.err << "the text has no \"" << vectors::Printable(vectors::Shorten(name, 80))
                  << "\".\n";
      exit = kBadInput;
    }
    for (const Entry* entry : found) show(*entry);
  }
  if (options.json) streams.out << vectors::WriteJson(list);
  return exit;
}

}  // namespace metaroce::cli
