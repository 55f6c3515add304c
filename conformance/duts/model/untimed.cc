#include "conformance/duts/model/untimed.h"

#include <utility>

#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

struct Maker {
  absl::string_view block;
  MadeBlock (*make)(const RecordView&, const Profile&);
};

constexpr Maker kMakers[] = {
    {"csn-tracker", MakeCsnTracker},
    {"loss-detection", MakeLossDetection},
    {"rtt-rto", MakeRttRto},
    {"path-window", MakePathWindow},
    {"connection-window", MakeConnectionWindow},
    {"receiver-hint", MakeReceiverHint},
    {"path-count", MakePathCount},
    {"pacer", MakePacer},
    {"entropy", MakeEntropy},
    {"scheduler", MakeScheduler},
    {"path-lifecycle", MakePathLifecycle},
    {"completion-order", MakeCompletionOrder},
};

//= CONF-CONSTANTS
//# A field of a configuration that has the name of a constant sets that constant until the next
//# Reset.
absl::StatusOr<Profile> ProfileOf(const FieldList& config) {
  Profile profile;
  for (const dut::Field& field : config) {
    const auto parameter = vectors::SpecTables().Parameter(field.name());
    if (!parameter.has_value() || parameter->profile) continue;
    const absl::Status status = profile.Set(field.name(), field.number());
    if (!status.ok()) return status;
  }
  return profile;
}

//= CONF-BLOCK
//# `Apply` with `Block` holds an input record; the events are `fields` with output records.
class UntimedLevel : public ModelDut::Level {
 public:
  UntimedLevel(vectors::Record input, std::unique_ptr<UntimedBlock> block)
      : input_(input), block_(std::move(block)) {}

  absl::Status Apply(const dut::Apply& apply, dut::Answer* answer) override {
    if (apply.stimulus_case() != dut::Apply::kBlock) {
      return absl::InvalidArgumentError("the level block takes Block only.");
    }
    const FieldList& fields = apply.block().field();
    const absl::Status status = CheckRecord(input_, fields);
    if (!status.ok()) return status;
    FieldList* out = answer->mutable_done()->add_event()->mutable_fields()->mutable_field();
    return block_->Take(RecordView(fields), out);
  }

 private:
  const vectors::Record input_;
  std::unique_ptr<UntimedBlock> block_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeUntimedLevel(const dut::Reset& reset,
                                                                  const vectors::BlockInfo& info) {
  const absl::Status status = CheckConfig(info.config, reset.config());
  if (!status.ok()) return status;
  absl::StatusOr<Profile> profile = ProfileOf(reset.config());
  if (!profile.ok()) return profile.status();
  for (const Maker& maker : kMakers) {
    if (maker.block != info.name) continue;
    MadeBlock block = maker.make(RecordView(reset.config()), *profile);
    if (!block.ok()) return block.status();
    return std::make_unique<UntimedLevel>(info.input, *std::move(block));
  }
  return absl::InvalidArgumentError(absl::StrCat("the model does not expose ", info.name, "."));
}

}  // namespace metaroce::conformance
