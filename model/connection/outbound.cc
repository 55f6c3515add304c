#include "model/connection/outbound.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace metaroce {
namespace {

constexpr uint32_t kNone = Outgoing::kNone;

//= MSG-SEGMENT
//# A message of `length` bytes with a payload tail has max(1, ceil(`length` / MTU)) packets.
uint32_t PacketsOf(uint32_t length, uint32_t mtu) {
  return std::max<uint32_t>(1, length / mtu + (length % mtu != 0));
}

}  // namespace

Outbound::Outbound(Msn start_msn, ReceiveIndex start_index, ReceiveIndex credit,
                   const OutboundLimits& limits)
    : limits_(limits),
      next_index_(start_index),
      credit_(credit),
      last_stream_(static_cast<uint16_t>(limits.streams - 1)),
      streams_(limits.streams),
      maybe_(limits.streams / 64 + 1) {
  //= SEQ-MSN
  //# The first is the `start_msn` of CONNECT or CONNECT_REPLY, in every slot.
  for (Stream& stream : streams_) stream.next_msn = start_msn;
}

uint32_t Outbound::Take() {
  uint32_t message = free_;
  if (message == kNone) {
    message = static_cast<uint32_t>(slab_.size());
    slab_.emplace_back();
  } else {
    free_ = slab_[message].next;
    slab_[message] = Outgoing();
  }
  slab_[message].used = true;
  return message;
}

void Outbound::Free(uint32_t message) {
  slab_[message] = Outgoing();
  slab_[message].next = free_;
  free_ = message;
}

uint32_t Outbound::Post(const WorkRequest& work) {
  const uint32_t message = Take();
  Stream& stream = streams_[work.stream];
  Outgoing& m = slab_[message];
  m.work = work;
  m.packets = HasResponse(work.kind) ? 1 : PacketsOf(work.length, limits_.mtu);
  m.order = posts_++;
  m.held = std::exchange(hold_next_, false);
  //= MSG-POST
  //# it takes the next MSN of its stream [SEQ-MSN] and, if it consumes a receive, the next receive
  //# index of the connection [SEQ-INDEX].
  m.msn = stream.next_msn;
  ++stream.next_msn;
  if (ConsumesReceive(work.kind)) {
    //= SEQ-INDEX
    //# A work request that consumes a receive takes the next index of the peer's queue when it is
    //# posted.
    m.index = taken_index_.value_or(next_index_);
    taken_index_.reset();
    if (m.index >= next_index_) next_index_ = m.index + 1;
  }
  if (stream.tail == kNone) {
    stream.head = message;
  } else {
    slab_[stream.tail].next = message;
  }
  stream.tail = message;
  if (stream.unsent == kNone) stream.unsent = message;
  if (stream.unacknowledged == kNone) stream.unacknowledged = message;
  if (stream.uncompleted == kNone) stream.uncompleted = message;
  ++incomplete_;
  ++unsent_messages_;
  Touch(work.stream);
  return message;
}

//= MSG-RESPONSE
//# The response to a Read or an atomic has the stream, the MSN and the `length` of its request.
void Outbound::Respond(const WorkRequest& read, Msn msn, uint64_t value) {
  const uint32_t message = Take();
  Outgoing& m = slab_[message];
  m.work = read;
  m.msn = msn;
  m.response = true;
  m.value = value;
  m.packets = IsAtomic(read.kind) ? 1 : PacketsOf(read.length, limits_.mtu);
  if (response_last_ == kNone) {
    response_first_ = message;
  } else {
    slab_[response_last_].next = message;
  }
  response_last_ = message;
}

// A Read or an atomic of the stream before `message` is not done.
bool Outbound::ReadBefore(const Stream& stream, uint32_t message) const {
  for (uint32_t i = stream.head; i != message; i = slab_[i].next) {
    if (HasResponse(slab_[i].work.kind) && !slab_[i].done) return true;
  }
  return false;
}

Outbound::Wait Outbound::Waits(const Stream& stream, uint32_t message) const {
  const Outgoing& m = slab_[message];
  if (m.held && m.sent + 1 == m.packets) return Wait::kLater;
  if (!m.begun) {
    //= SEQ-MSN-OPEN
    //# A sender begins a message only if its MSN is less than that of the oldest message of the
    //# stream that is not acknowledged as a whole, plus the `open_messages` that its peer granted.
    if (!InWindow(message)) return Wait::kNever;
    //= MSG-FENCE
    //# Until it begins, no later work request of that stream begins.
    if (m.work.fenced && ReadBefore(stream, message)) return Wait::kNever;
    //= MSG-READ-LIMIT
    //# A Read request or an atomic is first transmitted only if fewer than `reads` Reads and
    //# atomics of its direction are outstanding.
    if (HasResponse(m.work.kind) && outstanding_ >= limits_.reads) return Wait::kLater;
  }
  //= MSG-CREDIT
  //# No packet of a Send is first transmitted before its receive index is below the credit that the
  //# requester has learned; of a Write with immediate, not the last packet.
  const bool needs =
      IsSend(m.work.kind) || (m.work.kind == WorkKind::kWriteImmediate && m.sent + 1 == m.packets);
  if (needs && m.index >= credit_) return Wait::kCredit;
  return Wait::kReady;
}

