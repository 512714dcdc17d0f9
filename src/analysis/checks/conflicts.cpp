/// Finds overlapping accesses by one pass over them in order of offset. Within an epoch: of each class (put, get, every
/// reduction) the access that reaches farthest is kept, and the farthest one of another origin, and every further
/// access is compared with those of the classes it conflicts with. Between ranks: whole groups of ranges that hang
/// together are taken or left by the classes in them, so that the common case, every rank writes places of its own,
/// ends here (access_order.cpp judges the others).
#include "analysis/checks/conflicts.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace mora::analysis::checks {

namespace {

constexpr std::size_t access_classes = 2 + mpi::reduction_count;

std::size_t class_of(const RangeAccess& range) {
  return range.access == AccessClass::accumulate ? 2 + static_cast<std::size_t>(range.reduction)
                                                 : static_cast<std::size_t>(range.access);
}

/// Accumulates of one origin are ordered, whatever they do (MPI-3.1, 11.7.1: accumulate_ordering).
bool are_ordered(const MetAccess& a, const MetAccess& b) {
  const bool have_one_origin = a.call.location == b.call.location;
  if (!have_one_origin) return false;
  if (a.range.access == AccessClass::accumulate && b.range.access == AccessClass::accumulate) return true;
  if (meet_in_epochs(a.range, b.range)) return false;
  return a.range.issued >= b.range.completed || b.range.issued >= a.range.completed;
}

/// Of one class: the access that reaches farthest, and that of another origin.
struct Farthest {
  const MetAccess* first = nullptr;
  const MetAccess* other = nullptr;

  void take(const MetAccess& access) {
    const auto is_farther = [&](const MetAccess* than) {
      return than == nullptr || end_of(than->range) <= end_of(access.range);
    };
    const bool is_own = first == nullptr || first->call.location == access.call.location;
    if (is_farther(first)) {
      if (!is_own) other = first;
      first = &access;
    } else if (!is_own && is_farther(other)) {
      other = &access;
    }
  }
};

auto in_time(const MetAccess& m) { return std::tie(m.call.begin, m.call.location, m.call.end, m.call.call_path); }

void sort_by_place(std::vector<MetAccess>& accesses) {
  std::sort(accesses.begin(), accesses.end(), [](const MetAccess& a, const MetAccess& b) {
    return std::tuple(a.range.offset, end_of(a.range), a.range.access, in_time(a)) <
           std::tuple(b.range.offset, end_of(b.range), b.range.access, in_time(b));
  });
}

/// What accesses of a group have in common, and their origins if there is only one.
struct Kind {
  RangeAccess like;
  cube::LocationId origin = cube::no_id;
  bool has_several = false;
};

bool needs_order(const std::vector<Kind>& kinds) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for (std::size_t j = i; j < kinds.size(); ++j) {
      const Kind &a = kinds[i], &b = kinds[j];
      const bool has_two_origins = a.has_several || b.has_several || a.origin != b.origin;
      if (has_two_origins && may_conflict(a.like, b.like) && !meet_in_epochs(a.like, b.like) &&
          !exclude_each_other(a.like, b.like)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

void find_conflicts(std::vector<MetAccess>& accesses, bool are_of_one_origin,
                    const std::function<void(const MetAccess& earlier, const MetAccess& later)>& found) {
  sort_by_place(accesses);
  std::array<Farthest, access_classes> farthest = {};
  const auto conflicts = [&](const MetAccess* other, const MetAccess& access) {
    return other != nullptr && may_conflict(other->range, access.range) && end_of(other->range) > access.range.offset &&
           !are_ordered(*other, access) && !(are_of_one_origin && meet_in_epochs(other->range, access.range));
  };
  for (const MetAccess& access : accesses) {
    for (const Farthest& kept : farthest) {
      const MetAccess* other = conflicts(kept.first, access) ? kept.first : kept.other;
      if (!conflicts(other, access)) continue;
      const bool other_first = in_time(*other) <= in_time(access);
      found(other_first ? *other : access, other_first ? access : *other);
      break;
    }
    farthest[class_of(access.range)].take(access);
  }
}

std::vector<MetAccess> in_need_of_order(std::vector<MetAccess>& accesses) {
  sort_by_place(accesses);
  std::vector<MetAccess> needing;
  for (std::size_t first = 0, last = 0; first < accesses.size(); first = last) {
    std::map<std::tuple<std::size_t, trace::WindowId, EpochSlot, bool, bool>, Kind> kinds;
    std::uint64_t end = end_of(accesses[first].range);
    for (; last < accesses.size() && (last == first || accesses[last].range.offset < end); ++last) {
      const RangeAccess& range = accesses[last].range;
      const cube::LocationId origin = accesses[last].call.location;
      end = std::max(end, end_of(range));
      Kind& kind = kinds[{class_of(range), range.window, range.slot, range.takes_lock, range.is_exclusive}];
      kind.has_several = kind.has_several || (kind.origin != cube::no_id && kind.origin != origin);
      kind.like = range;
      kind.origin = origin;
    }
    std::vector<Kind> all;
    for (const auto& [key, kind] : kinds) all.push_back(kind);
    if (needs_order(all)) needing.insert(needing.end(), accesses.begin() + first, accesses.begin() + last);
  }
  return needing;
}

}  // namespace mora::analysis::checks
