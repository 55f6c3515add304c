// The published vectors of level block hold on the model, and what a block cannot take it says.
#include <string>
#include <utility>
#include <vector>

#include "conformance/dut/dut.h"
#include "conformance/duts/model/model_dut.h"
#include "conformance/play/play.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vectors/manifest.h"
#include "vectors/records.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::HasSubstr;

using Numbers = std::vector<std::pair<std::string, uint64_t>>;
using Words = std::vector<std::pair<std::string, std::string>>;

// Words and numbers, as a record.
template <typename Fields>
void Add(const Words& words, const Numbers& numbers, Fields* fields) {
  for (const auto& [name, word] : words) {
    dut::Field* field = fields->Add();
    field->set_name(name);
    field->set_word(word);
  }
  for (const auto& [name, number] : numbers) {
    dut::Field* field = fields->Add();
    field->set_name(name);
    field->set_number(number);
  }
}

// A block with this configuration, which takes one input after another.
class Block {
 public:
  Block(const std::string& block, const Words& words, const Numbers& numbers) {
    dut::Request request;
    request.mutable_reset()->set_level("block");
    request.mutable_reset()->set_block(block);
    Add(words, numbers, request.mutable_reset()->mutable_config());
    answer_ = device_.Handle(request);
  }

  // The error, "" if there is none.
  std::string Error() const { return answer_.has_error() ? answer_.error().text() : ""; }
  std::string Take(const Words& words, const Numbers& numbers) {
    dut::Request request;
    Add(words, numbers, request.mutable_apply()->mutable_block()->mutable_field());
    answer_ = device_.Handle(request);
    return Error();
  }

 private:
  ModelDut device_;
  dut::Answer answer_;
};

std::string ErrorOf(const std::string& block, const Words& words, const Numbers& numbers) {
  return Block(block, words, numbers).Error();
}

//= CONF-BLOCK
//# In output records every field is there.
TEST(BlocksTest, ThePublishedVectorsHold) {
  const vectors::SpecIndex& index = vectors::SpecTables();
  const auto tree = vectors::LoadTree("vectors", index);
  ASSERT_TRUE(tree.ok()) << tree.status();
  ASSERT_TRUE(tree->unreadable.empty());
  ModelDut device;
  InProcessDut dut(device);
  RequestIds ids;
  DutInfo info;
  int played = 0;
  for (const vectors::StoredVector& stored : tree->vectors) {
    const vectors::Vector& vector = stored.vector;
    if (vector.level() != vectors::BLOCK) continue;
    info.capabilities.insert(vector.capabilities().begin(), vector.capabilities().end());
    info.profile = {{"react_max", 0}, {"ack_max", 0}, {"stamp_max", 0}};
    const PlayResult result = Play(vector, info, index, nullptr, dut, ids);
    EXPECT_EQ(result.kind, PlayKind::kMet)
        << vector.id() << " step " << result.divergence.step << ": expected "
        << result.divergence.expected << ", got " << result.divergence.got << result.text;
    ++played;
  }
  EXPECT_GT(played, 300);
}

//= CONF-CSN-TRACKER
//# `packet` is a DATA packet that fails no check but, perhaps, `csn-duplicate` or `csn-range`
TEST(BlocksTest, ACsnTrackerNeedsItsRange) {
  EXPECT_EQ(ErrorOf("csn-tracker", {}, {}), "range is 0; it lies between 256 and 16777216.");
  EXPECT_EQ(ErrorOf("csn-tracker", {}, {{"range", 16777217}}),
            "range is 16777217; it lies between 256 and 16777216.");
}

//= CONF-LOSS-DETECTION
//# the times of all three ascend, from `opened` on, and none is equal to another
TEST(BlocksTest, TheBooksOfAPathRefuseWhatCannotBeSent) {
  Block books("loss-detection", {}, {{"opened", 10}});
  EXPECT_THAT(books.Take({{"kind", "send"}}, {{"now", 10}}), HasSubstr("must be more than 10"));
  EXPECT_THAT(books.Take({{"kind", "resend"}}, {{"now", 11}}), HasSubstr("does not wait"));
  for (uint64_t i = 0; i < 256; ++i) {
    ASSERT_EQ(books.Take({{"kind", "send"}}, {{"now", 11 + i}}), "");
  }
  EXPECT_EQ(books.Take({{"kind", "send"}}, {{"now", 500}}), "the path window is full.");
  EXPECT_THAT(books.Take({{"kind", "resend"}}, {{"now", 501}, {"sequence", 5}}),
              HasSubstr("path sequence 5 does not wait"));
  EXPECT_THAT(books.Take({{"kind", "resend"}}, {{"now", 501}, {"sequence", 256}}),
              HasSubstr("path sequence 256 does not wait"));
}

//= CONF-RTT-RTO
//# Every output has all that may be asked for
TEST(BlocksTest, RoundTripsRefuseAnExpiryOfNumberZero) {
  Block rtt("rtt-rto", {}, {});
  EXPECT_EQ(rtt.Take({{"kind", "ask"}}, {{"k", 0}}), "k is 0; it must be at least 1.");
  EXPECT_EQ(rtt.Take({{"kind", "handshake"}}, {}), "the sample is 0.");
}

