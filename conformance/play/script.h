// What a vector asks of a device, as far as it does not depend on what the device does: which
// clause a step tests, when an expectation is due, how both are put into words.
#ifndef METAROCE_CONFORMANCE_PLAY_SCRIPT_H_
#define METAROCE_CONFORMANCE_PLAY_SCRIPT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/play/codec.h"
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

// An expectation, or what is left of a burst of them. A plain value: it can be copied out of a
// process that may die.
struct Waiting {
  int step = 0;      // index of the step
  int stimulus = 0;  // index of the stimulus before it
  uint32_t next = 0;
  uint32_t count = 1;
  uint64_t at = 0;  // of the first
  uint64_t every = 0;
  uint64_t after = 0;
  uint64_t within = 0;  // of `nothing`: how long
  bool nothing = false;
  bool completion = false;
  bool placement = false;

  uint64_t base() const { return at + next * every; }
  uint64_t deadline() const { return base() + within; }
  uint64_t last_deadline() const { return at + (count - 1) * every + within; }
};

class Script {
 public:
  // All outlive this. `vector` has no findings of vectors/lint.h.
  Script(const vectors::Vector& vector, const DutInfo& info, const vectors::SpecIndex& index);

  const vectors::Vector& vector() const { return vector_; }
  // Whether events may come at any time.
  bool timed() const { return timed_; }

  // The clause of the step with this index, else the vector's first.
  std::string ClauseOf(int step) const;
  // "MUST"; empty if there is no such clause.
  std::string LevelOf(absl::string_view clause) const;

  // In nanoseconds, for this device.
  uint64_t ValueOf(const vectors::Bound& bound) const;

  // The expectation at `step`, behind the stimulus with that index, which comes at `stimulus_at`.
  Waiting Wait(int step, int stimulus, uint64_t stimulus_at) const;
  // The next of it. `*grown` is used if it is one of a burst.
  const vectors::Expectation& Next(const Waiting& waiting, vectors::Expectation* grown) const;
  // "reject icrc, by 100 ns".
  std::string Describe(const Waiting& waiting, const PacketCodec* codec = nullptr) const;
  // The k-th packet of the stimulus with this index, the first of which comes at `at`; the
  // configuration if the index is negative. Of a machine, with the state that it was in.
  std::string Received(int stimulus, uint32_t k, uint64_t at,
                       const PacketCodec* codec = nullptr) const;

 private:
  // ", machine path in state active"; empty if the vector is about no machine.
  std::string MachineBefore(int stimulus, uint32_t k) const;

  const vectors::Vector& vector_;
  const DutInfo& info_;
  const vectors::SpecIndex& index_;
  const bool timed_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_SCRIPT_H_
