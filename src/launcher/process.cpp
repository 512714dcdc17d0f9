/// Child processes. In the foreground the job shares the terminal: signals that were sent to Mora alone are forwarded,
/// those of the terminal reach the job by themselves.
#include "launcher/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

extern char** environ;

namespace mora::launcher {
namespace {

std::vector<std::string> merged_environment(const Environment& changes) {
  std::vector<std::string> all;
  for (char** e = environ; *e != nullptr; ++e) {
    bool replaced = false;
    for (const auto& [name, value] : changes)
      if (std::strncmp(*e, name.c_str(), name.size()) == 0 && (*e)[name.size()] == '=') replaced = true;
    if (!replaced) all.emplace_back(*e);
  }
  for (const auto& [name, value] : changes) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (auto& w : words) out.push_back(w.data());
  out.push_back(nullptr);
  return out;
}

Outcome outcome_of(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status)};
}

std::atomic<pid_t> foreground_child{0};
std::atomic<int> stopped_by{0};
std::atomic<int> told_of_user_signal{-1};  ///< a file; -1: SIGUSR1 is the child's

void forward(int signal_number, siginfo_t* info, void*) {
  if (const int file = told_of_user_signal.load(); signal_number == SIGUSR1 && file >= 0) {
    const int before = errno;
    const std::uint64_t one = 1;
    if (write(file, &one, sizeof one) < 0) { /* it has been told very often */
    }
    errno = before;
    return;
  }
  const pid_t child = foreground_child.load();
  const bool from_terminal = info != nullptr && info->si_code == SI_KERNEL;  // the child has it already
  if (child > 0 && !from_terminal) kill(child, signal_number);
  int none = 0;
  if (signal_number != SIGUSR1 && signal_number != SIGUSR2) stopped_by.compare_exchange_strong(none, signal_number);
}

constexpr std::array forwarded_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Whether a child of the process runs still; one that has ended and is not waited for does not.
bool has_running_child(pid_t parent) {
  std::error_code failed;  // the process may end meanwhile
  for (std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", parent), failed), end;
       !failed && thread != end; thread.increment(failed)) {
    std::ifstream children(thread->path() / "children");
    for (pid_t child = 0; children >> child;) {
      std::ifstream stat(fmt::format("/proc/{}/stat", child));
      std::string text;
      std::getline(stat, text);
      const auto name_end = text.rfind(") ");
      if (name_end != std::string::npos && text[name_end + 2] != 'Z') return true;
    }
  }
  return false;
}

/// Waits for the job. A launcher that was told to end, and all of whose processes have ended since, ends within a
/// moment or never (mpirun of Open MPI 4.1 may wait in PMIx_server_finalize for a thread of its own): what was recorded
/// must not be lost to that, so that it is killed. One that had no processes of its own then is waited for: they may be
/// on other nodes.
Outcome wait_for_job(pid_t pid, int patience) {
  bool had_children = false, is_told = false, is_stuck = false;
  const int file = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  for (int alone = 0; file >= 0 && patience > 0 && !is_stuck;) {
    pollfd ended{file, POLLIN, 0};
    const int events = poll(&ended, 1, 1000);
    if (events > 0 || (events < 0 && errno != EINTR)) break;
    const bool has_children = has_running_child(pid);
    if (stopped_by == 0) {
      had_children = has_children;
    } else if (!is_told || events < 0) {  // the signal may have come between two looks
      had_children |= has_children;
      is_told = true;
    } else {
      alone = had_children && !has_children ? alone + 1 : 0;
    }
    is_stuck = alone == patience && kill(pid, SIGKILL) == 0;
  }
  if (file >= 0) close(file);
  Outcome outcome = outcome_of(wait_for(pid));
  if (is_stuck && outcome.signal == SIGKILL) outcome = {128 + stopped_by, stopped_by, 0, true};
  outcome.stopped_by = stopped_by;
  return outcome;
}

tl::unexpected<Error> cannot_start(const std::string& program, int error_number) {
  return fail(ErrorKind::usage, "cannot start the program", program, system_reason(error_number),
              "check the spelling, PATH and the execute permission");
}

}  // namespace

std::string find_program(const std::string& name) {
  auto executable = [](const std::string& path) {
    struct stat s {};
    return stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return executable(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::string all = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  for (std::size_t at = 0; at <= all.size();) {
    const auto end = std::min(all.find(':', at), all.size());
    const auto directory = all.substr(at, end - at);
    auto candidate = (directory.empty() ? "." : directory) + "/" + name;
    if (!name.empty() && executable(candidate)) return candidate;
    at = end + 1;
  }
  return "";
}

std::string spelling_help(const std::string& name) {
  std::string help = "check the spelling";
  if (name.find('/') == std::string::npos) help += "; a program in this directory is written ./" + name;
  return help;
}

Result<Outcome> run_in_foreground(const std::vector<std::string>& command, const Environment& environment,
                                  int user_signal_to, int patience) {
  auto words = command;
  auto variables = merged_environment(environment);
  auto argv = pointers(words);
  auto envp = pointers(variables);

  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  std::array<struct sigaction, forwarded_signals.size()> previous{};
  sigset_t defaults;
  sigemptyset(&defaults);
  for (std::size_t i = 0; i < forwarded_signals.size(); ++i) {
    sigaction(forwarded_signals[i], nullptr, &previous[i]);
    if (previous[i].sa_handler == SIG_IGN) continue;  // nohup: stays ignored, for the child too
    sigaddset(&defaults, forwarded_signals[i]);
    sigaction(forwarded_signals[i], &action, nullptr);
  }
  stopped_by = 0;
  told_of_user_signal = user_signal_to;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t pid = 0;
  const int error_number = posix_spawnp(&pid, argv[0], nullptr, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  Outcome outcome;
  if (error_number == 0) {
    foreground_child = pid;
    if (const int early = stopped_by; early != 0) kill(pid, early);  // it came while the job was started
    outcome = wait_for_job(pid, patience);
    foreground_child = 0;
  }
  for (std::size_t i = 0; i < forwarded_signals.size(); ++i) sigaction(forwarded_signals[i], &previous[i], nullptr);
  told_of_user_signal = -1;
  if (error_number != 0) return cannot_start(command.front(), error_number);
  return outcome;
}

Result<std::pair<std::string, Outcome>> capture(const std::vector<std::string>& command,
                                                const Environment& environment) {
  auto words = command;
  auto variables = merged_environment(environment);
  auto argv = pointers(words);
  auto envp = pointers(variables);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fail(ErrorKind::system, "cannot make a pipe", command.front(), system_reason(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error_number = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string out;
  if (error_number == 0) {
    std::array<char, 4096> buffer;
    for (;;) {
      const auto n = read(ends[0], buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      out.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }
  close(ends[0]);
  if (error_number != 0) return cannot_start(command.front(), error_number);
  return std::pair{out, outcome_of(wait_for(pid))};
}

}  // namespace mora::launcher
