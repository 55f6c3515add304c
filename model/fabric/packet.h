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

// What the hops need stands in its first 64 bytes: one line of a cache.
struct alignas(64) Packet {
  static constexpr size_t kInline = 168;

  uint64_t number = 0;  // of all packets of the run, from 1; a duplicate has that of its original
  uint32_t length = 0;  // of the frame, with payload, pad and iCRC
  uint32_t link = 0;    // on which it is
  uint32_t hash = 0;    // of its five tuple, by its first switch
  uint32_t next = kNoPacket;
  uint32_t flow = 0;            // the user's own
  uint32_t headers = 0;         // bytes that stand in `bytes`
  uint32_t large = UINT32_MAX;  // place of headers longer than kInline
  uint16_t from = 0;            // hosts
  uint16_t to = 0;
  uint16_t route = UINT16_MAX;  // the spine that it takes, if any
  uint8_t plane = 0;
  uint8_t path = 255;  // the user's own
  PacketClass kind = PacketClass::kData;
  uint8_t hops = 0;      // switches passed
  bool capable = false;  // of being marked (RFC 3168)
  bool ce = false;
  bool again = false;    // the user's own: not its first transmission
  bool corrupt = false;  // a bit of it is wrong
  bool copy = false;     // a duplicate

  Picoseconds sent = 0;  // when its first bit left the host
  Bytes payload;         // where the sender's memory holds it
  uint8_t bytes[kInline];

  uint32_t wire() const { return length + kWireOverhead; }
};

// All packets of a simulation. Records are reused, the latest freed first; nothing is allocated
// once as many were alive at a time as ever are.
class Slab {
 public:
  // The greatest headers: a CTRL packet filled to full size.
  static constexpr size_t kMaxHeaders = 8192;
  // The codec wants the bytes that a frame says it has; those behind the headers are never looked
  // at.
  static constexpr size_t kMaxFrame = 65536;

  Slab() : room_(kMaxHeaders) {}

  Packet& operator[](uint32_t packet) { return chunks_[packet / kChunk][packet % kChunk]; }
  const Packet& operator[](uint32_t packet) const {
    return chunks_[packet / kChunk][packet % kChunk];
  }

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
  // The first `headers` bytes of room() are those of the packet. Short ones may have been written
  // to its own bytes at once.
  void SetHeaders(uint32_t packet, size_t headers) {
    METAROCE_CHECK(headers <= kMaxHeaders);
    Packet& p = (*this)[packet];
    p.headers = static_cast<uint32_t>(headers);
    if (headers > Packet::kInline) p.large = TakeLarge();
    std::memcpy(HeadersOf(packet), room_.data(), headers);
  }
  uint8_t* HeadersOf(uint32_t packet) {
    Packet& p = (*this)[packet];
    return p.large == UINT32_MAX ? p.bytes : large_[p.large].get();
  }
  Bytes HeadersOf(uint32_t packet) const {
    const Packet& p = (*this)[packet];
    return Bytes(p.large == UINT32_MAX ? p.bytes : large_[p.large].get(), p.headers);
  }
  // The frame as it would stand in a receive buffer, but for what lies behind the headers.
  Bytes FrameOf(uint32_t packet) { return Bytes(HeadersOf(packet), (*this)[packet].length); }

  // A second packet like this one.
  uint32_t Copy(uint32_t packet) {
    const uint32_t copy = Take();
    (*this)[copy] = (*this)[packet];
    if ((*this)[packet].large != UINT32_MAX) {
      (*this)[copy].large = TakeLarge();
      std::memcpy(HeadersOf(copy), HeadersOf(packet), (*this)[packet].headers);
    }
    return copy;
  }

 private:
  static constexpr uint32_t kChunk = 4096;

  void Grow() {
    const uint32_t first = static_cast<uint32_t>(chunks_.size()) * kChunk;
    chunks_.push_back(std::make_unique<Packet[]>(kChunk));
    for (uint32_t i = kChunk; i-- > 0;) {
      chunks_.back()[i].next = free_;
      free_ = first + i;
    }
  }
  uint32_t TakeLarge() {
    if (free_large_.empty()) {
      large_.push_back(std::make_unique<uint8_t[]>(kMaxFrame));
      free_large_.reserve(large_.size());
      return static_cast<uint32_t>(large_.size() - 1);
    }
    const uint32_t place = free_large_.back();
    free_large_.pop_back();
    return place;
  }

  std::vector<uint8_t> room_;
  std::vector<std::unique_ptr<Packet[]>> chunks_;
  uint32_t free_ = kNoPacket;
  std::vector<std::unique_ptr<uint8_t[]>> large_;
  std::vector<uint32_t> free_large_;
  size_t alive_ = 0;
};

}  // namespace metaroce::fabric

#endif  // METAROCE_MODEL_FABRIC_PACKET_H_
