#include "conformance/dut/child_dut.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/dut/processes.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Printable;
using vectors::Shorten;

constexpr size_t kReadBytes = size_t{1} << 16;
// How long we wait to learn how a device ended whose output is at its end.
constexpr std::chrono::milliseconds kObituary{500};

// A write to a pipe that nobody reads must be an error and not a signal to our whole process.
class BlockSigpipe {
 public:
  BlockSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
  }
  BlockSigpipe(const BlockSigpipe&) = delete;
  BlockSigpipe& operator=(const BlockSigpipe&) = delete;
  ~BlockSigpipe() {
    const timespec zero = {0, 0};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &zero) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t old_;
  bool was_pending_;
};

struct Pipe {
  int read = -1;
  int write = -1;
};

absl::Status MakePipe(Pipe* pipe) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "A pipe cannot be made");
  *pipe = {ends[0], ends[1]};
  return absl::OkStatus();
}

void Close(int* fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

void Close(Pipe* pipe) {
  Close(&pipe->read);
  Close(&pipe->write);
}

void MakeNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

std::string Begins(absl::string_view bytes) {
  return absl::StrCat("it begins with \"", Printable(bytes.substr(0, 24)), "\"");
}

// The devices of this process that run now. What else it has for children when one of them ends,
// and did not have before any of them began, a device left behind.
class Devices {
 public:
  static Devices& Get() {
    static Devices* const kDevices = new Devices;
    return *kDevices;
  }

  absl::Status Begin(const std::vector<std::string>& command, int in, int out, int err,
                     pid_t* pid) {
    const std::lock_guard<std::mutex> lock(mutex_);
    AdoptOrphans();
    if (running_.empty()) others_ = Children();
    const absl::StatusOr<pid_t> spawned = Spawn(command, in, out, err);
    if (!spawned.ok()) {
      return absl::Status(spawned.status().code(), absl::StrCat("The DUT \"", Printable(command[0]),
                                                                "\" ", spawned.status().message()));
    }
    *pid = *spawned;
    running_.insert(*pid);
    return absl::OkStatus();
  }

  void End(pid_t pid) {
    const std::lock_guard<std::mutex> lock(mutex_);
    running_.erase(pid);
    std::set<pid_t> spared = others_;
    spared.insert(running_.begin(), running_.end());
    EndChildrenBut(spared);
  }

 private:
  std::mutex mutex_;
  std::set<pid_t> running_;
  std::set<pid_t> others_;
};

}  // namespace

ChildDut::ChildDut(ChildOptions options) : options_(std::move(options)) {}

ChildDut::~ChildDut() { Kill(); }

absl::Status ChildDut::Start() {
  Kill();
  if (options_.command.empty()) {
    return absl::InvalidArgumentError("No command is given that starts the DUT.");
  }
  const absl::Status opened = log_.Open(options_.log_path);
  if (!opened.ok()) return opened;
  Pipe in;
  Pipe out;
  Pipe err;
  absl::Status status = MakePipe(&in);
  if (status.ok()) status = MakePipe(&out);
  if (status.ok()) status = MakePipe(&err);
  if (status.ok()) {
    status = Devices::Get().Begin(options_.command, in.read, out.write, err.write, &pid_);
  }
  if (!status.ok()) {
    Close(&in);
    Close(&out);
    Close(&err);
    return status;
  }
  Close(&in.read);
  Close(&out.write);
  Close(&err.write);
  in_ = in.write;
  out_ = out.read;
  err_ = err.read;
  for (const int fd : {in_, out_, err_}) MakeNonBlocking(fd);
  reader_.Clear();
  log_.Forget();
  fresh_ = true;
  return absl::OkStatus();
}

void ChildDut::CloseAll() {
  Close(&in_);
  Close(&out_);
  Close(&err_);
}

void ChildDut::Kill() {
  if (pid_ == 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);  // it may have left the group
  // What it wrote to its log before is worth reading; the pipe holds 64 KiB of it at most.
  ReadLog();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  Devices::Get().End(pid_);
  pid_ = 0;
  CloseAll();
}

bool ChildDut::Reap(Clock::time_point deadline, int* status) {
  while (true) {
    siginfo_t info;
    info.si_pid = 0;
    // It stays a zombie until Kill has ended its group: no other can take over the number.
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == pid_) {
      *status = info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0)
                                           : W_EXITCODE(0, info.si_status);
      return true;
    }
    if (Clock::now() >= deadline) return false;
    // It may wait for room in its log before it ends.
    pollfd fd = {err_, POLLIN, 0};
    if (poll(&fd, 1, 1) > 0) ReadLog();
  }
}

Fault ChildDut::Died(absl::string_view when) {
  int status = 0;
  const bool ended = Reap(Clock::now() + kObituary, &status);
  const std::string half = reader_.size() == 0
                               ? ""
                               : absl::StrCat(", after ", reader_.size(), " bytes of a message of ",
                                              reader_.announced() + kLengthBytes);
  Kill();
  return {FaultKind::kDied, absl::StrCat("The DUT ", ended ? HowItEnded(status) : "closed a stream",
                                         " ", when, half, ".")};
}

void ChildDut::ReadLog() {
  char buffer[kReadBytes];
  if (err_ < 0) return;
  const ssize_t count = read(err_, buffer, sizeof buffer);
  if (count > 0) {
    log_.Keep(absl::string_view(buffer, static_cast<size_t>(count)));
  } else if (count == 0) {
    Close(&err_);
  }
}

bool ChildDut::ReadOutput() {
  char buffer[kReadBytes];
  const ssize_t count = read(out_, buffer, sizeof buffer);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  reader_.Append(absl::string_view(buffer, static_cast<size_t>(count)));
  return count > 0;
}

