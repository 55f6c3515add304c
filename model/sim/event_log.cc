#include "model/sim/event_log.h"

#include "spec/tables.h"

namespace metaroce::sim {
namespace {

std::string_view ClassName(fabric::PacketClass kind) {
  switch (kind) {
    case fabric::PacketClass::kData:
      return "DATA";
    case fabric::PacketClass::kAck:
      return "ACK";
    case fabric::PacketClass::kControl:
      return "CONTROL";
  }
  return "";
}

}  // namespace

EventLog::EventLog(const fabric::Fabric& fabric, std::ostream* out)
    : fabric_(fabric), out_(out), text_(kHoldBack + kLongestLine) {}

void EventLog::BeginPacket(std::string_view event, uint32_t packet) {
  const fabric::Packet& p = fabric_.packets()[packet];
  Begin(event);
  AddNumber("packet", p.number);
  AddText("class", ClassName(p.kind));
  AddNumber("from", p.from);
  AddNumber("to", p.to);
  AddNumber("plane", p.plane);
  if (p.flow != kNoFlow) AddNumber("connection", p.flow / 2);
  if (p.kind != fabric::PacketClass::kControl || p.path != spec::constant::kNoPath) {
    AddNumber("path", p.path);
  }
  AddNumber("bytes", p.wire());
  if (p.again) AddNumber("again", 1);
  if (p.ce) AddNumber("ce", 1);
  if (p.corrupt) AddNumber("corrupt", 1);
  if (p.copy) AddNumber("copy", 1);
}

void EventLog::Lost(uint32_t packet, uint32_t link, fabric::Loss why) {
  BeginPacket("lost", packet);
  AddText("link", NameOf(link));
  AddText("why", fabric::Name(why));
  End();
}

void EventLog::Marked(uint32_t packet, uint32_t link) {
  BeginPacket("marked", packet);
  AddText("link", NameOf(link));
  End();
}

void EventLog::Flush() {
  out_->write(text_.data(), static_cast<std::streamsize>(size_));
  size_ = 0;
}

std::string_view EventLog::NameOf(uint32_t link) {
  if (links_.empty()) links_.resize(fabric_.links());
  std::string& name = links_[link];
  if (name.empty()) name = fabric_.NameOf(link);
  return name;
}

}  // namespace metaroce::sim
