// Messages that leave and arrive against naive twins: vectors that are scanned from the beginning,
// 10,000 random histories each, across the wrap.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <vector>

#include "model/connection/inbound.h"
#include "model/connection/outbound.h"

namespace metaroce {
namespace {

constexpr uint32_t kStarts[] = {0, 0xFFFFFFFE, 0x7FFFFFFE, 12345};
constexpr uint32_t kNone = Outgoing::kNone;

struct NaiveOutbound {
  struct Message {
    uint32_t handle;
    WorkRequest work;
    uint32_t index;  // receive index, from 0 on
    uint32_t packets;
    uint32_t order;
    uint32_t sent = 0;
    uint32_t acknowledged = 0;
    uint32_t placed = 0;
    bool last_placed = false;
    bool done = false;
    bool completed = false;
    bool Acknowledged() const { return sent == packets && acknowledged == packets; }
  };
  struct Response {
    uint64_t id;
    uint32_t packets;
    uint32_t sent = 0;
    uint32_t acknowledged = 0;
    uint32_t handle = kNone;
  };
  OutboundLimits limits;
  uint32_t credit = 0;
  uint32_t next_index = 0;
  std::vector<std::vector<Message>> streams;
  std::vector<Response> responses;
  std::optional<bool> latest_was_request;
  uint32_t last_stream;

  uint32_t Outstanding() const {
    uint32_t count = 0;
    for (const auto& stream : streams) {
      for (const Message& m : stream) count += HasResponse(m.work.kind) && m.sent > 0 && !m.done;
    }
    return count;
  }
  // Why packet `m.sent` of message i may not go: nullopt, or true if but for credit it might.
  std::optional<bool> Held(uint32_t s, size_t i) const {
    const auto& stream = streams[s];
    const Message& m = stream[i];
    if (m.sent == m.packets) return false;
    if (m.sent == 0) {
      size_t oldest = 0;
      while (stream[oldest].Acknowledged()) ++oldest;
      //= SEQ-MSN-OPEN
      //# A sender begins a message only if its MSN is less than that of the oldest message of the
      //# stream that is not acknowledged as a whole, plus the `open_messages` that its peer
      //# granted.
      if (i >= oldest + limits.open_messages) return false;
      for (size_t j = 0; j < i; ++j) {
        //= MSG-FENCE
        //# A fenced work request begins only when all earlier Reads and atomics of its stream are
        //# done.
        if (m.work.fenced && HasResponse(stream[j].work.kind) && !stream[j].done) return false;
        if (stream[j].work.fenced && stream[j].sent == 0) return false;
      }
      //= MSG-READ-LIMIT
      //# A Read request or an atomic is first transmitted only if fewer than `reads` Reads and
      //# atomics of its direction are outstanding.
      if (HasResponse(m.work.kind) && Outstanding() >= limits.reads) return false;
    }
    //= MSG-CREDIT
    //# No packet of a Send is first transmitted before its receive index is below the credit
    const bool needs = IsSend(m.work.kind) ||
                       (m.work.kind == WorkKind::kWriteImmediate && m.sent + 1 == m.packets);
    if (needs && m.index >= credit) return true;
    return std::nullopt;
  }
  Message* Request() {
    for (uint32_t k = 1; k <= streams.size(); ++k) {
      const uint32_t s = (last_stream + k) % streams.size();
      for (size_t i = 0; i < streams[s].size(); ++i) {
        if (!Held(s, i)) return &streams[s][i];
      }
    }
    return nullptr;
  }
  Response* FirstResponse() {
    for (Response& r : responses) {
      if (r.sent < r.packets) return &r;
    }
    return nullptr;
  }
};

class OutboundProperty {
 public:
  explicit OutboundProperty(uint32_t seed) : dice_(seed), start_(kStarts[seed % 4]) {
    limits_.mtu = 256;
    limits_.streams = 1 + dice_() % 5;
    limits_.open_messages = 1 + dice_() % 4;
    limits_.reads = dice_() % 4;
    out_ = Outbound(Msn(start_), ReceiveIndex(start_), ReceiveIndex(start_), limits_);
    naive_.limits = limits_;
    naive_.streams.resize(limits_.streams);
    naive_.last_stream = limits_.streams - 1;
  }

