// metaroce gen: makes the published vectors from their cases, or checks them.
#include "absl/strings/str_cat.h"
#include "tools/metaroce/commands.h"
#include "vectors/gen/generate.h"
#include "vectors/spec_tables_index.h"

namespace metaroce::cli {

int Gen(const GenOptions& options, const Streams& streams) {
  auto made = vectors::GenerateAll(options.cases, vectors::SpecTables());
  if (!made.ok()) {
    streams.err << made.status().message() << "\n";
    return kBadInput;
  }
  if (options.check) {
    const absl::Status status = vectors::CheckAll(*made, options.out);
    if (!status.ok()) {
      streams.err << options.out << "/" << status.message()
                  << "\nRun `metaroce gen` and look at the difference.\n";
      return kMismatch;
    }
    streams.out << made->size() << " vectors, all as their cases give them\n";
    return kOk;
  }
  const absl::Status status = vectors::WriteAll(*made, options.out);
  if (!status.ok()) {
    streams.err << status.message() << "\n";
    return kBadInput;
  }
  streams.out << made->size() << " vectors written below " << options.out << "\n";
  return kOk;
}

}  // namespace metaroce::cli
