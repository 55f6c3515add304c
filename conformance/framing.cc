#include "conformance/framing.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"

namespace metaroce::conformance {

//= CONF-TRANSPORT
//# Each message is preceded by its length in bytes as an unsigned number of 32 bits, most
//# significant byte first.
std::string Frame(absl::string_view message) {
  const auto length = static_cast<uint32_t>(message.size());
  const char prefix[kLengthBytes] = {static_cast<char>(length >> 24),
                                     static_cast<char>(length >> 16),
                                     static_cast<char>(length >> 8), static_cast<char>(length)};
  return absl::StrCat(absl::string_view(prefix, kLengthBytes), message);
}

size_t FrameReader::announced() const {
  if (buffer_.size() < kLengthBytes) return 0;
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length = length << 8 | static_cast<uint8_t>(buffer_[i]);
  }
  return length;
}

FrameReader::Result FrameReader::Next(std::string* message) {
  if (buffer_.size() < kLengthBytes) return Result::kPartial;
  const size_t length = announced();
  if (length > kMaxMessageBytes) return Result::kTooLong;
  if (buffer_.size() < kLengthBytes + length) return Result::kPartial;
  message->assign(buffer_, kLengthBytes, length);
  buffer_.erase(0, kLengthBytes + length);
  return Result::kMessage;
}

}  // namespace metaroce::conformance
