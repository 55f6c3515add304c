// Capture files put together by hand, for tests.
#ifndef METAROCE_MODEL_WIRE_CAPTURE_BYTES_FOR_TEST_H_
#define METAROCE_MODEL_WIRE_CAPTURE_BYTES_FOR_TEST_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace metaroce::capture {

using Buffer = std::vector<uint8_t>;

// Appends integers in one byte order.
class FileBuilder {
 public:
  explicit FileBuilder(bool big) : big_(big) {}

  FileBuilder& U16(uint16_t v) { return Put(v, 2); }
  FileBuilder& U32(uint32_t v) { return Put(v, 4); }
  FileBuilder& U64(uint64_t v) { return Put(v, 8); }
  FileBuilder& Raw(const Buffer& bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  FileBuilder& Padded(const Buffer& bytes) {
    Raw(bytes);
    return Raw(Buffer((4 - bytes.size() % 4) % 4));
  }
  FileBuilder& Option(uint16_t code, const Buffer& value) {
    return U16(code).U16(static_cast<uint16_t>(value.size())).Padded(value);
  }
  // A pcapng block around `body`, which is a multiple of four bytes long.
  FileBuilder& Block(uint32_t type, const Buffer& body) {
    const uint32_t length = static_cast<uint32_t>(body.size() + 12);
    return U32(type).U32(length).Raw(body).U32(length);
  }
  FileBuilder Empty() const { return FileBuilder(big_); }
  Buffer bytes() const { return out_; }

  // pcapng: a section header.
  FileBuilder& Section() {
    return Block(0x0A0D0D0A, Empty().U32(0x1A2B3C4D).U16(1).U16(0).U64(~uint64_t{0}).bytes());
  }
  FileBuilder& Interface(uint16_t link_type, uint32_t snap_length, const Buffer& options = {}) {
    return Block(1, Empty().U16(link_type).U16(0).U32(snap_length).Raw(options).bytes());
  }
  FileBuilder& Enhanced(uint32_t interface, uint64_t ticks, const Buffer& data, uint32_t original,
                        const Buffer& options = {}) {
    return Block(6, Empty()
                        .U32(interface)
                        .U32(static_cast<uint32_t>(ticks >> 32))
                        .U32(static_cast<uint32_t>(ticks))
                        .U32(static_cast<uint32_t>(data.size()))
                        .U32(original)
                        .Padded(data)
                        .Raw(options)
                        .bytes());
  }
  // pcap: file header and record.
  FileBuilder& PcapHeader(uint32_t magic, uint32_t link_type) {
    return U32(magic).U16(2).U16(4).U32(0).U32(0).U32(65535).U32(link_type);
  }
  FileBuilder& Record(uint32_t seconds, uint32_t fraction, const Buffer& data, uint32_t original) {
    return U32(seconds)
        .U32(fraction)
        .U32(static_cast<uint32_t>(data.size()))
        .U32(original)
        .Raw(data);
  }

 private:
  FileBuilder& Put(uint64_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      const int byte = big_ ? bytes - 1 - i : i;
      out_.push_back(static_cast<uint8_t>(v >> 8 * byte));
    }
    return *this;
  }

  bool big_;
  Buffer out_;
};

inline Buffer TextBytes(const std::string& text) { return Buffer(text.begin(), text.end()); }

}  // namespace metaroce::capture

#endif  // METAROCE_MODEL_WIRE_CAPTURE_BYTES_FOR_TEST_H_
