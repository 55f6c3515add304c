#include "conformance/dut/device_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

constexpr size_t kTailBytes = 4096;
constexpr off_t kMaxFileBytes = off_t{16} << 20;

}  // namespace

DeviceLog::~DeviceLog() {
  if (file_ >= 0) close(file_);
}

absl::Status DeviceLog::Open(const std::string& path) {
  if (path.empty() || file_ >= 0) return absl::OkStatus();
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ >= 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("The log ", path, " cannot be opened"));
}

void DeviceLog::Keep(absl::string_view bytes) {
  tail_.append(bytes.data(), bytes.size());
  if (tail_.size() > kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  if (file_ >= 0 && lseek(file_, 0, SEEK_END) < kMaxFileBytes) {
    [[maybe_unused]] const ssize_t count = write(file_, bytes.data(), bytes.size());
  }
}

std::string DeviceLog::LastLine() const {
  absl::string_view tail = tail_;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == '\r')) tail.remove_suffix(1);
  const size_t newline = tail.rfind('\n');
  if (newline != absl::string_view::npos) tail.remove_prefix(newline + 1);
  return vectors::Printable(vectors::Shorten(tail, 200));
}

}  // namespace metaroce::conformance
