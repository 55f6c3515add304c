// metaroce vector export: vectors in the forms that benches read.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conformance/export/c_arrays.h"
#include "conformance/export/memh.h"
#include "conformance/export/pcapng.h"
#include "conformance/export/unroll.h"
#include "conformance/play/wire_codec.h"
#include "conformance/runner/selection.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/selecting.h"
#include "tools/metaroce/suite.h"
#include "vectors/bundle/bundle.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

namespace fs = std::filesystem;
using vectors::StoredVector;

std::string Plural(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

// Writes to `path` below the folder, which is made with what leads to it.
absl::Status WriteBelow(const std::string& folder, const std::string& path,
                        const std::string& contents) {
  const fs::path full = fs::path(folder) / path;
  std::error_code error;
  fs::create_directories(full.parent_path(), error);
  return vectors::WriteFile(full.string(), contents);
}

// "codec/order/id.json" with another ending.
std::string Renamed(const std::string& path, const char* ending) {
  return fs::path(path).replace_extension(ending).generic_string();
}

// Of these, those that a plain series of steps can say.
std::vector<const StoredVector*> OnlySeries(const std::vector<const StoredVector*>& selected) {
  std::vector<const StoredVector*> plain;
  for (const StoredVector* stored : selected) {
    if (conformance::WhyNoSeries(stored->vector).empty()) plain.push_back(stored);
  }
  return plain;
}

// Each form takes what was selected and says what it wrote.
using Form = absl::StatusOr<std::string> (*)(const std::vector<const StoredVector*>&,
                                             const vectors::RetiredList&, const std::string& out);

absl::StatusOr<std::string> Bundle(const std::vector<const StoredVector*>& selected,
                                   const vectors::RetiredList& retired, const std::string& out) {
  vectors::Tree tree;
  for (const StoredVector* stored : selected) tree.vectors.push_back(*stored);
  const auto bytes = vectors::WriteBundle(tree, retired, vectors::SpecTables());
  if (!bytes.ok()) return bytes.status();
  const absl::Status status = vectors::WriteFile(out, *bytes);
  if (!status.ok()) return status;
  return absl::StrCat(out, ": ", Plural(selected.size(), "vector"), ", ", bytes->size(), " bytes");
}

absl::StatusOr<std::string> Json(const std::vector<const StoredVector*>& selected,
                                 const vectors::RetiredList&, const std::string& out) {
  std::vector<StoredVector> written;
  for (const StoredVector* stored : selected) {
    written.push_back({stored->path, vectors::WriteVector(stored->vector), {}, {}});
    const absl::Status status = WriteBelow(out, stored->path, written.back().text);
    if (!status.ok()) return status;
  }
  const absl::Status status = WriteBelow(out, "MANIFEST", vectors::WriteManifest(written));
  if (!status.ok()) return status;
  return absl::StrCat(out, ": ", Plural(selected.size(), "vector"), " and their MANIFEST");
}

absl::StatusOr<std::string> C(const std::vector<const StoredVector*>& selected,
                              const vectors::RetiredList&, const std::string& out) {
  const conformance::WirePacketCodec codec;
  conformance::CArrays arrays;
  for (const StoredVector* stored : selected) {
    const auto steps = conformance::Unroll(stored->vector, vectors::SpecTables(), &codec);
    if (!steps.ok()) return steps.status();
    arrays.Add(stored->vector, *steps);
  }
  const absl::Status status = WriteBelow(out, "metaroce_vectors.c", arrays.Take());
  if (!status.ok()) return status;
  return absl::StrCat((fs::path(out) / "metaroce_vectors.c").string(), ": ",
                      Plural(selected.size(), "vector"));
}

absl::StatusOr<std::string> MemoryFiles(const std::vector<const StoredVector*>& selected,
                                        const vectors::RetiredList&, const std::string& out) {
  const conformance::WirePacketCodec codec;
  std::vector<const vectors::Vector*> known;
  for (const StoredVector* stored : selected) known.push_back(&stored->vector);
  const conformance::Memh memh(known);
  size_t words = 0;
  for (const StoredVector* stored : selected) {
    const auto steps = conformance::Unroll(stored->vector, vectors::SpecTables(), &codec);
    if (!steps.ok()) return steps.status();
    const std::vector<uint32_t> memory = memh.Words(stored->vector, *steps);
    words += memory.size();
    const absl::Status status = WriteBelow(out, Renamed(stored->path, ".memh"),
                                           conformance::Memh::Text(stored->vector, memory));
    if (!status.ok()) return status;
  }
  const absl::Status status = WriteBelow(out, "metaroce_vectors_pkg.sv", memh.Package());
  if (!status.ok()) return status;
  return absl::StrCat(out, ": ", Plural(selected.size(), "vector"), ", ", words,
                      " words, and metaroce_vectors_pkg.sv");
}

absl::StatusOr<std::string> Captures(const std::vector<const StoredVector*>& selected,
                                     const vectors::RetiredList&, const std::string& out) {
  const conformance::WirePacketCodec codec;
  size_t files = 0;
  size_t packets = 0;
  size_t left_out = 0;
  for (const StoredVector* stored : selected) {
    const auto steps = conformance::Unroll(stored->vector, vectors::SpecTables(), &codec);
    if (!steps.ok()) return steps.status();
    const auto capture = conformance::WriteCapture(stored->vector, *steps, codec);
    if (!capture.ok()) return capture.status();
    packets += capture->packets;
    left_out += capture->left_out;
    if (capture->packets == 0) continue;
    ++files;
    const absl::Status status = WriteBelow(out, Renamed(stored->path, ".pcapng"), capture->bytes);
    if (!status.ok()) return status;
  }
  return absl::StrCat(out, ": ", Plural(files, "capture"), " with ", Plural(packets, "packet"),
                      "; ", Plural(selected.size() - files, "vector"), " without one",
                      left_out == 0
                          ? ""
                          : absl::StrCat("; ", Plural(left_out, "packet"),
                                         " left out, of which too few fields are expected"));
}

Form FormOf(const std::string& name) {
  if (name == "bundle") return Bundle;
  if (name == "json") return Json;
  if (name == "c") return C;
  if (name == "memh") return MemoryFiles;
  return name == "pcapng" ? Captures : nullptr;
}

int Complain(const Streams& streams, absl::string_view text) {
  streams.err << vectors::Printable(text) << "\n";
  return kBadInput;
}

}  // namespace

