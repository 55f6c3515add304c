#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/export/c_arrays.h"
#include "conformance/export/memh.h"
#include "conformance/export/pcapng.h"
#include "conformance/export/unroll.h"
#include "conformance/play/wire_codec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model/wire/capture/capture.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

using ::testing::HasSubstr;

class ExportTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto tree = vectors::LoadTree("vectors", vectors::SpecTables());
    ASSERT_TRUE(tree.ok()) << tree.status();
    tree_ = new vectors::Tree(*std::move(tree));
    ASSERT_GT(tree_->vectors.size(), 600u);
  }
  static void TearDownTestSuite() { delete tree_; }

  static const vectors::Vector& Named(const std::string& id) {
    for (const auto& stored : tree_->vectors) {
      if (stored.vector.id() == id) return stored.vector;
    }
    ADD_FAILURE() << "there is no vector " << id;
    return tree_->vectors[0].vector;
  }

  std::vector<FlatStep> Flat(const vectors::Vector& vector) {
    auto steps = Unroll(vector, vectors::SpecTables(), &codec_);
    EXPECT_TRUE(steps.ok()) << steps.status();
    return steps.ok() ? *std::move(steps) : std::vector<FlatStep>();
  }

  static vectors::Tree* tree_;
  const WirePacketCodec codec_;
};

vectors::Tree* ExportTest::tree_ = nullptr;

// Reads words back as a bench would, by the comment of memh.h.
class MemhReader {
 public:
  explicit MemhReader(std::vector<uint32_t> words) : words_(std::move(words)) {}

  uint32_t Word() {
    if (at_ >= words_.size()) {
      ADD_FAILURE() << "the words end";
      return 0;
    }
    return words_[at_++];
  }
  uint64_t Wide() {
    const uint64_t upper = Word();
    return upper << 32 | Word();
  }
  std::string Bytes() {
    const uint32_t size = Word();
    std::string out;
    for (uint32_t i = 0; i < size; i += 4) {
      const uint32_t word = Word();
      for (uint32_t k = 0; k < 4; ++k) {
        if (i + k < size) out.push_back(static_cast<char>(word >> (24 - 8 * k)));
      }
    }
    return out;
  }
  bool done() const { return at_ == words_.size(); }
  size_t at() const { return at_; }

 private:
  const std::vector<uint32_t> words_;
  size_t at_ = 0;
};

// A record of fields, word by word.
template <typename FieldList>
void ExpectFields(const Memh& memh, const FieldList& fields, MemhReader& reader) {
  ASSERT_EQ(reader.Word(), static_cast<uint32_t>(fields.size()));
  for (const auto& field : fields) {
    const uint32_t head = reader.Word();
    ASSERT_EQ(head & 0xffffff, memh.NumberOf(field.name()));
    switch (head >> 24) {
      case 1:
        EXPECT_EQ(reader.Wide(), field.number());
        break;
      case 2:
        EXPECT_EQ(reader.Bytes(), field.data());
        break;
      default:
        EXPECT_EQ(reader.Word(), memh.NumberOf(field.word()));
        EXPECT_NE(memh.NumberOf(field.word()), 0u);
    }
  }
}

void ExpectStimulus(const Memh& memh, const FlatStep& flat, MemhRecord record, MemhReader& reader) {
  const dut::Apply& apply = flat.request.apply();
  EXPECT_EQ(reader.Word(), static_cast<uint32_t>(flat.step));
  EXPECT_EQ(reader.Wide(),
            flat.request.has_advance() ? flat.request.advance().to_ns() : apply.at_ns());
  switch (record) {
    case MemhRecord::kDecode:
      EXPECT_EQ(reader.Bytes(), apply.decode().frame());
      break;
    case MemhRecord::kEncode:
      ExpectFields(memh, apply.encode().field(), reader);
      break;
    case MemhRecord::kBlock:
      ExpectFields(memh, apply.block().field(), reader);
      break;
    case MemhRecord::kArrive:
      EXPECT_EQ(reader.Word(), apply.arrive().plane());
      EXPECT_EQ(reader.Bytes(), apply.arrive().frame());
      break;
    case MemhRecord::kPost:
      ExpectFields(memh, apply.post().field(), reader);
      break;
    default:
      EXPECT_TRUE(flat.request.has_advance());
  }
}

