/// What --memory promises, and what is said where it cannot be kept.
#include "cli/options/memory_option.h"

#include <sys/resource.h>

#include <cstdio>

#include "base/time.h"

namespace mora::cli {

Option memory_option() {
  return {"--memory", "SIZE",
          "limit the memory of each process, for example 500M or 2G; the rest is kept in files in $TMPDIR. If a trace "
          "needs more, Mora says how much it took",
          "no limit"};
}

void note_memory(std::uint64_t memory, const trace::Source& source) {
  rusage usage{};
  if (memory == 0 || getrusage(RUSAGE_SELF, &usage) != 0) return;
  const std::uint64_t peak = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  if (peak <= memory) return;
  std::fprintf(stderr, "mora: note: --memory %s could not be kept with this trace (%s): %s were needed\n",
               bytes_for_people(memory).c_str(), source.format().c_str(), bytes_for_people(peak).c_str());
}

}  // namespace mora::cli
