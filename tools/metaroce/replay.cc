// metaroce replay: all vectors, or some, against a device under test.
#include "conformance/runner/replay.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "conformance/runner/child_dut.h"
#include "conformance/runner/wire_codec.h"
#include "tools/metaroce/commands.h"
#include "vectors/manifest.h"
#include "vectors/spec_tables_index.h"
#include "vectors/text.h"

namespace metaroce::cli {
namespace {

// Splits a command line at blanks; '...' and "..." keep blanks. Nothing if a quote is left open or
// there is no word.
std::optional<std::vector<std::string>> SplitCommand(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  if (quote != 0 || words.empty()) return std::nullopt;
  return words;
}

// Waivers expire by the calendar; nothing else here looks at a clock.
std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  return absl::StrFormat("%04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

std::optional<vectors::Level> LevelOf(const std::string& name) {
  if (name == "codec") return vectors::CODEC;
  if (name == "block") return vectors::BLOCK;
  if (name == "endpoint") return vectors::ENDPOINT;
  if (name == "system") return vectors::SYSTEM;
  return std::nullopt;
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
  add("--timeout", absl::StrCat(options.timeout_ms), options.timeout_ms != 0);
  add("--waivers", options.waivers, !options.waivers.empty());
  add("--today", options.today, !options.today.empty());
  return vectors::Printable(out);
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

}  // namespace

int Replay(const ReplayOptions& options, const Streams& streams) {
  const auto command = SplitCommand(options.dut);
  if (!command) return Complain(streams, "--dut: the command is empty or a quote is left open.");
  conformance::ReplayOptions replay;
  replay.only = options.only;
  replay.today = options.today.empty() ? Today() : options.today;
  for (const std::string& name : options.levels) {
    const auto level = LevelOf(name);
    if (!level) {
      return Complain(streams, absl::StrCat("--level ", name,
                                            " is none of codec, block, endpoint and system."));
    }
    replay.levels.push_back(*level);
  }
  if (!options.waivers.empty()) {
    auto waivers = conformance::LoadWaiversFile(options.waivers);
    if (!waivers.ok()) return Complain(streams, waivers.status().message());
    replay.waivers = *std::move(waivers);
  }
  auto tree = vectors::LoadTree(options.vectors, vectors::SpecTables());
  if (!tree.ok()) return Complain(streams, tree.status().message());
  if (tree->vectors.empty() && tree->unreadable.empty()) {
    return Complain(streams, absl::StrCat(options.vectors, " holds no vectors."));
  }
  const std::vector<std::string> differences = vectors::CompareWithManifest(options.vectors, *tree);
  if (options.strict && !differences.empty()) {
    return Complain(streams, absl::StrJoin(differences, "\n"));
  }
  if (!options.junit.empty()) {
    const absl::Status writable = CheckWritable(options.junit);
    if (!writable.ok()) return Complain(streams, writable.message());
  }
  if (streams.progress) {
    replay.progress = [&](size_t n, size_t all, const std::string& id) {
      streams.err << "\r\033[K" << n + 1 << "/" << all << " " << id << std::flush;
    };
  }
  conformance::ChildOptions child;
  child.command = *command;
  if (options.timeout_ms != 0) {
    child.answer_timeout = std::chrono::milliseconds(options.timeout_ms);
    child.start_timeout = child.answer_timeout;
  }
  child.log_path = options.log;
  conformance::ChildDut dut(child);
  const conformance::WirePacketCodec codec;
  auto report = conformance::Replay(*tree, vectors::SpecTables(), &codec, dut, replay);
  if (streams.progress) streams.err << "\r\033[K" << std::flush;
  if (!report.ok()) return Complain(streams, report.status().message());

  report->notes.insert(report->notes.end(), differences.begin(), differences.end());

  conformance::PrintOptions print;
  print.colour = streams.colour;
  print.replay_command = ReplayCommand(options);
  if (options.json) {
    streams.out << conformance::WriteJson(*report);
  } else {
    conformance::PrintReport(*report, print, streams.out);
  }
  if (!options.junit.empty()) {
    std::ofstream file(options.junit, std::ios::binary);
    file << conformance::WriteJUnit(*report,
                                    conformance::PrintOptions{false, print.replay_command});
    if (!file.flush())
      return Complain(streams, absl::StrCat(options.junit, ": cannot be written."));
  }
  if (report->results.empty() && report->ok()) {
    return Complain(streams, "No vector was selected.");
  }
  if (!report->ok()) return kMismatch;
  return report->nothing_binds() ? kUnsupported : kOk;
}

}  // namespace metaroce::cli
