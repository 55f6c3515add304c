// A sender whose peer is played by hand: nothing that leaves arrives, and ACKs are made by the
// test.
#ifndef METAROCE_MODEL_TESTING_CRAFTED_H_
#define METAROCE_MODEL_TESTING_CRAFTED_H_

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {

class CraftedTest : public ::testing::Test {
 protected:
  struct SentData {
    uint8_t path = 0;
    uint32_t sequence = 0;
    uint32_t csn = 0;
    uint32_t time = 0;
    spec::Opcode opcode = spec::Opcode::kWrite;
    bool rtx = false;
    bool moved = false;
    bool ar = false;
  };

  // All paths are ACTIVE and nothing is in flight; from now on side 0 talks to nobody.
  void Make(uint32_t paths) {
    pair_ = std::make_unique<Pair>(Small(paths));
    ASSERT_TRUE(pair_->Open());
    for (uint64_t i = 0; i < 60; ++i) pair_->Post(0, Pair::Write(i, 0, 2560));
    ASSERT_TRUE(pair_->RunUntil(pair_->now() + 100000000,
                                [&] { return pair_->Quiescent() && c().active() == paths; }));
    pair_->Run(pair_->now() + 100000);
    work_before_ = pair_->log(0).work.size();
    serial_ = c().newest_serial.value();
    pair_->fate = [this](int from, const packet::Packet& p, Route) {
      if (from == 0 && spec::Info(p.opcode()).opcode_class == spec::OpcodeClass::kData) {
        const spec::Common& h = p.headers.common;
        sent_.push_back({h.path, h.number, p.headers.data.csn, h.transmit_time, p.opcode(), h.rtx,
                         h.moved, h.ar});
      }
      return Fate{.drop = true};
    };
  }

  // Side 0 sends a Write of `packets` packets, as far as it may, without the clock moving on.
  void Send(uint32_t packets) {
    pair_->Post(0, Pair::Write(1000 + sent_.size(), 0, 256 * packets));
    Drain();
  }
  void Drain() {
    while (endpoint().NextDue() <= pair_->now() && endpoint().Poll(pair_->step(0))) {
    }
  }
  void Wait(Nanoseconds time) { pair_->Run(pair_->now() + time); }

  // A block of a path: all below `base` were received, and those of `received`.
  spec::PathBlock Block(uint8_t path, uint32_t base, const std::vector<uint32_t>& received,
                        uint32_t echo) {
    spec::PathBlock block{};
    block.path = path;
    block.epoch = c().out[path].epoch;
    block.base = base;
    block.bitmap_code = static_cast<uint8_t>(spec::BitmapLength::kBits256);
    for (uint32_t s : received) block.bitmap[(s - base) / 64] |= uint64_t{1} << ((s - base) % 64);
    block.echo = echo;
    block.arrivals = x(path).arrivals;
    block.ce = x(path).ce;
    block.duplicates = x(path).duplicates;
    return block;
  }
  packet::Packet Ack(const std::vector<spec::PathBlock>& blocks) {
    packet::Packet ack = packet::NewPacket(spec::Opcode::kAck);
    ack.headers.common.cid = pair_->cid(0);
    ack.headers.common.path = blocks[0].path;
    ack.headers.common.epoch = blocks[0].epoch;
    ack.headers.common.number = ++serial_;
    ack.headers.ack.csn = c().sent.cumulative().value();
    ack.headers.ack.right_edge = c().peer_edge.value();
    ack.headers.ack.credit = c().outbound.credit().value();
    ack.headers.ack.hint = UINT16_MAX;
    ack.headers.ack.blocks = static_cast<uint8_t>(blocks.size());
    for (size_t i = 0; i < blocks.size(); ++i) ack.headers.path_block[i] = blocks[i];
    return ack;
  }
  // It arrives, and what follows at once is sent.
  void Arrives(const packet::Packet& packet) {
    pair_->Arrives(0, packet, c().out[0].route);
    Drain();
  }
  void Arrives(const std::vector<spec::PathBlock>& blocks) { Arrives(Ack(blocks)); }

  // Retransmissions of the DATA packet that was sent as number i.
  uint32_t Copies(size_t i) const {
    uint32_t copies = 0;
    for (const SentData& s : sent_) {
      copies += s.rtx && s.path == sent_[i].path && s.sequence == sent_[i].sequence;
    }
    return copies;
  }
  size_t Completed() const { return pair_->log(0).work.size() - work_before_; }
  uint64_t Count(spec::Counter counter) { return endpoint().Count(counter); }
  Endpoint& endpoint() { return pair_->at(0); }
  endpoint::Connection& c() { return *endpoint().state().connections[0]; }
  SendContext& x(uint8_t path) { return *c().out[path].context; }

  std::unique_ptr<Pair> pair_;
  std::vector<SentData> sent_;
  uint32_t serial_ = 0;
  size_t work_before_ = 0;
};

}  // namespace metaroce::testing

#endif  // METAROCE_MODEL_TESTING_CRAFTED_H_
