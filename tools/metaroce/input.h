// Captures named on the command line.
#ifndef METAROCE_TOOLS_METAROCE_INPUT_H_
#define METAROCE_TOOLS_METAROCE_INPUT_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/wire/capture/capture.h"

namespace metaroce::cli {

// The largest input that is read.
inline constexpr size_t kMaxInputBytes = size_t{1} << 30;

// The bytes of a file, or of standard input if `path` is "-". InvalidArgumentError names the file
// and what is wrong with it.
absl::StatusOr<std::string> ReadInput(const std::string& path);

// Why the packet is not judged: the capture holds a part of it, or its link type is not known.
// Empty if it is.
std::string WhyNotJudged(const capture::CapturedPacket& packet);

// Gives each packet of the capture to `take`, with "line 3" or "byte 24" as its place. The packets
// that stand before something unreadable are given; the status then says what it was. A capture
// without a packet is an error too.
absl::Status ForEachPacket(
    const std::string& path,
    const std::function<void(const capture::CapturedPacket&, const std::string& place)>& take);

}  // namespace metaroce::cli

#endif  // METAROCE_TOOLS_METAROCE_INPUT_H_
