// permute CHAPTER...: writes to standard output one chapter in which the fields of every layout
// stand in another order. Exit code 1 if the chapters do not compile or cannot be read.
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "spec/compiler/frontend/compile.h"
#include "spec/compiler/permuted/permute.h"

int main(int argc, char** argv) {
  std::vector<metaroce::compiler::SourceFile> chapters;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::ostringstream text;
    if (!(text << file.rdbuf())) {
      std::cerr << "permute: cannot read " << argv[i] << "\n";
      return 1;
    }
    chapters.push_back({argv[i], text.str()});
  }
  const metaroce::compiler::CompileResult result = metaroce::compiler::Compile(chapters);
  for (const metaroce::compiler::Problem& problem : result.problems) {
    std::cerr << problem.ToString() << "\n";
  }
  if (!result.problems.empty()) return 1;
  std::cout << metaroce::compiler::PermutedChapter(result.spec);
  return 0;
}
