/// What rings hold while the job goes on, as an experiment of its own (mora record --ring, on SIGUSR1).
///
/// Nothing is asked of the job's processes: their files are copied. A place of a ring that was written meanwhile is
/// copied again, until the live chunk did not change while that was looked at; then the live chunk is put in the copy
/// as its last image. Limit: of processes on other machines the live chunk cannot be read, and the newest chunk is
/// missing.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "experiment/convert/convert.h"

namespace mora::experiment {

/// Copies the journals of the experiment `from` into the new directory `to`. The job may go on.
Result<void> copy_rings(const std::string& from, const std::string& to);

/// Waits, in a thread of its own, for being told by a file to write a dump: `directory`-now, -now-2, ….
class RingDumps {
 public:
  using Done = std::function<void(const Result<std::vector<Manifest>>&)>;
  /// `options`: of the conversion; its request without the end of the launcher. `done` is called in the other thread.
  RingDumps(std::string directory, ConvertOptions options, Done done);
  RingDumps(const RingDumps&) = delete;
  RingDumps& operator=(const RingDumps&) = delete;
  /// Waits for a dump that is being written.
  ~RingDumps();
  /// A signal handler may write 8 bytes, the number 1, to it: launcher::run_in_foreground. -1: there is none.
  int file() const;

 private:
  struct Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace mora::experiment
