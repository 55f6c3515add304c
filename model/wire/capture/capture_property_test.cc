// Properties of the capture readers and the pcapng writer over random input.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "model/wire/capture/bytes_for_test.h"
#include "model/wire/capture/capture.h"
#include "model/wire/capture/hex.h"
#include "model/wire/capture/pcapng_writer.h"
#include "rapidcheck/gtest.h"

namespace metaroce::capture {
namespace {

Buffer AnyBytes(size_t max_length) {
  const size_t length = *rc::gen::inRange<size_t>(0, max_length + 1);
  return *rc::gen::container<Buffer>(length, rc::gen::arbitrary<uint8_t>());
}

std::string AnyText(size_t max_length) {
  const Buffer bytes = AnyBytes(max_length);
  return std::string(bytes.begin(), bytes.end());
}

uint64_t AnyU64() {
  uint64_t v = 0;
  for (int i = 0; i < 8; ++i) v = v << 8 | *rc::gen::arbitrary<uint8_t>();
  return v;
}

struct Written {
  std::vector<std::string> names;
  std::vector<uint16_t> link_types;
  std::vector<CapturedPacket> packets;
  Buffer file;
};

Written WriteAny() {
  Written w;
  PcapngWriter writer(AnyText(20));
  const size_t packets = *rc::gen::inRange<size_t>(0, 8);
  for (size_t i = 0; i <= packets; ++i) {
    // An interface may come as late as before its first packet.
    for (int late = *rc::gen::inRange(0, 3); late > 0 || w.names.empty(); --late) {
      w.names.push_back(AnyText(20));
      w.link_types.push_back(*rc::gen::arbitrary<uint16_t>());
      RC_ASSERT(*writer.AddInterface(w.link_types.back(), w.names.back()) == w.names.size() - 1);
    }
    if (i == packets) break;
    CapturedPacket p;
    p.interface = *rc::gen::inRange<uint32_t>(0, w.names.size());
    p.link_type = w.link_types[p.interface];
    p.interface_name = w.names[p.interface];
    p.timestamp_ns = AnyU64();
    p.bytes = AnyBytes(40);
    p.original_length = p.bytes.size() + *rc::gen::inRange<uint32_t>(0, 3);
    p.comment = AnyText(20);
    p.direction = *rc::gen::element(Direction::kUnknown, Direction::kInbound, Direction::kOutbound);
    RC_ASSERT(writer
                  .AddPacket({.interface = p.interface,
                              .timestamp_ns = p.timestamp_ns,
                              .bytes = p.bytes,
                              .original_length = p.original_length,
                              .comment = p.comment,
                              .direction = p.direction})
                  .ok());
    w.packets.push_back(p);
    if (*rc::gen::arbitrary<bool>()) {
      const Buffer piece = writer.Take();
      w.file.insert(w.file.end(), piece.begin(), piece.end());
    }
  }
  const Buffer rest = writer.Take();
  w.file.insert(w.file.end(), rest.begin(), rest.end());
  return w;
}

RC_GTEST_PROP(PcapngWriter, WritesWhatTheReaderGivesBack, ()) {
  const Written w = WriteAny();
  const Capture capture = ReadCapture(w.file);
  RC_ASSERT(capture.status.ok());
  RC_ASSERT(capture.packets.size() == w.packets.size());
  for (size_t i = 0; i < w.packets.size(); ++i) {
    const CapturedPacket& got = capture.packets[i];
    const CapturedPacket& put = w.packets[i];
    RC_ASSERT(got.timestamp_ns == put.timestamp_ns);
    RC_ASSERT(got.link_type == put.link_type);
    RC_ASSERT(got.interface == put.interface);
    RC_ASSERT(got.interface_name == put.interface_name);
    RC_ASSERT(got.bytes == put.bytes);
    RC_ASSERT(got.original_length == put.original_length);
    RC_ASSERT(got.comment == put.comment);
    RC_ASSERT(got.direction == put.direction);
  }
}

// What every reader owes to any bytes.
void ExpectTotal(const Buffer& bytes) {
  const Capture capture = ReadCapture(bytes);
  size_t sum = 0;
  for (const CapturedPacket& packet : capture.packets) {
    sum += packet.bytes.size() + packet.comment.size();
  }
  RC_ASSERT(sum <= bytes.size());
  const absl::StatusCode code = capture.status.code();
  RC_ASSERT(code == absl::StatusCode::kOk || code == absl::StatusCode::kDataLoss ||
            code == absl::StatusCode::kInvalidArgument);
}

RC_GTEST_PROP(ReadCapture, IsTotalOverRandomBytesBehindEachMagic, ()) {
  static const Buffer kBegins[] = {
      {},
      {0xD4, 0xC3, 0xB2, 0xA1, 2, 0},
      {0xA1, 0xB2, 0x3C, 0x4D, 0, 2},
      FileBuilder(false).Section().Interface(1, 0).bytes(),
      FileBuilder(true).Section().Interface(1, 4).bytes(),
      TextBytes("# c\n00"),
  };
  Buffer bytes = kBegins[*rc::gen::inRange<size_t>(0, std::size(kBegins))];
  const Buffer more = AnyBytes(200);
  bytes.insert(bytes.end(), more.begin(), more.end());
  ExpectTotal(bytes);
}

RC_GTEST_PROP(ReadCapture, IsTotalOverDamagedFiles, ()) {
  Buffer bytes = WriteAny().file;
  const int changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] = *rc::gen::inRange<int>(0, 256);
  }
  ExpectTotal(bytes);
}

RC_GTEST_PROP(ToHexLine, WritesWhatTheReaderGivesBack, ()) {
  std::string text;
  std::vector<CapturedPacket> put(*rc::gen::inRange<size_t>(0, 5));
  for (CapturedPacket& p : put) {
    p.link_type = *rc::gen::element<uint32_t>(1, 101);
    p.bytes = AnyBytes(30);
    if (p.bytes.empty()) p.bytes = {0};
    const int lines = *rc::gen::inRange(0, 3);
    for (int i = 0; i < lines; ++i) {
      absl::StrAppend(&p.comment, i > 0 ? "\n" : "", "line # ", i);
    }
    absl::StrAppend(&text, ToHexLine(p));
  }
  const Buffer bytes = TextBytes(text);
  if (bytes.empty()) return;
  const Capture capture = ReadCapture(bytes);
  RC_ASSERT(capture.status.ok());
  RC_ASSERT(capture.format == Format::kHex);
  RC_ASSERT(capture.packets.size() == put.size());
  for (size_t i = 0; i < put.size(); ++i) {
    RC_ASSERT(capture.packets[i].bytes == put[i].bytes);
    RC_ASSERT(capture.packets[i].link_type == put[i].link_type);
    RC_ASSERT(capture.packets[i].comment == put[i].comment);
  }
}

}  // namespace
}  // namespace metaroce::capture
