// What one endpoint sends on a connection: work requests by stream, the responses it owes, which
// packet of which message is ready, and the order in which work requests are completed (chapter
// 10).
#ifndef METAROCE_MODEL_CONNECTION_OUTBOUND_H_
#define METAROCE_MODEL_CONNECTION_OUTBOUND_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "model/chooser.h"
#include "model/serial.h"
#include "spec/tables.h"

namespace metaroce {

struct StateFields;  // model/state/fields.h

enum class WorkKind : uint8_t {
  kWrite,
  kWriteImmediate,
  kSend,
  kSendImmediate,
  kSendInvalidate,
  kRead,
  kFetchAdd,
  kCompareSwap,
};

inline bool ConsumesReceive(WorkKind kind) {
  return kind >= WorkKind::kWriteImmediate && kind <= WorkKind::kSendInvalidate;
}
inline bool IsSend(WorkKind kind) {
  return kind >= WorkKind::kSend && kind <= WorkKind::kSendInvalidate;
}
inline bool IsAtomic(WorkKind kind) { return kind >= WorkKind::kFetchAdd; }
inline bool HasResponse(WorkKind kind) { return kind >= WorkKind::kRead; }

// What an application posts (MSG-WORK-REQUEST).
struct WorkRequest {
  uint64_t id = 0;  // the application's own
  WorkKind kind = WorkKind::kWrite;
  bool fenced = false;
  bool solicited = false;
  uint16_t stream = 0;
  uint32_t length = 0;   // bytes, at most 2^31; 8 in an atomic
  uint32_t rkey = 0;     // the peer's
  uint32_t word = 0;     // immediate, or key to invalidate
  uint64_t local = 0;    // address of the local buffer
  uint64_t address = 0;  // at the peer
  uint64_t operand = 0;
  uint64_t compare = 0;

  bool operator==(const WorkRequest&) const = default;
};

// A message being sent. `work` of a response names the memory to be read (`local`) and the stream.
struct Outgoing {
  static constexpr uint32_t kNone = UINT32_MAX;

  WorkRequest work;
  Msn msn;
  ReceiveIndex index;
  bool used = false;      // this place of the slab is taken
  bool response = false;  // a Read response or an atomic response
  bool held = false;      // HoldNext
  bool begun = false;
  bool done = false;         // MSG-DONE-ACKNOWLEDGED, MSG-DONE-RESPONSE
  bool completed = false;    // reported
  bool last_placed = false;  // of its response
  uint32_t packets = 1;
  uint32_t sent = 0;          // packets transmitted
  uint32_t acknowledged = 0;  // packets
  uint32_t placed = 0;        // packets of its response that were accepted
  uint32_t next = kNone;      // of its stream or of the responses, or free place
  uint64_t value = 0;         // of an atomic response
  uint64_t order = 0;         // of posts, over all streams

  bool Acknowledged() const { return sent == packets && acknowledged == packets; }

  bool operator==(const Outgoing&) const = default;
};

struct OutboundLimits {
  uint32_t mtu = 1024;
  uint32_t streams = 64;
  uint32_t open_messages = 64;
  uint32_t reads = 64;

  bool operator==(const OutboundLimits&) const = default;
};

// A plain value. Messages live in a slab and are named by their place; freed places are taken
// again, so nothing grows with the number of messages ever sent.
class Outbound {
 public:
  Outbound(Msn start_msn, ReceiveIndex start_index, ReceiveIndex credit,
           const OutboundLimits& limits);
  Outbound() : Outbound(Msn(), ReceiveIndex(), ReceiveIndex(), OutboundLimits()) {}

  const Outgoing& at(uint32_t message) const { return slab_[message]; }

  // Takes the next MSN of the stream and, if it consumes a receive, the next index (MSG-POST).
  // Precondition: the stream exists. Returns the message.
  uint32_t Post(const WorkRequest& work);
  // A Read or an atomic was delivered: its response becomes ready.
  void Respond(const WorkRequest& read, Msn msn, uint64_t value);

  // Anything not yet transmitted, ready or not.
  bool HasUnsent() const { return unsent_messages_ > 0 || response_first_ != Outgoing::kNone; }
  // Some packet of new data is ready now (MSG-READY).
  bool AnyReady() {
    return supposed_ || response_first_ != Outgoing::kNone ||
           (unsent_messages_ > 0 && FirstRequest() != Outgoing::kNone);
  }

