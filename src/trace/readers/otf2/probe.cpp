#include "trace/readers/otf2/probe.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/sanitized.h"
#include "base/storage/file_checksum.h"
#include "base/time.h"

namespace mora::trace::otf2 {
namespace {

/// What the child says of a task, as text: 'f' (it found what it looked for), 'a' (it did not), or 'r', the kind and
/// the four phrases of an Error; each part ends with a zero byte.
std::string report_of(const Result<bool>& outcome) {
  if (outcome) return std::string(*outcome ? "f\0" : "a\0", 2);
  const Error& e = outcome.error();
  std::string text = "r";
  for (const std::string& part : {std::to_string(static_cast<int>(e.kind)), e.what, e.where, e.why, e.help})
    text += part.substr(0, part.find('\0')) + '\0';
  return text;
}

/// The next report at `at`, which it moves on; false if the text ends before it does.
bool take_report(const std::string& text, std::size_t& at, ProbeVerdict& verdict) {
  std::vector<std::string> parts;
  std::size_t begin = at;
  const std::size_t wanted = text[at] == 'r' ? 5 : 1;
  for (std::size_t end = 0; parts.size() < wanted; begin = end + 1) {
    end = text.find('\0', begin);
    if (end == std::string::npos) return false;
    parts.push_back(text.substr(begin, end - begin));
  }
  at = begin;
  verdict.found = wanted == 1 && parts[0] == "f";
  if (wanted == 5) {
    const auto kind = static_cast<ErrorKind>(std::atoi(parts[0].c_str() + 1));
    verdict.refusal = Error{kind, parts[1], parts[2], parts[3], parts[4]};
  }
  return true;
}

/// To what is in use and a quarter of the machine's memory, so that several children leave some.
void limit_memory() {
  if constexpr (!has_shadow_memory) {
    const auto page = static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
    const rlim_t quarter = static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES)) / 4 * page;
    rlim_t in_use = 0;
    std::ifstream("/proc/self/statm") >> in_use;
    const rlim_t most = in_use * page + std::clamp(quarter, rlim_t{1} << 30, rlim_t{16} << 30);
    const rlimit memory{most, most};
    ::setrlimit(RLIMIT_AS, &memory);
  }
}

/// In the child: quiet, bounded, and never back into the parent's code.
[[noreturn]] void run_child(int report, std::size_t first, std::size_t n,
                            const std::function<Result<bool>(std::size_t)>& task,
                            const std::function<unsigned(std::size_t)>& seconds) {
  const int null = ::open("/dev/null", O_RDWR);
  if (null >= 0) {
    ::dup2(null, 1);
    ::dup2(null, 2);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  limit_memory();
  for (const int sig : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF}) std::signal(sig, SIG_DFL);
  for (std::size_t i = first; i < n; ++i) {
    const itimerval processor_time{{0, 0}, {static_cast<time_t>(seconds(i)), 0}};
    ::setitimer(ITIMER_PROF, &processor_time, nullptr);
    const std::string text = report_of(task(i));
    if (::write(report, text.data(), text.size()) != static_cast<ssize_t>(text.size())) break;
  }
  ::_exit(0);
}

constexpr int k_looks_before_stuck = 3;  // one a second
constexpr int k_children_at_most = 3;    // for one task

/// 'R' while it computes or waits for a processor, 'D' for a disk, 'S' for anything else; 0 if that cannot be told.
char state_of(pid_t child) {
  std::string text;
  std::getline(std::ifstream("/proc/" + std::to_string(child) + "/stat"), text);
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '\0' : text[name_end + 2];
}

