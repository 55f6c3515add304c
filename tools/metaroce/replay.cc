// metaroce replay: all vectors, or some, against a device under test.
#include "conformance/runner/replay.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "conformance/play/wire_codec.h"
#include "tools/metaroce/commands.h"
#include "tools/metaroce/device.h"
#include "tools/metaroce/selecting.h"
#include "tools/metaroce/suite.h"
#include "vectors/file.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

// Waivers expire by the calendar; nothing else here looks at a clock.
std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  return absl::StrFormat("%04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

// As a shell reads it back.
std::string ShellQuoted(const std::string& word) {
  const auto plain = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || strchr("_@%+=:,./-", c) != nullptr;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

// The command that repeats this run; `--only` and the vector go behind it.
std::string ReplayCommand(const ReplayOptions& options) {
  std::string out = absl::StrCat("metaroce replay --dut ", ShellQuoted(options.dut));
  const auto add = [&](absl::string_view option, const std::string& value, bool given) {
    if (given) absl::StrAppend(&out, " ", option, " ", ShellQuoted(value));
  };
  add("--vectors", options.vectors, options.vectors != ReplayOptions().vectors);
  if (options.allow_changed) absl::StrAppend(&out, " --allow-changed");
  if (options.allow_other_text) absl::StrAppend(&out, " --allow-other-text");
  add("--timeout", absl::StrCat(options.timeout_ms), options.timeout_ms != 0);
  add("--vector-timeout", absl::StrCat(options.vector_timeout_ms), options.vector_timeout_ms != 0);
  add("--waivers", options.waivers, !options.waivers.empty());
  add("--today", options.today, !options.today.empty());
  return vectors::Printable(out);
}

// The command that repeats this run with all its vectors.
std::string RunCommand(const ReplayOptions& options) {
  std::string out = ReplayCommand(options);
  const auto add = [&](absl::string_view option, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      absl::StrAppend(&out, " ", option, " ", vectors::Printable(ShellQuoted(value)));
    }
  };
  add("--only", options.only);
  add("--suite", options.suites);
  add("--level", options.levels);
  if (!options.shard.empty()) add("--shard", {options.shard});
  if (options.fail_fast) absl::StrAppend(&out, " --fail-fast");
  return out;
}

// Whether a file can be written there, before the run is made for nothing. Leaves what it holds.
absl::Status CheckWritable(const std::string& path) {
  if (std::ofstream(path, std::ios::binary | std::ios::app).is_open()) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be written"));
}

int Complain(const Streams& streams, absl::string_view text) {
  streams.err << std::string(text) << "\n";
  return kBadInput;
}

volatile sig_atomic_t interrupted = 0;

// While it lives, a signal that asks for the end of the run is noted; a second one ends this
// process as ever.
class NoteSignals {
 public:
  NoteSignals() {
    struct sigaction note = {};
    note.sa_handler = [](int) { interrupted = 1; };
    note.sa_flags = static_cast<int>(SA_RESETHAND);
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &note, &before_[i]);
  }
  NoteSignals(const NoteSignals&) = delete;
  NoteSignals& operator=(const NoteSignals&) = delete;
  ~NoteSignals() {
    for (size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)];
};

// What is not about the device: which vectors, against which waivers. A sentence for the user if
// something is wrong.
absl::Status Fill(const ReplayOptions& options, conformance::ReplayOptions* replay) {
  replay->selection.only = options.only;
  replay->selection.suites = options.suites;
  replay->fail_fast = options.fail_fast;
  replay->today = options.today.empty() ? Today() : options.today;
  const absl::Status levels = ReadLevels(options.levels, &replay->selection);
  if (!levels.ok()) return levels;
  if (!options.shard.empty()) {
    const auto shard = conformance::ParseShard(options.shard);
    if (!shard.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--shard: ", shard.status().message()));
    }
    replay->selection.shard = *shard;
  }
  if (options.waivers.empty()) return absl::OkStatus();
  auto waivers = conformance::LoadWaiversFile(options.waivers);
  if (waivers.ok()) replay->waivers = *std::move(waivers);
  return waivers.status();
}

// Vectors that are not the published ones are played only for who says so.
absl::StatusOr<Suite> Load(const ReplayOptions& options) {
  auto suite = LoadSuite(options.vectors, true);
  if (!suite.ok() || suite->differences.empty()) return suite;
  const bool allowed = suite->bundle ? options.allow_other_text : options.allow_changed;
  if (allowed) return suite;
  return absl::FailedPreconditionError(absl::StrCat(
      absl::StrJoin(suite->differences, "\n"),
      suite->bundle ? "\nThese vectors are of another text. --allow-other-text plays them."
                    : "\nThese vectors are not the published ones. --allow-changed plays them."));
}

// False after a complaint if it cannot be written.
bool Write(const std::string& path, const std::string& text, const Streams& streams) {
  const absl::Status written = vectors::WriteFile(path, text);
  if (!written.ok()) Complain(streams, written.message());
  return written.ok();
}

}  // namespace

int Replay(const ReplayOptions& options, const Streams& streams) {
  const std::vector<std::string> command = SplitCommand(options.dut);
  if (command.empty())
    return Complain(streams, "--dut: the command is empty or a quote is left open.");
  conformance::ReplayOptions replay;
  const absl::Status filled = Fill(options, &replay);
  if (!filled.ok()) return Complain(streams, filled.message());
  const auto began = std::chrono::steady_clock::now();
  const auto suite = Load(options);
  if (!suite.ok()) return Complain(streams, suite.status().message());
  const auto loaded = std::chrono::steady_clock::now() - began;
  for (const std::string* path : {&options.junit, &options.html}) {
    const absl::Status writable = path->empty() ? absl::OkStatus() : CheckWritable(*path);
    if (!writable.ok()) return Complain(streams, writable.message());
  }
  if (streams.progress) {
    replay.progress = [&](size_t n, size_t all, const std::string& id) {
      streams.err << "\r\033[K" << n << "/" << all << " " << id << std::flush;
    };
  }
  conformance::WorkerOptions workers;
  workers.jobs = static_cast<int>(
      options.jobs > 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency()));
  const conformance::MakeDut make =
      DeviceOf(command, options.timeout_ms, options.vector_timeout_ms, options.log, &workers);
  workers.interrupted = [] { return interrupted != 0; };
  const NoteSignals signals;
  const conformance::WirePacketCodec codec;
  auto report =
      conformance::Replay(suite->tree, vectors::SpecTables(), &codec, make, workers, replay);
  if (streams.progress) streams.err << "\r\033[K" << std::flush;
  if (!report.ok()) return Complain(streams, report.status().message());
  report->run.loading_ns = static_cast<uint64_t>(std::chrono::nanoseconds(loaded).count());
  report->notes.insert(report->notes.end(), suite->differences.begin(), suite->differences.end());

  conformance::PrintOptions print;
  print.replay_command = ReplayCommand(options);
  print.run_command = RunCommand(options);
  bool written = options.junit.empty() ||
                 Write(options.junit, conformance::WriteJUnit(*report, print), streams);
  written &=
      options.html.empty() || Write(options.html, conformance::WriteHtml(*report, print), streams);
  print.colour = streams.colour;
  if (options.json) {
    streams.out << conformance::WriteJson(*report, print);
  } else {
    conformance::PrintReport(*report, print, streams.out);
  }
  if (report->run.selected == 0 && report->ok()) {
    return Complain(streams, "No vector was selected.");
  }
  if (!written) return kBadInput;
  if (!report->ok()) return kMismatch;
  return report->nothing_binds() ? kUnsupported : kOk;
}

}  // namespace metaroce::cli
