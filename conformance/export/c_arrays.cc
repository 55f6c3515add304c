#include "conformance/export/c_arrays.h"

#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/runner/selection.h"

namespace metaroce::conformance {
namespace {

using vectors::Expectation;

constexpr char kNull[] = "NULL, 0";

std::string Quoted(const std::string& text) {
  // C99 still has trigraphs.
  return absl::StrCat("\"", absl::StrReplaceAll(absl::CEscape(text), {{"?", "\\?"}}), "\"");
}

std::string Number(uint64_t number) { return absl::StrCat("UINT64_C(", number, ")"); }

}  // namespace

std::string CArrays::NewName(char kind) {
  return absl::StrCat("v", count_, "_", std::string(1, kind), names_++);
}

void CArrays::Define(const std::string& type, const std::string& name, const std::string& body) {
  absl::StrAppend(&out_, "static const ", type, " ", name, "[] = {", body, "};\n");
}

// "array, size"
std::string CArrays::Bytes(const std::string& bytes) {
  if (bytes.empty()) return kNull;
  std::string body;
  for (size_t i = 0; i < bytes.size(); ++i) {
    absl::StrAppend(&body, i % 24 == 0 ? "\n  " : "",
                    static_cast<unsigned>(static_cast<uint8_t>(bytes[i])), ",");
  }
  const std::string name = NewName('b');
  Define("uint8_t", name, body);
  return absl::StrCat(name, ", ", bytes.size());
}

// "{array, count}"
template <typename FieldList>
std::string CArrays::Record(const FieldList& fields) {
  if (fields.empty()) return absl::StrCat("{", kNull, "}");
  std::string body;
  for (const auto& field : fields) {
    std::string value = absl::StrCat("METAROCE_NUMBER, 0, ", Number(field.number()), ", NULL");
    if (!field.word().empty()) {
      value = absl::StrCat("METAROCE_WORD, ", field.word().size(), ", 0, (const uint8_t*)",
                           Quoted(field.word()));
    } else if (field.value_case() == field.kData) {
      const std::string bytes = Bytes(field.data());
      const size_t comma = bytes.find(',');
      value = absl::StrCat("METAROCE_DATA, ", field.data().size(), ", 0, ", bytes.substr(0, comma));
    }
    absl::StrAppend(&body, "\n  {", Quoted(field.name()), ", ", value, "},");
  }
  const std::string name = NewName('f');
  Define("metaroce_field", name, body);
  return absl::StrCat("{", name, ", ", fields.size(), "}");
}

std::string CArrays::Stimulus(const dut::Request& request) {
  const dut::Apply& apply = request.apply();
  const auto body = [&](absl::string_view kind, uint32_t plane, const std::string& frame,
                        const std::string& fields) {
    const std::string name = NewName('s');
    Define("metaroce_stimulus", name,
           absl::StrCat("{", kind, ", ", plane, ", ", Number(apply.at_ns()), ", ", frame, ", ",
                        fields, ", ", request.step(), "}"));
    return name;
  };
  const std::string none = absl::StrCat("{", kNull, "}");
  switch (apply.stimulus_case()) {
    case dut::Apply::kDecode:
      return body("METAROCE_DECODE", 0, Bytes(apply.decode().frame()), none);
    case dut::Apply::kEncode:
      return body("METAROCE_ENCODE", 0, kNull, Record(apply.encode().field()));
    case dut::Apply::kBlock:
      return body("METAROCE_BLOCK", 0, kNull, Record(apply.block().field()));
    case dut::Apply::kArrive:
      return body("METAROCE_ARRIVE", apply.arrive().plane(), Bytes(apply.arrive().frame()), none);
    default:
      return body("METAROCE_POST", 0, kNull, Record(apply.post().field()));
  }
}

std::string CArrays::ExpectBody(const Expectation& expect, uint64_t from, uint64_t until) {
  std::string kind;
  std::string fields = absl::StrCat("{", kNull, "}");
  std::string bytes = kNull;
  std::string outcomes = kNull;
  std::string reason = "NULL";
  switch (expect.kind_case()) {
    case Expectation::kFields:
      kind = "FIELDS";
      fields = Record(expect.fields().field());
      break;
    case Expectation::kIncludes:
      kind = "INCLUDES";
      fields = Record(expect.includes().field());
      break;
    case Expectation::kReject:
      kind = "REJECT";
      reason = Quoted(expect.reject());
      break;
    case Expectation::kPacket:
      if (expect.packet().has_frame()) {
        kind = "PACKET";
        bytes = Bytes(expect.packet().frame());
      } else {
        kind = expect.packet().has_fields() ? "PACKET_FIELDS" : "PACKET_INCLUDES";
        fields = Record(expect.packet().has_fields() ? expect.packet().fields().field()
                                                     : expect.packet().includes().field());
      }
      break;
    case Expectation::kCompletion:
      kind = "COMPLETION";
      fields = Record(expect.completion().field());
      break;
    case Expectation::kPlacement:
      kind = "PLACEMENT";
      bytes = Bytes(expect.placement().data());
      break;
    case Expectation::kOneOf: {
      kind = "ONE_OF";
      std::string body;
      for (const Expectation& outcome : expect.one_of().outcomes()) {
        absl::StrAppend(&body, "\n  ", ExpectBody(outcome, from, until), ",");
      }
      const std::string name = NewName('e');
      Define("metaroce_expect", name, body);
      outcomes = absl::StrCat(name, ", ", expect.one_of().outcomes_size());
      break;
    }
    default:
      kind = "NOTHING";
  }
  return absl::StrCat("{METAROCE_EXPECT_", kind, ", ", expect.packet().plane(), ", ", Number(from),
                      ", ", Number(until), ", ", fields, ", ", bytes, ", ",
                      Number(expect.placement().address()), ", ", reason, ", ", outcomes, "}");
}

std::string CArrays::Step(const FlatStep& flat) {
  std::string kind = "APPLY";
  std::string stimulus = "NULL";
  std::string expect = "NULL";
  uint64_t to = 0;
  if (!flat.stimulus) {
    kind = "EXPECT";
    const std::string body = ExpectBody(flat.expect, flat.from, flat.until);
    expect = NewName('e');
    Define("metaroce_expect", expect, body);
  } else if (flat.request.has_advance()) {
    kind = "ADVANCE";
    to = flat.request.advance().to_ns();
  } else {
    stimulus = Stimulus(flat.request);
  }
  return absl::StrCat("{METAROCE_STEP_", kind, ", ", flat.step, ", ", Quoted(flat.clause), ", ",
                      stimulus, ", ", Number(to), ", ", expect, "}");
}

void CArrays::Add(const vectors::Vector& vector, const std::vector<FlatStep>& steps) {
  names_ = 0;
  absl::StrAppend(&out_, "\n/* ", absl::StrReplaceAll(vector.id(), {{"*/", ""}}), " */\n");
  const std::string config = Record(vector.config().field());
  std::string body;
  for (const FlatStep& flat : steps) absl::StrAppend(&body, "\n  ", Step(flat), ",");
  const std::string name = NewName('t');
  Define("metaroce_step", name, body);
  std::string capabilities = kNull;
  if (vector.capabilities_size() > 0) {
    std::string list;
    for (const std::string& capability : vector.capabilities()) {
      absl::StrAppend(&list, Quoted(capability), ", ");
    }
    const std::string array = NewName('c');
    absl::StrAppend(&out_, "static const char* const ", array, "[] = {", list, "};\n");
    capabilities = absl::StrCat(array, ", ", vector.capabilities_size());
  }
  absl::StrAppend(&table_, "  {", Quoted(vector.title()), ", {", Quoted(vector.id()), ", ",
                  Quoted(LevelName(vector.level())), ", ", Quoted(vector.block()), ", ", config,
                  "}, ", capabilities, ", ", name, ", ", steps.size(), "},\n");
  ++count_;
}

std::string CArrays::Take() {
  // An array of C has an element at least.
  if (count_ == 0) table_ = "  {NULL, {NULL, NULL, NULL, {NULL, 0}}, NULL, 0, NULL, 0},\n";
  return absl::StrCat("/* Written by `metaroce vector export --form c`. */\n",
                      "#include \"metaroce_vectors.h\"\n", out_,
                      "\nconst metaroce_vector metaroce_vectors[] = {\n", table_,
                      "};\nconst size_t metaroce_vector_count = ", count_, ";\n");
}

}  // namespace metaroce::conformance
