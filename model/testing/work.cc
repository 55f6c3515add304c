#include "model/testing/work.h"

#include "model/check.h"

namespace metaroce::testing {

Pair::Options Small(uint32_t paths, bool codec) {
  Pair::Options options;
  options.codec = codec;
  for (endpoint::Settings& settings : options.settings) {
    METAROCE_CHECK(settings.profile.Set("mtu", 256).ok());
    METAROCE_CHECK(settings.profile.Set("paths", paths).ok());
    METAROCE_CHECK(settings.profile.Set("reads", 3).ok());
    settings.target_paths = paths;
    settings.windows.path_window = 16 << 16;
  }
  return options;
}

void PostEveryKind(Pair& pair, uint32_t count) {
  constexpr uint32_t kFirstKey = 0x10000;
  for (int side = 0; side < 2; ++side) {
    for (uint32_t i = 0; i < count; ++i) {
      PostedReceive receive;
      receive.id = i;
      receive.address = Pair::kBase + 0x40000 + 4096 * (i % 32);
      receive.length = 4096;
      pair.PostReceive(side, receive);
    }
    for (uint32_t i = 0; i < count; ++i) {
      WorkRequest work = Pair::Write(i, 0, (i * 131) % 2000);
      work.stream = static_cast<uint16_t>(i % 5);
      work.kind = static_cast<WorkKind>(i % 8);
      work.fenced = i % 11 == 0;
      work.address = Pair::kBase + 0x20000;
      work.local = Pair::kBase + 0x1000;
      if (work.kind == WorkKind::kSendInvalidate) {
        work.word = kFirstKey + i;
        const Region region{Pair::kBase, 4096, work.word, kRemoteWrite, true};
        METAROCE_CHECK(pair.at(1 - side).Register(pair.cid(1 - side), region).ok());
      }
      if (IsAtomic(work.kind)) {
        work.length = 8;
        work.operand = 1;
      }
      if (HasResponse(work.kind)) work.local = Pair::kBase + 0x80000 + 2048 * (i % 64);
      pair.Post(side, work);
    }
  }
}

bool AllSucceeded(Pair& pair, uint32_t count) {
  for (int side = 0; side < 2; ++side) {
    const endpoint::Connection* c = pair.at(side).Find(pair.cid(side));
    if (c == nullptr || c->state != spec::ConnectionState::kOpen) return false;
    if (pair.log(side).work.size() != count) return false;
    for (const endpoint::WorkDone& done : pair.log(side).work) {
      if (done.status != spec::CompletionStatus::kSuccess) return false;
    }
  }
  return true;
}

}  // namespace metaroce::testing
