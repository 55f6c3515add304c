// Scripted faults, and what they do to links and packets.
#include "model/fabric/fault.h"

#include <algorithm>

#include "model/fabric/fabric.h"

namespace metaroce::fabric {
namespace {

bool Fits(int32_t wanted, uint32_t is) { return wanted < 0 || static_cast<uint32_t>(wanted) == is; }

}  // namespace

void Fabric::Attach() {
  for (uint32_t f = 0; f < faults_.size(); ++f) {
    const Fault& fault = faults_[f];
    const LinkSelector& where = fault.where;
    for (uint32_t i = 0; i < links_.size(); ++i) {
      const Link& link = links_[i];
      const bool of_host = link.kind == LinkKind::kHostUp || link.kind == LinkKind::kHostDown;
      const bool up = link.kind == LinkKind::kHostUp || link.kind == LinkKind::kLeafUp;
      const uint16_t lower = up ? link.near : link.far;  // host or leaf
      const uint16_t upper = up ? link.far : link.near;  // leaf or spine
      const bool kinds[] = {where.host_up, where.host_down, where.leaf_up, where.leaf_down};
      if (!kinds[static_cast<size_t>(link.kind)] || !Fits(where.plane, link.plane)) continue;
      if (of_host && (where.spine >= 0 || !Fits(where.host, lower))) continue;
      if (!of_host && (where.host >= 0 || !Fits(where.spine, upper))) continue;
      if (!Fits(where.leaf, of_host ? upper : lower)) continue;
      slow_[i].faults.push_back({f, 0, SeedOf(config_.seed, (uint64_t{f} << 33) + i)});
      links_[i].faulty = true;
    }
    const auto at = [&](Picoseconds time, Scripted::What what) {
      script_.push_back({f, what});
      calendar_.Push(time, kScriptEvent | static_cast<uint32_t>(script_.size() - 1));
    };
    at(fault.from, Scripted::kBegins);
    const bool known = fault.kind == FaultKind::kDown && !fault.silent;
    if (known && fault.from + fault.converge < fault.until) {
      at(fault.from + fault.converge, Scripted::kLearned);
    }
    if (fault.until == INT64_MAX) continue;
    at(fault.until, Scripted::kEnds);
    if (known && fault.from + fault.converge < fault.until) {
      at(fault.until + fault.converge, Scripted::kForgotten);
    }
  }
}

void Fabric::Struck(uint32_t packet, uint32_t index, Picoseconds at) {
  bool twice = false;
  for (Attached& attached : slow_[index].faults) {
    const Fault& fault = faults_[attached.fault];
    if (now() < fault.from || now() >= fault.until || fault.kind >= FaultKind::kDown) continue;
    const PacketClass kind = packets_[packet].kind;
    if (!(kind == PacketClass::kData  ? fault.data
          : kind == PacketClass::kAck ? fault.acks
                                      : fault.control)) {
      continue;
    }
    const uint64_t place = attached.seen++;
    bool struck = std::binary_search(fault.nth.begin(), fault.nth.end(), place + 1);
    struck =
        struck || (!fault.pattern.empty() && fault.pattern[place % fault.pattern.size()] != '0');
    struck = struck || (fault.ppm > 0 && Chance(&attached.random, fault.ppm));
    if (!struck) continue;
    switch (fault.kind) {
      case FaultKind::kDrop:
        return Lose(packet, index, Loss::kFault);
      case FaultKind::kCorrupt:
        packets_[packet].corrupt = true;
        break;
      case FaultKind::kDuplicate:
        twice = true;
        break;
      case FaultKind::kDelay:
        at += fault.extra;
        break;
      default:
        break;
    }
  }
  if (links_[index].down > 0) return Lose(packet, index, Loss::kLinkDown);
  calendar_.Push(at, kPacketEvent | packet);
  if (!twice) return;
  const uint32_t copy = packets_.Copy(packet);
  packets_[copy].copy = true;
  calendar_.Push(at, kPacketEvent | copy);
}

void Fabric::Script(uint32_t index) {
  const Scripted& scripted = script_[index];
  const Fault& fault = faults_[scripted.fault];
  const bool begins = scripted.what == Scripted::kBegins;
  const bool known = scripted.what == Scripted::kLearned || scripted.what == Scripted::kForgotten;
  if (observer_ != nullptr && !known) observer_->OnFault(scripted.fault, begins);
  for (uint32_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    Slow& slow = slow_[i];
    if (std::none_of(slow.faults.begin(), slow.faults.end(),
                     [&](const Attached& a) { return a.fault == scripted.fault; })) {
      continue;
    }
    if (fault.kind == FaultKind::kRate) {
      const LinkSpec& spec =
          i % per_plane_ < 2 * config_.hosts ? config_.host_link : config_.spine_link;
      SetRate(i, begins ? fault.rate_mbps : spec.rate_mbps);
    }
    if (fault.kind == FaultKind::kRehash && link.kind == LinkKind::kLeafUp) {
      const uint32_t leaf = link.plane * leaves_ + link.near;
      std::fill(memos_.begin(), memos_.end(), EcmpHash::Memos());
      hashes_[leaf] = EcmpHash(config_.hash, SeedOf(begins ? fault.seed : config_.seed, leaf));
    }
    if (fault.kind != FaultKind::kDown) continue;
    if (!known) {
      link.down = static_cast<uint16_t>(link.down + (begins ? 1 : -1));
      continue;
    }
    const uint16_t before = slow.excluded;
    const int change = scripted.what == Scripted::kLearned ? 1 : -1;
    slow.excluded = static_cast<uint16_t>(before + change);
    if ((before == 0) == (slow.excluded == 0)) continue;
    excluded_[link.plane] = static_cast<uint16_t>(excluded_[link.plane] + change);
    if (link.kind != LinkKind::kHostUp && link.kind != LinkKind::kHostDown) continue;
    const uint16_t host = link.kind == LinkKind::kHostUp ? link.near : link.far;
    pending_.push_back({Happened::kPortChanged, host, link.plane, false});
  }
}

Happened Fabric::TakePending() {
  Happened happened = pending_.front();
  pending_.erase(pending_.begin());
  // Both ends of a cable see that it is dead, whichever direction is.
  happened.up = slow_[HostUp(happened.index, happened.plane)].excluded == 0 &&
                slow_[HostDown(happened.index, happened.plane)].excluded == 0;
  return happened;
}

}  // namespace metaroce::fabric
