// A device that fails a long vector: what is left of the vector still shows it, and nothing of it
// can go. A capture of two endpoints: as a vector it asks of the model what the model did.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/check/check.h"
#include "conformance/check/testing/recorder.h"
#include "conformance/dut/dut.h"
#include "conformance/duts/model/model_dut.h"
#include "conformance/play/wire_codec.h"
#include "conformance/promote/from_capture.h"
#include "conformance/promote/retell.h"
#include "conformance/promote/shrink.h"
#include "conformance/runner/replay.h"
#include "gtest/gtest.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::promote {
namespace {

using vectors::Vector;

const conformance::WirePacketCodec kCodec;

// The model, but for what `spoil` does to its answers. It is told how many inputs came before in
// the vector.
class Defective : public conformance::Handler {
 public:
  using Spoil = void (*)(int inputs, dut::Answer* answer);
  explicit Defective(Spoil spoil) : spoil_(spoil) {}

  void Handle(const dut::Request& request, dut::Answer* answer) override {
    if (request.has_reset()) inputs_ = 0;
    model_.Handle(request, answer);
    if (request.has_apply()) spoil_(inputs_++, answer);
  }

 private:
  const Spoil spoil_;
  int inputs_ = 0;
  conformance::ModelDut model_;
};

std::vector<conformance::VectorResult> Played(const std::vector<const Vector*>& vectors,
                                              Defective::Spoil spoil) {
  vectors::Tree tree;
  for (const Vector* vector : vectors) tree.vectors.push_back({"", "", *vector, {}});
  Defective handler(spoil);
  conformance::InProcessDut dut(handler);
  auto report = conformance::Replay(tree, vectors::SpecTables(), &kCodec, dut, {});
  EXPECT_TRUE(report.ok()) << report.status();
  return std::move(report->results);
}

FirstThatFails By(const std::string& clause, Defective::Spoil spoil) {
  return [=](const std::vector<const Vector*>& vectors) -> absl::StatusOr<std::optional<size_t>> {
    const auto results = Played(vectors, spoil);
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].divergence.clause == clause) return i;
    }
    return std::nullopt;
  };
}

Vector Read(const std::string& text) {
  auto vector = vectors::LoadVector(text, "test");
  EXPECT_TRUE(vector.ok()) << vector.status();
  return *std::move(vector);
}

// A hundred packets, every fifth of which comes ten later, and what becomes of them.
Vector LongOfReceiveVector() {
  Vector vector = Read(R"({
    "id": "long", "title": "t", "level": "block", "block": "receive-vector",
    "clauses": ["ACK-VECTOR-OUTCOME"], "capabilities": ["block-receive-vector"],
    "flags": ["HOLE_LOST"], "provenance": {"kind": "shrink", "note": "n"},
    "config": {"base": 0},
    "steps": [{"apply": {"kind": "data", "sequence": 0}},
              {"expect": {"includes": {"outcome": "in-order", "base": 1}}}]
  })");
  vectors::Step expected = vector.steps(1);
  for (uint64_t i = 1; i < 100; ++i) {
    const uint64_t sequence = i % 5 == 0 ? i + 10 : i % 5 == 1 && i > 10 ? i + 4 - 10 + 5 : i;
    vectors::Step given = vector.steps(0);
    given.mutable_apply()->mutable_field(1)->set_number(sequence);
    *vector.add_steps() = given;
    *vector.add_steps() = expected;
  }
  auto told = Retold(vector, 0, vectors::SpecTables(), kCodec);
  EXPECT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(FaultOf(told->vector, vectors::SpecTables(), kCodec), "");
  return told->vector;
}

// Takes a duplicate for a fill, but for the first three inputs.
void ForgetsDuplicates(int inputs, dut::Answer* answer) {
  if (inputs < 3 || answer->done().event_size() != 1) return;
  for (dut::Field& field :
       *answer->mutable_done()->mutable_event(0)->mutable_fields()->mutable_field()) {
    if (field.name() == "outcome" && field.word() == "duplicate") field.set_word("fill");
  }
}