// Calls visit(message, wait) for each message of the stream with packets not transmitted, in the
// order of their MSNs, up to the one behind which none may go, until visit returns false.
template <typename F>
void Outbound::Walk(const Stream& stream, F visit) const {
  for (uint32_t i = stream.unsent; i != kNone; i = slab_[i].next) {
    const Outgoing& m = slab_[i];
    if (m.sent == m.packets) continue;
    const Wait wait = Waits(stream, i);
    if (wait == Wait::kNever || !visit(i, wait)) return;
    if (m.work.fenced && !m.begun) return;
  }
}

uint32_t Outbound::ReadyOf(uint16_t s) const {
  uint32_t ready = kNone;
  Walk(streams_[s], [&](uint32_t message, Wait wait) {
    if (wait == Wait::kReady) ready = message;
    return ready == kNone;
  });
  return ready;
}

void Outbound::TouchAll() {
  for (uint16_t s = 0; s < streams_.size(); ++s) {
    if (streams_[s].unsent != kNone) Touch(s);
  }
}

inline std::optional<uint16_t> Outbound::NextMaybe(uint16_t from) const {
  const size_t words = maybe_.size();
  size_t w = from / 64;
  // The word of `from` comes twice: first its upper bits, at last its lower ones.
  uint64_t word = maybe_[w] & UINT64_MAX << (from % 64);
  for (size_t left = words; word == 0; --left) {
    if (left == 0) return std::nullopt;
    if (++w == words) w = 0;
    word = maybe_[w];
  }
  return static_cast<uint16_t>(w * 64 + static_cast<size_t>(std::countr_zero(word)));
}

[[gnu::flatten]] uint32_t Outbound::FindReady(uint16_t from) {
  while (const std::optional<uint16_t> s = NextMaybe(from)) {
    const uint32_t message = ReadyOf(*s);
    if (message != kNone) return message;
    maybe_[*s / 64] &= ~(uint64_t{1} << (*s % 64));
  }
  return kNone;
}

void Outbound::FindFirstReady() {
  first_ready_ = {FindReady(Behind(last_stream_)), true, false};
  if (first_ready_.message == kNone) return;
  int streams = 0;
  for (const uint64_t word : maybe_) streams += std::popcount(word);
  first_ready_.alone = streams == 1;
}

uint32_t Outbound::ChooseRequest(Chooser& chooser) {
  uint16_t at = Behind(last_stream_);
  std::vector<uint32_t> ready;
  for (uint32_t message; (message = FindReady(at)) != kNone;) {
    if (!ready.empty() && ready[0] == message) break;
    ready.push_back(message);
    at = Behind(slab_[message].work.stream);
  }
  if (ready.empty()) return kNone;
  // MSG-NEXT admits any ready packet of a slot, not its lowest MSN alone; those behind it follow in
  // the order of the text.
  std::vector<uint32_t> all;
  for (uint32_t first : ready) {
    Walk(streams_[slab_[first].work.stream], [&](uint32_t message, Wait wait) {
      if (wait == Wait::kReady) all.push_back(message);
      return true;
    });
  }
  return all[ChoosePlace(&chooser, spec::Choice::kNextRequest, all.size(),
                         [&](uint64_t place) { return Face(all[place]); })];
}

uint32_t Outbound::NextResponse(Chooser* chooser) {
  if (chooser == nullptr || response_first_ == kNone) return response_first_;
  std::vector<uint32_t> all;
  for (uint32_t i = response_first_; i != kNone; i = slab_[i].next) all.push_back(i);
  return all[ChoosePlace(chooser, spec::Choice::kNextResponse, all.size(),
                         [&](uint64_t place) { return Face(all[place]); })];
}

uint32_t Outbound::Response(uint16_t stream, Msn msn) const {
  for (uint32_t i = response_first_; i != kNone; i = slab_[i].next) {
    if (slab_[i].work.stream == stream && slab_[i].msn == msn) return i;
  }
  return kNone;
}

uint32_t Outbound::NextOfBoth(Chooser* chooser) {
  //= MSG-TURNS
  //# it is one of the kind of which the latest packet of new data was not; if there was none
  //# before, it is a response.
  if (!last_was_request_ && unsent_messages_ > 0) {
    const uint32_t request = FirstRequest();
    if (request != kNone) return chooser == nullptr ? request : NextRequest(chooser);
  }
  return NextResponse(chooser);
}

