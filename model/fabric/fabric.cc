#include "model/fabric/fabric.h"

#include <algorithm>
#include <bit>
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

// About as much time as lies between two events while all hosts send full packets, as a power of
// two: a packet has five events or six.
uint32_t ShiftOf(const Config& config) {
  const uint64_t packet = uint64_t{4096} * kByteAtOne / config.host_link.rate_mbps;
  const uint64_t apart = packet / (uint64_t{6} * config.hosts * config.planes) + 1;
  return std::clamp<uint32_t>(static_cast<uint32_t>(std::bit_width(apart)), 6, 16);
}

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
    : config_(config), faults_(std::move(faults)), calendar_(ShiftOf(config), Rank{&packets_}) {
  METAROCE_CHECK(config_.hosts_per_leaf > 0 && config_.hosts % config_.hosts_per_leaf == 0);
  leaves_ = config_.hosts / config_.hosts_per_leaf;
  METAROCE_CHECK(config_.spines > 0 || leaves_ == 1);
  per_plane_ = 2 * config_.hosts + 2 * leaves_ * config_.spines;
  for (uint32_t host = 0; host < config_.hosts; ++host) {
    leaf_of_.push_back(static_cast<uint16_t>(host / config_.hosts_per_leaf));
  }
  for (uint32_t i = 0; i < config_.planes * config_.hosts; ++i) {
    Nic nic;
    nic.host = i % config_.hosts;
    nic.plane = static_cast<uint8_t>(i / config_.hosts);
    nic.link = HostUp(nic.host, nic.plane);
    nics_.push_back(nic);
  }
  memos_.resize(nics_.size());
  waiting_.resize(config_.hosts);
  ports_waiting_.resize(config_.hosts);
  excluded_.resize(config_.planes);
  hashes_.reserve(size_t{config_.planes} * leaves_);
  for (uint32_t i = 0; i < config_.planes * leaves_; ++i) {
    hashes_.emplace_back(config_.hash, SeedOf(config_.seed, i), i == 0 ? nullptr : &hashes_[0]);
  }
  Build();
  Attach();
}

void Fabric::Build() {
  links_.reserve(size_t{config_.planes} * per_plane_);
  slow_.reserve(size_t{config_.planes} * per_plane_);
  counts_.resize(size_t{config_.planes} * per_plane_);
  const uint32_t hosts = config_.hosts;
  const uint32_t up = leaves_ * config_.spines;
  for (uint32_t i = 0; i < config_.planes * per_plane_; ++i) {
    const uint32_t at = i % per_plane_;
    const uint32_t first = i - at;  // of the plane
    Link link;
    Slow slow;
    link.plane = static_cast<uint8_t>(i / per_plane_);
    slow.spec = at < 2 * hosts ? config_.host_link : config_.spine_link;
    link.delay = slow.spec.delay;
    if (at < 2 * hosts) {
      const auto host = static_cast<uint16_t>(at % hosts);
      link.kind = at < hosts ? LinkKind::kHostUp : LinkKind::kHostDown;
      link.near = at < hosts ? host : leaf_of_[host];
      link.far = at < hosts ? leaf_of_[host] : host;
      link.next = first + 2 * hosts + leaf_of_[host] * config_.spines;
    } else if (at < 2 * hosts + up) {
      link.kind = LinkKind::kLeafUp;
      link.near = static_cast<uint16_t>((at - 2 * hosts) / config_.spines);
      link.far = static_cast<uint16_t>((at - 2 * hosts) % config_.spines);
      link.next = first + 2 * hosts + up + link.far * leaves_;
    } else {
      link.kind = LinkKind::kLeafDown;
      link.near = static_cast<uint16_t>((at - 2 * hosts - up) / leaves_);
      link.far = static_cast<uint16_t>((at - 2 * hosts - up) % leaves_);
    }
    slow.random = SeedOf(config_.seed, (uint64_t{1} << 32) + i);
    links_.push_back(link);
    slow_.push_back(std::move(slow));
    SetRate(i, slow_[i].spec.rate_mbps);
  }
}

void Fabric::SetRate(uint32_t index, uint32_t mbps) {
  METAROCE_CHECK(mbps > 0);
  Link& link = links_[index];
  Slow& slow = slow_[index];
  slow.spec.rate_mbps = mbps;
  link.per_byte = kByteAtOne % mbps == 0 ? static_cast<uint32_t>(kByteAtOne / mbps) : 0;
  link.remainder = 0;
  const Marking& marking = slow.spec.marking;
  link.mark_from = AsTime(marking.ramp ? marking.min : marking.step, mbps);
  slow.mark_all = AsTime(marking.ramp ? marking.max : marking.step, mbps);
  link.full = AsTime(slow.spec.limit, mbps);
}

