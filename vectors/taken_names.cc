#include "vectors/taken_names.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

std::string Shown(absl::string_view name) { return Quoted(absl::StrCat("$", name)); }

}  // namespace

void TakenNames::Enter(int step, Place place) {
  step_ = step;
  place_ = place;
}

void TakenNames::EnterOutcomes() {
  if (place_ == Place::kTaken) place_ = Place::kUsed;
}

//= CONF-TAKEN
//# A name is taken over in no burst, in no part of `one_of` and with no number added.
void TakenNames::Look(const std::string& member, const FieldRule& rule, const Field& field) {
  const std::string& name = field.taken().name();
  if (!IsWordId(name)) {
    Add(member, absl::StrCat(Shown(name), " is not \"$\" and lower-case words and digits."));
    return;
  }
  if (place_ == Place::kNone) {
    Add(member, absl::StrCat(Shown(name),
                             " does not stand here: a name stands in a stimulus, or "
                             "in an expectation that is no burst."));
    return;
  }
  const auto known = names_.find(name);
  if (known == names_.end()) {
    if (place_ == Place::kTaken && field.taken().plus() == 0) {
      names_[name] = {rule.bits, step_, false};
    } else {
      early_.push_back({name, member});
    }
    return;
  }
  known->second.used = true;
  if (known->second.step == step_) {
    Add(member,
        absl::StrCat(Shown(name), " is taken over in this very step: it refers to itself."));
    return;
  }
  if (known->second.bits != rule.bits) {
    Add(member, absl::StrCat(Shown(name), " has ", known->second.bits, " bits, and ",
                             Quoted(field.name()), " has ", rule.bits, "."));
  }
}

void TakenNames::Finish() {
  for (const Use& use : early_) {
    const auto known = names_.find(use.name);
    if (known == names_.end()) {
      Add(use.member, absl::StrCat("No expectation before takes ", Shown(use.name), " over."));
      continue;
    }
    known->second.used = true;
    Add(use.member, absl::StrCat(Shown(use.name), " is used here, and only steps[",
                                 known->second.step, "] takes it over."));
  }
  for (const auto& [name, taken] : names_) {
    if (taken.used) continue;
    Add(absl::StrCat("steps[", taken.step, "]"),
        absl::StrCat(Shown(name), " is taken over and never used."));
  }
}

}  // namespace metaroce::vectors
