// A fabric with nothing but packets in it.
#ifndef METAROCE_MODEL_FABRIC_FABRIC_FOR_TEST_H_
#define METAROCE_MODEL_FABRIC_FABRIC_FOR_TEST_H_

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/fabric/fabric.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/frame.h"

namespace metaroce::fabric {

struct Arrived {
  Picoseconds at = 0;
  Picoseconds sent = 0;
  uint64_t number = 0;
  uint32_t wire = 0;
  uint16_t to = 0;
  uint16_t port = 0;
  uint16_t route = 0;
  uint8_t plane = 0;
  uint8_t ttl = 0;
  bool ce = false;
  bool corrupt = false;
  bool copy = false;
  bool parsed = false;
};

struct What {
  uint16_t port = 50000;
  uint8_t plane = 0;
  PacketClass kind = PacketClass::kData;
  frame::Ecn ecn = frame::Ecn::kEct0;
};

class Net : public Observer {
 public:
  explicit Net(const Config& config, std::vector<Fault> faults = {})
      : fabric_(config, std::move(faults)) {
    fabric_.set_observer(this);
  }

  Fabric& fabric() { return fabric_; }
  // A packet of `wire` bytes of wire size, now.
  void Send(uint32_t from, uint32_t to, uint32_t wire, const What& what = {}) {
    Slab& slab = fabric_.packets();
    const uint32_t packet = slab.Take();
    frame::Flow flow;
    flow.src = AddressOf(from, what.plane, fabric_.config().ipv6);
    flow.dst = AddressOf(to, what.plane, fabric_.config().ipv6);
    flow.ecn = what.ecn;
    flow.src_port = what.port;
    flow.dst_port = 54791;
    const uint32_t length = wire - kWireOverhead;
    const size_t headers =
        frame::WriteHeaders(flow, length - frame::HeadersLength(flow), slab.room());
    ASSERT_GT(headers, 0u);
    slab.SetHeaders(packet, headers);
    Packet& p = slab[packet];
    p.length = length;
    p.from = static_cast<uint16_t>(from);
    p.to = static_cast<uint16_t>(to);
    p.plane = what.plane;
    p.kind = what.kind;
    p.urgent = what.kind != PacketClass::kData;
    p.flow = what.port;
    fabric_.Send(packet);
  }
  // Until nothing happens any more, or `until`.
  std::vector<Arrived> Run(Picoseconds until = INT64_MAX) {
    std::vector<Arrived> arrived;
    while (!fabric_.idle() && fabric_.Next() < until) {
      const Happened h = fabric_.Step();
      if (h.kind == Happened::kPortChanged) ports.push_back(h);
      if (h.kind != Happened::kArrived) continue;
      const Packet p = fabric_.packets()[h.index];
      const Bytes bytes = fabric_.Received(h.index);
      frame::Frame frame;
      Arrived a{
          fabric_.now(), p.sent,  p.number, p.wire(), p.to,      static_cast<uint16_t>(p.flow),
          p.route,       p.plane, 0,        false,    p.corrupt, p.copy};
      a.parsed = frame::ParseFrame(bytes, frame::LinkType::kEthernet, {}, &frame).ok();
      a.ttl = frame.ttl;
      a.ce = frame.ecn() == frame::Ecn::kCe;
      arrived.push_back(a);
      routes_[a.port].insert(p.route);
      fabric_.packets().Free(h.index);
    }
    return arrived;
  }
  const std::set<uint16_t>& route_of(uint16_t port) { return routes_[port]; }

  void OnLost(uint32_t, uint32_t, Loss why) override { lost.push_back(why); }

  std::vector<Loss> lost;
  std::vector<Happened> ports;

 private:
  Fabric fabric_;
  std::map<uint16_t, std::set<uint16_t>> routes_;
};

// Two hosts with a leaf each; 100 Gb/s, and 1 us a link.
inline Config LeafSpine(uint32_t spines) {
  Config config;
  config.hosts = 2;
  config.hosts_per_leaf = 1;
  config.spines = spines;
  config.host_link.rate_mbps = config.spine_link.rate_mbps = 100000;
  config.host_link.delay = config.spine_link.delay = 1000000;
  return config;
}

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_FABRIC_FOR_TEST_H_
