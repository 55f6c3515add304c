// The model's device behind a meddler: every way in which a device fails a vector of level system,
// as a person reads it; and the path between the two ends.
#include "conformance/system/system.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/duts/model/model_dut.h"
#include "conformance/golden_for_test.h"
#include "conformance/play/wire_codec.h"
#include "conformance/report/report.h"
#include "conformance/runner/replay.h"
#include "conformance/system/network.h"
#include "conformance/system/placements.h"
#include "gtest/gtest.h"
#include "model/wire/packet/packet.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::conformance {
namespace {

using Events = google::protobuf::RepeatedPtrField<dut::Event>;

// What is done to each answer of the device.
using Meddle = std::function<void(const dut::Request& request, dut::Answer* answer)>;

class Meddler : public Handler {
 public:
  explicit Meddler(Meddle meddle) : meddle_(std::move(meddle)) {}
  using Handler::Handle;
  void Handle(const dut::Request& request, dut::Answer* answer) override {
    device_.Handle(request, answer);
    meddle_(request, answer);
  }

 private:
  ModelDut device_;
  Meddle meddle_;
};

constexpr char kSteps[] = R"(
  {"at": 1000, "post": {"kind": "write", "id": 1, "length": 3000, "address": 65536, "rkey": 7}},
  {"at": 1000, "post": {"kind": "write", "id": 2, "length": 2000, "address": 131072, "rkey": 8},
   "peer": true},
  {"expect": {"completion": {"kind": "work", "id": 1, "status": "success"}, "after": 8000,
   "within": 100000}},
  {"expect": {"memory": {"address": 65536, "data": "0x01020304"}}, "peer": true},
  {"expect": {"completion": {"kind": "work", "id": 2, "status": "success"}, "within": 100000},
   "peer": true},
  {"expect": {"memory": {"address": 131072, "data": "0x01020304"}}},
  {"at": 300000, "expect": {"nothing": 100000}})";

vectors::Vector Sample(const std::string& steps = kSteps, const std::string& faults = "",
                       const std::string& peer = "") {
  const std::string json = absl::StrCat(
      R"({"id": "sample", "title": "A sample", "level": "system", "clauses": ["MSG-COMPLETION"],
      "capabilities": ["endpoint-receiver", "endpoint-requester", "fixed-window", "constants"],
      "profile": [{"parameter": "react_max", "relation": "="}], "flags": ["COMPLETION"], "provenance": {"kind": "spec", "note": "n"},
      "config": {"window": 8, "handshake_rtt": 10000, "memory[0].address": 131072,
      "memory[0].length": 4096, "memory[0].rkey": 8, "memory[0].rights": 1},
      "system": {"peer": {)",
      peer, R"("window": 8, "memory[0].address": 65536, "memory[0].length": 4096,
      "memory[0].rkey": 7, "memory[0].rights": 1}, "delays": [{"to_peer": 4000, "to_dut": 5000}],
      "faults": [)",
      faults, "]}, \"steps\": [", steps, "]}");
  const auto vector = vectors::LoadVector(json, "sample");
  EXPECT_TRUE(vector.ok()) << vector.status() << json;
  for (const vectors::Finding& finding : vectors::CheckVector(*vector, vectors::SpecTables())) {
    ADD_FAILURE() << vectors::ToString("sample", finding);
  }
  return *vector;
}

VectorResult Judged(const vectors::Vector& vector, Handler& handler) {
  vectors::Tree tree;
  tree.vectors.push_back({"sample.json", "", vector, {}});
  InProcessDut dut(handler);
  const WirePacketCodec codec;
  const auto report = Replay(tree, vectors::SpecTables(), &codec, dut, ReplayOptions());
  EXPECT_TRUE(report.ok()) << report.status();
  return report->results[0];
}

std::string Play(const vectors::Vector& vector, Meddle meddle) {
  Meddler meddler(std::move(meddle));
  const VectorResult result = Judged(vector, meddler);
  if (result.verdict == Verdict::kPass) return "PASS\n";
  PrintOptions options;
  options.replay_command = "metaroce replay --dut ./mine";
  return FormatResult(result, options);
}

// The opcode of a packet, 0 of what is none.
uint32_t OpcodeOf(const dut::Event& event) {
  packet::Packet p;
  const std::string& frame = event.packet().frame();
  const packet::Bytes bytes(reinterpret_cast<const uint8_t*>(frame.data()), frame.size());
  return event.has_packet() && packet::Parse(bytes, {}, &p).ok() ? p.headers.common.opcode : 0;
}

