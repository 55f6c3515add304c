// A host of a simulation: an endpoint, and what it tells that must wait until its call is over.
#ifndef METAROCE_MODEL_SIM_HOST_H_
#define METAROCE_MODEL_SIM_HOST_H_

#include <map>
#include <memory>
#include <vector>

#include "model/chooser.h"
#include "model/sim/simulation.h"

namespace metaroce::sim {

// An end of a flow: the flow's index and which end.
inline uint32_t EndOf(uint32_t flow, int end) { return 2 * flow + static_cast<uint32_t>(end); }

struct Simulation::Host : endpoint::Sink, endpoint::Memory, Chooser {
  // What the endpoint told.
  struct Told {
    enum What : uint8_t { kOpen, kDone, kFlushed, kReceived, kEnded };
    What what = kOpen;
    uint32_t cid = 0;
    endpoint::Ended ended;
  };

  Simulation* sim = nullptr;
  uint32_t index = 0;
  std::unique_ptr<endpoint::Endpoint> endpoint;
  endpoint::Step step;
  std::vector<uint32_t> end_of;           // by cid
  std::map<uint16_t, uint32_t> peers;     // where those of another host begin in `below`
  std::vector<frame::FlowHeaders> below;  // for each of them by plane and class
  std::vector<Told> told;
  Nanoseconds wake = kNever;  // a timer of the fabric is set for then
  bool placed = false;        // the packet that arrives brought something new
  bool to_serve = false;
  uint32_t ports = 0;             // of its own that are up
  std::vector<uint64_t> windows;  // unique bytes
  size_t window = 0;              // in which a packet arrived last
  Nanoseconds window_ends = 0;    // from the first work on

  const endpoint::Step& Now() {
    step.now = sim->now();
    return step;
  }
  uint32_t End(uint32_t cid) const { return cid < end_of.size() ? end_of[cid] : kNoFlow; }
  void SetEnd(uint32_t cid, uint32_t end) {
    if (cid >= end_of.size()) end_of.resize(cid + 1, kNoFlow);
    end_of[cid] = end;
  }

  const frame::FlowHeaders& Below(Flow& flow, uint32_t end, bool is_data,
                                  const endpoint::PacketOut& out);
  // Writes the bytes of a packet that leaves; `flow` may be null.
  void Write(const endpoint::PacketOut& out, Flow* flow, uint32_t packet);

  void OnPacket(uint32_t cid, const endpoint::PacketOut& out) override;
  void OnPlacement(uint32_t, uint64_t, packet::Bytes) override { placed = true; }
  void OnReceive(uint32_t cid, const endpoint::ReceiveDone& done) override {
    if (done.status == spec::CompletionStatus::kSuccess) told.push_back({Told::kReceived, cid, {}});
  }
  void OnWork(uint32_t cid, const endpoint::WorkDone& done) override {
    const bool success = done.status == spec::CompletionStatus::kSuccess;
    told.push_back({success ? Told::kDone : Told::kFlushed, cid, {}});
  }
  void OnOpen(uint32_t cid) override { told.push_back({Told::kOpen, cid, {}}); }
  void OnEnded(uint32_t cid, const endpoint::Ended& ended) override {
    told.push_back({Told::kEnded, cid, ended});
  }
  // A host with several ports uses the freedom `next-path`: of the paths that may take a packet,
  // the first in the order of the text whose port has none waiting. Of all else it takes the
  // default.
  uint64_t Place(spec::Choice choice, const Places& places) override;
  uint64_t Number(spec::Choice, const Numbers& numbers) override { return numbers.by_default(); }
  // All memory of all hosts holds the same pattern.
  packet::Bytes Read(uint64_t address, uint32_t length) override;
};

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_HOST_H_
