// metaroce gen: makes the published vectors from their cases, or checks them.
#include <string>

#include "absl/strings/str_cat.h"
#include "tools/metaroce/commands.h"
#include "vectors/gen/generate.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {

int Gen(const GenOptions& options, const Streams& streams) {
  auto made = vectors::GenerateAll(options.cases, vectors::SpecTables());
  if (!made.ok()) {
    streams.err << made.status().message() << "\n";
    return kBadInput;
  }
  const size_t from_cases = made->size();
  const absl::Status kept = vectors::AddKept(options.out, vectors::SpecTables(), &*made);
  if (!kept.ok()) {
    streams.err << options.out << "/" << vectors::Printable(kept.message()) << "\n";
    return kBadInput;
  }
  const size_t others = made->size() - from_cases;
  const std::string and_kept = others == 0 ? "" : absl::StrCat(", and ", others, " kept");
  if (options.check) {
    const absl::Status status = vectors::CheckAll(*made, options.out);
    if (!status.ok()) {
      streams.err << options.out << "/" << status.message()
                  << "\nRun `metaroce gen` and look at the difference.\n";
      return kMismatch;
    }
    streams.out << from_cases << " vectors, all as their cases give them" << and_kept << "\n";
    return kOk;
  }
  const absl::Status status = vectors::WriteAll(*made, options.out);
  if (!status.ok()) {
    streams.err << status.message() << "\n";
    return kBadInput;
  }
  streams.out << from_cases << " vectors written below " << options.out << and_kept << "\n";
  return kOk;
}

}  // namespace metaroce::cli
