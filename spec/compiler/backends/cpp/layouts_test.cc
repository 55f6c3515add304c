// The generated structs against a plain reading of the tables, bit by bit. Compiled once with the
// tables of the text, once with the permuted ones, once with those of testdata/odd.md.
#include "spec/layouts.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "spec/tables.h"

namespace metaroce::spec {
namespace {

constexpr int kRounds = 50;

uint64_t BitsAt(const uint8_t* bytes, size_t offset, size_t bits) {
  uint64_t value = 0;
  for (size_t i = offset; i < offset + bits; ++i) {
    value = value << 1 | (bytes[i / 8] >> (7 - i % 8) & 1u);
  }
  return value;
}

void SetBitsAt(uint8_t* bytes, size_t offset, size_t bits, uint64_t value) {
  for (size_t i = 0; i < bits; ++i) {
    const size_t at = offset + bits - 1 - i;
    const auto bit = static_cast<uint8_t>(0x80u >> at % 8);
    bytes[at / 8] =
        static_cast<uint8_t>((value >> i & 1) != 0 ? bytes[at / 8] | bit : bytes[at / 8] & ~bit);
  }
}

class Bytes {
 public:
  explicit Bytes(unsigned seed) : engine_(seed) {}

  std::vector<uint8_t> Next(size_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(engine_());
    return bytes;
  }

 private:
  std::mt19937 engine_;
};

// The bytes that a sender writes for what a receiver read: reserved bits are zero.
std::vector<uint8_t> WithoutReserved(const LayoutInfo& layout, std::vector<uint8_t> bytes) {
  for (const FieldInfo& field : layout.fields) {
    if (field.reserved) SetBitsAt(bytes.data(), field.bit_offset, field.bits, 0);
  }
  return bytes;
}

TEST(LayoutsTest, FieldsTileEveryLayoutInOrder) {
  for (const LayoutInfo* layout : kLayouts) {
    size_t offset = 0;
    for (const FieldInfo& field : layout->fields) {
      EXPECT_EQ(field.bit_offset, offset) << layout->name << "." << field.name;
      offset += field.bits;
    }
    EXPECT_EQ(offset, layout->bytes * 8u) << layout->name;
    EXPECT_EQ(layout->bytes % 4, 0) << layout->name;
  }
}

TEST(LayoutsTest, EveryHeaderOfEveryOpcodeLoadsWhatStandsInItsBits) {
  Bytes random(1);
  for (Opcode opcode : kOpcodes) {
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<uint8_t> bytes = random.Next(FixedBytes(opcode));
      Headers headers{};
      LoadHeaders(opcode, bytes.data(), headers);
      size_t at = 0;
      for (Layout layout : Info(opcode).headers) {
        for (size_t i = 0; i < Info(layout).fields.size(); ++i) {
          const FieldInfo& field = Info(layout).fields[i];
          const uint64_t expected =
              field.reserved ? 0 : BitsAt(bytes.data() + at, field.bit_offset, field.bits);
          EXPECT_EQ(GetField(headers, layout, i), expected)
              << Name(opcode) << " " << Info(layout).name << "." << field.name;
        }
        at += Info(layout).bytes;
      }
      EXPECT_EQ(at, bytes.size());
    }
  }
}

TEST(LayoutsTest, StoringWhatWasLoadedGivesTheBytesWithReservedBitsZero) {
  Bytes random(2);
  for (Opcode opcode : kOpcodes) {
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<uint8_t> bytes = random.Next(FixedBytes(opcode));
      std::vector<uint8_t> expected;
      size_t at = 0;
      for (Layout layout : Info(opcode).headers) {
        const std::vector<uint8_t> part = WithoutReserved(
            Info(layout), {bytes.begin() + at, bytes.begin() + at + Info(layout).bytes});
        expected.insert(expected.end(), part.begin(), part.end());
        at += Info(layout).bytes;
      }
      Headers headers{};
      LoadHeaders(opcode, bytes.data(), headers);
      std::vector<uint8_t> stored(bytes.size(), 0xA5);
      StoreHeaders(opcode, headers, stored.data());
      EXPECT_EQ(stored, expected) << Name(opcode);
    }
  }
}

TEST(LayoutsTest, AFieldThatIsSetChangesItsBitsAndNoOther) {
  for (Opcode opcode : kOpcodes) {
    size_t at = 0;
    for (Layout layout : Info(opcode).headers) {
      for (size_t i = 0; i < Info(layout).fields.size(); ++i) {
        const FieldInfo& field = Info(layout).fields[i];
        std::vector<uint8_t> expected(FixedBytes(opcode), 0);
        Headers headers{};
        LoadHeaders(opcode, expected.data(), headers);
        const Headers before = headers;
        SetField(headers, layout, i, field.max());
        EXPECT_EQ(GetField(headers, layout, i), field.reserved ? 0 : field.max());
        EXPECT_EQ(HeadersEqual(opcode, before, headers), field.reserved)
            << Info(layout).name << "." << field.name;
        if (!field.reserved) {
          SetBitsAt(expected.data() + at, field.bit_offset, field.bits, field.max());
        }
        std::vector<uint8_t> stored(expected.size(), 0x5A);
        StoreHeaders(opcode, headers, stored.data());
        EXPECT_EQ(stored, expected) << Info(layout).name << "." << field.name;
      }
      at += Info(layout).bytes;
    }
  }
}

