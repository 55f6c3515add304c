#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "spec/compiler/frontend/context.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

// A sum that does not wrap: once too great, it stays at the top.
class Sum {
 public:
  void Add(uint64_t value, uint64_t factor) {
    uint64_t product;
    if (__builtin_mul_overflow(value, factor, &product) ||
        __builtin_add_overflow(total_, product, &total_)) {
      overflow_ = true;
    }
  }
  bool overflow() const { return overflow_; }
  uint64_t total() const { return total_; }

 private:
  uint64_t total_ = 0;
  bool overflow_ = false;
};

// For constants and profile parameters alike.
template <typename T>
void CheckRange(Context& context, const T& item, const std::string& who) {
  if (item.min() > item.max()) {
    context.Refuse(
        item, T::kMinFieldNumber,
        absl::StrCat("the range ", item.min(), " to ", item.max(), " of ", who, " is empty."));
  } else if (item.default_() < item.min() || item.default_() > item.max()) {
    context.Refuse(item, T::kDefaultFieldNumber,
                   absl::StrCat("the default ", item.default_(), " of ", who,
                                " is outside its range ", item.min(), " to ", item.max(), "."));
  }
}

void CheckConstants(Context& context) {
  for (const Constant& item : context.data().constant()) {
    const std::string who = The("constant", item.name());
    if (item.fixed() && (item.min() != item.max() || item.min() != item.default_())) {
      context.Refuse(item, Constant::kFixedFieldNumber,
                     absl::StrCat(who, " is fixed, but min, max and default are not the same."));
      continue;
    }
    CheckRange(context, item, who);
  }
  for (const ProfileParameter& item : context.data().profile()) {
    CheckRange(context, item, The("profile parameter", item.name()));
  }
}

// The greatest number of the range while every parameter has its default; nothing if words say it.
std::optional<uint64_t> UpperBound(Context& context, const Range& range, const std::string& who) {
  switch (range.upper_case()) {
    case Range::kMax:
      return range.max();
    case Range::kMaxProfile:
      if (const ProfileParameter* item = context.profile.Find(range.max_profile())) {
        return item->default_();
      }
      context.Refuse(range, Range::kMaxProfileFieldNumber,
                     NamesUnknown(who, "profile parameter", range.max_profile()));
      return std::nullopt;
    case Range::kMaxConstant:
      if (const Constant* item = context.constants.Find(range.max_constant())) {
        return item->default_();
      }
      context.Refuse(range, Range::kMaxConstantFieldNumber,
                     NamesUnknown(who, "constant", range.max_constant()));
      return std::nullopt;
    case Range::kMaxExpression:
      return std::nullopt;
    case Range::UPPER_NOT_SET:
      context.Refuse(range, absl::StrCat("the range of ", who, " has no upper bound."));
      return std::nullopt;
  }
  return std::nullopt;
}

void CheckRangeChoice(Context& context, const Choice& choice) {
  const std::string who = The("choice", choice.name());
  const Range& range = choice.range();
  const std::optional<uint64_t> upper = UpperBound(context, range, who);
  if (upper.has_value() && *upper < range.min()) {
    context.Refuse(
        range, absl::StrCat("the range ", range.min(), " to ", *upper, " of ", who, " is empty."));
    return;
  }
  uint64_t value = 0;
  if (!absl::SimpleAtoi(choice.default_(), &value)) {
    context.Refuse(
        choice, Choice::kDefaultFieldNumber,
        absl::StrCat("the default '", choice.default_(), "' of ", who, " is not a number."));
  } else if (value < range.min() || (upper.has_value() && value > *upper)) {
    context.Refuse(choice, Choice::kDefaultFieldNumber,
                   absl::StrCat("the default ", value, " of ", who, " is outside its domain."));
  }
}

void CheckNamesChoice(Context& context, const Choice& choice) {
  const std::string who = The("choice", choice.name());
  if (choice.names().name().empty()) {
    context.Refuse(choice, absl::StrCat(who, " has an empty domain."));
    return;
  }
  for (const std::string& name : choice.names().name()) {
    if (name == choice.default_()) return;
  }
  context.Refuse(
      choice, Choice::kDefaultFieldNumber,
      absl::StrCat("the default '", choice.default_(), "' of ", who, " is outside its domain."));
}

