// Two endpoints and the network between them as one value, and all that can happen to it next.
//
// A position names the states of its two sides and the packets under way by their numbers in
// tables. The model is a pure relation, so what an input does to a side is computed once and then
// looked up: most positions are made of parts that have been met before.
//
// Time passes only when a timer expires; whatever can happen at one time happens in every order.
// A channel (a direction, an entropy and a plane) keeps its order.
#ifndef METAROCE_FUZZ_EXPLORE_WORLD_H_
#define METAROCE_FUZZ_EXPLORE_WORLD_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "fuzz/explore/hash.h"
#include "fuzz/explore/scenario.h"
#include "model/endpoint/endpoint.h"

namespace metaroce::explore {

// A name of the generated tables, for Abseil.
inline absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// What the applications of one side have seen. Part of a side's state.
struct Ghost {
  uint32_t cid = 0;  // of the connection, when there is one
  bool ended = false;
  uint64_t word = 0;  // the memory that atomics change
  uint32_t posted = 0;
  std::vector<std::pair<uint32_t, uint32_t>> placed;  // (offset, how often), ascending
  std::vector<std::pair<uint32_t, uint32_t>> done;    // work: (id, status), in order
  std::vector<std::pair<uint32_t, uint32_t>> received;
};

struct Action {
  enum class Kind : uint8_t {
    kStep,       // side: its next timer expires, or it sends a packet
    kOperation,  // side: the next of its script
    kDeliver,    // channel
    kDrop,
    kDuplicate,
    kMark,
    kAdvance,  // to the next deadline
    kWait,     // to just before it
    kKill,     // number: way * 16 + path
    kRevive,
    kPause,  // side
    kResume,
  };
  Kind kind = Kind::kStep;
  uint8_t number = 0;
  uint16_t outcome = 0;  // of those that choices make

  uint32_t code() const {
    return static_cast<uint32_t>(kind) << 24 | uint32_t{number} << 16 | outcome;
  }
  static Action Of(uint32_t code) {
    return {static_cast<Kind>(code >> 24), static_cast<uint8_t>(code >> 16),
            static_cast<uint16_t>(code)};
  }
};

struct Position {
  static constexpr size_t kMostPackets = 120;
  struct UnderWay {
    uint32_t packet;
    uint8_t channel;
  };

  std::array<uint32_t, 2> side = {};
  Nanoseconds now = 0;
  std::array<uint8_t, 2> operation = {};
  uint8_t paused = 0;         // bit of a side
  Nanoseconds paused_at = 0;  // while a side is
  uint16_t dead_paths = 0;    // bit 8 * direction + path
  uint64_t dead_routes = 0;   // bit of a channel
  Budget left;
  uint8_t lost = 0;  // DATA packets lost, less those that were retransmitted
  uint8_t packets = 0;
  std::array<UnderWay, kMostPackets> under_way = {};  // by channel, each in its order

  Position() = default;
  Position(const Position& other) { *this = other; }
  // Copies no more packets than there are.
  Position& operator=(const Position& other);

  void Encode(std::string* out) const;
  void Decode(absl::string_view in);
};

// Why a position is wrong; empty if it is not.
using Problem = std::string;

// How a problem begins that says nothing of the model.
inline constexpr absl::string_view kTooLarge = "The explorer is too small: ";

class World {
 public:
  explicit World(const Scenario& scenario);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // A problem of the scenario itself, if any.
  const Problem& problem() const { return problem_; }
  const Position& start() const { return start_; }
  const Scenario& scenario() const { return scenario_; }

  // All that can happen, in a fixed order. Of a step with choices one action for each outcome.
  void Actions(const Position& from, std::vector<Action>* out);
  // What is wrong with what follows, or empty.
  Problem Apply(const Position& from, Action action, Position* to);
  // All work is done.
  bool Done(const Position& position) const;

  // What an action gives to a side.
  struct Stimulus {
    Nanoseconds at = 0;
    int side = 0;
    std::optional<Operation> operation;  // else a packet arrives
    std::vector<uint8_t> frame;
    uint8_t plane = 0;
    bool marked = false;
  };
  // What the sides were given after the handshake and before the start.
  const std::vector<Stimulus>& warm_up() const { return warm_up_; }
  // Nothing if the action gives nothing to any.
  std::optional<Stimulus> StimulusOf(const Position& from, Action action) const;