Picoseconds Fabric::Divide(Link& link, uint32_t bytes, Picoseconds start) {
  const uint32_t mbps = slow_[static_cast<size_t>(&link - links_.data())].spec.rate_mbps;
  if (link.busy_until < start) link.remainder = 0;
  const uint64_t scaled = bytes * kByteAtOne + link.remainder;
  link.remainder = static_cast<uint32_t>(scaled % mbps);
  return start + static_cast<Picoseconds>(scaled / mbps);
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
  const uint32_t index = p.plane * config_.hosts + p.from;
  Nic& nic = nics_[index];
  p.number = ++numbers_;
  p.link = nic.link;
  p.route = UINT16_MAX;
  p.hops = 0;
  p.ce = p.corrupt = p.copy = false;
  const uint8_t* headers = packets_.HeadersOf(packet);
  const uint8_t traffic_class =
      config_.ipv6 ? static_cast<uint8_t>(headers[14] << 4 | headers[15] >> 4) : headers[15];
  p.capable = (traffic_class & 3) != 0;
  p.to_leaf = leaf_of_[p.to];
  const uint16_t leaf = leaf_of_[p.from];
  if (leaf != p.to_leaf) {
    p.hash = hashes_[p.plane * leaves_ + leaf].OfFrame(headers, &memos_[index]);
  }
  const bool data = !p.urgent;
  Append(packets_, data ? nic.data : nic.urgent, packet);
  if (data) ++waiting_[p.from];
  if (data && nic.data.count == 1) ++ports_waiting_[p.from];
  if (nic.wanted) return;
  const Link& link = links_[nic.link];
  if (link.busy_until <= now()) {
    StartPort(index);
  } else {
    WantPort(nic, link, index);
  }
}

void Fabric::WantPort(Nic& nic, const Link& link, uint32_t index) {
  nic.wanted = true;
  PushAtHost(nic.host, std::max(now(), link.busy_until), kPortEvent | index);
}

void Fabric::StartPort(uint32_t index) {
  Nic& nic = nics_[index];
  const bool urgent = nic.urgent.count > 0;
  const uint32_t packet = TakeFirst(packets_, urgent ? nic.urgent : nic.data);
  if (!urgent) --waiting_[nic.host];
  if (!urgent && nic.data.count == 0) --ports_waiting_[nic.host];
  Link& link = links_[nic.link];
  Packet& p = packets_[packet];
  p.sent = now();
  if (sent_observer_ != nullptr) sent_observer_->OnSent(packet);
  LinkCounts& counts = counts_[nic.link];
  ++counts.packets;
  counts.bytes += p.wire();
  const Picoseconds left = Serialise(link, p.wire(), now());
  link.busy_until = left;
  if (nic.urgent.count + nic.data.count > 0) WantPort(nic, link, index);
  Launch(packet, p, link, left);
}

bool Fabric::Mark(uint32_t index, Picoseconds queue) {
  Slow& slow = slow_[index];
  if (queue > slow.mark_all) return true;
  const Marking& marking = slow.spec.marking;
  if (!marking.ramp) return false;
  const uint64_t bytes = AsBytes(queue, slow.spec.rate_mbps);
  if (bytes <= marking.min) return false;
  const uint64_t ppm = (bytes - marking.min) * marking.max_chance_ppm /
                       std::max<uint64_t>(1, marking.max - marking.min);
  return Chance(&slow.random, static_cast<uint32_t>(ppm));
}

inline void Fabric::Enqueue(uint32_t packet, Packet& p, uint32_t index, Picoseconds now) {
  Link& link = links_[index];
  p.link = index;
  if (link.down > 0) return Lose(packet, index, Loss::kLinkDown);
  const uint32_t bytes = p.wire();
  const uint32_t remainder = link.remainder;
  const Picoseconds left = Serialise(link, bytes, std::max(now, link.busy_until));
  const Picoseconds queue = left - now;
  if (queue > link.full) {
    link.remainder = remainder;
    return Lose(packet, index, Loss::kTail);
  }
  link.busy_until = left;
  LinkCounts& counts = counts_[index];
  ++counts.packets;
  counts.bytes += bytes;
  if (queue > counts.longest) {
    counts.longest = queue;
    counts.longest_bytes = AsBytes(queue, slow_[index].spec.rate_mbps);
  }
  if (queue > link.mark_from && p.capable && !p.ce && Mark(index, queue)) {
    p.ce = true;
    ++counts.marks;
    if (observer_ != nullptr) observer_->OnMarked(packet, index);
  }
  Launch(packet, p, link, left);
}

void Fabric::Lose(uint32_t packet, uint32_t link, Loss why) {
  ++(why == Loss::kTail ? counts_[link].tail_drops : counts_[link].fault_drops);
  if (observer_ != nullptr) observer_->OnLost(packet, link, why);
  packets_.Free(packet);
}

