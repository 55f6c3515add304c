#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/duts/model/levels.h"
#include "model/path/receive_path.h"
#include "spec/tables.h"

namespace metaroce::conformance {
namespace {

struct Input {
  bool probe = false;
  PathSeq sequence;
  WireTime transmitted;
  bool ce = false;
  bool ar = false;
  bool csn_duplicate = false;
};

//= CONF-BLOCK
//# `Apply` with `Block` holds an input record; the events are `fields` with output records.
absl::StatusOr<Input> ReadInput(vectors::Record record, const dut::Apply& apply) {
  if (apply.stimulus_case() != dut::Apply::kBlock) {
    return absl::InvalidArgumentError("the level block takes Block only.");
  }
  const FieldList& fields = apply.block().field();
  const absl::Status status = CheckRecord(record, fields);
  if (!status.ok()) return status;
  const std::string kind = WordOr(fields, "kind", "");
  if (kind != "data" && kind != "probe") {
    return absl::InvalidArgumentError(
        absl::StrCat("kind is \"", kind, "\"; it must be data or probe."));
  }
  Input input;
  input.probe = kind == "probe";
  input.sequence = PathSeq(static_cast<uint32_t>(NumberOr(fields, "sequence", 0)));
  input.transmitted = WireTime(static_cast<uint32_t>(NumberOr(fields, "transmit_time", 0)));
  input.ce = NumberOr(fields, "ce", 0) != 0;
  input.ar = NumberOr(fields, "ar", 0) != 0;
  input.csn_duplicate = NumberOr(fields, "csn_duplicate", 0) != 0;
  return input;
}

// Gives the packet to the books; the name of its outcome.
std::string Take(const Input& input, Nanoseconds now, const AckLimits& limits, ReceivePath* path) {
  if (input.probe) {
    path->ArriveProbe(input.transmitted, Route(), now);
    return "probe";
  }
  const Arrival arrival =
      path->Arrive(input.sequence, input.transmitted, input.ce, input.ar, Route(), now, limits);
  if (arrival != Arrival::kBeyondWindow && arrival != Arrival::kDuplicate) {
    path->Mark(input.sequence, arrival, input.csn_duplicate, now);
  }
  return Name(arrival);
}

void AddBlock(const spec::PathBlock& block, FieldList* out) {
  std::string wire(block.Size(), '\0');
  block.Store(reinterpret_cast<uint8_t*>(wire.data()));
  AddNumber("base", block.base, out);
  AddData("bitmap", wire.substr(spec::PathBlock::kBytes), out);
  AddNumber("arrivals", block.arrivals, out);
  AddNumber("ce", block.ce, out);
  AddNumber("duplicates", block.duplicates, out);
  AddNumber("echo", block.echo, out);
}

void BooksSnapshot(const ReceivePath& path, dut::Answer* answer) {
  AddBlock(path.Block(0, 0),
           answer->mutable_done()->add_event()->mutable_fields()->mutable_field());
}

ReceivePath StartPath(const dut::Reset& reset) {
  return ReceivePath(0, PathSeq(static_cast<uint32_t>(NumberOr(reset.config(), "base", 0))));
}

// CONF-RECEIVE-VECTOR.
//
//= CONF-RECEIVE-VECTOR
//# each answer is one output record, with the state after the packet as a block of an ACK would
//# report it.
class ReceiveVectorLevel : public ModelDut::Level {
 public:
  explicit ReceiveVectorLevel(const dut::Reset& reset) : path_(StartPath(reset)) {}

  absl::Status Apply(const dut::Apply& apply, dut::Answer* answer) override {
    const absl::StatusOr<Input> input =
        ReadInput(vectors::FindBlock("receive-vector")->input, apply);
    if (!input.ok()) return input.status();
    FieldList* out = answer->mutable_done()->add_event()->mutable_fields()->mutable_field();
    AddWord("outcome", Take(*input, 0, AckLimits(), &path_), out);
    AddBlock(path_.Block(0, 0), out);
    return absl::OkStatus();
  }

  void Snapshot(dut::Answer* answer) override { BooksSnapshot(path_, answer); }

 private:
  ReceivePath path_;
};

// CONF-ACK-GENERATION, with the default of the choice ack-moment: an ACK leaves when it is due.
//
//= CONF-ACK-GENERATION
//# Each ACK is one event `fields` at the time at which it leaves, with the state at that time.
class AckGenerationLevel : public ModelDut::Level {
 public:
  AckGenerationLevel(const dut::Reset& reset, const AckLimits& limits)
      : path_(StartPath(reset)), limits_(limits) {}

  absl::Status Apply(const dut::Apply& apply, dut::Answer* answer) override {
    const absl::StatusOr<Input> input =
        ReadInput(vectors::FindBlock("ack-generation")->input, apply);
    if (!input.ok()) return input.status();
    const Nanoseconds now = static_cast<Nanoseconds>(apply.at_ns());
    SendDue(now - 1, answer->mutable_done());
    Take(*input, now, limits_, &path_);
    while (path_.AckDue() <= now) SendOne(now, answer->mutable_done());
    return absl::OkStatus();
  }

  absl::Status Advance(uint64_t to_ns, dut::Answer* answer) override {
    SendDue(static_cast<Nanoseconds>(to_ns), answer->mutable_done());
    return absl::OkStatus();
  }

  void Snapshot(dut::Answer* answer) override { BooksSnapshot(path_, answer); }

 private:
  void SendDue(Nanoseconds until, dut::Done* done) {
    while (path_.AckDue() <= until) SendOne(path_.AckDue(), done);
  }

  void SendOne(Nanoseconds at, dut::Done* done) {
    dut::Event* event = done->add_event();
    event->set_at_ns(static_cast<uint64_t>(at));
    const spec::PathBlock block = path_.Block(0, at);
    AddBlock(block, event->mutable_fields()->mutable_field());
    AddNumber("hold", block.hold, event->mutable_fields()->mutable_field());
    path_.Acknowledged();
  }

  ReceivePath path_;
  AckLimits limits_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeReceiveVectorLevel(const dut::Reset& reset) {
  const absl::Status status =
      CheckConfig(vectors::FindBlock("receive-vector")->config, reset.config());
  if (!status.ok()) return status;
  return std::make_unique<ReceiveVectorLevel>(reset);
}

absl::StatusOr<std::unique_ptr<ModelDut::Level>> MakeAckGenerationLevel(const dut::Reset& reset) {
  const absl::Status status =
      CheckConfig(vectors::FindBlock("ack-generation")->config, reset.config());
  if (!status.ok()) return status;
  AckLimits limits;
  limits.every = static_cast<uint32_t>(NumberOr(reset.config(), "ack_every", limits.every));
  limits.delay_max =
      static_cast<Nanoseconds>(NumberOr(reset.config(), "ack_delay_max", limits.delay_max));
  return std::make_unique<AckGenerationLevel>(reset, limits);
}

}  // namespace metaroce::conformance
