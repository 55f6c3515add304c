// The device's side of the contract, for devices written in C++: implement Handler, and either give
// it to the runner in the same process (runner/dut.h) or put `return Serve(handler, 0, 1);` in
// main.
#ifndef METAROCE_CONFORMANCE_SERVE_H_
#define METAROCE_CONFORMANCE_SERVE_H_

#include "conformance/dut.pb.h"

namespace metaroce::conformance {

// The version of the contract of conformance/dut.proto.
inline constexpr uint32_t kContractVersion = 1;

class Handler {
 public:
  virtual ~Handler() = default;

  // Answers one request in `*answer`, which is empty; its id need not be set. Requests come in the
  // order of chapter 15, but their contents are the runner's business: any message must be
  // answered, with Error where it makes no sense.
  virtual void Handle(const dut::Request& request, dut::Answer* answer) = 0;

  dut::Answer Handle(const dut::Request& request) {
    dut::Answer answer;
    Handle(request, &answer);
    return answer;
  }
};

// Reads requests from the descriptor `in` and writes answers to `out` until Bye or the end of `in`.
// A message that is no request, and an answer above the size limit, become an Error. Returns the
// exit status: 0, or 2 after a sentence on standard error if the input is no series of messages or
// an answer cannot be written.
int Serve(Handler& handler, int in, int out);

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SERVE_H_
