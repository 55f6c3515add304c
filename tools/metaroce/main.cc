// metaroce: the command-line tool.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/tables.h"
#include "tools/metaroce/commands.h"

namespace {

using metaroce::cli::Streams;

// A name of a file that was forgotten, as of a variable that is not set.
const CLI::Validator kNamed(
    [](std::string& name) { return std::string(name.empty() ? "the name is empty" : ""); }, "");
// The same of another value.
const CLI::Validator kGiven(
    [](std::string& value) { return std::string(value.empty() ? "the value is empty" : ""); }, "");
// Decimal digits. CLI11 alone takes -1, and all that has more than 64 bits, for the greatest number
// there is, nothing for 0, and what begins with a 0 for octal.
const CLI::Validator kWhole(
    [](std::string& text) {
      if (text.empty()) return std::string("the value is empty");
      if (text.find_first_not_of("0123456789") != std::string::npos) {
        const bool below = text[0] == '-' && text.size() > 1 &&
                           text.find_first_not_of("0123456789", 1) == std::string::npos;
        return text.substr(0, 40) + (below ? " is below 0" : " is no whole number in digits");
      }
      constexpr absl::string_view kGreatest = "18446744073709551615";
      text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
      const bool fits =
          text.size() < kGreatest.size() || (text.size() == kGreatest.size() && text <= kGreatest);
      return fits ? std::string() : text.substr(0, 40) + " is not below 2^64";
    },
    "");

template <typename Options>
void AddInput(CLI::App* app, Options* options, const char* what) {
  app->add_option("file", options->file, what)->required()->check(kNamed);
  app->add_flag("--json", options->json, "Write JSON for machines");
  app->add_option("--port", options->port, "UDP destination port of MetaRoCE")
      ->default_val(metaroce::spec::constant::kUdpPort)
      ->check(CLI::Range(1, 65535));
}

// The parts of `metaroce vector`, each with its own arguments.
struct VectorApps {
  CLI::App* lint;
  CLI::App* format;
  CLI::App* show;
  CLI::App* add;
  CLI::App* promote;
  CLI::App* out;
};

// A counter-example that is made into a vector.
void AddPromote(CLI::App* app, metaroce::cli::PromoteOptions* options) {
  app->add_option("file", options->file,
                  "A vector (*.json), or a capture of a connection as `metaroce check` reads it")
      ->required()
      ->check(kNamed);
  app->add_option("--id", options->id, "Its id, for ever")->required();
  app->add_option("--title", options->title, "One sentence; of a vector by default its own");
  app->add_option("--note", options->note, "What went wrong, and where it was seen")->required();
  app->add_option(
      "--clause", options->clauses,
      "What it is about, the first by which it fails; by default what the verdict names");
  app->add_option("--negative", options->negative, "Those that it shows from the negative side");
  app->add_option("--flag", options->flags, "Kinds of bug; of a vector by default its own");
  app->add_option("--group", options->group, "Folder below the level; a block has none")
      ->capture_default_str();
  app->add_option("--side", options->side,
                  "The device in the capture, a or b; by default the side of the verdict")
      ->check(kGiven);
  app->add_option("--profile", options->profile, "File of what the devices declare")->check(kNamed);
  app->add_option("--dut", options->dut,
                  "Device that fails the vector: steps go as long as it does by the same clause");
  app->add_option("--vectors", options->vectors, "Folder of vectors into which it is written")
      ->capture_default_str();
  app->add_option("--timeout", options->timeout_ms,
                  "Milliseconds for each answer (without it 5000, and 30000 for the first)")
      ->check(CLI::Range(1, 600000));
  app->add_option("--port", options->port, "UDP destination port of MetaRoCE")
      ->default_val(metaroce::spec::constant::kUdpPort)
      ->check(CLI::Range(1, 65535));
}

VectorApps AddVector(CLI::App* app, metaroce::cli::VectorOptions* options,
                     metaroce::cli::PromoteOptions* promote) {
  app->require_subcommand(1);
  const auto folder = [&](CLI::App* part, const char* what) {
    part->add_option("--vectors", options->vectors, what)->capture_default_str();
  };
  VectorApps parts;
  parts.lint = app->add_subcommand("lint", "Say what is wrong with vectors");
  parts.lint->add_option("file", options->files, "Files; without them all below --vectors");
  folder(parts.lint, "Folder or bundle of vectors");
  parts.lint
      ->add_option("--since", options->since,
                   "An earlier folder or bundle: no vector of it is gone, or another one now")
      ->check(kNamed);
  parts.format = app->add_subcommand("fmt", "Write vectors in their canonical form");
  parts.format->add_option("file", options->files, "Files")->required();
  parts.format->add_flag("--check", options->check, "Write nothing; fail if a file differs");
  parts.show = app->add_subcommand("show", "Show vectors on an axis of time");
  parts.show->add_option("vector", options->files, "Ids, or files *.json")->required();
  folder(parts.show, "Folder or bundle in which ids are looked up");
  parts.add = app->add_subcommand("new", "Write a vector to begin with");
  parts.add->add_option("id", options->files, "Its id")->required()->expected(1);
  parts.add->add_option("--level", options->level, "codec, block, endpoint or system")->required();
  parts.add->add_option("--block", options->block, "receive-vector or ack-generation");
  folder(parts.add, "Folder of vectors into which it is written");
  parts.promote = app->add_subcommand(
      "promote", "Make a counter-example into a vector of the tree, as small as it gets");
  AddPromote(parts.promote, promote);
  parts.out = app->add_subcommand("export", "Write vectors in a form that a bench reads");
  parts.out
      ->add_option("--form", options->form,
                   "bundle (one file with checksums), json, c (arrays), memh ($readmemh), pcapng")
      ->required();
  parts.out->add_option("--out", options->out, "File of the bundle, or a folder")
      ->required()
      ->check(kNamed);
  folder(parts.out, "Folder or bundle of vectors");
  parts.out->add_option("--only", options->only, "Only these ids; a * at the end stands for any");
  parts.out->add_option("--suite", options->suites, "Only these suites");
  parts.out->add_option("--level", options->levels, "Only codec, block, endpoint or system");
  return parts;
}

// `status`, if all that was written has arrived.
int Flushed(int status) {
  std::cout.flush();
  if (std::cout) return status;
  std::cerr << "metaroce: standard output cannot be written.\n";
  return metaroce::cli::kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  // `bazel run` starts programs in a folder of its own and names here the one where it was called.
  if (const char* folder = getenv("BUILD_WORKING_DIRECTORY"); folder != nullptr) {
    if (chdir(folder) != 0) std::cerr << "metaroce: there is no folder " << folder << "\n";
  }
  CLI::App app("The executable reference of MetaRoCE.\n" + metaroce::cli::VersionText());
  app.name("metaroce");
  app.set_version_flag("--version", metaroce::cli::VersionText());
  app.require_subcommand(1);
  app.footer("Exit status: 0 it is so, 1 a mismatch, 2 bad input or usage, 127 unsupported.");

  metaroce::cli::DecodeOptions decode;
  CLI::App* decode_app = app.add_subcommand("decode", "Show every field of every packet");
  AddInput(decode_app, &decode, "Hex text, pcap or pcapng; - for standard input");

  metaroce::cli::IcrcOptions icrc;
  CLI::App* icrc_app = app.add_subcommand("icrc", "Check the iCRC of RoCEv2 and MetaRoCE frames");
  AddInput(icrc_app, &icrc, "Hex text, pcap or pcapng; - for standard input");

  metaroce::cli::CheckOptions check;
  CLI::App* check_app =
      app.add_subcommand("check", "Explain a capture of both ends of a connection by the text");
  AddInput(check_app, &check,
           "pcapng with interfaces \"a0 sent\", \"a0 received\", \"b0 sent\", ...");
  check_app->add_option("--profile", check.profile, "File of what the devices declare")
      ->check(kNamed);

  metaroce::cli::GenOptions gen;
  CLI::App* gen_app = app.add_subcommand("gen", "Make the vectors from their cases");
  gen_app->add_option("--cases", gen.cases, "Folder of cases")->capture_default_str();
  gen_app->add_option("--out", gen.out, "Folder of vectors")->capture_default_str();
  gen_app->add_flag("--check", gen.check, "Write nothing; fail if a vector differs");

  metaroce::cli::ReplayOptions replay;
  CLI::App* replay_app = app.add_subcommand("replay", "Replay vectors on a device under test");
  replay_app
      ->add_option("--dut", replay.dut,
                   "Program that is the device, or its library (*.so), and arguments")
      ->required();
  replay_app->add_option("--vectors", replay.vectors, "Folder or bundle of vectors")
      ->capture_default_str();
  replay_app->add_option("--only", replay.only, "Only these ids; a * at the end stands for any");
  replay_app->add_option("--suite", replay.suites,
                         "Only these suites: entropy, ack-return, bookkeeping, resilience, ...");
  replay_app->add_option("--level", replay.levels, "Only codec, block, endpoint or system");
  replay_app->add_option("--shard", replay.shard, "Only this part of them, such as 2/4")
      ->check(kGiven);
  replay_app->add_flag("--fail-fast", replay.fail_fast, "Stop at the first failure");
  replay_app
      ->add_option("--jobs", replay.jobs,
                   "Devices at the same time; 0: as many as there are processors")
      ->capture_default_str()
      ->check(CLI::Range(0, 256));
  replay_app->add_option("--waivers", replay.waivers, "File of expected failures")->check(kNamed);
  replay_app->add_option("--junit", replay.junit, "Write JUnit XML to this file")->check(kNamed);
  replay_app->add_option("--html", replay.html, "Write a page to this file")->check(kNamed);
  replay_app->add_option("--log", replay.log, "Append the device's standard error to this file")
      ->check(kNamed);
  replay_app->add_option("--today", replay.today, "Day for the expiry of waivers, YYYY-MM-DD");
  replay_app
      ->add_option("--timeout", replay.timeout_ms,
                   "Milliseconds for each answer (without it 5000, and 30000 for the first)")
      ->check(CLI::Range(1, 600000));
  replay_app
      ->add_option("--vector-timeout", replay.vector_timeout_ms,
                   "Milliseconds for all answers of a vector (without it 600000)")
      ->check(CLI::Range(1, 86400000));
  replay_app->add_flag("--allow-changed", replay.allow_changed,
                       "Play vectors that differ from their MANIFEST, or that have none");
  replay_app->add_flag("--allow-other-text", replay.allow_other_text,
                       "Play a bundle that was made of another text");
  replay_app->add_flag("--json", replay.json, "Write JSON for machines");

  metaroce::cli::MutantsOptions mutants;
  CLI::App* mutants_app = app.add_subcommand(
      "mutants", "Say which vectors find seeded defects; fail if one is not found");
  mutants_app->add_option("--dut", mutants.library, "Library of defects (fuzz/mutants/library.h)")
      ->required()
      ->check(kNamed);
  mutants_app->add_option("--vectors", mutants.vectors, "Folder or bundle of vectors")
      ->capture_default_str();
  mutants_app->add_option("--only", mutants.only, "Only these defects");
  mutants_app->add_flag("--list", mutants.list, "Show the defects and play nothing");
  mutants_app
      ->add_option("--jobs", mutants.jobs,
                   "Devices at the same time; 0: as many as there are processors")
      ->capture_default_str()
      ->check(CLI::Range(0, 256));
  mutants_app->add_option("--timeout", mutants.timeout_ms, "Milliseconds for each answer")
      ->capture_default_str()
      ->check(CLI::Range(1, 600000));

  metaroce::cli::VectorOptions vector;
  CLI::App* vector_app = app.add_subcommand("vector", "Look at vectors, and help to write them");
  metaroce::cli::PromoteOptions promote;
  const VectorApps vector_parts = AddVector(vector_app, &vector, &promote);

  metaroce::cli::ExploreOptions explore;
  CLI::App* explore_app =
      app.add_subcommand("explore", "Go through all that can happen between two endpoints");
  explore_app->add_option("preset", explore.presets, "Scenarios; all that are not large");
  explore_app->add_flag("--list", explore.list, "Show the scenarios");
  explore_app->add_flag("--large", explore.large, "The large ones too");
  explore_app->add_flag("--state", explore.state, "Show both sides at the end of a history");
  explore_app
      ->add_option("--resume", explore.state_file,
                   "File of a search: goes on from it, and keeps it up to date")
      ->check(kNamed);
  explore_app->add_option("--positions", explore.positions, "Stop after so many positions")
      ->transform(kWhole);
  explore_app
      ->add_option("--vector", explore.vector,
                   "Write what --side was given in the first history to this file, a vector for "
                   "`vector promote`")
      ->check(kNamed);
  explore_app->add_option("--side", explore.side, "0 or 1")
      ->capture_default_str()
      ->transform(kWhole)
      ->check(CLI::Range(0, 1));

  metaroce::cli::BenchOptions bench;
  CLI::App* bench_app = app.add_subcommand(
      "bench", "Measure two endpoints of the model back to back, and the fabric");
  bench_app->add_option("case", bench.cases, "Loads; all if none is named");
  bench_app->add_option("--packets", bench.packets, "DATA and ACK packets of each load")
      ->capture_default_str()
      ->transform(kWhole)
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  bench_app->add_option("--runs", bench.runs, "Of each load; the fastest is shown")
      ->capture_default_str()
      ->transform(kWhole)
      ->check(CLI::Range(uint64_t{1}, uint64_t{1000}));
  bench_app->add_flag("--json", bench.json, "Write JSON for machines");

  metaroce::cli::SimOptions sim;
  CLI::App* sim_app = app.add_subcommand(
      "sim", "Run endpoints in a fabric of switches; fail if a goal of the scenario is missed");
  sim_app->add_option("scenario", sim.scenario, "File (model/sim/scenario.proto)")->check(kNamed);
  sim_app
      ->add_option("--set", sim.set,
                   "field=value, e.g. fabric.spines=4; may be given several times")
      ->allow_extra_args(false);
  sim_app->add_option("--seed", sim.seed, "In place of the scenario's")
      ->transform(kWhole)
      ->check(CLI::Range(uint64_t{1}, uint64_t{UINT32_MAX}));
  sim_app->add_flag("--short", sim.short_form, "The scenario's short form");
  sim_app->add_option("--pcapng", sim.pcapng, "Write all host links to this file, headers alone")
      ->check(kNamed);
  sim_app->add_option("--events", sim.events, "Write what happens to this file, JSON lines")
      ->check(kNamed);
  sim_app->add_option("--plot", sim.plot, "Write an SVG of the paths of a connection over time")
      ->check(kNamed);
  CLI::Option* connection =
      sim_app
          ->add_option("--connection", sim.connection,
                       "Which connection that is, and whose samples --events has, from 0")
          ->transform(kWhole);
  sim_app->add_flag("--responder", sim.responder, "The end that did not open it");
  CLI::Option* rows = sim_app->add_option("--rows", sim.rows, "Rows of each table")
                          ->capture_default_str()
                          ->transform(kWhole);
  sim_app->add_flag("--json", sim.json, "Write JSON for machines");
  sim_app->add_flag("--entropy", sim.entropy,
                    "Show how paths lie on routes, over 1,000 seeds; of a scenario, also what each "
                    "route carries");
  sim_app->add_option("--seeds", sim.seeds, "Seeds of a scenario, of --entropy; without it 20")
      ->transform(kWhole)
      ->check(CLI::Range(1, 10000));
  CLI::Option* routes =
      sim_app->add_option("--routes", sim.routes, "Equal routes, of --entropy without a scenario")
          ->capture_default_str()
          ->transform(kWhole)
          ->check(CLI::Range(1, 256));
  CLI::Option* hash =
      sim_app
          ->add_option("--hash", sim.hash,
                       "CRC16, CRC32C, TOEPLITZ or XOR_FOLD, of --entropy without a scenario")
          ->capture_default_str();

  metaroce::cli::SpecOptions spec;
  CLI::App* spec_app = app.add_subcommand("spec", "Show what the text says of a name");
  spec_app->add_option("name", spec.names,
                       "Clauses, opcodes (name or number), layouts, layout.field, reasons, "
                       "constants, ...");
  spec_app->add_flag("--json", spec.json, "Write JSON for machines");

  metaroce::cli::CoverOptions cover;
  CLI::App* cover_app =
      app.add_subcommand("cover", "Show the code and the tests of each clause; fail if one lacks");
  cover_app->add_option("--root", cover.root, "Folder of the project")->capture_default_str();
  cover_app->add_option("--hits", cover.hits, "Files that tests wrote where METAROCE_HITS names");
  cover_app->add_option("--clause", cover.clause, "Only this one, with all places and names");
  cover_app->add_option("--chapter", cover.chapter, "Only this one, by its number");
  auto* cover_json = cover_app->add_flag("--json", cover.json, "Write JSON for machines");
  auto* cover_vectors = cover_app->add_flag("--vectors", cover.vectors,
                                            "Count the vectors that show each MUST from a side");
  cover_vectors->excludes("--hits")->excludes("--clause")->excludes("--chapter");
  cover_vectors->excludes(cover_json);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11's own statuses are many; here usage is 2, and help is no error.
    return Flushed(app.exit(error) == 0 ? metaroce::cli::kOk : metaroce::cli::kBadInput);
  }
  std::ios::sync_with_stdio(false);
  const Streams streams{std::cout, std::cerr, isatty(1) != 0, isatty(2) != 0};
  int status = metaroce::cli::kBadInput;
  if (*decode_app) status = metaroce::cli::Decode(decode, streams);
  if (*icrc_app) status = metaroce::cli::Icrc(icrc, streams);
  if (*check_app) status = metaroce::cli::Check(check, streams);
  if (*gen_app) status = metaroce::cli::Gen(gen, streams);
  if (*replay_app) status = metaroce::cli::Replay(replay, streams);
  if (*mutants_app) status = metaroce::cli::Mutants(mutants, streams);
  if (*vector_parts.lint) status = metaroce::cli::VectorLint(vector, streams);
  if (*vector_parts.format) status = metaroce::cli::VectorFormat(vector, streams);
  if (*vector_parts.show) status = metaroce::cli::VectorShow(vector, streams);
  if (*vector_parts.add) status = metaroce::cli::VectorNew(vector, streams);
  if (*vector_parts.promote) status = metaroce::cli::VectorPromote(promote, streams);
  if (*vector_parts.out) status = metaroce::cli::VectorExport(vector, streams);
  if (*explore_app) status = metaroce::cli::Explore(explore, streams);
  if (*bench_app) status = metaroce::cli::Bench(bench, streams);
  sim.connection_given = connection->count() > 0;
  sim.rows_given = rows->count() > 0;
  sim.routes_given = routes->count() > 0;
  sim.hash_given = hash->count() > 0;
  if (*sim_app) status = metaroce::cli::Sim(sim, streams);
  if (*spec_app) status = metaroce::cli::Spec(spec, streams);
  if (*cover_app) {
    status = cover.vectors ? metaroce::cli::CoverVectors(cover, streams)
                           : metaroce::cli::CoverClauses(cover, streams);
  }
  return Flushed(status);
}
