#include "conformance/runner/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/dut/device_log.h"
#include "conformance/dut/processes.h"
#include "conformance/framing.h"
#include "conformance/runner/worker.h"

namespace metaroce::conformance {
namespace {

// How often a device that ends when it comes up is started again; one that hangs is not.
constexpr int kStarts = 3;
// How long a device may be overdue before that is noticed, and an interruption too.
constexpr int kTickMs = 20;
// How long results are left to gather once one is there: each look at them takes time from a device
// that shares the processor.
constexpr int kGatherMs = 1;
constexpr size_t kReadBytes = size_t{1} << 16;

// The part of memory that runner and workers share.
class Shared {
 public:
  explicit Shared(size_t jobs)
      : bytes_(sizeof(WorkerBoard) + jobs * sizeof(WorkerSlot) + alignof(WorkerSlot)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) return;
    board_ = new (memory_) WorkerBoard;
    const size_t at = (sizeof(WorkerBoard) + alignof(WorkerSlot) - 1) / alignof(WorkerSlot);
    slots_ = reinterpret_cast<WorkerSlot*>(static_cast<char*>(memory_) + at * alignof(WorkerSlot));
    for (size_t i = 0; i < jobs; ++i) new (&slots_[i]) WorkerSlot;
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }

  bool ok() const { return memory_ != MAP_FAILED; }
  WorkerBoard& board() { return *board_; }
  WorkerSlot& slot(size_t i) { return slots_[i]; }

 private:
  size_t bytes_;
  void* memory_ = MAP_FAILED;
  WorkerBoard* board_ = nullptr;
  WorkerSlot* slots_ = nullptr;
};

// A worker as the runner sees it.
struct Child {
  pid_t pid = 0;  // 0: none
  int notes = -1;
  int log = -1;
  FrameReader reader;
  bool connected = false;
  bool done = false;
  std::string overdue;  // why it was ended by the runner, in a sentence
  int starts = 0;       // in a row without an answer to Hello
  int64_t first = -1;   // a vector that it is to play again
  // The latest vector that this process played to its end.
  int64_t previous = -1;
  bool previous_failed = false;
};

// True if the process ended; it stays a zombie, so that no other takes over its number.
bool HasEnded(pid_t pid) {
  siginfo_t info;
  info.si_pid = 0;
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid != 0;
}

void Close(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

bool Pipe(int (&ends)[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK);
  return true;
}

// Reads all that is there; false at the end of the stream.
template <typename Take>
bool Drain(int fd, Take take) {
  char buffer[kReadBytes];
  while (true) {
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    take(absl::string_view(buffer, static_cast<size_t>(count)));
  }
}

VectorResult Unplayed(std::string why) {
  VectorResult result;
  result.verdict = Verdict::kHarnessError;
  result.text = std::move(why);
  return result;
}

class Crew {
 public:
  Crew(const std::vector<const vectors::StoredVector*>& vectors, const vectors::SpecIndex& index,
       const PacketCodec* codec, const MakeDut& make, const WorkerOptions& options,
       SessionSink& sink)
      : vectors_(vectors),
        index_(index),
        codec_(codec),
        make_(make),
        options_(options),
        sink_(sink),
        shared_(Jobs(options, vectors)),
        children_(Jobs(options, vectors)) {}

  WorkersEnd Run();

 private:
  static size_t Jobs(const WorkerOptions& options,
                     const std::vector<const vectors::StoredVector*>& vectors) {
    return std::max<size_t>(
        1, std::min<size_t>(static_cast<size_t>(std::max(options.jobs, 1)), vectors.size()));
  }

  bool Begin(size_t i, int64_t first);
  [[noreturn]] void Become(size_t i, int64_t first, int notes, int log, pid_t parent);
  bool Alive() const {
    return std::any_of(children_.begin(), children_.end(),
                       [](const Child& child) { return child.pid != 0; });
  }
  void Wait();
  void Read(size_t i);
  void Take(size_t i, const worker::Note& note);
  void Judge(size_t number, const VectorResult& result);
  void EndOverdue();
  void Ended(size_t i);
  void Lost(size_t i, const Fault& fault);
  void NeverUp(size_t i, const Fault& fault);
  void GiveUp(const std::string& why);
  void KillAll();

  const std::vector<const vectors::StoredVector*>& vectors_;
  const vectors::SpecIndex& index_;
  const PacketCodec* const codec_;
  const MakeDut& make_;
  const WorkerOptions& options_;
  SessionSink& sink_;

  Shared shared_;
  std::vector<Child> children_;
  std::set<pid_t> others_;  // processes that are none of ours
  DeviceLog log_;
  bool told_ = false;  // who the device is
  DutInfo info_;
  WorkersEnd end_;
  // A vector that a device lost before it answered anything, and the vector before it, which has
  // the blame if another device plays the former.
  struct Suspicion {
    int64_t before;
    Fault fault;
  };
  std::map<size_t, Suspicion> suspicions_;
};

// --- the worker's process

void Crew::Become(size_t i, int64_t first, int notes, int log, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setpgid(0, 0);  // a key that interrupts the runner is not for us
  for (const int caught : {SIGINT, SIGTERM, SIGHUP}) signal(caught, SIG_DFL);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, 0);
  if (options_.isolated) {
    // What a library prints must not come between the lines of the report.
    dup2(log, 1);
    dup2(log, 2);
  }
  Work({vectors_, index_, codec_, make_, shared_.board(), shared_.slot(i), first, notes});
  _exit(0);
}

// --- the runner's process

bool Crew::Begin(size_t i, int64_t first) {
  int notes[2];
  int log[2];
  if (!Pipe(notes)) return false;
  if (!Pipe(log)) {
    close(notes[0]);
    close(notes[1]);
    return false;
  }
  WorkerSlot& slot = shared_.slot(i);
  slot.asked = 0;
  slot.phase = WorkerPhase::kStarting;
  slot.number = -1;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) Become(i, first, notes[1], log[1], parent);
  close(notes[1]);
  close(log[1]);
  if (pid < 0) {
    close(notes[0]);
    close(log[0]);
    return false;
  }
  Child& child = children_[i];
  const int starts = child.starts;
  child = Child();
  child.pid = pid;
  child.notes = notes[0];
  child.log = log[0];
  child.starts = starts + 1;
  child.first = first;
  return true;
}

