/// Up to 32 groups are asked one by one, each with a cursor; of more groups all calls are sorted by time, and the
/// search goes backwards until a group with the partner is found.
#include "analysis/core/sync_points.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis {

namespace {

constexpr std::size_t few_groups = 32;

}  // namespace

void SyncPoints::add_group(const GroupSequence& sequence, std::vector<Nanoseconds> begins, std::vector<bool> members) {
  group_of_.emplace(sequence, groups_.size());
  groups_.push_back(Group{sequence, std::move(begins), std::move(members), 0});
}

void SyncPoints::seal() {
  const auto earlier = [](const Times& a, const Times& b) {
    return std::tie(a.own, a.partner) < std::tie(b.own, b.partner);
  };
  for (auto& [who, run] : runs_) {
    if (!std::is_sorted(run.times.begin(), run.times.end(), earlier)) {
      std::sort(run.times.begin(), run.times.end(), earlier);
    }
  }
  if (groups_.size() <= few_groups) return;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    for (std::uint32_t n = 0; n < groups_[g].begins.size(); ++n) calls_.push_back({groups_[g].begins[n], g, n});
  }
  std::sort(calls_.begin(), calls_.end(), [](const GroupCall& a, const GroupCall& b) {
    return std::tie(a.begin, a.group, a.instance) < std::tie(b.begin, b.group, b.instance);
  });
}

std::optional<LastSyncPoint> SyncPoints::last_group(std::uint32_t partner_rank, Nanoseconds before) {
  std::optional<LastSyncPoint> best;
  const auto consider = [&](const Group& group, std::uint32_t instance) {
    const Nanoseconds begin = group.begins[instance];
    if (!best || begin > best->time) best = LastSyncPoint{begin, 0, true, group.sequence, instance};
  };
  const auto takes_part = [&](const Group& group) {
    return partner_rank < group.members.size() && group.members[partner_rank];
  };
  if (groups_.size() <= few_groups) {
    for (Group& group : groups_) {
      if (!takes_part(group)) continue;
      group.cursor = gallop(group.begins.size(), group.cursor, [&](std::size_t i) { return group.begins[i] < before; });
      if (group.cursor > 0) consider(group, static_cast<std::uint32_t>(group.cursor - 1));
    }
    return best;
  }
  auto at = std::partition_point(calls_.begin(), calls_.end(), [&](const GroupCall& c) { return c.begin < before; });
  while (at != calls_.begin()) {
    --at;
    if (best && at->begin <= best->time) break;
    if (!takes_part(groups_[at->group])) continue;
    consider(groups_[at->group], at->instance);
    break;
  }
  return best;
}

std::vector<Nanoseconds> SyncPoints::group_begins() const {
  std::vector<Nanoseconds> begins;
  for (const Group& group : groups_) begins.insert(begins.end(), group.begins.begin(), group.begins.end());
  std::sort(begins.begin(), begins.end());
  return begins;
}

std::optional<Nanoseconds> SyncPoints::begin_of(const GroupSequence& sequence, std::uint32_t instance) const {
  const auto found = group_of_.find(sequence);
  if (found == group_of_.end() || instance >= groups_[found->second].begins.size()) return std::nullopt;
  return groups_[found->second].begins[instance];
}

}  // namespace mora::analysis
