#include "conformance/promote/fields.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "spec/tables.h"

namespace metaroce::promote {
namespace {

const char* NameOf(WorkKind kind) {
  switch (kind) {
    case WorkKind::kWrite:
      return "write";
    case WorkKind::kWriteImmediate:
      return "write-immediate";
    case WorkKind::kSend:
      return "send";
    case WorkKind::kSendImmediate:
      return "send-immediate";
    case WorkKind::kSendInvalidate:
      return "send-invalidate";
    case WorkKind::kRead:
      return "read";
    case WorkKind::kFetchAdd:
      return "fetch-add";
    case WorkKind::kCompareSwap:
      return "compare-swap";
  }
  return "write";
}

}  // namespace

void AddNumber(absl::string_view name, uint64_t value, vectors::Fields* out) {
  vectors::Field* field = out->add_field();
  field->set_name(std::string(name));
  field->set_number(value);
}

void AddUnlessZero(absl::string_view name, uint64_t value, vectors::Fields* out) {
  if (value != 0) AddNumber(name, value, out);
}

void AddWord(absl::string_view name, absl::string_view value, vectors::Fields* out) {
  vectors::Field* field = out->add_field();
  field->set_name(std::string(name));
  field->set_word(std::string(value));
}

bool AddConstants(const Profile& profile, vectors::Fields* out) {
  static constexpr spec::Constant kNegotiated[] = {
      spec::Constant::kCsnRange,     spec::Constant::kMtu,   spec::Constant::kStreams,
      spec::Constant::kOpenMessages, spec::Constant::kReads, spec::Constant::kPaths,
      spec::Constant::kHintUnit};
  const Profile defaults;
  bool any = false;
  for (const auto& named : spec::Named<spec::Constant>::kAll) {
    if (profile[named.value] == defaults[named.value]) continue;
    if (std::find(std::begin(kNegotiated), std::end(kNegotiated), named.value) !=
        std::end(kNegotiated)) {
      continue;
    }
    AddNumber({named.name.data(), named.name.size()}, profile[named.value], out);
    any = true;
  }
  return any;
}

vectors::Fields PostOf(const WorkRequest& work) {
  vectors::Fields post;
  AddWord("kind", NameOf(work.kind), &post);
  AddNumber("id", work.id, &post);
  AddUnlessZero("stream", work.stream, &post);
  AddUnlessZero("length", work.length, &post);
  AddUnlessZero("local", work.local, &post);
  AddUnlessZero("address", work.address, &post);
  AddUnlessZero("rkey", work.rkey, &post);
  AddUnlessZero("word", work.word, &post);
  AddUnlessZero("operand", work.operand, &post);
  AddUnlessZero("compare", work.compare, &post);
  AddUnlessZero("fence", work.fenced, &post);
  AddUnlessZero("solicited", work.solicited, &post);
  return post;
}

}  // namespace metaroce::promote
