/// The stack of stretches: push, cover, name, and compaction, which adds up stretches of one node between which no open
/// request began once 4096 or twice as many as after the last compaction wait.
#include "analysis/match/request_overlap.h"

#include <algorithm>
#include <unordered_map>

namespace mora::analysis {

std::uint32_t RequestOverlap::start(std::uint32_t tag) {
  std::uint32_t request = static_cast<std::uint32_t>(requests_.size());
  if (unused_.empty()) {
    requests_.emplace_back();
  } else {
    request = unused_.back();
    unused_.pop_back();
  }
  requests_[request] = Request{computed_, ++stamp_, tag};
  ++open_;
  return request;
}

Nanoseconds RequestOverlap::complete(std::uint32_t request) {
  const Request done = requests_[request];
  while (!stack_.empty() && stack_.back().stamp >= done.stamp) pop(true);
  release(request);
  return computed_ - done.computed;
}

void RequestOverlap::drop(std::uint32_t request) {
  if (request != none) release(request);
}

void RequestOverlap::release(std::uint32_t request) {
  requests_[request].stamp = 0;
  unused_.push_back(request);
  --open_;
  while (open_ == 0 && !stack_.empty()) pop(false);  // no request is left to cover it
}

void RequestOverlap::pop(bool is_covered) {
  const Stretch& top = stack_.back();
  if ((top.target & unresolved) == 0) {
    if (is_covered) tree_.amounts(top.target).overlap += top.amount;
  } else {
    Region& region = regions_[top.target & ~unresolved];
    if (is_covered) region.overlap += top.amount;
    region.newest = top.before;
  }
  stack_.pop_back();
}

void RequestOverlap::wait(Nanoseconds amount, std::uint32_t depth) {
  if (depth >= regions_.size()) regions_.resize(depth + 1);
  const std::uint32_t target = unresolved | depth;
  if (!stack_.empty() && stack_.back().stamp == stamp_ && stack_.back().target == target) {
    stack_.back().amount += amount;
    return;
  }
  Region& region = regions_[depth];
  const auto place = static_cast<std::uint32_t>(stack_.size());
  stack_.push_back(Stretch{amount, stamp_, target, region.newest});
  region.newest = place;
  if (stack_.size() >= compact_at_) compact();
}

void RequestOverlap::resolve_touched(std::uint32_t depth, std::uint32_t node) {
  Region& region = regions_[depth];
  if (region.overlap != 0) tree_.amounts(node).overlap += region.overlap;
  for (std::uint32_t place = region.newest; place != none;) {
    Stretch& stretch = stack_[place];
    place = stretch.before;
    stretch.target = node;
    stretch.before = none;
  }
  region = Region{};
}

/// Adds up stretches of one node between which no open request began.
void RequestOverlap::compact() {
  std::vector<std::uint64_t> stamps;
  for (const Request& request : requests_) {
    if (request.stamp != 0) stamps.push_back(request.stamp);
  }
  std::sort(stamps.begin(), stamps.end());
  for (Region& region : regions_) region.newest = none;
  std::vector<Stretch> kept;
  std::unordered_map<std::uint32_t, std::size_t> place_of;  // of targets, within one stamp
  for (Stretch stretch : stack_) {
    const auto above = std::upper_bound(stamps.begin(), stamps.end(), stretch.stamp);
    stretch.stamp = above == stamps.begin() ? 0 : *(above - 1);
    if (stretch.stamp == 0) continue;  // older than all that are open
    if (!kept.empty() && kept.back().stamp != stretch.stamp) place_of.clear();
    const auto [known, is_new] = place_of.try_emplace(stretch.target, kept.size());
    if (!is_new) {
      kept[known->second].amount += stretch.amount;
      continue;
    }
    if ((stretch.target & unresolved) != 0) {
      Region& region = regions_[stretch.target & ~unresolved];
      stretch.before = region.newest;
      region.newest = static_cast<std::uint32_t>(kept.size());
    }
    kept.push_back(stretch);
  }
  stack_.swap(kept);
  compact_at_ = std::max<std::size_t>(4096, stack_.size() * 2);
}

}  // namespace mora::analysis
