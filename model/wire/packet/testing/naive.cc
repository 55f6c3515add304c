#include "model/wire/packet/testing/naive.h"

#include <cstddef>

namespace metaroce::packet::testing {
namespace {

using Frame = std::vector<uint8_t>;

enum class Rest { kNothing, kPayload, kBlocks, kOptions, kFiller };

struct OpcodeRow {
  int value;
  int headers;  // bytes
  Rest rest;
};

// Section 3.5, with the sizes of the layouts added up by hand.
constexpr OpcodeRow kRows[] = {
    {0x01, 16 + 20 + 12, Rest::kPayload},          // WRITE
    {0x02, 16 + 20 + 12 + 4 + 4, Rest::kPayload},  // WRITE_WITH_IMMEDIATE
    {0x03, 16 + 20 + 4, Rest::kPayload},           // SEND
    {0x04, 16 + 20 + 4 + 4, Rest::kPayload},       // SEND_WITH_IMMEDIATE
    {0x05, 16 + 20 + 4 + 4, Rest::kPayload},       // SEND_WITH_INVALIDATE
    {0x06, 16 + 20 + 12, Rest::kNothing},          // READ_REQUEST
    {0x07, 16 + 20, Rest::kPayload},               // READ_RESPONSE
    {0x08, 16 + 20 + 28, Rest::kNothing},          // FETCH_ADD
    {0x09, 16 + 20 + 28, Rest::kNothing},          // COMPARE_SWAP
    {0x0A, 16 + 20 + 8, Rest::kNothing},           // ATOMIC_RESPONSE
    {0x0B, 16 + 20, Rest::kNothing},               // VOID
    {0x41, 16 + 16, Rest::kBlocks},                // ACK
    {0x81, 16 + 4 + 20, Rest::kNothing},           // NACK_INVALID_REQUEST
    {0x82, 16 + 4 + 20, Rest::kNothing},           // NACK_REMOTE_ACCESS
    {0x83, 16 + 4 + 20, Rest::kNothing},           // NACK_REMOTE_OPERATION
    {0x84, 16 + 12, Rest::kNothing},               // NACK_BAD_CONNECTION
    {0x85, 16 + 4, Rest::kNothing},                // NACK_CLOSING
    {0x86, 16 + 4 + 8, Rest::kNothing},            // NACK_BAD_EPOCH
    {0xC1, 16 + 4 + 48, Rest::kOptions},           // CONNECT
    {0xC2, 16 + 4 + 48 + 8, Rest::kOptions},       // CONNECT_REPLY
    {0xC3, 16 + 4 + 4, Rest::kNothing},            // CONNECT_REJECT
    {0xC4, 16 + 4 + 8, Rest::kNothing},            // CONNECT_CONFIRM
    {0xC5, 16 + 4 + 4, Rest::kNothing},            // DISCONNECT
    {0xC6, 16 + 4, Rest::kNothing},                // DISCONNECT_REPLY
    {0xC7, 16 + 4 + 8, Rest::kFiller},             // PATH_OPEN
    {0xC8, 16 + 4 + 8 + 4, Rest::kNothing},        // PATH_ACCEPT
    {0xC9, 16 + 4 + 4, Rest::kNothing},            // PATH_REFUSE
    {0xCA, 16 + 4 + 4, Rest::kNothing},            // PATH_CLOSE
    {0xCB, 16 + 4, Rest::kNothing},                // PATH_CLOSE_REPLY
    {0xCC, 16 + 4 + 4, Rest::kNothing},            // PROBE
    {0xCD, 16 + 4 + 8, Rest::kNothing},            // PORT_STATUS
    {0xCE, 16 + 4 + 4, Rest::kNothing},            // PORT_STATUS_ACK
    {0xCF, 16 + 4 + 4, Rest::kNothing},            // CREDIT_PROBE
    {0xD0, 16 + 4 + 4, Rest::kNothing},            // CREDIT
    {0xD1, 16 + 4 + 4 + 4, Rest::kNothing},        // RNR
};

const OpcodeRow* RowOf(int opcode) {
  for (const OpcodeRow& row : kRows) {
    if (row.value == opcode) return &row;
  }
  return nullptr;
}

int Word(const Frame& f, size_t at) { return f[at] * 256 + f[at + 1]; }

// CRC-32 of IEEE 802.3, bit by bit.
struct Crc {
  uint32_t state = 0xFFFFFFFF;

