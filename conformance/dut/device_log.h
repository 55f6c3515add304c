// What a device prints for people: the last of it is kept, and all of it goes to a file if one is
// named.
#ifndef METAROCE_CONFORMANCE_DUT_DEVICE_LOG_H_
#define METAROCE_CONFORMANCE_DUT_DEVICE_LOG_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace metaroce::conformance {

class DeviceLog {
 public:
  DeviceLog() = default;
  ~DeviceLog();
  DeviceLog(const DeviceLog&) = delete;
  DeviceLog& operator=(const DeviceLog&) = delete;

  // Opens the file, if it is not open yet; what is there stays. An error of the operating system if
  // it cannot be written. Nothing happens if `path` is empty.
  absl::Status Open(const std::string& path);

  // Takes what came. The file grows to 16 MiB at most; one that cannot be written is no reason to
  // stop.
  void Keep(absl::string_view bytes);

  // Forgets the tail, of a device that is no more.
  void Forget() { tail_.clear(); }

  // The last line, without control characters, cut to 200 bytes.
  std::string LastLine() const;

 private:
  int file_ = -1;
  std::string tail_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUT_DEVICE_LOG_H_