uint32_t Fabric::ChooseOther(const Packet& p, uint32_t leaf, uint32_t to_leaf) const {
  const auto usable = [&](uint32_t spine) {
    return slow_[LeafUp(leaf, spine, p.plane)].excluded == 0 &&
           slow_[LeafDown(spine, to_leaf, p.plane)].excluded == 0;
  };
  uint32_t ways = 0;
  for (uint32_t spine = 0; spine < config_.spines; ++spine) ways += usable(spine) ? 1 : 0;
  if (ways == 0) return config_.spines;
  uint32_t way = p.hash % ways;
  uint32_t spine = 0;
  while (!usable(spine) || way-- > 0) ++spine;
  return spine;
}

bool Fabric::Hop(uint32_t packet) {
  Packet& p = packets_[packet];
  const Link& link = links_[p.link];
  if (link.down > 0) {
    Lose(packet, p.link, Loss::kLinkDown);
    return false;
  }
  switch (link.kind) {
    case LinkKind::kHostDown:
      return true;
    case LinkKind::kHostUp: {
      ++p.hops;
      if (link.far == p.to_leaf) break;
      const uint32_t spine = ChooseSpine(p, link.far, p.to_leaf);
      if (spine == config_.spines) {
        Lose(packet, p.link, Loss::kNoRoute);
        return false;
      }
      p.route = static_cast<uint16_t>(spine);
      Enqueue(packet, p, link.next + spine, now_);
      return false;
    }
    case LinkKind::kLeafUp:
      ++p.hops;
      Enqueue(packet, p, link.next + p.to_leaf, now_);
      return false;
    case LinkKind::kLeafDown:
      ++p.hops;
      break;
  }
  Enqueue(packet, p, HostDown(p.to, p.plane), now_);
  return false;
}

inline bool Fabric::Happens(uint32_t what, Happened* happened) {
  const uint32_t index = what & ~kKindMask;
  switch (what & kKindMask) {
    case kPacketEvent:
      if (!Hop(index)) return false;
      *happened = {Happened::kArrived, index, packets_[index].plane, true};
      return true;
    case kPortEvent: {
      Nic& nic = nics_[index];
      nic.wanted = false;
      if (nic.urgent.count + nic.data.count > 0) StartPort(index);
      *happened = {Happened::kPortFree, nic.host, nic.plane, true};
      return true;
    }
    case kTimerEvent:
      *happened = {Happened::kTimer, index, 0, true};
      return true;
    default:
      Script(index);
      return false;
  }
}

Happened Fabric::Run(Picoseconds until, uint64_t* events) {
  if (split_) return RunSplit(until, events);
  Event event;
  Happened happened;
  while (*events > 0) {
    if (!pending_.empty()) [[unlikely]] {
      if (now() >= until) break;
      --*events;
      return TakePending();
    }
    if (!calendar_.PopBefore(until, &event)) break;
    --*events;
    ++steps_;
    now_ = event.at;
    // The record of the packet behind this one comes meanwhile.
    if (const uint32_t* next = calendar_.Coming(); next != nullptr && *next < kPortEvent) {
      __builtin_prefetch(&packets_[*next]);
    }
    if (Happens(event.what, &happened)) return happened;
  }
  return {};
}

void Fabric::Split(const std::function<uint32_t(uint32_t)>& host_of_timer) {
  METAROCE_CHECK(!split_ && faults_.empty() && config_.host_link.delay > 0);
  split_ = true;
  at_host_.resize(config_.hosts);
  inboxes_.resize(links_.size());
  Event event;
  while (calendar_.PopBefore(INT64_MAX, &event)) {
    const uint32_t index = event.what & ~kKindMask;
    switch (event.what & kKindMask) {
      case kPacketEvent:
        Onward(index, packets_[index], links_[packets_[index].link], event.at);
        break;
      case kPortEvent:
        PushAtHost(nics_[index].host, event.at, event.what);
        break;
      default:
        PushAtHost(host_of_timer(index), event.at, event.what);
        break;
    }
  }
  // No packet has been passed on yet that arrives later.
  turn_host_ = 0;
  turn_until_ = now_;
}

inline void Fabric::Onward(uint32_t packet, Packet& p, const Link& link, Picoseconds at) {
  const Arrival arrival{at, p.link, packet};
  uint32_t next = 0;
  switch (link.kind) {
    case LinkKind::kHostDown:
      return at_host_[p.to].PushArrival(arrival);
    case LinkKind::kHostUp:
      if (link.far != p.to_leaf) {
        p.route = static_cast<uint16_t>(p.hash % config_.spines);
        next = link.next + p.route;
        break;
      }
      [[fallthrough]];
    case LinkKind::kLeafDown:
      next = HostDown(p.to, p.plane);
      break;
    case LinkKind::kLeafUp:
      next = link.next + p.to_leaf;
      break;
  }
  ++p.hops;
  if (inboxes_[next].Push(arrival)) {
    inboxes_used_[static_cast<size_t>(links_[next].kind)].push_back(next);
  }
}

