/// Survives input that kills libotf2: a forked child reads first.
///
/// libotf2 trusts its files: flipped bytes make it abort, overrun or loop. Bytes that are known to be what was
/// written (checksums in the experiment's manifest) are read directly. All others are first read by a child process
/// with the same code; it reports after each location, and where it dies or exceeds the time limit the location is
/// called unreadable and the next child goes on behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mora::trace::otf2 {

struct ProbeVerdict {
  bool good = true;
  std::string why;  ///< "libotf2 crashed (signal 11)", "it took longer than 10 s"
};

/// Runs task(i) for i in [0, n) in child processes, each with `seconds(i)` of time. A false return is fine (an error
/// that was noticed needs no protection). Not for use while other threads hold locks the tasks need.
std::vector<ProbeVerdict> probe(std::size_t n, const std::function<bool(std::size_t)>& task,
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
/// Compares the archive in `directory` with its manifest.json.
Checksums compare_checksums(const std::string& directory, ArchivePart part);

}  // namespace mora::trace::otf2
