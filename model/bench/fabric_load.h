// Loads of the fabric, with endpoints at its hosts and without, for measurements. Virtual time, and
// nothing is random that does not follow from a seed: the same load takes the same steps
// everywhere.
#ifndef METAROCE_MODEL_BENCH_FABRIC_LOAD_H_
#define METAROCE_MODEL_BENCH_FABRIC_LOAD_H_

#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace metaroce::bench {

// A load by its name, as `metaroce bench` runs it and benchmarks.md names it.
struct FabricCase {
  absl::string_view name;
  // A scenario as textproto. Empty: no endpoints; 64 hosts send 32 packets each to another host,
  // which start again as soon as they have arrived.
  absl::string_view scenario;
  uint32_t connections = 0;
  uint32_t paths = 0;         // of each connection
  bool log = false;           // the log of events is written, to a stream that forgets it
  bool whole_frames = false;  // payload and iCRC
  // Packets until all that grows has grown.
  uint64_t warm_up = 100000;
};
absl::Span<const FabricCase> FabricCases();
// The case of that name, or null.
const FabricCase* FindFabricCase(absl::string_view name);

// What arrived, and what it took.
struct Passed {
  uint64_t data = 0;
  uint64_t acks = 0;
  uint64_t others = 0;
  uint64_t steps = 0;  // events of the fabric

  uint64_t packets() const { return data + acks + others; }
};

class FabricLoad {
 public:
  static std::unique_ptr<FabricLoad> Make(const FabricCase& c);
  virtual ~FabricLoad() = default;

  // Goes on until at least so many more packets have arrived.
  void Run(uint64_t packets);
  // The same under a name of its own, for profilers.
  [[gnu::noinline]] void Measure(uint64_t packets);
  virtual Passed passed() const = 0;

 private:
  // Goes on for so many events.
  virtual void Step(uint64_t events) = 0;
};

}  // namespace metaroce::bench

#endif  // METAROCE_MODEL_BENCH_FABRIC_LOAD_H_
