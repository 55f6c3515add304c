#include "spec/compiler/backends/cpp/cpp.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace metaroce::compiler {
namespace {

Layout& AddLayout(Spec& spec, const std::string& name) {
  Layout& layout = *spec.mutable_data()->add_layout();
  layout.set_name(name);
  Field& field = *layout.add_field();
  field.set_name("all");
  field.set_bits(32);
  return layout;
}

std::string RefusalOf(const Spec& spec) {
  return std::string(GenerateCpp(spec).status().message());
}

TEST(CppTest, MakesFourFiles) {
  const absl::StatusOr<std::vector<OutputFile>> files = GenerateCpp(Spec());
  ASSERT_TRUE(files.ok());
  std::vector<std::string> paths;
  for (const OutputFile& file : *files) paths.push_back(file.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"tables.h", "tables.cc", "layouts.h", "layouts.cc"}));
}

TEST(CppTest, TheSameSpecMakesTheSameBytes) {
  Spec spec;
  AddLayout(spec, "common");
  const auto once = GenerateCpp(spec);
  const auto again = GenerateCpp(spec);
  ASSERT_TRUE(once.ok() && again.ok());
  for (size_t i = 0; i < once->size(); ++i) EXPECT_EQ((*once)[i].contents, (*again)[i].contents);
}

TEST(CppTest, RefusesALayoutNamedAsATypeOfEveryText) {
  Spec spec;
  AddLayout(spec, "reason");
  EXPECT_EQ(RefusalOf(spec),
            "the C++ type Reason would be both a type of every text and the layout 'reason'.");
}

TEST(CppTest, RefusesALayoutAndAnEnumOfOneName) {
  Spec spec;
  AddLayout(spec, "color");
  spec.mutable_data()->add_enum_()->set_name("color");
  EXPECT_EQ(RefusalOf(spec),
            "the C++ type Color would be both the layout 'color' and the enum 'color'.");
}

TEST(CppTest, RefusesALayoutNamedAsTheStatesOfAMachine) {
  Spec spec;
  AddLayout(spec, "path_state");
  spec.mutable_data()->add_machine()->set_name("path");
  EXPECT_EQ(RefusalOf(spec),
            "the C++ type PathState would be both the layout 'path_state' and the states of the "
            "machine 'path'.");
}

TEST(CppTest, ABackslashInANoteDoesNotJoinLines) {
  Spec spec;
  AddLayout(spec, "common").mutable_field(0)->set_note("ends in \\");
  const auto files = GenerateCpp(spec);
  ASSERT_TRUE(files.ok());
  EXPECT_FALSE(absl::StrContains((*files)[2].contents, "\\\n"));
  EXPECT_TRUE(absl::StrContains((*files)[0].contents, "\"ends in \\\\\""));
}

}  // namespace
}  // namespace metaroce::compiler
