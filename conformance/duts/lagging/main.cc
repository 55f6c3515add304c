// A device that takes its time, as a process: 300 ns to a packet, its clock 40 ns ahead.
#include "conformance/duts/lagging/lagging_dut.h"

int main() {
  metaroce::conformance::LaggingDut device(300, 40);
  return metaroce::conformance::Serve(device, 0, 1);
}
