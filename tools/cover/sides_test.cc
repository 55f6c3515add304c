#include "tools/cover/sides.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace metaroce::cover {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

vectors::Vector Read(const std::string& text) {
  vectors::Vector vector;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &vector)) << text;
  return vector;
}

TEST(SideTableTest, AnEffectIsPositiveARejectionNegativeAndNothingNeither) {
  SideTable table;
  table.Add(Read("id: 'effect' clauses: 'ACK-ECHO' steps { expect { completion {} } }"));
  table.Add(Read("id: 'rejects' clauses: 'ACK-ECHO' steps { expect { reject: 'icrc' } }"));
  table.Add(Read("id: 'nothing' clauses: 'ACK-ECHO' steps { expect { nothing {} } }"));
  table.Add(
      Read("id: 'either' clauses: 'ACK-ECHO' steps { expect { one_of { outcomes { reject: "
           "'icrc' } outcomes { reject: 'port' } } } }"));
  EXPECT_THAT(table.of(spec::Clause::kAckEcho).positive, ElementsAre("effect"));
  EXPECT_THAT(table.of(spec::Clause::kAckEcho).negative, ElementsAre("rejects", "either"));
}

TEST(SideTableTest, WhatIsListedIsNegativeAndAStepNamesItsClauseToo) {
  SideTable table;
  table.Add(
      Read("id: 'v' clauses: 'ACK-ECHO' clauses: 'ACK-HOLD' negative: 'ACK-HOLD' "
           "steps { clause: 'ACK-BITMAP' expect { packet {} } }"));
  EXPECT_THAT(table.of(spec::Clause::kAckEcho).negative, IsEmpty());
  EXPECT_THAT(table.of(spec::Clause::kAckHold).positive, ElementsAre("v"));
  EXPECT_THAT(table.of(spec::Clause::kAckHold).negative, ElementsAre("v"));
  EXPECT_THAT(table.of(spec::Clause::kAckBitmap).positive, ElementsAre("v"));
}

TEST(SideTableTest, AMustWithoutAVectorAndWithoutAReasonLacksBothSides) {
  const SideTable table;
  EXPECT_THAT(table.Gaps(spec::Clause::kAckEcho), ElementsAre("positive", "negative"));
  EXPECT_THAT(table.Gaps(spec::Clause::kAckState), IsEmpty()) << "it is INFO";
  EXPECT_THAT(table.Gaps(spec::Clause::kConfVerdict), IsEmpty()) << "it has a reason for both";
  EXPECT_THAT(table.Gaps(spec::Clause::kCcKb), ElementsAre("positive")) << "a reason for one";
}

TEST(SideTableTest, AVectorContradictsTheReasonWhyThereIsNone) {
  SideTable table;
  EXPECT_EQ(table.Problem(spec::Clause::kCcKb), "");
  table.Add(Read("id: 'v' clauses: 'CC-KB' negative: 'CC-KB' steps { expect { packet {} } }"));
  EXPECT_EQ(table.Problem(spec::Clause::kCcKb),
            "is marked to have no negative vector, and v is one");
}

}  // namespace
}  // namespace metaroce::cover
