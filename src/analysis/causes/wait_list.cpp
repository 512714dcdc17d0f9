#include "analysis/causes/wait_list.h"

#include <algorithm>
#include <tuple>

#include "analysis/storage/sorted_by.h"

namespace mora::analysis {

WaitList::WaitList(SpillVector<Wait> waits) {
  const auto earlier = [](const Wait& a, const Wait& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    return std::tie(a.amount, a.metric, a.call_path, a.cause, a.cause_call_path, a.own) <
           std::tie(b.amount, b.metric, b.call_path, b.cause, b.cause_call_path, b.own);
  };
  if (!merge_runs(waits, earlier)) std::sort(waits.begin(), waits.end(), earlier);  // each rule gave its own in order
  waits_.clear();
  waits_.reserve(waits.size() + 1);
  Nanoseconds free = INT64_MIN;
  Nanoseconds before = 0, own_before = 0;
  for (const Wait& wait : waits) {
    const Nanoseconds begin = std::max(wait.begin, free);
    const Nanoseconds end = wait.begin + wait.amount;
    if (end <= begin) continue;
    const Nanoseconds own_from = std::max(begin, end - wait.own);
    if (own_from > begin) {
      waits_.push_back({begin, own_from, before, own_before, wait.call_path, wait.cause, wait.metric, false});
      before += own_from - begin;
    }
    if (end > own_from) {
      waits_.push_back({own_from, end, before, own_before, wait.call_path, wait.cause, wait.metric, true});
      before += end - own_from;
      own_before += end - own_from;
    }
    free = end;
  }
  waits_.push_back({0, 0, before, own_before, 0, 0, 0, false});
}

}  // namespace mora::analysis
