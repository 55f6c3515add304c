#include "model/wire/frame/icrc.h"

#include <zlib.h>

#include <vector>

#include "gtest/gtest.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/frame/generators.h"
#include "model/wire/frame/masked_crc.h"
#include "rapidcheck/gtest.h"

namespace metaroce::frame {
namespace {

constexpr CrcMethod kMethods[] = {CrcMethod::kPortable, CrcMethod::kNarrow, CrcMethod::kPairs,
                                  CrcMethod::kWide};
constexpr IcrcKind kKinds[] = {IcrcKind::kMetaRoce, IcrcKind::kRoceV2};

// CRC-32, a bit at a time, the polynomial not reflected: the text of the standard.
uint32_t NaiveCrc(const std::vector<uint8_t>& bytes) {
  uint32_t crc = 0xFFFFFFFF;
  for (uint8_t byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool in = (byte >> bit & 1) != 0;
      const bool out = (crc >> 31) != 0;
      crc <<= 1;
      if (in != out) crc ^= 0x04C11DB7;
    }
  }
  uint32_t reflected = 0;
  for (int bit = 0; bit < 32; ++bit) reflected |= (crc >> bit & 1) << (31 - bit);
  return ~reflected;
}

uint32_t ZlibCrc(const std::vector<uint8_t>& bytes) {
  return static_cast<uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

// The covered bytes as annex A17 describes them, one after the other.
std::vector<uint8_t> Covered(const Frame& frame, Bytes bytes, IcrcKind kind) {
  std::vector<uint8_t> out(8, 0xFF);
  const size_t end = HasIcrc(frame) ? frame.end() - kIcrcLength : frame.payload_offset;
  for (size_t at = frame.ip_offset; at < end; ++at) {
    const size_t in_ip = at - frame.ip_offset;
    const size_t in_udp = at - frame.udp_offset;
    const size_t in_payload = at - frame.payload_offset;
    uint8_t byte = bytes[at];
    if (frame.ip_version == 4) {
      if (in_ip == 1 || in_ip == 8 || in_ip == 10 || in_ip == 11) byte = 0xFF;
    } else {
      if (in_ip == 0) byte |= 0x0F;
      if ((in_ip >= 1 && in_ip <= 3) || in_ip == 7) byte = 0xFF;
    }
    if (in_udp == 6 || in_udp == 7) byte = 0xFF;
    if (kind == IcrcKind::kRoceV2 && in_payload == 4) byte = 0xFF;
    out.push_back(byte);
  }
  return out;
}

Frame ParseOrDie(Bytes bytes, LinkType link) {
  Frame frame;
  const FrameFault fault = ParseFrame(bytes, link, {}, &frame);
  EXPECT_TRUE(fault.ok()) << ToString(fault);
  return frame;
}

std::vector<uint8_t> Pattern(size_t length) {
  std::vector<uint8_t> bytes(length);
  uint32_t state = 1;
  for (uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<uint8_t>(state >> 24);
  }
  return bytes;
}

FrameSpec Spec(bool v4, size_t options = 0, bool ethernet = true) {
  FrameSpec spec;
  spec.ethernet = ethernet;
  spec.src = IpAddress::Parse(v4 ? "10.1.2.3" : "2001:db8::1:2").value();
  spec.dst = IpAddress::Parse(v4 ? "10.4.5.6" : "2001:db8::3:4").value();
  spec.dscp = 11;
  spec.flow_label = 0x12345;
  spec.identification = 0x789A;
  spec.options = Ipv4Options::Of(Pattern(options)).value();
  spec.src_port = 0xC0DE;
  spec.dst_port = 0xC000;
  spec.udp_checksum = 0x5555;
  return spec;
}

TEST(NaiveCrc, GivesTheCheckValueOfCrc32) {
  EXPECT_EQ(NaiveCrc({'1', '2', '3', '4', '5', '6', '7', '8', '9'}), 0xCBF43926);
}

TEST(MaskedCrc, IsTheSameByEveryMethodAtEveryLength) {
  // A mask in the first and the last bytes that may have one.
  CrcMask mask;
  for (size_t i : {0, 1, 15, 16, 17, 31, 32, 47, 48, 63, 64, 72}) mask.Set(i, 0x5A);
  CrcMask none;
  for (size_t length = 16; length < 1400; ++length) {
    const std::vector<uint8_t> data = Pattern(length);
    for (const CrcMask* m : {&mask, &none}) {
      std::vector<uint8_t> covered(8, 0xFF);
      for (size_t i = 0; i < length; ++i) {
        covered.push_back(i < m->extent() ? data[i] | m->bits()[i] : data[i]);
      }
      const uint32_t expected = ZlibCrc(covered);
      ASSERT_EQ(NaiveCrc(covered), expected);
      ASSERT_EQ(MaskedCrc(data.data(), length, *m), expected) << length;
      for (CrcMethod method : kMethods) {
        if (!IsSupported(method)) continue;
        ASSERT_EQ(MaskedCrc(method, data.data(), length, *m), expected)
            << "method " << static_cast<int>(method) << ", length " << length;
      }
    }
  }
}

TEST(MaskedCrc, IsTheSameByEveryMethodUpToTheLongestPacket) {
  CrcMask mask;
  mask.Set(40, 0xFF);
  const std::vector<uint8_t> data = Pattern(65535 + 40);
  for (size_t length = data.size(); length > 1400; length -= 977) {
    const std::vector<uint8_t> tail(data.end() - length, data.end());
    std::vector<uint8_t> covered(8, 0xFF);
    covered.insert(covered.end(), tail.begin(), tail.end());
    covered[48] = 0xFF;
    const uint32_t expected = ZlibCrc(covered);
    for (CrcMethod method : kMethods) {
      if (!IsSupported(method)) continue;
      ASSERT_EQ(MaskedCrc(method, tail.data(), length, mask), expected) << length;
    }
  }
}

TEST(Icrc, MatchesTheNaiveTwinForEveryPayloadAndPadLength) {
  for (bool v4 : {true, false}) {
    for (bool ethernet : {true, false}) {
      for (size_t length = 0; length <= 600; ++length) {
        const FrameSpec spec = Spec(v4, 0, ethernet);
        const std::vector<uint8_t> bytes = BuildFrame(spec, Pattern(length)).value();
        const Frame frame = ParseOrDie(bytes, LinkOf(spec));
        for (IcrcKind kind : kKinds) {
          ASSERT_EQ(Icrc(frame, bytes, kind), NaiveCrc(Covered(frame, bytes, kind))) << length;
        }
      }
    }
  }
}

RC_GTEST_PROP(Icrc, MatchesZlibAndTheNaiveTwinForAnyFrame, ()) {
  const FrameSpec spec = AnySpec();
  std::vector<uint8_t> payload = AnyBytes(0, 64);
  if (*rc::gen::arbitrary<bool>()) payload = Pattern(*rc::gen::inRange<size_t>(0, 65000));
  const std::vector<uint8_t> bytes = BuildFrame(spec, payload).value();
  Frame frame;
  RC_ASSERT(ParseFrame(bytes, LinkOf(spec), {}, &frame).ok());
  for (IcrcKind kind : kKinds) {
    const std::vector<uint8_t> covered = Covered(frame, bytes, kind);
    RC_ASSERT(Icrc(frame, bytes, kind) == ZlibCrc(covered));
    if (covered.size() < 200) RC_ASSERT(NaiveCrc(covered) == ZlibCrc(covered));
  }
}

// Flips every bit of a frame: a masked bit leaves the iCRC valid, every other
// covered one makes it invalid. Which are masked is said here again, by field.
TEST(Icrc, DependsOnEveryCoveredBitAndOnNoMaskedOne) {
  for (bool v4 : {true, false}) {
    for (size_t options : {0, 12}) {
      for (IcrcKind kind : kKinds) {
        FrameSpec spec = Spec(v4, options);
        spec.vlan_count = 1;
        std::vector<uint8_t> bytes = BuildFrame(spec, Pattern(40)).value();
        bytes.resize(bytes.size() + 3);  // Ethernet padding
        const Frame frame = ParseOrDie(bytes, LinkType::kEthernet);
        ASSERT_TRUE(StoreIcrc(frame, absl::MakeSpan(bytes), kind));
        for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
          const size_t at = bit / 8;
          const size_t ip = at - frame.ip_offset;
          const bool high_nibble = bit % 8 >= 4;
          bool covered = at >= frame.ip_offset && at < frame.end();
          if (v4 && (ip == 1 || ip == 8 || ip == 10 || ip == 11)) covered = false;
          if (!v4 && (ip == 1 || ip == 2 || ip == 3 || ip == 7 || (ip == 0 && !high_nibble))) {
            covered = false;
          }
          if (at == frame.udp_offset + 6u || at == frame.udp_offset + 7u) covered = false;
          if (kind == IcrcKind::kRoceV2 && at == frame.payload_offset + 4u) covered = false;
          std::vector<uint8_t> flipped = bytes;
          flipped[at] ^= 1 << (bit % 8);
          ASSERT_EQ(IcrcOk(frame, flipped, kind), !covered) << "bit " << bit;
        }
      }
    }
  }
}

TEST(StoreIcrc, StoresTheLeastSignificantByteFirst) {
  std::vector<uint8_t> bytes = BuildFrame(Spec(true), Pattern(20)).value();
  const Frame frame = ParseOrDie(bytes, LinkType::kEthernet);
  ASSERT_TRUE(StoreIcrc(frame, absl::MakeSpan(bytes), IcrcKind::kMetaRoce));
  const uint32_t crc = NaiveCrc(Covered(frame, bytes, IcrcKind::kMetaRoce));
  const std::vector<uint8_t> expected = {static_cast<uint8_t>(crc), static_cast<uint8_t>(crc >> 8),
                                         static_cast<uint8_t>(crc >> 16),
                                         static_cast<uint8_t>(crc >> 24)};
  EXPECT_EQ(std::vector<uint8_t>(bytes.end() - 4, bytes.end()), expected);
  EXPECT_EQ(LoadIcrc(frame, bytes), crc);
}

TEST(StoreIcrc, ChangesNothingButTheLastFourBytesBeforeThePadding) {
  const std::vector<uint8_t> built = BuildFrame(Spec(false), Pattern(33)).value();
  std::vector<uint8_t> padded = built;
  padded.resize(built.size() + 9, 0xEE);
  std::vector<uint8_t> stored = padded;
  const Frame frame = ParseOrDie(padded, LinkType::kEthernet);
  ASSERT_TRUE(StoreIcrc(frame, absl::MakeSpan(stored), IcrcKind::kMetaRoce));
  for (size_t i = 0; i < padded.size(); ++i) {
    if (i >= frame.end() - 4 && i < frame.end()) continue;
    EXPECT_EQ(stored[i], padded[i]) << i;
  }
}

TEST(IcrcOk, IsFalseForAPayloadTooShortToHoldOne) {
  for (size_t length : {0, 1, 2, 3}) {
    std::vector<uint8_t> bytes = BuildFrame(Spec(true), Pattern(length)).value();
    const std::vector<uint8_t> before = bytes;
    const Frame frame = ParseOrDie(bytes, LinkType::kEthernet);
    EXPECT_FALSE(HasIcrc(frame));
    EXPECT_FALSE(IcrcOk(frame, bytes, IcrcKind::kMetaRoce));
    EXPECT_FALSE(StoreIcrc(frame, absl::MakeSpan(bytes), IcrcKind::kMetaRoce));
    EXPECT_EQ(bytes, before);
  }
}

}  // namespace
}  // namespace metaroce::frame