TEST(LayoutsTest, BitsForWhichAFieldHasNoRoomAreDropped) {
  for (Opcode opcode : kOpcodes) {
    const std::vector<uint8_t> zeros(FixedBytes(opcode), 0);
    for (Layout layout : Info(opcode).headers) {
      for (size_t i = 0; i < Info(layout).fields.size(); ++i) {
        const FieldInfo& field = Info(layout).fields[i];
        if (field.reserved || field.bits >= 64 || field.bits == 1) continue;
        Headers headers{};
        LoadHeaders(opcode, zeros.data(), headers);
        SetField(headers, layout, i, field.max() + 1);
        std::vector<uint8_t> stored(zeros.size());
        StoreHeaders(opcode, headers, stored.data());
        EXPECT_EQ(stored, zeros) << Info(layout).name << "." << field.name;
      }
    }
  }
}

TEST(LayoutsTest, AnUnknownOpcodeHasTheCommonHeader) {
  for (int value = 0; value < 256; ++value) {
    const Opcode opcode{static_cast<uint8_t>(value)};
    if (Info(opcode).known) continue;
    ASSERT_EQ(FixedBytes(opcode), kLayouts[0]->bytes);
    std::vector<uint8_t> bytes(FixedBytes(opcode), 0xFF);
    Headers headers{};
    LoadHeaders(opcode, bytes.data(), headers);
    std::vector<uint8_t> stored(bytes.size());
    StoreHeaders(opcode, headers, stored.data());
    EXPECT_EQ(stored, WithoutReserved(*kLayouts[0], bytes));
    EXPECT_TRUE(HeadersEqual(opcode, headers, headers));
  }
}

TEST(LayoutsTest, FieldsOfALayoutThatIsNoHeaderAreZero) {
  Headers headers = {};
  SetField(headers, PathBlock::kLayout, 0, 1);
  EXPECT_EQ(GetField(headers, PathBlock::kLayout, 0), 0u);
}

// Bit i of the bitmap, as the text says it: the bitmap is one big-endian integer.
bool WireBit(const std::vector<uint8_t>& block, uint32_t bits, uint32_t i) {
  return (block[PathBlock::kBytes + (bits - 1 - i) / 8] >> i % 8 & 1) != 0;
}

template <typename Block>
const std::array<uint64_t, 4>& BitmapOf(const Block& block) {
  if constexpr (requires { block.bitmap; }) {
    return block.bitmap;
  } else {
    return block.marks;
  }
}

TEST(LayoutsTest, BitmapsOfEveryLengthLoadAndStoreBitByBit) {
  Bytes random(3);
  const LayoutInfo& layout = Info(PathBlock::kLayout);
  const FieldInfo& selector = layout.fields[layout.bitmap_selector];
  for (size_t code = 0; code < layout.bitmap_lengths.size(); ++code) {
    const uint32_t bits = layout.bitmap_lengths[code];
    for (int round = 0; round < kRounds; ++round) {
      std::vector<uint8_t> bytes = random.Next(layout.bytes + bits / 8);
      SetBitsAt(bytes.data(), selector.bit_offset, selector.bits, code);
      const PathBlock block = PathBlock::Load(bytes.data());
      ASSERT_EQ(block.BitmapBits(), bits);
      ASSERT_EQ(block.Size(), bytes.size());
      for (uint32_t i = 0; i < 256; ++i) {
        const bool bit = (BitmapOf(block)[i / 64] >> i % 64 & 1) != 0;
        EXPECT_EQ(bit, i < bits && WireBit(bytes, bits, i)) << bits << " bits, bit " << i;
      }
      for (size_t i = 0; i < layout.fields.size(); ++i) {
        const FieldInfo& field = layout.fields[i];
        EXPECT_EQ(block.Get(i),
                  field.reserved ? 0 : BitsAt(bytes.data(), field.bit_offset, field.bits));
      }
      std::vector<uint8_t> stored(bytes.size(), 0xA5);
      block.Store(stored.data());
      EXPECT_EQ(stored, WithoutReserved(layout, bytes));
    }
  }
}

TEST(LayoutsTest, StructsArePlain) {
  EXPECT_TRUE(std::is_trivially_copyable_v<Headers>);
  EXPECT_TRUE(std::is_aggregate_v<Headers>);
  EXPECT_TRUE(std::is_trivially_default_constructible_v<Headers>);
  EXPECT_TRUE(std::is_trivially_default_constructible_v<PathBlock>);
}

}  // namespace
}  // namespace metaroce::spec