//= CHOICE-NAMED
//# Every freedom that this text leaves to an implementation and that a peer can observe is a named
//# choice with a domain.
void CheckChoices(Context& context) {
  for (const Choice& choice : context.data().choice()) {
    const std::string who = The("choice", choice.name());
    if (choice.has_range()) {
      CheckRangeChoice(context, choice);
    } else if (choice.has_names()) {
      CheckNamesChoice(context, choice);
    } else {
      context.Refuse(choice, absl::StrCat(who, " has no domain."));
    }
    //= CHOICE-DETERMINED
    //# The choice says which packet or field that is.
    if (choice.determined_by().empty()) {
      context.Refuse(choice, absl::StrCat(who,
                                          " does not say what determines it "
                                          "(determined_by)."));
    }
  }
}

// The value of one side with all defaults; nothing if it cannot be computed.
std::optional<uint64_t> Evaluate(Context& context, const CrossRule& rule,
                                 const google::protobuf::RepeatedPtrField<Term>& terms) {
  const std::string who = The("cross rule", rule.name());
  if (terms.empty()) {
    context.Refuse(rule, absl::StrCat("a side of ", who, " is empty."));
    return std::nullopt;
  }
  Sum sum;
  bool known = true;
  for (const Term& term : terms) {
    const uint64_t factor = term.factor() == 0 && !term.name().empty() ? 1 : term.factor();
    if (term.name().empty()) {
      sum.Add(1, factor);
    } else if (const Constant* constant = context.constants.Find(term.name())) {
      sum.Add(constant->default_(), factor);
    } else if (const ProfileParameter* parameter = context.profile.Find(term.name())) {
      sum.Add(parameter->default_(), factor);
    } else {
      context.Refuse(term, Term::kNameFieldNumber,
                     NamesUnknown(who, "constant or profile parameter", term.name()));
      known = false;
    }
  }
  if (sum.overflow()) {
    context.Refuse(rule, absl::StrCat("a side of ", who, " exceeds 64 bits."));
    return std::nullopt;
  }
  if (!known) return std::nullopt;
  return sum.total();
}

bool Holds(uint64_t left, absl::string_view relation, uint64_t right) {
  if (relation == "<=") return left <= right;
  if (relation == "<") return left < right;
  return left == right;
}

void CheckCrossRules(Context& context) {
  for (const CrossRule& rule : context.data().cross_rule()) {
    const std::string who = The("cross rule", rule.name());
    const absl::string_view relation = rule.relation();
    const bool is_relation = relation == "<=" || relation == "<" || relation == "=";
    if (!is_relation) {
      context.Refuse(
          rule, CrossRule::kRelationFieldNumber,
          absl::StrCat("the relation '", relation, "' of ", who, " is not one of '<=', '<', '='."));
    }
    if (rule.sentence().empty()) {
      context.Refuse(rule, absl::StrCat(who, " has no sentence to tell when it is broken."));
    }
    const std::optional<uint64_t> left = Evaluate(context, rule, rule.left());
    const std::optional<uint64_t> right = Evaluate(context, rule, rule.right());
    if (!is_relation || !left.has_value() || !right.has_value()) continue;
    if (Holds(*left, relation, *right)) continue;
    context.Refuse(rule, absl::StrCat(who, " is broken by the defaults: ", *left, " ", relation,
                                      " ", *right, " does not hold."));
  }
}

void CheckDerived(Context& context) {
  for (const Derived& item : context.data().derived()) {
    const std::string who = The("derived number", item.name());
    if (item.layout().empty()) {
      context.Refuse(item, NamesUnknown(who, "layout", ""));
    }
    for (int i = 0; i < item.layout_size(); ++i) {
      if (context.layouts.Has(item.layout(i))) continue;
      context.Refuse(item, Derived::kLayoutFieldNumber, i,
                     NamesUnknown(who, "layout", item.layout(i)));
    }
    if (item.plus() > std::numeric_limits<uint32_t>::max()) {
      context.Refuse(
          item, Derived::kPlusFieldNumber,
          absl::StrCat("the ", item.plus(), " bytes added to ", who, " exceed 32 bits."));
    }
  }
}

}  // namespace

void CheckNumbers(Context& context) {
  CheckConstants(context);
  CheckChoices(context);
  CheckCrossRules(context);
  CheckDerived(context);
}

}  // namespace metaroce::compiler
