// A deterministic fabric of commodity switches. Not normative: it is what an endpoint must live
// with.
//
// Hosts have one port to each plane. A plane is a leaf-spine network: host h hangs on leaf h /
// hosts_per_leaf; every leaf has one link to every spine; without spines the plane is one switch.
// Between two leaves a packet takes the spine that the hash of the first leaf chooses from the
// five tuple (hash.h), by the seed that the leaf has when the packet is sent. Switches store and
// forward.
//
// Every link has a queue in front of it and puts one packet on the wire after the other. A queue is
// measured in bytes of wire size that have not left yet, those of the packet on its way out
// included. A packet that finds q bytes and has b bytes itself
//
//   * is dropped if q + b is above the limit;
//   * is marked, if it is capable, when q + b is above `step`; or, with a ramp, always when q + b
//     is above `max`, and between `min` and `max` with a chance that grows linearly to
//     `max_chance_ppm`.
//
// The queue of a host's own port has no limit and marks nothing; in it urgent packets go before all
// others.
//
// Time is in picoseconds, and the time of serialisation is exact: what a division leaves over is
// carried to the link's next packet while the link is busy. All numbers that are drawn follow from
// the seed. Of what happens in one picosecond, faults come first, then packets in the order of the
// links by which they arrive, ports that are free, and timers.
//
// What a host does reaches no switch, and what a switch does no host, before the delay of a host's
// link has passed. So a fabric that is split goes on by turns: all switches for as long as no host
// could interfere, then one host after the other for as long as no switch could. To each switch and
// each host the same happens at the same times, in the same order; but the times of different hosts
// come in no order. It is much faster where there are many: what a host has at hand stays at hand.
#ifndef METAROCE_MODEL_FABRIC_FABRIC_H_
#define METAROCE_MODEL_FABRIC_FABRIC_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/fabric/calendar.h"
#include "model/fabric/fault.h"
#include "model/fabric/hash.h"
#include "model/fabric/packet.h"
#include "model/fabric/split.h"
#include "model/wire/frame/address.h"

namespace metaroce::fabric {

// What marks. Bytes of wire size.
struct Marking {
  bool ramp = false;
  uint64_t step = UINT64_MAX;
  uint64_t min = 0;
  uint64_t max = 0;
  uint32_t max_chance_ppm = 1000000;
};

struct LinkSpec {
  uint32_t rate_mbps = 400000;
  Picoseconds delay = 0;
  Marking marking;
  uint64_t limit = UINT64_MAX;  // bytes
};

struct Config {
  uint32_t hosts = 2;
  uint32_t hosts_per_leaf = 1;
  uint32_t spines = 0;
  uint32_t planes = 1;
  bool ipv6 = false;
  LinkSpec host_link;  // between host and leaf, both directions
  LinkSpec spine_link;
  HashFamily hash = HashFamily::kCrc32c;
  uint64_t seed = 1;
};

struct alignas(64) LinkCounts {
  uint64_t packets = 0;
  uint64_t bytes = 0;  // of wire size
  uint64_t marks = 0;
  uint64_t tail_drops = 0;
  uint64_t fault_drops = 0;
  Picoseconds longest = 0;     // the longest queue, as time
  uint64_t longest_bytes = 0;  // the same in bytes
};

enum class LinkKind : uint8_t { kHostUp, kHostDown, kLeafUp, kLeafDown };

// Why a packet was lost.
enum class Loss : uint8_t { kTail, kFault, kLinkDown, kNoRoute };
const char* Name(Loss loss);

// Told of each packet as it goes, if there is one.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnSent(uint32_t /*packet*/) {}  // its first bit leaves its host
  virtual void OnLost(uint32_t /*packet*/, uint32_t /*link*/, Loss /*why*/) {}
  virtual void OnMarked(uint32_t /*packet*/, uint32_t /*link*/) {}
  // `fault` begins or ends.
  virtual void OnFault(uint32_t /*fault*/, bool /*begins*/) {}
};

// What a step of the fabric leaves to its user.
struct Happened {
  enum Kind : uint8_t { kNothing, kArrived, kPortFree, kPortChanged, kTimer };
  Kind kind = kNothing;
  uint32_t index = 0;  // packet, host, or what was given to SetTimer
  uint8_t plane = 0;
  bool up = false;
};

class Fabric {
 public:
  // Preconditions: hosts is a multiple of hosts_per_leaf; without spines all hosts hang on one
  // leaf; rates are above 0.
  explicit Fabric(const Config& config, std::vector<Fault> faults = {});
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  Slab& packets() { return packets_; }
  const Slab& packets() const { return packets_; }
  const Config& config() const { return config_; }
  // Of what happened last.
  Picoseconds now() const { return now_; }
  // Nothing will happen any more. Precondition: not split.
  bool idle() const { return calendar_.empty() && pending_.empty(); }
  // When the next thing happens. Preconditions: !idle(), not split.
  Picoseconds Next() { return pending_.empty() ? calendar_.Next() : now(); }
  // `sent`: it is told of each packet that is sent, too.
  void set_observer(Observer* observer, bool sent = true) {
    observer_ = observer;
    sent_observer_ = sent ? observer : nullptr;
  }