// Meddles with the n-th event, from 1, that is wanted: it may change the events from there on.
Meddle With(std::function<bool(const dut::Event&)> wanted, int n,
            std::function<void(Events*, int)> change) {
  return [=, seen = 0](const dut::Request&, dut::Answer* answer) mutable {
    if (!answer->has_done()) return;
    Events* events = answer->mutable_done()->mutable_event();
    for (int i = 0; i < events->size(); ++i) {
      if (!wanted(events->Get(i)) || ++seen != n) continue;
      return change(events, i);
    }
  };
}

bool IsCompletion(const dut::Event& event) { return event.has_completion(); }
bool IsPlacement(const dut::Event& event) { return event.has_placement(); }
std::function<bool(const dut::Event&)> Is(uint32_t opcode) {
  return [=](const dut::Event& event) { return OpcodeOf(event) == opcode; };
}

void Remove(Events* events, int i) { events->DeleteSubrange(i, 1); }
void Twice(Events* events, int i) {
  const dut::Event event = events->Get(i);
  *events->Add() = event;
  events->Mutable(events->size() - 1)->set_at_ns(events->Get(events->size() - 2).at_ns());
}

// The packet, with a field changed and the iCRC made right.
std::function<void(Events*, int)> Edit(std::function<void(packet::Packet*)> edit) {
  return [=](Events* events, int i) {
    std::string* frame = events->Mutable(i)->mutable_packet()->mutable_frame();
    const packet::Bytes bytes(reinterpret_cast<const uint8_t*>(frame->data()), frame->size());
    packet::Packet p;
    ASSERT_TRUE(packet::Parse(bytes, {}, &p).ok());
    const frame::FrameSpec spec = frame::SpecOf(p.frame, bytes);
    edit(&p);
    const auto made = packet::Serialize(p, spec);
    ASSERT_TRUE(made.ok()) << made.status();
    frame->assign(made->begin(), made->end());
  };
}

void Quiet(const dut::Request&, dut::Answer*) {}

// Adds an event to the answer to the first Advance to that time or beyond.
Meddle AddAt(uint64_t at, dut::Event event) {
  event.set_at_ns(at);
  return [=, done = false](const dut::Request& request, dut::Answer* answer) mutable {
    if (done || !request.has_advance() || request.advance().to_ns() < at) return;
    done = true;
    *answer->mutable_done()->add_event() = event;
  };
}

// Tells of success when the packet is at the peer, and before anything came back.
Meddle Early() {
  dut::Event early;
  for (const auto& [name, word] : {std::pair("kind", "work"), std::pair("status", "success")}) {
    dut::Field* field = early.mutable_completion()->add_field();
    field->set_name(name);
    field->set_word(word);
  }
  dut::Field* id = early.mutable_completion()->add_field();
  id->set_name("id");
  id->set_number(1);
  return AddAt(7000, early);
}

// After the first ACK, which answers what arrived at `heard`, 1,000 more in each turn.
Meddle AcksWithoutEnd(uint64_t heard) {
  return [=, ack = dut::Event(), serial = 0u](const dut::Request& request,
                                              dut::Answer* answer) mutable {
    if (!answer->has_done()) return;
    Events* events = answer->mutable_done()->mutable_event();
    for (const dut::Event& event : *events) {
      if (OpcodeOf(event) == 0x41) ack = event;
    }
    if (!ack.has_packet() || !request.has_advance()) return;
    const uint64_t end = request.advance().to_ns();
    for (uint64_t at = std::max(end - 1000, ack.at_ns() + 1); at < end; ++at) {
      *events->Add() = ack;
      events->Mutable(events->size() - 1)->set_at_ns(at);
      Edit([&](packet::Packet* p) {
        p->headers.common.number = ++serial;
        p->headers.common.transmit_time = static_cast<uint32_t>(at);
        p->headers.path_block[0].hold = static_cast<uint32_t>(at - heard);
      })(events, events->size() - 1);
    }
  };
}

struct Scenario {
  std::string name;
  std::string report;
};