bool ChildDut::Wait(bool want_write, Clock::time_point deadline, short* in_ready,
                    short* out_ready) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  if (left < 0) return false;
  pollfd fds[3] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}, {want_write ? in_ : -1, POLLOUT, 0}};
  const int count = poll(fds, 3, static_cast<int>(std::min<int64_t>(left, 1000)));
  *out_ready = fds[0].revents;
  *in_ready = fds[2].revents;
  if (count > 0 && fds[1].revents != 0) ReadLog();
  return true;
}

bool ChildDut::TakeAnswer(std::string* message, Fault* fault) {
  switch (reader_.Next(message)) {
    case FrameReader::Result::kPartial:
      return false;
    case FrameReader::Result::kTooLong:
      *fault = {
          FaultKind::kGarbage,
          absl::StrCat("The DUT announced an answer of ", reader_.announced(), " bytes, above ",
                       kMaxMessageBytes, " (", Begins(reader_.buffer()), ").")};
      return true;
    case FrameReader::Result::kMessage:
      break;
  }
  if (reader_.size() > 0) {
    *fault = {FaultKind::kGarbage,
              absl::StrCat("The DUT wrote ", reader_.size(), " bytes or more behind its answer (",
                           Begins(reader_.buffer()), ").")};
  }
  return true;
}

Fault ChildDut::Exchange(const std::string& out, std::string* message) {
  const auto timeout = fresh_ ? options_.start_timeout : options_.answer_timeout;
  const Clock::time_point deadline = Clock::now() + timeout;
  const BlockSigpipe no_signal;
  size_t written = 0;
  Fault fault;
  while (true) {
    short in_ready = 0;
    short out_ready = 0;
    if (!Wait(written < out.size(), deadline, &in_ready, &out_ready)) break;
    if (in_ready != 0) {
      const ssize_t count = write(in_, out.data() + written, out.size() - written);
      if (count > 0) written += static_cast<size_t>(count);
      if (count < 0 && errno != EAGAIN && errno != EINTR) {
        return Died("before it had read a request");
      }
    }
    if (out_ready == 0) continue;
    const bool open = ReadOutput();
    if (written == out.size() && TakeAnswer(message, &fault)) return fault;
    if (reader_.size() > kMaxMessageBytes + kLengthBytes) {
      return {FaultKind::kGarbage, absl::StrCat("The DUT wrote ", reader_.size(),
                                                " bytes before it had read a request (",
                                                Begins(reader_.buffer()), ").")};
    }
    if (!open) return Died("before it answered");
  }
  int status = 0;
  if (Reap(Clock::now(), &status)) return Died("before it answered");
  const std::string got = reader_.size() == 0
                              ? "no byte of it"
                              : absl::StrCat(reader_.size(), " bytes of a message of ",
                                             reader_.announced() + kLengthBytes);
  return {FaultKind::kHung,
          absl::StrCat("The DUT gave no answer within ", timeout.count(), " ms: ", got, " came.")};
}

Fault ChildDut::Ask(const dut::Request& request, dut::Answer* answer) {
  if (pid_ == 0) return {FaultKind::kDied, "The DUT does not run."};
  std::string message;
  Fault fault = Exchange(Frame(request.SerializeAsString()), &message);
  if (!fault.ok()) return fault;
  fresh_ = false;
  if (!answer->ParseFromString(message)) {
    return {FaultKind::kGarbage,
            absl::StrCat("The DUT answered with ", message.size(), " bytes that are no Answer (",
                         Begins(message), ").")};
  }
  if (answer->id() != request.id()) {
    return {FaultKind::kGarbage, absl::StrCat("The DUT answered request ", answer->id(),
                                              " when it was asked request ", request.id(), ".")};
  }
  return {};
}

Fault ChildDut::Quiet() {
  if (pid_ == 0) return {};
  ReadLog();
  pollfd fd = {out_, POLLIN, 0};
  if (poll(&fd, 1, 0) <= 0) return {};
  if (!ReadOutput() && reader_.size() == 0) return Died("after its last answer");
  if (reader_.size() == 0) return {};
  return {FaultKind::kGarbage,
          absl::StrCat("The DUT wrote ", reader_.size(),
                       " bytes or more that nobody asked for after its last answer (",
                       Begins(reader_.buffer()), ").")};
}

//= CONF-BYE
//# The DUT answers and ends with the exit status 0; one that does not makes the run fail, whatever
//# the verdicts.
Fault ChildDut::Bye(const dut::Request& bye) {
  if (pid_ == 0) return {};
  dut::Answer answer;
  Fault fault = Ask(bye, &answer);
  if (fault.ok() && !answer.has_done()) {
    fault = {FaultKind::kGarbage, "The DUT did not answer Bye with Done."};
  }
  if (fault.ok()) {
    Close(&in_);
    int status = 0;
    if (!Reap(Clock::now() + options_.exit_timeout, &status)) {
      fault = {FaultKind::kHung, absl::StrCat("The DUT did not end within ",
                                              options_.exit_timeout.count(), " ms after Bye.")};
    } else if (status != 0) {
      fault = {FaultKind::kDied, absl::StrCat("The DUT ", HowItEnded(status), " after Bye.")};
    } else if (ReadOutput() && reader_.size() > 0) {
      fault = {FaultKind::kGarbage, absl::StrCat("The DUT wrote ", reader_.size(),
                                                 " bytes or more behind its answer to Bye (",
                                                 Begins(reader_.buffer()), ").")};
    }
  }
  Kill();
  return fault;
}

}  // namespace metaroce::conformance
