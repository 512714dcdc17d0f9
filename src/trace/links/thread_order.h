/// The ends of several threads of a rank in one order: by the enters of their calls (of the innermost region around an
/// end outside of calls, or the thread's first event), ties by thread; what one thread's stream says of its own ends
/// stands.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/time.h"

namespace mora::trace {

/// `first` to `last`: ends thread by thread, each thread's in stream order. `thread_of(end)`, `enter_of(end)`. Nothing
/// changes if one thread has them all. O(n log n).
template <class Iterator, class ThreadOf, class EnterOf>
void order_threads(Iterator first, Iterator last, const ThreadOf& thread_of, const EnterOf& enter_of) {
  if (first == last || thread_of(*first) == thread_of(*(last - 1))) return;
  using End = typename std::iterator_traits<Iterator>::value_type;
  std::vector<std::pair<Nanoseconds, End>> ends;
  for (Iterator at = first; at != last; ++at) {
    Nanoseconds enter = enter_of(*at);
    // A record outside of calls has the enter of a region that may have begun before an earlier call.
    if (at != first && thread_of(*at) == thread_of(*(at - 1))) enter = std::max(enter, ends.back().first);
    ends.emplace_back(enter, *at);
  }
  std::stable_sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [enter, end] : ends) *first++ = end;
}

}  // namespace mora::trace
