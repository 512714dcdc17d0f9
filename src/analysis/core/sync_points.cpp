/// Up to 32 groups are asked one by one, each with a cursor; of more groups all calls are sorted by time, and the
/// search goes backwards until a group with the partner is found.
#include "analysis/core/sync_points.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "analysis/storage/sorted_by.h"

namespace mora::analysis {

namespace {

constexpr std::size_t few_groups = 32;

}  // namespace

void SyncPoints::add_group(const GroupSequence& sequence, std::vector<Nanoseconds> begins, std::vector<bool> members) {
  group_of_.emplace(sequence, groups_.size());
  groups_.push_back(Group{sequence, std::move(begins), std::move(members), 0});
}

SyncPoints::Run* SyncPoints::run_to_add(std::uint64_t who) { return &runs_[who]; }

void SyncPoints::Run::pack() {
  if (many_ != nullptr) return;
  many_ = std::make_unique<Many>();
  for (const Times& times : few_) many_->add(times);
  SpillVector<Times>().swap(few_);
}

void SyncPoints::Run::sort() {
  const bool was_many = many_ != nullptr;
  if (was_many) {
    few_.reserve(size());
    for (std::size_t i = 0; i < size(); ++i) few_.push_back((*this)[i]);
    many_.reset();
  }
  sort_by(
      few_, [](const Times& t) { return t.own; }, [](const Times& t) { return t.partner; });
  if (was_many) pack();
}

void SyncPoints::seal() {
  for (auto& [who, run] : runs_) run.sort();
  if (groups_.size() <= few_groups) return;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    for (std::uint32_t n = 0; n < groups_[g].begins.size(); ++n) calls_.push_back({groups_[g].begins[n], g, n});
  }
  std::sort(calls_.begin(), calls_.end(), [](const GroupCall& a, const GroupCall& b) {
    return std::tie(a.begin, a.group, a.instance) < std::tie(b.begin, b.group, b.instance);
  });
}

SyncPoints::Run* SyncPoints::run_of(cube::LocationId location, cube::LocationId partner) {
  const std::uint64_t who = pair(location, partner);
  Recent& recent = recent_[partner % recent_.size()];
  if (recent.run != nullptr && recent.who == who) return recent.run;
  const auto found = runs_.find(who);
  if (found == runs_.end()) return nullptr;
  recent = {who, &found->second};
  return recent.run;
}

void SyncPoints::Run::leave_out(std::size_t n) {
  if (counting.empty()) {
    counting.resize(size() + 1);
    std::iota(counting.begin(), counting.end(), 0U);
  }
  counting[n] = static_cast<std::uint32_t>(n - 1);
}

void SyncPoints::move_cursors(Nanoseconds before) {
  if (steady_from_ < before && before <= steady_until_) return;
  ++moves_;
  steady_from_ = INT64_MIN;
  steady_until_ = INT64_MAX;
  for (Group& group : groups_) {
    const std::size_t at = group.cursor =
        gallop(group.begins.size(), group.cursor, [&](std::size_t i) { return group.begins[i] < before; });
    if (at > 0) steady_from_ = std::max(steady_from_, group.begins[at - 1]);
    if (at < group.begins.size()) steady_until_ = std::min(steady_until_, group.begins[at]);
  }
}

bool SyncPoints::Group::has(std::uint32_t rank) const { return rank < members.size() && members[rank]; }

SyncPoints::GroupCall SyncPoints::latest_group(std::uint32_t partner_rank) const {
  GroupCall best;
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (group.cursor == 0 || !group.has(partner_rank)) continue;
    const std::size_t last = group.cursor - 1;
    if (group.begins[last] > best.begin) best = {group.begins[last], g, static_cast<std::uint32_t>(last)};
  }
  return best;
}

std::optional<LastSyncPoint> SyncPoints::point(const GroupCall& call) const {
  if (call.begin == INT64_MIN) return std::nullopt;
  return LastSyncPoint{call.begin, 0, true, groups_[call.group].sequence, call.instance};
}

SyncPoints::GroupCall SyncPoints::last_group(std::uint32_t partner_rank, Nanoseconds before) {
  if (groups_.size() <= few_groups) {
    move_cursors(before);
    Latest& latest = latest_[partner_rank % latest_.size()];
    if (latest.moves != moves_ || latest.partner_rank != partner_rank)
      latest = {moves_, partner_rank, latest_group(partner_rank)};
    return latest.call;
  }
  auto at = std::partition_point(calls_.begin(), calls_.end(), [&](const GroupCall& c) { return c.begin < before; });
  while (at != calls_.begin()) {
    --at;
    if (groups_[at->group].has(partner_rank)) return *at;
  }
  return {};
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
