// Records of the codec level by hand, and every way in which a record can be wrong.
#include "model/wire/packet/fields.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/wire/packet/packet.h"
#include "model/wire/packet/raw.h"

namespace metaroce::packet {
namespace {

using Data = std::vector<uint8_t>;

uint64_t Op(spec::Opcode opcode) { return static_cast<uint64_t>(opcode); }

Packet ParseOrDie(const std::vector<uint8_t>& bytes) {
  Packet p{};
  const ParseResult result = Parse(bytes, {}, &p);
  EXPECT_TRUE(result.ok()) << result.ToString();
  return p;
}

absl::StatusOr<std::vector<uint8_t>> Build(const std::vector<NamedValue>& fields) {
  return BuildFromFields(fields);
}

std::string Complaint(const std::vector<NamedValue>& fields) {
  const auto built = BuildFromFields(fields);
  return built.ok() ? "ok" : std::string(built.status().message());
}

TEST(Fields, DefaultsAreThoseOfTheTables) {
  const auto bytes = Build({{"common.opcode", Op(spec::Opcode::kSend)}});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  frame::FrameSpec spec = DefaultFrame(spec::Opcode::kSend, 49152, false);
  EXPECT_EQ(*bytes, *Serialize(NewPacket(spec::Opcode::kSend), spec));
  const Packet p = ParseOrDie(*bytes);
  EXPECT_EQ(p.frame.dscp(), 26);
  EXPECT_EQ(p.frame.ttl, 64);
  EXPECT_TRUE(p.frame.dont_fragment);
}

TEST(Fields, ASixteenByteAddressMakesIpv6WithTheFlowLabelOfThePort) {
  const auto bytes = Build({{"common.opcode", Op(spec::Opcode::kRnr)},
                            {"ip.dst", Data(16, 0xFE)},
                            {"udp.source_port", uint64_t{0xD00D}}});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Packet p = ParseOrDie(*bytes);
  EXPECT_EQ(p.frame.ip_version, 6);
  EXPECT_EQ(p.frame.flow_label, 0xD00DU);
  EXPECT_EQ(p.frame.dscp(), 48);
}

TEST(Fields, OfAnAckWithTwoBlocks) {
  const Data bitmap = {0x80, 0, 0, 0, 0, 0, 0, 2};
  const std::vector<NamedValue> fields = {{"common.opcode", Op(spec::Opcode::kAck)},
                                          {"ack.csn", uint64_t{7}},
                                          {"path_block[0].base", uint64_t{0xFFFFFFFF}},
                                          {"path_block[1].bitmap", bitmap}};
  const auto bytes = BuildFromFields(fields);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Packet p = ParseOrDie(*bytes);
  ASSERT_EQ(p.path_blocks().size(), 2U);
  EXPECT_EQ(p.path_blocks()[0].base, 0xFFFFFFFFU);
  EXPECT_EQ(p.path_blocks()[1].bitmap[0], 0x8000000000000002U);
  const std::vector<NamedValue> all = Fields(p.frame, *bytes);
  for (const NamedValue& field : fields) {
    EXPECT_NE(std::find(all.begin(), all.end(), field), all.end()) << field.name;
  }
  for (const NamedValue& field : all) {
    EXPECT_TRUE(field.name != "ack.blocks" && field.name != "common.pad" &&
                field.name.find("reserved") == std::string::npos &&
                field.name.find("bitmap_code") == std::string::npos)
        << field.name;
  }
}

TEST(Fields, OfOptionsAndFiller) {
  const auto bytes = Build({{"common.opcode", Op(spec::Opcode::kConnect)},
                            {"option[0].type", uint64_t{9}},
                            {"option[0].value", Data{1, 2, 3, 4, 5}},
                            {"option[1].type", uint64_t{0xFFFF}},
                            {"filler", uint64_t{8}}});
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const Packet p = ParseOrDie(*bytes);
  EXPECT_EQ(p.filler_length, 8U);
  Bytes options = p.options;
  Option option;
  ASSERT_TRUE(NextOption(&options, &option));
  EXPECT_EQ(option.type, 9);
  EXPECT_EQ(option.value.size(), 5U);
  ASSERT_TRUE(NextOption(&options, &option));
  EXPECT_EQ(option.type, 0xFFFF);
  EXPECT_FALSE(NextOption(&options, &option));
}

TEST(Fields, RefusesWhatNoCanonicalFrameHas) {
  const NamedValue write = {"common.opcode", Op(spec::Opcode::kWrite)};
  const NamedValue ack = {"common.opcode", Op(spec::Opcode::kAck)};
  const NamedValue connect = {"common.opcode", Op(spec::Opcode::kConnect)};
  const NamedValue open = {"common.opcode", Op(spec::Opcode::kPathOpen)};
  EXPECT_EQ(Complaint({}), "common.opcode is not given.");
  EXPECT_EQ(Complaint({{"common.opcode", uint64_t{0}}}), "common.opcode is 0, which is no opcode.");
  EXPECT_EQ(Complaint({{"common.opcode", uint64_t{257}}}),
            "common.opcode is 257, which is no opcode.");
  EXPECT_EQ(Complaint({{"common.opcode", Data{1}}}), "common.opcode is data; it is a number.");
  EXPECT_EQ(Complaint({write, write}), "common.opcode is given twice.");
  EXPECT_EQ(Complaint({write, {"common.cid", uint64_t{1} << 24}}),
            "common.cid is 16777216; the greatest value is 16777215.");
  EXPECT_EQ(Complaint({write, {"data.csn", Data{1}}}), "data.csn is data; it is a number.");
  EXPECT_EQ(Complaint({write, {"payload", uint64_t{1}}}), "payload is a number; it is data.");
  EXPECT_EQ(Complaint({write, {"common.version", uint64_t{2}}}),
            "common.version is 2; it has to be 1.");
  EXPECT_EQ(Complaint({write, {"udp.destination_port", uint64_t{4791}}}),
            "udp.destination_port is 4791; it has to be 54791.");
  EXPECT_EQ(Complaint({write, {"ip.src", Data(5)}}), "ip.src has 5 bytes; it has to have 4.");
  EXPECT_EQ(Complaint({write, {"ip.version", uint64_t{5}}}),
            "ip.version is 5; it has to be 4 or 6.");
  EXPECT_EQ(Complaint({write, {"eth.dst", Data(7)}}), "eth.dst has 7 bytes; it has to have 6.");
  EXPECT_EQ(Complaint({write, {"ip.options", Data(6)}}),
            "ip.options has 6 bytes; it has to have 4 to 40, a multiple of 4.");
  EXPECT_EQ(Complaint({write, {"eth.vlan[0]", uint64_t{0x08000001}}}),
            "eth.vlan[0] has the tag protocol identifier 0x0800; it has to be 0x8100 or 0x88a8.");
  EXPECT_EQ(Complaint({ack}), "Fields of 0 path_blocks are given; there have to be at least 1.");
  EXPECT_EQ(Complaint({ack, {"path_block[0].bitmap", Data(7)}}),
            "path_block[0].bitmap has 7 bytes, a length that no code selects.");
  EXPECT_EQ(Complaint({connect, {"option[0].value", Data(1)}}),
            "option[0].type has to be given, and not 0.");
  EXPECT_EQ(Complaint({open, {"filler", uint64_t{7}}}),
            "filler is 7; it has to be a multiple of 4.");
  EXPECT_NE(Complaint({write, {"payload", Data(70000)}}).find("is greater than 65535"),
            std::string::npos);
}

TEST(Fields, RefusesNamesThatThePacketHasNot) {
  const NamedValue write = {"common.opcode", Op(spec::Opcode::kWrite)};
  const NamedValue ack = {"common.opcode", Op(spec::Opcode::kAck)};
  const NamedValue connect = {"common.opcode", Op(spec::Opcode::kConnect)};
  for (const char* name :
       {"data.nothing", "ack.csn", "common.pad", "common.reserved_0", "filler", "icrc", "pad", "",
        "ip.flow_label", "eth.vlan[1]", "eth.vlan[2]", "option[0].type", "path_block[0].base"}) {
    EXPECT_NE(Complaint({write, {name, uint64_t{0}}}).find("is no field that a frame"),
              std::string::npos)
        << name;
  }
  const NamedValue block = {"path_block[0].base", uint64_t{0}};
  for (const char* name : {"path_block[2].base", "path_block[0].bitmap_code", "ack.blocks",
                           "path_block[00].base", "path_block[4].base", "path_block[-1].base"}) {
    EXPECT_NE(Complaint({ack, block, {name, uint64_t{0}}}).find("is no field that a frame"),
              std::string::npos)
        << name;
  }
  EXPECT_NE(Complaint({connect, {"option[1].type", uint64_t{1}}}).find("is no field that a frame"),
            std::string::npos);
}

TEST(Fields, OfARefusedFrameAreThoseThatCanBeTold) {
  Packet ack = NewPacket(spec::Opcode::kAck);
  ack.headers.ack.blocks = 1;
  RawEdits edits;
  edits.set = {{"ack.blocks", uint64_t{255}}};
  const auto bytes = RawSerialize(ack, DefaultFrame(ack.opcode(), 50000, false), edits);
  ASSERT_TRUE(bytes.ok());
  Packet p{};
  EXPECT_FALSE(Parse(*bytes, {}, &p).ok());
  const std::vector<NamedValue> fields = Fields(p.frame, *bytes);
  const auto has = [&](const std::string& name) {
    return std::any_of(fields.begin(), fields.end(),
                       [&](const NamedValue& field) { return field.name == name; });
  };
  EXPECT_TRUE(has("path_block[0].bitmap"));
  EXPECT_FALSE(has("path_block[1].base"));
}

TEST(RawEdits, RefuseWhatIsNotThereOrDoesNotFit) {
  const Packet p = NewPacket(spec::Opcode::kWrite);
  const frame::FrameSpec spec = DefaultFrame(p.opcode(), 50000, false);
  const auto complaint = [&](const NamedValue& edit) {
    RawEdits edits;
    edits.set = {edit};
    return std::string(RawSerialize(p, spec, edits).status().message());
  };
  EXPECT_EQ(complaint({"ack.csn", uint64_t{1}}), "The packet has no part ack.csn.");
  EXPECT_EQ(complaint({"common.pad", uint64_t{4}}), "common.pad is set to 4 and has only 2 bits.");
  EXPECT_EQ(complaint({"data.csn", Data{1, 2, 3}}), "data.csn is set to 3 bytes and has 32 bits.");
  EXPECT_EQ(complaint({"data.csn", Data{1, 2, 3, 4}}), "");
  RawEdits huge;
  huge.transport_length = size_t{1} << 40;
  EXPECT_FALSE(RawSerialize(p, spec, huge).ok());
  RawEdits padded;
  padded.frame_length = size_t{1} << 40;
  EXPECT_FALSE(RawSerialize(p, spec, padded).ok());
}

TEST(RawEdits, EthernetPaddingIsIgnored) {
  const Packet p = NewPacket(spec::Opcode::kDisconnectReply);
  RawEdits edits;
  edits.frame_length = 200;
  const auto bytes = RawSerialize(p, DefaultFrame(p.opcode(), 50000, false), edits);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->size(), 200U);
  EXPECT_TRUE(SamePacket(ParseOrDie(*bytes), p));
}

}  // namespace
}  // namespace metaroce::packet
