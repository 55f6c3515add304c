// The Wireshark dissector generated from the text.
#ifndef SPEC_COMPILER_BACKENDS_WIRESHARK_WIRESHARK_H_
#define SPEC_COMPILER_BACKENDS_WIRESHARK_WIRESHARK_H_

#include <string>

#include "absl/status/statusor.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {

// metaroce.lua, tested with Wireshark 4.0 (Lua 5.2): tables of layouts, opcodes and enums from the
// text, and the engine of dissector.lua that walks them.
//
// It claims UDP packets by destination port, a preference whose default is the constant `udp_port`,
// and what the user assigns by Decode As. Every field F of a layout L is metaroce.L.F;
// dissector.lua names the fields that belong to no layout. It never fails on any bytes: what is
// wrong with a packet becomes expert information and the field metaroce.fault.
//
// Errors: those of CheckSpec; NotFound without a constant `udp_port` whose default is a port.
absl::StatusOr<std::string> GenerateWireshark(const Spec& spec);

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_BACKENDS_WIRESHARK_WIRESHARK_H_
