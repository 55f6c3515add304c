// Used by wireshark_test.sh.
//   capture_tool_for_test write         writes a pcapng file to standard output
//   capture_tool_for_test dump FILE     prints a line for each packet of FILE and
//                                       then the status
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "model/wire/capture/capture.h"
#include "model/wire/capture/pcapng_writer.h"
#include "model/wire/frame/builder.h"

namespace metaroce::capture {
namespace {

std::vector<uint8_t> Frame(bool ethernet, size_t payload_length) {
  frame::FrameSpec spec;
  spec.ethernet = ethernet;
  spec.src = frame::IpAddress::V4({10, 0, 0, 1});
  spec.dst = frame::IpAddress::V4({10, 0, 0, 2});
  spec.src_port = 0xC001;
  spec.dst_port = 0xC002;
  return frame::BuildFrame(spec, std::vector<uint8_t>(payload_length, 0x5A)).value();
}

int Write() {
  PcapngWriter writer("capture test");
  const uint32_t host = writer.AddInterface(1, "host port").value();
  const uint32_t raw = writer.AddInterface(101, "raw").value();
  const std::vector<uint8_t> frame = Frame(true, 32);
  const std::vector<uint8_t> cut(frame.begin(), frame.begin() + 60);
  const std::vector<uint8_t> ip = Frame(false, 3);
  const PcapngWriter::Packet packets[] = {
      {host, 0, frame, 0, "the first, at the epoch", Direction::kInbound},
      {host, 1700000000123456789, frame, 0, "", Direction::kOutbound},
      {raw, 1700000000123456790, ip, 0, "raw \xC3\xA4 IP", Direction::kUnknown},
      {host, 4000000000999999999, cut, 74, "cut", Direction::kUnknown},
  };
  for (const PcapngWriter::Packet& packet : packets) {
    if (!writer.AddPacket(packet).ok()) return 1;
  }
  const std::vector<uint8_t> bytes = writer.Take();
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() ? 0 : 1;
}

int Dump(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(in)), {});
  const Capture capture = ReadCapture(bytes);
  for (const CapturedPacket& p : capture.packets) {
    const std::string hex =
        absl::BytesToHexString({reinterpret_cast<const char*>(p.bytes.data()), p.bytes.size()});
    std::printf("%llu link=%u if=%s len=%zu/%u dir=%d [%s] %.8s..%s\n",
                static_cast<unsigned long long>(p.timestamp_ns), p.link_type,
                p.interface_name.c_str(), p.bytes.size(), p.original_length,
                static_cast<int>(p.direction),
                absl::StrReplaceAll(p.comment, {{"\n", "|"}}).c_str(), hex.c_str(),
                hex.substr(hex.size() < 8 ? 0 : hex.size() - 8).c_str());
  }
  std::printf("%s: %s\n", Name(capture.format), capture.status.ToString().c_str());
  return 0;
}

}  // namespace
}  // namespace metaroce::capture

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "write" && argc == 2) return metaroce::capture::Write();
  if (mode == "dump" && argc == 3) return metaroce::capture::Dump(argv[2]);
  std::fprintf(stderr, "usage: %s write | dump FILE\n", argv[0]);
  return 2;
}
