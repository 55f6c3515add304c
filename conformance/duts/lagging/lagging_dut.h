// The reference model behind a lag: what hardware looks like to a runner. Each packet leaves a
// fixed time after the event that made it due, with a clock that is a fixed time ahead, both within
// the bounds that the device declares (PROFILE-LATENCY). Nothing else of the model changes, so a
// vector that this device fails asks for more than the text.
//
// It knows one way to be slow, with every packet as late as the others. So two things that an
// endpoint does are beyond it: an ACK does not hold what came while it waited to leave, and an
// order of events that a device could change by its own delays stays as it is.
#ifndef METAROCE_CONFORMANCE_DUTS_LAGGING_LAGGING_DUT_H_
#define METAROCE_CONFORMANCE_DUTS_LAGGING_LAGGING_DUT_H_

#include <cstdint>
#include <deque>
#include <string>

#include "conformance/duts/model/model_dut.h"
#include "conformance/serve.h"

namespace metaroce::conformance {

class LaggingDut : public Handler {
 public:
  // Nanoseconds: from event to packet, and of the clock. At most 10,000 each.
  LaggingDut(uint32_t lag, uint32_t skew) : lag_(lag), skew_(skew) {}

  using Handler::Handle;
  void Handle(const dut::Request& request, dut::Answer* answer) override;

 private:
  void Reset(const dut::Reset& reset);
  void Arrives(std::string* frame) const;
  std::string Leaves(const std::string& frame) const;
  void Delay(uint64_t until, dut::Done* done);

  const uint32_t lag_;
  const uint32_t skew_;
  ModelDut model_;
  bool endpoint_ = false;
  uint16_t udp_port_ = 0;
  std::deque<dut::Event> waiting_;  // packets, with the time at which they leave
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUTS_LAGGING_LAGGING_DUT_H_
