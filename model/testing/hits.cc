#include "model/testing/hits.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "spec/tables.h"

namespace metaroce::testing {
namespace {

// The test that runs; of one with parameters all instances alike.
std::string CurrentTest() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  if (info == nullptr) return "outside of a test";
  const std::string name = absl::StrCat(info->test_suite_name(), ".", info->name());
  return name.substr(0, name.rfind('/') > name.find('.') ? name.rfind('/') : name.size());
}

class Record {
 public:
  explicit Record(const char* path) : path_(path == nullptr ? "" : path) {}

  ~Record() {
    if (path_.empty()) return;
    std::string text;
    for (const auto& [test, counts] : tests_) {
      for (size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        const auto id = spec::Name(static_cast<spec::Clause>(i));
        absl::StrAppend(&text, test, "\t", absl::string_view(id.data(), id.size()), "\t", counts[i],
                        "\n");
      }
    }
    std::FILE* file = std::fopen(path_.c_str(), "a");
    const bool good =
        file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (file != nullptr && std::fclose(file) == 0 && good) return;
    std::fprintf(stderr, "METAROCE_HITS: %s cannot be written.\n", path_.c_str());
    std::_Exit(1);
  }

  bool on() const { return !path_.empty(); }
  void Add(const endpoint::Hits& hits) {
    std::array<uint64_t, spec::kClauseCount>& counts = tests_[CurrentTest()];
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += hits[i];
  }

 private:
  std::string path_;
  std::map<std::string, std::array<uint64_t, spec::kClauseCount>> tests_;
};

Record& TheRecord() {
  static Record record(std::getenv("METAROCE_HITS"));
  return record;
}

}  // namespace

bool RecordsHits() { return TheRecord().on(); }
void RecordHits(const endpoint::Hits& hits) { TheRecord().Add(hits); }

}  // namespace metaroce::testing