//= CONF-PATH-WINDOW
//# The block `path-window` is the state of [CC-STATE] of one path with the built-in algorithm.
TEST(BlocksTest, AWindowRefusesMoreInFlightThanAPathHas) {
  Block window("path-window", {}, {});
  EXPECT_EQ(window.Take({{"kind", "sent"}}, {{"in_flight", 257}}),
            "in_flight is 257; it must be at most 256.");
  EXPECT_EQ(window.Take({{"kind", "idle"}}, {}), "active is 0; it must be at least 1.");
  EXPECT_THAT(ErrorOf("path-window", {}, {{"clean_rounds", 0}}), HasSubstr("between 1 and 64"));
}

//= CONF-CONNECTION-WINDOW
//# Both are answered with all that may be asked for at the time `now`.
//= CONF-PATH-COUNT
//# The block `path-count` is the target of one direction.
//= CONF-PACER
//# Without a hint at least one is given.
TEST(BlocksTest, ADirectionRefusesWhatCannotBe) {
  EXPECT_THAT(Block("connection-window", {}, {}).Take({{"kind", "ask"}}, {{"connections", 0}}),
              HasSubstr("connections is 0"));
  EXPECT_THAT(ErrorOf("path-count", {}, {}), HasSubstr("most is 0"));
  Block pacer("pacer", {}, {});
  EXPECT_THAT(pacer.Take({{"kind", "ask"}}, {}), HasSubstr("a path with a window is given"));
  EXPECT_THAT(pacer.Take({{"kind", "ask"}}, {{"hint", 0}}), HasSubstr("hint is 0"));
  EXPECT_THAT(pacer.Take({{"kind", "ask"}}, {{"path[3].w", 65536}, {"x", 65537}}),
              HasSubstr("x is 65537"));
  EXPECT_THAT(pacer.Take({{"kind", "ask"}}, {{"path[16].w", 1}}), HasSubstr("path[16].w"));
}

//= CONF-RECEIVER-HINT
//# At most 16 connections are given
//= CONF-ENTROPY
//# The block `entropy` chooses the entropies of one direction by the default order of
//# [ENTROPY-CHOICE].
//= CONF-SCHEDULER
//# The block `scheduler` says what one direction sends next and on which path.
TEST(BlocksTest, AReceiverKnowsTheConnectionsThatWereGiven) {
  Block hints("receiver-hint", {}, {{"rate", 1000}, {"connection[2].cid", 9}});
  EXPECT_EQ(hints.Take({{"kind", "ack"}}, {{"connection", 1}}), "there is no connection 1.");
  EXPECT_EQ(hints.Take({{"kind", "ack"}}, {{"connection", 200}}), "there is no connection 200.");
  EXPECT_EQ(hints.Take({{"kind", "ack"}}, {{"connection", 2}}), "");
  EXPECT_EQ(Block("entropy", {}, {{"path_zero", 49152}}).Take({{"kind", "open"}}, {}), "");
  EXPECT_EQ(Block("scheduler", {}, {}).Take({{"kind", "path"}}, {}), "");
}

//= CONF-PATH-LIFECYCLE
//# An input is an event that the machine takes or ignores in its state.
TEST(BlocksTest, AMachineRefusesAnImpossibleEvent) {
  EXPECT_THAT(ErrorOf("path-lifecycle", {{"state", "free"}}, {}), HasSubstr("\"machine\""));
  EXPECT_THAT(ErrorOf("path-lifecycle", {{"machine", "path"}, {"state", "wait"}}, {}),
              HasSubstr("no state of that name"));
  Block machine("path-lifecycle", {{"machine", "path"}, {"state", "free"}}, {});
  EXPECT_THAT(machine.Take({{"kind", "drained"}}, {}), HasSubstr("cannot come here"));
  EXPECT_THAT(machine.Take({{"kind", "expires"}}, {}), HasSubstr("no event of that name"));
}

//= CONF-COMPLETION-ORDER
//# At the responder `packet` is a request packet that is accepted
TEST(BlocksTest, AnOrderRefusesWhatItsEndCannotGet) {
  EXPECT_THAT(ErrorOf("completion-order", {}, {}), HasSubstr("\"role\" is missing"));
  Block requester("completion-order", {{"role", "requester"}}, {});
  EXPECT_THAT(requester.Take({{"kind", "post"}}, {}), HasSubstr("\"request\" is missing"));
  EXPECT_THAT(requester.Take({{"kind", "answered"}}, {{"msn", 3}}), HasSubstr("cannot come"));
  EXPECT_THAT(requester.Take({{"kind", "answered"}}, {{"stream", 64}}), HasSubstr("less than 64"));
  Block responder("completion-order", {{"role", "responder"}}, {});
  EXPECT_THAT(responder.Take({{"kind", "answered"}}, {}), HasSubstr("cannot come"));
  EXPECT_THAT(
      responder.Take({{"kind", "packet"}, {"request", "write"}}, {{"length", 3000}, {"offset", 7}}),
      HasSubstr("offset-alignment"));
}

}  // namespace
}  // namespace metaroce::conformance
