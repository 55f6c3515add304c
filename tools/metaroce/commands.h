// The subcommands of `metaroce`. Each takes its options and two streams and returns the exit
// status: 0 it is so, 1 a mismatch, 2 bad input or usage, 127 nothing here is supported.
#ifndef METAROCE_TOOLS_METAROCE_COMMANDS_H_
#define METAROCE_TOOLS_METAROCE_COMMANDS_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace metaroce::cli {

enum Exit : int { kOk = 0, kMismatch = 1, kBadInput = 2, kUnsupported = 127 };

// Where results go, and whether a person looks at them.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool colour = false;    // `out` is a terminal
  bool progress = false;  // `err` is one
};

struct DecodeOptions {
  std::string file;  // "-": standard input
  bool json = false;
  uint16_t port;  // UDP destination port of the protocol
};
int Decode(const DecodeOptions& options, const Streams& streams);

struct IcrcOptions {
  std::string file;
  bool json = false;
  uint16_t port;
};
int Icrc(const IcrcOptions& options, const Streams& streams);

struct CheckOptions {
  std::string file;
  std::string profile;  // file of lines that go behind those of the capture; empty: none
  bool json = false;
  uint16_t port;
};
int Check(const CheckOptions& options, const Streams& streams);

struct GenOptions {
  std::string cases = "vectors/cases";
  std::string out = "vectors";
  bool check = false;
};
int Gen(const GenOptions& options, const Streams& streams);

struct ReplayOptions {
  // A command line, split at blanks, with '...' and "..." kept together: a program, or a shared
  // library if its name says so (conformance/dut/library_dut.h).
  std::string dut;
  std::string vectors = "vectors";
  std::vector<std::string> only;
  std::vector<std::string> suites;
  std::vector<std::string> levels;
  std::string shard;    // "2/4"; empty: all
  std::string waivers;  // file of expected failures
  std::string junit;    // files to write
  std::string html;
  std::string log;    // file for the device's standard error
  std::string today;  // YYYY-MM-DD; empty: the day it is
  bool json = false;
  // Played all the same: vectors that differ from their MANIFEST, a bundle of another text.
  bool allow_changed = false;
  bool allow_other_text = false;
  bool fail_fast = false;
  uint32_t jobs = 1;        // devices at the same time; 0: as many as there are processors
  uint32_t timeout_ms = 0;  // 0: the defaults of the runner
  uint32_t vector_timeout_ms = 0;
};
int Replay(const ReplayOptions& options, const Streams& streams);

struct MutantsOptions {
  std::string library;  // of seeded defects (fuzz/mutants/library.h)
  std::string vectors = "vectors";
  std::vector<std::string> only;  // names of defects
  bool list = false;              // show them and play nothing
  uint32_t jobs = 1;              // as of replay
  uint32_t timeout_ms = 2000;
};
int Mutants(const MutantsOptions& options, const Streams& streams);

struct VectorOptions {
  std::vector<std::string> files;  // show: ids too; new: the one id
  std::string vectors = "vectors";
  bool check = false;  // fmt: writes nothing
  std::string level;   // new
  std::string block;
  std::string since;  // lint: an earlier tree or bundle, whose promises are held
  std::string form;   // export
  std::string out;
  std::vector<std::string> only;
  std::vector<std::string> suites;
  std::vector<std::string> levels;
};
int VectorLint(const VectorOptions& options, const Streams& streams);
int VectorFormat(const VectorOptions& options, const Streams& streams);
int VectorShow(const VectorOptions& options, const Streams& streams);
int VectorNew(const VectorOptions& options, const Streams& streams);
int VectorExport(const VectorOptions& options, const Streams& streams);

struct PromoteOptions {
  std::string file;  // *.json: a vector; else a capture of a connection
  std::string id;
  std::string title;  // of a vector of its own, if it is empty
  std::string note;
  std::vector<std::string> clauses;
  std::vector<std::string> negative;
  std::vector<std::string> flags;
  std::string group = "promoted";  // folder below the level; a block has none
  std::string side;                // of the capture: "a" or "b"; empty: that of the verdict
  std::string profile;             // as of check
  std::string dut;                 // command of a device that fails; empty: nothing is made small
  std::string vectors = "vectors";
  uint32_t timeout_ms = 0;  // as of replay
  uint16_t port;            // as of check
};
int VectorPromote(const PromoteOptions& options, const Streams& streams);

struct SpecOptions {
  std::vector<std::string> names;  // clauses, reasons, opcodes, constants, ...; empty: an overview
  bool json = false;
};
int Spec(const SpecOptions& options, const Streams& streams);

struct ExploreOptions {
  std::vector<std::string> presets;  // empty: all that are not large
  bool list = false;
  bool large = false;      // the large ones too
  bool state = false;      // show both sides at the end of a history
  std::string state_file;  // of one preset: goes on from it if it exists, and keeps it up to date
  uint64_t positions = 0;  // stop after so many; 0: do not
  std::string vector;      // file for what a side was given in a history; empty: none
  int side = 0;            // that side
};
int Explore(const ExploreOptions& options, const Streams& streams);

struct BenchOptions {
  std::vector<std::string> cases;  // empty: all
  uint64_t packets = 1000000;      // of each case
  uint64_t runs = 1;               // of which the fastest counts
  bool json = false;
};
int Bench(const BenchOptions& options, const Streams& streams);

struct SimOptions {
  std::string scenario;          // file
  std::vector<std::string> set;  // field=value, in order, after the short form
  uint64_t seed = 0;             // 0: that of the scenario
  bool short_form = false;
  std::string pcapng;  // files to write; empty: none
  std::string events;
  std::string plot;
  uint32_t connection = 0;  // that is plotted, and whose samples stand in the log
  bool responder = false;   // its other end
  uint64_t rows = 16;       // of each table
  bool json = false;
  bool entropy = false;  // how paths lie on routes
  uint32_t seeds = 0;    // of a scenario, of --entropy; 0: 20
  uint32_t routes = 8;   // of --entropy without a scenario
  std::string hash = "CRC32C";
  bool connection_given = false;  // rather than left as they are
  bool rows_given = false;
  bool routes_given = false;
  bool hash_given = false;
};
int Sim(const SimOptions& options, const Streams& streams);

struct CoverOptions {
  std::string root = ".";         // the folder of the project
  std::vector<std::string> hits;  // files that tests wrote (model/testing/hits.h)
  std::string clause;             // only this one, with all that is known of it
  std::string chapter;            // only this one: "6", "06", "a"
  bool json = false;
  bool vectors = false;  // CoverVectors
};
int CoverClauses(const CoverOptions& options, const Streams& streams);
// Which vectors show each MUST from which side. kMismatch if one lacks a side and has no reason.
int CoverVectors(const CoverOptions& options, const Streams& streams);

// Two lines: what this is, and where it stands.
std::string VersionText();

}  // namespace metaroce::cli

#endif  // METAROCE_TOOLS_METAROCE_COMMANDS_H_
