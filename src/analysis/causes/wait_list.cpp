#include "analysis/causes/wait_list.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis {

WaitList::WaitList(SpillVector<Wait> waits) {
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.begin, a.amount, a.metric, a.call_path, a.cause, a.cause_call_path) <
           std::tie(b.begin, b.amount, b.metric, b.call_path, b.cause, b.cause_call_path);
  });
  waits_.clear();
  waits_.reserve(waits.size() + 1);
  Nanoseconds free = INT64_MIN;
  Nanoseconds before = 0;
  for (const Wait& wait : waits) {
    const Nanoseconds begin = std::max(wait.begin, free);
    const Nanoseconds end = wait.begin + wait.amount;
    if (end <= begin) continue;
    waits_.push_back(CausedWait{begin, before, wait.call_path, wait.cause, wait.metric});
    before += end - begin;
    free = end;
  }
  waits_.push_back(CausedWait{0, before, 0, 0, 0});
}

}  // namespace mora::analysis
