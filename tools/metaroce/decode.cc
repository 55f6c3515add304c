// metaroce decode: every field of every packet, by name.
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "model/wire/frame/frame.h"
#include "model/wire/packet/dissect.h"
#include "model/wire/packet/packet.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/input.h"
#include "vectors/json_tree.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

using packet::Part;
using vectors::JsonValue;

// Bytes of data shown on a line of text.
constexpr size_t kShown = 32;

std::string DataText(const std::vector<uint8_t>& data) {
  const size_t shown = std::min(data.size(), kShown);
  const std::string hex =
      absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(data.data()), shown));
  if (shown == data.size()) return absl::StrCat("0x", hex);
  return absl::StrCat("0x", hex, "... (", data.size(), " bytes)");
}

std::string_view Meaning(const Part& part) {
  const uint64_t* number = std::get_if<uint64_t>(&part.value);
  if (number == nullptr || part.info == nullptr) return {};
  if (part.info->values != nullptr) return part.info->values->NameOf(*number);
  if (!part.info->all_ones.empty() && *number == part.info->max()) return part.info->all_ones;
  if (part.name == "common.opcode") return spec::Name(static_cast<spec::Opcode>(*number));
  if (part.name == "nack_request.reason") return spec::Name(static_cast<spec::Reason>(*number));
  return {};
}

std::string ValueText(const Part& part) {
  const uint64_t* number = std::get_if<uint64_t>(&part.value);
  if (number == nullptr) return DataText(std::get<std::vector<uint8_t>>(part.value));
  std::string text = absl::StrCat(*number);
  if (*number > 9) absl::StrAppendFormat(&text, " (0x%x)", *number);
  if (part.info != nullptr && part.info->unit != spec::Unit::kNone) {
    const std::string_view unit = spec::Name(part.info->unit);
    absl::StrAppend(&text, " ", std::string(unit));
  }
  const std::string_view meaning = Meaning(part);
  if (!meaning.empty()) absl::StrAppend(&text, " ", std::string(meaning));
  return text;
}

struct Decoded {
  std::string verdict;   // "ok", or the reason
  std::string sentence;  // why
  std::vector<Part> parts;
  std::string title;
};

// The sentence without the reason's name in front, which is shown anyway.
std::string Why(const std::string& verdict, absl::string_view sentence) {
  absl::ConsumePrefix(&sentence, absl::StrCat(verdict, ": "));
  return std::string(sentence);
}

// Of a frame of which the capture holds the beginning: its headers as far as they are there. As
// long as a frame may be, so that nobody who writes a great length into a capture makes us take it.
std::vector<Part> PartsOfCut(const capture::CapturedPacket& captured, uint16_t port) {
  constexpr size_t kLongestFrame = 66000;
  if (captured.original_length > kLongestFrame || !frame::IsSupportedLinkType(captured.link_type)) {
    return {};
  }
  std::vector<uint8_t> whole(captured.bytes.begin(), captured.bytes.end());
  whole.resize(captured.original_length);
  frame::Frame frame;
  const auto link = static_cast<frame::LinkType>(captured.link_type);
  if (!frame::ParseFrame(whole, link, frame::FrameOptions(), &frame).ok() ||
      frame.dst_port != port) {
    return {};
  }
  std::vector<Part> parts = packet::DissectFrame(frame, whole);
  std::erase_if(parts, [&](const Part& part) {
    return part.bit_offset + part.bits > captured.bytes.size() * 8;
  });
  return parts;
}

