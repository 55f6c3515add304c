// How fast the codec is, on a mix by count of 40 % ACK, 30 % WRITE of 256 bytes and 30 % WRITE of
// 4,096 bytes, over IPv4 and IPv6, beside the CRC of ISA-L and of zlib over the same bytes.
//
// "Headers only" leaves the payload and the iCRC untouched. items_per_second counts packets. The
// packets of the mix stand in random order, so that branch prediction gets no help from their
// order, and lie in one block of memory that fits the second-level cache.
#include <benchmark/benchmark.h>
#include <isa-l/crc.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "model/wire/packet/bitmap.h"
#include "model/wire/packet/packet.h"

namespace metaroce::packet {
namespace {

constexpr size_t kPackets = 500;
constexpr size_t kAlignment = 64;

struct Mix {
  std::vector<Packet> packets;
  std::vector<frame::FrameSpec> specs;
  std::vector<Bytes> frames;
  std::vector<uint8_t> payload;
  std::vector<uint8_t> memory;
};

Packet Ack(std::mt19937& random) {
  Packet p = NewPacket(spec::Opcode::kAck);
  p.headers.common.cid = random() & 0xFFFFFF;
  p.headers.common.number = random();
  p.headers.ack.csn = random();
  p.headers.ack.hint = 0xFFFF;
  p.headers.ack.blocks = 1;
  spec::PathBlock& block = p.headers.path_block[0];
  block.base = random();
  const size_t holes = random() % 3 == 0 ? 1 + random() % 255 : 0;
  if (holes != 0) SetBitmapBit(block.bitmap, holes);
  Shorten(block);
  return p;
}

Packet Write(std::mt19937& random, Bytes payload) {
  Packet p = NewPacket(spec::Opcode::kWrite);
  p.headers.common.cid = random() & 0xFFFFFF;
  p.headers.common.number = random();
  p.headers.data.csn = random();
  p.headers.data.length = 1 << 20;
  p.headers.write_target.address = random();
  p.payload = payload;
  return p;
}

Packet OfMix(size_t i, std::mt19937& random, Bytes payload) {
  switch (i % 10) {
    case 0:
    case 1:
    case 2:
    case 3:
      return Ack(random);
    case 4:
    case 5:
    case 6:
      return Write(random, payload.first(256));
    default:
      return Write(random, payload);
  }
}

// Stops the program: a mix that is not what it says would be a wrong figure.
void Require(bool condition) {
  if (!condition) std::abort();
}

Mix MakeMix(bool ipv6, bool only_full) {
  Mix mix;
  std::mt19937 random(1);
  mix.payload.resize(4096);
  for (uint8_t& b : mix.payload) b = static_cast<uint8_t>(random());
  for (size_t i = 0; i < kPackets; ++i) {
    mix.packets.push_back(only_full ? Write(random, mix.payload) : OfMix(i, random, mix.payload));
  }
  std::shuffle(mix.packets.begin(), mix.packets.end(), random);
  mix.memory.resize(kPackets * 4352 + kAlignment);
  size_t at = 0;
  for (const Packet& packet : mix.packets) {
    const auto port = static_cast<uint16_t>(spec::constant::kEntropyMin + random() % 64);
    mix.specs.push_back(DefaultFrame(packet.opcode(), port, ipv6));
    const auto length = Serialize(packet, mix.specs.back(), absl::MakeSpan(mix.memory).subspan(at));
    Require(length.ok() && Validate(packet).ok());
    mix.frames.push_back(Bytes(mix.memory).subspan(at, *length));
    at += (*length + kAlignment - 1) / kAlignment * kAlignment;
  }
  return mix;
}

void ParseAndValidate(benchmark::State& state, const Mix& mix, const ParseOptions& options) {
  Packet packet;
  for (auto _ : state) {
    for (const Bytes& bytes : mix.frames) {
      bool ok = Parse(bytes, options, &packet).ok() && Validate(packet).ok();
      benchmark::DoNotOptimize(ok);
      benchmark::DoNotOptimize(packet);
    }
  }
  state.SetItemsProcessed(state.iterations() * kPackets);
}

void BM_ParseValidateHeadersOnly(benchmark::State& state) {
  ParseAndValidate(state, MakeMix(state.range(0) == 6, false), {.check_icrc = false});
}
BENCHMARK(BM_ParseValidateHeadersOnly)->ArgName("ip")->Arg(4)->Arg(6);

void BM_ParseValidateWithIcrc(benchmark::State& state) {
  ParseAndValidate(state, MakeMix(state.range(0) == 6, false), {});
}
BENCHMARK(BM_ParseValidateWithIcrc)->ArgName("ip")->Arg(4)->Arg(6);

void BM_ParseValidateWithIcrc4KiB(benchmark::State& state) {
  ParseAndValidate(state, MakeMix(state.range(0) == 6, true), {});
}
BENCHMARK(BM_ParseValidateWithIcrc4KiB)->ArgName("ip")->Arg(4)->Arg(6);

// Headers only: what stands before a payload that is already in place.
void BM_SerializeHeadersOnly(benchmark::State& state) {
  const Mix mix = MakeMix(state.range(0) == 6, false);
  std::vector<uint8_t> out(frame::kMaxHeadersLength + 8192);
  for (auto _ : state) {
    for (size_t i = 0; i < kPackets; ++i) {
      bool ok = SerializeHeaders(mix.packets[i], mix.specs[i], absl::MakeSpan(out)).ok();
      benchmark::DoNotOptimize(ok);
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * kPackets);
}
BENCHMARK(BM_SerializeHeadersOnly)->ArgName("ip")->Arg(4)->Arg(6);

void BM_SerializeWithIcrc(benchmark::State& state) {
  const Mix mix = MakeMix(state.range(0) == 6, false);
  std::vector<uint8_t> out(frame::kMaxHeadersLength + 8192);
  for (auto _ : state) {
    for (size_t i = 0; i < kPackets; ++i) {
      bool ok = Serialize(mix.packets[i], mix.specs[i], absl::MakeSpan(out)).ok();
      benchmark::DoNotOptimize(ok);
      benchmark::ClobberMemory();
    }
  }
  state.SetItemsProcessed(state.iterations() * kPackets);
}
BENCHMARK(BM_SerializeWithIcrc)->ArgName("ip")->Arg(4)->Arg(6);

// The bytes that the iCRC covers, less the eight of 0xFF, in one piece and without masking.
template <typename Crc>
void CrcAlone(benchmark::State& state, const Mix& mix, Crc crc) {
  for (auto _ : state) {
    for (const Bytes& bytes : mix.frames) {
      uint32_t result = crc(bytes.subspan(frame::kEthernetHeaderLength));
      benchmark::DoNotOptimize(result);
    }
  }
  state.SetItemsProcessed(state.iterations() * kPackets);
}

uint32_t IsaL(Bytes b) { return crc32_gzip_refl(0, b.data(), b.size()); }
uint32_t Zlib(Bytes b) {
  return static_cast<uint32_t>(crc32(0, b.data(), static_cast<uInt>(b.size())));
}

void BM_CrcIsaLMix(benchmark::State& state) { CrcAlone(state, MakeMix(false, false), IsaL); }
BENCHMARK(BM_CrcIsaLMix);
void BM_CrcZlibMix(benchmark::State& state) { CrcAlone(state, MakeMix(false, false), Zlib); }
BENCHMARK(BM_CrcZlibMix);
void BM_CrcIsaL4KiB(benchmark::State& state) { CrcAlone(state, MakeMix(false, true), IsaL); }
BENCHMARK(BM_CrcIsaL4KiB);
void BM_CrcZlib4KiB(benchmark::State& state) { CrcAlone(state, MakeMix(false, true), Zlib); }
BENCHMARK(BM_CrcZlib4KiB);

}  // namespace
}  // namespace metaroce::packet