void Crew::Judge(size_t number, const VectorResult& result) {
  sink_.Played(number, result);
  if (options_.stops && options_.stops(number, result)) {
    WorkerBoard& board = shared_.board();
    board.end = std::min<uint64_t>(board.end, number + 1);
  }
}

void Crew::Take(size_t i, const worker::Note& note) {
  Child& child = children_[i];
  switch (note.kind_case()) {
    case worker::Note::kConnected:
      child.connected = true;
      child.starts = 0;
      info_ = FromNote(note.connected());
      if (!std::exchange(told_, true)) sink_.Connected(info_);
      break;
    case worker::Note::kPlayed: {
      const size_t number = note.played().number();
      if (number >= vectors_.size()) break;
      const auto suspicion = suspicions_.find(number);
      if (suspicion != suspicions_.end()) {
        const Suspicion found = suspicion->second;
        suspicions_.erase(suspicion);
        const size_t before = static_cast<size_t>(found.before);
        Judge(before, ChargedAfterwards(vectors_[before]->vector, index_, found.fault));
      }
      const VectorResult result = FromNote(note.played());
      child.previous = static_cast<int64_t>(number);
      child.previous_failed = result.verdict == Verdict::kFail;
      Judge(number, result);
      break;
    }
    case worker::Note::kProblem:
      sink_.Problem(note.problem());
      break;
    case worker::Note::kFailed:
      if (end_.status.ok()) {
        end_.status = absl::Status(static_cast<absl::StatusCode>(note.failed().code()),
                                   note.failed().message());
      }
      child.done = true;
      break;
    case worker::Note::kDone:
      child.done = true;
      break;
    case worker::Note::KIND_NOT_SET:
      break;
  }
}