Nanoseconds processor_time_of(pid_t child) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(child, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Hands on what the child says until it ends. False: it sleeps and will not go on, because it waits for a lock that a
/// thread of the parent held when it was forked, and was ended.
bool listen(pid_t child, int report, std::string& said) {
  int looks = 0;
  Nanoseconds used = 0;
  for (;;) {
    pollfd ready{report, POLLIN, 0};
    const int events = ::poll(&ready, 1, 1000);
    if (events == 0) {
      const Nanoseconds now = processor_time_of(child);
      looks = state_of(child) == 'S' && now == used ? looks + 1 : 0;
      used = now;
      if (looks < k_looks_before_stuck) continue;
      ::kill(child, SIGKILL);
      return false;
    }
    if (events < 0 && errno == EINTR) continue;
    char bytes[4096];
    const ssize_t got = ::read(report, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    said.append(bytes, static_cast<std::size_t>(got));
    looks = 0;
  }
}

}  // namespace

std::vector<ProbeVerdict> probe(std::size_t n, const std::function<Result<bool>(std::size_t)>& task,
                                const std::function<unsigned(std::size_t)>& seconds) {
  std::vector<ProbeVerdict> verdicts(n);
  std::size_t next = 0;
  int children = 0;  // that were forked for this task
  // libotf2 reads on behind the end of a cut file, in memory that it has not written. Zeros end that at once; what is
  // left there of an archive read before makes it ask for chunk after chunk until the child's time is over.
  ::malloc_trim(0);
  while (next < n) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return verdicts;
    const pid_t child = ::fork();
    if (child < 0) {
      ::close(ends[0]);
      ::close(ends[1]);
      return verdicts;  // cannot protect ourselves; read unprotected rather than not at all
    }
    if (child == 0) run_child(ends[1], next, n, task, seconds);
    ::close(ends[1]);
    std::string said;
    const bool went_on = listen(child, ends[0], said);
    ::close(ends[0]);
    const std::size_t first = next;
    for (std::size_t at = 0; at < said.size() && next < n && take_report(said, at, verdicts[next]);) ++next;
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (next >= n) break;
    children = next == first ? children + 1 : 1;
    if (!went_on && children < k_children_at_most) continue;
    children = 0;
    verdicts[next].good = false;
    if (!went_on)
      verdicts[next].why = "libotf2 waits on it and does not go on";
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
      verdicts[next].why = "reading it took longer than " + std::to_string(seconds(next)) + " s of processor time";
    else if (WIFSIGNALED(status))
      verdicts[next].why = "libotf2 crashed on it (signal " + std::to_string(WTERMSIG(status)) + ")";
    else
      verdicts[next].why = "libotf2 ended the program on it";
    ++next;
  }
  return verdicts;
}

namespace {

/// An archive is its directory: a manifest has no say about files elsewhere.
bool leads_out(const std::filesystem::path& path) {
  return path.is_absolute() || std::any_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
}

}  // namespace

Checksums compare_checksums(const std::string& directory, ArchivePart part) {
  const auto text = read_file(directory + "/manifest.json");
  if (!text) return Checksums::absent;
  const auto manifest = nlohmann::json::parse(*text, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("archive") || !manifest["archive"].is_object())
    return Checksums::absent;
  const auto& archive = manifest["archive"];
  if (!archive.contains("files") || !archive["files"].is_array() || archive["files"].empty()) return Checksums::absent;
  std::set<std::string> listed;
  for (const auto& file : archive["files"]) {
    if (!file.is_object() || !file.contains("path") || !file["path"].is_string() || !file.contains("xxh3") ||
        !file["xxh3"].is_string())
      return Checksums::differ;
    const std::string path = file["path"];
    if (leads_out(path)) return Checksums::differ;
    const auto mapped = MappedFile::open(directory + "/" + path);
    if (!mapped) return Checksums::differ;
    const auto bytes = mapped->bytes();
    if (!file.contains("bytes") || !file["bytes"].is_number_unsigned() ||
        file["bytes"].get<std::uint64_t>() != bytes.size())
      return Checksums::differ;
    if (part == ArchivePart::definitions && path.ends_with(".evt")) {
      listed.insert(path);
      continue;
    }
    if (file["xxh3"].get<std::string>() != checksum_of(*mapped)) return Checksums::differ;
    listed.insert(path);
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/traces", error)) {
    const std::string name = entry.path().filename().string();
    const bool of_otf2 = name.ends_with(".evt") || name.ends_with(".def");
    if (of_otf2 && listed.count("traces/" + name) == 0) return Checksums::differ;
  }
  const bool complete = !error && listed.count("traces.otf2") != 0 && listed.count("traces.def") != 0;
  return complete ? Checksums::match : Checksums::differ;
}

}  // namespace mora::trace::otf2
