// Every cell of the machine `connection` that a packet or a command of the application enters: the
// event is brought about in each state, and the table says what must come of it. An event that is
// ignored changes nothing but its counter.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/state/state.h"
#include "model/testing/pair.h"
#include "model/testing/work.h"

namespace metaroce::testing {
namespace {

using spec::ConnectionEvent;
using spec::ConnectionState;
using spec::Opcode;

// Whose packets and commands are tried. The others are timers and faults, which tests of their own
// bring about.
const std::map<ConnectionEvent, Opcode> kPackets = {
    {ConnectionEvent::kConnectRepeated, Opcode::kConnect},
    {ConnectionEvent::kConnectReply, Opcode::kConnectReply},
    {ConnectionEvent::kConnectReject, Opcode::kConnectReject},
    {ConnectionEvent::kConnectConfirm, Opcode::kConnectConfirm},
    {ConnectionEvent::kDisconnect, Opcode::kDisconnect},
    {ConnectionEvent::kDisconnectReply, Opcode::kDisconnectReply},
    {ConnectionEvent::kData, Opcode::kWrite},
    {ConnectionEvent::kProbe, Opcode::kProbe},
    {ConnectionEvent::kAck, Opcode::kAck},
    {ConnectionEvent::kOtherRequest, Opcode::kPathOpen},
    {ConnectionEvent::kOtherReply, Opcode::kPathCloseReply},
    {ConnectionEvent::kNackRefusal, Opcode::kNackRemoteAccess},
    {ConnectionEvent::kNackClosing, Opcode::kNackClosing},
    {ConnectionEvent::kNackBadEpoch, Opcode::kNackBadEpoch},
};

struct Place {
  ConnectionState state;
  ConnectionEvent event;
};

class ConnectionCellTest : public ::testing::TestWithParam<Place> {
 protected:
  // The connection of `side_` is in `state`; what leaves any side from now on is lost.
  void BringTo(ConnectionState state) {
    side_ = state == ConnectionState::kConnecting ? 0 : 1;
    pair_ = std::make_unique<Pair>(Small(2));
    pair_->fate = [&](int, const packet::Packet& p, Route) {
      if (p.opcode() == Opcode::kConnect) connect_ = p;
      if (p.opcode() == Opcode::kConnectReply) connect_reply_ = p;
      return Fate{.drop = drop_};
    };
    drop_ = state == ConnectionState::kConnecting;
    if (state == ConnectionState::kConnecting || state == ConnectionState::kAccepted) {
      endpoint::ConnectCommand command;
      command.peer = pair_->at(1).state().settings.ports;
      ASSERT_TRUE(pair_->at(0).Connect(command, pair_->step(0)).ok());
      pair_->RunUntil(pair_->now() + 1000000,
                      [&] { return !pair_->at(side_).state().connections.empty(); });
    } else {
      ASSERT_TRUE(pair_->Open());
      pair_->Run(pair_->now() + 1000000);
    }
    if (state == ConnectionState::kQuarantine) {
      Do([&](Endpoint& e, const endpoint::Step& s) { return e.Close(c().local.cid, s); });
      pair_->Run(pair_->now() + 1000000);
    }
    drop_ = true;
    if (state == ConnectionState::kClosing) {
      Do([&](Endpoint& e, const endpoint::Step& s) { return e.Close(c().local.cid, s); });
    }
    // The reply that the initiator waits for.
    if (state == ConnectionState::kConnecting) pair_->Arrives(1, connect_, Route{50000, 0});
    if (state == ConnectionState::kError) Arrives(PacketOf(ConnectionEvent::kNackClosing));
    while (pair_->at(side_).NextDue() <= pair_->now() &&
           pair_->at(side_).Poll(pair_->step(side_))) {
    }
    ASSERT_EQ(c().state, state);
  }
  endpoint::Connection& c() { return *pair_->at(side_).state().connections[0]; }
  void Do(const std::function<absl::Status(Endpoint&, const endpoint::Step&)>& command) {
    pair_->Do(side_, command);
  }
  void Arrives(const packet::Packet& packet) { pair_->Arrives(side_, packet, Route{50000, 0}); }

