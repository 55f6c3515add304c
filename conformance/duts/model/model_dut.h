// The reference model as a device under test: levels codec, block and endpoint.
#ifndef METAROCE_CONFORMANCE_DUTS_MODEL_MODEL_DUT_H_
#define METAROCE_CONFORMANCE_DUTS_MODEL_MODEL_DUT_H_

#include <memory>

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

  dut::Answer Handle(const dut::Request& request) override;

  // What one level does with its requests.
  class Level {
   public:
    virtual ~Level() = default;
    virtual dut::Answer Apply(const dut::Apply& apply) = 0;
    virtual dut::Answer Advance(uint64_t to_ns);
    virtual dut::Answer Snapshot();
  };

 private:
  dut::Answer Reset(const dut::Reset& reset);

  Seed seed_;
  std::unique_ptr<Level> level_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUTS_MODEL_MODEL_DUT_H_
