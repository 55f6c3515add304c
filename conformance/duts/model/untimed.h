// The blocks that have no time of the contract: an input record in, an output record out (section
// 15.4). Each is a thin layer of records over functions of the model.
#ifndef METAROCE_CONFORMANCE_DUTS_MODEL_UNTIMED_H_
#define METAROCE_CONFORMANCE_DUTS_MODEL_UNTIMED_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/duts/model/levels.h"
#include "model/profile.h"
#include "model/serial.h"

namespace metaroce::conformance {

// The fields of a record that was checked. A number that is absent is 0, or what the caller says.
class RecordView {
 public:
  explicit RecordView(const FieldList& fields) : fields_(fields) {}

  bool Has(absl::string_view name) const { return FindField(fields_, name) != nullptr; }
  uint64_t Number(absl::string_view name, uint64_t otherwise = 0) const {
    return NumberOr(fields_, name, otherwise);
  }
  uint32_t Small(absl::string_view name, uint32_t otherwise = 0) const {
    return static_cast<uint32_t>(Number(name, otherwise));
  }
  Nanoseconds Time(absl::string_view name) const { return static_cast<Nanoseconds>(Number(name)); }
  bool Flag(absl::string_view name, bool otherwise = false) const {
    return Number(name, otherwise ? 1 : 0) != 0;
  }
  std::string Word(absl::string_view name) const { return WordOr(fields_, name, ""); }
  std::string Data(absl::string_view name) const {
    const dut::Field* field = FindField(fields_, name);
    return field == nullptr ? "" : field->data();
  }
  // Bit i of a set, or of a bitmap: its bytes are one number, most significant byte first.
  static bool Bit(absl::string_view set, size_t i) {
    return i / 8 < set.size() &&
           ((static_cast<uint8_t>(set[set.size() - 1 - i / 8]) >> (i % 8)) & 1) != 0;
  }

  // The members of a list that are given.
  std::vector<uint32_t> Members(absl::string_view list) const {
    std::vector<uint32_t> members;
    for (uint32_t i = 0; i < 16; ++i) {
      const std::string start = absl::StrCat(list, "[", i, "].");
      for (const dut::Field& field : fields_) {
        if (field.name().compare(0, start.size(), start) != 0) continue;
        members.push_back(i);
        break;
      }
    }
    return members;
  }

 private:
  const FieldList& fields_;
};

class UntimedBlock {
 public:
  virtual ~UntimedBlock() = default;
  // An error says why the input cannot come now.
  virtual absl::Status Take(const RecordView& in, FieldList* out) = 0;
};

using MadeBlock = absl::StatusOr<std::unique_ptr<UntimedBlock>>;

// From a configuration that was checked, and the constants with what it sets.
MadeBlock MakeCsnTracker(const RecordView& config, const Profile& profile);
MadeBlock MakeLossDetection(const RecordView& config, const Profile& profile);
MadeBlock MakeRttRto(const RecordView& config, const Profile& profile);
MadeBlock MakePathWindow(const RecordView& config, const Profile& profile);
MadeBlock MakeConnectionWindow(const RecordView& config, const Profile& profile);
MadeBlock MakeReceiverHint(const RecordView& config, const Profile& profile);
MadeBlock MakePathCount(const RecordView& config, const Profile& profile);
MadeBlock MakePacer(const RecordView& config, const Profile& profile);
MadeBlock MakeEntropy(const RecordView& config, const Profile& profile);
MadeBlock MakeScheduler(const RecordView& config, const Profile& profile);
MadeBlock MakePathLifecycle(const RecordView& config, const Profile& profile);
MadeBlock MakeCompletionOrder(const RecordView& config, const Profile& profile);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUTS_MODEL_UNTIMED_H_
