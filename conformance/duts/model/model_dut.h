// The reference model as a device under test: levels codec, block and endpoint,
// the last of which serves the level system too.
#ifndef METAROCE_CONFORMANCE_DUTS_MODEL_MODEL_DUT_H_
#define METAROCE_CONFORMANCE_DUTS_MODEL_MODEL_DUT_H_

#include <memory>

#include "absl/status/status.h"
#include "conformance/serve.h"

namespace metaroce::conformance {

// A defect built in on purpose, for showing what a failure looks like.
enum class Seed {
  kNone,
  kPadOutsideIcrc,  // the iCRC is computed without the pad (breaks WIRE-ICRC-PAD)
};

class ModelDut : public Handler {
 public:
  explicit ModelDut(Seed seed = Seed::kNone);
  ~ModelDut() override;

  using Handler::Handle;
  void Handle(const dut::Request& request, dut::Answer* answer) override;

  // What one level does with its requests, in an answer that is empty. An error is answered in its
  // place.
  class Level {
   public:
    virtual ~Level() = default;
    virtual absl::Status Apply(const dut::Apply& apply, dut::Answer* answer) = 0;
    virtual absl::Status Advance(uint64_t to_ns, dut::Answer* answer);
    virtual void Snapshot(dut::Answer* answer);
  };

 private:
  absl::Status Do(const dut::Request& request, dut::Answer* answer);
  absl::Status Reset(const dut::Reset& reset);

  Seed seed_;
  std::unique_ptr<Level> level_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUTS_MODEL_MODEL_DUT_H_
