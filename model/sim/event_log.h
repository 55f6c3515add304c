// A log of events: one JSON object a line, written to a stream in large pieces.
#ifndef METAROCE_MODEL_SIM_EVENT_LOG_H_
#define METAROCE_MODEL_SIM_EVENT_LOG_H_

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "model/fabric/fabric.h"

namespace metaroce::sim {

// What a packet belongs to that the fabric does not know.
inline constexpr uint32_t kNoFlow = UINT32_MAX;

class EventLog {
 public:
  // Both outlive the log.
  EventLog(const fabric::Fabric& fabric, std::ostream* out);

  // A line. Texts must not need to be escaped; names stand in the order of the calls.
  void Begin(std::string_view event) {
    if (size_ > kHoldBack) Flush();
    Add("{\"ps\":");
    Add(static_cast<uint64_t>(fabric_.now()));
    Add(",\"event\":\"");
    Add(event);
    Add("\"");
  }
  void AddNumber(std::string_view name, uint64_t value) {
    AddName(name);
    Add(value);
  }
  void AddText(std::string_view name, std::string_view value) {
    AddName(name);
    Add("\"");
    Add(value);
    Add("\"");
  }
  void End() { Add("}\n"); }

  // Lines, or the beginning of one, about a packet.
  void BeginPacket(std::string_view event, uint32_t packet);
  void Packet(std::string_view event, uint32_t packet) {
    BeginPacket(event, packet);
    End();
  }
  void Lost(uint32_t packet, uint32_t link, fabric::Loss why);
  void Marked(uint32_t packet, uint32_t link);

  // What is still held back is written.
  void Flush();

 private:
  static constexpr size_t kHoldBack = size_t{1} << 18;
  static constexpr size_t kLongestLine = 4096;

  void Add(std::string_view text) {
    std::memcpy(text_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  void Add(uint64_t value) {
    char* const to = text_.data() + size_;
    if (value < 10) {
      *to = static_cast<char>('0' + value);
      ++size_;
      return;
    }
    size_ += static_cast<size_t>(std::to_chars(to, to + 20, value).ptr - to);
  }
  void AddName(std::string_view name) {
    Add(",\"");
    Add(name);
    Add("\":");
  }
  std::string_view NameOf(uint32_t link);

  const fabric::Fabric& fabric_;
  std::ostream* const out_;
  std::vector<char> text_;
  size_t size_ = 0;
  std::vector<std::string> links_;  // names, once they were needed
};

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_EVENT_LOG_H_
