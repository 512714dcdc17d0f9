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

namespace {

/// First index in [0, size) for which `is_before` does not hold.
template <class IsBefore>
std::size_t first_not(std::size_t size, const IsBefore& is_before) {
  std::size_t low = 0;
  while (low < size) {
    const std::size_t middle = low + (size - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      size = middle;
    }
  }
  return low;
}

}  // namespace

std::size_t WaitList::first_beginning_at(Nanoseconds t) const {
  return first_not(size(), [&](std::size_t i) { return begin(i) < t; });
}

std::size_t WaitList::first_ending_after(Nanoseconds t) const {
  return first_not(size(), [&](std::size_t i) { return end(i) <= t; });
}

Nanoseconds WaitList::after_waiting_at(Nanoseconds t) const {
  const std::size_t i = first_ending_after(t);
  return i < size() && begin(i) <= t ? end(i) : t;
}

}  // namespace mora::analysis