TEST(ShrinkTest, NothingOfWhatIsLeftCanGo) {
  const Vector vector = LongOfReceiveVector();
  ASSERT_EQ(vector.steps_size(), 200);
  const auto before = Played({&vector}, ForgetsDuplicates);
  ASSERT_EQ(before[0].verdict, conformance::Verdict::kFail);
  const std::string clause = before[0].divergence.clause;
  const auto shrunk = Shrink(vector, {}, before[0].divergence.step - 1,
                             By(clause, ForgetsDuplicates), vectors::SpecTables(), kCodec);
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  // Three inputs in front, the last of which comes again.
  EXPECT_EQ(shrunk->vector.steps_size(), 8) << vectors::WriteVector(shrunk->vector);
  // Those of the model are counted in the result, and not over all that was tried.
  EXPECT_FALSE(shrunk->made.empty());
  EXPECT_LE(shrunk->made.size(), 4u);
  for (const int i : shrunk->made) EXPECT_TRUE(shrunk->vector.steps(i).has_expect()) << i;
  EXPECT_EQ(FaultOf(shrunk->vector, vectors::SpecTables(), kCodec), "");
  const auto after = Played({&shrunk->vector}, ForgetsDuplicates);
  EXPECT_EQ(after[0].verdict, conformance::Verdict::kFail);
  EXPECT_EQ(after[0].divergence.clause, clause);
}

TEST(ShrinkTest, AVectorThatIsSmallAlreadyStays) {
  Vector vector = LongOfReceiveVector();
  while (vector.steps_size() > 2) vector.mutable_steps()->RemoveLast();
  const auto always =
      [](const std::vector<const Vector*>&) -> absl::StatusOr<std::optional<size_t>> { return 0; };
  const auto shrunk = Shrink(vector, {1}, 1, always, vectors::SpecTables(), kCodec);
  ASSERT_TRUE(shrunk.ok());
  EXPECT_EQ(shrunk->vector.SerializeAsString(), vector.SerializeAsString());
  EXPECT_EQ(shrunk->made, std::set<int>{1});
}

TEST(RetellTest, SaysWhereTheModelDisagrees) {
  Vector vector = LongOfReceiveVector();
  vector.mutable_steps(3)->mutable_expect()->mutable_includes()->mutable_field(1)->set_number(77);
  EXPECT_EQ(
      FaultOf(vector, vectors::SpecTables(), kCodec),
      "The model itself does not pass it: step 4 [ACK-VECTOR-OUTCOME] expected base = 77, got "
      "base = 2.");
  vector.add_clauses("ACK-DUE-NEVER");
  EXPECT_EQ(FaultOf(vector, vectors::SpecTables(), kCodec),
            "long: clauses: There is no clause \"ACK-DUE-NEVER\".");
}

// A connection of the model with itself: writes both ways, one after another, and a packet is lost.
class CaptureTest : public ::testing::Test {
 protected:
  CaptureTest() {
    testing::Pair::Options options;
    options.memory = 1 << 16;
    for (endpoint::Settings& settings : options.settings) {
      settings.windows.path_window = 8 << 16;
    }
    pair_ = std::make_unique<testing::Pair>(options);
    recorder_ = std::make_unique<check::Recorder>(pair_.get());
    EXPECT_TRUE(pair_->Open());
    int data = 0;
    pair_->fate = [data](int from, const packet::Packet& p, Route) mutable {
      const bool is_data = p.info().opcode_class == spec::OpcodeClass::kData;
      return testing::Fate{.drop = from == 0 && is_data && ++data == 4};
    };
    for (uint32_t i = 0; i < 8; ++i) {
      pair_->Post(0, testing::Pair::Write(i, 0, 700));
      pair_->Run(pair_->now() + 20000);
    }
    pair_->Post(1, testing::Pair::Write(9, 0, 1500));
    pair_->Run(pair_->now() + 400000);
  }

