#include "analysis/causes/activity.h"

#include <algorithm>

#include "analysis/core/call_tree.h"

namespace mora::analysis {

Activity::Activity(const Timeline& timeline, const WaitList& waits, std::size_t nodes)
    : timeline_(timeline), waits_(waits), nodes_(nodes) {
  if (timeline.size() < 2 * leaf) return;
  Tally tally;
  const auto close = [&](Level& level) {
    for (const std::uint32_t node : tally.touched()) level.entries.push_back(Entry{node, tally[node]});
    level.first.push_back(level.entries.size());
    tally.reset(nodes);
  };
  tally.reset(nodes);
  Level lowest;
  lowest.first.push_back(0);
  std::size_t wait = 0;
  for (std::size_t s = 0; s + leaf <= timeline.size(); s += leaf) {
    wait = waits.first_ending_after(timeline.begin(s), wait);
    add_segments(s, s + leaf, timeline.begin(s), timeline.end(s + leaf - 1), 1, wait, tally);
    close(lowest);
  }
  levels_.push_back(std::move(lowest));
  while (levels_.back().first.size() - 1 >= 2 * fan) {
    Level next;
    next.first.push_back(0);
    const std::size_t blocks = levels_.back().first.size() - 1;
    for (std::size_t b = 0; b + fan <= blocks; b += fan) {
      for (std::size_t k = b; k < b + fan; ++k) add_block(levels_.back(), k, 1, tally);
      close(next);
    }
    levels_.push_back(std::move(next));
  }
}

void Activity::add_block(const Level& level, std::size_t block, int sign, Tally& tally) const {
  for (std::size_t i = level.first[block]; i < level.first[block + 1]; ++i) {
    tally.add(level.entries[i].node, sign * level.entries[i].amount);
  }
}

void Activity::add_segments(std::size_t first, std::size_t last, Nanoseconds from, Nanoseconds to, int sign,
                            std::size_t wait, Tally& tally) const {
  // Each segment begins where the one before it ends.
  Nanoseconds next_wait = wait < waits_.size() ? waits_.begin(wait) : INT64_MAX;
  Nanoseconds following = first < last ? timeline_.begin(first) : to;
  for (std::size_t s = first; s < last; ++s) {
    const Nanoseconds begin = std::max(from, following);
    following = timeline_.end(s);
    const Nanoseconds end = std::min(to, following);
    if (end <= begin) continue;
    Nanoseconds amount = end - begin;
    while (next_wait < end) {
      amount -= std::min(end, waits_.end(wait)) - std::max(begin, next_wait);
      if (waits_.end(wait) > end) break;
      next_wait = ++wait < waits_.size() ? waits_.begin(wait) : INT64_MAX;
    }
    tally.add(timeline_.node(s), sign * amount);
  }
}

Activity::Place Activity::place(Nanoseconds time, const Place& guess) const {
  return {time, timeline_.find(time, guess.segment), waits_.first_ending_after(time, guess.wait)};
}

void Activity::add_interval(Nanoseconds from, Nanoseconds to, Tally& tally, Place& near) const {
  near = place(from, near);
  add(near, place(to, near), 1, tally);
}

void Activity::add(const Place& begin, const Place& end, int sign, Tally& tally) const {
  Nanoseconds from = begin.time;
  std::size_t wait = begin.wait;
  const Nanoseconds to = end.time;
  if (to <= from || timeline_.size() == 0) return;
  if (const Nanoseconds start = std::min(timeline_.begin(0), to); from < start) {
    tally.add(LocalCallTree::root, sign * (start - from));
    from = start;
    if (to <= from) return;
    wait = waits_.first_ending_after(from, wait);
  }
  const std::size_t first = begin.segment;
  std::size_t last = end.segment;
  // First segment that begins at or after `to`.
  if (last < timeline_.size() && timeline_.begin(last) < to) ++last;
  // Whole segments only inside blocks: the ragged ends go segment by segment.
  const std::size_t inner_first = (first + leaf) / leaf;  // block after the one that holds `first`
  const std::size_t inner_last =
      levels_.empty() || last == 0 ? 0 : std::min((last - 1) / leaf, levels_[0].first.size() - 1);
  if (last < first + 2 * leaf || inner_first >= inner_last) {
    add_segments(first, last, from, to, sign, wait, tally);
    return;
  }
  add_segments(first, inner_first * leaf, from, to, sign, wait, tally);
  const std::size_t ragged = inner_last * leaf;
  add_segments(ragged, last, from, to, sign, waits_.first_ending_after(timeline_.begin(ragged), end.wait), tally);
  std::size_t low = inner_first;
  std::size_t high = inner_last;
  for (std::size_t level = 0; low < high; ++level) {
    if (level + 1 == levels_.size()) {
      for (std::size_t b = low; b < high; ++b) add_block(levels_[level], b, sign, tally);
      break;
    }
    while (low < high && low % fan != 0) add_block(levels_[level], low++, sign, tally);
    const std::size_t above = levels_[level + 1].first.size() - 1;
    while (low < high && (high % fan != 0 || high / fan > above)) add_block(levels_[level], --high, sign, tally);
    low /= fan;
    high /= fan;
  }
}

/// What was added and is taken away again leaves no trace: amounts are integers.
const Tally& ActivityWindow::move(const Activity& activity, Nanoseconds from, Nanoseconds to, std::size_t from_wait,
                                  std::size_t to_wait) {
  const auto cost = [](const Activity::Place& a, const Activity::Place& b) {
    return std::min(2 * Activity::leaf, a.segment > b.segment ? a.segment - b.segment : b.segment - a.segment);
  };
  const bool is_same = activity_ == &activity;
  const std::size_t from_segment = is_same ? from_.segment : 0;
  const Activity::Place begin = activity.place(from, {from, from_segment, from_wait});
  const Activity::Place end = activity.place(std::max(from, to), {to, is_same ? to_.segment : begin.segment, to_wait});
  if (is_same && cost(begin, from_) + cost(end, to_) < cost(begin, end)) {
    const auto add = [&](const Activity::Place& a, const Activity::Place& b, int sign) {  // from a to b
      if (a.time <= b.time) {
        activity.add(a, b, sign, tally_);
      } else {
        activity.add(b, a, -sign, tally_);
      }
    };
    add(to_, end, 1);
    add(from_, begin, -1);
    tally_.drop_zeros();
  } else {
    tally_.reset(activity.nodes_);
    activity.add(begin, end, 1, tally_);
  }
  activity_ = &activity;
  from_ = begin;
  to_ = end;
  return tally_;
}

}  // namespace mora::analysis
