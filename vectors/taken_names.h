// The names under which a vector takes numbers over (CONF-TAKEN), for vectors/lint.cc.
#ifndef METAROCE_VECTORS_TAKEN_NAMES_H_
#define METAROCE_VECTORS_TAKEN_NAMES_H_

#include <map>
#include <string>
#include <vector>

#include "vectors/lint.h"
#include "vectors/records.h"
#include "vectors/vector.pb.h"

namespace metaroce::vectors {

class TakenNames {
 public:
  // What may be done with a name where it stands.
  enum class Place { kNone, kUsed, kTaken };

  // `findings` outlives this.
  explicit TakenNames(std::vector<Finding>& findings) : findings_(findings) {}

  // What is looked at from here on stands in this step.
  void Enter(int step, Place place);
  // The same for the outcomes of its `one_of`.
  void EnterOutcomes();
  // A field that is a name; the rule of the field is that of a number.
  void Look(const std::string& member, const FieldRule& rule, const Field& field);
  // All steps have been looked at.
  void Finish();

 private:
  struct Name {
    int bits;
    int step;
    bool used;
  };
  struct Use {
    std::string name;
    std::string member;
  };

  void Add(std::string member, std::string sentence) {
    findings_.push_back({std::move(member), std::move(sentence)});
  }

  std::vector<Finding>& findings_;
  int step_ = 0;
  Place place_ = Place::kNone;
  std::map<std::string, Name> names_;
  std::vector<Use> early_;  // of names that nothing had taken over there
};

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_TAKEN_NAMES_H_
