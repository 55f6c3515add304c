// Properties of ParseFrame and the builder over random frames.
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/fast_path.h"
#include "model/wire/frame/frame.h"
#include "model/wire/frame/generators.h"
#include "rapidcheck/gtest.h"

namespace metaroce::frame {
namespace {

constexpr LinkType kLinks[] = {LinkType::kEthernet, LinkType::kRawIp, LinkType::kIpv4,
                               LinkType::kIpv6};

// A Frame whose every byte is set, to see what was written.
Frame Marked() {
  Frame frame;
  std::memset(static_cast<void*>(&frame), 0xA5, sizeof(frame));
  return frame;
}

bool SameBytes(const Frame& a, const Frame& b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

// Builds the headers of `frame` again and compares them with `bytes`.
void ExpectRebuilds(const Frame& frame, Bytes bytes) {
  const std::vector<uint8_t> rebuilt =
      BuildFrame(SpecOf(frame, bytes), Payload(frame, bytes)).value();
  RC_ASSERT(rebuilt == std::vector<uint8_t>(bytes.begin(), bytes.begin() + frame.end()));
}

void ExpectTotal(const std::vector<uint8_t>& bytes, LinkType link, const FrameOptions& options) {
  Frame frame = Marked();
  const FrameFault fault = ParseFrame(bytes, link, options, &frame);
  if (fault.ok()) {
    RC_ASSERT(frame.link == link);
    RC_ASSERT(frame.end() <= bytes.size());
    ExpectRebuilds(frame, bytes);
  } else {
    RC_ASSERT(SameBytes(frame, Marked()));
    RC_ASSERT(!ToString(fault).empty());
  }
  Frame usual = Marked();
  if (ParseUsualIpv4(bytes, link, options, &usual) || ParseUsualIpv6(bytes, link, &usual)) {
    RC_ASSERT(fault.ok());
    ExpectRebuilds(usual, bytes);
  } else {
    RC_ASSERT(SameBytes(usual, Marked()));
  }
}

FrameOptions AnyOptions() { return {.check_ip_checksum = *rc::gen::arbitrary<bool>()}; }

RC_GTEST_PROP(ParseFrame, ParsesWhatWasBuiltToTheSameFields, ()) {
  const FrameSpec spec = AnySpec();
  std::vector<uint8_t> bytes = BuildFrame(spec, AnyBytes(0, 100)).value();
  const size_t end = bytes.size();
  for (uint8_t pad : AnyBytes(0, 20)) bytes.push_back(pad);
  Frame frame;
  const FrameFault fault = ParseFrame(bytes, LinkOf(spec), {}, &frame);
  RC_ASSERT(fault.ok());
  RC_ASSERT(frame.end() == end);
  RC_ASSERT(frame.payload_offset == HeadersLength(spec));
  RC_ASSERT(frame.vlan_count == spec.vlan_count);
  RC_ASSERT(frame.vlans == spec.vlans);
  RC_ASSERT(SourceMac(frame, bytes) == spec.src_mac);
  RC_ASSERT(DestinationMac(frame, bytes) == spec.dst_mac);
  RC_ASSERT(SourceAddress(frame, bytes) == spec.src);
  RC_ASSERT(DestinationAddress(frame, bytes) == spec.dst);
  RC_ASSERT(frame.dscp() == spec.dscp);
  RC_ASSERT(frame.ecn() == spec.ecn);
  RC_ASSERT(frame.ttl == spec.ttl);
  RC_ASSERT(frame.flow_label == spec.flow_label);
  RC_ASSERT(frame.identification == spec.identification);
  RC_ASSERT(frame.dont_fragment == spec.dont_fragment);
  RC_ASSERT(frame.reserved_ip_flag == spec.reserved_ip_flag);
  RC_ASSERT(Ipv4OptionBytes(frame, bytes) == (spec.src.is_v4() ? spec.options.bytes() : Bytes()));
  RC_ASSERT(frame.src_port == spec.src_port);
  RC_ASSERT(frame.dst_port == spec.dst_port);
  RC_ASSERT(frame.udp_checksum == spec.udp_checksum);
  ExpectTotal(bytes, LinkOf(spec), {});
}

RC_GTEST_PROP(ParseFrame, IsTotalOverRandomBytes, ()) {
  const std::vector<uint8_t> bytes = AnyBytes(0, 120);
  for (LinkType link : kLinks) ExpectTotal(bytes, link, AnyOptions());
}

RC_GTEST_PROP(ParseFrame, IsTotalOverDamagedFrames, ()) {
  FrameSpec spec = AnySpec();
  std::vector<uint8_t> bytes = BuildFrame(spec, AnyBytes(0, 40)).value();
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    bytes[*rc::gen::inRange<size_t>(0, bytes.size())] = AnyNumber<uint8_t>();
  }
  bytes.resize(*rc::gen::inRange<size_t>(0, bytes.size() + 8));
  ExpectTotal(bytes, LinkOf(spec), AnyOptions());
}

RC_GTEST_PROP(WriteHeaders, NeedsExactlyHeadersLengthAndWritesNoMore, ()) {
  const FrameSpec spec = AnySpec();
  const size_t length = HeadersLength(spec);
  RC_ASSERT(length <= kMaxHeadersLength);
  std::vector<uint8_t> out(length + 1, 0xA5);
  RC_ASSERT(WriteHeaders(spec, 10, absl::MakeSpan(out).subspan(0, length - 1)) == 0u);
  RC_ASSERT(out == std::vector<uint8_t>(length + 1, 0xA5));
  RC_ASSERT(WriteHeaders(spec, 10, absl::MakeSpan(out)) == length);
  RC_ASSERT(out.back() == 0xA5);
}

RC_GTEST_PROP(WriteHeaders, WritesTheSameFromHeadersThatWereWrittenOnce, ()) {
  Flow flow = AnySpec();
  if (*rc::gen::inRange(0, 8) == 0) flow.dscp = 64;  // cannot be written
  FlowHeaders headers(flow);
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      flow.src_port = AnyNumber<uint16_t>();
      flow.flow_label = flow.src.is_v4() ? 0 : flow.src_port;
      headers.SetEntropy(flow.src_port);
    }
    const size_t payload = *rc::gen::inRange<size_t>(0, 65535);
    std::vector<uint8_t> wanted(kMaxHeadersLength, 0xA5);
    std::vector<uint8_t> written(kMaxHeadersLength, 0xA5);
    const size_t length = WriteHeaders(flow, payload, absl::MakeSpan(wanted));
    RC_ASSERT(WriteHeaders(headers, payload, absl::MakeSpan(written)) == length);
    RC_ASSERT(written == wanted);
    if (length == 0) continue;
    RC_ASSERT(WriteHeaders(headers, payload, absl::MakeSpan(written).first(length - 1)) == 0u);
  }
}

