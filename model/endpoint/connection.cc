#include "model/endpoint/connection.h"

#include <algorithm>

namespace metaroce {
namespace {

InboundLimits LimitsOf(const ConnectionSetup& setup) {
  InboundLimits limits;
  limits.mtu = setup.local.mtu;
  limits.streams = setup.local.streams;
  limits.open_messages = setup.local.open_messages;
  limits.reads = setup.local.reads;
  return limits;
}

}  // namespace

Connection::Connection(const ConnectionSetup& s)
    : setup(s),
      next_serial(s.local.start_serial),
      csn(Csn(s.peer.start_csn), s.local.range),
      inbound(Msn(s.peer.start_msn), LimitsOf(s)),
      receives(ReceiveIndex(s.local.start_index)),
      paths(s.local.paths) {
  OpenPath(0, 0, PathSeq(s.peer.start_sequence));
}

void Connection::OpenPath(uint8_t path, uint8_t epoch, PathSeq start) {
  if (!paths[path].open) ++open_paths;
  paths[path] = ReceiveContext();
  paths[path].open = true;
  paths[path].books = ReceivePath(epoch, start);
  //= SEQ-CSN-EDGE
  //# `path_window` times the number of its open receive paths of this connection.
  const uint32_t needed = static_cast<uint32_t>(spec::constant::kPathWindow) * open_paths;
  csn.SetRange(std::max(setup.local.range, needed));
}

Region* Connection::FindRegion(uint32_t rkey) {
  for (Region& region : regions) {
    if (region.valid && region.rkey == rkey) return &region;
  }
  return nullptr;
}

}  // namespace metaroce
