#include "vectors/block_records.h"

#include <array>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace metaroce::vectors {
namespace {

// A block of section 15.4. Its records are written as a list of fields: `name:bits` is a number,
// `name@lengths` data, `name=words` a word, any if there are none; `list[].name` belongs to a list.
struct BlockText {
  absl::string_view name;
  absl::string_view capability;
  absl::string_view default_capability;
  bool timed;
  absl::string_view config;
  absl::string_view input;
  absl::string_view output;
};

constexpr BlockText kTexts[] = {
    {"receive-vector", "block-receive-vector", "", false, "base:32",
     "kind=data|probe sequence:32 ce:1 transmit_time:32",
     "outcome=beyond-window|duplicate|hole|in-order|fill|late|probe base:32 "
     "bitmap@0,8,16,32 arrivals:16 ce:16 duplicates:8 echo:32"},
    {"ack-generation", "block-ack-generation", "default-ack-generation", true,
     "base:32 ack_every:64 ack_delay_max:64",
     "kind=data|probe sequence:32 ce:1 ar:1 csn_duplicate:1 transmit_time:32",
     "base:32 bitmap@0,8,16,32 arrivals:16 ce:16 duplicates:8 echo:32 hold:32"},
    {"csn-tracker", "block-csn-tracker", "", false, "base:32 range:32 open_paths:8",
     "kind=packet|paths csn:32 open_paths:8",
     "outcome=new|duplicate|beyond-edge|none cumulative:32 right_edge:32"},
    {"loss-detection", "block-loss-detection", "", false,
     "base:32 opened:64 loss_limit:64 tolerance_step:64 tolerance_life:64",
     "kind=send|resend|probe|block now:64 csn:32 size:16 sequence:32 cumulative:32 "
     "base:32 bitmap@0,8,16,32 arrivals:16 ce:16 duplicates:8 echo:32 hold:32 srtt:32",
     "outcome=sent|retransmission|void|probe|bad|news|old|loss-limit sequence:32 "
     "oldest:32 next:32 in_flight:16 bytes:32 waiting@32 acknowledged:16 declared:16 "
     "arrived:16 marked:16 duplicated:8 tolerance:32"},
    {"rtt-rto", "block-rtt-rto", "", false,
     "opened:64 min_rtt_bucket:64 probe_delay:64 probe_gap_min:64 rto_min:64 rto_max:64 "
     "rto_variance_min:64 rto_alone_min:64",
     "kind=handshake|accept|block|ask now:64 sample:32 latest:64 first:1 echo:32 hold:32 "
     "sibling_rtt:32 k:8 alone:1",
     "sample:32 srtt_8:40 rttvar_4:40 min_rtt:32 no_sample:32 first_probe_wait:40 "
     "probe_gap:40 verdict_wait:40 rto_wait:40"},
    {"path-window", "block-path-window", "", false,
     "w:25 slow:1 round_start:64 full_packet:16 unit:16 initial_window:64 window_min:64 "
     "delay_congested_min:64 slow_start_losses:64 loss_shift:64 alpha_up_shift:64 "
     "alpha_down_shift:64 clean_rounds:64 clean_doublings:64 increase_shift:64 "
     "increase_min:64",
     "kind=sent|block|rto|idle|again|added now:64 in_flight:16 data_echo:64 "
     "acknowledged:16 declared:16 arrived:16 marked:16 rtt:32 min_rtt:32 "
     "connection_min_rtt:32 rate:16 active:8 drained:1 mean:25 slow:1",
     "ended=round|slow-start|none w:25 alpha:17 slow:1 first:1 skip:1 limited:1 "
     "limited_before:1 marked_before:1 ever_marked:1 clean:32 ce:32 arrived:32 lost:32 "
     "round_start:64 history:4"},
    {"connection-window", "block-connection-window", "", false,
     "start_serial:32 full_packet:16 unit:16 connection_window_max:64 hint_life_min:64",
     "kind=ack|ask now:64 serial:32 hint:16 srtt:32 min_rtt:32 sum:40 port_rate:36 "
     "connections:32",
     "latest:1 hint:16 share:16 reference:16 bdp:64 h:64 x:64 wp:64 window:64"},
    {"receiver-hint", "block-receiver-hint", "default-receiver-hint", false,
     "rate:36 connection[].cid:24 connection[].rtt:32 connection[].full_packet:16 "
     "connection[].unit:16 connection[].addresses:16 hint_percent:64 hint_idle_min:64 "
     "hint_period_min:64 hint_low_periods:64 hint_tell_delay:64",
     "kind=data|ack|rate|tell now:64 connection:8 size:16 rate:36",
     "hint:16 active:16 bytes:64 r1:64 r2:64 low:32 demand:64"},
    {"path-count", "block-path-count", "default-path-count", false,
     "most:8 bdp:64 path_diversity:64 shrink_rounds:64",
     "kind=ack|round|idle now:64 limited:1 open:8 slow:1 sum:64 wp:64 bdp:64 srtt:32 "
     "may_open:1 active:8 planes:5 steady@32",
     "base:8 target:8 narrow:32 opens:1 closes:8"},
    {"pacer", "block-pacer", "", false,
     "full_packet:16 unit:16 pace_burst:64 pace_gain_slow_start:64 pace_gain:64",
     "kind=send|ask now:64 size:16 hint:16 x:64 path[].w:25 path[].min_rtt:32 "
     "path[].slow:1",
     "admitted:1 byte_time:64 due:64 next:64"},
    {"entropy", "block-entropy", "default-entropy", false, "tag:32 acceptor:1 path_zero:16",
     "kind=open|end path:8", "entropy:16 index:14"},
    {"scheduler", "block-scheduler", "default-scheduler", false, "",
     "kind=packet|path retransmissions:16 moved:16 responses:16 requests:64 size:16 "
     "window:64 bytes:64 path[].fit:1 path[].w:25 path[].in_flight:16",
     "takes=retransmission|moved|request|response|path|none stream:8 path:8"},
    {"path-lifecycle", "block-path-lifecycle", "", false,
     "machine=path|ladder|path-close|receive-path state=", "kind=",
     "state= outcome=taken|ignored counter="},
    {"completion-order", "block-completion-order", "", false,
     "role=requester|responder start_msn:32",
     "kind=post|acknowledged|answered|packet "
     "request=write|write-with-immediate|send|read|fetch-add stream:8 msn:32 length:32 "
     "offset:32",
     "msn:32 complete:1 finished:16 next:32"},
};

constexpr size_t kBlocks = std::size(kTexts);

NamedRule RuleFromText(absl::string_view text) {
  const size_t at = text.find_first_of(":@=");
  NamedRule out{text.substr(0, at), FieldRule()};
  const absl::string_view rest = text.substr(at + 1);
  switch (text[at]) {
    case ':':
      (void)absl::SimpleAtoi(rest, &out.rule.bits);
      break;
    case '@': {
      out.rule.kind = ValueKind::kData;
      std::vector<size_t> lengths;
      for (const absl::string_view length : absl::StrSplit(rest, ',')) {
        (void)absl::SimpleAtoi(length, &lengths.emplace_back());
      }
      out.rule.lengths = Keep(lengths);
      break;
    }
    default:
      out.rule.kind = ValueKind::kWord;
      out.rule.words =
          Keep(std::vector<absl::string_view>(absl::StrSplit(rest, '|', absl::SkipEmpty())));
  }
  return out;
}

RecordTable TableFromText(absl::string_view text) {
  RecordTable out;
  for (const absl::string_view field : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    out.push_back(RuleFromText(field));
  }
  return out;
}

struct AllBlocks {
  std::array<BlockInfo, kBlocks> infos;
  std::array<RecordTable, 3 * kBlocks> tables;
};

const AllBlocks& All() {
  static const AllBlocks* const kAll = [] {
    auto* all = new AllBlocks;
    for (size_t i = 0; i < kBlocks; ++i) {
      const BlockText& text = kTexts[i];
      const auto record = [&](size_t part) {
        return static_cast<Record>(static_cast<size_t>(Record::kFirstOfBlocks) + 3 * i + part);
      };
      all->infos[i] = {text.name, text.capability, text.default_capability, text.timed, record(0),
                       record(1), record(2)};
      all->tables[3 * i] = TableFromText(text.config);
      all->tables[3 * i + 1] = TableFromText(text.input);
      all->tables[3 * i + 2] = TableFromText(text.output);
    }
    return all;
  }();
  return *kAll;
}

size_t PlaceOf(Record record) {
  return static_cast<size_t>(record) - static_cast<size_t>(Record::kFirstOfBlocks);
}

}  // namespace

bool IsOfBlock(Record record) { return record >= Record::kFirstOfBlocks; }

const RecordTable& BlockTable(Record record) { return All().tables[PlaceOf(record)]; }

std::string BlockRecordName(Record record) {
  constexpr const char* kParts[] = {" configuration", " input", " output"};
  const size_t place = PlaceOf(record);
  return std::string(kTexts[place / 3].name) + kParts[place % 3];
}

absl::Span<const BlockInfo> Blocks() { return All().infos; }

}  // namespace metaroce::vectors
