// What a receiver allots to those who send to it (section 8.10). Rates in Mb/s, times in
// nanoseconds.
#ifndef METAROCE_MODEL_CONGESTION_HINT_H_
#define METAROCE_MODEL_CONGESTION_HINT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/profile.h"
#include "model/serial.h"

namespace metaroce {
struct StateFields;  // model/state/fields.h
}

namespace metaroce::congestion {

// What a connection asks of the capacity, and what it gets.
struct Claim {
  static constexpr uint64_t kNoDemand = UINT64_MAX;

  uint64_t demand = kNoDemand;
  uint32_t cid = 0;
  uint64_t share = 0;

  bool operator==(const Claim&) const = default;
};
// Divides `capacity` among the claims; sorts them.
void WaterFill(uint64_t capacity, std::vector<Claim>* claims);

// An active sender.
struct Sender {
  uint32_t cid = 0;
  Nanoseconds rtt = 0;       // of the handshake
  uint32_t full_packet = 0;  // S
  Nanoseconds last = 0;      // arrival of DATA
  Nanoseconds began = 0;     // running period
  uint64_t bytes = 0;        // in it
  uint64_t r1 = 0;           // rate of the last period, and of the one before
  uint64_t r2 = 0;
  uint32_t low = 0;  // low periods in a row
  uint64_t demand = Claim::kNoDemand;

  bool operator==(const Sender&) const = default;
};

// A plain value.
class Allocator {
 public:
  // Capacity C of `mbps` in all ports that are up.
  static uint64_t Capacity(uint64_t mbps, const Profile& profile);

  // HINT-ARRIVAL: `bytes` of wire size on the connection that `who` describes by cid, rtt and
  // full_packet. Time does not go back. Whether it was not active before.
  bool Arrive(const Sender& who, uint32_t bytes, Nanoseconds now, uint64_t capacity,
              const Profile& profile);
  // The same where it changes nothing but what it counts, which is the usual case. False, and
  // nothing is done: Arrive must be called.
  bool ArriveAgain(uint32_t cid, uint32_t bytes, Nanoseconds now, const Profile& profile) {
    if (now >= sweep_at_ || latest_ >= senders_.size()) return false;
    Sender& sender = senders_[latest_];
    if (sender.cid != cid || now - sender.began >= PeriodOf(sender, profile)) return false;
    sender.bytes += bytes;
    sender.last = now;
    return true;
  }
  // The capacity may be another from now on.
  void CapacityChanged() { sweep_at_ = 0; }
  // The first steps of HINT-VALUE, before Share.
  void Bring(Nanoseconds now, uint64_t capacity, const Profile& profile);
  // The share of that connection in what Bring was told, as one without demand if it is not active.
  uint64_t Share(uint32_t cid);
  // The connection has ended.
  void Forget(uint32_t cid);

  bool Active(uint32_t cid) const { return Find(cid) != nullptr; }
  // By cid, ascending.
  const std::vector<Sender>& senders() const { return senders_; }
  // Whether all of them have a peer in common, while the caller's answer still holds.
  std::optional<bool> one_peer;

  bool operator==(const Allocator& other) const { return senders_ == other.senders_; }

 private:
  friend struct metaroce::StateFields;

  static Nanoseconds PeriodOf(const Sender& sender, const Profile& profile) {
    //= HINT-PERIOD
    //# A period of a connection is max(`hint_period_min`, RTT) long.
    return std::max(profile.Time(spec::Constant::kHintPeriodMin), sender.rtt);
  }

  const Sender* Find(uint32_t cid) const;
  Sender* Find(uint32_t cid);
  void SetCapacity(uint64_t capacity);
  void Sweep(Nanoseconds now, const Profile& profile);
  void ClosePeriods(Sender& sender, Nanoseconds now, const Profile& profile);
  void SetChanged();

  std::vector<Sender> senders_;
  // What follows from them and is kept from call to call.
  size_t latest_ = 0;  // whose packet came last, unless the list has changed since
  uint64_t capacity_ = 0;
  Nanoseconds sweep_at_ = 0;  // nothing is to be swept before
  Nanoseconds close_at_ = 0;  // no period ends before
  bool shared_ = false;       // claims_ are right
  std::vector<Claim> claims_;
};

}  // namespace metaroce::congestion

#endif  // METAROCE_MODEL_CONGESTION_HINT_H_
