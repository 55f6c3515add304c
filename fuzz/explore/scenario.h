// What the explorer explores: two endpoints, what their applications do, and what the network and
// the peers may do to them, each within a budget.
#ifndef METAROCE_FUZZ_EXPLORE_SCENARIO_H_
#define METAROCE_FUZZ_EXPLORE_SCENARIO_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "model/endpoint/endpoint.h"

namespace metaroce::explore {

// One thing that the application or the operator of a side does.
struct Operation {
  enum class Kind : uint8_t {
    kPost,
    kPostReceive,
    kConnect,
    kClose,
    kDeny,
    kLift,
    kDrainToEpoch,
    kDrainToClose,
    kPortDown,
    kPortUp,
  };
  Kind kind = Kind::kPost;
  WorkRequest work;
  PostedReceive receive;
  uint8_t number = 0;  // path or plane

  std::string ToString() const;
};

// How often the adversary may do what. Every use makes states of its own.
struct Budget {
  uint8_t drops = 0;       // the next packet of a channel is lost
  uint8_t duplicates = 0;  // it arrives, and stays in the channel
  uint8_t marks = 0;       // it arrives with CE
  uint8_t delays =
      0;  // time passes to a timer, or to just before it, while something else could happen
  uint8_t kills = 0;    // a path of side 0 dies, in one direction or both
  uint8_t revives = 0;  // all dead paths live again
  uint8_t pauses = 0;   // a side neither hears, sends nor looks at its timers for a while
  uint8_t lulls = 0;    // a timer expires while a side pauses

  bool operator==(const Budget&) const = default;
};

using Choices = std::bitset<spec::Named<spec::Choice>::kAll.size()>;
using Causes = std::bitset<spec::Named<spec::ConnectionCause>::kAll.size()>;

struct Scenario {
  std::string name;
  std::string about;
  endpoint::Settings settings[2];
  // The connection exists and its paths are open when it begins; otherwise an operation opens it.
  bool established = true;
  std::vector<Operation> script[2];  // in this order
  // Operations happen at any time; otherwise before anything else.
  bool post_any_time = false;
  // What an endpoint can send, it sends before anything else happens; otherwise anything may come
  // between.
  bool eager = true;
  Budget budget;
  uint8_t killable = 0;      // bit p: path p of side 0 may die
  uint8_t kill_ways = 7;     // 1: from side 0 to side 1, 2: back, 4: both at once
  bool kill_routes = false;  // with its entropy only: a new epoch leaves it; otherwise as a whole
  bool kill_stalls = false;  // what is under way on it is not lost, but waits until it lives again
  Choices enumerate;         // choice points of which every value is tried
  // First numbers, for wraps.
  uint32_t start = 0;
  uint8_t first_epoch = 0;
  Nanoseconds begins = 1000000;
  // Why the connection may end, but for the wish of an application.
  Causes may_end;
  bool closes = false;  // it is done when both sides have forgotten the connection
  // Clauses whose code must have run when all is explored.
  std::vector<spec::Clause> must_hit;
  bool large = false;  // minutes and gigabytes
};

// All that are built in.
const std::vector<Scenario>& Presets();
const Scenario* FindPreset(absl::string_view name);

}  // namespace metaroce::explore

#endif  // METAROCE_FUZZ_EXPLORE_SCENARIO_H_
