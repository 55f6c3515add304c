// A device in this process whose answers a test writes, and a codec of readable packets.
#ifndef METAROCE_CONFORMANCE_PLAY_TESTING_H_
#define METAROCE_CONFORMANCE_PLAY_TESTING_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/dut.pb.h"
#include "conformance/play/codec.h"
#include "conformance/serve.h"

namespace metaroce::conformance {

// Answers Hello, Reset, Snapshot and Bye as a good device; Apply and Advance as the test says, and
// Reset too if `reset` is set.
class ScriptedHandler : public Handler {
 public:
  using Script = std::function<void(const dut::Request&, dut::Answer&)>;

  ScriptedHandler(std::vector<std::string> capabilities, Script script)
      : capabilities_(std::move(capabilities)), script_(std::move(script)) {}

  using Handler::Handle;
  void Handle(const dut::Request& request, dut::Answer* out) override {
    requests.push_back(request);
    dut::Answer& answer = *out;
    if (request.has_hello()) {
      dut::HelloAnswer& hello = *answer.mutable_hello();
      hello.set_contract(kContractVersion);
      hello.set_name("scripted");
      hello.set_version("1.0");
      hello.set_spec_hash(std::string(64, 'a'));
      for (const std::string& name : capabilities_) hello.add_capability(name);
      for (const auto& [name, value] : profile) {
        dut::Field& field = *hello.add_profile();
        field.set_name(name);
        field.set_number(value);
      }
      return;
    }
    answer.mutable_done();
    if (request.has_reset() && reset) {
      reset(request, answer);
    } else if (request.has_snapshot() && !empty_snapshot) {
      dut::Field& field = *answer.mutable_done()->add_event()->mutable_fields()->add_field();
      field.set_name("base");
      field.set_number(12);
    } else if (request.has_snapshot()) {
      answer.mutable_done()->add_event()->mutable_fields();
    } else if (request.has_apply() || request.has_advance()) {
      script_(request, answer);
    }
  }

  std::vector<dut::Request> requests;
  std::vector<std::pair<std::string, uint64_t>> profile;
  Script reset;
  bool empty_snapshot = false;

 private:
  std::vector<std::string> capabilities_;
  Script script_;
};

// Packets are lines "name=number".
class LineCodec : public PacketCodec {
 public:
  absl::StatusOr<std::string> Encode(const vectors::Fields& fields) const override {
    std::string frame;
    for (const vectors::Field& field : fields.field()) {
      if (field.value_case() != vectors::Field::kNumber) {
        return absl::InvalidArgumentError(absl::StrCat("\"", field.name(), "\" is no number."));
      }
      absl::StrAppend(&frame, field.name(), "=", field.number(), "\n");
    }
    return frame;
  }

  absl::StatusOr<vectors::Fields> Decode(absl::string_view frame) const override {
    vectors::Fields fields;
    for (const absl::string_view line : absl::StrSplit(frame, '\n', absl::SkipEmpty())) {
      const std::vector<std::string> parts = absl::StrSplit(line, '=');
      uint64_t number = 0;
      if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &number)) {
        return absl::FailedPreconditionError("length-short");
      }
      vectors::Field& field = *fields.add_field();
      field.set_name(parts[0]);
      field.set_number(number);
    }
    return fields;
  }

  std::optional<size_t> ByteOf(absl::string_view frame, absl::string_view field) const override {
    const size_t at = frame.find(absl::StrCat(field, "="));
    if (at == absl::string_view::npos) return std::nullopt;
    return at;
  }

  std::string Title(const vectors::Fields&) const override { return ""; }
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_TESTING_H_
