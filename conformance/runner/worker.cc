#include "conformance/runner/worker.h"

#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "conformance/framing.h"

namespace metaroce::conformance {
namespace {

// Tells the runner, which always reads. One that is gone is no business of ours any more.
class PipeSink : public SessionSink {
 public:
  explicit PipeSink(int out) : out_(out) {}

  void Connected(const DutInfo& info) override {
    worker::Note note;
    *note.mutable_connected() = ToNote(info);
    Send(note);
  }
  void Played(size_t number, const VectorResult& result) override {
    worker::Note note;
    *note.mutable_played() = ToNote(number, result);
    Send(note);
  }
  void Problem(const std::string& sentence) override {
    worker::Note note;
    note.set_problem(sentence);
    Send(note);
  }
  void Failed(const absl::Status& status) {
    worker::Note note;
    note.mutable_failed()->set_code(static_cast<int32_t>(status.code()));
    note.mutable_failed()->set_message(std::string(status.message()));
    Send(note);
  }
  void Done() {
    worker::Note note;
    note.set_done(true);
    Send(note);
  }

 private:
  void Send(const worker::Note& note) {
    const std::string bytes = Frame(note.SerializeAsString());
    size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count = write(out_, bytes.data() + sent, bytes.size() - sent);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) _exit(1);
      sent += static_cast<size_t>(count);
    }
  }

  const int out_;
};

// Says on the slot since when the device owes an answer.
class WatchedDut : public Dut {
 public:
  WatchedDut(std::unique_ptr<Dut> inner, WorkerSlot& slot)
      : inner_(std::move(inner)), slot_(slot) {}

  absl::Status Start() override {
    const Watch watch(slot_);
    return inner_->Start();
  }
  Fault Ask(const dut::Request& request, dut::Answer* answer) override {
    const Watch watch(slot_);
    return inner_->Ask(request, answer);
  }
  Fault Quiet() override { return inner_->Quiet(); }
  Fault Bye(const dut::Request& bye) override {
    const Watch watch(slot_);
    return inner_->Bye(bye);
  }
  void Kill() override {
    const Watch watch(slot_);
    inner_->Kill();
  }
  std::string LogTail() override { return inner_->LogTail(); }

 private:
  class Watch {
   public:
    explicit Watch(WorkerSlot& slot) : slot_(slot) { slot_.asked.store(MonotonicNow()); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch() { slot_.asked.store(0); }

   private:
    WorkerSlot& slot_;
  };

  const std::unique_ptr<Dut> inner_;
  WorkerSlot& slot_;
};

}  // namespace

int64_t MonotonicNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

void Work(const WorkerTask& task) {
  PipeSink sink(task.out);
  WatchedDut dut(task.make(), task.slot);
  {
    Session session(task.index, task.codec, dut, sink, &task.slot.progress);
    const absl::Status status = session.Connect();
    if (!status.ok()) return sink.Failed(status);
    task.slot.phase.store(WorkerPhase::kPlaying);
    const auto play = [&](uint64_t number) {
      task.slot.progress = Progress();
      task.slot.number.store(static_cast<int64_t>(number));
      session.PlayOne(*task.vectors[number], number);
      task.slot.number.store(-1);
    };
    if (task.first >= 0) play(static_cast<uint64_t>(task.first));
    while (true) {
      const uint64_t number = task.board.next.fetch_add(1);
      if (number >= task.board.end.load()) break;
      play(number);
    }
    task.slot.phase.store(WorkerPhase::kEnding);
    session.End();
  }
  sink.Done();
}

worker::Played ToNote(size_t number, const VectorResult& result) {
  worker::Played note;
  note.set_number(static_cast<uint32_t>(number));
  note.set_verdict(static_cast<int32_t>(result.verdict));
  note.set_text(result.text);
  note.set_nanoseconds(result.nanoseconds);
  const Divergence& divergence = result.divergence;
  note.set_step(divergence.step);
  note.set_clause(divergence.clause);
  note.set_level(divergence.level);
  note.set_received(divergence.received);
  note.set_expected(divergence.expected);
  note.set_got(divergence.got);
  note.set_state(divergence.state);
  for (const Side& side : divergence.sides) {
    worker::Side& out = *note.add_side();
    out.set_field(side.field);
    out.set_expected(side.expected);
    out.set_got(side.got);
    out.set_differs(side.differs);
  }
  for (const Mark& mark : divergence.marks) {
    worker::Mark& out = *note.add_mark();
    out.set_kind(static_cast<int32_t>(mark.kind));
    out.set_at(mark.at);
    out.set_until(mark.until);
    out.set_step(mark.step);
    out.set_lane(mark.lane);
    out.set_text(mark.text);
  }
  return note;
}

VectorResult FromNote(const worker::Played& note) {
  VectorResult result;
  result.verdict = static_cast<Verdict>(note.verdict());
  result.text = note.text();
  result.nanoseconds = note.nanoseconds();
  Divergence& divergence = result.divergence;
  divergence.step = note.step();
  divergence.clause = note.clause();
  divergence.level = note.level();
  divergence.received = note.received();
  divergence.expected = note.expected();
  divergence.got = note.got();
  divergence.state = note.state();
  for (const worker::Side& side : note.side()) {
    divergence.sides.push_back({side.field(), side.expected(), side.got(), side.differs()});
  }
  for (const worker::Mark& mark : note.mark()) {
    divergence.marks.push_back({static_cast<Mark::Kind>(mark.kind()), mark.at(), mark.until(),
                                mark.step(), mark.lane(), mark.text()});
  }
  return result;
}

worker::Connected ToNote(const DutInfo& info) {
  worker::Connected note;
  note.set_name(info.name);
  note.set_version(info.version);
  note.set_spec_hash(info.spec_hash);
  for (const std::string& name : info.capabilities) note.add_capability(name);
  for (const auto& [name, value] : info.profile) (*note.mutable_profile())[name] = value;
  return note;
}

DutInfo FromNote(const worker::Connected& note) {
  DutInfo info;
  info.name = note.name();
  info.version = note.version();
  info.spec_hash = note.spec_hash();
  info.capabilities = {note.capability().begin(), note.capability().end()};
  info.profile = {note.profile().begin(), note.profile().end()};
  return info;
}

}  // namespace metaroce::conformance
