#include "analysis/causes/activity.h"

#include <algorithm>

#include "analysis/core/call_tree.h"

namespace mora::analysis {

Activity::Activity(const Timeline& timeline, const WaitList& waits, std::size_t nodes)
    : timeline_(timeline), waits_(waits) {
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
  for (std::size_t s = 0; s + leaf <= timeline.size(); s += leaf) {
    add_segments(s, s + leaf, timeline.begin(s), timeline.end(s + leaf - 1), tally);
    close(lowest);
  }
  levels_.push_back(std::move(lowest));
  while (levels_.back().first.size() - 1 >= 2 * fan) {
    Level next;
    next.first.push_back(0);
    const std::size_t blocks = levels_.back().first.size() - 1;
    for (std::size_t b = 0; b + fan <= blocks; b += fan) {
      for (std::size_t k = b; k < b + fan; ++k) add_block(levels_.back(), k, tally);
      close(next);
    }
    levels_.push_back(std::move(next));
  }
}

void Activity::add_block(const Level& level, std::size_t block, Tally& tally) const {
  for (std::size_t i = level.first[block]; i < level.first[block + 1]; ++i) {
    tally.add(level.entries[i].node, level.entries[i].amount);
  }
}

void Activity::add_segments(std::size_t first, std::size_t last, Nanoseconds from, Nanoseconds to, Tally& tally) const {
  if (first >= last) return;
  std::size_t wait = waits_.first_ending_after(std::max(from, timeline_.begin(first)), tally.wait);
  // Each segment begins where the one before it ends.
  Nanoseconds next_wait = wait < waits_.size() ? waits_.begin(wait) : INT64_MAX;
  Nanoseconds following = timeline_.begin(first);
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
    tally.add(timeline_.node(s), amount);
  }
  tally.wait = wait;
}

void Activity::add_interval(Nanoseconds from, Nanoseconds to, Tally& tally) const {
  if (to <= from || timeline_.size() == 0) return;
  if (const Nanoseconds start = std::min(timeline_.begin(0), to); from < start) {
    tally.add(LocalCallTree::root, start - from);
    from = start;
    if (to <= from) return;
  }
  std::size_t last = timeline_.find(to, tally.segment);
  const std::size_t first = timeline_.find(from, last);
  tally.segment = last;
  // First segment that begins at or after `to`.
  if (last < timeline_.size() && timeline_.begin(last) < to) ++last;
  if (levels_.empty() || last - std::min(first, last) < 2 * leaf) {
    add_segments(first, last, from, to, tally);
    return;
  }
  // Whole segments only inside blocks: the ragged ends go segment by segment.
  const std::size_t inner_first = (first + leaf) / leaf;  // block after the one that holds `first`
  const std::size_t inner_last = std::min((last - 1) / leaf, levels_[0].first.size() - 1);
  if (inner_first >= inner_last) {
    add_segments(first, last, from, to, tally);
    return;
  }
  add_segments(first, inner_first * leaf, from, to, tally);
  add_segments(inner_last * leaf, last, from, to, tally);
  std::size_t low = inner_first;
  std::size_t high = inner_last;
  for (std::size_t level = 0; low < high; ++level) {
    if (level + 1 == levels_.size()) {
      for (std::size_t b = low; b < high; ++b) add_block(levels_[level], b, tally);
      break;
    }
    while (low < high && low % fan != 0) add_block(levels_[level], low++, tally);
    const std::size_t above = levels_[level + 1].first.size() - 1;
    while (low < high && (high % fan != 0 || high / fan > above)) add_block(levels_[level], --high, tally);
    low /= fan;
    high /= fan;
  }
}

}  // namespace mora::analysis
