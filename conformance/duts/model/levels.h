// The levels of the model's device. Each is made by a Reset; an error says why there is none.
#ifndef METAROCE_CONFORMANCE_DUTS_MODEL_LEVELS_H_
#define METAROCE_CONFORMANCE_DUTS_MODEL_LEVELS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/duts/model/model_dut.h"
#include "google/protobuf/repeated_field.h"
#include "vectors/records.h"

namespace metaroce::conformance {

using FieldList = google::protobuf::RepeatedPtrField<dut::Field>;

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeCodecLevel(const dut::Reset& reset, Seed seed);
absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeReceiveVectorLevel(const dut::Reset& reset);
absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeAckGenerationLevel(const dut::Reset& reset);
// Of any other block.
absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeUntimedLevel(const dut::Reset& reset,
                                                                  const vectors::BlockInfo& info);
class Setup;  // setup.h
absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeEndpointLevel(const Setup& setup);

// Why the fields are no record of that kind, or no legal configuration: with the field, its value
// and the bound.
absl::Status CheckRecord(vectors::Record record, const FieldList& fields);
absl::Status CheckConfig(vectors::Record record, const FieldList& config);

// Fields of a record that was checked. A number that is absent is `otherwise`.
const dut::Field* FindField(const FieldList& fields, absl::string_view name);
uint64_t NumberOr(const FieldList& fields, absl::string_view name, uint64_t otherwise);
std::string WordOr(const FieldList& fields, absl::string_view name, absl::string_view otherwise);
void AddNumber(absl::string_view name, uint64_t value, FieldList* out);
void AddData(absl::string_view name, absl::string_view value, FieldList* out);
void AddWord(absl::string_view name, absl::string_view value, FieldList* out);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUTS_MODEL_LEVELS_H_