std::vector<Scenario> Scenarios() {
  dut::Event completion;
  for (const auto& [name, word] : {std::pair("kind", "work"), std::pair("status", "flushed")}) {
    dut::Field* field = completion.mutable_completion()->add_field();
    field->set_name(name);
    field->set_word(word);
  }
  dut::Event packet;
  packet.mutable_packet()->set_frame("no frame");
  dut::Event far = packet;
  far.mutable_packet()->set_plane(1);
  dut::Event record;
  record.mutable_fields();
  const vectors::Vector sample = Sample();
  // Nobody changes the answer.
  std::vector<Scenario> all = {{"as it should be", Play(sample, Quiet)}};
  const auto add = [&](const std::string& name, Meddle meddle) {
    all.push_back({name, Play(sample, std::move(meddle))});
  };
  add("a completion that does not come", With(IsCompletion, 1, Remove));
  add("a completion twice", With(IsCompletion, 1, Twice));
  add("a completion that nobody waits for", AddAt(200000, completion));
  add("another status", With(IsCompletion, 1, [=](Events* events, int i) {
        events->Mutable(i)->mutable_completion()->mutable_field(2)->set_word("flushed");
      }));
  all.push_back(
      {"a completion before its time",
       Play(Sample(R"({"at": 1000, "post": {"kind": "write", "id": 1, "address": 65536, "rkey": 7}},
                      {"expect": {"completion": {"kind": "work", "id": 1, "status": "success"},
                       "after": 20000, "within": 100000}})"),
            Quiet)});
  all.push_back(
      {"a packet that the text allows while all should be quiet",
       Play(Sample(R"({"at": 1000, "post": {"kind": "write", "address": 65536, "rkey": 7}},
                                {"expect": {"completion": {"kind": "work", "id": 0,
                                 "status": "success"}, "within": 100000}},
                                {"at": 500, "expect": {"nothing": 1000}})"),
            Quiet)});
  for (const auto& [kind, key] : {std::pair("write", 7), std::pair("read", 9)}) {
    all.push_back(
        {absl::StrCat("the completion of a ", kind, " before it is done"),
         Play(Sample(absl::StrCat(R"({"at": 1000, "post": {"kind": ")", kind,
                                  R"(", "id": 1, "length": 1, "local": 512, "address": )",
                                  key == 7 ? 65536 : 4096, ", \"rkey\": ", key, R"(}},
                    {"expect": {"completion": {"kind": "work", "id": 1, "status": "success"},
                     "within": 100000}})"),
                     "", R"("memory[1].address": 4096, "memory[1].length": 8, "memory[1].rkey": 9,
                             "memory[1].rights": 2, )"),
              Early())});
  }
  // The second of a burst, whose ids grow.
  all.push_back(
      {"the completion of a burst's second work before it is done",
       Play(Sample(R"({"at": 1000, "post": {"kind": "write", "id": 0, "length": 1, "address": 65536,
                       "rkey": 7}, "repeat": {"count": 2, "every": 10, "by": {"id": 1}}},
                      {"expect": {"completion": {"kind": "work", "id": 1, "status": "success"},
                       "within": 100000}},
                      {"expect": {"completion": {"kind": "work", "id": 0, "status": "success"},
                       "within": 100000}})"),
            Early())});
  // ACKs that nothing made due, each right: more than the runner looks at.
  all.push_back({"more than belongs into a vector", Play(sample, AcksWithoutEnd(6000))});
  add("a placement at another place", With(IsPlacement, 1, [](Events* events, int i) {
        events->Mutable(i)->mutable_placement()->set_address(140000);
      }));
  add("a placement twice", With(IsPlacement, 1, Twice));
  add("a placement that does not come", With(IsPlacement, 1, Remove));
  add("the answer Error, behind a packet that is none",
      [=, sent = false](const dut::Request& request, dut::Answer* answer) mutable {
        if (sent) return answer->mutable_error()->set_text("the DUT is tired");
        if (!request.has_advance() || request.advance().to_ns() < 20000) return;
        sent = true;
        *answer->mutable_done()->add_event() = packet;
        answer->mutable_done()
            ->mutable_event(answer->done().event_size() - 1)
            ->set_at_ns(request.advance().to_ns());
      });
  add("other bytes than those of memory",
      With(Is(1), 1, Edit([bytes = std::vector<uint8_t>(1024, 9)](packet::Packet* p) {
             p->payload = packet::Bytes(bytes);
           })));
  add("a packet while all should be quiet", AddAt(350000, packet));
  add("a completion while all should be quiet", AddAt(350000, completion));
  add("a packet that is none", AddAt(200000, packet));
  add("a field with another value",
      With(Is(1), 2, Edit([](packet::Packet* p) { p->headers.data.csn += 1; })));
  add("a choice out of its domain",
      With(Is(1), 1, Edit([](packet::Packet* p) { p->headers.common.path = 3; })));
  add("an ACK that does not come", With(Is(0x41), 1, Remove));
  add("an ACK twice", With(Is(0x41), 1, Twice));
  add("a packet by a plane that there is not", AddAt(20000, far));
  add("an event of a block", AddAt(20000, record));
  add("an event from the past", [](const dut::Request& request, dut::Answer* answer) {
    if (request.advance().to_ns() < 20000) return;
    answer->mutable_done()->add_event()->mutable_completion();
  });
  add("an event of no kind", AddAt(20000, dut::Event()));
  add("the answer Error", [](const dut::Request& request, dut::Answer* answer) {
    if (request.has_apply()) answer->mutable_error()->set_text("the DUT is tired");
  });
  add("the answer Unsupported to an Apply", [](const dut::Request& request, dut::Answer* answer) {
    if (request.has_apply()) answer->mutable_unsupported()->set_capability("constants");
  });
  add("events in the answer to Reset", [](const dut::Request& request, dut::Answer* answer) {
    if (request.has_reset()) answer->mutable_done()->add_event()->mutable_completion();
  });
  add("a flood", [=](const dut::Request& request, dut::Answer* answer) {
    for (int i = 0; request.has_advance() && i < 16000; ++i) {
      *answer->mutable_done()->add_event() = packet;
      answer->mutable_done()
          ->mutable_event(answer->done().event_size() - 1)
          ->set_at_ns(request.advance().to_ns());
    }
  });
  return all;
}

