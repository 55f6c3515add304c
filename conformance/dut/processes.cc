#include "conformance/dut/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace metaroce::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{1000};
constexpr int kNotStarted = 127;
// Descriptors below belong to the standard streams.
constexpr int kFirstFree = 3;

// What runs between fork and exec: calls that are safe there, and no memory is taken.
[[noreturn]] void Become(char* const* arguments, const int (&streams)[3], pid_t parent,
                         int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotStarted);  // the parent ended before that took hold
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int caught : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) signal(caught, SIG_DFL);
  int moved[3];
  for (int i = 0; i < 3; ++i) moved[i] = fcntl(streams[i], F_DUPFD_CLOEXEC, kFirstFree);
  for (int i = 0; i < 3; ++i) dup2(moved[i], i);
  execvp(arguments[0], arguments);
  const int error = errno;
  [[maybe_unused]] const ssize_t count = write(report, &error, sizeof error);
  _exit(kNotStarted);
}

// What a user can do about it.
absl::Status NotStarted(const std::string& program, int error) {
  constexpr absl::string_view kFailed = "cannot be started";
  struct stat file;
  const bool there = stat(program.c_str(), &file) == 0;
  const bool searched = program.find('/') == std::string::npos;
  if (error == ENOENT && searched) {
    return absl::NotFoundError(
        absl::StrCat(kFailed, ": a name without / is searched on PATH, which has none such",
                     there ? absl::StrCat("; the file here is ./", program) : ""));
  }
  if (error == ENOENT && there) {
    return absl::NotFoundError(absl::StrCat(kFailed, ": what its #! names is not there"));
  }
  if (error == EACCES && there && S_ISREG(file.st_mode)) {
    return absl::PermissionDeniedError(
        absl::StrCat(kFailed,
                     ": the file is not executable (chmod +x, or give it to its "
                     "interpreter)"));
  }
  return absl::ErrnoToStatus(error, kFailed);
}

// The parent of the process with this number, by /proc; nothing if there is none such.
std::optional<pid_t> ParentOf(absl::string_view pid) {
  const int fd = open(absl::StrCat("/proc/", pid, "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  char buffer[512];
  const ssize_t count = read(fd, buffer, sizeof buffer);
  close(fd);
  if (count <= 0) return std::nullopt;
  // "12 (name) S 11 ...": the name may hold anything.
  absl::string_view text(buffer, static_cast<size_t>(count));
  const size_t close_at = text.rfind(')');
  if (close_at == absl::string_view::npos || close_at + 4 > text.size()) return std::nullopt;
  text.remove_prefix(close_at + 4);
  pid_t parent = 0;
  if (!absl::SimpleAtoi(text.substr(0, text.find(' ')), &parent)) return std::nullopt;
  return parent;
}

}  // namespace

absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& command, int in, int out, int err) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  // An exec that succeeds closes it; one that fails writes why.
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    return absl::ErrnoToStatus(errno, "cannot be started: no pipe can be made");
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    const int streams[3] = {in, out, err};
    const int report_at = fcntl(report[1], F_DUPFD_CLOEXEC, kFirstFree);
    Become(arguments.data(), streams, parent, report_at);
  }
  const int fork_error = errno;
  close(report[1]);
  int error = pid < 0 ? fork_error : 0;
  if (pid > 0) {
    ssize_t count = 0;
    while ((count = read(report[0], &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (count != sizeof error) error = 0;
    if (error != 0) {
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
  close(report[0]);
  if (error != 0) return NotStarted(command.front(), error);
  return pid;
}

std::string HowItEnded(int status) {
  if (WIFEXITED(status)) return absl::StrCat("ended with exit status ", WEXITSTATUS(status));
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return absl::StrCat("was ended by signal ", number, " (", strsignal(number), ")");
  }
  return "ended";
}

void AdoptOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::set<pid_t> Children() {
  std::set<pid_t> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), &closedir);
  if (folder == nullptr) return out;
  const pid_t self = getpid();
  while (const dirent* entry = readdir(folder.get())) {
    pid_t pid = 0;
    if (absl::SimpleAtoi(entry->d_name, &pid) && ParentOf(entry->d_name) == self) out.insert(pid);
  }
  return out;
}

void EndChildrenBut(const std::set<pid_t>& spared) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (true) {
    // A process that ends leaves its own children to us: they are found in the next round.
    bool any = false;
    for (const pid_t pid : Children()) {
      if (spared.count(pid) > 0) continue;
      any = true;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, WNOHANG);
    }
    if (!any || Clock::now() >= deadline) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace metaroce::conformance
