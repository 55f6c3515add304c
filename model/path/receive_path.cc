#include "model/path/receive_path.h"

namespace metaroce {
namespace {

// The code of the shortest bitmap that covers `span` path sequences from base on.
spec::BitmapLength ShortestBitmap(uint32_t span) {
  //= ACK-BITMAP
  //# The bitmap of a block has the least of the lengths 0, 64, 128 and 256 bits that covers the
  //# greatest path sequence received
  if (span == 0) return spec::BitmapLength::kBits0;
  if (span <= 64) return spec::BitmapLength::kBits64;
  if (span <= 128) return spec::BitmapLength::kBits128;
  return spec::BitmapLength::kBits256;
}

}  // namespace

void ReceivePath::ArriveProbe(WireTime transmitted, Route route, Nanoseconds now) {
  //= ACK-ARRIVAL-PROBE
  //# its transmit time becomes the echo. It takes no path sequence and adds to no count.
  echo_ = transmitted;
  echo_at_ = now;
  has_arrival_ = true;
  route_ = route;
  //= ACK-DUE-PROBE
  //# Each PROBE is answered by an ACK of its own.
  if (probes_owed_++ == 0) probe_due_ = now;
}

//= ACK-SNAPSHOT
//# A block is an atomic snapshot.
spec::PathBlock ReceivePath::Block(uint8_t path, Nanoseconds now) const {
  spec::PathBlock block{};
  block.path = path;
  block.epoch = epoch_;
  block.bitmap_code = static_cast<uint8_t>(ShortestBitmap(vector_.span()));
  block.duplicates = duplicates_;
  block.base = vector_.base().value();
  block.ce = ce_;
  //= ACK-COUNTERS
  //# `arrivals`, `ce` and `duplicates` are the counts of the path and epoch modulo 2^16, 2^16 and
  //# 2^8.
  block.arrivals = arrivals_;
  //= ACK-HOLD
  //# It is all ones where that is 2^32 - 1 or more, and where the path has had no arrival in this
  //# epoch; then `echo` is zero.
  const Nanoseconds held = now - echo_at_;
  const bool sample = has_arrival_ && held < Nanoseconds{UINT32_MAX};
  //= ACK-ECHO
  //# `echo` is the transmit time of the last arrival of that path and epoch
  block.echo = echo_.value();
  block.hold = sample ? static_cast<uint32_t>(held) : UINT32_MAX;
  block.bitmap = vector_.bitmap();
  return block;
}

void ReceivePath::Acknowledged(bool answers_probe) {
  //= ACK-ACKNOWLEDGES
  //# It withdraws every ACK of that path that is due, except one that a PROBE made due and that has
  //# not been answered.
  unacknowledged_ = 0;
  due_ = kNever;
  if (answers_probe && probes_owed_ > 0 && --probes_owed_ == 0) probe_due_ = kNever;
}

}  // namespace metaroce