  void Step() {
    switch (dice_() % 8) {
      case 0:
        return Post();
      case 1:
      case 2:
      case 3:
        return Send();
      case 4:
        return Acknowledge();
      case 5:
        return Place();
      case 6:
        if (dice_() % 2 == 0) {
          naive_.credit += dice_() % 3;
          out_.Credit(ReceiveIndex(start_ + naive_.credit));
        }
        return;
      default:
        return Respond();
    }
  }

  void Check() {
    for (uint16_t s = 0; s < naive_.streams.size(); ++s) Complete(s);
    uint32_t incomplete = 0;
    bool unsent = naive_.FirstResponse() != nullptr;
    std::optional<uint32_t> waits;
    const NaiveOutbound::Message* oldest = nullptr;
    for (uint32_t s = 0; s < naive_.streams.size(); ++s) {
      for (size_t i = 0; i < naive_.streams[s].size(); ++i) {
        const NaiveOutbound::Message& m = naive_.streams[s][i];
        incomplete += !m.completed;
        unsent = unsent || m.sent < m.packets;
        if (!m.completed && (oldest == nullptr || m.order < oldest->order)) oldest = &m;
        if (naive_.Held(s, i) == std::optional<bool>(true)) {
          waits = std::min(waits.value_or(m.index), m.index);
        }
      }
    }
    ASSERT_EQ(out_.incomplete(), incomplete);
    ASSERT_EQ(out_.HasUnsent(), unsent);
    ASSERT_EQ(out_.AnyReady(), naive_.Request() != nullptr || naive_.FirstResponse() != nullptr);
    ASSERT_EQ(out_.Oldest(), oldest == nullptr ? kNone : oldest->handle);
    const std::optional<ReceiveIndex> asks = out_.WaitsForCredit();
    ASSERT_EQ(asks.has_value(), waits.has_value());
    if (waits) {
      ASSERT_EQ(*asks, ReceiveIndex(start_ + *waits));
    }
  }

 private:
  void Post() {
    WorkRequest work;
    work.id = ++posts_;
    work.kind = static_cast<WorkKind>(dice_() % 8);
    work.stream = static_cast<uint16_t>(dice_() % limits_.streams);
    work.fenced = dice_() % 6 == 0;
    work.length = IsAtomic(work.kind) ? 8 : dice_() % 800;
    if (HasResponse(work.kind) && limits_.reads == 0) return;
    NaiveOutbound::Message m{};
    m.work = work;
    m.order = static_cast<uint32_t>(posts_);
    m.packets = HasResponse(work.kind) ? 1 : std::max(1u, (work.length + 255) / 256);
    m.index = ConsumesReceive(work.kind) ? naive_.next_index++ : 0;
    m.handle = out_.Post(work);
    ASSERT_EQ(out_.at(m.handle).work, work);
    if (ConsumesReceive(work.kind)) {
      ASSERT_EQ(out_.at(m.handle).index, ReceiveIndex(start_ + m.index));
    }
    naive_.streams[work.stream].push_back(m);
  }

  void Send() {
    NaiveOutbound::Message* request = naive_.Request();
    NaiveOutbound::Response* response = naive_.FirstResponse();
    if (request != nullptr && response != nullptr) {
      //= MSG-TURNS
      //# if there was none before, it is a response.
      // Turns; a response if there was none before.
      if (naive_.latest_was_request.value_or(true)) {
        request = nullptr;
      } else {
        response = nullptr;
      }
    }
    const uint32_t message = out_.Next(nullptr);
    if (request == nullptr && response == nullptr) {
      ASSERT_EQ(message, kNone);
      return;
    }
    ASSERT_NE(message, kNone);
    if (response != nullptr) {
      ASSERT_TRUE(out_.at(message).response);
      ASSERT_EQ(out_.at(message).work.id, response->id);
      response->handle = message;
      ++response->sent;
      ASSERT_EQ(out_.Sent(message), response->sent == response->packets);
      naive_.latest_was_request = false;
      return;
    }
    ASSERT_EQ(message, request->handle);
    ++request->sent;
    ASSERT_FALSE(out_.Sent(message));
    naive_.latest_was_request = true;
    naive_.last_stream = request->work.stream;
  }