void Crew::Read(size_t i) {
  Child& child = children_[i];
  // What a device leaves behind may hold the pipe open: the end of the worker counts. All that it
  // wrote before is there by then.
  const bool ended = HasEnded(child.pid);
  if (child.log >= 0 && !Drain(child.log, [&](absl::string_view bytes) { log_.Keep(bytes); })) {
    Close(&child.log);
  }
  const bool open =
      Drain(child.notes, [&](absl::string_view bytes) { child.reader.Append(bytes); });
  std::string message;
  while (child.reader.Next(&message) == FrameReader::Result::kMessage) {
    worker::Note note;
    if (note.ParseFromString(message)) Take(i, note);
  }
  if (!open || ended) Ended(i);
}

// The worker with that index is gone, or will be in a moment; all that it told was read.
void Crew::Ended(size_t i) {
  Child& child = children_[i];
  // A device may have closed the stream and live on.
  if (options_.isolated || !child.done) {
    for (int ms = 0; ms < 100 && !HasEnded(child.pid); ++ms) poll(nullptr, 0, 1);
    kill(-child.pid, SIGKILL);
    kill(child.pid, SIGKILL);
  }
  int status = 0;
  while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (child.log >= 0) Drain(child.log, [&](absl::string_view bytes) { log_.Keep(bytes); });
  Close(&child.log);
  Close(&child.notes);
  child.pid = 0;
  std::set<pid_t> spared = others_;
  for (const Child& other : children_) spared.insert(other.pid);
  EndChildrenBut(spared);
  if (child.done) return;
  Fault fault = {FaultKind::kDied, absl::StrCat("The DUT ", HowItEnded(status))};
  if (!child.overdue.empty()) fault = {FaultKind::kHung, child.overdue};
  Lost(i, fault);
}

// The worker ended before all was told.
void Crew::Lost(size_t i, const Fault& fault) {
  Child& child = children_[i];
  const WorkerSlot& slot = shared_.slot(i);
  const WorkerPhase phase = slot.phase;
  const int64_t number = slot.number;
  if (!options_.isolated) {
    const VectorResult result =
        Unplayed(absl::StrCat("The runner's worker broke: ", fault.text, "."));
    if (number >= 0) Judge(static_cast<size_t>(number), result);
    if (number < 0) sink_.Problem(result.text);
    if (shared_.board().next < shared_.board().end) Begin(i, -1);
    return;
  }
  const bool hung = fault.kind == FaultKind::kHung;
  const std::string log = log_.LastLine();
  const auto told = [&](absl::string_view when) {
    return Fault{fault.kind, absl::StrCat(fault.text, hung ? "" : absl::StrCat(" ", when, "."),
                                          log.empty() ? "" : absl::StrCat(" Its log: ", log))};
  };
  log_.Forget();
  if (phase == WorkerPhase::kStarting) return NeverUp(i, told("before it answered"));
  if (phase == WorkerPhase::kEnding) {
    return sink_.Problem(absl::StrCat(told("when it was closed").text, " (CONF-BYE)"));
  }
  int64_t again = -1;
  if (number >= 0) {
    const size_t lost = static_cast<size_t>(number);
    const PlayResult broken = Broken(vectors_[lost]->vector, info_, index_, codec_, slot.progress,
                                     told("before it answered"));
    if (!broken.answered && child.previous >= 0 && !child.previous_failed &&
        suspicions_.count(lost) == 0) {
      suspicions_[lost] = {child.previous, told("after its last answer")};
      again = number;
    } else {
      suspicions_.erase(lost);
      Judge(lost, VerdictOf(broken));
    }
  }
  if (again >= 0 || shared_.board().next < shared_.board().end) Begin(i, again);
}

