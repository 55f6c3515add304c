#include "spec/compiler/permuted/permute.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/text_format.h"

namespace metaroce::compiler {
namespace {

// A generator with the constants of MMIX: only the same order everywhere matters.
class Numbers {
 public:
  explicit Numbers(const std::string& seed) {
    for (char c : seed) Below(2), state_ ^= static_cast<unsigned char>(c);
  }

  // 0 .. limit - 1, limit > 0.
  uint32_t Below(uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33) % limit;
  }

 private:
  uint64_t state_ = 1;
};

bool IsSame(const Layout& a, const Layout& b) {
  for (int i = 0; i < a.field_size(); ++i) {
    if (a.field(i).name() != b.field(i).name()) return false;
  }
  return true;
}

void Shuffle(Layout& layout) {
  const Layout before = layout;
  Numbers numbers(layout.name());
  while (layout.field_size() > 1 && IsSame(layout, before)) {
    for (int i = layout.field_size() - 1; i > 0; --i) {
      layout.mutable_field()->SwapElements(i, static_cast<int>(numbers.Below(i + 1)));
    }
  }
}

}  // namespace

std::string PermutedChapter(const Spec& spec) {
  std::string out = "# 99. Permuted layouts\n\nStatus: draft.\n\n";
  for (const Clause& clause : spec.clause()) {
    absl::StrAppend(&out, "**", clause.id(), "** (INFO, OURS). Its words stand in ",
                    clause.chapter(), ".\n\n");
  }
  Data data = spec.data();
  for (Layout& layout : *data.mutable_layout()) Shuffle(layout);
  std::string block;
  google::protobuf::TextFormat::PrintToString(data, &block);
  absl::StrAppend(&out, "```textproto\n", block, "```\n");
  return out;
}

}  // namespace metaroce::compiler
