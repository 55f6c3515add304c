#include "vectors/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace metaroce::vectors {
namespace {

// Closes its descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

absl::Status Failed(absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(path, ": ", what));
}

absl::Status WriteAll(int fd, absl::string_view contents, absl::string_view path) {
  while (!contents.empty()) {
    const ssize_t count = write(fd, contents.data(), contents.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed("cannot be written", path);
    contents.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// Whether `path` names something that a rename must not replace: a link, a device, a pipe.
bool StandsForAnother(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

// Writes to what stands behind `path`.
absl::Status WriteThrough(const std::string& path, absl::string_view contents) {
  // Not blocking only while it is opened: a FIFO that nobody reads must not hang us.
  const Descriptor fd(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return Failed("cannot be opened for writing", path);
  const int flags = fcntl(fd.get(), F_GETFL);
  if (flags < 0 || fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return Failed("cannot be set to blocking", path);
  }
  return WriteAll(fd.get(), contents, path);
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, size_t limit) {
  // Not blocking: a FIFO without a writer must not hang us.
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return Failed("cannot be opened", path);
  struct stat status;
  if (fstat(fd.get(), &status) != 0) return Failed("cannot be looked at", path);
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": this is no regular file."));
  }
  std::string out;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed("cannot be read", path);
    if (count == 0) return out;
    out.append(buffer, static_cast<size_t>(count));
    if (out.size() > limit) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": the file has ", status.st_size,
                                                     " bytes; at most ", limit, " are read."));
    }
  }
}

absl::Status WriteFile(const std::string& path, absl::string_view contents) {
  if (StandsForAnother(path)) return WriteThrough(path, contents);
  const std::string beside = absl::StrCat(path, ".part");
  {
    const Descriptor fd(open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (fd.get() < 0) return Failed("cannot be written", path);
    absl::Status status = WriteAll(fd.get(), contents, beside);
    if (!status.ok()) {
      unlink(beside.c_str());
      return status;
    }
  }
  if (std::rename(beside.c_str(), path.c_str()) != 0) {
    absl::Status status = Failed("cannot be replaced", path);
    unlink(beside.c_str());
    return status;
  }
  return absl::OkStatus();
}

}  // namespace metaroce::vectors
