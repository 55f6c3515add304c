#include "spec/compiler/frontend/compile.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/compiler/frontend/chapter.h"
#include "spec/compiler/frontend/context.h"
#include "spec/compiler/frontend/data_block.h"
#include "spec/compiler/frontend/sha256.h"

namespace metaroce::compiler {
namespace {

constexpr absl::string_view kNoVersion = "0.0.0";

struct Reference {
  std::string id;
  Place place;
};

std::string LastPart(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == absl::string_view::npos ? path : path.substr(slash + 1));
}

void AddVersion(const ChapterText& chapter, int file, Spec& spec, Problems& problems) {
  if (chapter.version.empty()) return;
  if (!spec.version().empty()) {
    problems.Add({file, chapter.version_line}, "another chapter gives the version already.");
    return;
  }
  spec.set_version(chapter.version);
}

// Reads chapter number `file` into `spec`.
void AddChapter(const SourceFile& source, int file, Spec& spec, Places& places,
                std::vector<Reference>& references, Problems& problems) {
  ChapterText chapter = ReadChapter(file, source.text, problems);
  chapter.chapter.set_file(LastPart(source.path));
  AddVersion(chapter, file, spec, problems);
  for (Clause& read : chapter.clauses) {
    Clause* clause = spec.add_clause();
    *clause = std::move(read);
    clause->set_chapter(chapter.chapter.file());
    places.Record(*clause, {file, static_cast<int>(clause->line())});
  }
  for (ClauseReference& reference : chapter.references) {
    references.push_back({std::move(reference.id), {file, reference.line}});
  }
  for (const DataBlock& block : chapter.blocks) {
    AppendBlock(file, block, *spec.mutable_data(), places, problems);
  }
  *spec.add_chapter() = std::move(chapter.chapter);
}

void CheckReferences(Context& context, const std::vector<Reference>& references) {
  for (const Reference& reference : references) {
    if (context.clauses.Has(reference.id)) continue;
    context.problems.Add(reference.place,
                         absl::StrCat("there is no clause ", reference.id, " to refer to."));
  }
}

}  // namespace

//= CONF-HASH
//# for each file of the text, in ascending order of their names byte by byte, the name, a byte 0x0A,
//# the number of bytes of the file as decimal digits, a byte 0x0A, and the bytes of the file.
std::string HashOf(absl::Span<const SourceFile> chapters) {
  std::map<std::string, absl::string_view> texts;
  for (const SourceFile& chapter : chapters) {
    texts[LastPart(chapter.path)] = chapter.text;
  }
  std::string bytes;
  for (const auto& [name, text] : texts) {
    absl::StrAppend(&bytes, name, "\n", text.size(), "\n", text);
  }
  return Sha256Hex(bytes);
}

CompileResult Compile(absl::Span<const SourceFile> chapters) {
  std::vector<std::string> files;
  files.reserve(chapters.size());
  for (const SourceFile& chapter : chapters) files.push_back(chapter.path);
  Problems problems(std::move(files));
  CompileResult result;
  Places places;
  std::vector<Reference> references;
  for (size_t i = 0; i < chapters.size(); ++i) {
    AddChapter(chapters[i], static_cast<int>(i), result.spec, places, references, problems);
  }
  if (result.spec.version().empty()) result.spec.set_version(std::string(kNoVersion));
  Context context(result.spec, places, problems);
  CheckNames(context);
  CheckReferences(context, references);
  CheckLayouts(context);
  CheckOpcodes(context);
  CheckReasons(context);
  CheckNumbers(context);
  CheckMachines(context);
  result.problems = problems.Sorted();
  if (result.problems.empty()) result.spec.set_hash(HashOf(chapters));
  return result;
}

}  // namespace metaroce::compiler
