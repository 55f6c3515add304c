// The reference model as a process of its own, behind standard input and output.
#include <cstdio>
#include <cstring>

#include "conformance/duts/model/model_dut.h"

int main(int argc, char** argv) {
  using metaroce::conformance::Seed;
  Seed seed = Seed::kNone;
  if (argc == 2 && std::strcmp(argv[1], "--seed=pad-outside-icrc") == 0) {
    seed = Seed::kPadOutsideIcrc;
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: %s [--seed=pad-outside-icrc]\n", argv[0]);
    return 2;
  }
  metaroce::conformance::ModelDut device(seed);
  return metaroce::conformance::Serve(device, 0, 1);
}
