// The model as a device with a seeded defect: `mutant_dut NAME`; `mutant_dut` lists them.
#include <cstring>
#include <iostream>

#include "conformance/serve.h"
#include "fuzz/mutants/active.h"
#include "fuzz/mutants/devices/conformance/duts/model/model_dut.h"

int main(int argc, char** argv) {
  using metaroce::mutants::All;
  if (argc == 1) {
    for (const auto& mutant : All()) std::cout << mutant.name << " " << mutant.clause << "\n";
    return 0;
  }
  for (uint32_t i = 0; i < All().size(); ++i) {
    if (All()[i].name == argv[1]) metaroce::mutants::active = i + 1;
  }
  if (metaroce::mutants::active == 0 && std::strcmp(argv[1], "none") != 0) {
    std::cerr << "There is no defect \"" << argv[1] << "\".\n";
    return 2;
  }
  metaroce::conformance::ModelDut device;
  return metaroce::conformance::Serve(device, 0, 1);
}
