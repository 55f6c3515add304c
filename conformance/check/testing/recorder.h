// Writes down what two endpoints of the model say to each other, as `metaroce check` reads it.
#ifndef METAROCE_CONFORMANCE_CHECK_TESTING_RECORDER_H_
#define METAROCE_CONFORMANCE_CHECK_TESTING_RECORDER_H_

#include <cstdint>
#include <vector>

#include "model/testing/pair.h"
#include "model/wire/packet/packet.h"

namespace metaroce::check {

// One frame as one side saw it.
struct Seen {
  int side = 0;
  bool received = false;
  uint8_t plane = 0;
  Nanoseconds at = 0;
  std::vector<uint8_t> frame;
};

class Recorder {
 public:
  // Hears the pair from now on. The pair must not be opened yet, and outlive this.
  explicit Recorder(testing::Pair* pair);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // What was heard, for edits.
  std::vector<Seen>& seen() { return seen_; }

  // The capture, with the settings of both sides as its profile.
  std::vector<uint8_t> Pcapng() const;

 private:
  testing::Pair* pair_;
  std::string profile_;
  size_t planes_[2];
  std::vector<Seen> seen_;
};

// Takes a frame apart, lets `edit` change its packet and what is below it, and puts it together
// again, right in all that follows from the rest.
template <typename F>
std::vector<uint8_t> Edited(const std::vector<uint8_t>& bytes, F edit);
std::vector<uint8_t> Rebuilt(const packet::Packet& packet, const frame::FrameSpec& spec);
bool Taken(packet::Bytes bytes, packet::Packet* packet, frame::FrameSpec* spec);

template <typename F>
std::vector<uint8_t> Edited(const std::vector<uint8_t>& bytes, F edit) {
  packet::Packet packet;
  frame::FrameSpec spec;
  if (!Taken(bytes, &packet, &spec)) return {};
  edit(packet, spec);
  return Rebuilt(packet, spec);
}

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_TESTING_RECORDER_H_