  // An event of the user's own, at a host: kTimer with `index`, below 2^30.
  void SetTimer(Picoseconds at, uint32_t index, uint32_t host) {
    PushAtHost(host, at, kTimerEvent | index);
  }

  // Goes on by turns, from now on. Preconditions: no faults, a delay of the links of hosts.
  // `host_of_timer` gives the host of an index that was given to SetTimer.
  void Split(const std::function<uint32_t(uint32_t)>& host_of_timer);
  bool split() const { return split_; }

  // Puts a packet into the queue of its host's port. Fields set before: headers, length, payload,
  // from, to, plane, kind, and those of the user.
  void Send(uint32_t packet);
  // Packets of DATA that wait in all ports of a host, those on their way out not counted. While
  // there are some, kPortFree of the host will happen.
  uint32_t DataWaiting(uint32_t host) const { return waiting_[host]; }
  bool DataWaits(uint32_t host, uint8_t plane) const {
    return nics_[plane * config_.hosts + host].data.count > 0;
  }
  // Ports of a host in which some wait.
  uint32_t PortsWaiting(uint32_t host) const { return ports_waiting_[host]; }

  // Takes the next event. A packet that has arrived is the user's, who frees it. Preconditions:
  // !idle(), not split.
  Happened Step() {
    uint64_t events = 1;
    return Run(INT64_MAX, &events);
  }
  // Takes events until one leaves something to the user. kNothing: no further event is before
  // `until`, or so many as `events` says were taken. Those that were taken are counted off.
  Happened Run(Picoseconds until, uint64_t* events);

  // The packet as its receiver gets it: hop limit and mark are written into the headers.
  Bytes Received(uint32_t packet);

  uint32_t links() const { return static_cast<uint32_t>(links_.size()); }
  LinkKind KindOf(uint32_t link) const { return links_[link].kind; }
  uint8_t PlaneOf(uint32_t link) const { return links_[link].plane; }
  const LinkCounts& CountsOf(uint32_t link) const { return counts_[link]; }
  uint32_t RateOf(uint32_t link) const { return slow_[link].spec.rate_mbps; }
  // Bytes that wait before the link now.
  uint64_t QueueOf(uint32_t link) const;
  // "plane 0, leaf 2 to spine 1"
  std::string NameOf(uint32_t link) const;
  uint64_t steps() const { return steps_; }
  uint32_t leaves() const { return leaves_; }

  uint32_t HostUp(uint32_t host, uint8_t plane) const { return plane * per_plane_ + host; }
  uint32_t HostDown(uint32_t host, uint8_t plane) const {
    return plane * per_plane_ + config_.hosts + host;
  }
  uint32_t LeafUp(uint32_t leaf, uint32_t spine, uint8_t plane) const {
    return plane * per_plane_ + 2 * config_.hosts + leaf * config_.spines + spine;
  }
  uint32_t LeafDown(uint32_t spine, uint32_t leaf, uint8_t plane) const {
    return plane * per_plane_ + 2 * config_.hosts + leaves_ * config_.spines + spine * leaves_ +
           leaf;
  }

 private:
  static constexpr uint32_t kPacketEvent = 0;
  static constexpr uint32_t kPortEvent = 1u << 30;
  static constexpr uint32_t kTimerEvent = 2u << 30;
  static constexpr uint32_t kScriptEvent = 3u << 30;
  static constexpr uint32_t kKindMask = 3u << 30;

  // A fault on one link.
  struct Attached {
    uint32_t fault;
    uint64_t seen = 0;  // packets that it could have struck
    uint64_t random;
  };
  // What each packet needs of a link: one line of a cache.
  struct alignas(64) Link {
    Picoseconds busy_until = 0;
    Picoseconds delay = 0;
    Picoseconds mark_from = 0;  // thresholds as time
    Picoseconds full = 0;
    uint32_t per_byte = 0;   // ps, 0 if that is no integer
    uint32_t remainder = 0;  // of the last division, in 1 / rate of a ps
    uint32_t next = 0;       // of kHostUp and kLeafUp: links behind it begin with this one
    uint16_t near = 0;       // host, leaf or spine where it begins
    uint16_t far = 0;
    uint16_t down = 0;  // faults that hold it down
    LinkKind kind = LinkKind::kHostUp;
    uint8_t plane = 0;
    bool faulty = false;  // some fault is of this link
  };
  // The rest of it.
  struct Slow {
    LinkSpec spec;
    Picoseconds mark_all = 0;
    uint64_t random = 0;
    uint16_t excluded = 0;  // faults that hold it down and that routing knows
    std::vector<Attached> faults;
  };
  struct Queue {
    uint32_t first = kNoPacket;
    uint32_t last = kNoPacket;
    uint32_t count = 0;
  };
  struct alignas(64) Nic {
    Queue urgent;
    Queue data;
    uint32_t link = 0;
    uint32_t host = 0;
    uint8_t plane = 0;
    bool wanted = false;  // kPortFree is on its way
  };
  // The order of events of one time: see above.
  struct Rank {
    const Slab* packets;
    uint32_t operator()(uint32_t what) const {
      if (what < kPortEvent) return 1 + (*packets)[what].link;
      return what < kScriptEvent ? what : 0;
    }
  };
  // Something that happens to a fault: it begins, ends, or routing learns of either.
  struct Scripted {
    enum What : uint8_t { kBegins, kEnds, kLearned, kForgotten };
    uint32_t fault;
    What what;
  };

