#include "model/fabric/hash.h"

#include <gtest/gtest.h>

#include <string>

#include "model/wire/frame/address.h"
#include "model/wire/frame/builder.h"

namespace metaroce::fabric {
namespace {

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The input of receive-side scaling: addresses and ports, without the protocol.
std::string Input(const char* from, uint16_t from_port, const char* to, uint16_t to_port) {
  std::string input;
  for (const char* text : {from, to}) {
    const auto address = frame::IpAddress::Parse(text);
    EXPECT_TRUE(address.ok()) << text;
    for (const uint8_t byte : address->bytes()) input += static_cast<char>(byte);
  }
  for (const uint16_t port : {from_port, to_port}) {
    input += static_cast<char>(port >> 8);
    input += static_cast<char>(port & 255);
  }
  return input;
}

// Microsoft, "Verifying the RSS Hash Calculation", IPv4 and IPv6 with TCP.
TEST(HashTest, ToeplitzAgreesWithTheVerificationSuiteOfReceiveSideScaling) {
  const EcmpHash hash(HashFamily::kToeplitz, 0);
  const struct {
    const char* to;
    uint16_t to_port;
    const char* from;
    uint16_t from_port;
    uint32_t value;
  } kCases[] = {
      {"161.142.100.80", 1766, "66.9.149.187", 2794, 0x51ccc178},
      {"65.69.140.83", 4739, "199.92.111.2", 14230, 0xc626b0ea},
      {"12.22.207.184", 38024, "24.19.198.95", 12898, 0x5c2b394a},
      {"209.142.163.6", 2217, "38.27.205.30", 48228, 0xafc7327f},
      {"202.188.127.2", 1303, "153.39.163.191", 44251, 0x10e828a2},
      {"3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x40207d3d},
      {"ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0xdde51bbf},
      {"fe80::200:f8ff:fe21:67cf", 38024, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251, 0x02d1feef},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(hash.Of(BytesOf(Input(c.from, c.from_port, c.to, c.to_port))), c.value) << c.from;
  }
}

// The check values of the catalogue of parametrised CRC algorithms: the nine digits.
TEST(HashTest, TheCrcsHaveTheirCheckValues) {
  const std::string text = "123456789";
  const auto digits = BytesOf(text);
  EXPECT_EQ(EcmpHash(HashFamily::kCrc16, 0).Of(digits), 0x31C3u);       // CRC-16/XMODEM
  EXPECT_EQ(EcmpHash(HashFamily::kCrc16, 0xFFFF).Of(digits), 0x29B1u);  // CRC-16/IBM-3740
  // CRC-32/ISCSI inverts the result.
  EXPECT_EQ(~EcmpHash(HashFamily::kCrc32c, 0xFFFFFFFF).Of(digits), 0xE3069283u);
}

TEST(HashTest, TheFoldIsTheExclusiveOrOfTheWords) {
  EXPECT_EQ(EcmpHash(HashFamily::kXorFold, 0).Of(BytesOf("\x12\x34\x56")),
            uint32_t{0x1234 ^ 0x5600});
  EXPECT_EQ(EcmpHash(HashFamily::kXorFold, 0xABCD).Of(BytesOf("\x12\x34\x01\x02")),
            uint32_t{0x1234 ^ 0x0102 ^ 0xABCD});
}

TEST(HashTest, ATupleIsReadFromTheFrame) {
  for (const bool ipv6 : {false, true}) {
    frame::Flow flow;
    flow.src = *frame::IpAddress::Parse(ipv6 ? "fd00::1:2" : "10.1.2.3");
    flow.dst = *frame::IpAddress::Parse(ipv6 ? "fd00::3:4" : "10.4.5.6");
    flow.src_port = 0xC123;
    flow.dst_port = 0xD607;
    std::vector<uint8_t> bytes(100);
    ASSERT_GT(frame::WriteHeaders(flow, 40, absl::Span<uint8_t>(bytes)), 0u);
    const FiveTuple tuple = TupleOf(bytes.data());
    const std::string wanted =
        Input(flow.src.ToString().c_str(), 0xC123, flow.dst.ToString().c_str(), 0xD607) + "\x11";
    EXPECT_EQ(std::string(tuple.bytes.begin(), tuple.bytes.begin() + tuple.length), wanted);
    for (const HashFamily family :
         {HashFamily::kCrc16, HashFamily::kCrc32c, HashFamily::kToeplitz, HashFamily::kXorFold}) {
      const EcmpHash hash(family, 5);
      EXPECT_EQ(hash.OfFrame(bytes.data()), hash(tuple));
      EcmpHash::Memos memos;
      for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(hash.OfFrame(bytes.data(), &memos), hash(tuple));
        // Another flow with the place of the first.
        std::vector<uint8_t> other = bytes;
        ++other[ipv6 ? 54 : 34];
        EXPECT_EQ(hash.OfFrame(other.data(), &memos), hash(TupleOf(other.data())));
      }
      EXPECT_EQ(EcmpHash(family, 6, &hash)(tuple), EcmpHash(family, 6)(tuple));
    }
  }
}

TEST(HashTest, TheSeedOfACrcPartsNoFlowsThatHadTheSameHash) {
  const EcmpHash one(HashFamily::kCrc32c, 1);
  const EcmpHash two(HashFamily::kCrc32c, 2);
  const auto differ = [&](const char* text) {
    return one.Of(BytesOf(text)) ^ two.Of(BytesOf(text));
  };
  EXPECT_EQ(differ("1234567890abc"), differ("cba0987654321"));
  const EcmpHash other(HashFamily::kToeplitz, 2);
  const EcmpHash published(HashFamily::kToeplitz, 0);
  EXPECT_NE(other.Of(BytesOf("1234567890abc")) ^ published.Of(BytesOf("1234567890abc")),
            other.Of(BytesOf("cba0987654321")) ^ published.Of(BytesOf("cba0987654321")));
}

}  // namespace
}  // namespace metaroce::fabric