  void Acknowledge() {
    for (size_t i = 0; i < naive_.responses.size(); ++i) {
      NaiveOutbound::Response& r = naive_.responses[i];
      if (r.acknowledged == r.sent || dice_() % 3 != 0) continue;
      ++r.acknowledged;
      out_.Acknowledged(r.handle);
      if (r.acknowledged == r.packets) {
        naive_.responses.erase(naive_.responses.begin() + static_cast<ptrdiff_t>(i));
      }
      return;
    }
    for (auto& stream : naive_.streams) {
      for (NaiveOutbound::Message& m : stream) {
        if (m.acknowledged == m.sent || dice_() % 3 != 0) continue;
        ++m.acknowledged;
        if (m.Acknowledged() && !HasResponse(m.work.kind)) m.done = true;
        out_.Acknowledged(m.handle);
        return;
      }
    }
  }

  void Place() {
    for (auto& stream : naive_.streams) {
      for (size_t i = 0; i < stream.size(); ++i) {
        NaiveOutbound::Message& m = stream[i];
        if (!HasResponse(m.work.kind) || dice_() % 2 == 0) continue;
        const bool atomic = IsAtomic(m.work.kind);
        const bool outstanding = m.sent > 0 && !m.done;
        const Msn msn = out_.at(m.handle).msn;
        ASSERT_EQ(out_.FindOutstanding(m.work.stream, msn, atomic), outstanding ? m.handle : kNone);
        ASSERT_EQ(out_.FindOutstanding(m.work.stream, msn, !atomic), kNone);
        if (!outstanding) continue;
        // Each packet of the response once, the last one at any place.
        const uint32_t packets = atomic ? 1 : std::max(1u, (m.work.length + 255) / 256);
        const bool last = !m.last_placed && (m.placed + 1 == packets || dice_() % 2 == 0);
        ++m.placed;
        m.last_placed = m.last_placed || last;
        m.done = m.last_placed && m.placed >= packets;
        out_.Placed(m.handle, last);
        return;
      }
    }
  }

  void Respond() {
    WorkRequest read;
    read.id = 1000000 + ++posts_;
    read.kind = dice_() % 2 == 0 ? WorkKind::kRead : WorkKind::kFetchAdd;
    read.length = read.kind == WorkKind::kRead ? dice_() % 800 : 8;
    out_.Respond(read, Msn(7), 0);
    naive_.responses.push_back(
        {read.id, IsAtomic(read.kind) ? 1 : std::max(1u, (read.length + 255) / 256)});
  }

  // MSG-COMPLETION-ORDER
  void Complete(uint16_t s) {
    auto& stream = naive_.streams[s];
    for (NaiveOutbound::Message& m : stream) {
      if (m.completed) continue;
      if (!m.done) break;
      m.completed = true;
      ASSERT_EQ(out_.Complete(s), m.handle);
    }
    ASSERT_EQ(out_.Complete(s), kNone);
    out_.Reap(s);
    while (!stream.empty() && stream.front().completed && stream.front().Acknowledged()) {
      stream.erase(stream.begin());
    }
  }

