#include "tools/metaroce/input.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "model/wire/frame/frame.h"

namespace metaroce::cli {
namespace {

absl::Status Unreadable(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", why, "."));
}

constexpr absl::string_view kNoPacket = "it holds no packet";

// Some binary formats begin with a byte that is a hex digit too, as the modified pcap of 34 cd b2
// a1. No hex text has anything but printable characters in its first four.
bool BeginsBinary(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "\xEF\xBB\xBF") || absl::StartsWith(bytes, "#")) return false;
  const absl::string_view magic = bytes.substr(0, 4);
  return std::any_of(magic.begin(), magic.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return !absl::ascii_isprint(byte) && !absl::ascii_isspace(byte);
  });
}

}  // namespace

std::string WhyNotJudged(const capture::CapturedPacket& packet) {
  if (packet.cut()) {
    return absl::StrCat("the capture holds ", packet.bytes.size(), " of its ",
                        packet.original_length, " bytes");
  }
  if (!frame::IsSupportedLinkType(packet.link_type)) {
    return absl::StrCat("link type ", packet.link_type);
  }
  return "";
}

absl::StatusOr<std::string> ReadInput(const std::string& path) {
  const bool standard = path == "-";
  std::FILE* file = standard ? stdin : std::fopen(path.c_str(), "rb");
  if (file == nullptr) return Unreadable(path, std::strerror(errno));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closer(
      file, standard ? [](std::FILE*) { return 0; } : &std::fclose);
  std::string bytes;
  char buffer[1 << 16];
  while (const size_t n = std::fread(buffer, 1, sizeof buffer, file)) {
    if (bytes.size() + n > kMaxInputBytes) {
      return Unreadable(path, absl::StrCat("it is longer than ", kMaxInputBytes, " bytes"));
    }
    bytes.append(buffer, n);
  }
  if (std::ferror(file)) return Unreadable(path, std::strerror(errno));
  return bytes;
}

absl::Status ForEachPacket(
    const std::string& path,
    const std::function<void(const capture::CapturedPacket&, const std::string& place)>& take) {
  absl::StatusOr<std::string> bytes = ReadInput(path);
  if (!bytes.ok()) return bytes.status();
  if (!bytes->empty() && bytes->find_first_not_of(" \t\r\n") == std::string::npos) {
    return Unreadable(path, kNoPacket);
  }
  auto reader =
      capture::OpenCapture({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
  if (!reader.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", reader.status().message()));
  }
  if ((*reader)->format() == capture::Format::kHex && BeginsBinary(*bytes)) {
    return Unreadable(path, "the bytes are neither pcap, nor pcapng, nor hex text");
  }
  capture::CapturedPacket packet;
  bool any = false;
  while ((*reader)->Next(&packet)) {
    any = true;
    take(packet, capture::Place((*reader)->format(), packet));
  }
  const absl::Status& status = (*reader)->status();
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
  }
  return any ? absl::OkStatus() : Unreadable(path, kNoPacket);
}

}  // namespace metaroce::cli
