#include "spec/compiler/backends/wireshark/wireshark.h"
namespace metaroce::compiler {
absl::StatusOr<std::string> GenerateWireshark(const Spec&) { return std::string("todo"); }
}