uint64_t Fabric::TurnOfLinks(LinkKind kind, Picoseconds until) {
  uint64_t packets = 0;
  std::vector<uint32_t>& used = inboxes_used_[static_cast<size_t>(kind)];
  for (size_t i = 0; i < used.size();) {
    Inbox& inbox = inboxes_[used[i]];
    const absl::Span<const Arrival> arrivals = inbox.Take(until);
    for (const Arrival& arrival : arrivals) {
      // The record of the packet behind this one comes meanwhile.
      if (&arrival != &arrivals.back()) __builtin_prefetch(&packets_[(&arrival + 1)->what]);
      Enqueue(arrival.what, packets_[arrival.what], used[i], arrival.at);
    }
    packets += arrivals.size();
    if (!inbox.empty()) {
      ++i;
      continue;
    }
    used[i] = used.back();
    used.pop_back();
  }
  return packets;
}

uint64_t Fabric::TurnOfSwitches(Picoseconds hosts, Picoseconds until) {
  const Picoseconds leaves = std::min(until, hosts + config_.host_link.delay);
  const Picoseconds spines = std::min(until, leaves + config_.spine_link.delay);
  // Hosts of one leaf reach each other without a spine.
  const Picoseconds last =
      config_.hosts_per_leaf > 1 ? leaves : std::min(until, spines + config_.spine_link.delay);
  turn_until_ = std::min(until, last + config_.host_link.delay);
  // What leaves a link comes to one of a later kind.
  const uint64_t packets =
      TurnOfLinks(LinkKind::kLeafUp, leaves) + TurnOfLinks(LinkKind::kLeafDown, spines);
  return packets + TurnOfLinks(LinkKind::kHostDown, last);
}

Happened Fabric::RunSplit(Picoseconds until, uint64_t* events) {
  Happened happened;
  while (*events > 0) {
    if (turn_host_ == config_.hosts) {
      const uint64_t packets = TurnOfSwitches(turn_until_, until);
      steps_ += packets;
      *events -= std::min(*events, packets);
      turn_host_ = 0;
    }
    for (; turn_host_ < config_.hosts; ++turn_host_) {
      HostEvents& waiting = at_host_[turn_host_];
      while (waiting.first() < turn_until_) {
        if (*events == 0) return {};
        const Arrival event = waiting.Pop();
        --*events;
        ++steps_;
        now_ = event.at;
        if (Happens(event.what, &happened)) return happened;
      }
    }
    // Where nothing is on its way, nothing happens before the next event of a host.
    Picoseconds next = HostEvents::kNone;
    for (const HostEvents& waiting : at_host_) next = std::min(next, waiting.first());
    for (const std::vector<uint32_t>& used : inboxes_used_) {
      if (!used.empty()) next = turn_until_;
    }
    if (next >= until) {
      steps_ += TurnOfSwitches(until, until);
      break;
    }
    turn_until_ = std::max(turn_until_, next);
  }
  return {};
}

Bytes Fabric::Received(uint32_t packet) {
  const Packet& p = packets_[packet];
  uint8_t* ip = packets_.HeadersOf(packet) + 14;
  if (config_.ipv6) {
    ip[7] = static_cast<uint8_t>(ip[7] - p.hops);
    if (p.ce) ip[1] |= 0x30;
    return packets_.FrameOf(packet);
  }
  // RFC 1624: the new checksum follows from the old one and the words that changed, the one with
  // the time to live and perhaps the first.
  uint32_t sum = (~(uint32_t{ip[10]} << 8 | ip[11]) & 0xFFFF) + 0xFFFF - (uint32_t{p.hops} << 8);
  ip[8] = static_cast<uint8_t>(ip[8] - p.hops);
  if (p.ce) {
    sum += 0xFFFF + 3u - (ip[1] & 3);
    ip[1] |= 3;
  }
  sum = (sum & 0xFFFF) + (sum >> 16);
  sum = (sum & 0xFFFF) + (sum >> 16);
  ip[10] = static_cast<uint8_t>(~sum >> 8);
  ip[11] = static_cast<uint8_t>(~sum);
  return packets_.FrameOf(packet);
}

uint64_t Fabric::QueueOf(uint32_t link) const {
  const Link& l = links_[link];
  return l.busy_until <= now() ? 0 : AsBytes(l.busy_until - now(), RateOf(link));
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
