#include "model/invariants/ledger.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace metaroce::invariants {
namespace {

using endpoint::Connection;
using spec::Opcode;

absl::Status Broken(absl::string_view invariant, int side, absl::string_view what) {
  return absl::InternalError(absl::StrCat(invariant, ": side ", side, ": ", what));
}

std::string Where(uint8_t path, uint8_t epoch, uint32_t sequence, uint32_t csn) {
  return absl::StrCat("path ", path, " epoch ", epoch, " path sequence ", sequence, " CSN ", csn);
}

bool Lives(const Connection& c, uint8_t path, uint8_t epoch) {
  const SendPath& p = c.out[path];
  return p.epoch == epoch && (IsActive(p.state) || IsSuspect(p.state));
}

}  // namespace

EpochCount& Ledger::Epoch(Side& s, uint8_t path, uint8_t epoch) {
  std::vector<EpochCount>& all = s.epochs[path];
  if (all.empty() || all.back().epoch != epoch) {
    all.emplace_back().epoch = epoch;
    s.next_sequence.erase(path);
  }
  return all.back();
}

absl::Status Ledger::Sent(int side, const Connection& c, const packet::Packet& packet,
                          bool dropped) {
  const spec::Common& common = packet.headers.common;
  switch (spec::Info(packet.opcode()).opcode_class) {
    case spec::OpcodeClass::kData:
      return Data(side, c, packet, dropped);
    case spec::OpcodeClass::kAck:
      return Ack(side, packet);
    default:
      break;
  }
  // The number of an epoch comes again after 256.
  if (packet.opcode() == Opcode::kPathAccept) {
    sides_[side].counters.erase({common.path, common.epoch});
  }
  if (packet.opcode() == Opcode::kPathOpen) {
    Side& s = sides_[side];
    const auto reason = static_cast<spec::OpenReason>(packet.headers.path_open.reason);
    if (!s.epochs[common.path].empty()) s.epochs[common.path].back().ended = reason;
    Epoch(s, common.path, common.epoch).ended = reason;
  }
  return absl::OkStatus();
}

absl::Status Ledger::Data(int side, const Connection& c, const packet::Packet& packet,
                          bool dropped) {
  Side& s = sides_[side];
  const spec::Common& common = packet.headers.common;
  const uint32_t csn = packet.headers.data.csn;
  const std::string where = Where(common.path, common.epoch, common.number, csn);
  EpochCount& epoch = Epoch(s, common.path, common.epoch);
  ++epoch.data;
  epoch.dropped += dropped;
  const auto home = s.homes.find(csn);
  if (common.rtx) {
    ++epoch.rtx;
    //= INVARIANT-HOME
    //# Within an epoch a path sequence stands for one CSN.
    if (home == s.homes.end() || home->second.path != common.path ||
        home->second.epoch != common.epoch || home->second.sequence != common.number) {
      return Broken("INVARIANT-HOME", side,
                    absl::StrCat(where, " is a retransmission, and its CSN was not sent there."));
    }
    //= INVARIANT-NO-CAUSE-NO-COPY
    //# where no DATA packet was dropped, no packet has `rtx`, whatever ACK or CTRL packet is lost or
    //# late
    if (fifo && epoch.rtx > epoch.dropped - (dropped ? 1 : 0)) {
      return Broken(
          "INVARIANT-NO-CAUSE-NO-COPY", side,
          absl::StrCat(where, " is retransmission ", epoch.rtx, " of its epoch, of which ",
                       epoch.dropped - (dropped ? 1 : 0), " DATA packets were dropped."));
    }
    return absl::OkStatus();
  }
  const auto next = s.next_sequence.find(common.path);
  if (next != s.next_sequence.end() && next->second != common.number) {
    return Broken("INVARIANT-HOME", side,
                  absl::StrCat(where, ": the next path sequence is ", next->second, "."));
  }
  s.next_sequence[common.path] = common.number + 1;
  if (common.moved) {
    ++epoch.moved;
    //= INVARIANT-NO-CAUSE-NO-COPY
    //# no packet has `moved` unless an epoch died
    if (home == s.homes.end() || Lives(c, home->second.path, home->second.epoch)) {
      return Broken(
          "INVARIANT-NO-CAUSE-NO-COPY", side,
          absl::StrCat(where, " is moved, and ",
                       home == s.homes.end()
                           ? std::string("its CSN was never sent.")
                           : absl::StrCat("its epoch on path ", home->second.path, " lives.")));
    }
  } else if (home != s.homes.end()) {
    return Broken("INVARIANT-HOME", side,
                  absl::StrCat(where, " was sent on path ", home->second.path, " before."));
  }
  s.homes[csn] = {common.path, common.epoch, common.number};
  return absl::OkStatus();
}

