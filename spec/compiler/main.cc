// spec_compiler [--backend=NAME]... [--out=DIR] CHAPTER...
//
// Compiles the chapters, in the given order, and writes the files of the chosen backends to DIR.
// Without a backend it only checks. Exit code 0: accepted; 1: the text is refused, one line a
// problem on standard error; 2: wrong usage, or a file cannot be read or written.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "spec/compiler/backends.h"
#include "spec/compiler/frontend/compile.h"
#include "spec/compiler/output.h"

namespace metaroce::compiler {
namespace {

constexpr int kRefused = 1;
constexpr int kUsage = 2;

struct Arguments {
  std::vector<const NamedBackend*> backends;
  std::string out = ".";
  std::vector<std::string> chapters;
};

int Usage(absl::string_view complaint) {
  std::cerr << "spec_compiler: " << complaint << "\n"
            << "usage: spec_compiler [--backend=NAME]... [--out=DIR] CHAPTER...\n";
  for (const NamedBackend& backend : Backends()) {
    std::cerr << "  --backend=" << backend.name << "  " << backend.makes << "\n";
  }
  return kUsage;
}

const NamedBackend* FindBackend(absl::string_view name) {
  for (const NamedBackend& backend : Backends()) {
    if (backend.name == name) return &backend;
  }
  return nullptr;
}

// 0, or the exit code after a complaint.
int ReadArguments(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    absl::string_view argument = argv[i];
    if (absl::ConsumePrefix(&argument, "--backend=")) {
      const NamedBackend* backend = FindBackend(argument);
      if (backend == nullptr) return Usage(absl::StrCat("there is no backend '", argument, "'"));
      arguments.backends.push_back(backend);
    } else if (absl::ConsumePrefix(&argument, "--out=")) {
      arguments.out = std::string(argument);
    } else if (absl::StartsWith(argument, "--")) {
      return Usage(absl::StrCat("unknown option '", argument, "'"));
    } else {
      arguments.chapters.emplace_back(argument);
    }
  }
  return 0;
}

bool ReadFile(const std::string& path, std::string& contents) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf() || file.peek() == EOF)) return false;
  contents = text.str();
  return true;
}

bool WriteFile(const std::string& path, const std::string& contents) {
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  return !file.fail();
}

int Generate(const Spec& spec, const Arguments& arguments) {
  for (const NamedBackend* backend : arguments.backends) {
    const absl::StatusOr<std::vector<OutputFile>> files = backend->generate(spec);
    if (!files.ok()) {
      std::cerr << "spec_compiler: backend " << backend->name << ": " << files.status().message()
                << "\n";
      return kRefused;
    }
    for (const OutputFile& file : *files) {
      const std::string path = absl::StrCat(arguments.out, "/", file.path);
      if (WriteFile(path, file.contents)) continue;
      std::cerr << "spec_compiler: cannot write " << path << "\n";
      return kUsage;
    }
  }
  return 0;
}

int Run(int argc, char** argv) {
  Arguments arguments;
  if (const int code = ReadArguments(argc, argv, arguments); code != 0) return code;
  std::vector<SourceFile> sources;
  for (const std::string& path : arguments.chapters) {
    sources.push_back({path, ""});
    if (ReadFile(path, sources.back().text)) continue;
    std::cerr << "spec_compiler: cannot read " << path << "\n";
    return kUsage;
  }
  const CompileResult result = Compile(sources);
  for (const Problem& problem : result.problems) std::cerr << problem.ToString() << "\n";
  if (!result.problems.empty()) return kRefused;
  return Generate(result.spec, arguments);
}

}  // namespace
}  // namespace metaroce::compiler

int main(int argc, char** argv) { return metaroce::compiler::Run(argc, argv); }
