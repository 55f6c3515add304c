// Asks a device for what a vector wants, and judges whether its answers fit, whatever they say.
#ifndef METAROCE_CONFORMANCE_PLAY_ASKING_H_
#define METAROCE_CONFORMANCE_PLAY_ASKING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/dut.pb.h"
#include "conformance/dut/dut.h"
#include "conformance/play/play.h"
#include "conformance/play/script.h"
#include "vectors/spec_index.h"
#include "vectors/vector.pb.h"

namespace metaroce::conformance {

// Why an answer, or an event in it, ends the vector.
struct Misfit {
  std::string clause;  // that it breaks; empty: the device answered Unsupported, and may
  std::string got;     // in words
  FaultKind fault = FaultKind::kNone;  // the device is to be started anew
};

class Asking {
 public:
  // All outlive this.
  Asking(const vectors::Vector& vector, const DutInfo& info, const vectors::SpecIndex& index,
         Dut& dut, RequestIds& ids)
      : vector_(vector), info_(info), index_(index), dut_(dut), ids_(ids) {}

  // Makes the request of the step with that index, -1 for the Reset, and takes the answer: Done, or
  // the Reject of a Decode.
  std::optional<Misfit> Ask(dut::Request& request, int step, dut::Answer* answer);

  // What the device shows of itself, in words; empty if it cannot. A fault is left in `fault`.
  std::string Snapshot(int step, FaultKind* fault);

 private:
  std::optional<Misfit> Refused(const dut::Request& request, const std::string& capability) const;
  bool Needs(absl::string_view capability) const;
  void Number(dut::Request& request, int step);

  const vectors::Vector& vector_;
  const DutInfo& info_;
  const vectors::SpecIndex& index_;
  Dut& dut_;
  RequestIds& ids_;
};

// Whether an event may stand where it stands: between those times, and with contents.
std::optional<Misfit> JudgeEvent(const dut::Event& event, uint64_t earliest, uint64_t latest);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_PLAY_ASKING_H_
