#include "model/wire/frame/address.h"

#include <arpa/inet.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace metaroce::frame {

std::string MacAddress::ToString() const {
  return absl::StrFormat("%02x:%02x:%02x:%02x:%02x:%02x", bytes[0], bytes[1], bytes[2], bytes[3],
                         bytes[4], bytes[5]);
}

absl::StatusOr<IpAddress> IpAddress::Parse(absl::string_view text) {
  const std::string copy(text);
  std::array<uint8_t, 4> v4;
  std::array<uint8_t, 16> v6;
  // inet_pton reads up to the first NUL: a text that holds one is not an address.
  if (copy.find('\0') == std::string::npos) {
    if (inet_pton(AF_INET, copy.c_str(), v4.data()) == 1) return V4(v4);
    if (inet_pton(AF_INET6, copy.c_str(), v6.data()) == 1) return V6(v6);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", copy, "\" is neither an IPv4 nor an IPv6 address."));
}

std::string IpAddress::ToString() const {
  char text[INET6_ADDRSTRLEN];
  inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), text, sizeof(text));
  return text;
}

}  // namespace metaroce::frame
