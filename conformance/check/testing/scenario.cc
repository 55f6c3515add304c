#include "conformance/check/testing/scenario.h"

#include <algorithm>

#include "model/check.h"

namespace metaroce::check {

using endpoint::Settings;
using testing::Fate;
using testing::Pair;

Scenario::Scenario(uint64_t seed)
    : state_(seed), choosers_{SeededChooser(2 * seed), SeededChooser(2 * seed + 1)} {
  choices_ = !OneIn(4);
  drops_ = OneIn(3) ? 0 : OneIn(4) ? 100 : 20;
  delays_ = OneIn(2) ? 0 : 50;
  copies_ = OneIn(2) ? 0 : 20;
  marks_ = OneIn(2) ? 0 : 200;
  pair_ = std::make_unique<Pair>(Options());
  if (choices_) {
    pair_->chooser[0] = &choosers_[0];
    pair_->chooser[1] = &choosers_[1];
  }
  recorder_ = std::make_unique<Recorder>(pair_.get());
  pair_->fate = [this](int from, const packet::Packet&, Route route) {
    return FateOf(from, route);
  };
}

uint64_t Scenario::Draw() {
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

Pair::Options Scenario::Options() {
  Pair::Options options;
  options.check = false;  // its ledger wants to see every post
  options.delay = 1000 + static_cast<Nanoseconds>(Below(20000));
  options.memory = 1 << 16;
  streams_ = static_cast<uint16_t>(1 + Below(4));
  const uint64_t paths = 1 + Below(6);
  const size_t planes = OneIn(3) ? 2 : 1;
  const bool secondary = OneIn(2);
  for (Settings& settings : options.settings) {
    const auto set = [&](const char* name, uint64_t value) {
      METAROCE_CHECK(settings.profile.Set(name, value).ok());
    };
    set("mtu", 256);
    set("paths", paths);
    set("streams", streams_);
    set("open_messages", 1 + Below(8));
    set("reads", 1 + Below(4));
    set("csn_range", 256);
    set("ack_every", 1 + Below(8));
    set("rnr_timer_code", 1 + Below(4));
    set("rnr_retry", OneIn(3) ? 1 : 7);
    settings.target_paths = static_cast<uint32_t>(1 + Below(paths));
    settings.windows.path_window = static_cast<uint32_t>(1 + Below(16)) << 16;
    settings.ports.resize(planes);
    settings.secondary_blocks = secondary;
    settings.seed = Draw();
  }
  return options;
}

Fate Scenario::FateOf(int from, Route route) {
  Fate fate;
  const bool dies = death_.entropy == route.entropy && pair_->now() < death_.until &&
                    (death_.from == 2 || death_.from == from);
  fate.drop = dies || Below(1000) < drops_;
  fate.mark = Below(1000) < marks_;
  if (Below(1000) < delays_) fate.extra = static_cast<Nanoseconds>(Below(30000));
  if (Below(1000) < copies_) fate.again = 1 + static_cast<Nanoseconds>(Below(20000));
  return fate;
}

void Scenario::Work(int side) {
  constexpr WorkKind kKinds[] = {
      WorkKind::kWrite, WorkKind::kWrite,    WorkKind::kWriteImmediate, WorkKind::kSend,
      WorkKind::kRead,  WorkKind::kFetchAdd, WorkKind::kSendImmediate,  WorkKind::kCompareSwap,
      WorkKind::kRead,  WorkKind::kSend,
  };
  WorkRequest work = Pair::Write(++works_, 8 * static_cast<uint32_t>(Below(4000)),
                                 static_cast<uint32_t>(OneIn(5) ? 0 : Below(2000)));
  work.kind = kKinds[Below(std::size(kKinds))];
  work.stream = static_cast<uint16_t>(Below(streams_));
  work.word = static_cast<uint32_t>(Draw());
  if (IsAtomic(work.kind)) {
    work.length = 8;
    work.operand = Draw();
    work.compare = Below(2);
  }
  work.solicited = ConsumesReceive(work.kind) && OneIn(2);
  (void)pair_->at(side).Post(pair_->cid(side), work, pair_->step(side)).ok();
}

void Scenario::Operate(int side) {
  const endpoint::Connection* c = pair_->at(side).Find(pair_->cid(side));
  if (c == nullptr || c->out.empty()) return;
  const uint64_t kind = Below(10);
  if (kind < 6) return Work(side);
  if (kind < 9) {
    PostedReceive receive;
    receive.address = Pair::kBase;
    receive.length = 4096;
    (void)pair_->at(side).PostReceive(pair_->cid(side), receive, pair_->step(side)).ok();
    return;
  }
  if (!OneIn(3)) return;
  const uint8_t path = static_cast<uint8_t>(Below(c->out.size()));
  death_.entropy = c->out[path].route.entropy;
  death_.from = static_cast<int>(Below(3));
  death_.until = pair_->now() + static_cast<Nanoseconds>(Below(2000000));
}

void Scenario::Play() {
  if (!pair_->Open()) return;
  const uint64_t steps = 20 + Below(100);
  for (uint64_t i = 0; i < steps; ++i) {
    Operate(static_cast<int>(Below(2)));
    if (OneIn(3)) pair_->Run(pair_->now() + static_cast<Nanoseconds>(Below(40000)));
  }
  pair_->Run(pair_->now() + 3000000);
  // Whatever waits for a receive gets one.
  for (uint64_t i = 0; i < steps / 2; ++i) {
    PostedReceive receive;
    receive.address = Pair::kBase;
    receive.length = 4096;
    const int side = static_cast<int>(i % 2);
    if (pair_->at(side).Find(pair_->cid(side)) == nullptr) continue;
    (void)pair_->at(side).PostReceive(pair_->cid(side), receive, pair_->step(side)).ok();
  }
  pair_->Run(pair_->now() + 5000000);
  if (OneIn(2)) {
    const int side = static_cast<int>(Below(2));
    (void)pair_->at(side).Close(pair_->cid(side), pair_->step(side)).ok();
    pair_->Run(pair_->now() + 100000000);
  }
}

}  // namespace metaroce::check
