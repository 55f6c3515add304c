// One connection as its receiver's half sees it: what the handshake fixed, and the state that
// arriving packets change.
#ifndef METAROCE_MODEL_ENDPOINT_CONNECTION_H_
#define METAROCE_MODEL_ENDPOINT_CONNECTION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/connection/csn_window.h"
#include "model/connection/inbound.h"
#include "model/connection/receive_queue.h"
#include "model/endpoint/region.h"
#include "model/path/receive_path.h"
#include "model/serial.h"
#include "model/wire/frame/address.h"
#include "spec/layouts.h"
#include "spec/tables.h"

namespace metaroce {

// A connection as it is when the handshake is over. `local` and `peer` are the bodies of CONNECT
// and CONNECT_REPLY, whoever sent which.
struct ConnectionSetup {
  frame::MacAddress local_mac;
  frame::MacAddress peer_mac;
  frame::IpAddress local_ip;
  frame::IpAddress peer_ip;
  uint32_t tag = 0;
  spec::Connect local{};
  spec::Connect peer{};
  AckLimits ack;

  bool operator==(const ConnectionSetup&) const = default;
};

// A receive path's slot: no context, or an open one.
struct ReceiveContext {
  bool open = false;
  ReceivePath books;
  uint32_t second_answers = 0;     // probes of attempt 2 or more still owed their second answer
  uint8_t second_by = 0;           // by which other path
  Nanoseconds bad_epoch_next = 0;  // no NACK_BAD_EPOCH before

  bool operator==(const ReceiveContext&) const = default;
};

struct Connection {
  explicit Connection(const ConnectionSetup& setup);

  // Opens receive path `path` with the epoch's first path sequence.
  void OpenPath(uint8_t path, uint8_t epoch, PathSeq start);
  Region* FindRegion(uint32_t rkey);

  ConnectionSetup setup;
  bool error = false;
  spec::Opcode nack_opcode =
      spec::Opcode::kNackInvalidRequest;  // the stored NACK (ERROR-NACK-STORED)
  spec::NackRequest nack{};
  Nanoseconds nack_next = 0;  // it is not repeated before
  AckSerial next_serial;
  CsnWindow csn;
  Inbound inbound;
  ReceiveQueue receives;
  std::vector<Region> regions;
  std::vector<ReceiveContext> paths;  // by path id, as many as were agreed
  uint32_t open_paths = 0;
  Nanoseconds bad_path_next = 0;  // no NACK_BAD_EPOCH for a path id beyond those before

  bool operator==(const Connection&) const = default;
};

}  // namespace metaroce

#endif  // METAROCE_MODEL_ENDPOINT_CONNECTION_H_
