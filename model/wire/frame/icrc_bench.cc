// The iCRC beside ISA-L's and zlib's CRC-32 over the same bytes: the IP packet
// up to its iCRC, as it lies in the frame. The argument is the length of the UDP
// payload.
#include <isa-l/crc.h>
#include <zlib.h>

#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"
#include "model/wire/frame/builder.h"
#include "model/wire/frame/frame.h"
#include "model/wire/frame/icrc.h"

namespace metaroce::frame {
namespace {

struct Sample {
  std::vector<uint8_t> bytes;
  Frame frame;
};

Sample Make(size_t payload_length, bool v6) {
  FrameSpec spec;
  if (v6) {
    spec.src = IpAddress::Parse("2001:db8::1").value();
    spec.dst = IpAddress::Parse("2001:db8::2").value();
  } else {
    spec.src = IpAddress::V4({10, 0, 0, 1});
    spec.dst = IpAddress::V4({10, 0, 0, 2});
  }
  spec.src_port = 0xC123;
  spec.dst_port = 0xC000;
  std::vector<uint8_t> payload(payload_length);
  for (size_t i = 0; i < payload.size(); ++i) payload[i] = static_cast<uint8_t>(i * 37 + 11);
  Sample sample;
  sample.bytes = BuildFrame(spec, payload).value();
  ParseFrame(sample.bytes, LinkType::kEthernet, {}, &sample.frame);
  return sample;
}

// The bytes that the iCRC covers, not counting the eight before the IP header.
size_t Covered(const Frame& frame) { return frame.end() - frame.ip_offset - kIcrcLength; }

void SetBytes(benchmark::State& state, const Sample& sample) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(Covered(sample.frame)));
}

void Icrc(benchmark::State& state, IcrcKind kind, bool v6) {
  const Sample sample = Make(state.range(0), v6);
  for (auto _ : state) {
    benchmark::DoNotOptimize(frame::Icrc(sample.frame, sample.bytes, kind));
  }
  SetBytes(state, sample);
}

void IsaL(benchmark::State& state, bool v6) {
  const Sample sample = Make(state.range(0), v6);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        crc32_gzip_refl(0, sample.bytes.data() + sample.frame.ip_offset, Covered(sample.frame)));
  }
  SetBytes(state, sample);
}

void Zlib(benchmark::State& state, bool v6) {
  const Sample sample = Make(state.range(0), v6);
  for (auto _ : state) {
    benchmark::DoNotOptimize(crc32(0, sample.bytes.data() + sample.frame.ip_offset,
                                   static_cast<uInt>(Covered(sample.frame))));
  }
  SetBytes(state, sample);
}

void Parse(benchmark::State& state, bool v6) {
  const Sample sample = Make(256, v6);
  Frame frame;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ParseFrame(sample.bytes, LinkType::kEthernet, {}, &frame));
    benchmark::DoNotOptimize(frame);
  }
  state.SetItemsProcessed(state.iterations());
}

void WriteHeaders(benchmark::State& state, bool v6) {
  const Sample sample = Make(256, v6);
  const FrameSpec spec = SpecOf(sample.frame, sample.bytes);
  uint8_t out[kMaxHeadersLength];
  for (auto _ : state) {
    benchmark::DoNotOptimize(frame::WriteHeaders(spec, 256, absl::MakeSpan(out)));
    benchmark::DoNotOptimize(out);
  }
  state.SetItemsProcessed(state.iterations());
}

void Sizes(benchmark::internal::Benchmark* b) { b->Arg(64)->Arg(256)->Arg(4096); }

BENCHMARK_CAPTURE(Icrc, metaroce_ipv4, IcrcKind::kMetaRoce, false)->Apply(Sizes);
BENCHMARK_CAPTURE(Icrc, metaroce_ipv6, IcrcKind::kMetaRoce, true)->Apply(Sizes);
BENCHMARK_CAPTURE(Icrc, rocev2_ipv4, IcrcKind::kRoceV2, false)->Apply(Sizes);
BENCHMARK_CAPTURE(IsaL, ipv4, false)->Apply(Sizes);
BENCHMARK_CAPTURE(IsaL, ipv6, true)->Apply(Sizes);
BENCHMARK_CAPTURE(Zlib, ipv4, false)->Apply(Sizes);
BENCHMARK_CAPTURE(Parse, ipv4, false);
BENCHMARK_CAPTURE(Parse, ipv6, true);
BENCHMARK_CAPTURE(WriteHeaders, ipv4, false);
BENCHMARK_CAPTURE(WriteHeaders, ipv6, true);

}  // namespace
}  // namespace metaroce::frame
