// Wrong input to the calls of an endpoint: a sentence with the field, the value and the bound, and
// nothing has changed.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "model/endpoint/endpoint.h"
#include "model/testing/hits.h"

namespace metaroce::endpoint {
namespace {

std::string Sentence(const absl::Status& status) { return std::string(status.message()); }

std::string MakeRefusal(const std::function<void(Settings&)>& change) {
  Settings settings;
  change(settings);
  const absl::StatusOr<Endpoint> made = Endpoint::Make(settings);
  EXPECT_TRUE(absl::IsInvalidArgument(made.status())) << made.status();
  return Sentence(made.status());
}

TEST(MakeTest, RefusesSettingsOutOfTheirRange) {
  EXPECT_EQ(MakeRefusal([](Settings& s) { s.ports.clear(); }),
            "The number of ports is 0; it must lie between 1 and 16.");
  EXPECT_EQ(MakeRefusal([](Settings& s) { s.ports.resize(17); }),
            "The number of ports is 17; it must lie between 1 and 16.");
  EXPECT_EQ(MakeRefusal([](Settings& s) { s.windows.path_window = 1023; }),
            "The path window in Q16.16 is 1023; it must lie between 1024 and 16777216.");
  EXPECT_EQ(MakeRefusal([](Settings& s) { s.windows.connection_window = 0; }),
            "The connection window in Q16.16 is 0; it must lie between 1 and 4278190080.");
  EXPECT_EQ(MakeRefusal([](Settings& s) { s.target_paths = 256; }),
            "The number of paths aimed at is 256; it must lie between 1 and 255.");
  EXPECT_EQ(MakeRefusal([](Settings& s) { EXPECT_TRUE(s.profile.Set("mtu", 1500).ok()); }),
            "mtu is 1500; it must be 256, 512, 1024, 2048 or 4096.");
  EXPECT_EQ(MakeRefusal([](Settings& s) {
              EXPECT_TRUE(s.profile.Set("rto_max", 1000000).ok());
              EXPECT_TRUE(s.profile.Set("rto_min", 1000001).ok());
            }),
            "rto_min must not exceed rto_max; here they are 1000001 and 1000000.");
  EXPECT_EQ(MakeRefusal([](Settings& s) {
              s.ports.resize(2);
              s.ports[1].ip = *frame::IpAddress::Parse("2001:db8::1");
            }),
            "The address of port 1, 2001:db8::1, is of IP version 6; that of port 0 is of IP "
            "version 4.");
}

TEST(MakeTest, AProfileRefusesANameAndAValueThatTheTextDoesNotHave) {
  Profile profile;
  EXPECT_EQ(Sentence(profile.Set("rto", 1)), "The text has no constant \"rto\".");
  EXPECT_EQ(Sentence(profile.Set("rto_give_up", 17)),
            "rto_give_up is 17; it must lie between 1 and 16.");
  EXPECT_EQ(profile, Profile());
}

// One endpoint with one connection that is OPEN.
class InputTest : public ::testing::Test {
 protected:
  InputTest() : endpoint_(*Endpoint::Make(Settings())) {
    step_.sink = &sink_;
    step_.hits = &hits_;
    EXPECT_TRUE(Establish(local_, peer_).ok());
  }
  static spec::Connect Body(uint32_t cid) {
    spec::Connect body{};
    body.cid = cid;
    body.range = 4096;
    body.mtu = 1024;
    body.streams = 4;
    body.open_messages = 4;
    body.reads = 0;
    body.paths = 2;
    body.planes = 1;
    body.hint_unit = 16;
    return body;
  }
  ~InputTest() override {
    if (testing::RecordsHits()) testing::RecordHits(hits_);
  }

  absl::Status Establish(const spec::Connect& local, const spec::Connect& peer) {
    return endpoint_.Establish(1, local, peer, peer_ports_, Route{}, step_);
  }
  std::string EstablishRefusal(const std::function<void(spec::Connect&)>& change) {
    spec::Connect local = Body(9);
    change(local);
    const absl::Status status = Establish(local, peer_);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_EQ(endpoint_.Find(9), nullptr);
    return Sentence(status);
  }
  std::string PostRefusal(const std::function<void(WorkRequest&)>& change) {
    const uint64_t refused = endpoint_.Count(spec::Counter::kPostsRefused);
    WorkRequest work;
    work.length = 100;
    change(work);
    const absl::Status status = endpoint_.Post(5, work, step_);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_EQ(endpoint_.Count(spec::Counter::kPostsRefused), refused + 1);
    EXPECT_EQ(endpoint_.Find(5)->outbound.incomplete(), 0u);
    return Sentence(status);
  }