  // What happens, with the packets that leave by it, a line each.
  std::string Describe(const Position& from, Action action);
  // The state of a side in words.
  std::string Print(const Position& position, int side);

  // All tables but the memory of steps, so that positions keep their meaning in another process.
  void Save(std::string* out) const;
  // False if it is not what Save wrote of the same scenario and the same model.
  bool Restore(absl::string_view* in);

  const endpoint::Hits& hits() const { return hits_; }
  size_t side_states() const { return sides_[0].size() + sides_[1].size(); }
  size_t largest_side() const { return largest_side_; }
  size_t kinds_of_packets() const { return packets_.size(); }

 private:
  struct Sent {
    packet::Packet packet;  // its payload and options stand in `frame`
    std::vector<uint8_t> frame;
    endpoint::Arrival arrival;
    Nanoseconds sent = 0;
    uint8_t channel = 0;
    uint8_t from = 0;
  };
  struct SideState {
    std::string bytes;
    Ghost ghost;
    Nanoseconds due = kNever;
    bool settled = false;
    bool gone = false;  // no connection is left
    uint32_t problem = 0;
  };
  struct Outcome {
    uint32_t side = 0;
    std::vector<uint32_t> packets;
    std::string choices;  // in words
  };
  static constexpr uint8_t kMostChannels = 64;
  struct Channel {
    uint8_t from = 0;
    uint8_t plane = 0;
    uint16_t entropy = 0;
    uint8_t path = 255;  // of side 0, whose entropy it is; 255: of none
  };
  struct Key {
    uint32_t side;
    uint32_t input;  // packet * 4 + kind, or operation * 4 + kind
    Nanoseconds now;
    bool operator==(const Key&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.side, k.input, k.now);
    }
  };
  enum Input : uint32_t { kArrival, kMarkedArrival, kPoll, kDo };
  class Recorder;

  const std::vector<Outcome>& Outcomes(int side, uint32_t state, uint32_t input, Nanoseconds now);
  std::vector<Outcome> Compute(int side, uint32_t state, uint32_t input, Nanoseconds now);
  Problem Do(const Operation& operation, int side, const endpoint::Step& step, Ghost* ghost);
  void Load(int side, absl::string_view bytes, Ghost* ghost);
  uint32_t Intern(int side, const Ghost& ghost, const Problem& problem);
  uint32_t AddSide(int side, std::string bytes, const Ghost& ghost, const Problem& problem);
  uint32_t AddPacket(int from, Route route, Nanoseconds sent, std::vector<uint8_t> frame);
  uint32_t InternPacket(int from, const endpoint::PacketOut& out, Nanoseconds now);
  uint8_t ChannelOf(int from, Route route);
  bool Settled(int side, const Ghost& ghost) const;
  bool IsDead(const Position& p, uint8_t channel) const;
  Nanoseconds NextDeadline(const Position& p) const;
  // Nothing can happen but that time passes.
  bool Idle(const Position& p) const;
  bool DueNow(const Position& p, int side) const;
  Problem Put(Position* p, uint32_t packet) const;
  void Lose(Position* p, uint32_t packet) const;
  template <typename F>
  void Keep(Position* p, F keep) const;
  // What side 0 or 1 has completed must have happened at the other.
  Problem CheckDone(const Position& p, int side) const;
  const Operation* Work(int side, uint32_t id) const;
  void Establish();
  void WarmUp();

  Scenario scenario_;
  Problem problem_;
  Position start_;
  std::vector<Stimulus> warm_up_;
  std::array<std::unique_ptr<endpoint::Endpoint>, 2> scratch_;
  std::array<std::deque<SideState>, 2> sides_;
  std::array<absl::flat_hash_map<Hash128, uint32_t>, 2> side_ids_;
  std::array<absl::flat_hash_map<Key, uint32_t>, 2> memo_;
  std::deque<std::vector<Outcome>> outcomes_;
  std::deque<Sent> packets_;
  absl::flat_hash_map<Hash128, uint32_t> packet_ids_;
  std::vector<Channel> channels_;
  absl::flat_hash_map<uint16_t, uint8_t> path_of_entropy_;  // of side 0
  std::vector<Problem> problems_ = {""};
  endpoint::Hits hits_;
  size_t largest_side_ = 0;
};

}  // namespace metaroce::explore

#endif  // METAROCE_FUZZ_EXPLORE_WORLD_H_
