// Each rule of chapter 3 for senders: a packet that keeps all of them, changed in one field.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "model/wire/packet/bitmap.h"
#include "model/wire/packet/packet.h"

namespace metaroce::packet {
namespace {

using spec::Opcode;

constexpr uint8_t kBytes[8] = {};

// The least packet that a sender may send.
Packet Least(Opcode opcode) {
  Packet p = NewPacket(opcode);
  switch (opcode) {
    case Opcode::kFetchAdd:
    case Opcode::kCompareSwap:
    case Opcode::kAtomicResponse:
      p.headers.data.length = 8;
      break;
    case Opcode::kAck:
      p.headers.ack.hint = 0xFFFF;
      p.headers.ack.blocks = 1;
      break;
    case Opcode::kNackInvalidRequest:
    case Opcode::kNackRemoteAccess:
    case Opcode::kNackRemoteOperation:
      p.headers.nack_request.opcode = static_cast<uint8_t>(Opcode::kWrite);
      p.headers.nack_request.reason = static_cast<uint8_t>(spec::Reason::kStream);
      break;
    case Opcode::kConnectReject:
      p.headers.connect_reject.code = 1;
      break;
    case Opcode::kDisconnect:
      p.headers.disconnect.reason = 1;
      break;
    case Opcode::kPathOpen:
      p.headers.path_open.reason = 1;
      break;
    case Opcode::kPathRefuse:
      p.headers.path_refuse.code = 1;
      break;
    case Opcode::kPathClose:
      p.headers.path_close.role = 1;
      p.headers.path_close.reason = 1;
      break;
    case Opcode::kProbe:
      p.headers.probe.reason = 1;
      break;
    default:
      break;
  }
  const bool control = p.info().opcode_class == spec::OpcodeClass::kNack ||
                       p.info().opcode_class == spec::OpcodeClass::kCtrl;
  const bool names_path = opcode == Opcode::kProbe || opcode == Opcode::kPathOpen ||
                          opcode == Opcode::kPathAccept || opcode == Opcode::kPathRefuse ||
                          opcode == Opcode::kPathClose || opcode == Opcode::kPathCloseReply;
  if (control && !names_path) p.headers.common.path = 255;
  return p;
}

std::string Complaint(Opcode opcode, const std::function<void(Packet&)>& change) {
  Packet p = Least(opcode);
  change(p);
  const absl::Status status = Validate(p);
  return status.ok() ? "ok" : std::string(status.message());
}

TEST(Validate, AcceptsTheLeastPacketOfEveryOpcode) {
  for (const Opcode opcode : spec::kOpcodes) {
    EXPECT_EQ(Complaint(opcode, [](Packet&) {}), "ok") << spec::Name(opcode);
  }
}

TEST(Validate, RefusesEveryUnknownOpcode) {
  for (int value = 0; value < 256; ++value) {
    if (spec::Info(static_cast<Opcode>(value)).known) continue;
    const std::string complaint = Complaint(
        Opcode::kVoid, [&](Packet& p) { p.headers.common.opcode = static_cast<uint8_t>(value); });
    EXPECT_NE(complaint.find("common.opcode is " + std::to_string(value)), std::string::npos);
  }
}

TEST(Validate, NamesAFieldThatIsTooGreatForItsWidth) {
  EXPECT_EQ(Complaint(Opcode::kWrite, [](Packet& p) { p.headers.common.cid = 1U << 24; }),
            "common.cid is 16777216; it must be at most 16777215 [WIRE-BIG-ENDIAN].");
  EXPECT_EQ(Complaint(Opcode::kRnr, [](Packet& p) { p.headers.rnr.timer = 32; }),
            "rnr.timer is 32; it must be at most 31 [WIRE-BIG-ENDIAN].");
  EXPECT_EQ(Complaint(Opcode::kAck, [](Packet& p) { p.headers.path_block[0].bitmap_code = 4; }),
            "path_block.bitmap_code is 4; it must be at most 3 [WIRE-PATH-BLOCK].");
}

TEST(Validate, FindsEveryNarrowFieldThatIsTooGreat) {
  for (const Opcode opcode : spec::kOpcodes) {
    for (const spec::Layout id : spec::Info(opcode).headers) {
      const auto& fields = spec::Info(id).fields;
      for (size_t i = 0; i < fields.size(); ++i) {
        const bool whole = fields[i].bits == 8 || fields[i].bits == 16 || fields[i].bits == 32 ||
                           fields[i].bits == 64;
        if (fields[i].reserved || fields[i].bits == 1 || whole) continue;
        const std::string complaint = Complaint(
            opcode, [&](Packet& p) { spec::SetField(p.headers, id, i, fields[i].max() + 1); });
        const std::string name =
            std::string(spec::Info(id).name) + "." + std::string(fields[i].name) + " is";
        EXPECT_EQ(complaint.find(name), 0U) << complaint;
      }
    }
  }
}

TEST(Validate, RefusesATailThatTheOpcodeHasNot) {
  const auto payload = [](Packet& p) { p.payload = kBytes; };
  const auto options = [](Packet& p) { p.options = kBytes; };
  const auto filler = [](Packet& p) { p.filler_length = 4; };
  for (const Opcode opcode : spec::kOpcodes) {
    const spec::Tail tail = spec::Info(opcode).tail;
    const auto refused = [](const std::string& text) {
      return text.find("it must be 0 [WIRE-OPCODES]") != std::string::npos;
    };
    EXPECT_EQ(refused(Complaint(opcode, payload)), tail != spec::Tail::kPayload);
    EXPECT_EQ(refused(Complaint(opcode, options)), tail != spec::Tail::kOptions);
    EXPECT_EQ(refused(Complaint(opcode, filler)),
              tail != spec::Tail::kOptions && tail != spec::Tail::kFiller);
  }
  EXPECT_EQ(Complaint(Opcode::kPathOpen, [](Packet& p) { p.filler_length = 6; }),
            "filler is 6; it must be a multiple of 4 [WIRE-LENGTH-UDP].");
}

TEST(Validate, RefusesOptionsThatAreNoList) {
  EXPECT_EQ(Complaint(Opcode::kConnect, [](Packet& p) { p.options = kBytes; }),
            "length of the options is 8; it must be the end of the list, which is at 0 "
            "[WIRE-TAIL-OPTIONS].");
  static constexpr uint8_t kLong[] = {0, 1, 0, 5, 1, 2, 3, 4};
  EXPECT_EQ(Complaint(Opcode::kConnect, [](Packet& p) { p.options = kLong; }),
            "length of an option's value is 5; it must fit the options, whose bytes behind its "
            "beginning are 8 [WIRE-TAIL-OPTIONS].");
}

TEST(Validate, KeepsTheFlagsToData) {
  for (const Opcode opcode : spec::kOpcodes) {
    const bool data = spec::Info(opcode).opcode_class == spec::OpcodeClass::kData;
    EXPECT_EQ(Complaint(opcode, [](Packet& p) { p.headers.common.ar = true; }) == "ok", data);
    EXPECT_EQ(Complaint(opcode, [](Packet& p) { p.headers.common.rtx = true; }) == "ok", data);
    EXPECT_EQ(Complaint(opcode, [](Packet& p) { p.headers.common.moved = true; }) == "ok", data);
    EXPECT_EQ(Complaint(opcode, [](Packet& p) { p.headers.common.se = true; }) == "ok",
              data && opcode != Opcode::kVoid);
  }
}

TEST(Validate, WantsAPathWhereThePacketNamesOneAndNoneElsewhere) {
  for (const Opcode opcode : spec::kOpcodes) {
    const bool none = Least(opcode).headers.common.path == 255;
    const auto with = [&](uint8_t path, uint8_t epoch) {
      return Complaint(opcode, [&](Packet& p) {
               p.headers.common.path = path;
               p.headers.common.epoch = epoch;
               p.headers.path_block[0].path = path;
               p.headers.path_block[0].epoch = epoch;
             }) == "ok";
    };
    EXPECT_EQ(with(255, 0), none) << spec::Name(opcode);
    EXPECT_EQ(with(255, 1), false) << spec::Name(opcode);
    EXPECT_EQ(with(0, 0), !none) << spec::Name(opcode);
    EXPECT_EQ(with(254, 255), !none) << spec::Name(opcode);
  }
}

TEST(Validate, LimitsDataToItsMessage) {
  const auto write = [](uint32_t offset, uint32_t length) {
    return [=](Packet& p) {
      p.headers.data.offset = offset;
      p.headers.data.length = length;
      p.payload = kBytes;
    };
  };
  EXPECT_EQ(Complaint(Opcode::kWrite, write(0, 8)), "ok");
  EXPECT_EQ(Complaint(Opcode::kWrite, write(0xFFFFFFF8, 0xFFFFFFFF)),
            "data.offset + payload is 4294967296; it must be at most data.length, which is "
            "4294967295 [WIRE-DATA].");
  EXPECT_EQ(Complaint(Opcode::kWriteWithImmediate, write(0, 8)), "ok");
  EXPECT_EQ(Complaint(Opcode::kWriteWithImmediate, write(0, 9)),
            "data.offset + payload is 8; it must in the last packet of a message be data.length, "
            "which is 9 [WIRE-WRITE-IMMEDIATE].");
  EXPECT_EQ(Complaint(Opcode::kSend,
                      [&](Packet& p) {
                        write(0, 9)(p);
                        p.headers.common.se = true;
                      }),
            "common.se is 1; it must be 0 [WIRE-FLAGS].");
}

TEST(Validate, HoldsFieldsThatAreSentAsAFixedValue) {
  EXPECT_NE(Complaint(Opcode::kReadRequest, [](Packet& p) { p.headers.data.offset = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kFetchAdd, [](Packet& p) { p.headers.data.length = 4; }), "ok");
  EXPECT_NE(Complaint(Opcode::kFetchAdd, [](Packet& p) { p.headers.atomic.compare = 1; }), "ok");
  EXPECT_EQ(Complaint(Opcode::kCompareSwap, [](Packet& p) { p.headers.atomic.compare = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kVoid, [](Packet& p) { p.headers.data.stream = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kVoid, [](Packet& p) { p.headers.data.msn = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kVoid, [](Packet& p) { p.headers.data.offset = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kVoid, [](Packet& p) { p.headers.data.length = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kNackClosing, [](Packet& p) { p.headers.common.number = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kConnect, [](Packet& p) { p.headers.common.cid = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kNackBadConnection, [](Packet& p) { p.headers.common.cid = 1; }),
            "ok");
  EXPECT_NE(
      Complaint(Opcode::kNackBadEpoch, [](Packet& p) { p.headers.nack_epoch.current_epoch = 1; }),
      "ok");
  EXPECT_NE(Complaint(Opcode::kConnect, [](Packet& p) { p.headers.connect.features = 4; }), "ok");
  EXPECT_NE(Complaint(Opcode::kConnectReject,
                      [](Packet& p) { p.headers.connect_reject.version_min = 1; }),
            "ok");
}

TEST(Validate, WantsAcksInTheirCanonicalForm) {
  EXPECT_EQ(Complaint(Opcode::kAck, [](Packet& p) { p.headers.ack.blocks = 0; }),
            "ack.blocks is 0; it must be at least 1 [WIRE-TAIL-BLOCKS].");
  EXPECT_EQ(Complaint(Opcode::kAck, [](Packet& p) { p.headers.ack.blocks = 5; }),
            "ack.blocks is 5; it must be at most 4 [WIRE-TAIL-BLOCKS].");
  EXPECT_NE(Complaint(Opcode::kAck, [](Packet& p) { p.headers.ack.hint = 0; }), "ok");
  EXPECT_NE(Complaint(Opcode::kAck, [](Packet& p) { p.headers.common.path = 1; }), "ok");
  EXPECT_NE(Complaint(Opcode::kAck, [](Packet& p) { p.headers.common.epoch = 1; }), "ok");
  const auto bit = [](size_t i, uint8_t code) {
    return Complaint(Opcode::kAck, [=](Packet& p) {
             SetBitmapBit(p.headers.path_block[0].bitmap, i);
             p.headers.path_block[0].bitmap_code = code;
           }) == "ok";
  };
  EXPECT_FALSE(bit(0, 1));
  const size_t lengths[] = {0, 64, 128, 256};
  for (size_t i = 1; i < 256; ++i) {
    for (uint8_t code = 0; code < 4; ++code) {
      const bool shortest = i < lengths[code] && (code == 0 || i >= lengths[code - 1]);
      EXPECT_EQ(bit(i, code), shortest) << "bit " << i << " with code " << int{code};
    }
  }
}

TEST(Validate, KnowsTheListsOfEnumeratedFields) {
  for (const Opcode opcode : spec::kOpcodes) {
    for (const spec::Layout id : spec::Info(opcode).headers) {
      const auto& fields = spec::Info(id).fields;
      for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].values == nullptr || id == spec::Layout::kCommon ||
            id == spec::Layout::kConnect) {
          continue;
        }
        for (uint64_t value = 0; value <= fields[i].max(); ++value) {
          const bool listed = !fields[i].values->NameOf(value).empty();
          EXPECT_EQ(Complaint(opcode,
                              [&](Packet& p) { spec::SetField(p.headers, id, i, value); }) == "ok",
                    listed)
              << spec::Name(opcode) << " " << fields[i].name << " " << value;
        }
      }
    }
  }
}

}  // namespace
}  // namespace metaroce::packet
