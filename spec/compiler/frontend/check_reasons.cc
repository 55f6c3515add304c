#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "spec/compiler/frontend/context.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

constexpr uint32_t kMaxCode = 255;

// Whether packets of the disposition are answered by a NACK that the reason names.
enum class Answer { kNone, kOptional, kNeeded };

Answer AnswerOf(Disposition disposition) {
  switch (disposition) {
    case NACK_CONNECTION:
    case NACK_FATAL:
      return Answer::kNeeded;
    case DROP_NACK_EPOCH:
      return Answer::kOptional;
    default:
      return Answer::kNone;
  }
}

void CheckNack(Context& context, const Reason& reason) {
  const std::string who = The("reason", reason.name());
  const Answer answer = AnswerOf(reason.disposition());
  if (reason.nack().empty()) {
    if (answer != Answer::kNeeded) return;
    context.Refuse(reason,
                   absl::StrCat(who, " is answered by ", Disposition_Name(reason.disposition()),
                                ", but names no opcode of the NACK."));
    return;
  }
  if (answer == Answer::kNone) {
    context.Refuse(reason, Reason::kNackFieldNumber,
                   absl::StrCat(who, " names a NACK, but its disposition ",
                                Disposition_Name(reason.disposition()), " sends none."));
    return;
  }
  const Opcode* opcode = context.opcodes.Find(reason.nack());
  if (opcode == nullptr) {
    context.Refuse(reason, Reason::kNackFieldNumber, NamesUnknown(who, "opcode", reason.nack()));
  } else if (opcode->class_() != NACK) {
    context.Refuse(reason, Reason::kNackFieldNumber,
                   absl::StrCat(who, " is answered by '", reason.nack(),
                                "', which is not of the class NACK."));
  }
}

}  // namespace

void CheckReasons(Context& context) {
  absl::flat_hash_map<uint32_t, const Reason*> codes;
  for (const Reason& reason : context.data().reason()) {
    const std::string who = The("reason", reason.name());
    if (reason.code() == 0 || reason.code() > kMaxCode) {
      context.Refuse(reason, Reason::kCodeFieldNumber,
                     absl::StrCat("the code ", reason.code(), " of ", who, " is not within 1 to ",
                                  kMaxCode, "."));
    } else if (auto [other, is_new] = codes.try_emplace(reason.code(), &reason); !is_new) {
      context.Refuse(reason, Reason::kCodeFieldNumber,
                     absl::StrCat("the code ", reason.code(), " of ", who, " is that of ",
                                  The("reason", other->second->name()), " at ",
                                  context.Show(*other->second), "."));
    }
    if (!context.checks.Has(reason.check())) {
      context.Refuse(reason, Reason::kCheckFieldNumber, NamesUnknown(who, "check", reason.check()));
    }
    if (!context.counters.Has(reason.counter())) {
      context.Refuse(reason, Reason::kCounterFieldNumber,
                     NamesUnknown(who, "counter", reason.counter()));
    }
    if (reason.disposition() == DISPOSITION_UNSPECIFIED) {
      context.Refuse(reason, absl::StrCat(who, " has no disposition."));
    } else {
      CheckNack(context, reason);
    }
  }
}

}  // namespace metaroce::compiler
