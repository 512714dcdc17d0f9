/// Questions to a timeline; filling it is inline (timeline.h).
#include "analysis/core/timeline.h"

namespace mora::analysis {

std::optional<TimeInterval> Timeline::mpi_ending_after(Nanoseconds t) const {
  for (std::size_t s = find(t); s < size(); ++s) {
    if (!is_mpi(s)) continue;
    TimeInterval call{begin(s), end(s)};
    // A call in pieces: nested MPI, or two calls without a nanosecond between them; both mean "inside MPI".
    while (s > 0 && is_mpi(s - 1)) call.begin = begin(--s);
    for (s = find(call.end); s < size() && is_mpi(s) && begin(s) == call.end; ++s) call.end = end(s);
    return call;
  }
  return std::nullopt;
}

}  // namespace mora::analysis
