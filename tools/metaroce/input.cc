#include "tools/metaroce/input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace metaroce::cli {
namespace {

absl::Status Unreadable(const std::string& path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", why, "."));
}

}  // namespace

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
  auto reader =
      capture::OpenCapture({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
  if (!reader.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", reader.status().message()));
  }
  capture::CapturedPacket packet;
  while ((*reader)->Next(&packet)) take(packet, capture::Place((*reader)->format(), packet));
  const absl::Status& status = (*reader)->status();
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", status.message()));
}

}  // namespace metaroce::cli
