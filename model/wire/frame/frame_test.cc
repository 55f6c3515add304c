#include "model/wire/frame/frame.h"

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/bytes.h"

namespace metaroce::frame {
namespace {

constexpr uint16_t kEtherTypeArp = 0x0806;

FrameSpec Spec(bool v4) {
  FrameSpec spec;
  spec.src = IpAddress::Parse(v4 ? "10.0.0.1" : "2001:db8::1").value();
  spec.dst = IpAddress::Parse(v4 ? "10.0.0.2" : "2001:db8::2").value();
  spec.src_port = 0xC123;
  spec.dst_port = 0xC000;
  return spec;
}

std::vector<uint8_t> Build(const FrameSpec& spec, size_t payload_length = 24) {
  return BuildFrame(spec, std::vector<uint8_t>(payload_length, 0x5A)).value();
}

FrameFault Parse(Bytes bytes, LinkType link = LinkType::kEthernet, FrameOptions options = {}) {
  Frame frame;
  return ParseFrame(bytes, link, options, &frame);
}

TEST(ParseFrame, GivesEveryFieldOfAnIpv4Frame) {
  FrameSpec spec = Spec(true);
  spec.dscp = 26;
  spec.ecn = Ecn::kCe;
  spec.ttl = 63;
  spec.identification = 0xBEEF;
  spec.udp_checksum = 0x1234;
  const std::vector<uint8_t> bytes = Build(spec);
  Frame frame;
  ASSERT_TRUE(ParseFrame(bytes, LinkType::kEthernet, {}, &frame).ok());
  EXPECT_EQ(frame.ip_version, 4);
  EXPECT_EQ(frame.vlan_count, 0);
  EXPECT_EQ(frame.dscp(), 26);
  EXPECT_EQ(frame.ecn(), Ecn::kCe);
  EXPECT_EQ(frame.ttl, 63);
  EXPECT_EQ(frame.identification, 0xBEEF);
  EXPECT_TRUE(frame.dont_fragment);
  EXPECT_EQ(frame.src_port, 0xC123);
  EXPECT_EQ(frame.dst_port, 0xC000);
  EXPECT_EQ(frame.udp_length, 32);
  EXPECT_EQ(frame.udp_checksum, 0x1234);
  EXPECT_EQ(frame.ip_offset, 14);
  EXPECT_EQ(frame.udp_offset, 34);
  EXPECT_EQ(frame.payload_offset, 42);
  EXPECT_EQ(frame.payload_length, 24);
  EXPECT_EQ(Payload(frame, bytes), Bytes(std::vector<uint8_t>(24, 0x5A)));
  EXPECT_EQ(SourceAddress(frame, bytes).ToString(), "10.0.0.1");
  EXPECT_EQ(DestinationAddress(frame, bytes).ToString(), "10.0.0.2");
}

TEST(ParseFrame, GivesTrafficClassFlowLabelAndHopLimitOfAnIpv6Frame) {
  FrameSpec spec = Spec(false);
  spec.dscp = 0x2A;
  spec.ecn = Ecn::kEct0;
  spec.flow_label = 0xABCDE;
  spec.ttl = 7;
  const std::vector<uint8_t> bytes = Build(spec);
  Frame frame;
  ASSERT_TRUE(ParseFrame(bytes, LinkType::kEthernet, {}, &frame).ok());
  EXPECT_EQ(frame.ip_version, 6);
  EXPECT_EQ(frame.dscp(), 0x2A);
  EXPECT_EQ(frame.ecn(), Ecn::kEct0);
  EXPECT_EQ(frame.flow_label, 0xABCDEu);
  EXPECT_EQ(frame.ttl, 7);
  EXPECT_EQ(frame.payload_offset, 62);
  EXPECT_EQ(SourceAddress(frame, bytes).ToString(), "2001:db8::1");
}

TEST(ParseFrame, TakesUpToTwoVlanTagsAndCallsAThirdNotIp) {
  FrameSpec spec = Spec(true);
  spec.vlans = {VlanTag{kEtherTypeServiceVlan, 0x2064}, VlanTag{kEtherTypeVlan, 0xE00A}};
  for (uint8_t count : {0, 1, 2}) {
    spec.vlan_count = count;
    const std::vector<uint8_t> bytes = Build(spec);
    Frame frame;
    ASSERT_TRUE(ParseFrame(bytes, LinkType::kEthernet, {}, &frame).ok());
    ASSERT_EQ(frame.vlan_count, count);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(frame.vlans[i], spec.vlans[i]);
    EXPECT_EQ(frame.ip_offset, 14 + 4 * count);
  }
  spec.wrong.ether_type = kEtherTypeVlan;
  const FrameFault fault = Parse(Build(spec));
  EXPECT_EQ(fault.reason, FrameReason::kNotIp);
  EXPECT_EQ(fault.offset, 20);
  EXPECT_EQ(fault.value, kEtherTypeVlan);
}

TEST(ParseFrame, ReadsRawIpOfTheVersionThatTheLinkTypeAllows) {
  for (bool v4 : {true, false}) {
    FrameSpec spec = Spec(v4);
    spec.ethernet = false;
    const std::vector<uint8_t> bytes = Build(spec);
    const LinkType own = v4 ? LinkType::kIpv4 : LinkType::kIpv6;
    const LinkType other = v4 ? LinkType::kIpv6 : LinkType::kIpv4;
    EXPECT_TRUE(Parse(bytes, LinkType::kRawIp).ok());
    EXPECT_TRUE(Parse(bytes, own).ok());
    EXPECT_EQ(Parse(bytes, other).reason, FrameReason::kIpHeader);
  }
}

TEST(ParseFrame, IgnoresEthernetPadding) {
  std::vector<uint8_t> bytes = Build(Spec(true), 4);
  bytes.resize(60, 0xEE);
  Frame frame;
  ASSERT_TRUE(ParseFrame(bytes, LinkType::kEthernet, {}, &frame).ok());
  EXPECT_EQ(frame.payload_length, 4);
  EXPECT_EQ(frame.end(), 46u);
}

TEST(ParseFrame, ReportsACutAtEveryLength) {
  for (bool v4 : {true, false}) {
    for (bool ethernet : {true, false}) {
      FrameSpec spec = Spec(v4);
      spec.ethernet = ethernet;
      spec.vlan_count = ethernet ? 2 : 0;
      spec.options = Ipv4Options::Of(std::vector<uint8_t>(8, 1)).value();
      const std::vector<uint8_t> bytes = Build(spec);
      for (size_t length = 0; length < bytes.size(); ++length) {
        // A copy of its own, so that a sanitizer sees a read beyond it.
        const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + length);
        const FrameFault fault = Parse(cut, ethernet ? LinkType::kEthernet : LinkType::kRawIp);
        ASSERT_EQ(fault.reason, FrameReason::kTruncated) << length;
        ASSERT_EQ(fault.offset + fault.value, length);
        ASSERT_LT(fault.value, fault.bound);
      }
    }
  }
}

// One fault each, in the order of the checks.
struct NamedFault {
  FrameReason reason;
  void (*apply)(FrameSpec& spec);
};

// Of every two faults in one frame, the earlier in `faults` must be reported.
void ExpectOrder(const FrameSpec& good, const std::vector<NamedFault>& faults) {
  ASSERT_TRUE(Parse(Build(good)).ok());
  for (size_t first = 0; first < faults.size(); ++first) {
    for (size_t second = first; second < faults.size(); ++second) {
      FrameSpec spec = good;
      faults[second].apply(spec);
      faults[first].apply(spec);  // wins where both set one field
      EXPECT_EQ(Parse(Build(spec)).reason, faults[first].reason) << first << " and " << second;
    }
  }
}

TEST(ParseFrame, ReportsTheFirstOfTwoFaultsOfIpv4) {
  ExpectOrder(
      Spec(true),
      {
          {FrameReason::kNotIp, [](FrameSpec& s) { s.wrong.ether_type = kEtherTypeArp; }},
          {FrameReason::kIpHeader, [](FrameSpec& s) { s.wrong.ip_version = 6; }},
          {FrameReason::kIpHeader, [](FrameSpec& s) { s.wrong.ihl = 4; }},
          {FrameReason::kIpHeader, [](FrameSpec& s) { s.wrong.ip_length = 19; }},
          {FrameReason::kTruncated, [](FrameSpec& s) { s.wrong.ip_length = 1000; }},
          {FrameReason::kIpFragment, [](FrameSpec& s) { s.wrong.ip_flags_offset = 0x2000; }},
          {FrameReason::kIpChecksum, [](FrameSpec& s) { s.wrong.ip_checksum = 0x0BAD; }},
          {FrameReason::kNotUdp, [](FrameSpec& s) { s.wrong.ip_protocol = 6; }},
          {FrameReason::kUdpLength, [](FrameSpec& s) { s.wrong.ip_length = 27; }},
          {FrameReason::kUdpLength, [](FrameSpec& s) { s.wrong.udp_length = 7; }},
          {FrameReason::kUdpLength, [](FrameSpec& s) { s.wrong.udp_length = 31; }},
      });
}

TEST(ParseFrame, ReportsTheFirstOfTwoFaultsOfIpv6) {
  ExpectOrder(Spec(false),
              {
                  {FrameReason::kNotIp, [](FrameSpec& s) { s.wrong.ether_type = kEtherTypeArp; }},
                  {FrameReason::kIpHeader, [](FrameSpec& s) { s.wrong.ip_version = 4; }},
                  {FrameReason::kTruncated, [](FrameSpec& s) { s.wrong.ip_length = 33; }},
                  {FrameReason::kNotUdp, [](FrameSpec& s) { s.wrong.ip_protocol = 44; }},
                  {FrameReason::kUdpLength, [](FrameSpec& s) { s.wrong.ip_length = 7; }},
                  {FrameReason::kUdpLength, [](FrameSpec& s) { s.wrong.udp_length = 0; }},
                  {FrameReason::kUdpLength, [](FrameSpec& s) { s.wrong.udp_length = 33; }},
              });
}

TEST(ParseFrame, CallsEveryFragmentAFragmentButNotTheOtherFlags) {
  for (uint16_t flags_offset : {0x0001, 0x1FFF, 0x2000, 0x6000, 0x2001}) {
    FrameSpec spec = Spec(true);
    spec.wrong.ip_flags_offset = flags_offset;
    EXPECT_EQ(Parse(Build(spec)).reason, FrameReason::kIpFragment) << flags_offset;
  }
  for (uint16_t flags_offset : {0x0000, 0x4000, 0x8000, 0xC000}) {
    FrameSpec spec = Spec(true);
    spec.wrong.ip_flags_offset = flags_offset;
    EXPECT_TRUE(Parse(Build(spec)).ok()) << flags_offset;
  }
}

TEST(ParseFrame, CallsAnIpv6PacketWithAnExtensionHeaderNotUdp) {
  for (uint8_t next_header : {0, 43, 44, 51, 59, 60, 135, 139, 140}) {
    FrameSpec spec = Spec(false);
    spec.wrong.ip_protocol = next_header;
    const FrameFault fault = Parse(Build(spec));
    EXPECT_EQ(fault.reason, FrameReason::kNotUdp) << int{next_header};
    EXPECT_EQ(fault.value, next_header);
  }
}

TEST(ParseFrame, TakesAWrongIpChecksumIfToldSo) {
  FrameSpec spec = Spec(true);
  spec.wrong.ip_checksum = 0;
  const std::vector<uint8_t> bytes = Build(spec);
  EXPECT_EQ(Parse(bytes).reason, FrameReason::kIpChecksum);
  EXPECT_TRUE(Parse(bytes, LinkType::kEthernet, {.check_ip_checksum = false}).ok());
}

TEST(ParseFrame, TakesBothZerosForAChecksumThatIsZero) {
  FrameSpec spec = Spec(true);
  // The identification that makes the sum of the others 0xFFFF.
  std::vector<uint8_t> bytes = Build(spec);
  spec.identification = Ipv4HeaderChecksum({&bytes[14], 20});
  bytes = Build(spec);
  ASSERT_EQ(LoadBe16(&bytes[24]), 0);
  EXPECT_TRUE(Parse(bytes).ok());
  StoreBe16(&bytes[24], 0xFFFF);
  EXPECT_TRUE(Parse(bytes).ok());
  StoreBe16(&bytes[24], 0xFFFE);
  EXPECT_FALSE(Parse(bytes).ok());
}

TEST(Ipv4HeaderChecksum, MatchesTheExampleOfAHardwareCaptureAndCountsOptions) {
  // The worked example of RFC 1071, section 3, in a header of zeros: the sum of
  // 0001 f203 f4f5 f6f7 is ddf2.
  std::vector<uint8_t> header(24);
  const uint8_t words[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  std::memcpy(&header[0], words, 4);
  std::memcpy(&header[20], words + 4, 4);
  StoreBe16(&header[10], 0x5555);  // the field itself does not count
  EXPECT_EQ(Ipv4HeaderChecksum(header), 0xFFFF - 0xddf2);
}

TEST(ParseFrame, ClosesTheGapBetweenIpAndUdpLength) {
  for (int difference : {-1, 1}) {
    FrameSpec spec = Spec(true);
    spec.wrong.udp_length = 32 + difference;
    std::vector<uint8_t> bytes = Build(spec);
    bytes.resize(bytes.size() + 8);  // padding does not lend a byte
    const FrameFault fault = Parse(bytes);
    EXPECT_EQ(fault.reason, FrameReason::kUdpLength);
    EXPECT_EQ(fault.value, 32u + difference);
    EXPECT_EQ(fault.bound, 32u);
  }
}

TEST(ParseFrame, TakesAnEmptyUdpPayload) {
  Frame frame;
  const std::vector<uint8_t> bytes = Build(Spec(false), 0);
  ASSERT_TRUE(ParseFrame(bytes, LinkType::kEthernet, {}, &frame).ok());
  EXPECT_EQ(frame.payload_length, 0);
  EXPECT_TRUE(Payload(frame, bytes).empty());
}

TEST(FrameReason, HasTheNamesOfTheSpec) {
  EXPECT_STREQ(Name(FrameReason::kNone), "none");
  EXPECT_STREQ(Name(FrameReason::kTruncated), "frame-truncated");
  EXPECT_STREQ(Name(FrameReason::kNotIp), "not-ip");
  EXPECT_STREQ(Name(FrameReason::kIpHeader), "ip-header");
  EXPECT_STREQ(Name(FrameReason::kIpFragment), "ip-fragment");
  EXPECT_STREQ(Name(FrameReason::kIpChecksum), "ip-checksum");
  EXPECT_STREQ(Name(FrameReason::kNotUdp), "not-udp");
  EXPECT_STREQ(Name(FrameReason::kUdpLength), "udp-length");
}

TEST(FrameFault, SaysInOneSentenceWhatIsWrongAndWhere) {
  const auto text = [](void (*apply)(FrameSpec&), bool v4 = true) {
    FrameSpec spec = Spec(v4);
    apply(spec);
    return ToString(Parse(Build(spec)));
  };
  EXPECT_EQ(ToString(Parse({})),
            "frame-truncated: of 14 bytes needed from byte 0 on, 0 are there.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.ether_type = kEtherTypeArp; }),
            "not-ip: the EtherType at byte 12 is 0x0806, not IPv4 (0x0800) or IPv6 (0x86dd).");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.ip_version = 7; }),
            "ip-header: the IP version at byte 14 is 7, not 4.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.ihl = 3; }),
            "ip-header: the IHL at byte 14 is 3, less than 5.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.ip_length = 8; }),
            "ip-header: the IPv4 total length at byte 16 is 8, less than 20.");
  EXPECT_EQ(
      text([](FrameSpec& s) { s.wrong.ip_flags_offset = 0x2001; }),
      "ip-fragment: the flags and fragment offset at byte 20 are 0x2001, which is a fragment.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.ip_checksum = 1; }),
            "ip-checksum: the IPv4 header checksum at byte 24 is 0x0001, not 0x26b7.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.ip_protocol = 6; }),
            "not-udp: the IP protocol at byte 23 is 6, not 17.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.ip_protocol = 44; }, false),
            "not-udp: the IP protocol at byte 20 is 44, not 17.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.ip_length = 26; }),
            "udp-length: the IP payload at byte 34 has 6 bytes, less than 8.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.udp_length = 6; }),
            "udp-length: the UDP length at byte 38 is 6, less than 8.");
  EXPECT_EQ(text([](FrameSpec& s) { s.wrong.udp_length = 31; }),
            "udp-length: the UDP length at byte 38 is 31, but the IP payload has 32 bytes.");
  const std::vector<uint8_t> raw(20, 0x00);
  EXPECT_EQ(ToString(Parse(raw, LinkType::kRawIp)),
            "ip-header: the IP version at byte 0 is 0, not 4 or 6.");
}

}  // namespace
}  // namespace metaroce::frame
