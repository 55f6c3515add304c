#include "conformance/check/testing/recorder.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/check/trace.h"
#include "model/check.h"
#include "model/wire/capture/pcapng_writer.h"

namespace metaroce::check {

Recorder::Recorder(testing::Pair* pair) : pair_(pair) {
  for (int side = 0; side < 2; ++side) {
    const endpoint::Settings& settings = pair->at(side).state().settings;
    profile_ += WriteProfile(side == 0 ? 'a' : 'b', settings);
    planes_[side] = settings.ports.size();
  }
  pair->tap = [this](int side, bool received, uint8_t plane, packet::Bytes frame) {
    seen_.push_back({side, received, plane, pair_->now(), {frame.begin(), frame.end()}});
  };
}

Recorder::~Recorder() { pair_->tap = nullptr; }

std::vector<uint8_t> Recorder::Pcapng() const {
  capture::PcapngWriter writer("metaroce");
  uint32_t first[2];
  for (int side = 0; side < 2; ++side) {
    for (size_t plane = 0; plane < planes_[side]; ++plane) {
      for (const char* what : {"sent", "received"}) {
        const auto added =
            writer.AddInterface(static_cast<uint16_t>(frame::LinkType::kEthernet),
                                absl::StrCat(side == 0 ? "a" : "b", plane, " ", what));
        METAROCE_CHECK(added.ok());
        if (plane == 0 && what[0] == 's') first[side] = *added;
      }
    }
  }
  bool begun = false;
  for (const Seen& seen : seen_) {
    capture::PcapngWriter::Packet packet;
    packet.interface = first[seen.side] + 2u * seen.plane + (seen.received ? 1 : 0);
    packet.timestamp_ns = static_cast<uint64_t>(seen.at);
    packet.bytes = seen.frame;
    packet.direction = seen.received ? capture::Direction::kInbound : capture::Direction::kOutbound;
    if (!begun) packet.comment = profile_;
    begun = true;
    METAROCE_CHECK(writer.AddPacket(packet).ok());
  }
  return writer.Take();
}

bool Taken(packet::Bytes bytes, packet::Packet* packet, frame::FrameSpec* spec) {
  if (!packet::Parse(bytes, packet::ParseOptions(), packet).ok()) return false;
  *spec = frame::SpecOf(packet->frame, bytes);
  return true;
}

std::vector<uint8_t> Rebuilt(const packet::Packet& packet, const frame::FrameSpec& spec) {
  auto frame = packet::Serialize(packet, spec);
  METAROCE_CHECK(frame.ok());
  return *std::move(frame);
}

}  // namespace metaroce::check