  FromCapture Made(char side) {
    const std::vector<uint8_t> file = recorder_->Pcapng();
    trace_ = *check::ReadTrace(file, spec::constant::kUdpPort);
    check::Profiles profiles;
    EXPECT_EQ(check::ReadProfile(trace_.profile, &profiles), absl::OkStatus());
    result_ = *check::Check(trace_, profiles);
    auto made = VectorOf(trace_, profiles, result_, side, vectors::SpecTables(), kCodec);
    EXPECT_TRUE(made.ok()) << made.status();
    made->vector.set_id("captured");
    made->vector.set_title("t");
    made->vector.add_clauses("ACK-DUE-AR");
    made->vector.add_flags("HOLE_LOST");
    made->vector.mutable_provenance()->set_kind(vectors::SHRINK);
    made->vector.mutable_provenance()->set_note("n");
    return *std::move(made);
  }

  std::unique_ptr<testing::Pair> pair_;
  std::unique_ptr<check::Recorder> recorder_;
  check::Trace trace_;
  check::Result result_;
};

TEST_F(CaptureTest, TheModelDoesAgainWhatTheModelDid) {
  for (const char side : {'a', 'b'}) {
    const FromCapture made = Made(side);
    EXPECT_FALSE(result_.verdict.has_value());
    EXPECT_GT(made.made.size(), 5u);
    EXPECT_EQ(FaultOf(made.vector, vectors::SpecTables(), kCodec), "") << side;
    // The sender had a sample of the RTT from the handshake, which no vector gives it.
    if (side == 'b') {
      EXPECT_EQ(made.differs, "") << vectors::WriteVector(made.vector);
    }
  }
}

TEST_F(CaptureTest, EndsWhereTheVerdictIsAndSaysWhatTheModelHas) {
  // The second ACK of b takes back what was received.
  int acks = 0;
  for (check::Seen& seen : recorder_->seen()) {
    if (seen.side != 1 || seen.received) continue;
    packet::Packet packet;
    frame::FrameSpec spec;
    ASSERT_TRUE(check::Taken(seen.frame, &packet, &spec));
    if (packet.opcode() != spec::Opcode::kAck || ++acks != 2) continue;
    const std::vector<uint8_t> right = seen.frame;
    const auto wrong =
        check::Edited(right, [](packet::Packet& p, frame::FrameSpec&) { p.headers.ack.csn -= 1; });
    for (check::Seen& other : recorder_->seen()) {
      if (other.frame == right) other.frame = wrong;
    }
    break;
  }
  ASSERT_EQ(acks, 2);
  const FromCapture made = Made('b');
  ASSERT_TRUE(result_.verdict.has_value());
  EXPECT_EQ(result_.verdict->side, 1);
  EXPECT_NE(made.differs.find(", ack path"), std::string::npos) << made.differs;
  EXPECT_NE(made.differs.find("the model has ack.csn = "), std::string::npos) << made.differs;
  EXPECT_EQ(FaultOf(made.vector, vectors::SpecTables(), kCodec), "");
}

TEST_F(CaptureTest, WithoutTheHandshakeThereIsNoVector) {
  auto& seen = recorder_->seen();
  seen.erase(std::remove_if(seen.begin(), seen.end(),
                            [](const check::Seen& s) {
                              packet::Packet packet;
                              frame::FrameSpec spec;
                              return s.side == 1 && s.received &&
                                     check::Taken(s.frame, &packet, &spec) &&
                                     packet.opcode() == spec::Opcode::kConnect;
                            }),
             seen.end());
  const std::vector<uint8_t> file = recorder_->Pcapng();
  const auto trace = check::ReadTrace(file, spec::constant::kUdpPort);
  ASSERT_TRUE(trace.ok());
  const auto made =
      VectorOf(*trace, check::Profiles(), check::Result(), 'b', vectors::SpecTables(), kCodec);
  EXPECT_EQ(
      made.status().message(),
      "The capture does not show side b receive a CONNECT or a CONNECT_REPLY; a vector begins "
      "after the handshake.");
}

}  // namespace
}  // namespace metaroce::promote