  void Add(int byte) {
    for (int bit = 0; bit < 8; ++bit) {
      const uint32_t in = (static_cast<uint32_t>(byte) >> bit & 1) ^ (state & 1);
      state = state >> 1 ^ (in != 0 ? 0xEDB88320 : 0);
    }
  }
  uint32_t Result() const { return ~state; }
};

// Where things are in a frame that passed the check `frame`.
struct Layers {
  size_t ip = 0;
  size_t udp = 0;
  int version = 4;
  size_t udp_length = 0;
};

std::string FrameVerdict(const Frame& f, Layers& layers) {
  size_t type = 12;
  if (f.size() < 14) return "frame-truncated";
  for (int tags = 0; tags < 2 && (Word(f, type) == 0x8100 || Word(f, type) == 0x88A8); ++tags) {
    type += 4;
    if (f.size() < type + 2) return "frame-truncated";
  }
  if (Word(f, type) != 0x0800 && Word(f, type) != 0x86DD) return "not-ip";
  layers.version = Word(f, type) == 0x0800 ? 4 : 6;
  const size_t ip = layers.ip = type + 2;
  size_t payload = 0;  // bytes of the IP payload
  int protocol = 0;
  if (layers.version == 4) {
    if (f.size() < ip + 20) return "frame-truncated";
    const size_t header = size_t{4} * (f[ip] % 16);
    const size_t total = Word(f, ip + 2);
    if (f[ip] / 16 != 4 || header < 20 || total < header) return "ip-header";
    if (f.size() < ip + total) return "frame-truncated";
    if ((Word(f, ip + 6) & 0x3FFF) != 0) return "ip-fragment";
    int sum = 0;
    for (size_t i = 0; i < header; i += 2) sum += Word(f, ip + i);
    while (sum > 0xFFFF) sum = sum % 0x10000 + sum / 0x10000;
    if (sum != 0xFFFF) return "ip-checksum";
    payload = total - header;
    protocol = f[ip + 9];
    layers.udp = ip + header;
  } else {
    if (f.size() < ip + 40) return "frame-truncated";
    if (f[ip] / 16 != 6) return "ip-header";
    payload = Word(f, ip + 4);
    if (f.size() < ip + 40 + payload) return "frame-truncated";
    protocol = f[ip + 6];
    layers.udp = ip + 40;
  }
  if (protocol != 17) return "not-udp";
  if (payload < 8) return "udp-length";
  layers.udp_length = Word(f, layers.udp + 4);
  return layers.udp_length == payload ? "ok" : "udp-length";
}

std::string BlocksVerdict(const Frame& f, size_t headers_end, size_t end) {
  const int count = f[headers_end - 8];  // ack: csn, right edge, blocks, reserved, hint, credit
  if (count < 1 || count > 4) return "block-count";
  size_t at = headers_end;
  for (int i = 0; i < count; ++i) {
    if (end - at < 20) return "block-length";
    constexpr size_t kBitmapBytes[] = {0, 8, 16, 32};
    const size_t size = 20 + kBitmapBytes[f[at + 2] / 64];
    if (end - at < size) return "block-length";
    at += size;
  }
  return at == end ? "ok" : "block-length";
}

std::string OptionsVerdict(const Frame& f, size_t at, size_t end) {
  while (at < end && Word(f, at) != 0) {
    const size_t value = Word(f, at + 2);
    if (at + 4 + value > end) return "options";
    at += 4 + value;
    while (at % 4 != end % 4) ++at;
  }
  return "ok";
}

std::string LengthVerdict(const Frame& f, const Layers& layers) {
  const size_t start = layers.udp + 8;
  const OpcodeRow& row = *RowOf(f[start + 1]);
  const int room = static_cast<int>(layers.udp_length) - 8 - row.headers - 4;
  if (room < 0) return "length-short";
  const int pad = f[start] / 4 % 4;
  if (row.rest == Rest::kPayload) {
    return pad > room || (pad != 0 && pad == room) ? "length-pad" : "ok";
  }
  if (pad != 0) return "length-pad";
  const size_t headers_end = start + static_cast<size_t>(row.headers);
  const size_t end = layers.udp + layers.udp_length - 4;
  if (row.rest == Rest::kNothing) return room == 0 ? "ok" : "length-long";
  if (row.rest == Rest::kBlocks) return BlocksVerdict(f, headers_end, end);
  if (row.rest == Rest::kOptions) return OptionsVerdict(f, headers_end, end);
  return "ok";
}

std::string IcrcVerdict(const Frame& f, const Layers& layers) {
  Crc crc;
  for (int i = 0; i < 8; ++i) crc.Add(0xFF);
  const size_t end = layers.udp + layers.udp_length - 4;
  for (size_t i = layers.ip; i < end; ++i) {
    const size_t at = i - layers.ip;
    bool masked = i == layers.udp + 6 || i == layers.udp + 7;
    if (layers.version == 4) masked = masked || at == 1 || at == 8 || at == 10 || at == 11;
    if (layers.version == 6) masked = masked || (at >= 1 && at <= 3) || at == 7;
    const int half = layers.version == 6 && at == 0 ? 0x0F : 0;  // traffic class, high half
    crc.Add(masked ? 0xFF : f[i] | half);
  }
  const uint32_t sent = f[end] + 256U * f[end + 1] + 65536U * f[end + 2] + 16777216U * f[end + 3];
  return sent == crc.Result() ? "ok" : "icrc";
}

}  // namespace

int NaiveHeaderBytes(int opcode) {
  const OpcodeRow* row = RowOf(opcode);
  return row == nullptr ? -1 : row->headers;
}

std::string NaiveVerdict(const Frame& frame) {
  Layers layers;
  std::string verdict = FrameVerdict(frame, layers);
  if (verdict != "ok") return verdict;
  if (Word(frame, layers.udp + 2) != 54791) return "not-metaroce";
  if (layers.udp_length % 4 != 0 || layers.udp_length < 28) return "packet-length";
  const size_t start = layers.udp + 8;
  if (frame[start] / 16 != 1) return "version";
  if (RowOf(frame[start + 1]) == nullptr) return "opcode-unknown";
  verdict = LengthVerdict(frame, layers);
  return verdict == "ok" ? IcrcVerdict(frame, layers) : verdict;
}

}  // namespace metaroce::packet::testing
