#include "conformance/export/memh.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;

struct RecordName {
  MemhRecord record;
  const char* name;
};

constexpr RecordName kRecordNames[] = {
    {MemhRecord::kReset, "RESET"},
    {MemhRecord::kDecode, "DECODE"},
    {MemhRecord::kEncode, "ENCODE"},
    {MemhRecord::kBlock, "BLOCK"},
    {MemhRecord::kArrive, "ARRIVE"},
    {MemhRecord::kPost, "POST"},
    {MemhRecord::kAdvance, "ADVANCE"},
    {MemhRecord::kExpectFields, "EXPECT_FIELDS"},
    {MemhRecord::kExpectIncludes, "EXPECT_INCLUDES"},
    {MemhRecord::kExpectReject, "EXPECT_REJECT"},
    {MemhRecord::kExpectPacket, "EXPECT_PACKET"},
    {MemhRecord::kExpectPacketFields, "EXPECT_PACKET_FIELDS"},
    {MemhRecord::kExpectPacketIncludes, "EXPECT_PACKET_INCLUDES"},
    {MemhRecord::kExpectCompletion, "EXPECT_COMPLETION"},
    {MemhRecord::kExpectPlacement, "EXPECT_PLACEMENT"},
    {MemhRecord::kExpectNothing, "EXPECT_NOTHING"},
    {MemhRecord::kExpectOneOf, "EXPECT_ONE_OF"},
};

// Calls `each` with every name that the words of an expectation or a record need.
template <typename FieldList, typename Each>
void NamesOfFields(const FieldList& fields, const Each& each) {
  for (const auto& field : fields) {
    each(field.name());
    if (!field.word().empty()) each(field.word());
  }
}

template <typename Each>
void NamesOf(const Expectation& expect, const Each& each) {
  NamesOfFields(expect.fields().field(), each);
  NamesOfFields(expect.includes().field(), each);
  NamesOfFields(expect.packet().fields().field(), each);
  NamesOfFields(expect.packet().includes().field(), each);
  NamesOfFields(expect.completion().field(), each);
  if (!expect.reject().empty()) each(expect.reject());
  for (const Expectation& outcome : expect.one_of().outcomes()) NamesOf(outcome, each);
}

class WordWriter {
 public:
  explicit WordWriter(const Memh& memh) : memh_(memh) {}

  void Word(uint32_t word) { words_.push_back(word); }
  void Wide(uint64_t number) {
    Word(static_cast<uint32_t>(number >> 32));
    Word(static_cast<uint32_t>(number));
  }
  void Bytes(const std::string& bytes) {
    Word(static_cast<uint32_t>(bytes.size()));
    for (size_t i = 0; i < bytes.size(); i += 4) {
      uint32_t word = 0;
      for (size_t k = 0; k < 4; ++k) {
        word = word << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0);
      }
      Word(word);
    }
  }
  template <typename FieldList>
  void Fields(const FieldList& fields) {
    Word(static_cast<uint32_t>(fields.size()));
    for (const auto& field : fields) {
      const bool word = !field.word().empty();
      const bool data = field.value_case() == field.kData;
      Word((word ? 3u : data ? 2u : 1u) << 24 | memh_.NumberOf(field.name()));
      if (word) {
        Word(memh_.NumberOf(field.word()));
      } else if (data) {
        Bytes(field.data());
      } else {
        Wide(field.number());
      }
    }
  }

  // Begins a record; its length is filled in by End.
  void Begin(MemhRecord record) {
    begun_.push_back(words_.size());
    Word(static_cast<uint32_t>(record) << 24);
  }
  void End() {
    const size_t at = begun_.back();
    begun_.pop_back();
    words_[at] |= static_cast<uint32_t>(words_.size() - at - 1);
  }

  void Stimulus(const dut::Request& request) {
    const dut::Apply& apply = request.apply();
    const auto head = [&](MemhRecord record, uint64_t at) {
      Begin(record);
      Word(request.step());
      Wide(at);
    };
    switch (apply.stimulus_case()) {
      case dut::Apply::kDecode:
        head(MemhRecord::kDecode, apply.at_ns());
        Bytes(apply.decode().frame());
        break;
      case dut::Apply::kEncode:
        head(MemhRecord::kEncode, apply.at_ns());
        Fields(apply.encode().field());
        break;
      case dut::Apply::kBlock:
        head(MemhRecord::kBlock, apply.at_ns());
        Fields(apply.block().field());
        break;
      case dut::Apply::kArrive:
        head(MemhRecord::kArrive, apply.at_ns());
        Word(apply.arrive().plane());
        Bytes(apply.arrive().frame());
        break;
      case dut::Apply::kPost:
        head(MemhRecord::kPost, apply.at_ns());
        Fields(apply.post().field());
        break;
      default:
        head(MemhRecord::kAdvance, request.advance().to_ns());
    }
    End();
  }

  void Expect(const FlatStep& flat, const Expectation& expect) {
    const auto head = [&](MemhRecord record) {
      Begin(record);
      Word(static_cast<uint32_t>(flat.step));
      Wide(flat.from);
      Wide(flat.until);
    };
    switch (expect.kind_case()) {
      case Expectation::kFields:
        head(MemhRecord::kExpectFields);
        Fields(expect.fields().field());
        break;
      case Expectation::kIncludes:
        head(MemhRecord::kExpectIncludes);
        Fields(expect.includes().field());
        break;
      case Expectation::kReject:
        head(MemhRecord::kExpectReject);
        Word(memh_.NumberOf(expect.reject()));
        break;
      case Expectation::kPacket:
        Packet(expect.packet(), head);
        break;
      case Expectation::kCompletion:
        head(MemhRecord::kExpectCompletion);
        Fields(expect.completion().field());
        break;
      case Expectation::kPlacement:
        head(MemhRecord::kExpectPlacement);
        Wide(expect.placement().address());
        Bytes(expect.placement().data());
        break;
      case Expectation::kOneOf:
        head(MemhRecord::kExpectOneOf);
        Word(static_cast<uint32_t>(expect.one_of().outcomes_size()));
        for (const Expectation& outcome : expect.one_of().outcomes()) Expect(flat, outcome);
        break;
      default:
        head(MemhRecord::kExpectNothing);
    }
    End();
  }

  std::vector<uint32_t> Take() { return std::move(words_); }

 private:
  template <typename Head>
  void Packet(const vectors::Packet& packet, const Head& head) {
    head(packet.has_frame()    ? MemhRecord::kExpectPacket
         : packet.has_fields() ? MemhRecord::kExpectPacketFields
                               : MemhRecord::kExpectPacketIncludes);
    Word(packet.plane());
    if (packet.has_frame()) {
      Bytes(packet.frame());
    } else {
      Fields(packet.has_fields() ? packet.fields().field() : packet.includes().field());
    }
  }

  const Memh& memh_;
  std::vector<uint32_t> words_;
  std::vector<size_t> begun_;
};

}  // namespace

