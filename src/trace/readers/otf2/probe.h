/// Protection against input on which libotf2 crashes: a forked child process reads first.
///
/// libotf2 does not check its files: changed bytes make it abort, overrun or loop for ever. Bytes that are known to be
/// what was written (checksums in the experiment's manifest) are read directly. All others are first read by a child
/// process with the same code; it reports after each location, and where it dies or exceeds its limit of processor time
/// the location is called unreadable and the next child goes on behind it. Processor time, because a loaded machine or
/// a slow disk is no damage. A child that was forked while another thread held a lock may wait for that lock for ever
/// (glibc frees its own for children, sanitizers do not): who sleeps for three seconds is ended and forked anew.
/// Cost: one more pass over the archive.
/// Limits: a child has 16 GiB of address space; if no process can be started, the archive is read without protection.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace mora::trace::otf2 {

struct ProbeVerdict {
  bool good = true;
  std::string why;               ///< for Error::why: "libotf2 crashed on it (signal 11)"
  std::optional<Error> refusal;  ///< what the task returned in the child, whose memory is bounded
  bool found = false;            ///< likewise, if it was no error
};

/// Runs task(i) for i in [0, n) in child processes, each with `seconds(i)` of processor time. An error that the task
/// returns is handed on as `refusal` (good stays true): who repeats the task then does so without the child's bounds.
std::vector<ProbeVerdict> probe(std::size_t n, const std::function<Result<bool>(std::size_t)>& task,
                                const std::function<unsigned(std::size_t)>& seconds);

enum class Checksums {
  match,   ///< every file of the archive is listed with size and XXH3 in manifest.json, and is what was written
  differ,  ///< a listed file is missing or changed; an unlisted one lies beside them
  absent,  ///< there is no list
};
enum class ArchivePart {
  definitions,  ///< of the events only the sizes: quick whatever the length of the trace
  whole,
};
/// Compares the archive in `directory` with its manifest.json. Reads every file that `part` covers; never fails.
Checksums compare_checksums(const std::string& directory, ArchivePart part);

}  // namespace mora::trace::otf2
