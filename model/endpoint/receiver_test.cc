#include "model/endpoint/receiver.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace metaroce {
namespace {

using packet::Packet;
using spec::Opcode;
using spec::Reason;

constexpr uint32_t kCid = 7;
constexpr uint64_t kMemory = 0x10000;
constexpr uint32_t kRkey = 0x77;

ConnectionSetup TestSetup() {
  ConnectionSetup setup;
  setup.local_ip = frame::IpAddress::V4({192, 0, 2, 2});
  setup.peer_ip = frame::IpAddress::V4({192, 0, 2, 1});
  setup.tag = 0xABCD;
  for (spec::Connect* body : {&setup.local, &setup.peer}) {
    body->mtu = 256;
    body->range = 4096;
    body->streams = 4;
    body->open_messages = 4;
    body->reads = 4;
    body->paths = 4;
    body->planes = 1;
    body->hint_unit = 16;
  }
  setup.local.cid = kCid;
  setup.peer.cid = 9;
  setup.peer.start_sequence = 0xFFFFFFFE;
  setup.peer.start_csn = 0xFFFFFFFF;
  return setup;
}

class ReceiverTest : public testing::Test {
 protected:
  ReceiverTest() {
    EXPECT_TRUE(receiver_.Open(TestSetup()).ok());
    connection().regions.push_back({kMemory, 4096, kRkey, kRemoteWrite, true});
  }

  Connection& connection() { return *receiver_.Find(kCid); }

  // A WRITE of one packet, the n-th of the connection and of path 0.
  Packet Write(uint32_t n) {
    payload_.assign(16, static_cast<uint8_t>(n + 1));
    Packet p = packet::NewPacket(Opcode::kWrite);
    p.headers.common.cid = kCid;
    p.headers.common.number = TestSetup().peer.start_sequence + n;
    p.headers.data.csn = TestSetup().peer.start_csn + n;
    p.headers.data.msn = n;
    p.headers.data.length = 16;
    p.headers.write_target = {kMemory + 16 * n, kRkey};
    p.payload = payload_;
    return p;
  }

  void Arrive(const Packet& p, Nanoseconds now) {
    frame::FrameSpec spec = packet::DefaultFrame(p.opcode(), 50000, false);
    spec.src = TestSetup().peer_ip;
    spec.dst = TestSetup().local_ip;
    Packet stamped = p;
    stamped.headers.common.transmit_time = static_cast<uint32_t>(now);
    receiver_.Arrive(*packet::Serialize(stamped, spec), 0, now, &outcome_);
  }

  std::vector<Placement> Placements() const {
    std::vector<Placement> all;
    for (const Event& e : outcome_) {
      if (const auto* p = std::get_if<Placement>(&e.what)) all.push_back(*p);
    }
    return all;
  }

  // The packets that left since the last call; their bytes stay in outcome_.
  std::vector<Packet> Left() {
    std::vector<Packet> all;
    for (; seen_ < outcome_.size(); ++seen_) {
      const auto* f = std::get_if<FrameOut>(&outcome_[seen_].what);
      if (f == nullptr) continue;
      Packet p;
      EXPECT_TRUE(packet::Parse(f->bytes, packet::ParseOptions(), &p).ok());
      EXPECT_EQ(p.frame.src_port, 50000);
      all.push_back(p);
    }
    return all;
  }

  Receiver receiver_;
  Outcome outcome_;
  size_t seen_ = 0;
  std::vector<uint8_t> payload_;
};

TEST_F(ReceiverTest, APacketIsPlacedAtOnceAndAcknowledgedWithinTheDelay) {
  Arrive(Write(0), 100);
  ASSERT_EQ(Placements().size(), 1u);
  EXPECT_EQ(Placements()[0].address, kMemory);
  EXPECT_EQ(Placements()[0].data, std::vector<uint8_t>(16, 1));
  EXPECT_EQ(receiver_.NextDue(), 8100);
  receiver_.Poll(8099, &outcome_);
  EXPECT_TRUE(Left().empty());
  receiver_.Poll(8100, &outcome_);
  const std::vector<Packet> acks = Left();
  ASSERT_EQ(acks.size(), 1u);
  EXPECT_EQ(acks[0].opcode(), Opcode::kAck);
  EXPECT_EQ(acks[0].headers.common.cid, 9u);
  EXPECT_EQ(acks[0].headers.ack.csn, 0u);  // one past the wrap
  EXPECT_EQ(acks[0].headers.path_block[0].base, 0xFFFFFFFFu);
  EXPECT_EQ(acks[0].headers.path_block[0].echo, 100u);
  EXPECT_EQ(acks[0].headers.path_block[0].hold, 8000u);
}

TEST_F(ReceiverTest, AHoleAcrossTheWrapIsReportedAtOnce) {
  Arrive(Write(0), 100);
  Arrive(Write(2), 200);
  EXPECT_EQ(receiver_.NextDue(), 200);
  receiver_.Poll(200, &outcome_);
  const std::vector<Packet> acks = Left();
  ASSERT_EQ(acks.size(), 1u);
  EXPECT_EQ(acks[0].headers.path_block[0].base, 0xFFFFFFFFu);
  EXPECT_EQ(acks[0].headers.path_block[0].bitmap[0], 2u);
  EXPECT_EQ(Placements().size(), 2u);
}

TEST_F(ReceiverTest, ADuplicateIsAcknowledgedAtOnceAndNeitherPlacedNorCheckedForAccess) {
  Arrive(Write(0), 100);
  connection().regions.clear();  // the key is gone
  Arrive(Write(0), 300);
  EXPECT_EQ(Placements().size(), 1u);
  EXPECT_EQ(receiver_.NextDue(), 300);
  receiver_.Poll(300, &outcome_);
  EXPECT_EQ(Left().at(0).headers.path_block[0].duplicates, 1);
  EXPECT_EQ(receiver_.Count(Reason::kPathDuplicate), 1u);
}

TEST_F(ReceiverTest, APacketBeyondTheWindowIsAcknowledgedAndNeverRefused) {
  Packet p = Write(0);
  p.headers.common.number += 256;
  Arrive(p, 100);
  receiver_.Poll(100, &outcome_);
  const std::vector<Packet> left = Left();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].opcode(), Opcode::kAck);
  EXPECT_EQ(left[0].headers.path_block[0].arrivals, 0);
  EXPECT_EQ(left[0].headers.path_block[0].hold, UINT32_MAX);
}

