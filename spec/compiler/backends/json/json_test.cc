#include "spec/compiler/backends/json/json.h"

#include <string>

#include "absl/status/statusor.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"

namespace metaroce::compiler {
namespace {

Spec TestSpec() {
  Spec spec;
  spec.set_version("1.2.3");
  Clause& clause = *spec.add_clause();
  clause.set_id("A-B");
  clause.set_level(MUST);
  clause.set_text("Say \"so\".");
  Provenance& provenance = *clause.add_provenance();
  provenance.set_source(PUBLIC);
  provenance.set_reference("P-GAP");
  Constant& constant = *spec.mutable_data()->add_constant();
  constant.set_name("ack_every");
  constant.set_default_(8);
  return spec;
}

TEST(JsonTest, HasTheNamesOfTheProtoAndEndsWithOneNewline) {
  const absl::StatusOr<std::string> json = GenerateJson(TestSpec());
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(*json, R"({
 "version": "1.2.3",
 "clause": [
  {
   "id": "A-B",
   "level": "MUST",
   "provenance": [
    {
     "source": "PUBLIC",
     "reference": "P-GAP"
    }
   ],
   "text": "Say \"so\"."
  }
 ],
 "data": {
  "constant": [
   {
    "name": "ack_every",
    "default": "8"
   }
  ]
 }
}
)");
}

TEST(JsonTest, HoldsTheWholeSpec) {
  const absl::StatusOr<std::string> json = GenerateJson(TestSpec());
  ASSERT_TRUE(json.ok());
  Spec parsed;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(*json, &parsed).ok());
  EXPECT_EQ(parsed.SerializeAsString(), TestSpec().SerializeAsString());
}

}  // namespace
}  // namespace metaroce::compiler
