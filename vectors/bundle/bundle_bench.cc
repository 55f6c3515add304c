// What a bundle costs beside Protocol Buffers alone, and JSON beside theirs, over the published
// vectors. Run it in the root of the tree. Lint is part of reading a bundle; it stands alone too.
#include <string>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "google/protobuf/util/json_util.h"
#include "vectors/bundle/bundle.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::vectors {
namespace {

const Tree& Published() {
  static const Tree* const kTree = [] {
    auto tree = LoadTree("vectors", SpecTables());
    return new Tree(tree.ok() ? *std::move(tree) : Tree());
  }();
  return *kTree;
}

// Calls `work` with each vector. The time is that of all threads.
template <typename Work>
void OverAll(benchmark::State& state, const Work& work) {
  if (Published().vectors.empty()) return state.SkipWithError("no vectors are in ./vectors");
  for (auto run : state) {
    for (const StoredVector& stored : Published().vectors) work(stored);
  }
}

void ParseRaw(benchmark::State& state) {
  std::vector<std::string> raw;
  for (const auto& stored : Published().vectors) raw.push_back(stored.vector.SerializeAsString());
  for (auto run : state) {
    std::vector<Vector> all(raw.size());
    for (size_t i = 0; i < raw.size(); ++i) {
      benchmark::DoNotOptimize(all[i].ParseFromString(raw[i]));
    }
  }
}

void ReadABundle(benchmark::State& state) {
  const auto bytes = WriteBundle(Published(), RetiredList(), SpecTables());
  if (!bytes.ok()) return state.SkipWithError("no bundle");
  for (auto run : state) benchmark::DoNotOptimize(ReadBundle(*bytes, "bundle", SpecTables()));
}

void Lint(benchmark::State& state) {
  OverAll(state, [](const StoredVector& stored) {
    benchmark::DoNotOptimize(CheckVector(stored.vector, SpecTables()));
  });
}

void WriteRaw(benchmark::State& state) {
  for (auto run : state) {
    std::string out;
    for (const auto& stored : Published().vectors) stored.vector.AppendToString(&out);
    benchmark::DoNotOptimize(out);
  }
}

void WriteABundle(benchmark::State& state) {
  for (auto run : state) {
    benchmark::DoNotOptimize(WriteBundle(Published(), RetiredList(), SpecTables()));
  }
}

void ReadJson(benchmark::State& state) {
  OverAll(state, [](const StoredVector& stored) {
    benchmark::DoNotOptimize(LoadVector(stored.text, stored.path));
  });
}

void WriteJson(benchmark::State& state) {
  OverAll(state,
          [](const StoredVector& stored) { benchmark::DoNotOptimize(WriteVector(stored.vector)); });
}

void ReadProtobufJson(benchmark::State& state) {
  std::vector<std::string> texts;
  for (const auto& stored : Published().vectors) {
    texts.emplace_back();
    if (!google::protobuf::util::MessageToJsonString(stored.vector, &texts.back()).ok()) return;
  }
  for (auto run : state) {
    for (const std::string& text : texts) {
      Vector vector;
      benchmark::DoNotOptimize(google::protobuf::util::JsonStringToMessage(text, &vector).ok());
    }
  }
}

void WriteProtobufJson(benchmark::State& state) {
  OverAll(state, [](const StoredVector& stored) {
    std::string text;
    benchmark::DoNotOptimize(
        google::protobuf::util::MessageToJsonString(stored.vector, &text).ok());
  });
}

BENCHMARK(ParseRaw)->MeasureProcessCPUTime();
BENCHMARK(ReadABundle)->MeasureProcessCPUTime();
BENCHMARK(Lint)->MeasureProcessCPUTime();
BENCHMARK(WriteRaw)->MeasureProcessCPUTime();
BENCHMARK(WriteABundle)->MeasureProcessCPUTime();
BENCHMARK(ReadProtobufJson)->MeasureProcessCPUTime();
BENCHMARK(ReadJson)->MeasureProcessCPUTime();
BENCHMARK(WriteProtobufJson)->MeasureProcessCPUTime();
BENCHMARK(WriteJson)->MeasureProcessCPUTime();

}  // namespace
}  // namespace metaroce::vectors
