#include "model/wire/capture/hex.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace metaroce::capture {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr absl::string_view kL3 = "L3:";
constexpr uint32_t kEthernet = 1;
constexpr uint32_t kRawIp = 101;

// 0..15, or -1.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsSpace(char c) { return c == ' ' || c == '\t'; }

absl::string_view AsText(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A byte of the input for a message.
std::string Shown(char c) {
  if (absl::ascii_isprint(static_cast<unsigned char>(c)))
    return absl::StrCat("'", absl::string_view(&c, 1), "'");
  return absl::StrCat("the byte 0x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
}

class HexReader final : public CaptureReader {
 public:
  explicit HexReader(absl::string_view text) : rest_(text) {
    absl::ConsumePrefix(&rest_, kByteOrderMark);
  }

  bool Next(CapturedPacket* packet) override {
    std::string comment;
    while (status_.ok() && !rest_.empty()) {
      const absl::string_view line = TakeLine();
      const size_t hash = line.find('#');
      const absl::string_view hex = line.substr(0, hash);
      const bool blank = std::all_of(hex.begin(), hex.end(), IsSpace);
      if (blank && hash == absl::string_view::npos) comment.clear();
      if (hash != absl::string_view::npos) AddComment(line.substr(hash + 1), comment);
      if (blank) continue;
      *packet = CapturedPacket();
      packet->position = line_;
      status_ = ReadFrame(hex, packet);
      packet->original_length = static_cast<uint32_t>(packet->bytes.size());
      packet->comment = std::move(comment);
      return status_.ok();
    }
    return false;
  }

  const absl::Status& status() const override { return status_; }
  Format format() const override { return Format::kHex; }

 private:
  absl::string_view TakeLine() {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    absl::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    absl::ConsumeSuffix(&line, "\r");
    return line;
  }

  static void AddComment(absl::string_view text, std::string& comment) {
    text = absl::StripAsciiWhitespace(text);
    if (!comment.empty() && !text.empty()) comment.push_back('\n');
    absl::StrAppend(&comment, text);
  }

  absl::Status ReadFrame(absl::string_view hex, CapturedPacket* packet) const {
    size_t i = std::find_if_not(hex.begin(), hex.end(), IsSpace) - hex.begin();
    packet->link_type = kEthernet;
    if (absl::StartsWith(hex.substr(i), kL3)) {
      packet->link_type = kRawIp;
      i += kL3.size();
    }
    packet->bytes.reserve((hex.size() - i) / 2);
    int high = -1;
    for (; i < hex.size(); ++i) {
      if (IsSpace(hex[i])) continue;
      const int digit = HexDigit(hex[i]);
      if (digit < 0) return At(i, absl::StrCat(Shown(hex[i]), " is not a hex digit."));
      if (high < 0) {
        high = digit;
      } else {
        packet->bytes.push_back(static_cast<uint8_t>(high << 4 | digit));
        high = -1;
      }
    }
    if (high >= 0) return At(hex.size(), "the number of hex digits is odd.");
    if (packet->bytes.empty()) return At(hex.size(), "there is no byte.");
    return absl::OkStatus();
  }

  absl::Status At(size_t index, absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("Line ", line_, ", column ", index + 1, ": ", what));
  }

  absl::string_view rest_;
  uint64_t line_ = 0;
  absl::Status status_;
};

}  // namespace

std::unique_ptr<CaptureReader> NewHexReader(Bytes text) {
  return std::make_unique<HexReader>(AsText(text));
}

bool LooksLikeHex(Bytes bytes) {
  absl::string_view text = AsText(bytes);
  absl::ConsumePrefix(&text, kByteOrderMark);
  text = absl::StripLeadingAsciiWhitespace(text);
  return !text.empty() && (text[0] == '#' || HexDigit(text[0]) >= 0 || absl::StartsWith(text, kL3));
}

std::string ToHexLine(const CapturedPacket& packet) {
  std::string out;
  if (!packet.comment.empty()) {
    for (absl::string_view line : absl::StrSplit(packet.comment, '\n')) {
      absl::StrAppend(&out, "# ", line, "\n");
    }
  }
  if (packet.link_type == kRawIp) absl::StrAppend(&out, kL3);
  absl::StrAppend(&out, absl::BytesToHexString(AsText(packet.bytes)), "\n");
  return out;
}

}  // namespace metaroce::capture