int VectorExport(const VectorOptions& options, const Streams& streams) {
  const Form form = FormOf(options.form);
  if (form == nullptr) {
    return Complain(streams, absl::StrCat("--form ", options.form,
                                          " is none of bundle, json, c, memh and pcapng."));
  }
  const auto suite = LoadSuite(options.vectors, false);
  if (!suite.ok()) return Complain(streams, suite.status().message());
  conformance::Selection selection;
  selection.only = options.only;
  selection.suites = options.suites;
  const absl::Status levels = ReadLevels(options.levels, &selection);
  if (!levels.ok()) return Complain(streams, levels.message());
  const absl::Status checked =
      conformance::CheckSelection(selection, suite->tree, conformance::AllSuites());
  if (!checked.ok()) return Complain(streams, checked.message());
  const auto selected = conformance::Select(selection, suite->tree, conformance::AllSuites());
  // What cannot be played is not passed on.
  if (!selected.unreadable.empty()) return Complain(streams, selected.unreadable.front()->sentence);
  for (const StoredVector* stored : selected.vectors) {
    if (!stored->findings.empty()) return Complain(streams, stored->findings.front());
  }
  if (selected.vectors.empty()) return Complain(streams, "No vector was selected.");
  const bool whole = form == Form(Bundle) || form == Form(Json);
  const auto written = whole ? selected.vectors : OnlySeries(selected.vectors);
  if (written.empty()) {
    return Complain(streams,
                    "All that was selected takes over what the device chose or has a peer that "
                    "answers: only a bundle and JSON can say that.");
  }
  const auto said = form(written, suite->retired, options.out);
  if (!said.ok()) return Complain(streams, said.status().message());
  streams.out << *said;
  if (const size_t left_out = selected.vectors.size() - written.size(); left_out > 0) {
    streams.out << "; " << Plural(left_out, "vector")
                << " left out, which take over what the device chose or have a peer that answers";
  }
  streams.out << "\n";
  return kOk;
}

}  // namespace metaroce::cli