  // For who explains a trace, and does not see what was posted. The next work request that consumes
  // a receive takes this index; the one after the greatest taken so far is the next again.
  void TakeIndex(ReceiveIndex index) { taken_index_ = index; }
  // The last packet of the next work request is not ready: it waits, nobody knows for what.
  void HoldNext() { hold_next_ = true; }
  // A message, to be changed.
  Outgoing& Change(uint32_t message) {
    first_ready_.known = false;
    return slab_[message];
  }
  // Whether some packet of new data is ready that is not known here.
  void Suppose(bool ready) { supposed_ = ready; }
  // A work request that has this receive index waits for credit; nothing else is known of it.
  void SupposeWaits(ReceiveIndex index) { supposed_index_ = index; }
  // The response with these that has a packet not transmitted, or kNone.
  uint32_t Response(uint16_t stream, Msn msn) const;

  // The message whose packet goes next, taken by MSG-TURNS and MSG-NEXT. Nothing is ready: kNone.
  uint32_t Next(Chooser* chooser) {
    if (response_first_ != Outgoing::kNone) return NextOfBoth(chooser);
    return unsent_messages_ > 0 ? NextRequest(chooser) : Outgoing::kNone;
  }
  // The next packet of `message` was transmitted for the first time. True if the last packet of a
  // response to a Read or an atomic was.
  bool Sent(uint32_t message);

  // `csns` CSNs of `message` were acknowledged for the first time.
  void Acknowledged(uint32_t message, uint32_t csns = 1) {
    Outgoing& m = slab_[message];
    m.acknowledged += csns;
    if (m.Acknowledged()) AllAcknowledged(message);
  }
  // The outstanding request of a response, kNone if there is none of the kind (CHECK-MESSAGE 10).
  uint32_t FindOutstanding(uint16_t stream, Msn msn, bool atomic) const;
  // A response packet was placed; `last` is its last one.
  void Placed(uint32_t message, bool last);
  // The next work request of `stream` to be completed with success, kNone if it must wait
  // (MSG-COMPLETION-ORDER). It counts as completed from now on; its place is
  // kept until Reap.
  uint32_t Complete(uint16_t stream) {
    const uint32_t message = streams_[stream].uncompleted;
    //= MSG-COMPLETION-ORDER
    //# one that is done waits for the earlier ones of its stream.
    if (message == Outgoing::kNone || !slab_[message].done) return Outgoing::kNone;
    return Flush(stream);
  }
  // Gives back the places of messages of `stream` that are completed and acknowledged.
  void Reap(uint16_t stream) { Unwind(streams_[stream]); }
  // The next work request of `stream` that is not completed, done or not: for flushing. Completed
  // from now on.
  uint32_t Flush(uint16_t stream);
  // The incomplete work request that was posted first; with `index`; with stream and MSN. Or kNone.
  uint32_t Oldest() const;
  uint32_t WithIndex(ReceiveIndex index) const;
  uint32_t WithMsn(uint16_t stream, Msn msn) const;
  // The message has begun, or its MSN is one that may (SEQ-MSN-OPEN).
  bool InWindow(uint32_t message) const {
    const Outgoing& m = slab_[message];
    return m.begun || m.msn - slab_[streams_[m.work.stream].unacknowledged].msn <
                          static_cast<int32_t>(limits_.open_messages);
  }
  // One Read or atomic more may be sent (MSG-READ-LIMIT).
  bool MayRead() const { return outstanding_ < limits_.reads; }
  // A work request of `stream` took this MSN, be it completed or not.
  bool Posted(uint16_t stream, Msn msn) const {
    return stream < streams_.size() && msn < streams_[stream].next_msn;
  }

  ReceiveIndex credit() const { return credit_; }
  // Some work request was posted for which no credit is known.
  bool LacksCredit() const { return credit_ < next_index_; }
  // Newer credit was learned.
  void Credit(ReceiveIndex credit);
  // The lowest receive index that a work request waits for, which but for credit would be ready
  // (CREDIT-PROBE-START).
  std::optional<ReceiveIndex> WaitsForCredit() const {
    if (!MayWaitForCredit()) return std::nullopt;
    return LowestWaiting();
  }
  bool MayWaitForCredit() const { return LacksCredit() || supposed_index_.has_value(); }