Memh::Memh(const std::vector<const vectors::Vector*>& vectors) {
  const auto know = [&](const std::string& name) { numbers_[name] = 0; };
  for (const vectors::Vector* vector : vectors) {
    NamesOfFields(vector->config().field(), know);
    for (const vectors::Step& step : vector->steps()) {
      NamesOfFields(step.encode().field(), know);
      NamesOfFields(step.apply().field(), know);
      NamesOfFields(step.post().field(), know);
      NamesOf(step.expect(), know);
    }
  }
  uint32_t next = 0;
  for (auto& [name, number] : numbers_) number = ++next;
}

uint32_t Memh::NumberOf(const std::string& name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? 0 : found->second;
}

std::vector<uint32_t> Memh::Words(const vectors::Vector& vector,
                                  const std::vector<FlatStep>& steps) const {
  WordWriter writer(*this);
  writer.Word(kMemhMagic);
  writer.Word(static_cast<uint32_t>(steps.size() + 1));
  writer.Begin(MemhRecord::kReset);
  writer.Fields(vector.config().field());
  writer.End();
  for (const FlatStep& flat : steps) {
    if (flat.stimulus) {
      writer.Stimulus(flat.request);
    } else {
      writer.Expect(flat, flat.expect);
    }
  }
  return writer.Take();
}

std::string Memh::Text(const vectors::Vector& vector, const std::vector<uint32_t>& words) {
  std::string out = absl::StrCat("// ", vector.id(), ": ", vectors::Printable(vector.title()),
                                 "\n// ", words.size(), " words\n");
  for (size_t i = 0; i < words.size(); ++i) {
    absl::StrAppendFormat(&out, "%08x%c", words[i],
                          i % 8 == 7 || i + 1 == words.size() ? '\n' : ' ');
  }
  return out;
}

std::string Memh::Package() const {
  std::string out =
      "// Written by `metaroce vector export --form memh`: the numbers in the *.memh beside it.\n"
      "// verilator lint_off UNUSEDPARAM\n"
      "package metaroce_vectors_pkg;\n";
  absl::StrAppendFormat(&out, "  localparam bit [31:0] MAGIC = 32'h%08x;\n", kMemhMagic);
  for (const RecordName& record : kRecordNames) {
    absl::StrAppendFormat(&out, "  localparam bit [7:0] RECORD_%s = 8'h%02x;\n", record.name,
                          static_cast<unsigned>(record.record));
  }
  std::set<std::string> taken;
  for (const auto& [name, number] : numbers_) {
    std::string word = "NAME_";
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      word += absl::ascii_isalnum(byte) ? absl::ascii_toupper(byte) : '_';
    }
    std::string unique = word;
    for (int i = 2; !taken.insert(unique).second; ++i) unique = absl::StrCat(word, "_", i);
    absl::StrAppendFormat(&out, "  localparam bit [23:0] %s = 24'd%d;  // %s\n", unique, number,
                          vectors::Printable(name));
  }
  return absl::StrCat(out, "endpackage\n// verilator lint_on UNUSEDPARAM\n");
}

}  // namespace metaroce::conformance
