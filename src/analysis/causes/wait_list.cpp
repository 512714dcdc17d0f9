#include "analysis/causes/wait_list.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis {

WaitList::WaitList(SpillVector<Wait> waits) : waits_(std::move(waits)) {
  std::sort(waits_.begin(), waits_.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.begin, a.amount, a.metric, a.call_path, a.cause, a.cause_call_path) <
           std::tie(b.begin, b.amount, b.metric, b.call_path, b.cause, b.cause_call_path);
  });
  Nanoseconds free = INT64_MIN;
  std::size_t kept = 0;
  before_.reserve(waits_.size() + 1);
  for (Wait wait : waits_) {
    const Nanoseconds end = wait.begin + wait.amount;
    if (wait.begin < free) {
      wait.amount = end - free;
      wait.begin = free;
    }
    if (wait.amount <= 0) continue;
    free = end;
    before_.push_back(before_.back() + wait.amount);
    waits_[kept++] = wait;
  }
  waits_.resize(kept);
}

std::size_t WaitList::first_beginning_at(Nanoseconds t) const {
  return static_cast<std::size_t>(
      std::partition_point(waits_.begin(), waits_.end(), [&](const Wait& w) { return w.begin < t; }) - waits_.begin());
}

std::size_t WaitList::first_ending_after(Nanoseconds t) const {
  return static_cast<std::size_t>(
      std::partition_point(waits_.begin(), waits_.end(), [&](const Wait& w) { return w.begin + w.amount <= t; }) -
      waits_.begin());
}

Nanoseconds WaitList::after_waiting_at(Nanoseconds t) const {
  const std::size_t i = first_ending_after(t);
  return i < size() && begin(i) <= t ? end(i) : t;
}

}  // namespace mora::analysis
