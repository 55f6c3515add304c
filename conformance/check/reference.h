// One side of a trace and the model that explains it: the model is fed what arrived, and each
// packet that the side sent has to be one that the model may send now, with the choices that the
// packet shows.
//
// What cannot be seen is derived from what can. A work request is posted when its first packet, or
// a CREDIT_PROBE for it, shows it; a receive when credit shows it; an ACK leaves when it was seen
// to leave, by `ack_max` at the latest; what an operator or an application commands happens when a
// packet shows it. Memory regions are as the refusals, or their absence, tell.
#ifndef METAROCE_CONFORMANCE_CHECK_REFERENCE_H_
#define METAROCE_CONFORMANCE_CHECK_REFERENCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/check/given.h"
#include "conformance/check/story.h"
#include "conformance/check/verdict.h"
#include "model/choosers/choosers.h"
#include "model/endpoint/endpoint.h"

namespace metaroce::check {

class Reference : private endpoint::Sink, private endpoint::Memory {
 public:
  // Everything outlives it. InvalidArgumentError if the model does not take the settings.
  static absl::StatusOr<std::unique_ptr<Reference>> Make(uint8_t side, const Declared& declared,
                                                         Story* own, const Story* peer);

  // Time goes on to that of the record, which is of either side: what was due before it happens,
  // and what did not come in time is a verdict.
  std::optional<Verdict> Before(const Record& next);
  // A record of this side. Before() was called with it.
  std::optional<Verdict> Take(const Record& record);
  // What the side was given so far. Nothing afterwards.
  std::vector<Given> TakeGiven() { return std::move(given_); }
  // The work that its model completed: stream and MSN as FaceOf has them. Nothing afterwards.
  struct Done {
    uint64_t face = 0;
    bool success = false;
    Nanoseconds at = 0;
  };
  std::vector<Done> TakeDone() { return std::move(done_); }

 private:
  // A packet that the model sent and the trace has not shown yet.
  struct Owed {
    packet::Packet packet;  // its payload and options hold no longer
    std::vector<uint8_t> frame;
    Nanoseconds latest = 0;
    bool optional = false;
  };
  // Answers with what the packets of the trace show.
  class Eyes : public ObservedChooser {
   public:
    explicit Eyes(Reference* owner) : owner_(owner) {}
    std::optional<uint64_t> Shown(spec::Choice choice) override;

    const Record* by = nullptr;    // the packet that showed the last one
    const Record* data = nullptr;  // the DATA packet to be explained
    uint32_t further = 0;          // blocks asked for in the ACK that is built

   private:
    const Record* Next(Kind kind) const {
      return owner_->own_->Nth(kind, owner_->sent_[static_cast<size_t>(kind)]);
    }
    Reference* owner_;
  };

  Reference(uint8_t side, const Declared& declared, Story* own, const Story* peer,
            endpoint::Endpoint endpoint);

  void OnPacket(uint32_t cid, const endpoint::PacketOut& out) override;
  void OnWork(uint32_t cid, const endpoint::WorkDone& done) override;
  packet::Bytes Read(uint64_t address, uint32_t length) override;

  endpoint::Step At(Nanoseconds now);
  Given& Note(Given::Kind kind, uint8_t number = 0, bool on = false);
  endpoint::Connection* Current();
  bool TimerDue(Nanoseconds by) const { return endpoint_.state().timers.First() <= by; }
  void PollTimer(Nanoseconds now);

  std::optional<Verdict> Received(const Record& record);
  std::optional<Verdict> Sent(const Record& record);
  std::optional<Verdict> SentData(const Record& record);
  std::optional<Verdict> Wrong(const Record& record);
  std::optional<Verdict> Missing(const Owed& owed, const Record& next) const;
  std::optional<Verdict> Chosen(const Record& record);
  bool TakeExact(const Record& record);

  // What must have happened for the side to send this packet.
  void Cause(const Record& record);
  void CauseOpen(const Record& record);
  void PreparePeerRequest(const Record& record);
  void GrantUpTo(ReceiveIndex credit);
  void SetPorts(uint16_t up);
  void PostUpTo(uint16_t stream, Msn msn);
  void PostOne(uint16_t stream, Msn msn);
  void PostProbed(bool itself);
  void HoldCut(const Record& record);
  // The least MSN of a stream that is not known to be posted.
  Msn& NextMsn(uint16_t stream);

  uint8_t side_;
  Nanoseconds react_max_;
  bool regions_known_;
  Story* own_;
  const Story* peer_;
  endpoint::Endpoint endpoint_;
  Eyes eyes_;
  uint32_t cid_ = 0;
  Nanoseconds now_ = 0;
  bool by_timer_ = false;
  std::vector<Owed> owed_;
  std::vector<Given> given_;
  Given spare_;  // once those are enough
  std::vector<Done> done_;
  std::array<size_t, static_cast<size_t>(Kind::kKinds)> sent_ = {};
  std::unordered_map<uint16_t, Msn> next_msn_;
  std::vector<uint64_t> cut_;  // faces of Writes whose last packet was never sent
  std::optional<Nanoseconds> lost_since_;
  packet::Bytes payload_;
  bool unreadable_ = false;
  std::vector<uint8_t> zeros_;
};

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_REFERENCE_H_
