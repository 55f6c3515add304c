#include "spec/compiler/frontend/refusal_testing.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/frontend/compile.h"

namespace metaroce::compiler {
namespace {

constexpr char kBase[] = R"(# 0. Base

Status: final.

**B-A** (MUST, OURS). A clause.

```textproto
layout {
  name: "common" clause: "B-A"
  field { name: "version" bits: 4 } field { name: "reserved_0" bits: 4 reserved: true }
  field { name: "opcode" bits: 8 enum: "opcode" }
  field { name: "blocks" bits: 4 }
  field { name: "color" bits: 4 enum: "color" }
  field { name: "reason" bits: 8 enum: "reason" }
}
layout {
  name: "block" clause: "B-A"
  field { name: "code" bits: 1 }
  field { name: "reserved_0" bits: 31 reserved: true }
  bitmap { name: "bits" selected_by: "code" lengths: [0, 64] }
}
enum { name: "color" clause: "B-A" value { name: "red" value: 1 } }
opcode_class { class: DATA value: 0 clause: "B-A" }
opcode_class { class: NACK value: 2 clause: "B-A" }
opcode { name: "write" value: 1 class: DATA clause: "B-A" header: "common" tail: PAYLOAD }
opcode {
  name: "ack" value: 2 class: DATA clause: "B-A" header: "common" tail: PATH_BLOCKS
  repeat: "block" count_field: "common.blocks" count_min: 1 count_max: 4
}
opcode { name: "no" value: 129 class: NACK clause: "B-A" header: "common" tail: EMPTY }
reserved_opcodes { first: 62 last: 63 clause: "B-A" }
check { name: "lengths" clause: "B-A" }
counter { name: "dropped" clause: "B-A" }
reason {
  name: "too-short" code: 1 check: "lengths" disposition: DROP counter: "dropped" clause: "B-A"
}
constant { name: "every" default: 8 min: 1 max: 16 clause: "B-A" }
profile { name: "delay" default: 5 min: 0 max: 9 clause: "B-A" }
derived { name: "full" layout: "common" plus: 4 clause: "B-A" }
choice {
  name: "moment" clause: "B-A" range { max_profile: "delay" } default: "5"
  determined_by: "the packet"
}
cross_rule {
  name: "delay-short" clause: "B-A" left { name: "delay" } relation: "<" right { name: "every" }
  sentence: "delay must be less than every"
}
machine {
  name: "path" clause: "B-A" state: ["FREE", "USED"] event: ["OPEN"]
  on { state: "FREE" event: "OPEN" next: "USED" }
  on { state: "USED" event: "OPEN" ignored: "dropped" }
}
capability { name: "codec" clause: "B-A" }
flag { name: "LATE" note: "late" }
```
)";

std::string Print(const std::vector<SourceFile>& chapters) {
  std::string out;
  for (const Problem& problem : Compile(chapters).problems) {
    absl::StrAppend(&out, problem.ToString(), "\n");
  }
  return out;
}

SourceFile DataChapter(absl::string_view data) {
  return {"t.md", absl::StrCat("# 1. Test\n\nStatus: final.\n\n**C-A** (MUST, OURS). A clause.\n",
                               "\nWords.\n\n```textproto\n", data, "\n```\n")};
}

}  // namespace

absl::string_view BaseChapter() { return kBase; }

std::string ProblemsOfChapter(absl::string_view chapter) {
  return Print({{"t.md", std::string(chapter)}});
}

std::string ProblemsOfData(absl::string_view data) {
  return Print({{"base.md", kBase}, DataChapter(data)});
}

std::string ProblemsOfDataAlone(absl::string_view data) { return Print({DataChapter(data)}); }

}  // namespace metaroce::compiler
