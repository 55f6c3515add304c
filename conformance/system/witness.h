// What reached a device and what it sent, and whether the text explains the one by the other.
#ifndef METAROCE_CONFORMANCE_SYSTEM_WITNESS_H_
#define METAROCE_CONFORMANCE_SYSTEM_WITNESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/play/script.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// A packet that the text does not allow, or one that did not come.
struct Unexplained {
  uint64_t at = 0;
  std::string clause;
  std::string expected;
  std::string got;
  std::string frame;  // that was sent; empty if something is missing
};

class Witness {
 public:
  // Frames in the order in which the device saw and sent them, with times that do not go back.
  void Saw(uint64_t at, uint32_t plane, std::string frame) {
    records_.push_back({at, plane, true, std::move(frame)});
  }
  void Sent(uint64_t at, uint32_t plane, std::string frame) {
    records_.push_back({at, plane, false, std::move(frame)});
  }

  // Explains all up to and including `until` (conformance/check), for a device with that profile.
  // Nothing: all is explained. An error if its profile contradicts itself.
  absl::StatusOr<std::optional<Unexplained>> Explain(const vectors::Vector& vector,
                                                     const DutInfo& info,
                                                     const vectors::SpecIndex& index,
                                                     uint64_t until) const;

 private:
  struct Record {
    uint64_t at;
    uint32_t plane;
    bool received;
    std::string frame;
  };
  std::vector<Record> records_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_WITNESS_H_