TEST_F(ReceiverTest, AnAddressThatWrapsIsRefusedOnceAndTheNackIsRepeatedWithinItsRate) {
  connection().regions = {{0xFFFFFFFFFFFFFC00, 0x400, kRkey, kRemoteWrite, true}};
  Packet p = Write(0);
  p.headers.write_target.address = 0xFFFFFFFFFFFFFFF8;
  Arrive(p, 100);
  const std::vector<Packet> left = Left();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].opcode(), Opcode::kNackRemoteAccess);
  EXPECT_EQ(left[0].headers.nack_request.reason, static_cast<uint8_t>(Reason::kAccessBounds));
  EXPECT_EQ(left[0].headers.ctrl.tag, 0xABCDu);
  EXPECT_TRUE(Placements().empty());
  Arrive(p, 200);
  EXPECT_TRUE(Left().empty());
  Arrive(p, 100100);
  EXPECT_EQ(Left().size(), 1u);
}

TEST_F(ReceiverTest, ASendIsPlacedInTheReceiveItNamesAlthoughEarlierMessagesAreMissing) {
  connection().receives.Post({.id = 1, .address = 0x9000, .length = 64});
  connection().receives.Post({.id = 2, .address = 0xA000, .length = 64});
  payload_.assign(5, 0xEE);
  Packet p = packet::NewPacket(Opcode::kSendWithImmediate);
  p.headers = Write(1).headers;
  payload_.assign(5, 0xEE);
  p.headers.common.opcode = static_cast<uint8_t>(Opcode::kSendWithImmediate);
  p.headers.data.length = 5;
  p.headers.send_match.receive_index = 1;
  p.headers.immediate.value = 0x80000001;
  p.payload = payload_;
  Arrive(p, 100);
  ASSERT_EQ(Placements().size(), 1u);
  EXPECT_EQ(Placements()[0].address, 0xA000u);
  for (const Event& e : outcome_) EXPECT_FALSE(std::holds_alternative<ReceiveCompletion>(e.what));
  Arrive(Write(0), 200);
  ReceiveCompletion completion;
  for (const Event& e : outcome_) {
    if (const auto* c = std::get_if<ReceiveCompletion>(&e.what)) completion = *c;
  }
  EXPECT_EQ(completion.id, 2u);
  EXPECT_EQ(completion.length, 5u);
  EXPECT_EQ(completion.immediate, 0x80000001u);
}

TEST_F(ReceiverTest, AProbeOfTheSecondAttemptIsAnsweredByTheOtherPathToo) {
  connection().OpenPath(2, 5, PathSeq(40));
  Packet other = Write(0);
  other.headers.common.path = 2;
  other.headers.common.epoch = 5;
  other.headers.common.number = 40;
  Arrive(other, 100);
  Packet probe = packet::NewPacket(Opcode::kProbe);
  probe.headers.common.cid = kCid;
  probe.headers.ctrl.tag = TestSetup().tag;
  probe.headers.probe.reason = static_cast<uint8_t>(spec::ProbeReason::kTail);
  probe.headers.probe.attempt = 2;
  Arrive(probe, 200);
  receiver_.Poll(200, &outcome_);
  const std::vector<Packet> acks = Left();
  ASSERT_EQ(acks.size(), 2u);
  EXPECT_EQ(acks[0].headers.ack.blocks, 1);
  EXPECT_EQ(acks[0].headers.path_block[0].path, 0);
  EXPECT_EQ(acks[1].headers.ack.blocks, 2);
  EXPECT_EQ(acks[1].headers.path_block[0].path, 2);
  EXPECT_EQ(acks[1].headers.path_block[1].path, 0);
  EXPECT_EQ(acks[1].headers.path_block[1].echo, 200u);
}

TEST_F(ReceiverTest, AnEpochThatIsNotOpenIsAnsweredWithTheCurrentOneWithinItsRate) {
  Packet p = Write(0);
  p.headers.common.epoch = 3;
  Arrive(p, 100);
  Arrive(p, 101);
  const std::vector<Packet> left = Left();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].opcode(), Opcode::kNackBadEpoch);
  EXPECT_EQ(left[0].headers.nack_epoch.epoch, 3);
  EXPECT_TRUE(left[0].headers.nack_epoch.has_current);
  EXPECT_EQ(left[0].headers.nack_epoch.current_epoch, 0);
}

TEST_F(ReceiverTest, AStrangerIsDroppedAndAPacketOfNoConnectionIsToldSo) {
  Packet p = Write(0);
  p.headers.common.cid = 1234;
  Arrive(p, 100);
  const std::vector<Packet> left = Left();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].opcode(), Opcode::kNackBadConnection);
  EXPECT_EQ(left[0].headers.common.cid, 0u);
  EXPECT_EQ(left[0].headers.nack_connection.cid, 1234u);
  EXPECT_EQ(left[0].headers.nack_connection.transmit_time, 100u);
}

}  // namespace
}  // namespace metaroce
