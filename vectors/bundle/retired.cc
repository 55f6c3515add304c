#include "vectors/bundle/retired.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "vectors/file.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

constexpr size_t kMaxListBytes = size_t{1} << 20;
constexpr size_t kMaxNameBytes = 400;

// Keeps the first complaint.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  std::string text;
};

// The ids from `begin` on, each the successor of the one before, as far as they are retired.
std::vector<std::string> ChainFrom(const std::string& begin,
                                   const std::map<std::string, const Retired*>& by_id) {
  std::vector<std::string> chain;
  std::set<std::string> seen;
  std::string id = begin;
  for (auto at = by_id.find(id); at != by_id.end(); at = by_id.find(id)) {
    chain.push_back(id);
    if (!seen.insert(id).second) return chain;
    id = at->second->replaced_by();
  }
  return chain;
}

class Checker {
 public:
  Checker(const RetiredList& list, const std::vector<StoredVector>& vectors, Vectors which)
      : list_(list), which_(which) {
    for (const StoredVector& stored : vectors) living_.insert(stored.vector.id());
  }

  std::vector<Finding> Run() {
    for (int i = 0; i < list_.retired_size(); ++i) CheckNames(i);
    for (int i = 0; i < list_.retired_size(); ++i) CheckSuccessor(i);
    return std::move(findings_);
  }

 private:
  void Add(int i, absl::string_view member, std::string sentence) {
    findings_.push_back({absl::StrCat("retired[", i, "].", member), std::move(sentence)});
  }

  void CheckText(int i, absl::string_view member, const std::string& text) {
    if (text.empty()) return Add(i, member, "This is missing.");
    if (text.size() > kMaxNameBytes || Printable(text) != text) {
      Add(i, member,
          absl::StrCat("This has more than ", kMaxNameBytes, " bytes or a control character."));
    }
  }

  void CheckNames(int i) {
    const Retired& retired = list_.retired(i);
    CheckText(i, "id", retired.id());
    CheckText(i, "version", retired.version());
    CheckText(i, "clause", retired.clause());
    CheckText(i, "reason", retired.reason());
    const std::string shown = Printable(Shorten(retired.id(), 80));
    //= CONF-VECTOR-RETIRED
    //# An id that a published vector had is never the id of another.
    if (living_.count(retired.id()) > 0) {
      Add(i, "id", absl::StrCat("A vector has the id ", shown, ", which is retired."));
    }
    if (!by_id_.emplace(retired.id(), &retired).second) {
      Add(i, "id", absl::StrCat(shown, " stands there twice."));
    } else if (i > 0 && retired.id() < list_.retired(i - 1).id()) {
      Add(i, "id", absl::StrCat(shown, " is not in the order of the ids."));
    }
  }

  void CheckSuccessor(int i) {
    const std::string& next = list_.retired(i).replaced_by();
    if (next.empty() || living_.count(next) > 0) return;
    if (by_id_.count(next) == 0) {
      //= CONF-BUNDLE
      //# a successor need not be among its vectors.
      if (which_ == Vectors::kSome) return;
      return Add(
          i, "replaced_by",
          absl::StrCat("There neither is nor was a vector ", Printable(Shorten(next, 80)), "."));
    }
    std::vector<std::string> chain = ChainFrom(list_.retired(i).id(), by_id_);
    if (chain.size() < 2 || chain.back() != chain.front()) return;
    if (chain.size() > 6) chain.erase(chain.begin() + 3, chain.end() - 2);
    for (std::string& id : chain) id = Printable(Shorten(id, 80));
    Add(i, "replaced_by",
        absl::StrCat("The successors go round in a circle: ", absl::StrJoin(chain, ", "), "."));
  }

  const RetiredList& list_;
  const Vectors which_;
  std::set<std::string> living_;
  std::map<std::string, const Retired*> by_id_;
  std::vector<Finding> findings_;
};

// The vector without what a person alone reads, and what names clauses.
Vector Bare(const Vector& vector) {
  Vector out = vector;
  out.clear_title();
  out.clear_clauses();
  out.clear_negative();
  out.clear_flags();
  out.clear_provenance();
  for (Step& step : *out.mutable_steps()) {
    step.clear_clause();
    step.clear_note();
  }
  return out;
}

// The first member of `now` that differs from `before`, both bare; empty if none does.
std::string FirstDifference(const Vector& before, const Vector& now) {
  if (before.SerializeAsString() == now.SerializeAsString()) return "";
  const auto differs = [](const auto& a, const auto& b) {
    if (a.size() != b.size()) return true;
    for (int i = 0; i < a.size(); ++i) {
      if (a[i].SerializeAsString() != b[i].SerializeAsString()) return true;
    }
    return false;
  };
  if (before.level() != now.level()) return "level";
  if (before.block() != now.block()) return "block";
  if (!std::equal(before.capabilities().begin(), before.capabilities().end(),
                  now.capabilities().begin(), now.capabilities().end())) {
    return "capabilities";
  }
  if (differs(before.profile(), now.profile())) return "profile";
  if (before.config().SerializeAsString() != now.config().SerializeAsString()) return "config";
  for (int i = 0; i < before.steps_size() && i < now.steps_size(); ++i) {
    if (before.steps(i).SerializeAsString() != now.steps(i).SerializeAsString()) {
      return absl::StrCat("steps[", i, "]");
    }
  }
  return before.steps_size() != now.steps_size() ? "steps" : "ignore";
}

}  // namespace

absl::StatusOr<RetiredList> ParseRetired(absl::string_view text, absl::string_view file) {
  RetiredList list;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(std::string(text), &list)) {
    return absl::InvalidArgumentError(absl::StrCat(file, ":", Printable(Shorten(error.text, 300))));
  }
  return list;
}

absl::StatusOr<RetiredList> LoadRetired(const std::string& root) {
  const std::string path = (std::filesystem::path(root) / kRetiredFile).string();
  const absl::StatusOr<std::string> text = ReadFile(path, kMaxListBytes);
  if (absl::IsNotFound(text.status())) return RetiredList();
  if (!text.ok()) return text.status();
  return ParseRetired(*text, path);
}

std::vector<Finding> CheckRetired(const RetiredList& list, const std::vector<StoredVector>& vectors,
                                  Vectors which) {
  return Checker(list, vectors, which).Run();
}

std::vector<std::string> CompareWithEarlier(const Tree& earlier, const Tree& now,
                                            const RetiredList& retired) {
  std::map<std::string, const StoredVector*> by_id;
  for (const StoredVector& stored : now.vectors) by_id[stored.vector.id()] = &stored;
  std::set<std::string> ended;
  for (const Retired& entry : retired.retired()) ended.insert(entry.id());
  std::vector<std::string> out;
  for (const StoredVector& before : earlier.vectors) {
    const auto found = by_id.find(before.vector.id());
    if (found == by_id.end()) {
      if (ended.count(before.vector.id()) > 0) continue;
      out.push_back(absl::StrCat(before.path, ": id: The vector is gone, and ", kRetiredFile,
                                 " does not have it (CONF-VECTOR-RETIRED)."));
      continue;
    }
    //= CONF-VECTOR-STAYS
    //# gives, expects and requires the same as long as it has its id.
    const std::string member = FirstDifference(Bare(before.vector), Bare(found->second->vector));
    if (member.empty()) continue;
    out.push_back(absl::StrCat(found->second->path, ": ", member,
                               ": This is not as it was published. A vector that gives, expects or "
                               "requires something else has another id (CONF-VECTOR-STAYS)."));
  }
  return out;
}

}  // namespace metaroce::vectors
