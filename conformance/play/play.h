// One vector, played to a device up to its first divergence.
#ifndef METAROCE_CONFORMANCE_PLAY_PLAY_H_
#define METAROCE_CONFORMANCE_PLAY_PLAY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/dut.pb.h"
#include "conformance/dut/dut.h"
#include "conformance/play/codec.h"
#include "conformance/play/match.h"
#include "conformance/play/script.h"
#include "conformance/play/timeline.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

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
  // For a page: both sides in full, and what led there. Empty where nothing can be told.
  std::vector<Side> sides;
  std::vector<Mark> marks;
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

// Where a player stands, as a plain value that outlives it.
struct Progress {
  int32_t step = -1;      // index of the step whose request is made; -1: the Reset
  int32_t stimulus = -1;  // of the latest stimulus
  uint32_t sent = 0;      // which of its burst
  uint64_t at = 0;        // when the burst began
  uint64_t now = 0;
  bool answered = false;  // the device answered at least one request correctly
  bool waits = false;     // `waiting` is the first expectation that waits
  Waiting waiting;
};

// How the vector ends if the device breaks at that place: by CONF-DEATH, with what it did in
// words.
PlayResult Broken(const vectors::Vector& vector, const DutInfo& info,
                  const vectors::SpecIndex& index, const PacketCodec* codec,
                  const Progress& progress, const Fault& fault);

// Plays `vector`, which has no findings of lint.h and binds the device. `codec` may be null: then a
// vector that needs it is a kHarness. After a fault the device must be started anew. `progress`, if
// it is given, is kept true before each request.
PlayResult Play(const vectors::Vector& vector, const DutInfo& info, const vectors::SpecIndex& index,
                const PacketCodec* codec, Dut& dut, RequestIds& ids, Progress* progress = nullptr);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_PLAY_H_