// A device ended, or hung, before it answered Hello.
void Crew::NeverUp(size_t i, const Fault& fault) {
  const bool others_work = std::any_of(children_.begin(), children_.end(), [](const Child& child) {
    return child.pid != 0 && child.connected;
  });
  const int64_t first = children_[i].first;
  if (fault.kind != FaultKind::kHung && children_[i].starts < kStarts) {
    Begin(i, first);
    return;
  }
  const std::string why = absl::StrCat("The DUT does not answer Hello: ", fault.text);
  if (!others_work) return GiveUp(why);
  // They play what is left.
  if (first >= 0 && suspicions_.erase(static_cast<size_t>(first)) > 0) {
    Judge(static_cast<size_t>(first), Unplayed(why));
  }
}

// Nobody is left to play what is left.
void Crew::GiveUp(const std::string& why) {
  WorkerBoard& board = shared_.board();
  const VectorResult result = Unplayed(why);
  for (const auto& [number, suspicion] : std::exchange(suspicions_, {})) Judge(number, result);
  while (board.next < board.end) Judge(board.next++, result);
}

// Ends devices that owe an answer for too long.
void Crew::EndOverdue() {
  if (!options_.isolated) return;
  const int64_t now = MonotonicNow();
  for (size_t i = 0; i < children_.size(); ++i) {
    Child& child = children_[i];
    const WorkerSlot& slot = shared_.slot(i);
    const int64_t asked = slot.asked;
    if (child.pid == 0 || asked == 0 || !child.overdue.empty()) continue;
    const WorkerPhase phase = slot.phase;
    const auto timeout = phase == WorkerPhase::kStarting  ? options_.start_timeout
                         : phase == WorkerPhase::kPlaying ? options_.answer_timeout
                                                          : options_.exit_timeout;
    if (now - asked < std::chrono::nanoseconds(timeout).count()) continue;
    child.overdue =
        absl::StrCat("The DUT ", phase == WorkerPhase::kEnding ? "did not close" : "gave no answer",
                     " within ", timeout.count(), " ms.");
    kill(child.pid, SIGKILL);
  }
}

void Crew::Wait() {
  std::vector<pollfd> fds;
  for (const Child& child : children_) {
    if (child.pid == 0) continue;
    fds.push_back({child.notes, POLLIN, 0});
    fds.push_back({child.log, POLLIN, 0});
  }
  if (poll(fds.data(), fds.size(), kTickMs) > 0) poll(nullptr, 0, kGatherMs);
}

void Crew::KillAll() {
  for (Child& child : children_) {
    if (child.pid == 0) continue;
    kill(-child.pid, SIGKILL);
    kill(child.pid, SIGKILL);
    while (waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    Close(&child.notes);
    Close(&child.log);
    child.pid = 0;
  }
  // What their devices left behind came to us.
  EndChildrenBut(others_);
}

WorkersEnd Crew::Run() {
  if (!shared_.ok()) {
    end_.status = absl::ResourceExhaustedError("There is no memory to share with workers.");
    return end_;
  }
  end_.status = log_.Open(options_.log_path);
  if (!end_.status.ok()) return end_;
  AdoptOrphans();
  others_ = Children();
  shared_.board().end = vectors_.size();
  for (size_t i = 0; i < children_.size(); ++i) {
    if (Begin(i, -1)) continue;
    end_.status = absl::ErrnoToStatus(errno, "A worker cannot be started");
    break;
  }
  while (Alive() && end_.status.ok()) {
    if (options_.interrupted && options_.interrupted()) {
      end_.interrupted = true;
      break;
    }
    Wait();
    for (size_t i = 0; i < children_.size(); ++i) {
      if (children_[i].pid != 0) Read(i);
    }
    EndOverdue();
  }
  if (!end_.interrupted && end_.status.ok()) GiveUp("No worker can be started any more.");
  KillAll();
  end_.played_below = shared_.board().end;
  return end_;
}

}  // namespace

WorkersEnd RunWorkers(const std::vector<const vectors::StoredVector*>& vectors,
                      const vectors::SpecIndex& index, const PacketCodec* codec,
                      const MakeDut& make, const WorkerOptions& options, SessionSink& sink) {
  return Crew(vectors, index, codec, make, options, sink).Run();
}

}  // namespace metaroce::conformance
