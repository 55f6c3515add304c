#include "spec/compiler/backends/testing/sample.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "google/protobuf/text_format.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

Spec Sample() {
  std::ifstream in("spec/compiler/backends/testing/sample.textproto");
  std::stringstream text;
  text << in.rdbuf();
  Spec spec;
  if (!in || !google::protobuf::TextFormat::ParseFromString(text.str(), &spec)) {
    std::cerr << "sample.textproto cannot be read.\n";
    std::abort();
  }
  return spec;
}

}  // namespace metaroce::compiler