  void Build();
  void Attach();
  void SetRate(uint32_t link, uint32_t mbps);
  Picoseconds Serialise(Link& link, uint32_t bytes, Picoseconds start) {
    if (link.per_byte != 0) [[likely]] {
      return start + Picoseconds{bytes} * link.per_byte;
    }
    return Divide(link, bytes, start);
  }
  Picoseconds Divide(Link& link, uint32_t bytes, Picoseconds start);
  // A packet goes into the queue of a switch.
  void Enqueue(uint32_t packet, Packet& p, uint32_t link, Picoseconds now);
  // It was put on the wire and has left at `left`.
  void Launch(uint32_t packet, Packet& p, const Link& link, Picoseconds left) {
    const Picoseconds arrives = left + link.delay;
    if (link.faulty) [[unlikely]] {
      return Struck(packet, p.link, arrives);
    }
    if (split_) return Onward(packet, p, link, arrives);
    calendar_.Push(arrives, kPacketEvent | packet);
  }
  // An event of a host but for arrivals.
  void PushAtHost(uint32_t host, Picoseconds at, uint32_t what) {
    if (!split_) return calendar_.Push(at, what);
    at_host_[host].Push({at, what, what});
  }
  // In a fabric that is split: the packet, which arrives at the end of its link at `at`, waits
  // there for its turn.
  void Onward(uint32_t packet, Packet& p, const Link& link, Picoseconds at);
  // All switches, as long as nothing can come to them that hosts send from `hosts` on; how many
  // packets they passed on. Then hosts may go on until turn_until_.
  uint64_t TurnOfSwitches(Picoseconds hosts, Picoseconds until);
  uint64_t TurnOfLinks(LinkKind kind, Picoseconds until);
  // Something happens; what it leaves to the user. False: nothing.
  bool Happens(uint32_t what, Happened* happened);
  Happened RunSplit(Picoseconds until, uint64_t* events);
  void Struck(uint32_t packet, uint32_t link, Picoseconds at);
  void Lose(uint32_t packet, uint32_t link, Loss why);
  bool Mark(uint32_t link, Picoseconds queue);
  void StartPort(uint32_t nic);
  // When the port next is idle, it is served.
  void WantPort(Nic& nic, const Link& link, uint32_t index);
  // True if it has arrived.
  bool Hop(uint32_t packet);
  uint32_t ChooseSpine(const Packet& p, uint32_t leaf, uint32_t to_leaf) const {
    return excluded_[p.plane] == 0 ? p.hash % config_.spines : ChooseOther(p, leaf, to_leaf);
  }
  uint32_t ChooseOther(const Packet& p, uint32_t leaf, uint32_t to_leaf) const;
  Happened TakePending();
  void Script(uint32_t index);
  static void Append(Slab& slab, Queue& queue, uint32_t packet);
  static uint32_t TakeFirst(Slab& slab, Queue& queue);

  Config config_;
  uint32_t leaves_ = 1;
  uint32_t per_plane_ = 0;
  std::vector<Fault> faults_;
  std::vector<Scripted> script_;
  std::vector<Link> links_;
  std::vector<Slow> slow_;  // by link, as are they
  std::vector<LinkCounts> counts_;
  std::vector<Nic> nics_;          // by plane and host
  std::vector<uint32_t> waiting_;  // by host
  std::vector<uint32_t> ports_waiting_;
  std::vector<uint16_t> leaf_of_;
  std::vector<EcmpHash> hashes_;        // by plane and leaf
  std::vector<EcmpHash::Memos> memos_;  // by plane and host
  std::vector<uint16_t> excluded_;      // by plane: links that routing knows to be down
  std::vector<Happened> pending_;       // ports that changed
  Slab packets_;
  Calendar<Rank> calendar_;
  Picoseconds now_ = 0;
  // Of a fabric that is split.
  bool split_ = false;
  std::vector<HostEvents> at_host_;
  std::vector<Inbox> inboxes_;             // by link: what will be put into its queue
  std::vector<uint32_t> inboxes_used_[4];  // by LinkKind: those that are not empty
  // The host whose turn it is, that of switches behind the last; and until when hosts go on.
  uint32_t turn_host_ = 0;
  Picoseconds turn_until_ = 0;
  Observer* observer_ = nullptr;
  Observer* sent_observer_ = nullptr;
  uint64_t steps_ = 0;
  uint64_t numbers_ = 0;
};

// The address of a host's port to a plane, and of the bytes of an address whose it is.
frame::IpAddress AddressOf(uint32_t host, uint8_t plane, bool ipv6);
frame::MacAddress MacOf(uint32_t host, uint8_t plane);
uint32_t HostOf(const frame::IpAddress& address);

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_FABRIC_H_
