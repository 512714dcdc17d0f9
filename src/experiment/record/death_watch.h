/// When each process of a job on this machine was gone, seen from outside: the order in which processes died, which
/// nobody else keeps (a process that SIGKILL ends leaves no note, and launchers kill all others at once).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace mora::experiment {

/// Watches from its construction on, in a thread of its own that sleeps but for a look at the journals now and then.
class DeathWatch {
 public:
  /// `directory`: of the experiment.
  explicit DeathWatch(const std::string& directory);
  ~DeathWatch();
  /// By pid: CLOCK_MONOTONIC_RAW ns. Ends the watch.
  std::map<std::uint32_t, std::uint64_t> deaths();

 private:
  struct Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace mora::experiment
