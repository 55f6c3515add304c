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
#include "conformance/check/check.h"
#include "conformance/dut.pb.h"
#include "conformance/duts/model/setup.h"
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
  // What the application of the device posts, and what it is told.
  void Posts(const FieldList& post);
  void Told(uint64_t at, const dut::Completion& completion);

  // Explains all up to and including `until` (conformance/check), for a device with that
  // configuration and profile. Nothing: all is explained. An error if they contradict each other.
  absl::StatusOr<std::optional<Unexplained>> Explain(const FieldList& config, const DutInfo& info,
                                                     const vectors::SpecIndex& index,
                                                     uint64_t until) const;

 private:
  struct Work {
    uint64_t id = 0;
    uint16_t stream = 0;
    bool responds = false;
    bool refused = false;
  };
  struct Success {
    uint64_t at = 0;
    uint64_t id = 0;
  };
  std::optional<Unexplained> TooEarly(const check::Result& result, uint32_t start_msn,
                                      uint64_t until) const;

  struct Record {
    uint64_t at;
    uint32_t plane;
    bool received;
    std::string frame;
  };
  std::vector<Record> records_;
  std::vector<Work> posts_;
  std::vector<Success> successes_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_WITNESS_H_
