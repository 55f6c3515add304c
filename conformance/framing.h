// How messages stand in a stream of bytes: a length of 32 bits, most significant byte first, and
// then the message (CONF-TRANSPORT).
#ifndef METAROCE_CONFORMANCE_FRAMING_H_
#define METAROCE_CONFORMANCE_FRAMING_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace metaroce::conformance {

inline constexpr size_t kMaxMessageBytes = size_t{1} << 20;
inline constexpr size_t kLengthBytes = 4;

// `message` with its length before it. Precondition: at most kMaxMessageBytes.
std::string Frame(absl::string_view message);

// Takes messages off a stream that arrives in pieces. Holds at most what it was given and did not
// give back; the caller bounds how much it appends.
class FrameReader {
 public:
  enum class Result {
    kMessage,  // `*message` is set
    kPartial,  // more bytes are needed
    kTooLong,  // the length before the message is above kMaxMessageBytes; nothing is taken
  };

  void Append(absl::string_view bytes) { buffer_.append(bytes.data(), bytes.size()); }
  Result Next(std::string* message);

  // Bytes not given back yet.
  size_t size() const { return buffer_.size(); }
  // The length that the next message announces, 0 if its four bytes are not there.
  size_t announced() const;
  absl::string_view buffer() const { return buffer_; }
  void Clear() { buffer_.clear(); }

 private:
  std::string buffer_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_FRAMING_H_