TEST(BuildFrame, RefusesInASentenceWhatTheHeadersCannotSay) {
  const auto error = [](void (*apply)(FrameSpec&), size_t payload = 0) {
    FrameSpec spec;
    apply(spec);
    EXPECT_EQ(WriteHeaders(spec, payload, absl::MakeSpan(std::vector<uint8_t>(200).data(), 200)),
              0u);
    return std::string(BuildFrame(spec, std::vector<uint8_t>(payload)).status().message());
  };
  EXPECT_EQ(error([](FrameSpec& s) { s.src = IpAddress::V6({}); }),
            "The source address :: and the destination address 0.0.0.0 are not of one IP version.");
  EXPECT_EQ(error([](FrameSpec& s) { s.vlan_count = 3; }),
            "The number of VLAN tags, 3, is greater than 2.");
  EXPECT_EQ(error([](FrameSpec& s) { s.dscp = 64; }), "The DSCP, 64, is greater than 63.");
  EXPECT_EQ(error([](FrameSpec& s) { s.ecn = static_cast<Ecn>(4); }),
            "The ECN code point, 4, is greater than 3.");
  EXPECT_EQ(error([](FrameSpec& s) { s.flow_label = 0x100000; }),
            "The flow label, 1048576, is greater than 1048575.");
  EXPECT_EQ(error([](FrameSpec& s) { s.wrong.ip_version = 16; }),
            "The overriding IP version, 16, is greater than 15.");
  EXPECT_EQ(error([](FrameSpec& s) { s.wrong.ihl = 16; }),
            "The overriding IHL, 16, is greater than 15.");
  EXPECT_EQ(error([](FrameSpec&) {}, 65508), "The IP length, 65536, is greater than 65535.");
  EXPECT_EQ(error([](FrameSpec&) {}, 65536),
            "The UDP payload length, 65536, is greater than 65535.");
  EXPECT_EQ(Ipv4Options::Of(std::vector<uint8_t>(41)).status().message(),
            "IPv4 options of 41 bytes are longer than 40.");
}

TEST(BuildFrame, BuildsTheLongestFrames) {
  for (bool v4 : {true, false}) {
    FrameSpec spec;
    if (!v4) spec.src = spec.dst = IpAddress::V6({});
    const size_t longest = v4 ? 65507 : 65527;
    const std::vector<uint8_t> bytes = BuildFrame(spec, std::vector<uint8_t>(longest)).value();
    Frame frame;
    ASSERT_TRUE(ParseFrame(bytes, LinkType::kEthernet, {}, &frame).ok());
    EXPECT_EQ(frame.payload_length, longest);
    EXPECT_EQ(frame.end(), bytes.size());
    EXPECT_FALSE(BuildFrame(spec, std::vector<uint8_t>(longest + 1)).ok());
  }
}

TEST(IpAddress, ReadsAndPrintsBothVersionsAndRefusesTheRest) {
  for (const char* text : {"0.0.0.0", "255.1.2.3", "::", "2001:db8::1", "fe80::1:2:3:4"}) {
    EXPECT_EQ(IpAddress::Parse(text).value().ToString(), text);
  }
  for (absl::string_view text : {"", "1.2.3", "1.2.3.256", "::1::", "::1%eth0", "10.0.0.1 "}) {
    EXPECT_FALSE(IpAddress::Parse(text).ok()) << text;
  }
  EXPECT_FALSE(IpAddress::Parse(absl::string_view("::1\0x", 5)).ok());
  EXPECT_EQ((MacAddress{{0, 1, 0xAB, 3, 4, 0xFF}}).ToString(), "00:01:ab:03:04:ff");
}

}  // namespace
}  // namespace metaroce::frame
