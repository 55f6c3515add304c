// Seeded defects: a trace of the model with one thing wrong names the clause that is broken, the
// packet and the field. The texts are held against a golden file.
#include "conformance/check/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/check/testing/recorder.h"
#include "conformance/golden_for_test.h"

namespace metaroce::check {
namespace {

using packet::Packet;
using spec::Opcode;
using testing::Fate;
using testing::Pair;

using Trail = std::vector<Seen>;

// A frame of the trail, parsed.
struct Parsed {
  Packet packet{};
  frame::FrameSpec spec;
  bool ok = false;
};
Parsed At(const Trail& trail, size_t i) {
  Parsed parsed;
  parsed.ok = Taken(trail[i].frame, &parsed.packet, &parsed.spec);
  return parsed;
}

// The index of the n-th packet that `side` sent and for which `wanted` holds.
size_t Find(const Trail& trail, int side, size_t n,
            const std::function<bool(const Packet&)>& wanted) {
  for (size_t i = 0; i < trail.size(); ++i) {
    if (trail[i].side != side || trail[i].received) continue;
    const Parsed p = At(trail, i);
    if (p.ok && wanted(p.packet) && n-- == 0) return i;
  }
  ADD_FAILURE() << "the trace has no such packet";
  return 0;
}
size_t Find(const Trail& trail, int side, size_t n, Opcode opcode) {
  return Find(trail, side, n, [&](const Packet& p) { return p.opcode() == opcode; });
}
bool IsData(const Packet& p) { return p.info().opcode_class == spec::OpcodeClass::kData; }

// Where the other side receives it, or the end.
size_t Arrival(const Trail& trail, size_t sent) {
  for (size_t i = sent + 1; i < trail.size(); ++i) {
    if (trail[i].received && trail[i].side != trail[sent].side &&
        trail[i].frame == trail[sent].frame) {
      return i;
    }
  }
  return trail.size();
}

// Changes a packet where it was sent and where it arrived.
void Edit(Trail& trail, size_t i, const std::function<void(Packet&, frame::FrameSpec&)>& edit) {
  const size_t arrival = Arrival(trail, i);
  trail[i].frame = Edited(trail[i].frame, edit);
  if (arrival < trail.size()) trail[arrival].frame = trail[i].frame;
}
void Remove(Trail& trail, size_t i) {
  const size_t arrival = Arrival(trail, i);
  if (arrival < trail.size()) trail.erase(trail.begin() + static_cast<ptrdiff_t>(arrival));
  trail.erase(trail.begin() + static_cast<ptrdiff_t>(i));
}

struct Case {
  std::string name;
  std::string clause;
  std::string field;
  std::function<void(Pair&)> play;              // null: Plain
  std::function<void(Trail&)> edit;             // null: nothing
  std::function<void(Profiles&)> profile = {};  // null: as recorded
  std::function<void(Pair::Options&)> options = {};
};

Pair::Options Four() {
  Pair::Options options;
  options.memory = 1 << 16;
  for (endpoint::Settings& settings : options.settings) {
    EXPECT_TRUE(settings.profile.Set("mtu", 256).ok());
    EXPECT_TRUE(settings.profile.Set("paths", 4).ok());
    EXPECT_TRUE(settings.profile.Set("streams", 4).ok());
    EXPECT_TRUE(settings.profile.Set("open_messages", 8).ok());
    settings.target_paths = 4;
    settings.windows.path_window = 8 << 16;
  }
  return options;
}

void Plain(Pair& pair) {
  ASSERT_TRUE(pair.Open());
  for (uint32_t i = 0; i < 3; ++i) {
    PostedReceive receive;
    receive.address = Pair::kBase;
    receive.length = 4096;
    pair.PostReceive(1, receive);
  }
  for (uint32_t i = 0; i < 40; ++i) {
    WorkRequest work = Pair::Write(i, 0, i % 8 == 0 ? 2000 : 700);
    work.stream = static_cast<uint16_t>(i % 4);
    if (i == 7) work.kind = WorkKind::kRead;
    if (i == 9 || i == 21 || i == 33) work.kind = WorkKind::kSend;
    pair.Post(0, work);
  }
  pair.Run(pair.now() + 400000);
}

// One DATA packet in twenty is lost.
void Lossy(Pair& pair) {
  auto count = std::make_shared<int>(0);
  pair.fate = [count](int from, const Packet& p, Route) {
    return Fate{.drop = from == 0 && IsData(p) && ++*count % 20 == 0};
  };
  Plain(pair);
}

// A route dies but for its DATA. What moves from it to the others is lost there, except the one
// packet that had not arrived.
void Voids(Pair& pair) {
  struct State {
    uint16_t dead = 0;
    int data = 0;
    int moved = 0;
  };
  auto state = std::make_shared<State>();
  pair.fate = [state](int from, const Packet& p, Route route) {
    Fate fate;
    if (route.entropy == state->dead) {
      fate.drop = from == 1 || !IsData(p) || ++state->data == 1;
    } else if (from == 0 && IsData(p) && p.headers.common.moved && !p.headers.common.rtx) {
      fate.drop = ++state->moved > 1;
    }
    return fate;
  };
  ASSERT_TRUE(pair.Open());
  pair.Post(0, Pair::Write(1, 0, 4000));
  pair.Run(pair.now() + 100000);
  for (uint32_t i = 0; i < 20; ++i) {
    if (i == 10) state->dead = pair.connection(0).out[2].route.entropy;
    pair.Post(0, Pair::Write(2 + i, 0, 2000));
    pair.Run(pair.now() + 20000);
  }
  pair.Run(pair.now() + 3000000);
}

// Sends beyond the credit.
void Uncredited(Pair& pair) {
  ASSERT_TRUE(pair.Open());
  pair.at(0).state().connections[0]->outbound.Credit(ReceiveIndex(1000) +
                                                     pair.connection(0).peer.credit);
  WorkRequest work = Pair::Write(1, 0, 100);
  work.kind = WorkKind::kSend;
  pair.Post(0, work);
  pair.Run(pair.now() + 50000);
}

// Takes the right edge for far away, while a path that loses all DATA holds the cumulative CSN.
void Ungranted(Pair& pair) {
  ASSERT_TRUE(pair.Open());
  pair.Post(0, Pair::Write(1, 0, 20000));
  pair.Run(pair.now() + 200000);
  const uint16_t dead = pair.connection(0).out[1].route.entropy;
  pair.fate = [=](int, const Packet& p, Route route) {
    return Fate{.drop = IsData(p) && route.entropy == dead};
  };
  endpoint::Connection& c = *pair.at(0).state().connections[0];
  c.peer_edge = c.peer_edge + 100000;
  for (int i = 0; i < 8; ++i) pair.Post(0, Pair::Write(1, 0, 60000));
  pair.Run(pair.now() + 60000);
}

// A range that windows reach.
void Narrow(Pair::Options& options) {
  options.settings[0].windows.path_window = 256 << 16;
  EXPECT_TRUE(options.settings[1].profile.Set("csn_range", 256).ok());
}

// The last granted packet asks for an ACK, as it must; the next is the first that is wrong.
void AskAtTheEdge(Trail& trail) {
  Csn edge;
  bool known = false;
  size_t last = 0;
  for (size_t i = 0; i < trail.size(); ++i) {
    const Parsed p = At(trail, i);
    if (trail[i].side != 0 || !p.ok) continue;
    if (trail[i].received && p.packet.opcode() == Opcode::kAck) {
      edge = Csn(p.packet.headers.ack.right_edge);
      known = true;
    }
    if (trail[i].received || !IsData(p.packet)) continue;
    if (known && Csn(p.packet.headers.data.csn) >= edge) {
      Edit(trail, last, [](Packet& packet, auto&) { packet.headers.common.ar = 1; });
      return;
    }
    last = i;
  }
  ADD_FAILURE() << "no packet is beyond the right edge";
}

// A connection that is closed.
void Closed(Pair& pair) {
  pair.fate = [](int, const Packet& p, Route) {
    return Fate{.again = p.opcode() == Opcode::kDisconnect ? 20000 : 0};
  };
  Plain(pair);
  ASSERT_TRUE(pair.at(0).Close(pair.cid(0), pair.step(0)).ok());
  pair.Run(pair.now() + 400000);
}

// A Send without a receive.
void NotReady(Pair& pair) {
  ASSERT_TRUE(pair.Open());
  WorkRequest work = Pair::Write(1, 0, 100);
  work.kind = WorkKind::kSend;
  pair.Post(0, work);
  pair.Run(pair.now() + 4000000);
}

std::function<void(Trail&)> EditNth(int side, size_t n, Opcode opcode,
                                    std::function<void(Packet&, frame::FrameSpec&)> edit) {
  return [=](Trail& trail) { Edit(trail, Find(trail, side, n, opcode), edit); };
}
std::function<void(Trail&)> RemoveNth(int side, size_t n, Opcode opcode) {
  return [=](Trail& trail) { Remove(trail, Find(trail, side, n, opcode)); };
}
std::function<void(Trail&)> RepeatNth(int side, size_t n, Opcode opcode) {
  return [=](Trail& trail) {
    const size_t at = Find(trail, side, n, opcode);
    const Seen again = trail[at];
    trail.insert(trail.begin() + static_cast<ptrdiff_t>(at), again);
  };
}

// A first transmission on a path other than 0.
bool New(const Packet& p) { return IsData(p) && p.headers.common.path == 1; }
std::function<void(Trail&)> EditNew(std::function<void(Packet&, frame::FrameSpec&)> edit) {
  return [=](Trail& trail) { Edit(trail, Find(trail, 0, 5, New), edit); };
}

std::vector<Case> Sequences() {
  return {
      {"wrong path sequence", "SEQ-PATH", "common.number", nullptr,
       EditNew([](Packet& p, auto&) { ++p.headers.common.number; })},
      {"wrong CSN", "SEQ-CSN", "data.csn", nullptr,
       EditNew([](Packet& p, auto&) { ++p.headers.data.csn; })},
      {"second home of a CSN", "SEQ-CSN-HOME", "data.csn", nullptr,
       EditNew([](Packet& p, auto&) { --p.headers.data.csn; })},
      {"CSN beyond the right edge", "SEQ-CSN-LIMIT", "data.csn", Ungranted, AskAtTheEdge, nullptr,
       Narrow},
      {"MSN beyond the open messages", "SEQ-MSN-OPEN", "data.msn", nullptr,
       EditNew([](Packet& p, auto&) { p.headers.data.msn += 8; })},
      {"MSN order broken", "SEQ-MSN", "data.msn", nullptr,
       [](Trail& trail) {
         // A message that begins when all packets of the one before it have been sent.
         std::set<std::pair<uint16_t, uint32_t>> sent;
         const size_t at = Find(trail, 0, 0, [&](const Packet& p) {
           const spec::Data& data = p.headers.data;
           if (p.opcode() != Opcode::kWrite) return false;
           if (data.offset + 256 >= data.length) sent.insert({data.stream, data.msn});
           return data.offset == 0 && sent.count({data.stream, data.msn - 1}) > 0;
         });
         Edit(trail, at, [](Packet& p, auto&) { --p.headers.data.msn; });
       }},
      {"offset order broken", "MSG-OFFSET-ORDER", "data.offset", nullptr,
       [](Trail& trail) {
         const size_t at = Find(trail, 0, 3, [](const Packet& p) {
           return p.opcode() == Opcode::kWrite && p.headers.data.offset == 256;
         });
         Edit(trail, at, [](Packet& p, auto&) { p.headers.data.offset = 0; });
       }},
      {"serial left out", "SEQ-SERIAL", "common.number", nullptr,
       EditNth(1, 4, Opcode::kAck, [](Packet& p, auto&) { ++p.headers.common.number; })},
      {"transaction id taken twice", "SEQ-TRANSACTION", "common.number", nullptr,
       EditNth(0, 1, Opcode::kPathOpen, [](Packet& p, auto&) { --p.headers.common.number; })},
      {"receive index taken twice", "SEQ-INDEX", "send_match.receive_index", nullptr,
       [](Trail& trail) {
         const auto send = [](const Packet& p) {
           return p.opcode() == Opcode::kSend && p.headers.data.offset > 0;
         };
         Edit(trail, Find(trail, 0, 0, send),
              [](Packet& p, auto&) { ++p.headers.send_match.receive_index; });
       }},
      {"stamp too early", "WIRE-TRANSMIT-TIME", "common.transmit_time", nullptr,
       EditNew([](Packet& p, auto&) { p.headers.common.transmit_time -= 300; })},
      {"ACKs seen miscounted", "WIRE-ACKS-SEEN", "data.acks_seen", nullptr,
       EditNew([](Packet& p, auto&) { ++p.headers.data.acks_seen; })},
  };
}

std::vector<Case> Acknowledgements() {
  const auto block = [](std::function<void(spec::PathBlock&)> edit) {
    return EditNth(1, 6, Opcode::kAck, [=](Packet& p, auto&) { edit(p.headers.path_block[0]); });
  };
  return {
      {"wrong base", "SEQ-PATH-RECEIVE", "path_block[0].base", nullptr,
       block([](spec::PathBlock& b) { ++b.base; })},
      {"wrong echo", "ACK-ECHO", "path_block[0].echo", nullptr,
       block([](spec::PathBlock& b) { --b.echo; })},
      {"wrong hold", "ACK-HOLD", "path_block[0].hold", nullptr,
       block([](spec::PathBlock& b) { ++b.hold; })},
      {"arrivals miscounted", "ACK-COUNTERS", "path_block[0].arrivals", nullptr,
       block([](spec::PathBlock& b) { ++b.arrivals; })},
      {"bit not set", "ACK-SNAPSHOT", "path_block[0].bitmap", Lossy,
       [](Trail& trail) {
         const size_t at = Find(trail, 1, 0, [](const Packet& p) {
           return p.opcode() == Opcode::kAck && p.headers.path_block[0].bitmap_code == 1;
         });
         Edit(trail, at, [](Packet& p, auto&) { p.headers.path_block[0].bitmap[0] |= 1ull << 60; });
       }},
      {"wrong cumulative CSN", "ACK-CUMULATIVE", "ack.csn", nullptr,
       EditNth(1, 6, Opcode::kAck, [](Packet& p, auto&) { ++p.headers.ack.csn; })},
      {"right edge goes back", "SEQ-CSN-EDGE", "ack.right_edge", nullptr,
       EditNth(1, 6, Opcode::kAck, [](Packet& p, auto&) { p.headers.ack.right_edge -= 2; })},
      {"credit goes back", "SEQ-CREDIT", "ack.credit", nullptr,
       EditNth(1, 6, Opcode::kAck, [](Packet& p, auto&) { --p.headers.ack.credit; })},
      {"ACK on another entropy", "ACK-ENTROPY", "udp.source_port", nullptr,
       EditNth(1, 6, Opcode::kAck, [](Packet&, auto& spec) { spec.src_port ^= 1; })},
      {"ACK with a block too many", "ACK-SECONDARY", "ack.blocks", nullptr,
       EditNth(1, 12, Opcode::kAck,
               [](Packet& p, auto&) {
                 p.headers.path_block[1] = p.headers.path_block[0];
                 p.headers.ack.blocks = 2;
               })},
      {"ACK not sent", "ACK-MOMENT", "", nullptr,
       [](Trail& trail) {
         // One with none close behind, whose serial would show it first.
         size_t n = 0;
         size_t at = Find(trail, 1, n, Opcode::kAck);
         for (size_t next = 0;; at = next) {
           next = Find(trail, 1, ++n, Opcode::kAck);
           if (next == 0 || trail[next].at > trail[at].at + 2000) break;
         }
         Remove(trail, at);
       }},
      {"ACK of a path without arrival", "ACK-EARLY", "", nullptr,
       EditNth(0, 0, Opcode::kAck,
               [](Packet& p, auto&) { p.headers.common.path = p.headers.path_block[0].path = 3; })},
  };
}

std::vector<Case> Sending() {
  return {
      {"retransmission without loss", "LOSS-RULE", "common.rtx", nullptr,
       EditNew([](Packet& p, auto&) {
         p.headers.common.rtx = true;
         --p.headers.common.number;
         --p.headers.data.csn;
       })},
      {"retransmission left out", "RTX-FIRST", "common.rtx", Lossy,
       [](Trail& trail) {
         Remove(trail, Find(trail, 0, 1, [](const Packet& p) { return p.headers.common.rtx; }));
       }},
      {"last retransmission left out", "RTX-AT-ONCE", "", Lossy,
       [](Trail& trail) {
         const auto rtx = [](const Packet& p) { return p.headers.common.rtx; };
         const size_t at = Find(trail, 0, 2, rtx);
         const Nanoseconds then = trail[at].at;
         Remove(trail, at);
         // No DATA of that side is left to show it.
         for (size_t i = trail.size(); i-- > 0;) {
           if (trail[i].side != 0 || trail[i].received || trail[i].at < then) continue;
           if (IsData(At(trail, i).packet)) Remove(trail, i);
         }
       }},
      {"path sequence for another CSN", "SEQ-PATH-NAMES-CSN", "data.csn", Lossy,
       [](Trail& trail) {
         Edit(trail, Find(trail, 0, 1, [](const Packet& p) { return p.headers.common.rtx; }),
              [](Packet& p, auto&) { ++p.headers.data.csn; });
       }},
      {"VOID missing", "VOID-BUILD", "common.opcode", Voids,
       [](Trail& trail) {
         const size_t at = Find(trail, 0, 0, Opcode::kVoid);
         const Parsed is = At(trail, at);
         const size_t before = Find(trail, 0, 0, [&](const Packet& p) {
           return IsData(p) && p.headers.data.csn == is.packet.headers.data.csn;
         });
         Parsed again = At(trail, before);
         const spec::Common common = is.packet.headers.common;
         const uint8_t opcode = again.packet.headers.common.opcode;
         again.packet.headers.common = common;
         again.packet.headers.common.opcode = opcode;
         trail[at].frame = Rebuilt(again.packet, is.spec);
       }},
      {"VOID instead of a packet", "VOID-BUILD", "common.opcode", Lossy,
       [](Trail& trail) {
         Edit(trail, Find(trail, 0, 1, [](const Packet& p) { return p.headers.common.rtx; }),
              [](Packet& p, auto&) {
                p.headers.common.opcode = static_cast<uint8_t>(Opcode::kVoid);
                p.headers.common.se = false;
                p.payload = {};
              });
       }},
      {"window of the path exceeded", "CC-MAY-SEND", "common.path", nullptr,
       [](Trail& trail) {
         // The ninth packet leaves with the first eight.
         const size_t eighth = Find(trail, 0, 7, IsData);
         const size_t ninth = Find(trail, 0, 8, IsData);
         Seen early = trail[ninth];
         Remove(trail, ninth);
         early.at = trail[eighth].at;
         trail.insert(trail.begin() + static_cast<ptrdiff_t>(eighth) + 1, early);
       }},
      {"entropy changed within an epoch", "PATH-EPOCH", "udp.source_port", nullptr,
       EditNew([](Packet&, auto& spec) { spec.src_port ^= 1; })},
      {"another epoch", "PATH-EPOCH", "common.epoch", nullptr,
       EditNew([](Packet& p, auto&) { ++p.headers.common.epoch; })},
      {"path that is not open", "PATH-STATES", "common.path", nullptr,
       EditNew([](Packet& p, auto&) { p.headers.common.path = 200; })},
      {"acknowledgement not asked for", "CC-AR", "common.ar", nullptr,
       EditNew([](Packet& p, auto&) { p.headers.common.ar = !p.headers.common.ar; })},
      {"credit exceeded", "MSG-CREDIT", "send_match.receive_index", Uncredited, nullptr},
      {"frame of another length", "MSG-SEGMENT", "data.length", nullptr,
       [](Trail& trail) {
         const size_t at = Find(trail, 0, 2, [](const Packet& p) {
           return p.opcode() == Opcode::kWrite && p.headers.data.offset == 256;
         });
         Edit(trail, at, [](Packet& p, auto&) { p.headers.data.length += 4; });
       }},
      {"iCRC wrong", "CHECK-ICRC", "", nullptr,
       [](Trail& trail) {
         const size_t at = Find(trail, 0, 5, New);
         trail[at].frame.back() ^= 1;
       }},
      {"ECT on an ACK", "WIRE-TRAFFIC-CLASS", "ip.ecn", nullptr,
       EditNth(1, 6, Opcode::kAck, [](Packet&, auto& spec) { spec.ecn = frame::Ecn::kEct1; })},
      {"DATA before the connection is open", "CONNECT-STATES", "common.cid", nullptr,
       [](Trail& trail) {
         const Seen data = trail[Find(trail, 0, 0, IsData)];
         trail.insert(trail.begin(), data);
         trail[0].at = trail[1].at;
       }},
  };
}

std::vector<Case> Control() {
  return {
      {"entropy in use", "ENTROPY-CHOICE", "the UDP source port of the PATH_OPEN", nullptr,
       [](Trail& trail) {
         const uint16_t other = At(trail, Find(trail, 0, 0, Opcode::kPathOpen)).spec.src_port;
         Edit(trail, Find(trail, 0, 1, Opcode::kPathOpen),
              [&](Packet&, auto& spec) { spec.src_port = other; });
       }},
      {"path id in use", "PATH-OTHER-ID", "the path of the PATH_OPEN", nullptr,
       EditNth(0, 1, Opcode::kPathOpen, [](Packet& p, auto&) { p.headers.common.path = 0; })},
      {"PATH_ACCEPT twice", "RECEIVE-ACCEPT", "", nullptr, RepeatNth(1, 1, Opcode::kPathAccept)},
      {"PATH_ACCEPT not sent", "RECEIVE-ACCEPT", "", nullptr, RemoveNth(1, 1, Opcode::kPathAccept)},
      {"activation not probed", "PATH-ACTIVATE", "", nullptr, RemoveNth(0, 0, Opcode::kProbe)},
      {"PROBE unasked", "PATH-ACTIVATE", "", nullptr, RepeatNth(0, 0, Opcode::kProbe)},
      {"CONNECT with an illegal size", "CONNECT-RANGES", "connect.mtu", nullptr,
       EditNth(0, 0, Opcode::kConnect, [](Packet& p, auto&) { p.headers.connect.mtu = 100; })},
      {"cid zero", "CONNECT-CID", "connect.cid of CONNECT or CONNECT_REPLY", nullptr,
       EditNth(1, 0, Opcode::kConnectReply, [](Packet& p, auto&) { p.headers.connect.cid = 0; })},
      {"size above what was offered", "CONNECT-NEGOTIATION", "connect.reads", nullptr,
       EditNth(1, 0, Opcode::kConnectReply, [](Packet& p, auto&) { ++p.headers.connect.reads; })},
      {"tag of another", "WIRE-TAG", "ctrl.tag", nullptr,
       EditNth(0, 0, Opcode::kConnectConfirm, [](Packet& p, auto&) { ++p.headers.ctrl.tag; })},
      {"DISCONNECT not answered", "CLOSE-RECEIVED", "", Closed,
       RemoveNth(1, 0, Opcode::kDisconnectReply)},
      {"RNR where credit is", "CREDIT-ANSWER", "", NotReady, RepeatNth(1, 0, Opcode::kRnr)},
      {"CREDIT_PROBE for nobody", "CREDIT-PROBE-START", "", NotReady,
       RepeatNth(0, 0, Opcode::kCreditProbe)},
      {"credit probed too early", "CREDIT-PROBE-START", "", NotReady,
       [](Trail& trail) {
         const size_t second = Find(trail, 0, 1, Opcode::kCreditProbe);
         Seen early = trail[second];
         Remove(trail, second);
         const size_t at = Find(trail, 1, 0, Opcode::kRnr);
         early.at = trail[at].at;
         trail.insert(trail.begin() + static_cast<ptrdiff_t>(at), early);
       }},
  };
}

struct Played {
  std::vector<uint8_t> file;
  absl::StatusOr<Trace> trace = absl::UnknownError("");
  Profiles profiles;
};

Played Make(const Case& one) {
  Pair::Options options = Four();
  if (one.options) one.options(options);
  Pair pair(options);
  Recorder recorder(&pair);
  if (one.play) {
    one.play(pair);
  } else {
    Plain(pair);
  }
  if (one.edit) one.edit(recorder.seen());
  Played played;
  played.file = recorder.Pcapng();
  played.trace = ReadTrace(played.file, spec::constant::kUdpPort);
  EXPECT_TRUE(played.trace.ok()) << played.trace.status();
  EXPECT_TRUE(ReadProfile(played.trace->profile, &played.profiles).ok());
  if (one.profile) one.profile(played.profiles);
  return played;
}

void ExpectGolden(const std::string& name, const std::string& text) {
  metaroce::ExpectGolden(absl::StrCat("conformance/check/testdata/golden/", name), text);
}

void ExpectCases(const std::vector<Case>& cases, const std::string& golden) {
  std::string text;
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Played played = Make(one);
    const auto result = Check(*played.trace, played.profiles);
    ASSERT_TRUE(result.ok()) << result.status();
    if (!result->verdict) {
      ADD_FAILURE() << "explained";
      continue;
    }
    EXPECT_EQ(std::string(spec::Info(result->verdict->clause).id), one.clause) << ToText(*result);
    EXPECT_EQ(result->verdict->field, one.field) << ToText(*result);
    absl::StrAppend(&text, "## ", one.name, "\n", ToText(*result), "\n");
  }
  ExpectGolden(golden, text);
}

TEST(CheckTest, WhatTheModelDoesIsExplained) {
  for (const auto& play : {Plain, Lossy, Voids, Closed, NotReady}) {
    const Played played = Make({"", "", "", play, nullptr});
    const auto result = Check(*played.trace, played.profiles);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_FALSE(result->verdict.has_value()) << ToText(*result);
    EXPECT_EQ(result->packets, played.trace->records.size());
  }
}

TEST(CheckTest, DefectsOfSequencesNameTheirClause) { ExpectCases(Sequences(), "sequences.txt"); }
TEST(CheckTest, DefectsOfAcknowledgementsNameTheirClause) {
  ExpectCases(Acknowledgements(), "acknowledgements.txt");
}
TEST(CheckTest, DefectsOfSendingNameTheirClause) { ExpectCases(Sending(), "sending.txt"); }
TEST(CheckTest, DefectsOfControlNameTheirClause) { ExpectCases(Control(), "control.txt"); }

// The captures are kept too: the command is tried on them.
TEST(CheckTest, BothOutcomesReadAsInTheGoldenFileForMachines) {
  std::string text;
  for (const Case& one : {Case{"explained", "", "", NotReady, nullptr},
                          Case{"rnr-missing", "", "", NotReady, RemoveNth(1, 0, Opcode::kRnr)}}) {
    const Played played = Make(one);
    text += ToJson(*Check(*played.trace, played.profiles));
    ExpectGolden(absl::StrCat(one.name, ".pcapng"),
                 std::string(played.file.begin(), played.file.end()));
  }
  ExpectGolden("result.json", text);
}

TEST(CheckTest, ACaptureWithoutTheHandshakeIsNotSupported) {
  const Played played = Make({"", "", "", nullptr, [](Trail& trail) {
                                Remove(trail, Find(trail, 0, 0, Opcode::kConnect));
                              }});
  EXPECT_EQ(Check(*played.trace, played.profiles).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(TraceTest, TimesThatGoBackAreRefused) {
  const Played played = Make({"", "", "", nullptr, nullptr});
  Pair pair(Four());
  Recorder recorder(&pair);
  Plain(pair);
  recorder.seen()[5].at -= 1000000;
  const auto trace = ReadTrace(recorder.Pcapng(), spec::constant::kUdpPort);
  EXPECT_EQ(trace.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(trace.status().message().find("Packet 6"), std::string::npos) << trace.status();
}

TEST(TraceTest, ALineOfAProfileThatIsWrongIsRefusedWithItsNumberAndBound) {
  Profiles profiles;
  EXPECT_TRUE(ReadProfile("# a comment\n\na.window = 65536\nmtu = 512\n", &profiles).ok());
  EXPECT_EQ(profiles.side[0].settings.windows.path_window, 65536u);
  EXPECT_EQ(profiles.side[1].settings.profile[spec::Constant::kMtu], 512u);
  EXPECT_EQ(ReadProfile("mtu = 512\na.planes = 17", &profiles).message(),
            "Line 2 of the profile: planes is 17; it must lie between 1 and 16.");
  EXPECT_EQ(ReadProfile("window", &profiles).message(),
            "Line 1 of the profile: it is not NAME = NUMBER.");
  EXPECT_FALSE(ReadProfile("no_such_thing = 1", &profiles).ok());
}

}  // namespace
}  // namespace metaroce::check
