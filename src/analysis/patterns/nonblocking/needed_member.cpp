/// One pass per shape of operation; notation and source: needed_member.h.
#include "analysis/patterns/nonblocking/needed_member.h"

#include <map>

#include "trace/mpi_function.h"

namespace mora::analysis {

namespace {

using mpi::CollectiveShape;

void keep_later(std::span<const Member> members, std::size_t candidate, std::size_t& last) {
  if (last == no_member || members[candidate].begin > members[last].begin) last = candidate;
}

}  // namespace

std::vector<std::size_t> needed_members(trace::Collective operation, const CollectiveInstance& instance) {
  const std::span<const Member> members = instance.members;
  std::vector<std::size_t> needed(members.size(), no_member);
  const std::size_t last_sender = latest(members, [](const Member& m) { return m.sends; });
  const std::size_t root = instance.root;
  if (mpi::has_partners(operation)) {
    for (std::size_t p = 0; p < instance.partners.size(); ++p) {
      if (instance.partners[p] == nullptr) continue;
      for (const std::uint32_t q : *instance.partners[p]) keep_later(members, q, needed[p]);
    }
    return needed;
  }
  switch (mpi::shape(operation)) {
    case CollectiveShape::barrier:
      needed.assign(members.size(), latest(members, [](const Member&) { return true; }));
      break;
    case CollectiveShape::one_to_all:
      if (root == no_member || !members[root].sends) break;
      for (std::size_t p = 0; p < members.size(); ++p) {
        if (members[p].receives) needed[p] = root;
      }
      break;
    case CollectiveShape::all_to_one:
      if (root != no_member && members[root].receives) needed[root] = last_sender;
      break;
    case CollectiveShape::all_to_all:
      for (std::size_t p = 0; p < members.size(); ++p) {
        if (members[p].receives) needed[p] = last_sender;
      }
      break;
    case CollectiveShape::prefix: {
      std::size_t last = no_member;
      for (std::size_t p = 0; p < members.size(); ++p) {
        if (members[p].sends) keep_later(members, p, last);
        if (members[p].sends || members[p].receives) needed[p] = last;
      }
      break;
    }
    case CollectiveShape::neighborhood:
    case CollectiveShape::none:
      break;
  }
  for (std::size_t p = 0; p < members.size(); ++p) {
    if (needed[p] == p) needed[p] = no_member;
  }
  return needed;
}

std::vector<std::size_t> last_to_complete(trace::Collective operation, const CollectiveInstance& instance,
                                          std::span<const Member> completions) {
  const std::span<const Member> members = instance.members;
  const mpi::CollectiveShape shape = mpi::shape(operation);
  std::vector<std::size_t> last(members.size(), no_member);
  // Of those that are needed; of equal ones the first. They are put in order only for a member that was through before
  // the last of them came.
  std::vector<std::size_t> needed;
  std::size_t latest_needed = no_member;
  std::map<Nanoseconds, std::size_t> begins;
  std::size_t ordered = 0;
  const auto add = [&](std::size_t q) {
    if (completions[q].broken) return;
    needed.push_back(q);
    keep_later(completions, q, latest_needed);
  };
  const auto look_up = [&](std::size_t p) {
    if (completions[p].broken || needed.empty()) return;
    if (completions[latest_needed].begin <= completions[p].end) {
      last[p] = latest_needed;
      return;
    }
    for (; ordered < needed.size(); ++ordered) begins.try_emplace(completions[needed[ordered]].begin, needed[ordered]);
    const auto after = begins.upper_bound(completions[p].end);
    if (after != begins.begin()) last[p] = std::prev(after)->second;
  };
  if (mpi::has_partners(operation)) {
    for (std::size_t p = 0; p < instance.partners.size(); ++p) {
      if (instance.partners[p] == nullptr) continue;
      needed.clear();
      begins.clear();
      latest_needed = no_member;
      ordered = 0;
      for (const std::uint32_t q : *instance.partners[p]) add(q);
      look_up(p);
    }
    return last;
  }
  const std::size_t root = instance.root;
  const bool has_root = root != no_member;
  for (std::size_t q = 0; q < members.size() && shape != CollectiveShape::prefix; ++q) {
    if (shape == CollectiveShape::one_to_all && q != root) continue;
    if (members[q].sends || shape == CollectiveShape::barrier) add(q);
  }
  for (std::size_t p = 0; p < members.size(); ++p) {
    const bool takes_part = members[p].receives || shape == CollectiveShape::barrier;
    if (shape == CollectiveShape::prefix && members[p].sends) add(p);
    if (shape == CollectiveShape::all_to_one && (!has_root || p != root)) continue;
    if (takes_part || (shape == CollectiveShape::prefix && members[p].sends)) look_up(p);
  }
  return last;
}

const MetricInfo* nonblocking_wait_of(trace::Collective operation) {
  switch (mpi::shape(operation)) {
    case CollectiveShape::barrier:
      return &nonblocking_wait_at_barrier_info;
    case CollectiveShape::one_to_all:
      return &nonblocking_late_broadcast_info;
    case CollectiveShape::all_to_one:
      return &nonblocking_early_reduce_info;
    case CollectiveShape::all_to_all:
      return &nonblocking_wait_at_nxn_info;
    case CollectiveShape::prefix:
      return &nonblocking_early_scan_info;
    case CollectiveShape::neighborhood:
      return &nonblocking_wait_at_neighborhood_info;
    case CollectiveShape::none:
      break;
  }
  return nullptr;
}

}  // namespace mora::analysis
