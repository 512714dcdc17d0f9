/// Journals appear when processes call MPI_Init (inotify tells; looking now and then helps where it does not work);
/// their headers name pid and host. A pidfd becomes readable when its process ends; a process that is gone already when
/// its journal is seen has died before all that are still there.
#include "experiment/record/death_watch.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "experiment/journal_files.h"
#include "journal/format.h"

namespace mora::experiment {
namespace {

constexpr int first_pause_ms = 5, longest_pause_ms = 500;
constexpr std::uint64_t told_to_end = UINT64_MAX, told_of_journals = UINT64_MAX - 1;  // other events bear a pid
constexpr std::size_t most_watched = 900;                                             // open files

std::uint64_t raw_now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

struct DeathWatch::Watch {
  std::string directory, host;
  std::set<std::string> known;  ///< journals
  int events = -1, wake = -1, journals = -1;
  std::map<std::uint32_t, int> files;  ///< pidfd by pid
  std::map<std::uint32_t, std::uint64_t> deaths;
  std::thread thread;

  void add(int file, std::uint64_t what) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = what;
    if (file >= 0) epoll_ctl(events, EPOLL_CTL_ADD, file, &event);
  }

  void look() {
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      const auto& path = entry->path();
      if (path.extension() != ".journal" || known.count(path.string()) != 0) continue;
      mora_file_header header{};
      std::ifstream file(path, std::ios::binary);
      if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) continue;  // not written yet
      known.insert(path.string());
      if (host != std::string(header.host, strnlen(header.host, sizeof header.host))) continue;
      if (files.count(header.pid) != 0 || deaths.count(header.pid) != 0) continue;  // another of its threads' journals
      if (files.size() >= most_watched) continue;
      const int fd = static_cast<int>(syscall(SYS_pidfd_open, header.pid, 0));
      if (fd >= 0) {
        files.emplace(header.pid, fd);
        add(fd, header.pid);
      } else if (errno == ESRCH) {
        deaths.emplace(header.pid, raw_now());
      }
    }
  }

  void run() {
    int pause = first_pause_ms;
    for (;;) {
      const auto before = known.size();
      look();
      pause = known.size() != before ? first_pause_ms : std::min(2 * pause, longest_pause_ms);
      epoll_event ready[64];
      const int n = epoll_wait(events, ready, 64, pause);
      const auto now = raw_now();
      for (int i = 0; i < n; ++i) {
        if (ready[i].data.u64 == told_to_end) return;
        if (ready[i].data.u64 == told_of_journals) {
          char names[4096];
          if (read(journals, names, sizeof names) > 0) pause = first_pause_ms;
          continue;
        }
        const auto pid = static_cast<std::uint32_t>(ready[i].data.u64);
        deaths.emplace(pid, now + static_cast<std::uint64_t>(i));  // epoll keeps the order in which they ended
        if (const auto file = files.find(pid); file != files.end()) {
          close(file->second);
          files.erase(file);
        }
      }
    }
  }
};

DeathWatch::DeathWatch(const std::string& directory) : watch_(std::make_unique<Watch>()) {
  Watch& watch = *watch_;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  watch.host = host;
  watch.directory = journal_directory(directory);
  watch.events = epoll_create1(EPOLL_CLOEXEC);
  watch.wake = eventfd(0, EFD_CLOEXEC);
  watch.add(watch.wake, told_to_end);
  watch.journals = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (watch.journals >= 0) inotify_add_watch(watch.journals, watch.directory.c_str(), IN_CREATE);
  watch.add(watch.journals, told_of_journals);
  if (watch.events < 0 || watch.wake < 0) return;  // then nothing is seen
  sigset_t all, before;                            // signals are for the thread that waits for the launcher
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watch.thread = std::thread([&watch] { watch.run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

std::map<std::uint32_t, std::uint64_t> DeathWatch::deaths() {
  Watch& watch = *watch_;
  if (watch.thread.joinable()) {
    const std::uint64_t one = 1;
    while (write(watch.wake, &one, sizeof one) < 0 && errno == EINTR) {
    }
    watch.thread.join();
  }
  for (const auto& [pid, file] : watch.files) close(file);
  watch.files.clear();
  for (int* file : {&watch.events, &watch.wake, &watch.journals})
    if (*file >= 0) close(std::exchange(*file, -1));
  return watch.deaths;
}

DeathWatch::~DeathWatch() { deaths(); }

}  // namespace mora::experiment