  uint32_t streams() const { return static_cast<uint32_t>(streams_.size()); }
  // Work requests not completed.
  uint32_t incomplete() const { return incomplete_ + (SupposedWaits() ? 1 : 0); }

  bool operator==(const Outbound&) const = default;

 private:
  friend struct StateFields;

  struct Stream {
    Msn next_msn;
    uint32_t head = Outgoing::kNone;  // oldest that is not both completed and acknowledged
    uint32_t tail = Outgoing::kNone;
    uint32_t unsent = Outgoing::kNone;  // oldest with a packet not transmitted
    uint32_t unacknowledged = Outgoing::kNone;
    uint32_t uncompleted = Outgoing::kNone;

    bool operator==(const Stream&) const = default;
  };
  uint64_t Face(uint32_t message) const {
    return FaceOf(slab_[message].work.stream, slab_[message].msn);
  }
  enum class Wait : uint8_t { kReady, kCredit, kLater, kNever };

  bool SupposedWaits() const { return supposed_index_ && *supposed_index_ >= credit_; }
  uint32_t Take();
  void Free(uint32_t message);
  void Unwind(Stream& stream);
  void AllAcknowledged(uint32_t message);
  bool ReadBefore(const Stream& stream, uint32_t message) const;
  Wait Waits(const Stream& stream, uint32_t message) const;
  template <typename F>
  void Walk(const Stream& stream, F visit) const;
  // The lowest message of the stream that has a ready packet.
  uint32_t ReadyOf(uint16_t stream) const;
  // The stream behind `stream` in cyclic order.
  uint16_t Behind(uint16_t stream) const {
    return static_cast<uint16_t>(stream + size_t{1} < streams_.size() ? stream + 1 : 0);
  }
  // The lowest ready message of the first stream from `from` on, in cyclic order, that has one.
  uint32_t FindReady(uint16_t from);
  void FindFirstReady();
  // The request that goes next by default. Asked twice for each packet: is there one behind it
  // (CC-AR), and then which.
  uint32_t FirstRequest() {
    if (!first_ready_.known) FindFirstReady();
    return first_ready_.message;
  }
  uint32_t NextRequest(Chooser* chooser) {
    return chooser == nullptr ? FirstRequest() : ChooseRequest(*chooser);
  }
  uint32_t ChooseRequest(Chooser& chooser);
  uint32_t NextOfBoth(Chooser* chooser);
  uint32_t NextResponse(Chooser* chooser);
  void Touch(uint16_t stream) {
    first_ready_.known = false;
    maybe_[stream / 64] |= uint64_t{1} << (stream % 64);
  }
  void TouchAll();
  std::optional<uint16_t> NextMaybe(uint16_t from) const;
  std::optional<ReceiveIndex> LowestWaiting() const;

  OutboundLimits limits_;
  ReceiveIndex next_index_;
  std::optional<ReceiveIndex> taken_index_;
  ReceiveIndex credit_;
  bool hold_next_ = false;
  std::optional<ReceiveIndex> supposed_index_;
  bool supposed_ = false;
  uint32_t outstanding_ = 0;  // Reads and atomics (MSG-READ-LIMIT)
  uint32_t incomplete_ = 0;
  uint32_t unsent_messages_ = 0;
  uint32_t free_ = Outgoing::kNone;
  uint32_t response_first_ = Outgoing::kNone;  // responses with packets not transmitted
  uint32_t response_last_ = Outgoing::kNone;
  uint16_t last_stream_ = 0;
  bool any_sent_ = false;         // a request packet was: last_stream_ means something
  bool last_was_request_ = true;  // MSG-TURNS: if there was none before, it is a response
  uint64_t posts_ = 0;
  std::vector<Outgoing> slab_;
  std::vector<Stream> streams_;
  std::vector<uint64_t> maybe_;  // streams that may have a ready packet; a superset
  // What FirstRequest has found, until something changes on which that depends. It follows from the
  // rest.
  struct FirstReady {
    uint32_t message = Outgoing::kNone;
    bool known = false;
    bool alone = false;  // no other stream may have a ready packet

    bool operator==(const FirstReady&) const { return true; }
  };
  FirstReady first_ready_;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_CONNECTION_OUTBOUND_H_