  std::mt19937 dice_;
  uint32_t start_;
  OutboundLimits limits_;
  Outbound out_;
  NaiveOutbound naive_;
  uint64_t posts_ = 0;
};

TEST(OutboundProperty, SendsAndCompletesInTheOrderThatAFullScanFinds) {
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    SCOPED_TRACE(seed);
    OutboundProperty property(seed);
    for (uint32_t i = 0; i < 60; ++i) {
      property.Step();
      property.Check();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Arriving messages by whole MSN, from the beginning of the connection on.
struct NaiveInbound {
  struct Message {
    RequestPacket first;  // of those accepted
    std::optional<ReceiveIndex> index;
    std::optional<RequestPacket> last;
    uint32_t packets = 0;
    bool complete = false;
  };
  InboundLimits limits;
  std::vector<std::map<int64_t, Message>> open;
  std::vector<int64_t> head;
  int64_t reads = 0;

  static int Kind(spec::Opcode opcode) {
    switch (opcode) {
      case spec::Opcode::kWrite:
      case spec::Opcode::kWriteWithImmediate:
        return 0;
      case spec::Opcode::kReadRequest:
        return 2;
      case spec::Opcode::kFetchAdd:
        return 3;
      case spec::Opcode::kCompareSwap:
        return 4;
      default:
        return 1;
    }
  }
  static bool Payload(spec::Opcode opcode) { return Kind(opcode) < 2; }
  static bool OnlyLast(spec::Opcode opcode) {
    return opcode == spec::Opcode::kWriteWithImmediate ||
           opcode == spec::Opcode::kSendWithImmediate ||
           opcode == spec::Opcode::kSendWithInvalidate;
  }

  std::optional<spec::Reason> Check(const RequestPacket& p, int64_t msn) const {
    using spec::Reason;
    if (p.stream >= open.size()) return Reason::kStream;
    if (p.length > 0x80000000u) return Reason::kMessageLength;
    const int kind = Kind(p.opcode);
    if (kind == 2 && p.offset != 0) return Reason::kRequestForm;
    if (kind > 2 && (p.offset != 0 || p.length != 8)) return Reason::kRequestForm;
    if (kind > 2 && p.address % 8 != 0) return Reason::kAtomicAlignment;
    const uint64_t end = uint64_t{p.offset} + p.payload;
    if (Payload(p.opcode)) {
      if (p.offset % limits.mtu != 0) return Reason::kOffsetAlignment;
      if (p.payload > limits.mtu || end > p.length) return Reason::kMessageBounds;
      if (end < p.length && p.payload != limits.mtu) return Reason::kPayloadSize;
      if (end < p.length && OnlyLast(p.opcode)) return Reason::kNotLast;
    }
    if (msn < head[p.stream] || msn >= head[p.stream] + limits.open_messages) {
      return Reason::kMsnWindow;
    }
    const auto it = open[p.stream].find(msn);
    const Message* m = it == open[p.stream].end() ? nullptr : &it->second;
    if (m != nullptr && m->complete) return Reason::kMsnWindow;
    if (kind >= 2 && reads >= limits.reads) return Reason::kReads;
    if (m == nullptr) return std::nullopt;
    const bool same = Kind(m->first.opcode) == kind && m->first.length == p.length &&
                      m->first.address == p.address && m->first.rkey == p.rkey;
    const bool index = !m->index || !p.has_index || *m->index == p.index;
    return same && index ? std::nullopt : std::optional(Reason::kMessageFields);
  }

  void Accept(const RequestPacket& p, int64_t msn) {
    auto [it, is_new] = open[p.stream].try_emplace(msn);
    Message& m = it->second;
    if (is_new) {
      m.first = p;
      reads += Kind(p.opcode) >= 2;
    }
    ++m.packets;
    if (p.has_index) m.index = p.index;
    if (!Payload(p.opcode) || p.offset + p.payload == p.length) m.last = p;
    const uint32_t needed =
        Payload(p.opcode) ? std::max(1u, (p.length + limits.mtu - 1) / limits.mtu) : 1;
    m.complete = m.last && m.packets >= needed;
  }
};

TEST(InboundProperty, ChecksCompletesAndDeliversAsAMapOfWholeNumbersDoes) {
  constexpr spec::Opcode kOpcodes[] = {spec::Opcode::kWrite,
                                       spec::Opcode::kWriteWithImmediate,
                                       spec::Opcode::kSend,
                                       spec::Opcode::kSend,
                                       spec::Opcode::kSendWithImmediate,
                                       spec::Opcode::kSendWithInvalidate,
                                       spec::Opcode::kReadRequest,
                                       spec::Opcode::kFetchAdd,
                                       spec::Opcode::kCompareSwap};
  uint64_t delivered = 0;
  uint64_t refused = 0;
  for (uint32_t seed = 0; seed < 10000; ++seed) {
    std::mt19937 dice(seed);
    const uint32_t start = kStarts[seed % 4];
    InboundLimits limits{256, 1 + static_cast<uint32_t>(dice() % 3),
                         1 + static_cast<uint32_t>(dice() % 4), static_cast<uint32_t>(dice() % 3)};
    Inbound inbound(Msn(start), limits);
    NaiveInbound naive;
    naive.limits = limits;
    naive.open.resize(limits.streams);
    naive.head.assign(limits.streams, 0);
    for (uint32_t i = 0; i < 60; ++i) {
      RequestPacket p;
      p.stream = static_cast<uint16_t>(dice() % (limits.streams + (dice() % 20 == 0)));
      const int64_t head = p.stream < limits.streams ? naive.head[p.stream] : 0;
      const int64_t msn = head - (dice() % 10 == 0) + dice() % (limits.open_messages + 1);
      p.msn = Msn(start + static_cast<uint32_t>(msn));
      // What a message is follows from its MSN, but for a mistake now and then.
      const uint32_t of_message =
          static_cast<uint32_t>((msn * 7 + p.stream * 3) * 2654435761u >> 4);
      const auto mistake = [&] { return dice() % 40 == 0; };
      p.opcode = kOpcodes[(of_message + mistake()) % 9];
      constexpr uint32_t kLengths[] = {0, 1, 256, 300, 512, 700};
      p.length = kLengths[(of_message >> 4) % 6];
      if (NaiveInbound::Kind(p.opcode) > 2) p.length = 8;
      if (mistake()) p.length = dice();
      p.address = 8 * (of_message % 100) + mistake();
      p.rkey = of_message % 5 + mistake();
      if (NaiveInbound::Payload(p.opcode)) {
        const uint32_t packets = std::max(1u, (p.length % 1000 + 255) / 256);
        p.offset = dice() % packets * 256 + mistake();
        const uint64_t rest = p.length > p.offset ? p.length - p.offset : 0;
        p.payload = static_cast<uint32_t>(std::min<uint64_t>(256, rest)) + mistake();
        // Only the last packet has the opcode of its kind that says more.
        if (p.offset + p.payload < p.length && !mistake()) {
          p.opcode = NaiveInbound::Kind(p.opcode) == 0 ? spec::Opcode::kWrite : spec::Opcode::kSend;
        }
      } else {
        p.offset = mistake();
      }
      p.has_index =
          NaiveInbound::Kind(p.opcode) == 1 || p.opcode == spec::Opcode::kWriteWithImmediate;
      p.index = ReceiveIndex(of_message + mistake());
      p.solicited = dice() % 2 == 0;
      const std::optional<spec::Reason> reason = naive.Check(p, msn);
      ASSERT_EQ(inbound.Check(p), reason) << seed;
      if (reason) {
        ++refused;
        continue;
      }
      naive.Accept(p, msn);
      const InboundMessage* accepted = inbound.Accept(p);
      ASSERT_EQ(accepted->complete, naive.open[p.stream][msn].complete) << seed;
      while (true) {
        const std::optional<InboundMessage> message = inbound.Deliver(p.stream);
        auto& open = naive.open[p.stream];
        const auto it = open.find(naive.head[p.stream]);
        ASSERT_EQ(message.has_value(), it != open.end() && it->second.complete) << seed;
        if (!message) break;
        ++delivered;
        ASSERT_EQ(message->msn, Msn(start + static_cast<uint32_t>(it->first)));
        ASSERT_EQ(message->length, it->second.first.length);
        ASSERT_EQ(message->address, it->second.first.address);
        ASSERT_EQ(message->solicited, it->second.last->solicited);
        if (it->second.index) {
          ASSERT_EQ(message->index, *it->second.index);
        }
        open.erase(it);
        ++naive.head[p.stream];
      }
      if (naive.reads > 0 && dice() % 3 == 0) {
        --naive.reads;
        inbound.ReadAnswered();
      }
    }
  }
  EXPECT_GT(delivered, 50000u);
  EXPECT_GT(refused, 50000u);
}

}  // namespace
}  // namespace metaroce
