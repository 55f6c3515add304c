// What happened at both ends of a vector of level system, for a person's eyes.
#ifndef METAROCE_CONFORMANCE_SYSTEM_HISTORY_H_
#define METAROCE_CONFORMANCE_SYSTEM_HISTORY_H_

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "conformance/play/codec.h"
#include "conformance/play/script.h"
#include "conformance/play/timeline.h"
#include "conformance/system/happening.h"

namespace metaroce::conformance {

class History {
 public:
  // Both outlive this.
  History(const Script& script, const PacketCodec* codec) : script_(script), codec_(codec) {}

  // What it returns stays where it is.
  Happening& Add(Happening happening) { return happened_.emplace_back(std::move(happening)); }

  // The index of the last step that the DUT was given by then, -1 before the first.
  int StepAt(uint64_t at) const;
  // What the DUT was given last by then.
  std::string ReceivedBefore(uint64_t at) const;
  Mark MarkOf(const Happening& happening) const;
  // What the DUT was given and did, and what the peer was given and told, up to that time: the last
  // of it.
  std::vector<Mark> Marks(uint64_t at) const;

 private:
  const Script& script_;
  const PacketCodec* const codec_;
  std::deque<Happening> happened_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_SYSTEM_HISTORY_H_
