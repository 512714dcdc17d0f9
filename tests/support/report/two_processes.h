/// A cube of two processes with intervals, for the tests of reports on them.
#pragma once

#include "support/analysis/efficiency_sample.h"

namespace mora::report {

/// Two processes; step (id 1, 2) with a receive in it, and a sequential section.
inline analysis::CubeSample two_processes() {
  analysis::CubeSample s(2);
  const auto setup = s.interval(0, 5, cube::all_processes);
  const auto first = s.interval(0, 10, 1, 1), second = s.interval(0, 10, 1, 2);
  const auto inner = s.interval(second, 11);
  const auto receive = s.call(inner, "MPI_Recv");
  for (const unsigned r : {0u, 1u}) {
    s.compute(setup, r, 7), s.compute(first, r, 20 + r), s.compute(second, r, 30), s.compute(inner, r, 10);
    s.add("visits", receive, r, 1);
  }
  s.add("point-to-point", receive, 0, 4);
  s.add("late-sender", receive, 1, 9);
  s.add("overhead", second, 1, 2);
  s.add("potential-synchronization-point-to-point", receive, 1, 9);
  return s;
}

}  // namespace mora::report
