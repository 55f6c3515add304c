// Frames that others published, rebuilt from their field values, against the
// iCRC that was published with them: the one check of the CRC, of its byte order
// and of its masks that does not rest on this project's own reading.
#include <initializer_list>
#include <vector>

#include "gtest/gtest.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/bytes.h"
#include "model/wire/frame/frame.h"
#include "model/wire/frame/icrc.h"

namespace metaroce::frame {
namespace {

// The base transport header of RoCEv2 (IBTA volume 1, section 9.2).
struct Bth {
  uint8_t opcode;
  uint8_t pad_count;
  bool becn;
  uint32_t destination_qp;
  bool ack_request;
  uint32_t psn;
};

void Append(std::vector<uint8_t>& to, std::initializer_list<uint8_t> bytes) {
  to.insert(to.end(), bytes);
}

std::vector<uint8_t> Transport(const Bth& bth) {
  std::vector<uint8_t> bytes(12);
  bytes[0] = bth.opcode;
  bytes[1] = bth.pad_count << 4;
  StoreBe16(&bytes[2], 0xFFFF);  // the default partition key
  StoreBe32(&bytes[4], (bth.becn ? uint32_t{1} << 30 : 0) | bth.destination_qp);
  StoreBe32(&bytes[8], (bth.ack_request ? uint32_t{1} << 31 : 0) | bth.psn);
  return bytes;
}

// The frame with `published` as its last four bytes.
std::vector<uint8_t> WithIcrc(const FrameSpec& spec, std::vector<uint8_t> transport,
                              std::initializer_list<uint8_t> published) {
  Append(transport, published);
  return BuildFrame(spec, transport).value();
}

// Whether the iCRC in `bytes` is right, and whether StoreIcrc agrees about it.
bool PublishedIcrcIsRight(const std::vector<uint8_t>& bytes, LinkType link,
                          const FrameOptions& options = {}) {
  Frame frame;
  const FrameFault fault = ParseFrame(bytes, link, options, &frame);
  EXPECT_TRUE(fault.ok()) << ToString(fault);
  if (!fault.ok()) return false;
  const bool right = IcrcOk(frame, bytes, IcrcKind::kRoceV2);
  std::vector<uint8_t> stored = bytes;
  for (size_t i = 1; i <= kIcrcLength; ++i) stored[frame.end() - i] = 0xA5;
  EXPECT_TRUE(StoreIcrc(frame, absl::MakeSpan(stored), IcrcKind::kRoceV2));
  EXPECT_EQ(stored == bytes, right);
  return right;
}

// Origin: the tests of scapy's RoCE layer (secdev/scapy, test/contrib/roce.uts),
// a congestion notification packet captured from a ConnectX-4 Lx.
TEST(PublishedFrames, TheIcrcOfAHardwareCnpOverIpv4IsRight) {
  FrameSpec spec;
  spec.dst_mac = {{0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2}};
  spec.src_mac = {{0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32}};
  spec.src = IpAddress::V4({10, 0, 17, 1});
  spec.dst = IpAddress::V4({10, 0, 18, 1});
  spec.dscp = 48;
  spec.ecn = Ecn::kEct0;
  spec.identification = 0x718c;
  spec.src_port = 0;
  spec.dst_port = kRoceV2Port;
  std::vector<uint8_t> cnp = Transport({0x81, 0, true, 0x000118, false, 0});
  cnp.resize(cnp.size() + 16);  // the reserved field of a CNP
  const std::vector<uint8_t> bytes = WithIcrc(spec, cnp, {0x82, 0xfd, 0x00, 0x2a});
  EXPECT_EQ(LoadBe16(&bytes[24]), 0x9161) << "the IPv4 header checksum in the capture";
  EXPECT_TRUE(PublishedIcrcIsRight(bytes, LinkType::kEthernet));
}

// Origin of the IPv6 frames: the golden vectors of a PVRDMA RoCEv2 codec derived
// from gem5 (BSD-3-Clause). Two hosts, 2001:db8::1 and ::2.
FrameSpec Ipv6Spec(bool from_first) {
  FrameSpec spec;
  spec.src_mac = {{2, 0, 0, 0, 0, 1}};
  spec.dst_mac = {{2, 0, 0, 0, 0, 2}};
  spec.src = IpAddress::V6({0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  spec.dst = IpAddress::V6({0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2});
  if (!from_first) {
    std::swap(spec.src_mac, spec.dst_mac);
    std::swap(spec.src, spec.dst);
  }
  spec.dscp = 0x2a >> 2;
  spec.ecn = static_cast<Ecn>(0x2a & 3);
  spec.flow_label = 0x34567;
  spec.src_port = 0xc56a;
  spec.dst_port = kRoceV2Port;
  return spec;
}

TEST(PublishedFrames, TheIcrcOfAnIpv6SendWithOnePadByteAndAUdpChecksumIsRight) {
  FrameSpec spec = Ipv6Spec(true);
  spec.udp_checksum = 0x7f22;
  std::vector<uint8_t> send = Transport({0x04, 1, false, 0x010203, true, 0x112230});
  Append(send, {0xde, 0xad, 0xbe, 0x00});
  EXPECT_TRUE(
      PublishedIcrcIsRight(WithIcrc(spec, send, {0x9a, 0x3d, 0x6d, 0xbb}), LinkType::kEthernet));
}

TEST(PublishedFrames, TheIcrcOfAnIpv6SendWithThreePadBytesIsRight) {
  std::vector<uint8_t> send = Transport({0x02, 3, false, 0x010203, true, 0x112235});
  Append(send, {0xca, 0xfe, 0xba, 0xbe, 0x01, 0x00, 0x00, 0x00});
  EXPECT_TRUE(PublishedIcrcIsRight(WithIcrc(Ipv6Spec(true), send, {0xf8, 0x7d, 0xa8, 0xb2}),
                                   LinkType::kEthernet));
}

TEST(PublishedFrames, TheIcrcOfEveryIpv6AcknowledgementIsRight) {
  const struct {
    const char* kind;
    uint32_t psn;
    uint8_t syndrome;
    std::initializer_list<uint8_t> icrc;
  } acks[] = {
      {"ACK, credit 31", 0x112235, 0x1f, {0x5f, 0xa5, 0x1a, 0x5f}},
      {"RNR NAK, timer 25", 0x112233, 0x39, {0x1d, 0xa0, 0x03, 0x55}},
      {"NAK, PSN sequence error", 0x112234, 0x60, {0x25, 0x3c, 0x26, 0x51}},
      {"NAK, invalid request", 0x112235, 0x61, {0xf0, 0x72, 0xfa, 0xd4}},
      {"NAK, remote access error", 0x112235, 0x62, {0x1e, 0xdd, 0x4f, 0xc6}},
      {"NAK, remote operational error", 0x112235, 0x63, {0x7b, 0xba, 0xf3, 0x7e}},
  };
  for (const auto& ack : acks) {
    SCOPED_TRACE(ack.kind);
    std::vector<uint8_t> bytes = Transport({0x11, 0, false, 0x0a0b0c, false, ack.psn});
    Append(bytes, {ack.syndrome, 0x44, 0x55, 0x66});
    EXPECT_TRUE(
        PublishedIcrcIsRight(WithIcrc(Ipv6Spec(false), bytes, ack.icrc), LinkType::kEthernet));
  }
}

// Origin: a public write-up of tracing Linux' rxe (v6.8) on the loopback
// interface. It shows the IP header checksum as zero and an iCRC that is not that
// of the bytes shown.
TEST(PublishedFrames, TheIcrcOfTheSoftRoceSendIsWrongAndIsReportedSo) {
  FrameSpec spec;
  spec.ethernet = false;
  spec.src = spec.dst = IpAddress::V4({127, 0, 0, 1});
  spec.identification = 0x20dd;
  spec.src_port = 0xc462;
  spec.dst_port = kRoceV2Port;
  spec.wrong.ip_checksum = 0;
  std::vector<uint8_t> send = Transport({0x04, 0, false, 0x000021, true, 0x0793eb});
  send.insert(send.end(), 1024, 0x7b);
  const std::vector<uint8_t> bytes = WithIcrc(spec, send, {0x30, 0x0a, 0x0a, 0x5b});
  Frame frame;
  EXPECT_EQ(ParseFrame(bytes, LinkType::kRawIp, {}, &frame).reason, FrameReason::kIpChecksum);
  EXPECT_FALSE(PublishedIcrcIsRight(bytes, LinkType::kRawIp, {.check_ip_checksum = false}));
}

// Origin: scapy's tests as above, a RoCE v1 acknowledgement captured from hardware.
TEST(PublishedFrames, AHardwareRoceV1FrameIsNamedAsSuch) {
  FrameSpec spec;
  spec.wrong.ether_type = kEtherTypeRoceV1;
  const std::vector<uint8_t> bytes = BuildFrame(spec, std::vector<uint8_t>(32)).value();
  Frame frame;
  const FrameFault fault = ParseFrame(bytes, LinkType::kEthernet, {}, &frame);
  EXPECT_EQ(fault.reason, FrameReason::kNotIp);
  EXPECT_TRUE(fault.is_roce_v1());
  EXPECT_EQ(ToString(fault),
            "not-ip: the EtherType at byte 12 is 0x8915 (RoCE v1), not IPv4 (0x0800) or IPv6 "
            "(0x86dd).");
}

}  // namespace
}  // namespace metaroce::frame
