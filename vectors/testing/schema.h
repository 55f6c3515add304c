// JSON Schema, as much of draft 7 as vector.schema.json uses. A keyword that is not known here is
// an error, so that no rule of the schema is passed over in silence.
#ifndef METAROCE_VECTORS_TESTING_SCHEMA_H_
#define METAROCE_VECTORS_TESTING_SCHEMA_H_

#include <string>
#include <utility>
#include <vector>

#include "vectors/json_tree.h"

namespace metaroce::vectors {

class Schema {
 public:
  explicit Schema(JsonValue root) : root_(std::move(root)) {}

  // Why `value` does not fit, "place: sentence" each; empty if it does.
  std::vector<std::string> Validate(const JsonValue& value) const;

  // The named schema of "definitions", or null.
  const JsonValue* Definition(const std::string& name) const;

 private:
  void Check(const JsonValue& schema, const JsonValue& value, const std::string& place,
             std::vector<std::string>& faults) const;
  void CheckObject(const JsonValue& schema, const JsonValue& value, const std::string& place,
                   std::vector<std::string>& faults) const;
  void CheckLeaf(const std::string& keyword, const JsonValue& rule, const JsonValue& value,
                 const std::string& place, std::vector<std::string>& faults) const;

  JsonValue root_;
};

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_TESTING_SCHEMA_H_
