#include "experiment/record/machine_check.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "archive/archive_writer.h"
#include "base/file.h"
#include "base/time.h"
#include "experiment/record/record.h"
#include "launcher/launch.h"
#include "launcher/mpi_flavour.h"
#include "launcher/process.h"

namespace mora::experiment {
namespace {

namespace fs = std::filesystem;

/// Path of a library as the loader finds it.
std::string find_library(const std::string& name) {
  const auto listed = launcher::capture({fs::exists("/sbin/ldconfig") ? "/sbin/ldconfig" : "ldconfig", "-p"});
  if (!listed) return "";
  const auto at = listed->first.find(name + " ");
  if (at == std::string::npos) return "";
  const auto arrow = listed->first.find("=> ", at);
  return listed->first.substr(arrow + 3, listed->first.find('\n', arrow) - arrow - 3);
}

void check_mpi(std::vector<Check>& checks) {
  bool any_library = false;
  for (const auto& f : launcher::known_mpis) any_library = any_library || !find_library(f.library).empty();
  for (const auto& f : launcher::known_mpis) {
    const auto library = find_library(f.library);
    const auto program = launcher::find_program(f.launcher);
    const bool needed = !library.empty() || !any_library;  // one of the two is enough
    checks.push_back({fmt::format("{} library", f.name), !library.empty() || !needed,
                      library.empty() ? "not installed" : library,
                      library.empty() && needed ? fmt::format("apt install {}", f.package) : ""});
    if (library.empty()) continue;
    checks.push_back({fmt::format("{} launcher", f.name), !program.empty(), program.empty() ? "not found" : program,
                      program.empty() ? fmt::format("apt install {}", f.package) : ""});
    const auto recorder = recorder_library(f.flavour);
    checks.push_back(
        {fmt::format("{} recorder", f.name), !recorder.empty(), recorder.empty() ? "not found beside mora" : recorder,
         recorder.empty()
             ? "build or install Mora completely (libmora_mpi-" + std::string(launcher::to_string(f.flavour)) + ".so)"
             : ""});
    if (recorder.empty()) continue;
    // A process that lists its own mappings shows whether the loader maps the library.
    const auto maps = launcher::capture({"/bin/cat", "/proc/self/maps"}, {{"LD_PRELOAD", recorder}});
    const bool loaded = maps && maps->second.exit_code == 0 &&
                        maps->first.find(fs::path(recorder).filename().string()) != std::string::npos;
    checks.push_back(
        {fmt::format("{} preload", f.name), loaded,
         loaded ? "the recorder is loaded into a started process" : "the loader did not load it",
         loaded ? "" : "see why: LD_PRELOAD=" + recorder + " /bin/true; setuid programs cannot be recorded"});
  }
  const auto usual = launcher::take_apart({"mpirun", "true"});
  const bool has_usual = !launcher::find_program("mpirun").empty();
  checks.push_back({"mpirun", has_usual,
                    !has_usual                                      ? "not on PATH"
                    : usual.kind == launcher::LauncherKind::openmpi ? "is Open MPI's"
                    : usual.kind == launcher::LauncherKind::mpich   ? "is MPICH's"
                                                                    : "is of an unknown MPI",
                    has_usual ? "" : "name the launcher: mora record mpirun.openmpi … or mpirun.mpich …"});
}

void check_space(std::vector<Check>& checks, const std::string& name, const std::string& path, std::uint64_t wanted,
                 const std::string& remedy) {
  struct statvfs s {};
  if (statvfs(path.c_str(), &s) != 0) {
    checks.push_back({name, false, path + ": not there", remedy});
    return;
  }
  const std::uint64_t free_bytes = static_cast<std::uint64_t>(s.f_bavail) * s.f_frsize;
  const bool writable = access(path.c_str(), W_OK) == 0;
  const bool good = free_bytes >= wanted && writable;
  checks.push_back({name, good,
                    fmt::format("{}: {} free{}", path, bytes_for_people(free_bytes), writable ? "" : ", not writable"),
                    good ? "" : remedy});
}

void check_clock(std::vector<Check>& checks) {
  const auto info = read_file("/proc/cpuinfo");
  const bool invariant =
      info && info->find("constant_tsc") != std::string::npos && info->find("nonstop_tsc") != std::string::npos;
  checks.push_back({"clock", invariant,
                    invariant ? "invariant time stamp counter"
                              : "no invariant time stamp counter: CLOCK_MONOTONIC_RAW is used (slower)",
                    invariant ? "" : "nothing to do; recording costs some 30 ns more per call"});
}

void check_limits(std::vector<Check>& checks) {
  rlimit files{}, size{};
  getrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_FSIZE, &size);
  checks.push_back({"open files", files.rlim_cur >= 256, fmt::format("limit {}", files.rlim_cur),
                    files.rlim_cur >= 256 ? "" : "ulimit -n 1024"});
  const bool unlimited = size.rlim_cur == RLIM_INFINITY;
  checks.push_back({"file size", unlimited,
                    unlimited ? "unlimited" : fmt::format("limit {}", bytes_for_people(size.rlim_cur)),
                    unlimited ? "" : "ulimit -f unlimited: recording stops where a journal reaches the limit"});
}

}  // namespace

std::vector<Check> check_machine(const std::string& directory) {
  std::vector<Check> checks;
  check_mpi(checks);
  check_clock(checks);
  const char* shm = std::getenv("MORA_SHM");
  check_space(checks, "shared memory", shm != nullptr && *shm != 0 ? shm : "/dev/shm", 64 << 20,
              "each process needs 1 MiB; without it recording uses the experiment directory (set MORA_SHM to another "
              "directory in memory)");
  check_space(checks, "disk space", directory, std::uint64_t{1} << 30,
              "a busy job records some MiB a second and process: choose another directory with -o");
  checks.push_back({"OTF2", true, "libotf2 " + archive::otf2_version(), ""});
  check_limits(checks);
  return checks;
}

}  // namespace mora::experiment
