// The memory of the model's device: a pattern where nothing was written, zero in what is
// registered.
#ifndef METAROCE_CONFORMANCE_DUTS_MODEL_MEMORY_H_
#define METAROCE_CONFORMANCE_DUTS_MODEL_MEMORY_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/endpoint/endpoint.h"

namespace metaroce::conformance {

// Addresses are 64 bits and do not wrap. What was written is kept in pages.
class SparseMemory : public endpoint::Memory {
 public:
  //= CONF-MEMORY
  //# Memory from 2^63 on that is not registered cannot be read by the DUT itself
  static constexpr uint64_t kReadable = uint64_t{1} << 63;

  // Holds zeros. Precondition: it ends within 2^64.
  void Register(uint64_t address, uint64_t length) {
    if (length > 0) zero_.emplace_back(address, length);
  }
  void Write(uint64_t address, packet::Bytes data) {
    for (const uint8_t byte : data) {
      Page& page = PageOf(address);
      page[address % kPage] = byte;
      ++address;
    }
  }
  // The bytes hold until the next call. None if one of them cannot be read.
  packet::Bytes Read(uint64_t address, uint32_t length) override {
    if (length > 0 && !Readable(address, length)) return {};
    read_.resize(length);
    for (uint32_t i = 0; i < length;) {
      const uint64_t at = address + i;
      const auto count = static_cast<uint32_t>(std::min<uint64_t>(length - i, kPage - at % kPage));
      const auto it = pages_.find(at / kPage);
      if (it != pages_.end()) {
        std::copy_n(it->second.begin() + at % kPage, count, read_.begin() + i);
      } else {
        for (uint32_t k = 0; k < count; ++k) read_[i + k] = Initial(at + k);
      }
      i += count;
    }
    return read_;
  }

 private:
  static constexpr uint64_t kPage = 4096;
  using Page = std::array<uint8_t, kPage>;

  bool Registered(uint64_t address) const { return RegisteredFrom(address) > 0; }
  // How many bytes from `address` on one region has; 0 if none has it.
  uint64_t RegisteredFrom(uint64_t address) const {
    uint64_t most = 0;
    for (const auto& [start, length] : zero_) {
      if (address - start < length) most = std::max(most, length - (address - start));
    }
    return most;
  }
  bool Readable(uint64_t address, uint32_t length) const {
    const uint64_t last = address + (length - 1);
    if (last < address) return false;
    for (uint64_t at = std::max(address, kReadable); at <= last;) {
      const uint64_t count = RegisteredFrom(at);
      if (count == 0) return false;
      if (count > last - at) return true;
      at += count;
    }
    return true;
  }
  //= CONF-MEMORY
  //# the byte at address a is (a + 1) modulo 251
  uint8_t Initial(uint64_t address) const {
    return Registered(address) ? 0 : static_cast<uint8_t>((address + 1) % 251);
  }
  Page& PageOf(uint64_t address) {
    const auto [it, fresh] = pages_.try_emplace(address / kPage);
    if (fresh) {
      const uint64_t start = address / kPage * kPage;
      for (uint64_t i = 0; i < kPage; ++i) it->second[i] = Initial(start + i);
    }
    return it->second;
  }

  std::vector<std::pair<uint64_t, uint64_t>> zero_;  // address, length
  std::map<uint64_t, Page> pages_;
  std::vector<uint8_t> read_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUTS_MODEL_MEMORY_H_
