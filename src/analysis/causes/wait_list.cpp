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
  Nanoseconds before = 0;
  const auto add = [&](const Wait& wait, Nanoseconds from, Nanoseconds to, bool is_own) {
    waits_.push_back(
        {to, before, wait.call_path, wait.cause, wait.metric, is_own, static_cast<std::uint32_t>(owns_.size() - 1)});
    before += to - from;
    if (is_own) owns_.push_back(owns_.back() + to - from);
  };
  for (const Wait& wait : waits) {
    const Nanoseconds begin = std::max(wait.begin, free);
    const Nanoseconds end = wait.begin + wait.amount;
    if (end <= begin) continue;
    const Nanoseconds own_from = std::max(begin, end - wait.own);
    if (own_from > begin) add(wait, begin, own_from, false);
    if (end > own_from) add(wait, own_from, end, true);
    free = end;
  }
  waits_.push_back({.before = before, .owns_before = static_cast<std::uint32_t>(owns_.size() - 1)});
}

}  // namespace mora::analysis