//= CONF-SYSTEM-VERDICT
//# A vector of this level is met if all this holds.
//= CONF-SYSTEM-STEPS
//# A completion is compared with the first `completion` of its endpoint that waits.
TEST(SystemTest, EachVerdictReadsAsInTheGoldenFile) {
  std::string text;
  for (const Scenario& scenario : Scenarios()) {
    absl::StrAppend(&text, "=== ", scenario.name, "\n", scenario.report);
  }
  ExpectGolden("conformance/system/testdata/golden/verdicts.txt", text);
}

//= CONF-SYSTEM
//# gets no request that it could
//# not get there
TEST(SystemTest, TheDeviceIsAskedForWhatTheLevelEndpointAsks) {
  uint64_t last = 0;
  int advances = 0;
  Meddler meddler([&](const dut::Request& request, dut::Answer*) {
    if (request.has_reset()) {
      EXPECT_EQ(request.reset().level(), "endpoint");
    }
    if (request.has_apply()) {
      EXPECT_TRUE(request.apply().has_arrive() || request.apply().has_post());
      EXPECT_GE(request.apply().at_ns(), last);
      last = request.apply().at_ns();
    }
    if (request.has_advance()) {
      //= CONF-SYSTEM-ORDER
      //# turn k, from 0, is from k times the shortest of all delays up to the nanosecond before
      EXPECT_EQ(request.advance().to_ns(), ++advances * 4000u - 1);
      EXPECT_GE(request.advance().to_ns(), last);
      last = request.advance().to_ns() + 1;
    }
  });
  EXPECT_EQ(Judged(Sample(), meddler).verdict, Verdict::kPass);
  EXPECT_EQ(advances, 101);  // up to 400,000 ns
}

TEST(SystemTest, TheSameVectorGivesTheSameRequests) {
  std::string said[2];
  for (std::string& all : said) {
    Meddler meddler([&](const dut::Request& request, dut::Answer* answer) {
      all += request.SerializeAsString() + answer->SerializeAsString();
    });
    const std::string faults =
        R"({"toward": "peer", "does": "drop", "opcode": 1, "first": 2, "count": 1},
           {"toward": "dut", "does": "duplicate", "by": 0})";
    EXPECT_EQ(Judged(Sample(kSteps, faults), meddler).verdict, Verdict::kPass);
  }
  EXPECT_EQ(said[0], said[1]);
}

// --- the path

vectors::System Path(const std::string& faults) { return Sample(kSteps, faults).system(); }

// "5000 5001": when the frames arrive at the peer that leave at 1000, 1001, ...
std::string Arrivals(const vectors::System& system, const std::vector<std::string>& frames) {
  Network network(system, spec::constant::kUdpPort);
  uint64_t at = 1000;
  for (const std::string& frame : frames) network.Send(End::kPeer, at++, 0, frame);
  std::string out;
  while (const auto arrival = network.Take(End::kPeer, UINT64_MAX)) {
    absl::StrAppend(&out, out.empty() ? "" : " ", arrival->at);
  }
  return out;
}