bool Outbound::Sent(uint32_t message) {
  Outgoing& m = slab_[message];
  m.begun = true;
  ++m.sent;
  last_was_request_ = !m.response;
  if (m.response) {
    if (m.sent < m.packets) return false;
    uint32_t* link = &response_first_;
    uint32_t before = kNone;
    while (*link != message) {
      before = *link;
      link = &slab_[*link].next;
    }
    *link = m.next;
    if (response_last_ == message) response_last_ = before;
    m.next = kNone;
    return true;
  }
  any_sent_ = true;
  last_stream_ = m.work.stream;
  if (HasResponse(m.work.kind)) ++outstanding_;
  Stream& stream = streams_[m.work.stream];
  // Where no other stream has anything ready, the next packet of the same message is the next of
  // all.
  first_ready_.known = first_ready_.known && first_ready_.alone &&
                       first_ready_.message == message && m.sent < m.packets &&
                       stream.unsent == message && m.work.kind == WorkKind::kWrite && !m.held;
  if (m.sent == m.packets) {
    --unsent_messages_;
    while (stream.unsent != kNone && slab_[stream.unsent].sent == slab_[stream.unsent].packets) {
      stream.unsent = slab_[stream.unsent].next;
    }
  }
  return false;
}

void Outbound::Unwind(Stream& stream) {
  while (stream.head != kNone && slab_[stream.head].completed &&
         slab_[stream.head].Acknowledged()) {
    const uint32_t message = stream.head;
    stream.head = slab_[message].next;
    if (stream.tail == message) stream.tail = kNone;
    Free(message);
  }
}

void Outbound::AllAcknowledged(uint32_t message) {
  Outgoing& m = slab_[message];
  if (m.response) return Free(message);
  //= MSG-DONE-ACKNOWLEDGED
  //# A Write or a Send of any kind is done when all its packets have been transmitted and each of
  //# its CSNs is below the cumulative CSN
  if (!HasResponse(m.work.kind)) m.done = true;
  const uint16_t s = m.work.stream;
  Stream& stream = streams_[s];
  while (stream.unacknowledged != kNone && slab_[stream.unacknowledged].Acknowledged()) {
    stream.unacknowledged = slab_[stream.unacknowledged].next;
  }
  if (stream.unsent != kNone) Touch(s);
  Unwind(stream);
}

uint32_t Outbound::FindOutstanding(uint16_t s, Msn msn, bool atomic) const {
  if (s >= streams_.size()) return kNone;
  for (uint32_t i = streams_[s].head; i != kNone; i = slab_[i].next) {
    const Outgoing& m = slab_[i];
    if (m.msn > msn) return kNone;
    if (m.msn != msn) continue;
    const bool fits = HasResponse(m.work.kind) && IsAtomic(m.work.kind) == atomic;
    return fits && m.sent > 0 && !m.done ? i : kNone;
  }
  return kNone;
}

void Outbound::Placed(uint32_t message, bool last) {
  Outgoing& m = slab_[message];
  ++m.placed;
  m.last_placed = m.last_placed || last;
  //= MSG-DONE-RESPONSE
  //# A Read or an atomic is done when its response is complete
  const uint32_t packets = IsAtomic(m.work.kind) ? 1 : PacketsOf(m.work.length, limits_.mtu);
  if (!m.last_placed || m.placed < packets) return;
  m.done = true;
  --outstanding_;
  TouchAll();
}

uint32_t Outbound::Flush(uint16_t s) {
  Stream& stream = streams_[s];
  const uint32_t message = stream.uncompleted;
  if (message == kNone) return kNone;
  slab_[message].completed = true;
  stream.uncompleted = slab_[message].next;
  --incomplete_;
  return message;
}

uint32_t Outbound::Oldest() const {
  uint32_t oldest = kNone;
  for (const Stream& stream : streams_) {
    const uint32_t m = stream.uncompleted;
    if (m != kNone && (oldest == kNone || slab_[m].order < slab_[oldest].order)) oldest = m;
  }
  return oldest;
}

uint32_t Outbound::WithIndex(ReceiveIndex index) const {
  for (const Stream& stream : streams_) {
    for (uint32_t i = stream.uncompleted; i != kNone; i = slab_[i].next) {
      if (ConsumesReceive(slab_[i].work.kind) && slab_[i].index == index) return i;
    }
  }
  return kNone;
}

uint32_t Outbound::WithMsn(uint16_t s, Msn msn) const {
  if (s >= streams_.size()) return kNone;
  for (uint32_t i = streams_[s].uncompleted; i != kNone; i = slab_[i].next) {
    if (slab_[i].msn == msn) return i;
  }
  return kNone;
}

void Outbound::Credit(ReceiveIndex credit) {
  credit_ = credit;
  TouchAll();
}

std::optional<ReceiveIndex> Outbound::LowestWaiting() const {
  std::optional<ReceiveIndex> waits;
  if (SupposedWaits()) waits = supposed_index_;
  if (next_index_ <= credit_) return waits;
  for (uint16_t s = 0; s < streams_.size(); ++s) {
    Walk(streams_[s], [&](uint32_t message, Wait wait) {
      const ReceiveIndex index = slab_[message].index;
      if (wait == Wait::kCredit && (!waits || index < *waits)) waits = index;
      return true;
    });
  }
  return waits;
}

}  // namespace metaroce