//= INVARIANT-COUNTERS
//# `arrivals` grows by less than 2^15 and `ce` by no more than `arrivals`
absl::Status Ledger::Ack(int side, const packet::Packet& packet) {
  for (uint32_t i = 0; i < packet.headers.ack.blocks; ++i) {
    const spec::PathBlock& block = packet.headers.path_block[i];
    auto& [arrivals, ce] = sides_[side].counters[{block.path, block.epoch}];
    const uint16_t a = static_cast<uint16_t>(block.arrivals - arrivals);
    const uint16_t m = static_cast<uint16_t>(block.ce - ce);
    if (a >= 0x8000 || m > a) {
      return Broken("INVARIANT-COUNTERS", side,
                    absl::StrCat("path ", uint32_t{block.path}, " epoch ", uint32_t{block.epoch},
                                 ": arrivals grew by ", a, ", ce by ", m, "."));
    }
    arrivals = block.arrivals;
    ce = block.ce;
  }
  return absl::OkStatus();
}

absl::Status Ledger::Placed(int side, uint64_t address, packet::Bytes data) {
  Side& s = sides_[side];
  // What is not the payload of the packet at hand is the value of an atomic.
  if (s.packet == nullptr || data.data() != s.packet->payload.data()) return absl::OkStatus();
  const uint32_t csn = s.packet->headers.data.csn;
  //= INVARIANT-PLACED-ONCE
  //# The payload of each CSN is placed at most once
  if (!s.placed.insert(csn).second) {
    return Broken("INVARIANT-PLACED-ONCE", side,
                  absl::StrCat("CSN ", csn, " was placed again, at address ", address, "."));
  }
  //= INVARIANT-BYTES
  //# the bytes placed are the bytes sent
  const spec::Headers& h = s.packet->headers;
  const bool write =
      s.packet->opcode() == Opcode::kWrite || s.packet->opcode() == Opcode::kWriteWithImmediate;
  if (data.size() != s.packet->payload.size() ||
      (write && address != h.write_target.address + h.data.offset)) {
    return Broken("INVARIANT-BYTES", side,
                  absl::StrCat("CSN ", csn, " placed ", data.size(), " bytes at ", address, "."));
  }
  return absl::OkStatus();
}

//= INVARIANT-COMPLETIONS
//# The work requests of a stream are completed in the order of their MSNs, each exactly once
absl::Status Ledger::Completed(int side, const endpoint::WorkDone& done) {
  std::deque<WorkRequest>& posted = sides_[side].posted[done.stream];
  if (posted.empty()) {
    return Broken("INVARIANT-COMPLETIONS", side,
                  absl::StrCat("work request ", done.id, " of stream ", done.stream,
                               " was completed, and none is incomplete."));
  }
  const WorkRequest first = posted.front();
  posted.pop_front();
  if (first.id == done.id) return absl::OkStatus();
  return Broken("INVARIANT-COMPLETIONS", side,
                absl::StrCat("work request ", done.id, " of stream ", done.stream,
                             " was completed before ", first.id, "."));
}

absl::Status Ledger::Quiescent(int side, const Connection& c) const {
  for (const auto& [path, epochs] : sides_[side].epochs) {
    for (const EpochCount& epoch : epochs) {
      const bool live = &epoch == &epochs.back() && Lives(c, path, epoch.epoch);
      //= INVARIANT-COPIES-EQUAL-DROPS
      //# the packets with `rtx` of each epoch that did not die, VOID included, are as many as the
      //# DATA packets of that epoch that were dropped
      if (fifo && live && epoch.rtx != epoch.dropped) {
        return Broken(
            "INVARIANT-COPIES-EQUAL-DROPS", side,
            absl::StrCat("path ", uint32_t{path}, " epoch ", uint32_t{epoch.epoch}, ": ", epoch.rtx,
                         " retransmissions, ", epoch.dropped, " DATA packets dropped."));
      }
    }
  }
  for (const auto& [stream, posted] : sides_[side].posted) {
    if (posted.empty()) continue;
    return Broken(
        "INVARIANT-COMPLETIONS", side,
        absl::StrCat(posted.size(), " work requests of stream ", stream, " are not completed."));
  }
  return absl::OkStatus();
}

}  // namespace metaroce::invariants
