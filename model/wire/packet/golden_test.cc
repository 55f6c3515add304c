// One packet of each class and tail, written out byte for byte from chapter 3. The checksums come
// from Python's zlib over the same bytes, not from this codec.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "model/wire/packet/bitmap.h"
#include "model/wire/packet/packet.h"

namespace metaroce::packet {
namespace {

using spec::Opcode;

// White space is for the reader.
std::vector<uint8_t> Hex(const std::string& text) {
  std::string digits;
  for (char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits.push_back(c);
  }
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

void ExpectBothWays(const std::vector<uint8_t>& bytes, const Packet& expected,
                    const frame::FrameSpec& spec) {
  Packet parsed;
  const ParseResult result = Parse(bytes, {}, &parsed);
  ASSERT_TRUE(result.ok()) << result.ToString();
  EXPECT_TRUE(SamePacket(parsed, expected));
  EXPECT_TRUE(Validate(expected).ok()) << Validate(expected);
  const auto written = Serialize(expected, spec);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(*written, bytes);
}

constexpr uint8_t kPayload[] = {0xde, 0xad, 0xbe, 0xef, 0x42};

TEST(Golden, AWriteOfFiveBytesOverIpv4) {
  const std::vector<uint8_t> bytes =
      Hex("020000000002 020000000001 0800"
          "45 6a 0058 0000 4000 40 11 b627 c0000201 c0000202"  // DSCP 26, ECT(0), DF
          "c123 d607 0044 0000"
          "1c 01 a0 07 81 0a0b0c fffffff0 12345678"  // version 1, pad 3; ar and moved
          "80000001 0203 0405 06070809 00001000 00001005"
          "1122334455667788 99aabbcc"
          "deadbeef42 000000"
          "3578f49b");
  Packet p = NewPacket(Opcode::kWrite);
  p.headers.common.ar = true;
  p.headers.common.moved = true;
  p.headers.common.path = 7;
  p.headers.common.epoch = 0x81;
  p.headers.common.cid = 0x0a0b0c;
  p.headers.common.number = 0xfffffff0;
  p.headers.common.transmit_time = 0x12345678;
  p.headers.data.csn = 0x80000001;
  p.headers.data.stream = 0x0203;
  p.headers.data.acks_seen = 0x0405;
  p.headers.data.msn = 0x06070809;
  p.headers.data.offset = 4096;
  p.headers.data.length = 4101;
  p.headers.write_target.address = 0x1122334455667788;
  p.headers.write_target.rkey = 0x99aabbcc;
  p.payload = kPayload;
  ExpectBothWays(bytes, p, DefaultFrame(Opcode::kWrite, 0xc123, false));
}

TEST(Golden, AnAckOfThreePathBlocksOverIpv6) {
  const std::vector<uint8_t> bytes =
      Hex("020000000002 020000000001 86dd"
          "6c20c123 0098 11 40 20010db8000000000000000000000001 20010db8000000000000000000000002"
          "c123 d607 0098 0000"
          "10 41 00 03 09 00ff01 00000011 ffffffff"
          "fffffffe 00000100 03 00 0123 00000005"
          // 128 bits: 1, 63, 64 and 100
          "03 09 80 04 fffffff0 0102 0304 05060708 090a0b0c 00000010 00000001 80000000 00000002"
          // no bitmap
          "c8 ff 00 ff 00000001 0002 0003 00000004 ffffffff"
          // 256 bits: 2 and 255
          "fe 00 c0 01 80000000 0000 8000 00000000 00000001"
          "80000000 00000000 00000000 00000000 00000000 00000000 00000000 00000004"
          "79ec7f67");
  Packet p = NewPacket(Opcode::kAck);
  p.headers.common.path = 3;
  p.headers.common.epoch = 9;
  p.headers.common.cid = 0xff01;
  p.headers.common.number = 17;
  p.headers.common.transmit_time = 0xffffffff;
  p.headers.ack.csn = 0xfffffffe;
  p.headers.ack.right_edge = 0x100;
  p.headers.ack.blocks = 3;
  p.headers.ack.hint = 0x123;
  p.headers.ack.credit = 5;
  auto& blocks = p.headers.path_block;
  blocks[0] = {3, 9, 2, 4, 0xfffffff0, 0x0102, 0x0304, 0x05060708, 0x090a0b0c, {}};
  for (size_t bit : {1, 63, 64, 100}) SetBitmapBit(blocks[0].bitmap, bit);
  blocks[1] = {200, 255, 0, 255, 1, 2, 3, 4, 0xffffffff, {}};
  blocks[2] = {254, 0, 3, 1, 0x80000000, 0, 0x8000, 0, 1, {}};
  for (size_t bit : {2, 255}) SetBitmapBit(blocks[2].bitmap, bit);
  ExpectBothWays(bytes, p, DefaultFrame(Opcode::kAck, 0xc123, true));
}

TEST(Golden, ANackThatNamesTheRefusedPacket) {
  const std::vector<uint8_t> bytes =
      Hex("020000000002 020000000001 0800"
          "45 c2 0048 0000 4000 40 11 b5df c0000201 c0000202"  // DSCP 48, ECT(0), DF
          "c123 d607 0034 0000"
          "10 82 00 ff 00 000005 00000000 00000001"
          "cafebabe"
          "06 02 01 30 01020304 05060708 090a 0000 0b0c0d0e"
          "650ee061");
  Packet p = NewPacket(Opcode::kNackRemoteAccess);
  p.headers.common.path = 255;
  p.headers.common.cid = 5;
  p.headers.common.transmit_time = 1;
  p.headers.ctrl.tag = 0xcafebabe;
  p.headers.nack_request.path = 6;
  p.headers.nack_request.epoch = 2;
  p.headers.nack_request.opcode = 0x01;
  p.headers.nack_request.reason = 48;
  p.headers.nack_request.sequence = 0x01020304;
  p.headers.nack_request.csn = 0x05060708;
  p.headers.nack_request.stream = 0x090a;
  p.headers.nack_request.msn = 0x0b0c0d0e;
  ExpectBothWays(bytes, p, DefaultFrame(Opcode::kNackRemoteAccess, 0xc123, false));
}

TEST(Golden, AConnectWithTwoOptionsAndFiller) {
  const std::vector<uint8_t> bytes =
      Hex("020000000002 020000000001 86dd"
          "6c20c123 006c 11 40 20010db8000000000000000000000001 20010db8000000000000000000000002"
          "c123 d607 006c 0000"
          "10 c1 00 ff 00 000000 7fffffff 00000002"
          "01010101"
          "00 00beef fffffff0 00000010 00000020 00000030 00000040 00000050 00001000"
          "0400 0040 0041 0042 08 02 0003 0010 0000"
          "8001 0005 68656c6c6f 000000"
          "0007 0000"
          "0000 00000000 00000000 0000"
          "1baf101d");
  Packet p = NewPacket(Opcode::kConnect);
  p.headers.common.path = 255;
  p.headers.common.number = 0x7fffffff;
  p.headers.common.transmit_time = 2;
  p.headers.ctrl.tag = 0x01010101;
  p.headers.connect = {0xbeef, 0xfffffff0, 0x10, 0x20, 0x30, 0x40, 0x50, 4096,
                       1024,   64,         65,   66,   8,    2,    3,    16};
  std::vector<uint8_t> options;
  constexpr uint8_t kHello[] = {'h', 'e', 'l', 'l', 'o'};
  ASSERT_TRUE(AppendOption({0x8001, kHello}, &options).ok());
  ASSERT_TRUE(AppendOption({7, {}}, &options).ok());
  p.options = options;
  p.filler_length = 12;
  ExpectBothWays(bytes, p, DefaultFrame(Opcode::kConnect, 0xc123, true));
}

TEST(Golden, APathOpenBehindTwoVlanTagsAndIpv4Options) {
  const std::vector<uint8_t> bytes =
      Hex("020000000002 020000000001 88a8 6001 8100 0fff 0800"
          "46 6a 0048 1234 4000 40 11 0eff c0000201 c0000202 94040000"
          "c123 d607 0030 0000"
          "10 c7 00 0c 01 00004d 00000003 00000004"
          "00000009"
          "03 01 02 00 deadbeef"
          "00000000 00000000"
          "9a02dd0b");
  Packet p = NewPacket(Opcode::kPathOpen);
  p.headers.common.path = 12;
  p.headers.common.epoch = 1;
  p.headers.common.cid = 77;
  p.headers.common.number = 3;
  p.headers.common.transmit_time = 4;
  p.headers.ctrl.tag = 9;
  p.headers.path_open = {3, 1, 2, 0xdeadbeef};
  p.filler_length = 8;
  frame::FrameSpec spec = DefaultFrame(Opcode::kPathOpen, 0xc123, false);
  spec.vlan_count = 2;
  spec.vlans = {{{frame::kEtherTypeServiceVlan, 0x6001}, {frame::kEtherTypeVlan, 0x0fff}}};
  spec.identification = 0x1234;
  constexpr uint8_t kRouterAlert[] = {0x94, 0x04, 0x00, 0x00};
  spec.options = *frame::Ipv4Options::Of(kRouterAlert);
  ExpectBothWays(bytes, p, spec);
}

}  // namespace
}  // namespace metaroce::packet
