#include "model/congestion/hint.h"

#include <algorithm>

namespace metaroce::congestion {
namespace {

// The silence after which one of n senders is no longer active.
Nanoseconds SilenceOf(const Sender& sender, uint64_t n, uint64_t capacity, const Profile& profile) {
  //= HINT-SWEEP
  //# max(`hint_idle_min`, 2 * RTT, (4 * N * S * 8000) / C)
  return std::max({profile.Time(spec::Constant::kHintIdleMin), 2 * sender.rtt,
                   static_cast<Nanoseconds>(4 * n * sender.full_packet * 8000 / capacity)});
}

}  // namespace

//= HINT-SHARES
//# The active connections are taken in ascending order of demand, those without demand last, equal
//# ones in ascending order of the own cid.
void WaterFill(uint64_t capacity, std::vector<Claim>* claims) {
  std::sort(claims->begin(), claims->end(), [](const Claim& a, const Claim& b) {
    return a.demand != b.demand ? a.demand < b.demand : a.cid < b.cid;
  });
  uint64_t c = capacity;
  uint64_t k = claims->size();
  for (Claim& claim : *claims) {
    //= HINT-SHARES
    //# each in turn gets its demand if it has one and it is at most c / k, else c / k; what it got
    //# is taken from c, and k falls by one.
    claim.share = std::min(claim.demand, c / k);
    c -= claim.share;
    --k;
  }
}

uint64_t Allocator::Capacity(uint64_t mbps, const Profile& profile) {
  //= HINT-CAPACITY
  //# C is max(1, r * `hint_percent` / 100)
  return std::max<uint64_t>(1, mbps * profile[spec::Constant::kHintPercent] / 100);
}

const Sender* Allocator::Find(uint32_t cid) const {
  const auto at = std::lower_bound(senders_.begin(), senders_.end(), cid,
                                   [](const Sender& s, uint32_t c) { return s.cid < c; });
  return at != senders_.end() && at->cid == cid ? &*at : nullptr;
}
Sender* Allocator::Find(uint32_t cid) {
  return const_cast<Sender*>(std::as_const(*this).Find(cid));
}

void Allocator::SetChanged() {
  shared_ = false;
  one_peer.reset();
}

void Allocator::SetCapacity(uint64_t capacity) {
  if (capacity == capacity_) return;
  capacity_ = capacity;
  sweep_at_ = 0;
  shared_ = false;
}

//= HINT-SWEEP
//# With N counted at the beginning of the sweep, each active connection whose last arrival is
void Allocator::Sweep(Nanoseconds now, const Profile& profile) {
  if (now < sweep_at_) return;
  const uint64_t n = senders_.size();
  const auto silent = [&](const Sender& s) {
    return now - s.last >= SilenceOf(s, n, capacity_, profile);
  };
  senders_.erase(std::remove_if(senders_.begin(), senders_.end(), silent), senders_.end());
  if (senders_.size() != n) SetChanged();
  sweep_at_ = kNever;
  for (const Sender& s : senders_) {
    sweep_at_ = std::min(sweep_at_, s.last + SilenceOf(s, senders_.size(), capacity_, profile));
  }
}

//= HINT-PERIOD
//# While its running period is over, which it is from its end on, it is closed, with N and C as
//# they are: r2 = r1; r1 = bytes * 8000 / period; the bytes become 0; the next period begins where
//# it ended;
void Allocator::ClosePeriods(Sender& sender, Nanoseconds now, const Profile& profile) {
  const Nanoseconds period = PeriodOf(sender, profile);
  const uint64_t n = senders_.size();
  while (now - sender.began >= period) {
    sender.r2 = sender.r1;
    sender.r1 = sender.bytes * 8000 / static_cast<uint64_t>(period);
    sender.bytes = 0;
    sender.began += period;
    //= HINT-PERIOD
    //# the low periods grow by one if 2 * r1 * N is less than C, else they become 0.
    sender.low = 2 * sender.r1 * n < capacity_ ? sender.low + 1 : 0;
    //= HINT-PERIOD
    //# the demand is max(m + (m >> 1), C / (4 * N)) with m = max(r1, r2), else there is none.
    const uint64_t m = std::max(sender.r1, sender.r2);
    const uint64_t demand = sender.low >= profile[spec::Constant::kHintLowPeriods]
                                ? std::max(m + (m >> 1), capacity_ / (4 * n))
                                : Claim::kNoDemand;
    shared_ = shared_ && demand == sender.demand;
    sender.demand = demand;
  }
}

//= HINT-ARRIVAL
//# if the connection is not active it becomes active, with a period that begins now, no bytes, r1,
//# r2 and low periods 0, and no demand; the packet's wire size is added to its bytes; its last
//# arrival is now.
bool Allocator::Arrive(const Sender& who, uint32_t bytes, Nanoseconds now, uint64_t capacity,
                       const Profile& profile) {
  SetCapacity(capacity);
  Sweep(now, profile);
  Sender* sender = Find(who.cid);
  const bool fresh_one = sender == nullptr;
  if (!fresh_one) {
    ClosePeriods(*sender, now, profile);
  } else {
    Sender fresh;
    fresh.cid = who.cid;
    fresh.rtt = who.rtt;
    fresh.full_packet = who.full_packet;
    fresh.began = now;
    const auto at = std::lower_bound(senders_.begin(), senders_.end(), who.cid,
                                     [](const Sender& s, uint32_t c) { return s.cid < c; });
    sender = &*senders_.insert(at, fresh);
    SetChanged();
    sweep_at_ = std::min(sweep_at_, now + profile.Time(spec::Constant::kHintIdleMin));
    close_at_ = std::min(close_at_, now + PeriodOf(fresh, profile));
  }
  latest_ = static_cast<size_t>(sender - senders_.data());
  sender->bytes += bytes;
  sender->last = now;
  return fresh_one;
}

void Allocator::Bring(Nanoseconds now, uint64_t capacity, const Profile& profile) {
  SetCapacity(capacity);
  Sweep(now, profile);
  if (now < close_at_) return;
  close_at_ = kNever;
  for (Sender& sender : senders_) {
    ClosePeriods(sender, now, profile);
    close_at_ = std::min(close_at_, sender.began + PeriodOf(sender, profile));
  }
}

uint64_t Allocator::Share(uint32_t cid) {
  //= HINT-VALUE
  //# if the ACK's connection is not active, it counts as active without demand for this computation
  //# alone.
  const bool stranger = !Active(cid);
  if (!shared_ || stranger) {
    claims_.clear();
    for (const Sender& sender : senders_) claims_.push_back({sender.demand, sender.cid, 0});
    if (stranger) claims_.push_back({Claim::kNoDemand, cid, 0});
    WaterFill(capacity_, &claims_);
    shared_ = !stranger;
    std::sort(claims_.begin(), claims_.end(),
              [](const Claim& a, const Claim& b) { return a.cid < b.cid; });
  }
  const auto at = std::lower_bound(claims_.begin(), claims_.end(), cid,
                                   [](const Claim& claim, uint32_t c) { return claim.cid < c; });
  return at->share;
}

void Allocator::Forget(uint32_t cid) {
  const Sender* sender = Find(cid);
  if (sender == nullptr) return;
  senders_.erase(senders_.begin() + (sender - senders_.data()));
  SetChanged();
  sweep_at_ = 0;
}

}  // namespace metaroce::congestion