  // A packet of the event that passes every check before `state`.
  packet::Packet PacketOf(ConnectionEvent event) {
    if (event == ConnectionEvent::kConnectRepeated) return connect_;
    packet::Packet p = packet::NewPacket(kPackets.at(event));
    if (event == ConnectionEvent::kConnectReply && connect_reply_) p = *connect_reply_;
    spec::Common& h = p.headers.common;
    h.cid = c().local.cid;
    h.transmit_time = static_cast<uint32_t>(pair_->now());
    const bool of_path = event == ConnectionEvent::kData || event == ConnectionEvent::kProbe ||
                         event == ConnectionEvent::kAck || event == ConnectionEvent::kOtherReply;
    if (!of_path) h.path = spec::constant::kNoPath;
    if (event == ConnectionEvent::kOtherRequest) h.path = 1;
    if (event == ConnectionEvent::kNackBadEpoch) h.path = 0;
    const bool of_request = event == ConnectionEvent::kConnectReject ||
                            event == ConnectionEvent::kConnectReply ||
                            event == ConnectionEvent::kConnectConfirm;
    if (of_request) h.number = c().connect_id.value();
    if (event == ConnectionEvent::kDisconnectReply) h.number = c().request_id.value();
    if (event == ConnectionEvent::kData && !c().in.empty() && c().in[0].context) {
      h.epoch = c().in[0].context->books.epoch();
      h.number = c().in[0].context->books.vector().base().value();
    }
    p.headers.ctrl.tag = c().tag;
    p.headers.ack.blocks = 1;
    return p;
  }

  uint64_t Count(spec::Counter counter) { return pair_->at(side_).Count(counter); }
  std::vector<uint64_t> Counts() {
    std::vector<uint64_t> all;
    for (const auto& counter : spec::Named<spec::Counter>::kAll)
      all.push_back(Count(counter.value));
    return all;
  }
  // Without what a packet that passes the check `connection` says of its sender: that it lives, and
  // by which way.
  std::string State() {
    c().last_heard = 0;
    c().last_route = Route();
    std::string bytes;
    state::Save(pair_->at(side_), state::Counters::kWithout, &bytes);
    return bytes;
  }
  void BringAbout(ConnectionEvent event) {
    if (event == ConnectionEvent::kCloseCommand) {
      Do([&](Endpoint& e, const endpoint::Step& s) { return e.Close(c().local.cid, s); });
    } else if (event == ConnectionEvent::kPostWork) {
      const auto& cell = spec::Lookup(c().state, event);
      const WorkRequest work = Pair::Write(1, 0, 100);
      if (cell.kind != spec::CellKind::kIgnored) return pair_->Post(side_, work);
      EXPECT_FALSE(pair_->at(side_).Post(c().local.cid, work, pair_->step(side_)).ok());
    } else {
      Arrives(PacketOf(event));
    }
  }

  std::unique_ptr<Pair> pair_;
  int side_ = 0;
  bool drop_ = false;
  packet::Packet connect_;
  std::optional<packet::Packet> connect_reply_;
};

TEST_P(ConnectionCellTest, DoesWhatTheTableSays) {
  const Place place = GetParam();
  const auto& cell = spec::Lookup(place.state, place.event);
  BringTo(place.state);
  const std::string state = State();
  const std::vector<uint64_t> counts = Counts();
  BringAbout(place.event);
  EXPECT_EQ(c().state, cell.next);
  if (cell.kind != spec::CellKind::kIgnored) return;
  EXPECT_EQ(State(), state);
  std::vector<uint64_t> expected = counts;
  ++expected[static_cast<size_t>(*cell.counter)];
  EXPECT_EQ(Counts(), expected);
}

std::vector<Place> Places() {
  std::vector<Place> places;
  for (const auto& state : spec::Named<ConnectionState>::kAll) {
    // No packet finds a connection that is CLOSED; opening one has tests of its own.
    if (state.value == ConnectionState::kClosed) continue;
    for (const auto& event : spec::Named<ConnectionEvent>::kAll) {
      const bool tried = kPackets.count(event.value) > 0 ||
                         event.value == ConnectionEvent::kCloseCommand ||
                         event.value == ConnectionEvent::kPostWork;
      const bool impossible =
          spec::Lookup(state.value, event.value).kind == spec::CellKind::kImpossible;
      if (tried && !impossible) places.push_back({state.value, event.value});
    }
  }
  return places;
}

std::string NameOf(const ::testing::TestParamInfo<Place>& info) {
  std::string name = std::string(spec::Name(info.param.state)) + "_On_" +
                     std::string(spec::Name(info.param.event));
  return name;
}

INSTANTIATE_TEST_SUITE_P(Machine, ConnectionCellTest, ::testing::ValuesIn(Places()), NameOf);

}  // namespace
}  // namespace metaroce::testing
