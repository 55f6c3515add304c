// What the front end refuses, and where.
#ifndef SPEC_COMPILER_FRONTEND_PROBLEM_H_
#define SPEC_COMPILER_FRONTEND_PROBLEM_H_

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace metaroce::compiler {

// A line of a chapter. Lines count from 1; 0 means "the file as a whole".
struct Place {
  int file = 0;  // index of the chapter in the order of compilation
  int line = 0;

  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  }
};

struct Problem {
  std::string file;
  int line = 0;
  std::string sentence;

  // "spec/03-wire.md:17: the clause ACK-ON-HOLE has no level."
  std::string ToString() const { return absl::StrCat(file, ":", line, ": ", sentence); }
};

// Collects the problems of one compilation and hands them out in reading order.
class Problems {
 public:
  explicit Problems(std::vector<std::string> files) : files_(std::move(files)) {}

  void Add(Place place, std::string sentence) { list_.emplace_back(place, std::move(sentence)); }

  bool empty() const { return list_.empty(); }

  // "03-wire.md:17", for a sentence that points at a second place.
  std::string Show(Place place) const {
    return absl::StrCat(FileName(place.file), ":", place.line);
  }

  std::string FileName(int file) const {
    return file >= 0 && file < static_cast<int>(files_.size()) ? files_[file] : "spec";
  }

  // Sorted by place; those of one line stay in the order found.
  std::vector<Problem> Sorted() const {
    std::vector<std::pair<Place, std::string>> sorted = list_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Problem> out;
    out.reserve(sorted.size());
    for (auto& [place, sentence] : sorted) {
      out.push_back({FileName(place.file), place.line, std::move(sentence)});
    }
    return out;
  }

 private:
  std::vector<std::string> files_;
  std::vector<std::pair<Place, std::string>> list_;
};

}  // namespace metaroce::compiler

#endif  // SPEC_COMPILER_FRONTEND_PROBLEM_H_
