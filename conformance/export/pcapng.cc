#include "conformance/export/pcapng.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "model/wire/capture/pcapng_writer.h"
#include "model/wire/frame/frame.h"
#include "vectors/lint.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using capture::PcapngWriter;
using vectors::Expectation;

struct Shown {
  uint64_t at = 0;
  uint32_t plane = 0;
  bool given = false;
  std::string frame;
  std::string comment;
};

class Capturer {
 public:
  Capturer(const vectors::Vector& vector, const PacketCodec& codec)
      : vector_(vector), codec_(codec), timed_(vectors::IsTimed(vector)) {}

  void Take(const FlatStep& flat) {
    if (!flat.stimulus) return TakeExpected(flat, flat.expect, "expected");
    const dut::Apply& apply = flat.request.apply();
    if (apply.has_decode()) {
      Add(flat, apply.at_ns(), 0, true, apply.decode().frame(), "to decode");
    } else if (apply.has_arrive()) {
      Add(flat, apply.at_ns(), apply.arrive().plane(), true, apply.arrive().frame(), "arrives");
    }
  }

  absl::StatusOr<VectorCapture> Write() {
    std::stable_sort(shown_.begin(), shown_.end(),
                     [](const Shown& a, const Shown& b) { return a.at < b.at; });
    VectorCapture out;
    out.packets = shown_.size();
    out.left_out = left_out_;
    if (shown_.empty()) return out;
    PcapngWriter writer("metaroce vector export");
    std::map<std::pair<uint32_t, bool>, uint32_t> interfaces;
    for (const Shown& shown : shown_) interfaces[{shown.plane, !shown.given}] = 0;
    for (auto& [key, number] : interfaces) {
      const auto added = writer.AddInterface(
          static_cast<uint16_t>(frame::LinkType::kEthernet),
          absl::StrCat("plane ", key.first, key.second ? " from" : " to", " the DUT"));
      if (!added.ok()) return added.status();
      number = *added;
    }
    for (const Shown& shown : shown_) {
      PcapngWriter::Packet packet;
      packet.interface = interfaces[{shown.plane, !shown.given}];
      packet.timestamp_ns = shown.at;
      packet.bytes = {reinterpret_cast<const uint8_t*>(shown.frame.data()), shown.frame.size()};
      packet.comment = shown.comment;
      packet.direction = shown.given ? capture::Direction::kInbound : capture::Direction::kOutbound;
      const absl::Status status = writer.AddPacket(packet);
      if (!status.ok()) return status;
    }
    const std::vector<uint8_t> bytes = writer.Take();
    out.bytes.assign(bytes.begin(), bytes.end());
    return out;
  }

 private:
  void Add(const FlatStep& flat, uint64_t at, uint32_t plane, bool given, std::string frame,
           absl::string_view what) {
    std::string comment = absl::StrCat(vector_.id(), " step ", flat.step);
    if (!flat.clause.empty()) absl::StrAppend(&comment, " [", flat.clause, "]");
    absl::StrAppend(&comment, " ", what);
    if (!given && timed_) {
      absl::StrAppend(&comment, " between ", flat.from, " and ", flat.until, " ns");
    }
    if (!flat.note.empty()) absl::StrAppend(&comment, ": ", flat.note);
    shown_.push_back({at, plane, given, std::move(frame), vectors::Printable(comment)});
  }

  void TakeExpected(const FlatStep& flat, const Expectation& expect, const std::string& what) {
    if (expect.has_one_of()) {
      for (const Expectation& outcome : expect.one_of().outcomes()) {
        TakeExpected(flat, outcome, "expected, or another of its step,");
      }
      return;
    }
    if (!expect.has_packet()) return;
    const vectors::Packet& packet = expect.packet();
    if (packet.has_frame())
      return Add(flat, flat.until, packet.plane(), false, packet.frame(), what);
    const auto frame = codec_.Encode(packet.has_fields() ? packet.fields() : packet.includes());
    if (!frame.ok()) {
      ++left_out_;
      return;
    }
    Add(flat, flat.until, packet.plane(), false, *frame,
        packet.has_fields() ? what : absl::StrCat(what, " with some of these fields"));
  }

  const vectors::Vector& vector_;
  const PacketCodec& codec_;
  const bool timed_;
  std::vector<Shown> shown_;
  size_t left_out_ = 0;
};

}  // namespace

absl::StatusOr<VectorCapture> WriteCapture(const vectors::Vector& vector,
                                           const std::vector<FlatStep>& steps,
                                           const PacketCodec& codec) {
  Capturer capturer(vector, codec);
  for (const FlatStep& flat : steps) capturer.Take(flat);
  return capturer.Write();
}

}  // namespace metaroce::conformance