Decoded DecodeOne(const capture::CapturedPacket& captured, uint16_t port) {
  Decoded out;
  out.sentence = WhyNotJudged(captured);
  if (!out.sentence.empty()) {
    out.verdict = "unsupported";
    if (!captured.cut()) return out;
    out.parts = PartsOfCut(captured, port);
    if (!out.parts.empty()) {
      absl::StrAppend(&out.sentence, ": these headers were not checked, nor payload and iCRC");
    }
    return out;
  }
  packet::ParseOptions options;
  options.link = static_cast<frame::LinkType>(captured.link_type);
  options.udp_port = port;
  packet::Packet parsed;
  const packet::ParseResult result = packet::Parse(captured.bytes, options, &parsed);
  out.verdict = std::string(result.name());
  if (!result.ok()) out.sentence = Why(out.verdict, result.ToString());
  frame::Frame frame;
  const frame::FrameFault fault =
      frame::ParseFrame(captured.bytes, options.link, frame::FrameOptions(), &frame);
  if (!fault.ok()) {
    out.sentence = fault.is_roce_v1() ? "RoCE v1, EtherType 0x8915."
                                      : Why(out.verdict, frame::ToString(fault));
    return out;
  }
  if (frame.dst_port != port) return out;
  out.parts = packet::DissectFrame(frame, captured.bytes);
  if (result.ok()) {
    const spec::Common& common = parsed.headers.common;
    out.title = absl::StrCat(std::string(parsed.info().name), ", cid ", common.cid);
    if (common.path != spec::constant::kNoPath) {
      absl::StrAppend(&out.title, ", path ", common.path, " epoch ", common.epoch);
    }
    absl::StrAppend(&out.title, ", number ", common.number);
  }
  return out;
}

JsonValue ToJson(const Decoded& decoded, uint64_t number, const capture::CapturedPacket& captured,
                 const std::string& place) {
  JsonValue value = JsonValue::Object();
  value.Add("frame", JsonValue::Number(number));
  value.Add("place", JsonValue::String(place));
  value.Add("time_ns", JsonValue::Number(captured.timestamp_ns));
  value.Add("verdict", JsonValue::String(decoded.verdict));
  if (!decoded.sentence.empty()) value.Add("why", JsonValue::String(decoded.sentence));
  JsonValue fields = JsonValue::Object();
  for (const Part& part : decoded.parts) {
    if (const uint64_t* n = std::get_if<uint64_t>(&part.value)) {
      fields.Add(part.name, JsonValue::Number(*n));
    } else {
      const auto& data = std::get<std::vector<uint8_t>>(part.value);
      fields.Add(part.name, JsonValue::String(vectors::Hex(absl::string_view(
                                reinterpret_cast<const char*>(data.data()), data.size()))));
    }
  }
  value.Add("fields", std::move(fields));
  return value;
}

void Print(const Decoded& decoded, uint64_t number, const std::string& place,
           const Streams& streams) {
  streams.out << "frame " << number << " (" << place << "): ";
  if (decoded.verdict == "ok") {
    streams.out << decoded.title << "\n";
  } else {
    const bool colour = streams.colour;
    streams.out << (colour ? "\033[31m" : "") << decoded.verdict << (colour ? "\033[0m" : "");
    if (!decoded.sentence.empty()) streams.out << ": " << vectors::Printable(decoded.sentence);
    streams.out << "\n";
  }
  for (const Part& part : decoded.parts) {
    streams.out << absl::StreamFormat("  %-28s %s%s\n", part.name, ValueText(part),
                                      part.role == packet::PartRole::kIgnored ? "  (ignored)" : "");
  }
}

}  // namespace

int Decode(const DecodeOptions& options, const Streams& streams) {
  uint64_t number = 0;
  uint64_t refused = 0;
  uint64_t unsupported = 0;
  // JSON is written a frame at a time: a capture may be large.
  if (options.json) streams.out << "[\n";
  const absl::Status status = ForEachPacket(
      options.file, [&](const capture::CapturedPacket& captured, const std::string& place) {
        const Decoded decoded = DecodeOne(captured, options.port);
        ++number;
        const bool foreign = decoded.verdict == "unsupported" || decoded.verdict == "not-ip" ||
                             decoded.verdict == "not-udp" || decoded.verdict == "not-metaroce";
        unsupported += foreign ? 1 : 0;
        refused += !foreign && decoded.verdict != "ok" ? 1 : 0;
        if (!options.json) return Print(decoded, number, place, streams);
        streams.out << (number > 1 ? "," : "")
                    << vectors::WriteJson(ToJson(decoded, number, captured, place));
      });
  if (options.json) streams.out << "]\n";
  if (!status.ok()) {
    streams.err << status.message() << "\n";
    return kBadInput;
  }
  if (refused > 0) return kMismatch;
  return unsupported == number ? kUnsupported : kOk;
}

}  // namespace metaroce::cli
