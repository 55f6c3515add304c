// One vector, played to a device up to its first divergence.
#ifndef METAROCE_CONFORMANCE_RUNNER_PLAY_H_
#define METAROCE_CONFORMANCE_RUNNER_PLAY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/dut.pb.h"
#include "conformance/runner/codec.h"
#include "conformance/runner/dut.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// What the device said about itself.
struct DutInfo {
  std::string name;
  std::string version;
  std::string spec_hash;
  std::set<std::string> capabilities;
  std::map<std::string, uint64_t> profile;

  bool Has(absl::string_view capability) const {
    return capabilities.count(std::string(capability)) > 0;
  }
};

// The value of a parameter for this device: its profile's, else the default. Nothing if there is no
// such parameter.
std::optional<uint64_t> ParameterOf(absl::string_view name, const DutInfo& info,
                                    const vectors::SpecIndex& index);

// Why `vector` does not bind the device, in a sentence (CONF-CLAIM); empty if it does.
std::string WhyUnbound(const vectors::Vector& vector, const DutInfo& info,
                       const vectors::SpecIndex& index);

// The first divergence, as a report shows it (CONF-FIRST). All texts are safe to print.
struct Divergence {
  int step = 0;  // from 1; 0: before the first
  std::string clause;
  std::string level;     // of the clause: "MUST"
  std::string received;  // the stimulus before it, with its time and note
  std::string expected;
  std::string got;
  std::string state;  // what the device shows of itself, empty if it cannot
};

enum class PlayKind {
  kMet,          // every expectation was met and nothing else happened
  kDiverged,     // `divergence` says where
  kUnsupported,  // `text` says what the device lacks
  kHarness,      // the vector or the runner is at fault: `text`
};

struct PlayResult {
  PlayKind kind = PlayKind::kMet;
  Divergence divergence;
  std::string text;
  FaultKind fault = FaultKind::kNone;  // of the device, if that is why it diverged
  bool answered = false;               // the device answered at least one request correctly
};

// Gives requests their numbers. One for each process of a device.
class RequestIds {
 public:
  uint32_t Next() { return ++last_; }

 private:
  uint32_t last_ = 0;
};

// Plays `vector`, which has no findings of lint.h and binds the device. `codec` may be null: then a
// vector that needs it is a kHarness. After a fault the device must be started anew.
PlayResult Play(const vectors::Vector& vector, const DutInfo& info, const vectors::SpecIndex& index,
                const PacketCodec* codec, Dut& dut, RequestIds& ids);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_RUNNER_PLAY_H_
