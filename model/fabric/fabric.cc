#include "model/fabric/fabric.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "model/check.h"

namespace metaroce::fabric {
namespace {

// Picoseconds for a byte at 1 Mb/s.
constexpr uint64_t kByteAtOne = 8000000;
constexpr Picoseconds kLong = INT64_MAX / 2;

// `bytes` as time, kLong if that is longer.
Picoseconds AsTime(uint64_t bytes, uint32_t mbps) {
  if (bytes > static_cast<uint64_t>(kLong) / kByteAtOne) return kLong;
  return static_cast<Picoseconds>(bytes * kByteAtOne / mbps);
}
uint64_t AsBytes(Picoseconds time, uint32_t mbps) {
  const auto wide = static_cast<unsigned __int128>(time) * mbps;
  return static_cast<uint64_t>(wide / kByteAtOne);
}

bool Fits(int32_t wanted, uint32_t is) { return wanted < 0 || static_cast<uint32_t>(wanted) == is; }

}  // namespace

const char* Name(Loss loss) {
  switch (loss) {
    case Loss::kTail:
      return "tail";
    case Loss::kFault:
      return "fault";
    case Loss::kLinkDown:
      return "link-down";
    case Loss::kNoRoute:
      return "no-route";
  }
  return "";
}

Fabric::Fabric(const Config& config, std::vector<Fault> faults)
    : config_(config), faults_(std::move(faults)) {
  METAROCE_CHECK(config_.hosts_per_leaf > 0 && config_.hosts % config_.hosts_per_leaf == 0);
  leaves_ = config_.hosts / config_.hosts_per_leaf;
  METAROCE_CHECK(config_.spines > 0 || leaves_ == 1);
  per_plane_ = 2 * config_.hosts + 2 * leaves_ * config_.spines;
  for (uint32_t host = 0; host < config_.hosts; ++host) {
    leaf_of_.push_back(static_cast<uint16_t>(host / config_.hosts_per_leaf));
  }
  nics_.resize(size_t{config_.planes} * config_.hosts);
  waiting_.resize(config_.hosts);
  ports_waiting_.resize(config_.hosts);
  excluded_.resize(config_.planes);
  for (uint32_t i = 0; i < config_.planes * leaves_; ++i) {
    hashes_.emplace_back(config_.hash, SeedOf(config_.seed, i));
  }
  Build();
  Attach();
}

void Fabric::Build() {
  const uint32_t hosts = config_.hosts;
  const uint32_t up = leaves_ * config_.spines;
  for (uint32_t i = 0; i < config_.planes * per_plane_; ++i) {
    const uint32_t at = i % per_plane_;
    Link link;
    link.plane = static_cast<uint8_t>(i / per_plane_);
    link.spec = at < 2 * hosts ? config_.host_link : config_.spine_link;
    if (at < 2 * hosts) {
      const auto host = static_cast<uint16_t>(at % hosts);
      link.kind = at < hosts ? LinkKind::kHostUp : LinkKind::kHostDown;
      link.near = at < hosts ? host : leaf_of_[host];
      link.far = at < hosts ? leaf_of_[host] : host;
    } else if (at < 2 * hosts + up) {
      link.kind = LinkKind::kLeafUp;
      link.near = static_cast<uint16_t>((at - 2 * hosts) / config_.spines);
      link.far = static_cast<uint16_t>((at - 2 * hosts) % config_.spines);
    } else {
      link.kind = LinkKind::kLeafDown;
      link.near = static_cast<uint16_t>((at - 2 * hosts - up) / leaves_);
      link.far = static_cast<uint16_t>((at - 2 * hosts - up) % leaves_);
    }
    link.random = SeedOf(config_.seed, (uint64_t{1} << 32) + i);
    SetRate(link, link.spec.rate_mbps);
    links_.push_back(std::move(link));
  }
}

void Fabric::Attach() {
  for (uint32_t f = 0; f < faults_.size(); ++f) {
    const Fault& fault = faults_[f];
    const LinkSelector& where = fault.where;
    for (uint32_t i = 0; i < links_.size(); ++i) {
      Link& link = links_[i];
      const bool of_host = link.kind == LinkKind::kHostUp || link.kind == LinkKind::kHostDown;
      const bool up = link.kind == LinkKind::kHostUp || link.kind == LinkKind::kLeafUp;
      const uint16_t lower = up ? link.near : link.far;  // host or leaf
      const uint16_t upper = up ? link.far : link.near;  // leaf or spine
      const bool kinds[] = {where.host_up, where.host_down, where.leaf_up, where.leaf_down};
      if (!kinds[static_cast<size_t>(link.kind)] || !Fits(where.plane, link.plane)) continue;
      if (of_host && (where.spine >= 0 || !Fits(where.host, lower))) continue;
      if (!of_host && (where.host >= 0 || !Fits(where.spine, upper))) continue;
      if (!Fits(where.leaf, of_host ? upper : lower)) continue;
      link.faults.push_back({f, 0, SeedOf(config_.seed, (uint64_t{f} << 33) + i)});
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

void Fabric::SetRate(Link& link, uint32_t mbps) {
  METAROCE_CHECK(mbps > 0);
  link.spec.rate_mbps = mbps;
  link.per_byte = kByteAtOne % mbps == 0 ? static_cast<uint32_t>(kByteAtOne / mbps) : 0;
  link.remainder = 0;
  const Marking& marking = link.spec.marking;
  link.mark_from = AsTime(marking.ramp ? marking.min : marking.step, mbps);
  link.mark_all = AsTime(marking.ramp ? marking.max : marking.step, mbps);
  link.full = AsTime(link.spec.limit, mbps);
}

Picoseconds Fabric::Serialise(Link& link, uint32_t bytes, Picoseconds start) {
  if (link.per_byte != 0) return start + Picoseconds{bytes} * link.per_byte;
  if (link.busy_until < start) link.remainder = 0;
  const uint64_t scaled = bytes * kByteAtOne + link.remainder;
  link.remainder = static_cast<uint32_t>(scaled % link.spec.rate_mbps);
  return start + static_cast<Picoseconds>(scaled / link.spec.rate_mbps);
}

void Fabric::Append(Slab& slab, Queue& queue, uint32_t packet) {
  slab[packet].next = kNoPacket;
  if (queue.first == kNoPacket) {
    queue.first = packet;
  } else {
    slab[queue.last].next = packet;
  }
  queue.last = packet;
  ++queue.count;
}

uint32_t Fabric::TakeFirst(Slab& slab, Queue& queue) {
  const uint32_t packet = queue.first;
  queue.first = slab[packet].next;
  --queue.count;
  return packet;
}

void Fabric::Send(uint32_t packet) {
  Packet& p = packets_[packet];
  p.number = ++numbers_;
  p.link = HostUp(p.from, p.plane);
  p.route = UINT16_MAX;
  p.hops = 0;
  p.ce = p.corrupt = p.copy = false;
  const uint8_t* headers = packets_.HeadersOf(packet);
  const uint8_t traffic_class =
      config_.ipv6 ? static_cast<uint8_t>(headers[14] << 4 | headers[15] >> 4) : headers[15];
  p.capable = (traffic_class & 3) != 0;
  if (leaves_ > 1) p.hash = hashes_[p.plane * leaves_ + leaf_of_[p.from]](TupleOf(headers));
  const uint32_t index = p.plane * config_.hosts + p.from;
  Nic& nic = nics_[index];
  const bool data = p.kind == PacketClass::kData;
  Append(packets_, data ? nic.data : nic.urgent, packet);
  if (data) ++waiting_[p.from];
  if (data && nic.data.count == 1) ++ports_waiting_[p.from];
  if (nic.wanted) return;
  if (links_[p.link].busy_until <= now()) {
    StartPort(index);
  } else {
    WantPort(p.from, p.plane);
  }
}

void Fabric::WantPort(uint32_t host, uint8_t plane) {
  const uint32_t index = plane * config_.hosts + host;
  if (nics_[index].wanted) return;
  nics_[index].wanted = true;
  calendar_.Push(std::max(now(), links_[HostUp(host, plane)].busy_until), kPortEvent | index);
}

void Fabric::StartPort(uint32_t index) {
  Nic& nic = nics_[index];
  const auto plane = static_cast<uint8_t>(index / config_.hosts);
  const uint32_t host = index % config_.hosts;
  const bool urgent = nic.urgent.count > 0;
  const uint32_t packet = TakeFirst(packets_, urgent ? nic.urgent : nic.data);
  if (!urgent) --waiting_[host];
  if (!urgent && nic.data.count == 0) --ports_waiting_[host];
  Link& link = links_[HostUp(host, plane)];
  Packet& p = packets_[packet];
  p.sent = now();
  if (observer_ != nullptr) observer_->OnSent(packet);
  ++link.counts.packets;
  link.counts.bytes += p.wire();
  const Picoseconds left = Serialise(link, p.wire(), now());
  link.busy_until = left;
  if (nic.urgent.count + nic.data.count > 0) WantPort(host, plane);
  Launch(packet, link, left);
}

bool Fabric::Mark(Link& link, Picoseconds queue) {
  if (queue > link.mark_all) return true;
  const Marking& marking = link.spec.marking;
  if (!marking.ramp) return false;
  const uint64_t bytes = AsBytes(queue, link.spec.rate_mbps);
  if (bytes <= marking.min) return false;
  const uint64_t ppm = (bytes - marking.min) * marking.max_chance_ppm /
                       std::max<uint64_t>(1, marking.max - marking.min);
  return Chance(&link.random, static_cast<uint32_t>(ppm));
}

void Fabric::Enqueue(uint32_t packet, uint32_t index) {
  Link& link = links_[index];
  Packet& p = packets_[packet];
  p.link = index;
  if (link.down > 0) return Lose(packet, index, Loss::kLinkDown);
  const Picoseconds start = std::max(now(), link.busy_until);
  const uint32_t remainder = link.remainder;
  const Picoseconds left = Serialise(link, p.wire(), start);
  const Picoseconds queue = left - now();
  if (queue > link.full) {
    link.remainder = remainder;
    return Lose(packet, index, Loss::kTail);
  }
  link.busy_until = left;
  ++link.counts.packets;
  link.counts.bytes += p.wire();
  link.counts.busy_sum += start - now();
  if (queue > link.counts.longest) {
    link.counts.longest = queue;
    link.counts.longest_bytes = AsBytes(queue, link.spec.rate_mbps);
  }
  if (queue > link.mark_from && p.capable && !p.ce && Mark(link, queue)) {
    p.ce = true;
    ++link.counts.marks;
    if (observer_ != nullptr) observer_->OnMarked(packet, index);
  }
  Launch(packet, link, left);
}

void Fabric::Launch(uint32_t packet, Link& link, Picoseconds left) {
  const Picoseconds arrives = left + link.spec.delay;
  if (!link.faults.empty()) return Struck(packet, link, arrives);
  calendar_.Push(arrives, kPacketEvent | packet);
}

void Fabric::Struck(uint32_t packet, Link& link, Picoseconds at) {
  const uint32_t index = packets_[packet].link;
  bool twice = false;
  for (Attached& attached : link.faults) {
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
  if (link.down > 0) return Lose(packet, index, Loss::kLinkDown);
  calendar_.Push(at, kPacketEvent | packet);
  if (!twice) return;
  const uint32_t copy = packets_.Copy(packet);
  packets_[copy].copy = true;
  calendar_.Push(at, kPacketEvent | copy);
}

void Fabric::Lose(uint32_t packet, uint32_t link, Loss why) {
  ++(why == Loss::kTail ? links_[link].counts.tail_drops : links_[link].counts.fault_drops);
  if (observer_ != nullptr) observer_->OnLost(packet, link, why);
  packets_.Free(packet);
}

uint32_t Fabric::ChooseSpine(const Packet& p, uint32_t leaf, uint32_t to_leaf) const {
  if (excluded_[p.plane] == 0) return p.hash % config_.spines;
  const auto usable = [&](uint32_t spine) {
    return links_[LeafUp(leaf, spine, p.plane)].excluded == 0 &&
           links_[LeafDown(spine, to_leaf, p.plane)].excluded == 0;
  };
  uint32_t ways = 0;
  for (uint32_t spine = 0; spine < config_.spines; ++spine) ways += usable(spine) ? 1 : 0;
  if (ways == 0) return config_.spines;
  uint32_t way = p.hash % ways;
  uint32_t spine = 0;
  while (!usable(spine) || way-- > 0) ++spine;
  return spine;
}

Happened Fabric::Hop(uint32_t packet) {
  Packet& p = packets_[packet];
  const Link& link = links_[p.link];
  if (link.down > 0) {
    Lose(packet, p.link, Loss::kLinkDown);
    return {};
  }
  switch (link.kind) {
    case LinkKind::kHostDown:
      return {Happened::kArrived, packet, p.plane, true};
    case LinkKind::kHostUp: {
      ++p.hops;
      const uint32_t leaf = link.far;
      const uint32_t to_leaf = leaf_of_[p.to];
      if (leaf == to_leaf) break;
      const uint32_t spine = ChooseSpine(p, leaf, to_leaf);
      if (spine == config_.spines) {
        Lose(packet, p.link, Loss::kNoRoute);
        return {};
      }
      p.route = static_cast<uint16_t>(spine);
      Enqueue(packet, LeafUp(leaf, spine, p.plane));
      return {};
    }
    case LinkKind::kLeafUp:
      ++p.hops;
      Enqueue(packet, LeafDown(link.far, leaf_of_[p.to], p.plane));
      return {};
    case LinkKind::kLeafDown:
      ++p.hops;
      break;
  }
  Enqueue(packet, HostDown(p.to, p.plane));
  return {};
}

Happened Fabric::Script(uint32_t index) {
  const Scripted& scripted = script_[index];
  const Fault& fault = faults_[scripted.fault];
  const bool begins = scripted.what == Scripted::kBegins;
  const bool known = scripted.what == Scripted::kLearned || scripted.what == Scripted::kForgotten;
  if (observer_ != nullptr && !known) observer_->OnFault(scripted.fault, begins);
  for (uint32_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    if (std::none_of(link.faults.begin(), link.faults.end(),
                     [&](const Attached& a) { return a.fault == scripted.fault; })) {
      continue;
    }
    if (fault.kind == FaultKind::kRate) {
      const LinkSpec& spec =
          i % per_plane_ < 2 * config_.hosts ? config_.host_link : config_.spine_link;
      SetRate(link, begins ? fault.rate_mbps : spec.rate_mbps);
    }
    if (fault.kind == FaultKind::kRehash && link.kind == LinkKind::kLeafUp) {
      const uint32_t leaf = link.plane * leaves_ + link.near;
      hashes_[leaf] = EcmpHash(config_.hash, SeedOf(begins ? fault.seed : config_.seed,
                                                    link.plane * leaves_ + link.near));
    }
    if (fault.kind != FaultKind::kDown) continue;
    if (!known) {
      link.down = static_cast<uint16_t>(link.down + (begins ? 1 : -1));
      continue;
    }
    const uint16_t before = link.excluded;
    const int change = scripted.what == Scripted::kLearned ? 1 : -1;
    link.excluded = static_cast<uint16_t>(before + change);
    if ((before == 0) == (link.excluded == 0)) continue;
    excluded_[link.plane] = static_cast<uint16_t>(excluded_[link.plane] + change);
    if (link.kind != LinkKind::kHostUp && link.kind != LinkKind::kHostDown) continue;
    const uint16_t host = link.kind == LinkKind::kHostUp ? link.near : link.far;
    pending_.push_back({Happened::kPortChanged, host, link.plane, false});
  }
  return {};
}

Happened Fabric::Step() {
  if (!pending_.empty()) {
    Happened happened = pending_.front();
    pending_.erase(pending_.begin());
    // Both ends of a cable see that it is dead, whichever direction is.
    happened.up = links_[HostUp(happened.index, happened.plane)].excluded == 0 &&
                  links_[HostDown(happened.index, happened.plane)].excluded == 0;
    return happened;
  }
  const Event event = calendar_.Pop();
  ++steps_;
  // The record of the packet behind this one comes meanwhile.
  if (const Event* next = calendar_.Coming(); next != nullptr && next->what < kPortEvent) {
    __builtin_prefetch(&packets_[next->what]);
  }
  const uint32_t index = event.what & ~kKindMask;
  switch (event.what & kKindMask) {
    case kPacketEvent:
      return Hop(index);
    case kPortEvent: {
      Nic& nic = nics_[index];
      nic.wanted = false;
      if (nic.urgent.count + nic.data.count > 0) StartPort(index);
      return {Happened::kPortFree, index % config_.hosts,
              static_cast<uint8_t>(index / config_.hosts), true};
    }
    case kTimerEvent:
      return {Happened::kTimer, index, 0, true};
    default:
      return Script(index);
  }
}

Bytes Fabric::Received(uint32_t packet) {
  const Packet& p = packets_[packet];
  uint8_t* ip = packets_.HeadersOf(packet) + 14;
  if (config_.ipv6) {
    ip[7] = static_cast<uint8_t>(ip[7] - p.hops);
    if (p.ce) ip[1] |= 0x30;
    return packets_.FrameOf(packet);
  }
  // RFC 1624: the new checksum follows from the old one and the words that changed.
  const auto word = [&](size_t at) { return uint32_t{ip[at]} << 8 | ip[at + 1]; };
  uint32_t sum = (~word(10) & 0xFFFF) + (~word(0) & 0xFFFF) + (~word(8) & 0xFFFF);
  ip[8] = static_cast<uint8_t>(ip[8] - p.hops);
  if (p.ce) ip[1] |= 3;
  sum += word(0) + word(8);
  sum = (sum & 0xFFFF) + (sum >> 16);
  sum = (sum & 0xFFFF) + (sum >> 16);
  ip[10] = static_cast<uint8_t>(~sum >> 8);
  ip[11] = static_cast<uint8_t>(~sum);
  return packets_.FrameOf(packet);
}

uint64_t Fabric::QueueOf(uint32_t link) const {
  const Link& l = links_[link];
  return l.busy_until <= now() ? 0 : AsBytes(l.busy_until - now(), l.spec.rate_mbps);
}

std::string Fabric::NameOf(uint32_t link) const {
  const Link& l = links_[link];
  static constexpr const char* kNames[][2] = {{"host ", " to leaf "},
                                              {"leaf ", " to host "},
                                              {"leaf ", " to spine "},
                                              {"spine ", " to leaf "}};
  const auto& name = kNames[static_cast<size_t>(l.kind)];
  return absl::StrCat("plane ", l.plane, ", ", name[0], l.near, name[1], l.far);
}

frame::IpAddress AddressOf(uint32_t host, uint8_t plane, bool ipv6) {
  const auto high = static_cast<uint8_t>((host + 1) >> 8);
  const auto low = static_cast<uint8_t>(host + 1);
  if (!ipv6) return frame::IpAddress::V4({10, plane, high, low});
  return frame::IpAddress::V6({0xfd, 0, 0, 0, 0, 0, 0, plane, 0, 0, 0, 0, 0, 0, high, low});
}

frame::MacAddress MacOf(uint32_t host, uint8_t plane) {
  return {{2, 0, 0, plane, static_cast<uint8_t>((host + 1) >> 8), static_cast<uint8_t>(host + 1)}};
}

uint32_t HostOf(const frame::IpAddress& address) {
  const absl::Span<const uint8_t> bytes = address.bytes();
  return (uint32_t{bytes[bytes.size() - 2]} << 8 | bytes[bytes.size() - 1]) - 1;
}

}  // namespace metaroce::fabric
