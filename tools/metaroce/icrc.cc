// metaroce icrc: checks the invariant CRC of RoCEv2 and MetaRoCE frames.
#include "model/wire/frame/icrc.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "model/wire/frame/frame.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/input.h"
#include "vectors/json_tree.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

using vectors::JsonValue;

struct Result {
  enum class Kind { kRight, kWrong, kUnsupported };
  Kind kind = Kind::kUnsupported;
  std::string what;   // "RoCEv2 over IPv6", or why it is unsupported
  std::string found;  // hexadecimal, in the order of the wire
  std::string computed;
};

// An iCRC in the order of the wire: least significant byte first.
std::string WireHex(uint32_t icrc) {
  return absl::StrFormat("%02x%02x%02x%02x", icrc & 0xff, icrc >> 8 & 0xff, icrc >> 16 & 0xff,
                         icrc >> 24);
}

Result Unsupported(std::string why) {
  Result result;
  result.what = std::move(why);
  return result;
}

Result Judge(const capture::CapturedPacket& packet, uint16_t port) {
  std::string why = WhyNotJudged(packet);
  if (!why.empty()) return Unsupported(std::move(why));
  frame::Frame frame;
  frame::FrameOptions options;
  options.check_ip_checksum = false;
  const frame::FrameFault fault = frame::ParseFrame(
      packet.bytes, static_cast<frame::LinkType>(packet.link_type), options, &frame);
  if (fault.is_roce_v1()) return Unsupported("RoCE v1, EtherType 0x8915");
  if (!fault.ok()) return Unsupported(frame::ToString(fault));
  const bool roce = frame.dst_port == frame::kRoceV2Port;
  if (!roce && frame.dst_port != port) {
    return Unsupported(absl::StrCat("UDP port ", frame.dst_port));
  }
  if (!frame::HasIcrc(frame)) return Unsupported("a UDP payload too short for an iCRC");
  const frame::IcrcKind kind = roce ? frame::IcrcKind::kRoceV2 : frame::IcrcKind::kMetaRoce;
  Result result;
  result.what = absl::StrCat(roce ? "RoCEv2" : "MetaRoCE", " over IPv", frame.ip_version);
  result.found = WireHex(frame::LoadIcrc(frame, packet.bytes));
  result.computed = WireHex(frame::Icrc(frame, packet.bytes, kind));
  result.kind = result.found == result.computed ? Result::Kind::kRight : Result::Kind::kWrong;
  return result;
}

const char* Word(Result::Kind kind) {
  switch (kind) {
    case Result::Kind::kRight:
      return "right";
    case Result::Kind::kWrong:
      return "WRONG";
    case Result::Kind::kUnsupported:
      return "unsupported";
  }
  return "";
}

JsonValue ToJson(const Result& result, uint64_t number, const std::string& place) {
  JsonValue value = JsonValue::Object();
  value.Add("frame", JsonValue::Number(number));
  value.Add("place", JsonValue::String(place));
  value.Add("icrc",
            JsonValue::String(result.kind == Result::Kind::kWrong ? "wrong" : Word(result.kind)));
  value.Add("what", JsonValue::String(vectors::MakeUtf8(result.what)));
  if (result.kind != Result::Kind::kUnsupported) {
    value.Add("found", JsonValue::String(result.found));
    value.Add("computed", JsonValue::String(result.computed));
  }
  return value;
}

}  // namespace

int Icrc(const IcrcOptions& options, const Streams& streams) {
  uint64_t count[3] = {};
  uint64_t number = 0;
  JsonValue frames = JsonValue::Array();
  const absl::Status status = ForEachPacket(options.file, [&](const capture::CapturedPacket& packet,
                                                              const std::string& place) {
    const Result result = Judge(packet, options.port);
    ++count[static_cast<int>(result.kind)];
    ++number;
    if (options.json) {
      frames.Add(ToJson(result, number, place));
      return;
    }
    streams.out << "frame " << number << " (" << place << "): " << Word(result.kind) << ", "
                << vectors::Printable(result.what);
    if (result.kind == Result::Kind::kRight) streams.out << ", iCRC " << result.found;
    if (result.kind == Result::Kind::kWrong) {
      streams.out << ", iCRC " << result.found << " where " << result.computed << " would be right";
    }
    streams.out << "\n";
  });
  if (options.json) {
    JsonValue root = JsonValue::Object();
    root.Add("frames", frames);
    streams.out << vectors::WriteJson(root);
  } else {
    streams.out << count[0] << " right, " << count[1] << " wrong, " << count[2] << " unsupported\n";
  }
  if (!status.ok()) {
    streams.err << status.message() << "\n";
    return kBadInput;
  }
  if (count[1] > 0) return kMismatch;
  return count[0] == 0 ? kUnsupported : kOk;
}

}  // namespace metaroce::cli
