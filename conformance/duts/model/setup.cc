#include "conformance/duts/model/setup.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

// The last byte of the addresses that a side has by default.
uint8_t LastByte(absl::string_view side) { return side == "local" ? 2 : 1; }

frame::MacAddress Mac(const FieldList& config, absl::string_view side) {
  frame::MacAddress mac{{2, 0, 0, 0, 0, LastByte(side)}};
  const dut::Field* field = FindField(config, absl::StrCat(side, ".mac"));
  if (field != nullptr && field->data().size() == 6) {
    for (size_t i = 0; i < 6; ++i) mac.bytes[i] = static_cast<uint8_t>(field->data()[i]);
  }
  return mac;
}

absl::StatusOr<frame::IpAddress> Address(const FieldList& config, absl::string_view side) {
  const std::string name = absl::StrCat(side, ".ip");
  const dut::Field* field = FindField(config, name);
  if (field == nullptr) return frame::IpAddress::V4({192, 0, 2, LastByte(side)});
  const std::string& data = field->data();
  if (data.size() == 4) {
    std::array<uint8_t, 4> bytes;
    std::copy(data.begin(), data.end(), bytes.begin());
    return frame::IpAddress::V4(bytes);
  }
  if (data.size() == 16) {
    std::array<uint8_t, 16> bytes;
    std::copy(data.begin(), data.end(), bytes.begin());
    return frame::IpAddress::V6(bytes);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has ", data.size(), " bytes; it must have 4 or 16."));
}

}  // namespace

absl::StatusOr<endpoint::Settings> Setup::Settings() const {
  endpoint::Settings settings;
  //= CONF-CONSTANTS
  //# A field of a configuration that has the name of a constant sets that constant until the next
  //# Reset.
  for (const dut::Field& field : config_) {
    if (!vectors::SpecTables().Parameter(field.name()).has_value()) continue;
    const absl::Status status = settings.profile.Set(field.name(), field.number());
    if (!status.ok()) return status;
  }
  absl::StatusOr<endpoint::Port> port = Port(ours());
  if (!port.ok()) return port.status();
  settings.ports.assign(NumberOr(config_, absl::StrCat(ours(), ".planes"), 1), *port);
  settings.target_paths = static_cast<uint32_t>(NumberOr(own_, "target_paths", 1));
  if (const dut::Field* window = FindField(own_, "window")) {
    settings.windows.kind = congestion::Kind::kFixed;
    settings.windows.path_window = static_cast<uint32_t>(window->number() << 16);
  }
  settings.port_rates =
      endpoint::EveryPort(static_cast<uint32_t>(NumberOr(own_, "port_rate", 400000)));
  settings.accepts = NumberOr(own_, "accept", 0) != 0;
  return settings;
}

uint32_t Setup::Cid() const { return Body(ours()).cid; }

//= CONF-ENDPOINT-STATE
//# After Reset the connection is in the state
absl::Status Setup::Establish(endpoint::Endpoint* endpoint, const endpoint::Step& step) const {
  const absl::StatusOr<endpoint::Port> peer = Peer();
  if (!peer.ok()) return peer.status();
  const spec::Connect own = Body(ours());
  const spec::Connect body = Body(theirs());
  const size_t planes = Body("peer").planes;  // those of both ends
  //= CONF-SYSTEM
  //# The peer was the acceptor of the handshake
  absl::Status status = endpoint->Establish(static_cast<uint32_t>(NumberOr(config_, "tag", 0)), own,
                                            body, std::vector<endpoint::Port>(planes, *peer),
                                            Route{spec::constant::kEntropyMin, 0}, step, !of_peer_);
  for (auto& [i, fields] : Entries("path")) {
    const bool base = fields.contains("base");
    const uint64_t start = base || i != 0 ? fields["base"] : body.start_sequence;
    if (!status.ok()) break;
    status =
        endpoint->OpenPath(own.cid, static_cast<uint8_t>(i), static_cast<uint8_t>(fields["epoch"]),
                           PathSeq(static_cast<uint32_t>(start)), step);
  }
  for (auto& [i, fields] : Entries("memory")) {
    Region region;
    region.address = fields["address"];
    region.length = fields["length"];
    region.rkey = static_cast<uint32_t>(fields["rkey"]);
    region.rights = static_cast<uint8_t>(fields["rights"]);
    if (status.ok()) status = endpoint->Register(own.cid, region);
  }
  return status;
}

void Setup::Register(SparseMemory* memory) const {
  for (auto& [i, fields] : Entries("memory")) memory->Register(fields["address"], fields["length"]);
}

std::map<int, std::map<std::string, uint64_t>> Setup::Entries(absl::string_view name) const {
  std::map<int, std::map<std::string, uint64_t>> out;
  for (const dut::Field& field : own_) {
    absl::string_view rest = field.name();
    if (!absl::ConsumePrefix(&rest, absl::StrCat(name, "["))) continue;
    const size_t end = rest.find("].");
    int i = 0;
    if (end == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(0, end), &i)) continue;
    out[i][std::string(rest.substr(end + 2))] = field.number();
  }
  return out;
}

absl::StatusOr<endpoint::Port> Setup::Port(absl::string_view side) const {
  absl::StatusOr<frame::IpAddress> ip = Address(config_, side);
  if (!ip.ok()) return ip.status();
  return endpoint::Port{Mac(config_, side), *ip};
}

spec::Connect Setup::Body(absl::string_view side) const {
  const auto number = [&](const char* field, uint64_t otherwise) {
    return NumberOr(config_, absl::StrCat(side, ".", field), otherwise);
  };
  spec::Connect body{};
  body.cid = static_cast<uint32_t>(number("cid", side == "local" ? 1 : 2));
  body.start_csn = static_cast<uint32_t>(number("start_csn", 0));
  body.start_msn = static_cast<uint32_t>(number("start_msn", 0));
  body.start_sequence = static_cast<uint32_t>(number("start_sequence", 0));
  body.start_serial = static_cast<uint32_t>(number("start_serial", 0));
  body.start_index = static_cast<uint32_t>(number("start_index", 0));
  body.credit = static_cast<uint32_t>(number("credit", 0));
  body.range = static_cast<uint32_t>(number("range", 4096));
  body.mtu = static_cast<uint16_t>(number("mtu", 1024));
  body.streams = static_cast<uint16_t>(number("streams", 64));
  body.open_messages = static_cast<uint16_t>(number("open_messages", 64));
  body.reads = static_cast<uint16_t>(number("reads", 64));
  body.paths = static_cast<uint8_t>(number("paths", 8));
  body.planes = static_cast<uint8_t>(number("planes", 1));
  body.features = static_cast<uint16_t>(number("features", 0));
  body.hint_unit = static_cast<uint16_t>(number("hint_unit", 16));
  return body;
}

}  // namespace metaroce::conformance
