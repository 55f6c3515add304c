// Packets inside the fabric: the headers of a frame as bytes, its payload by reference, and what a
// simulation keeps of it besides.
#ifndef METAROCE_MODEL_FABRIC_PACKET_H_
#define METAROCE_MODEL_FABRIC_PACKET_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "model/check.h"
#include "model/fabric/calendar.h"

namespace metaroce::fabric {

using Bytes = absl::Span<const uint8_t>;

// By what scripted faults tell packets apart.
enum class PacketClass : uint8_t { kData, kAck, kControl };

inline constexpr uint32_t kNoPacket = UINT32_MAX;

// FCS, preamble and gap: what a frame of the codec takes on the wire besides its bytes.
inline constexpr uint32_t kWireOverhead = 24;

// One line of a cache, with all that the hops need; its bytes stand elsewhere.
struct alignas(64) Packet {
  uint64_t number = 0;  // of all packets of the run, from 1; a duplicate has that of its original
  uint32_t length = 0;  // of the frame, with payload, pad and iCRC
  uint32_t link = 0;    // on which it is
  uint32_t hash = 0;    // of its five tuple, by its first switch
  uint32_t next = kNoPacket;
  uint32_t flow = 0;            // the user's own
  uint32_t headers = 0;         // bytes that the slab holds of it
  uint32_t large = UINT32_MAX;  // place of headers longer than Slab::kShort
  uint16_t from = 0;            // hosts
  uint16_t to = 0;
  uint16_t to_leaf = 0;
  uint16_t route = UINT16_MAX;  // the spine that it takes, if any
  uint8_t plane = 0;
  uint8_t path = 255;  // the user's own
  PacketClass kind = PacketClass::kData;
  uint8_t hops = 0;      // switches passed
  bool urgent = false;   // goes before those that are not, in its host's own port
  bool capable = false;  // of being marked (RFC 3168)
  bool ce = false;
  bool again = false;    // the user's own: not its first transmission
  bool corrupt = false;  // a bit of it is wrong
  bool copy = false;     // a duplicate

  Picoseconds sent = 0;  // when its first bit left the host

  uint32_t wire() const { return length + kWireOverhead; }
};
static_assert(sizeof(Packet) == 64);

// All packets of a simulation. Records are reused, the latest freed first; nothing is allocated
// once as many were alive at a time as ever are.
class Slab {
 public:
  // Headers of DATA are no longer than that.
  static constexpr size_t kShort = 176;
  // The greatest headers: a CTRL packet filled to full size.
  static constexpr size_t kMaxHeaders = 8192;
  // A frame with the greatest payload.
  static constexpr size_t kMaxFrame = 8192;

  Slab() : room_(kMaxHeaders) {}

  Packet& operator[](uint32_t packet) { return chunks_[packet / kChunk][packet % kChunk]; }
  const Packet& operator[](uint32_t packet) const {
    return chunks_[packet / kChunk][packet % kChunk];
  }
  // Where the sender's memory holds the payload of the packet, if it does.
  Bytes& PayloadOf(uint32_t packet) { return BodyOf(packet).payload; }

  // A packet whose fields are as they were before, or as they are made.
  uint32_t Take() {
    if (free_ == kNoPacket) Grow();
    const uint32_t packet = free_;
    free_ = (*this)[packet].next;
    ++alive_;
    return packet;
  }
  void Free(uint32_t packet) {
    Packet& p = (*this)[packet];
    if (p.large != UINT32_MAX) {
      free_large_.push_back(p.large);
      p.large = UINT32_MAX;
    }
    p.next = free_;
    free_ = packet;
    --alive_;
  }
  size_t alive() const { return alive_; }

  // Room for headers of any length, for SetHeaders.
  absl::Span<uint8_t> room() { return absl::Span<uint8_t>(room_); }
  // Room for short headers of the packet, which are there when they have been written and
  // Packet::headers has been set.
  absl::Span<uint8_t> RoomForShort(uint32_t packet) {
    return absl::Span<uint8_t>(BodyOf(packet).bytes, kShort);
  }
  // The first `headers` bytes of room() are those of the packet.
  void SetHeaders(uint32_t packet, size_t headers) {
    METAROCE_CHECK(headers <= kMaxHeaders);
    Packet& p = (*this)[packet];
    p.headers = static_cast<uint32_t>(headers);
    if (headers > kShort) p.large = TakeLarge();
    std::memcpy(HeadersOf(packet), room_.data(), headers);
  }
  // The same for a whole frame, with payload and iCRC: room for kMaxFrame bytes of its own.
  absl::Span<uint8_t> RoomForFrame(uint32_t packet) {
    Packet& p = (*this)[packet];
    p.large = TakeLarge();
    return absl::Span<uint8_t>(large_[p.large].get(), kMaxFrame);
  }
  uint8_t* HeadersOf(uint32_t packet) {
    const Packet& p = (*this)[packet];
    return p.large == UINT32_MAX ? BodyOf(packet).bytes : large_[p.large].get();
  }
  Bytes HeadersOf(uint32_t packet) const {
    const Packet& p = (*this)[packet];
    const Body& body = bodies_[packet / kChunk][packet % kChunk];
    return Bytes(p.large == UINT32_MAX ? body.bytes : large_[p.large].get(), p.headers);
  }
  // The frame as it would stand in a receive buffer, but for what lies behind the headers: the
  // codec wants to have the length, and never looks there.
  Bytes FrameOf(uint32_t packet) { return Bytes(HeadersOf(packet), (*this)[packet].length); }

  // A second packet like this one.
  uint32_t Copy(uint32_t packet) {
    const uint32_t copy = Take();
    (*this)[copy] = (*this)[packet];
    BodyOf(copy) = BodyOf(packet);
    if ((*this)[packet].large != UINT32_MAX) {
      (*this)[copy].large = TakeLarge();
      std::memcpy(HeadersOf(copy), HeadersOf(packet), (*this)[packet].headers);
    }
    return copy;
  }

 private:
  static constexpr uint32_t kChunk = 4096;

  struct alignas(64) Body {
    Bytes payload;
    uint8_t bytes[kShort];
  };

  Body& BodyOf(uint32_t packet) { return bodies_[packet / kChunk][packet % kChunk]; }
  void Grow() {
    const uint32_t first = static_cast<uint32_t>(chunks_.size()) * kChunk;
    chunks_.push_back(std::make_unique<Packet[]>(kChunk));
    bodies_.push_back(std::make_unique_for_overwrite<Body[]>(kChunk));
    for (uint32_t i = kChunk; i-- > 0;) {
      chunks_.back()[i].next = free_;
      free_ = first + i;
    }
  }
  uint32_t TakeLarge() {
    if (free_large_.empty()) {
      large_.push_back(std::make_unique_for_overwrite<uint8_t[]>(kMaxFrame));
      free_large_.reserve(large_.size());
      return static_cast<uint32_t>(large_.size() - 1);
    }
    const uint32_t place = free_large_.back();
    free_large_.pop_back();
    return place;
  }

  std::vector<uint8_t> room_;
  std::vector<std::unique_ptr<Packet[]>> chunks_;
  std::vector<std::unique_ptr<Body[]>> bodies_;
  uint32_t free_ = kNoPacket;
  std::vector<std::unique_ptr<uint8_t[]>> large_;
  std::vector<uint32_t> free_large_;
  size_t alive_ = 0;
};

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_PACKET_H_
