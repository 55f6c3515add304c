#include "model/wire/capture/capture.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "model/wire/capture/bytes_for_test.h"
#include "model/wire/capture/pcapng_writer.h"

namespace metaroce::capture {
namespace {

constexpr uint32_t kMicroseconds = 0xA1B2C3D4;
constexpr uint32_t kNanoseconds = 0xA1B23C4D;
constexpr uint32_t kNameResolution = 4;
constexpr uint32_t kCustom = 0x00000BAD;

class BothByteOrders : public ::testing::TestWithParam<bool> {
 protected:
  FileBuilder file() const { return FileBuilder(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(ByteOrder, BothByteOrders, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Big" : "Little"; });

TEST_P(BothByteOrders, PcapGivesTimeLinkTypeBytesAndOriginalLength) {
  for (uint32_t magic : {kMicroseconds, kNanoseconds}) {
    const Buffer bytes = file()
                             .PcapHeader(magic, 101)
                             .Record(0x80000001, 999999, {1, 2, 3}, 3)
                             .Record(5, 7, {}, 1500)
                             .bytes();
    const Capture capture = ReadCapture(bytes);
    ASSERT_TRUE(capture.status.ok()) << capture.status;
    EXPECT_EQ(capture.format, Format::kPcap);
    ASSERT_EQ(capture.packets.size(), 2u);
    const CapturedPacket& first = capture.packets[0];
    const uint64_t tick = magic == kMicroseconds ? 1000 : 1;
    EXPECT_EQ(first.timestamp_ns, 0x80000001 * uint64_t{1000000000} + 999999 * tick);
    EXPECT_EQ(first.link_type, 101u);
    EXPECT_EQ(first.bytes, Buffer({1, 2, 3}));
    EXPECT_FALSE(first.cut());
    EXPECT_EQ(Place(capture.format, first), "byte 24");
    EXPECT_EQ(capture.packets[1].original_length, 1500u);
    EXPECT_TRUE(capture.packets[1].cut());
    EXPECT_EQ(capture.packets[1].position, 43u);
  }
}

TEST_P(BothByteOrders, PcapIgnoresTheFcsBitsAboveTheLinkType) {
  const Buffer bytes = file().PcapHeader(kMicroseconds, 0x24000001).Record(0, 0, {9}, 1).bytes();
  const Capture capture = ReadCapture(bytes);
  ASSERT_EQ(capture.packets.size(), 1u);
  EXPECT_EQ(capture.packets[0].link_type, 1u);
}

TEST_P(BothByteOrders, PcapOfAnotherVersionIsRefused) {
  const Buffer bytes = file().U32(kMicroseconds).U16(3).U16(0).Raw(Buffer(16)).bytes();
  EXPECT_EQ(OpenCapture(bytes).status(),
            absl::InvalidArgumentError("The pcap version at byte 4 is 3, not 2."));
}

TEST_P(BothByteOrders, PcapngGivesPacketsOfAllThreeKindsAndSkipsOtherBlocks) {
  const Buffer interface_options =
      file().Option(2, TextBytes("port A")).Option(9, {9}).Option(0, {}).bytes();
  const Buffer packet_options = file()
                                    .Option(1, TextBytes("first"))
                                    .Option(2, file().U32(2).bytes())
                                    .Option(1, TextBytes("second"))
                                    .Option(0, {})
                                    .bytes();
  const Buffer obsolete = file()
                              .U16(1)   // interface
                              .U16(77)  // drops
                              .U32(0)
                              .U32(5000)
                              .U32(2)
                              .U32(2)
                              .Padded({0xAA, 0xBB})
                              .bytes();
  const Buffer bytes = file()
                           .Section()
                           .Block(kNameResolution, Buffer(8))
                           .Interface(1, 0, interface_options)
                           .Interface(228, 0)
                           .Block(kCustom, Buffer(16, 0xFF))
                           .Enhanced(0, 1234567890123, {1, 2, 3, 4, 5}, 9, packet_options)
                           .Block(3, file().U32(3).Padded({7, 8, 9}).bytes())
                           .Block(2, obsolete)
                           .bytes();
  const Capture capture = ReadCapture(bytes);
  ASSERT_TRUE(capture.status.ok()) << capture.status;
  EXPECT_EQ(capture.format, Format::kPcapng);
  ASSERT_EQ(capture.packets.size(), 3u);
  const CapturedPacket& enhanced = capture.packets[0];
  EXPECT_EQ(enhanced.timestamp_ns, 1234567890123u);
  EXPECT_EQ(enhanced.bytes, Buffer({1, 2, 3, 4, 5}));
  EXPECT_EQ(enhanced.original_length, 9u);
  EXPECT_TRUE(enhanced.cut());
  EXPECT_EQ(enhanced.comment, "first\nsecond");
  EXPECT_EQ(enhanced.direction, Direction::kOutbound);
  EXPECT_EQ(enhanced.interface_name, "port A");
  const CapturedPacket& simple = capture.packets[1];
  EXPECT_EQ(simple.bytes, Buffer({7, 8, 9}));
  EXPECT_EQ(simple.timestamp_ns, 0u);
  EXPECT_EQ(simple.link_type, 1u);
  EXPECT_EQ(simple.comment, "");
  EXPECT_EQ(simple.direction, Direction::kUnknown);
  const CapturedPacket& old = capture.packets[2];
  EXPECT_EQ(old.timestamp_ns, 5000000u) << "microseconds where no resolution is given";
  EXPECT_EQ(old.link_type, 228u);
  EXPECT_EQ(old.interface, 1u);
  EXPECT_EQ(old.bytes, Buffer({0xAA, 0xBB}));
}

TEST_P(BothByteOrders, PcapngCountsTimeInTheResolutionAndFromTheOffsetOfTheInterface) {
  const struct {
    uint8_t resolution;
    uint64_t ticks;
    uint64_t offset_seconds;
    uint64_t ns;
  } cases[] = {
      {6, 1234567, 0, 1234567000},
      {9, 1234567, 0, 1234567},
      {3, 5, 0, 5000000},
      {0, 7, 0, 7000000000},
      {12, 1999, 0, 1},  // rounded down
      {0x80 | 1, 3, 0, 1500000000},
      {0x80 | 10, 1, 0, 976562},  // 976562.5
      {0x80 | 32, uint64_t{1} << 63, 0, (uint64_t{1} << 31) * 1000000000},
      {9, 5, 2, 2000000005},
      {9, 5, ~uint64_t{0}, 0},             // a second before: held at 0
      {0, ~uint64_t{0}, 0, ~uint64_t{0}},  // held at the greatest
      {0x80 | 127, ~uint64_t{0}, 0, 0},
      {127, ~uint64_t{0}, 0, 0},
      {0x80 | 96, ~uint64_t{0}, 1, 1000000000},
  };
  for (const auto& c : cases) {
    const Buffer options =
        file().Option(9, {c.resolution}).Option(14, file().U64(c.offset_seconds).bytes()).bytes();
    const Buffer bytes =
        file().Section().Interface(1, 0, options).Enhanced(0, c.ticks, {}, 0).bytes();
    const Capture capture = ReadCapture(bytes);
    ASSERT_EQ(capture.packets.size(), 1u) << capture.status;
    EXPECT_EQ(capture.packets[0].timestamp_ns, c.ns) << int{c.resolution} << ' ' << c.ticks;
  }
}

TEST_P(BothByteOrders, PcapngStartsInterfacesAndByteOrderAnewInEachSection) {
  const bool big = GetParam();
  Buffer bytes = FileBuilder(big).Section().Interface(1, 0).Enhanced(0, 1, {1}, 1).bytes();
  const Buffer second =
      FileBuilder(!big).Section().Interface(229, 0).Enhanced(0, 2, {2}, 1).bytes();
  const Buffer third = FileBuilder(big).Section().Enhanced(0, 3, {3}, 1).bytes();
  const size_t third_at = bytes.size() + second.size();
  bytes.insert(bytes.end(), second.begin(), second.end());
  bytes.insert(bytes.end(), third.begin(), third.end());
  const Capture capture = ReadCapture(bytes);
  ASSERT_EQ(capture.packets.size(), 2u);
  EXPECT_EQ(capture.packets[1].link_type, 229u);
  EXPECT_EQ(capture.packets[1].timestamp_ns, 2000u);
  EXPECT_EQ(capture.status, absl::InvalidArgumentError(absl::StrCat(
                                "The packet block at byte ", third_at + 28,
                                " is of interface 0, but only 0 are described before it in its "
                                "section.")));
}

TEST_P(BothByteOrders, PcapngCutsASimplePacketAtTheSnapLength) {
  const Buffer bytes =
      file().Section().Interface(1, 2).Block(3, file().U32(100).Padded({1, 2}).bytes()).bytes();
  const Capture capture = ReadCapture(bytes);
  ASSERT_EQ(capture.packets.size(), 1u) << capture.status;
  EXPECT_EQ(capture.packets[0].bytes, Buffer({1, 2}));
  EXPECT_EQ(capture.packets[0].original_length, 100u);
  EXPECT_TRUE(capture.packets[0].cut());
}

TEST_P(BothByteOrders, APacketOfWhichMoreIsHeldThanThereWasIsRefused) {
  const size_t at = file().PcapHeader(kNanoseconds, 1).bytes().size();
  const Capture pcap =
      ReadCapture(file().PcapHeader(kNanoseconds, 1).Record(1, 2, {1, 2, 3}, 2).bytes());
  EXPECT_TRUE(pcap.packets.empty());
  EXPECT_EQ(pcap.status, absl::InvalidArgumentError(absl::StrCat(
                             "The packet record at byte ", at,
                             " holds 3 bytes of a packet of 2; it must not hold more than there "
                             "were.")));
  const size_t block = file().Section().Interface(1, 0).bytes().size();
  const Capture pcapng =
      ReadCapture(file().Section().Interface(1, 0).Enhanced(0, 1, {1, 2, 3}, 2).bytes());
  EXPECT_TRUE(pcapng.packets.empty());
  EXPECT_EQ(pcapng.status, absl::InvalidArgumentError(absl::StrCat(
                               "The packet block at byte ", block,
                               " holds 3 bytes of a packet of 2; it must not hold more than there "
                               "were.")));
}

// Everything that the two formats can hold, to be cut.
Buffer Rich(Format format, bool big, std::vector<size_t>& boundaries) {
  FileBuilder file(big);
  const auto mark = [&] { boundaries.push_back(file.bytes().size()); };
  if (format == Format::kPcap) {
    file.PcapHeader(kNanoseconds, 1);
    mark();
    for (uint8_t i = 0; i < 4; ++i, mark()) file.Record(i, i, Buffer(5 * i, i), 100);
    return file.bytes();
  }
  const Buffer comment = file.Empty().Option(1, TextBytes("why")).Option(0, {}).bytes();
  file.Section(), mark();
  file.Interface(1, 0, file.Empty().Option(2, TextBytes("eth")).bytes()), mark();
  file.Enhanced(0, 1, {1, 2, 3}, 3, comment), mark();
  file.Block(kCustom, Buffer(4)), mark();
  file.Block(3, file.Empty().U32(1).Padded({1}).bytes()), mark();
  file.Section(), mark();
  file.Interface(1, 0), mark();
  file.Enhanced(0, 2, {4, 5, 6, 7}, 4), mark();
  return file.bytes();
}

TEST_P(BothByteOrders, ACaptureCutAtAnyByteGivesThePacketsBeforeTheCutAndThePlace) {
  for (Format format : {Format::kPcap, Format::kPcapng}) {
    std::vector<size_t> boundaries;
    const Buffer bytes = Rich(format, GetParam(), boundaries);
    const Capture whole = ReadCapture(bytes);
    ASSERT_TRUE(whole.status.ok()) << whole.status;
    for (size_t length = 4; length < bytes.size(); ++length) {
      const Buffer cut(bytes.begin(), bytes.begin() + length);
      const Capture capture = ReadCapture(cut);
      size_t last_boundary = 0;
      for (size_t b : boundaries) {
        if (b <= length) last_boundary = b;
      }
      size_t expected = 0;
      for (const CapturedPacket& p : whole.packets) expected += p.position < last_boundary;
      ASSERT_EQ(capture.packets.size(), expected) << length;
      for (size_t i = 0; i < expected; ++i) {
        ASSERT_EQ(capture.packets[i].bytes, whole.packets[i].bytes);
        ASSERT_EQ(capture.packets[i].comment, whole.packets[i].comment);
      }
      if (length == last_boundary) {
        ASSERT_TRUE(capture.status.ok()) << capture.status;
        continue;
      }
      ASSERT_TRUE(absl::IsDataLoss(capture.status)) << capture.status;
      const std::string message(capture.status.message());
      ASSERT_NE(message.find(absl::StrCat("ends at byte ", length, ",")), std::string::npos);
      ASSERT_NE(message.find(absl::StrCat("begins at byte ", last_boundary, " ")),
                std::string::npos)
          << message;
    }
  }
}

TEST_P(BothByteOrders, ALengthThatNothingBacksAllocatesNothing) {
  const Buffer pcap =
      file().PcapHeader(kMicroseconds, 1).U32(0).U32(0).U32(0xFFFFFFFF).U32(1).bytes();
  EXPECT_EQ(ReadCapture(pcap).status,
            absl::DataLossError("The capture ends at byte 40, inside the packet record that begins "
                                "at byte 24 and needs 4294967311 bytes."));
  const Buffer block = file().Section().U32(6).U32(0xFFFFFFFC).U32(0).bytes();
  EXPECT_EQ(ReadCapture(block).status,
            absl::DataLossError("The capture ends at byte 40, inside the block that begins at byte "
                                "28 and needs 4294967292 bytes."));
  const Buffer body = file().U32(0).U64(0).U32(0xFFFFFFFF).U32(0xFFFFFFFF).bytes();
  EXPECT_EQ(ReadCapture(file().Section().Interface(1, 0).Block(6, body).bytes()).status,
            absl::InvalidArgumentError("The packet block at byte 48 claims 4294967295 bytes of "
                                       "packet, its body has 0 for it."));
}

TEST_P(BothByteOrders, ANameCopiedToEachPacketIsShort) {
  const Buffer options = file().Option(2, Buffer(60000, 'n')).bytes();
  FileBuilder bytes = file();
  bytes.Section().Interface(1, 0, options).Enhanced(0, 0, {}, 0);
  const Capture capture = ReadCapture(bytes.bytes());
  ASSERT_EQ(capture.packets.size(), 1u);
  EXPECT_EQ(capture.packets[0].interface_name, std::string(255, 'n'));
}

TEST_P(BothByteOrders, BrokenPcapngIsRefusedWithThePlace) {
  const auto error = [&](const Buffer& after_section) {
    return std::string(ReadCapture(file().Section().Raw(after_section).bytes()).status.message());
  };
  const Buffer open_option = file().Option(2, {}).U16(1).bytes();
  EXPECT_EQ(error(file().U32(9).U32(14).U32(0).U32(0).bytes()),
            "The block length at byte 32 is 14, not a multiple of 4 from 12 on.");
  EXPECT_EQ(error(file().U32(9).U32(8).U32(8).bytes()),
            "The block length at byte 32 is 8, not a multiple of 4 from 12 on.");
  EXPECT_EQ(error(file().U32(9).U32(12).U32(16).bytes()),
            "The block at byte 28 has the length 12 at its beginning and 16 at its end.");
  EXPECT_EQ(error(file().Block(1, Buffer(4)).bytes()),
            "The interface description at byte 28 has 4 bytes of body, not 8.");
  EXPECT_EQ(error(file().Block(6, Buffer(16)).bytes()),
            "The packet block at byte 28 has 16 bytes of body, not 20.");
  EXPECT_EQ(error(file().Block(3, Buffer(0)).bytes()),
            "The simple packet block at byte 28 has 0 bytes of body, not 4.");
  EXPECT_EQ(error(file().Block(3, Buffer(4)).bytes()),
            "The packet block at byte 28 is of interface 0, but only 0 are described before it in "
            "its section.");
  EXPECT_EQ(error(file().Interface(1, 0, file().U16(2).U16(5).U32(0).bytes()).bytes()),
            "The option at byte 44 has a length of 5, 4 bytes are left of the block.");
  EXPECT_EQ(error(file().Block(0x0A0D0D0A, Buffer(16)).bytes()),
            "The byte-order magic at byte 36 is wrong.");
  EXPECT_EQ(error(file().Block(0x0A0D0D0A, file().U32(0x1A2B3C4D).bytes()).bytes()),
            "The section header at byte 28 has 4 bytes of body, not 16.");
  EXPECT_EQ(
      error(
          file().Block(0x0A0D0D0A, file().U32(0x1A2B3C4D).U16(2).Raw(Buffer(10)).bytes()).bytes()),
      "The pcapng version at byte 40 is 2, not 1.");
}

TEST(OpenCapture, SaysWhatItDoesNotKnow) {
  const auto error = [](const Buffer& bytes) { return OpenCapture(bytes).status(); };
  EXPECT_EQ(error({}), absl::InvalidArgumentError("The capture is empty."));
  EXPECT_EQ(
      error({0x1F, 0x8B, 8, 0}),
      absl::InvalidArgumentError("The capture is compressed with gzip; decompress it first."));
  EXPECT_EQ(error(TextBytes("Zeit")),
            absl::InvalidArgumentError("The bytes are neither pcap, nor pcapng, nor hex text."));
  EXPECT_EQ(error({0xD4, 0xC3, 0xB2}),
            absl::InvalidArgumentError("The bytes are neither pcap, nor pcapng, nor hex text."));
  EXPECT_EQ(error({0xD4, 0xC3, 0xB2, 0xA1, 2, 0}),
            absl::DataLossError("The capture ends at byte 6, inside the pcap file header that "
                                "begins at byte 0 and needs 24 bytes."));
}

TEST(CaptureReader, KeepsSayingThatItIsAtTheEnd) {
  const Buffer bytes = FileBuilder(false).PcapHeader(kMicroseconds, 1).U32(0).bytes();
  auto reader = OpenCapture(bytes);
  ASSERT_TRUE(reader.ok());
  CapturedPacket packet;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE((*reader)->Next(&packet));
    EXPECT_TRUE(absl::IsDataLoss((*reader)->status()));
  }
}

TEST(PcapngWriter, WritesTheseBytes) {
  PcapngWriter writer("m");
  ASSERT_EQ(*writer.AddInterface(1, "eth"), 0u);
  ASSERT_TRUE(writer
                  .AddPacket({.interface = 0,
                              .timestamp_ns = 0x0102030405060708,
                              .bytes = Buffer({0xAA, 0xBB, 0xCC}),
                              .original_length = 60,
                              .comment = "hello",
                              .direction = Direction::kInbound})
                  .ok());
  const Buffer expected = {
      // section header
      0x0A, 0x0D, 0x0D, 0x0A, 0x28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0,  //
      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,                             //
      4, 0, 1, 0, 'm', 0, 0, 0, 0, 0, 0, 0,                                       //
      0x28, 0, 0, 0,
      // interface description
      1, 0, 0, 0, 0x28, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,  //
      2, 0, 3, 0, 'e', 't', 'h', 0,                       //
      9, 0, 1, 0, 9, 0, 0, 0,                             //
      0, 0, 0, 0, 0x28, 0, 0, 0,
      // enhanced packet
      6, 0, 0, 0, 0x3C, 0, 0, 0, 0, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5,  //
      3, 0, 0, 0, 60, 0, 0, 0, 0xAA, 0xBB, 0xCC, 0,                   //
      1, 0, 5, 0, 'h', 'e', 'l', 'l', 'o', 0, 0, 0,                   //
      2, 0, 4, 0, 1, 0, 0, 0,                                         //
      0, 0, 0, 0, 0x3C, 0, 0, 0};
  EXPECT_EQ(writer.Take(), expected);
  EXPECT_TRUE(writer.Take().empty());
}

TEST(PcapngWriter, RefusesWhatABlockCannotHoldAndWritesNothingThen) {
  PcapngWriter writer;
  const size_t header = writer.Take().size();
  EXPECT_EQ(header, 28u);
  EXPECT_EQ(writer.AddPacket({}),
            absl::InvalidArgumentError("The packet is of interface 0, only 0 were added."));
  ASSERT_TRUE(writer.AddInterface(1, "").ok());
  writer.Take();
  const std::string longest(65535, 'c');
  const std::string too_long = longest + "c";
  EXPECT_EQ(writer.AddPacket({.comment = too_long}),
            absl::InvalidArgumentError("The comment of 65536 bytes is longer than 65535."));
  EXPECT_EQ(writer.AddInterface(1, too_long).status(),
            absl::InvalidArgumentError("The interface name of 65536 bytes is longer than 65535."));
  EXPECT_TRUE(writer.Take().empty());
  EXPECT_TRUE(writer.AddPacket({.comment = longest}).ok());
}

}  // namespace
}  // namespace metaroce::capture
