#include "conformance/system/network.h"

#include <algorithm>

#include "model/wire/packet/packet.h"

namespace metaroce::conformance {
namespace {

using vectors::PathFault;

packet::Bytes BytesOf(absl::string_view frame) {
  return {reinterpret_cast<const uint8_t*>(frame.data()), frame.size()};
}

// What a fault may ask of a frame.
struct Face {
  uint64_t at = 0;
  uint32_t plane = 0;
  std::optional<uint32_t> entropy;
  std::optional<uint32_t> opcode;
  std::optional<uint32_t> path;
};

Face FaceOf(uint64_t at, uint32_t plane, absl::string_view frame, uint16_t udp_port) {
  Face face;
  face.at = at;
  face.plane = plane;
  packet::ParseOptions options;
  options.udp_port = udp_port;
  packet::Packet packet;
  //= CONF-SYSTEM-PATH
  //# A frame that fails a check of
  //# [CONF-DECODE] has no opcode and no path.
  if (packet::Parse(BytesOf(frame), options, &packet).ok()) {
    face.opcode = packet.headers.common.opcode;
    face.path = packet.headers.common.path;
  }
  frame::Frame below;
  if (frame::ParseFrame(BytesOf(frame), frame::LinkType::kEthernet, {}, &below).ok()) {
    face.entropy = below.src_port;
  }
  return face;
}

//= CONF-SYSTEM-PATH
//# Of these it strikes those that have, as far as the vector says so, the plane, the UDP source
//# port `entropy`, the `opcode` and the `path` of the common header, and that leave at `from` or later
//# and before `until`
bool Concerns(const PathFault& fault, const Face& face) {
  if (fault.has_plane() && fault.plane() != face.plane) return false;
  if (fault.has_entropy() && fault.entropy() != face.entropy) return false;
  if (fault.has_opcode() && fault.opcode() != face.opcode) return false;
  if (fault.has_path() && fault.path() != face.path) return false;
  return face.at >= fault.from() && (!fault.has_until() || face.at < fault.until());
}

//= CONF-SYSTEM-PATH
//# of these in turn `count` from the `first`-th on, by default all from the first on.
bool Strikes(const PathFault& fault, uint64_t number) {
  const uint64_t first = fault.has_first() ? fault.first() : 1;
  return number >= first && (!fault.has_count() || number - first < fault.count());
}

// CE in place of ECT(0) or ECT(1), and the checksum that follows from it.
void MarkCe(std::string& frame) {
  frame::Frame parsed;
  if (!frame::ParseFrame(BytesOf(frame), frame::LinkType::kEthernet, {}, &parsed).ok()) return;
  if (parsed.ecn() != frame::Ecn::kEct0 && parsed.ecn() != frame::Ecn::kEct1) return;
  char* ip = frame.data() + parsed.ip_offset;
  if (parsed.ip_version == 6) {
    ip[1] = static_cast<char>(static_cast<uint8_t>(ip[1]) | 0x30);
    return;
  }
  ip[1] = static_cast<char>(static_cast<uint8_t>(ip[1]) | 3);
  const uint16_t sum = frame::Ipv4HeaderChecksum(
      BytesOf(frame).subspan(parsed.ip_offset, parsed.ip_header_length()));
  ip[10] = static_cast<char>(sum >> 8);
  ip[11] = static_cast<char>(sum & 0xff);
}

// A fault strikes a frame and what came of it already.
void Strike(const PathFault& fault, std::vector<Arrival>& copies) {
  if (fault.does() == "drop") {
    copies.clear();
  } else if (fault.does() == "duplicate" && !copies.empty()) {
    copies.push_back(copies.front());
    copies.back().at += fault.by();
  }
  for (Arrival& copy : copies) {
    if (fault.does() == "delay") copy.at += fault.by();
    if (fault.does() == "mark") MarkCe(copy.frame);
    if (fault.does() == "corrupt" && !copy.frame.empty()) {
      char& byte = copy.frame[fault.byte() % copy.frame.size()];
      byte = static_cast<char>(~byte);
    }
  }
}

}  // namespace

Network::Network(const vectors::System& system, uint16_t udp_port)
    : system_(system), udp_port_(udp_port) {
  for (const End end : {End::kDut, End::kPeer}) {
    Direction& direction = directions_[static_cast<size_t>(end)];
    for (const PathFault& fault : system.faults()) {
      if ((fault.toward() == "dut") == (end == End::kDut)) direction.rules.push_back({&fault, 0});
    }
  }
}

//= CONF-SYSTEM-PATH
//# A frame that leaves one end by a plane at time t arrives at the other end by the same plane at t
//# plus the delay that the vector gives for the
//# direction and the plane
void Network::Send(End to, uint64_t at, uint32_t plane, absl::string_view frame) {
  Direction& direction = directions_[static_cast<size_t>(to)];
  const int last = system_.delays_size() - 1;
  const vectors::Delay& delay = system_.delays(std::min(static_cast<int>(plane), last));
  const uint64_t arrives = at + (to == End::kDut ? delay.to_dut() : delay.to_peer());
  std::vector<Arrival> copies = {{arrives, plane, std::string(frame)}};
  if (!direction.rules.empty()) {
    const Face face = FaceOf(at, plane, frame, udp_port_);
    //= CONF-SYSTEM-PATH
    //# The faults strike a frame in the order in which the vector gives them.
    for (Rule& rule : direction.rules) {
      if (Concerns(*rule.fault, face) && Strikes(*rule.fault, ++rule.seen)) {
        Strike(*rule.fault, copies);
      }
    }
  }
  for (Arrival& copy : copies) {
    const std::pair<uint64_t, uint64_t> key(copy.at, departures_++);
    direction.on_the_way.emplace(key, std::move(copy));
  }
}

std::optional<Arrival> Network::Take(End to, uint64_t until) {
  auto& on_the_way = directions_[static_cast<size_t>(to)].on_the_way;
  if (on_the_way.empty() || on_the_way.begin()->first.first > until) return std::nullopt;
  Arrival first = std::move(on_the_way.begin()->second);
  on_the_way.erase(on_the_way.begin());
  return first;
}

}  // namespace metaroce::conformance
