// quotes CHAPTER... -- SOURCE...: compares the clauses quoted in the sources with the chapters. Run
// as a test. Exit code 0: all agree; 1: one line a problem; 2: a file cannot be read or compiled.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/compiler/frontend/compile.h"
#include "spec/compiler/quotes/quotes.h"

namespace metaroce::compiler {
namespace {

constexpr int kDisagree = 1;
constexpr int kUsage = 2;

bool Read(const char* path, std::vector<SourceFile>& files) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != EOF) text << file.rdbuf();
  files.push_back({path, text.str()});
  if (file.is_open() && !file.bad()) return true;
  std::cerr << "cannot read " << path << "\n";
  return false;
}

int Run(int argc, char** argv) {
  std::vector<SourceFile> chapters;
  std::vector<SourceFile> sources;
  std::vector<SourceFile>* files = &chapters;
  for (int i = 1; i < argc; ++i) {
    if (absl::string_view(argv[i]) == "--") {
      files = &sources;
    } else if (!Read(argv[i], *files)) {
      return kUsage;
    }
  }
  const CompileResult text = Compile(chapters);
  for (const Problem& problem : text.problems) std::cerr << problem.ToString() << "\n";
  if (!text.problems.empty()) return kUsage;
  const std::vector<Problem> problems = CheckQuotes(text.spec, sources);
  for (const Problem& problem : problems) std::cerr << problem.ToString() << "\n";
  size_t quotes = 0;
  for (const SourceFile& source : sources) {
    quotes += FindQuotes(source.path, source.text).quotes.size();
  }
  std::cout << quotes << " quotes in " << sources.size() << " files, " << problems.size()
            << " problems\n";
  return problems.empty() ? 0 : kDisagree;
}

}  // namespace
}  // namespace metaroce::compiler

int main(int argc, char** argv) { return metaroce::compiler::Run(argc, argv); }
