// One receiver and several hosts that send to it: when each is told its share (section 8.10).
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <vector>

#include "model/endpoint/endpoint.h"
#include "model/profile.h"

namespace metaroce::testing {
namespace {

using endpoint::Endpoint;

// The receiver has 100 Gb/s. Connection i, from 1 on, comes from host i, in units of 16 Mb/s.
class HintsTest : public ::testing::Test, endpoint::Sink {
 protected:
  struct Ack {
    Nanoseconds at = 0;
    uint32_t cid = 0;  // the receiver's
    uint8_t path = 0;
    uint16_t hint = 0;
    bool operator==(const Ack&) const = default;
  };

  void SetUp() override {
    endpoint::Settings settings;
    settings.windows.kind = congestion::Kind::kFixed;
    settings.hint = true;
    ASSERT_TRUE(settings.profile.Set("handshake_rtt", 10000).ok());
    settings.port_rates = endpoint::EveryPort(100000);
    settings.ports[0].ip = frame::IpAddress::V4({10, 0, 0, 200});
    absl::StatusOr<Endpoint> made = Endpoint::Make(settings);
    ASSERT_TRUE(made.ok()) << made.status();
    endpoint_.emplace(*std::move(made));
  }
  static endpoint::Port Host(uint8_t i) {
    endpoint::Port port;
    port.ip = frame::IpAddress::V4({10, 0, 0, i});
    return port;
  }
  void Open(uint8_t i, uint8_t host) {
    spec::Connect local{};
    local.cid = i;
    local.range = 4096;
    local.mtu = 1024;
    local.streams = local.open_messages = local.reads = 16;
    local.paths = 4;
    local.planes = 1;
    local.hint_unit = 16;
    local.features = static_cast<uint16_t>(spec::Feature::kHint);
    spec::Connect peer = local;
    peer.cid = 100 + i;
    ASSERT_TRUE(endpoint_->Establish(i, local, peer, {Host(host)}, {50000, 0}, step()).ok());
    ASSERT_TRUE(endpoint_->OpenPath(i, 1, 0, PathSeq(0), step()).ok());
    host_[i] = host;
  }
  endpoint::Step step() {
    endpoint::Step step;
    step.now = now_;
    step.sink = this;
    return step;
  }
  // Until `now`, what falls due then too.
  void Run(Nanoseconds now) {
    while (endpoint_->NextDue() <= now) {
      now_ = std::max(now_, endpoint_->NextDue());
      endpoint_->Poll(step());
    }
    now_ = now;
  }
  // A packet of host i's connection arrives in the nanosecond `now`.
  void Data(Nanoseconds now, uint8_t i, uint8_t path = 0) {
    Run(now - 1);
    now_ = now;
    packet::Packet p = packet::NewPacket(spec::Opcode::kWrite);
    p.headers.common.cid = i;
    p.headers.common.path = path;
    p.headers.common.number = sequence_[i * 10 + path]++;
    p.headers.data.csn = csn_[i];
    p.headers.data.msn = csn_[i]++;
    endpoint::Arrival arrival;
    arrival.from = Host(host_[i]).ip;
    arrival.route = {50000, 0};
    endpoint_->ArrivePacket(p, arrival, step());
  }
  void OnPacket(uint32_t cid, const endpoint::PacketOut& out) override {
    if (out.packet.opcode() != spec::Opcode::kAck) return;
    acks_.push_back({now_, cid, out.packet.headers.common.path, out.packet.headers.ack.hint});
  }

  std::optional<Endpoint> endpoint_;
  Nanoseconds now_ = 0;
  std::map<int, uint8_t> host_;
  std::map<int, uint32_t> sequence_;
  std::map<int, uint32_t> csn_;
  std::vector<Ack> acks_;
};

constexpr uint16_t kAll = UINT16_MAX;
constexpr uint16_t kHalf = 2968;   // 95,000 / 2 / 16
constexpr uint16_t kThird = 1979;  // 95,000 / 3 / 16

//= HINT-TELL
//# A connection that becomes active arms it for `hint_tell_delay` later, unless it runs.
//= HINT-TELL
//# When it expires, the steps of [HINT-VALUE] are taken, and of each active connection whose hint,
//# as an ACK would carry it now, is less than fifteen sixteenths of the hint of its latest ACK, an
//# ACK is due at once
TEST_F(HintsTest, WhoseShareFellIsToldBeforeTheNextAckIsDue) {
  for (uint8_t i = 1; i <= 3; ++i) Open(i, i);
  Data(1000, 1);
  Data(1500, 2);
  Data(3500, 3);
  Run(20000);
  // The first two 2 us after the first; the third, and those whose share it takes, 2 us after it.
  // Nobody waits for the end of `ack_delay_max`, and nobody is told twice.
  EXPECT_EQ(acks_, (std::vector<Ack>{{3000, 1, 0, kHalf},
                                     {3000, 2, 0, kHalf},
                                     {5500, 1, 0, kThird},
                                     {5500, 2, 0, kThird},
                                     {5500, 3, 0, kThird}}));
}

//= HINT-TELL
//# of the receive path that had the latest arrival, of several such the one with the lowest id.
TEST_F(HintsTest, ThePathOfTheLatestArrivalTells) {
  Open(1, 1);
  Open(2, 2);
  Data(1000, 1, 1);
  Data(1001, 1, 0);
  Data(1002, 1, 1);
  Data(1500, 2, 1);
  Data(1500, 2, 0);
  Run(3000);
  EXPECT_EQ(acks_, (std::vector<Ack>{{3000, 1, 1, kHalf}, {3000, 2, 0, kHalf}}));
}

TEST_F(HintsTest, ConnectionsOfOneHostAreNotTold) {
  Open(1, 1);
  Open(2, 1);
  Data(1000, 1);
  Data(1500, 2);
  Run(20000);
  EXPECT_EQ(acks_, (std::vector<Ack>{{9000, 1, 0, kAll}, {9500, 2, 0, kAll}}));
}

//= HINT-TELL
//# It stops when the connection that armed it leaves the state OPEN.
TEST_F(HintsTest, TheTimerEndsWithTheConnectionThatArmedIt) {
  for (uint8_t i = 1; i <= 3; ++i) Open(i, i);
  Data(1000, 1);
  Data(1500, 2);
  ASSERT_TRUE(endpoint_->Close(1, step()).ok());
  Run(3400);
  EXPECT_TRUE(acks_.empty());
  // The next one arms it again.
  Data(3500, 3);
  Run(5500);
  EXPECT_EQ(acks_, (std::vector<Ack>{{5500, 2, 0, kHalf}, {5500, 3, 0, kHalf}}));
}

//= HINT-TELL
//# As long as a connection has sent no ACK since it became active, all ones stands for the hint of
//# its latest ACK.
TEST_F(HintsTest, WhoWasSilentIsToldAnew) {
  Open(1, 1);
  Open(2, 2);
  Data(1000, 1);
  Data(1500, 2);
  Run(50000);
  Data(55000, 1);
  Run(64000);  // its ACK left while the other was active
  acks_.clear();
  Data(70000, 2);  // active anew, and the share is the old one
  Run(72000);
  EXPECT_EQ(acks_, (std::vector<Ack>{{72000, 2, 0, kHalf}}));
}

}  // namespace
}  // namespace metaroce::testing