  Sink sink_;
  Hits hits_;
  Step step_;
  spec::Connect local_ = Body(5);
  spec::Connect peer_ = Body(7);
  std::vector<Port> peer_ports_ = std::vector<Port>(1);
  Endpoint endpoint_;
};

TEST_F(InputTest, NoConnectionHasAnotherCid) {
  const std::string sentence = "There is no connection with the cid 6.";
  EXPECT_EQ(Sentence(endpoint_.Close(6, step_)), sentence);
  EXPECT_EQ(Sentence(endpoint_.Post(6, {}, step_)), sentence);
  EXPECT_EQ(Sentence(endpoint_.PostReceive(6, {}, step_)), sentence);
  EXPECT_EQ(Sentence(endpoint_.Register(6, {})), sentence);
  EXPECT_EQ(Sentence(endpoint_.Deregister(6, 1)), sentence);
  EXPECT_EQ(Sentence(endpoint_.Deny(6, 0, step_)), sentence);
  EXPECT_EQ(Sentence(endpoint_.Lift(6, 0, step_)), sentence);
  EXPECT_EQ(Sentence(endpoint_.Drain(6, 0, false, step_)), sentence);
}

TEST_F(InputTest, APostIsRefusedForWhatTheTextNames) {
  EXPECT_EQ(PostRefusal([](WorkRequest& w) { w.stream = 4; }), "stream is 4; it must be below 4.");
  EXPECT_EQ(PostRefusal([](WorkRequest& w) { w.length = 0x80000001; }),
            "length is 2147483649; it must be at most 2147483648.");
  EXPECT_EQ(PostRefusal([](WorkRequest& w) {
              w.kind = WorkKind::kFetchAdd;
              w.length = 8;
              w.address = 12;
            }),
            "An atomic has length 8 and address 12; it must have 8 and a multiple of 8.");
  EXPECT_EQ(PostRefusal([](WorkRequest& w) { w.kind = WorkKind::kRead; }),
            "reads is 0 on this connection: no Read and no atomic can be posted.");
  EXPECT_EQ(PostRefusal([](WorkRequest& w) { w.solicited = true; }),
            "solicited is set on a work request that consumes no receive.");
}

TEST_F(InputTest, APostIsRefusedBeforeTheConnectionIsOpen) {
  const auto cid = endpoint_.Connect({peer_ports_}, step_);
  ASSERT_TRUE(cid.ok());
  const absl::Status status = endpoint_.Post(*cid, {}, step_);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(Sentence(status), "The connection is not open yet: no work can be posted.");
}

TEST_F(InputTest, ConnectRefusesAddressesThatItCannotUse) {
  EXPECT_EQ(Sentence(endpoint_.Connect({{}}, step_).status()),
            "The number of addresses of the peer is 0; it must lie between 1 and 16.");
  std::vector<Port> peer(2);
  peer[1].ip = *frame::IpAddress::Parse("2001:db8::2");
  EXPECT_EQ(Sentence(endpoint_.Connect({peer}, step_).status()),
            "Address 1 of the peer, 2001:db8::2, is of IP version 6; the own addresses are of IP "
            "version 4.");
}

TEST_F(InputTest, EstablishRefusesSizesThatNoHandshakeGives) {
  EXPECT_EQ(EstablishRefusal([](spec::Connect& b) { b.mtu = 1000; }),
            "local.mtu is 1000; it must be 256, 512, 1024, 2048 or 4096.");
  EXPECT_EQ(EstablishRefusal([](spec::Connect& b) { b.range = 255; }),
            "local.range is 255; it must lie between 256 and 16777216.");
  EXPECT_EQ(EstablishRefusal([](spec::Connect& b) { b.paths = 0; }),
            "local.paths is 0; it must lie between 1 and 255.");
  EXPECT_EQ(EstablishRefusal([](spec::Connect& b) { b.streams = 0; }),
            "local.streams is 0; it must lie between 1 and 65535.");
  EXPECT_EQ(EstablishRefusal([](spec::Connect& b) { b.planes = 17; }),
            "local.planes is 17; it must lie between 1 and 16.");
  EXPECT_EQ(EstablishRefusal([](spec::Connect& b) { b.credit = b.start_index - 1; }),
            "local.credit less local.start_index is 4294967295; it must lie between 0 and "
            "2147483647.");
  EXPECT_EQ(Sentence(Establish(Body(0), peer_)),
            "local.cid is 0; it must lie between 1 and 16777215.");
  EXPECT_EQ(Sentence(Establish(Body(5), peer_)), "local.cid is 5, which is in use.");
  EXPECT_EQ(Sentence(endpoint_.Establish(1, Body(9), peer_, peer_ports_, Route{0, 3}, step_)),
            "The plane of the route is 3; it must lie between 0 and 0.");
}

TEST_F(InputTest, RegionsAreRefusedThatWrapOrHaveAKeyInUse) {
  EXPECT_EQ(Sentence(endpoint_.Register(5, {UINT64_MAX, 2, 1, kRemoteWrite})),
            "A region at 18446744073709551615 has length 2; it must end at 2^64 or before.");
  EXPECT_TRUE(endpoint_.Register(5, {UINT64_MAX, 1, 1, kRemoteWrite}).ok());
  EXPECT_EQ(Sentence(endpoint_.Register(5, {0, 1, 1, kRemoteWrite})),
            "rkey is 1, which names another region.");
  EXPECT_EQ(Sentence(endpoint_.Deregister(5, 2)), "No region has the rkey 2.");
  EXPECT_TRUE(endpoint_.Deregister(5, 1).ok());
}

TEST_F(InputTest, OperatorsNamePathsAndPlanesThatExist) {
  EXPECT_EQ(Sentence(endpoint_.Deny(5, 2, step_)), "path is 2; this connection has 2 paths.");
  EXPECT_EQ(Sentence(endpoint_.Lift(5, 200, step_)), "path is 200; this connection has 2 paths.");
  EXPECT_EQ(Sentence(endpoint_.SetPort(1, false, step_)), "plane is 1; this endpoint has 1 ports.");
  EXPECT_TRUE(absl::IsFailedPrecondition(endpoint_.Drain(5, 1, false, step_)));
  EXPECT_TRUE(absl::IsFailedPrecondition(endpoint_.Drain(5, 0, true, step_)));
}

}  // namespace
}  // namespace metaroce::endpoint