std::string Frame(const std::string& record) {
  const auto vector = vectors::LoadVector(absl::StrCat("{\"config\": {", record, "}}"), "test");
  const auto frame = WirePacketCodec().Encode(vector->config());
  EXPECT_TRUE(frame.ok()) << frame.status();
  return *frame;
}

//= CONF-SYSTEM-PATH
//# these in turn `count` from the `first`-th on, by default all from the first on.
TEST(NetworkTest, FaultsStrikeWhatTheyName) {
  const std::string write = Frame("\"common.opcode\": 1, \"common.path\": 2");
  const std::string probe = Frame("\"common.opcode\": 204, \"udp.source_port\": 50000");
  const std::vector<std::string> four = {write, probe, write, "no frame"};
  const auto arrivals = [&](const std::string& fault) {
    return Arrivals(Path(absl::StrCat("{\"toward\": \"peer\", ", fault, "}")), four);
  };
  EXPECT_EQ(Arrivals(Path(""), four), "5000 5001 5002 5003");
  EXPECT_EQ(arrivals("\"does\": \"drop\""), "");
  EXPECT_EQ(arrivals("\"does\": \"drop\", \"opcode\": 1"), "5001 5003");
  EXPECT_EQ(arrivals("\"does\": \"drop\", \"opcode\": 1, \"first\": 2"), "5000 5001 5003");
  EXPECT_EQ(arrivals("\"does\": \"drop\", \"opcode\": 1, \"count\": 1"), "5001 5002 5003");
  EXPECT_EQ(arrivals("\"does\": \"drop\", \"path\": 2"), "5001 5003");
  EXPECT_EQ(arrivals("\"does\": \"drop\", \"entropy\": 50000"), "5000 5002 5003");
  EXPECT_EQ(arrivals("\"does\": \"drop\", \"plane\": 0, \"from\": 1001, \"until\": 1003"),
            "5000 5003");
  EXPECT_EQ(arrivals("\"does\": \"delay\", \"by\": 2, \"count\": 1"), "5001 5002 5002 5003");
  EXPECT_EQ(arrivals("\"does\": \"duplicate\", \"by\": 7, \"first\": 4"),
            "5000 5001 5002 5003 5010");
  EXPECT_EQ(Arrivals(Path(R"({"toward": "dut", "does": "drop"})"), four), "5000 5001 5002 5003");
  // In the order of the vector: of what was dropped nothing is left to be doubled.
  EXPECT_EQ(Arrivals(Path(R"({"toward": "peer", "does": "drop", "first": 2},
                             {"toward": "peer", "does": "duplicate", "by": 1})"),
                     four),
            "5000 5001");
}

//= CONF-SYSTEM-ORDER
//# a duplicate left right behind its original.
TEST(NetworkTest, OfTheSameTimeWhatLeftFirstComesFirst) {
  const vectors::System system = Path(R"({"toward": "peer", "does": "delay", "by": 1, "count": 1},
              {"toward": "peer", "does": "duplicate", "by": 0, "first": 2, "count": 1})");
  Network network(system, spec::constant::kUdpPort);
  network.Send(End::kPeer, 10, 0, "a");
  network.Send(End::kPeer, 11, 0, "b");
  network.Send(End::kPeer, 11, 0, "c");
  EXPECT_FALSE(network.Take(End::kPeer, 4010).has_value());
  std::string order;
  while (auto arrival = network.Take(End::kPeer, 4011)) order += arrival->frame;
  EXPECT_EQ(order, "abbc");
}

//= CONF-SYSTEM-PATH
//# it arrives with the ECN code point CE if it had ECT(0) or ECT(1), and in IPv4 with the checksum
//# that its header, as it then is, has to have
TEST(NetworkTest, MarksAndFlipsBits) {
  const WirePacketCodec codec;
  const auto sent = [&](const std::string& fault, const std::string& frame) {
    const vectors::System system = Path(absl::StrCat("{\"toward\": \"peer\", ", fault, "}"));
    Network network(system, spec::constant::kUdpPort);
    network.Send(End::kPeer, 0, 0, frame);
    return network.Take(End::kPeer, UINT64_MAX)->frame;
  };
  for (const std::string ip : {"", R"(, "ip.version": 6)"}) {
    for (const int ecn : {0, 1, 2, 3}) {
      const std::string frame = Frame(absl::StrCat("\"common.opcode\": 1, \"ip.ecn\": ", ecn, ip));
      const auto fields = codec.Decode(sent("\"does\": \"mark\"", frame));
      ASSERT_TRUE(fields.ok()) << fields.status();
      EXPECT_EQ(vectors::FindField(*fields, "ip.ecn")->number(), ecn == 0 ? 0u : 3u);
    }
  }
  const std::string frame = Frame("\"common.opcode\": 1, \"payload\": \"0x01020304\"");
  const std::string flipped =
      sent(absl::StrCat("\"does\": \"corrupt\", \"byte\": ", frame.size() + 50), frame);
  ASSERT_EQ(flipped.size(), frame.size());
  for (size_t i = 0; i < frame.size(); ++i) {
    EXPECT_EQ(static_cast<uint8_t>(flipped[i] ^ frame[i]), i == 50 ? 0xff : 0) << i;
  }
  EXPECT_EQ(codec.Decode(flipped).status().message(), "icrc");
  EXPECT_EQ(sent("\"does\": \"corrupt\"", ""), "");
}