void ExpectExpectation(const Memh& memh, const FlatStep& flat, const vectors::Expectation& expect,
                       MemhRecord record, MemhReader& reader) {
  EXPECT_EQ(reader.Word(), static_cast<uint32_t>(flat.step));
  EXPECT_EQ(reader.Wide(), flat.from);
  EXPECT_EQ(reader.Wide(), flat.until);
  switch (record) {
    case MemhRecord::kExpectFields:
      return ExpectFields(memh, expect.fields().field(), reader);
    case MemhRecord::kExpectIncludes:
      return ExpectFields(memh, expect.includes().field(), reader);
    case MemhRecord::kExpectReject:
      EXPECT_EQ(reader.Word(), memh.NumberOf(expect.reject()));
      return;
    case MemhRecord::kExpectPacket:
      EXPECT_EQ(reader.Word(), expect.packet().plane());
      EXPECT_EQ(reader.Bytes(), expect.packet().frame());
      return;
    case MemhRecord::kExpectPacketFields:
      EXPECT_EQ(reader.Word(), expect.packet().plane());
      return ExpectFields(memh, expect.packet().fields().field(), reader);
    case MemhRecord::kExpectPacketIncludes:
      EXPECT_EQ(reader.Word(), expect.packet().plane());
      return ExpectFields(memh, expect.packet().includes().field(), reader);
    case MemhRecord::kExpectCompletion:
      return ExpectFields(memh, expect.completion().field(), reader);
    case MemhRecord::kExpectPlacement:
      EXPECT_EQ(reader.Wide(), expect.placement().address());
      EXPECT_EQ(reader.Bytes(), expect.placement().data());
      return;
    case MemhRecord::kExpectNothing:
      EXPECT_TRUE(expect.has_nothing());
      return;
    case MemhRecord::kExpectOneOf:
      ASSERT_EQ(reader.Word(), static_cast<uint32_t>(expect.one_of().outcomes_size()));
      for (const auto& outcome : expect.one_of().outcomes()) {
        ExpectExpectation(memh, flat, outcome, MemhRecord(reader.Word() >> 24), reader);
      }
      return;
    default:
      ADD_FAILURE() << "there is no record " << static_cast<int>(record);
  }
}

TEST_F(ExportTest, WordsAreWhatTheVectorIs) {
  std::vector<const vectors::Vector*> all;
  for (const auto& stored : tree_->vectors) {
    if (WhyNoSeries(stored.vector).empty()) all.push_back(&stored.vector);
  }
  EXPECT_GT(all.size(), tree_->vectors.size() * 9 / 10);
  const Memh memh(all);
  std::set<uint32_t> records;
  for (const vectors::Vector* vector : all) {
    SCOPED_TRACE(vector->id());
    const std::vector<FlatStep> steps = Flat(*vector);
    MemhReader reader(memh.Words(*vector, steps));
    ASSERT_EQ(reader.Word(), kMemhMagic);
    ASSERT_EQ(reader.Word(), steps.size() + 1);
    const uint32_t reset = reader.Word();
    ASSERT_EQ(reset >> 24, static_cast<uint32_t>(MemhRecord::kReset));
    const size_t after_reset = reader.at() + (reset & 0xffffff);
    ExpectFields(memh, vector->config().field(), reader);
    ASSERT_EQ(reader.at(), after_reset);
    for (const FlatStep& flat : steps) {
      const uint32_t head = reader.Word();
      const size_t end = reader.at() + (head & 0xffffff);
      records.insert(head >> 24);
      if (flat.stimulus) {
        ExpectStimulus(memh, flat, MemhRecord(head >> 24), reader);
      } else {
        ExpectExpectation(memh, flat, flat.expect, MemhRecord(head >> 24), reader);
      }
      ASSERT_EQ(reader.at(), end);
      if (HasFailure()) return;
    }
    EXPECT_TRUE(reader.done());
  }
  // The published vectors have nearly every kind.
  EXPECT_GE(records.size(), 12u);
}

