// The receiver's half of an endpoint: the checks of chapter 4 in their order, and what they lead
// to. Deterministic, without clock or I/O: time comes in with each call.
#ifndef METAROCE_MODEL_ENDPOINT_RECEIVER_H_
#define METAROCE_MODEL_ENDPOINT_RECEIVER_H_

#include <cstdint>
#include <map>

#include "absl/status/status.h"
#include "model/endpoint/connection.h"
#include "model/endpoint/outcome.h"
#include "model/serial.h"
#include "model/wire/packet/packet.h"
#include "spec/tables.h"

namespace metaroce {

class Receiver {
 public:
  // Makes a connection that is open. InvalidArgumentError if a size is outside of what the text
  // allows, or its cid is taken.
  absl::Status Open(const ConnectionSetup& setup);

  // The connection with this cid, or null.
  Connection* Find(uint32_t cid);

  // A frame arrived by `plane` at `now`. Total: any bytes. Appends what follows at once, but for
  // ACKs: these are due and leave by Poll. `now` never goes back.
  void Arrive(packet::Bytes frame, uint8_t plane, Nanoseconds now, Outcome* out);

  // Sends every ACK that is due at or before `now`, as leaving at `now`: the default of the choice
  // ack-moment is to call it at NextDue.
  void Poll(Nanoseconds now, Outcome* out);

  // When the next ACK is due, kNever if none is.
  Nanoseconds NextDue() const;

  // How often a packet failed for `reason` (CHECK-COUNT).
  uint64_t Count(spec::Reason reason) const;

 private:
  struct Arrived {
    const packet::Packet& packet;
    Route route;
    Nanoseconds now;
    bool ce;
  };

  void ArriveOn(Connection& c, const Arrived& a, Outcome* out);
  void ArriveData(Connection& c, const Arrived& a, Outcome* out);
  void ArriveProbe(Connection& c, const Arrived& a, Outcome* out);
  bool PathOk(Connection& c, const Arrived& a, Outcome* out);
  std::optional<spec::Reason> CheckRequest(Connection& c, const RequestPacket& request);
  void Accept(Connection& c, const Arrived& a, const RequestPacket& request, Outcome* out);
  void DeliverAll(Connection& c, uint16_t stream, Nanoseconds now, Outcome* out);
  void Refuse(Connection& c, const Arrived& a, spec::Reason reason, Outcome* out);
  void SendStoredNack(Connection& c, const Arrived& a, Outcome* out);
  void NackBadConnection(const Arrived& a, packet::Bytes bytes, Outcome* out);
  void SendAck(Connection& c, uint8_t path, std::optional<uint8_t> second, Nanoseconds now,
               Outcome* out);
  void Send(const Connection& c, packet::Packet& p, Route route, Nanoseconds now, Outcome* out);
  void Fail(spec::Reason reason) { ++counts_[static_cast<size_t>(reason)]; }

  std::map<uint32_t, Connection> connections_;  // by local cid
  std::array<uint64_t, 256> counts_ = {};
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_ENDPOINT_RECEIVER_H_