using Fault = Placements::Fault;

std::string Write(int csn, int offset, const std::string& payload) {
  return Frame(absl::StrCat("\"common.opcode\": 1, \"data.csn\": ", csn,
                            ", \"data.offset\": ", offset,
                            ", \"write_target.address\": 4096, \"payload\": \"", payload, "\""));
}

TEST(PlacementsTest, EachCsnOnceWhateverComesAgain) {
  Placements placed(spec::constant::kUdpPort);
  EXPECT_EQ(placed.Place(4096, "\x0a\x0b"), Fault::kNoPacket);
  placed.Arrives(Write(1, 0, "0x0a0b"));
  placed.Arrives(Write(1, 0, "0x0a0b"));
  EXPECT_EQ(placed.Place(4096, "\x0a\x0b"), Fault::kNone);
  EXPECT_EQ(placed.Place(4096, "\x0a\x0b"), Fault::kNoPacket);
  placed.Arrives(Write(2, 0, "0x0a0b"));
  EXPECT_EQ(placed.Place(4096, "\x0a\x0b"), Fault::kNone);
  EXPECT_EQ(placed.Place(4096, "\x0a\x0b"), Fault::kNoPacket);
}

TEST(PlacementsTest, AtTheAddressOfThePacketThatHasTheBytes) {
  Placements placed(spec::constant::kUdpPort);
  placed.Arrives(Write(1, 0, "0x0a0b"));
  placed.Arrives(Write(2, 1024, "0x0a0b"));
  EXPECT_EQ(placed.Place(4097, "\x0a\x0b"), Fault::kAddress);
  EXPECT_EQ(placed.Place(5120, "\x0a\x0b"), Fault::kNone);
  EXPECT_EQ(placed.Place(5120, "\x0a\x0b"), Fault::kAddress);
  EXPECT_EQ(placed.Place(4096, "\x0a\x0b"), Fault::kNone);
}

//= CONF-PLACEMENT
//# A placement stands before every packet that acknowledges or answers it.
TEST(PlacementsTest, BeforeTheAckThatCoversThem) {
  const auto ack = [](int csn) {
    return Frame(
        absl::StrCat("\"common.opcode\": 65, \"path_block[0].path\": 0, \"ack.csn\": ", csn));
  };
  Placements placed(spec::constant::kUdpPort);
  placed.Arrives(Write(1, 0, "0x0a"));
  placed.Arrives(Write(2, 1, "0x0b"));
  EXPECT_EQ(placed.Sends(ack(1)), std::nullopt);
  EXPECT_EQ(placed.Sends(ack(2)), 1u);
  EXPECT_EQ(placed.Place(4096, "\x0a"), Fault::kNone);
  EXPECT_EQ(placed.Sends(ack(2)), std::nullopt);
  EXPECT_EQ(placed.Sends(ack(3)), 2u);
  EXPECT_EQ(placed.Sends(Write(1, 0, "0x0a")), std::nullopt);
  // A block that reports its path sequence, here 0, acknowledges it too.
  const auto block = [](int base, const char* bitmap) {
    return Frame(
        absl::StrCat("\"common.opcode\": 65, \"path_block[0].path\": 0, "
                     "\"path_block[0].base\": ",
                     base, ", \"path_block[0].bitmap\": \"", bitmap, "\""));
  };
  EXPECT_EQ(placed.Sends(block(0, "0x0000000000000002")), std::nullopt);
  EXPECT_EQ(placed.Sends(block(0, "0x0000000000000001")), 2u);
  EXPECT_EQ(placed.Sends(block(1, "0x")), 2u);
}

}  // namespace
}  // namespace metaroce::conformance