TEST_F(ExportTest, TextsOfMemoryAndPackage) {
  const vectors::Vector& vector = Named("vector-first");
  const Memh memh({&vector});
  const std::string text = Memh::Text(vector, memh.Words(vector, Flat(vector)));
  EXPECT_THAT(text, HasSubstr("// vector-first: "));
  EXPECT_THAT(text, HasSubstr("\n4d524301 "));
  EXPECT_THAT(memh.Package(), HasSubstr("localparam bit [7:0] RECORD_BLOCK = 8'h04;\n"));
  EXPECT_THAT(memh.Package(), HasSubstr("NAME_TRANSMIT_TIME = 24'd"));
  EXPECT_EQ(memh.NumberOf("no-such-name"), 0u);
}

TEST_F(ExportTest, ABurstIsTakenApart) {
  size_t refused = 0;
  for (const auto& stored : tree_->vectors) {
    SCOPED_TRACE(stored.vector.id());
    if (const std::string why = WhyNoSeries(stored.vector); !why.empty()) {
      EXPECT_EQ(
          Unroll(stored.vector, vectors::SpecTables(), &codec_).status().message(),
          absl::StrCat(stored.vector.id(), " ", why, ": only a bundle and JSON can say that."));
      ++refused;
      continue;
    }
    size_t want = 0;
    for (const auto& step : stored.vector.steps()) {
      want += step.has_repeat() ? step.repeat().count() : 1;
    }
    EXPECT_EQ(Flat(stored.vector).size(), want);
  }
  EXPECT_GT(refused, 0u);
}

TEST_F(ExportTest, ACaptureHasEachPacketWithItsStepAndClause) {
  const vectors::Vector& vector = Named("receiver-write");
  const auto made = WriteCapture(vector, Flat(vector), codec_);
  ASSERT_TRUE(made.ok()) << made.status();
  const auto capture = capture::ReadCapture(
      {reinterpret_cast<const uint8_t*>(made->bytes.data()), made->bytes.size()});
  ASSERT_TRUE(capture.status.ok()) << capture.status;
  ASSERT_EQ(capture.packets.size(), made->packets);
  ASSERT_GE(capture.packets.size(), 2u);
  EXPECT_EQ(capture.packets[0].interface_name, "plane 0 to the DUT");
  EXPECT_EQ(capture.packets[0].timestamp_ns, 1000u);
  EXPECT_THAT(capture.packets[0].comment, HasSubstr("receiver-write step 1 arrives"));
  EXPECT_EQ(capture.packets[1].interface_name, "plane 0 from the DUT");
  EXPECT_THAT(capture.packets[1].comment, HasSubstr("[CHECK-ACCEPT] expected"));
  EXPECT_TRUE(codec_
                  .Decode({reinterpret_cast<const char*>(capture.packets[1].bytes.data()),
                           capture.packets[1].bytes.size()})
                  .ok());
}

TEST_F(ExportTest, TheSameVectorsGiveTheSameBytes) {
  const vectors::Vector& vector = Named("receiver-write");
  CArrays first;
  CArrays second;
  first.Add(vector, Flat(vector));
  second.Add(vector, Flat(vector));
  const std::string text = first.Take();
  EXPECT_EQ(text, second.Take());
  EXPECT_THAT(text, HasSubstr("{\"A Write is placed at address + offset"));
  EXPECT_EQ(WriteCapture(vector, Flat(vector), codec_)->bytes,
            WriteCapture(vector, Flat(vector), codec_)->bytes);
}

}  // namespace
}  // namespace metaroce::conformance
