#include "conformance/duts/lagging/lagging_dut.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "model/wire/frame/builder.h"
#include "model/wire/packet/packet.h"
#include "spec/tables.h"

namespace metaroce::conformance {
namespace {

using packet::Packet;

// A frame with another packet inside, right in all that follows from it; as it is if it holds none.
std::string Changed(const std::string& frame, uint16_t udp_port,
                    const std::function<void(Packet*)>& change) {
  const packet::Bytes bytes(reinterpret_cast<const uint8_t*>(frame.data()), frame.size());
  packet::ParseOptions options;
  options.udp_port = udp_port;
  Packet p;
  if (!packet::Parse(bytes, options, &p).ok()) return frame;
  const frame::FrameSpec spec = frame::SpecOf(p.frame, bytes);
  change(&p);
  const auto changed = packet::Serialize(p, spec);
  if (!changed.ok()) return frame;
  return std::string(changed->begin(), changed->end());
}

bool IsAnswer(const Packet& p) {
  const auto& headers = p.info().headers;
  return std::find(headers.begin(), headers.end(), spec::Layout::kAnswer) != headers.end();
}

// `hold` saturates (WIRE-ANSWER-TIME, ACK-HOLD).
void Hold(uint32_t* hold, uint32_t longer) {
  *hold = static_cast<uint32_t>(std::min<uint64_t>(uint64_t{*hold} + longer, UINT32_MAX));
}

}  // namespace

void LaggingDut::Reset(const dut::Reset& reset) {
  waiting_.clear();
  endpoint_ = reset.level() == "endpoint";
  udp_port_ = spec::constant::kUdpPort;
  for (const dut::Field& field : reset.config()) {
    if (field.name() == "udp_port") udp_port_ = static_cast<uint16_t>(field.number());
  }
}

// The model sent by its own clock, at once. What comes back speaks of the clock of the device, and
// of packets that were under way a lag less than the model believes.
void LaggingDut::Arrives(std::string* frame) const {
  const uint32_t ahead = lag_ + skew_;
  *frame = Changed(*frame, udp_port_, [&](Packet* p) {
    if (IsAnswer(*p)) {
      p->headers.answer.echo -= ahead;
      Hold(&p->headers.answer.hold, ahead);
    }
    for (size_t i = 0; i < p->path_blocks().size(); ++i) {
      spec::PathBlock& block = p->headers.path_block[i];
      // Without an echo both are what they are (ACK-ECHO).
      if (block.hold == UINT32_MAX) continue;
      block.echo -= ahead;
      Hold(&block.hold, ahead);
    }
  });
}

std::string LaggingDut::Leaves(const std::string& frame) const {
  return Changed(frame, udp_port_, [&](Packet* p) {
    p->headers.common.transmit_time += lag_ + skew_;
    if (IsAnswer(*p)) Hold(&p->headers.answer.hold, lag_);
    for (size_t i = 0; i < p->path_blocks().size(); ++i) {
      Hold(&p->headers.path_block[i].hold, lag_);
    }
  });
}

// Keeps packets back by the lag; all else happened when it happened.
void LaggingDut::Delay(uint64_t until, dut::Done* done) {
  dut::Done now;
  const auto leave = [&](uint64_t by) {
    for (; !waiting_.empty() && waiting_.front().at_ns() <= by; waiting_.pop_front()) {
      *now.add_event() = std::move(waiting_.front());
    }
  };
  for (dut::Event& event : *done->mutable_event()) {
    leave(event.at_ns());
    if (!event.has_packet()) {
      *now.add_event() = std::move(event);
      continue;
    }
    event.set_at_ns(event.at_ns() + lag_);
    event.mutable_packet()->set_frame(Leaves(event.packet().frame()));
    waiting_.push_back(std::move(event));
  }
  leave(until);
  done->Swap(&now);
}

void LaggingDut::Handle(const dut::Request& request, dut::Answer* answer) {
  dut::Request given = request;
  if (request.has_reset()) Reset(request.reset());
  if (endpoint_ && request.apply().has_arrive()) {
    Arrives(given.mutable_apply()->mutable_arrive()->mutable_frame());
  }
  model_.Handle(given, answer);
  if (answer->has_hello()) {
    answer->mutable_hello()->set_name("metaroce reference model behind a lag");
    // The default of ack-moment is 0.
    auto* capabilities = answer->mutable_hello()->mutable_capability();
    capabilities->erase(
        std::remove(capabilities->begin(), capabilities->end(), "default-ack-generation"),
        capabilities->end());
    for (dut::Field& field : *answer->mutable_hello()->mutable_profile()) {
      if (field.name() == "react_max" || field.name() == "ack_max") field.set_number(lag_);
      if (field.name() == "stamp_max") field.set_number(skew_);
    }
  }
  if (endpoint_ && answer->has_done() && (request.has_apply() || request.has_advance())) {
    Delay(request.has_apply() ? request.apply().at_ns() : request.advance().to_ns(),
          answer->mutable_done());
  }
}

}  // namespace metaroce::conformance
