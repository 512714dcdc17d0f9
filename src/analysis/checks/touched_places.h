/// The memory of one target, and who touched which part of it last.
///
/// Idea: accesses come in an order that agrees with what orders them. As long as nothing conflicts, all puts to a place
/// are ordered one after the other, so that a new access need be compared only with the last put, the gets since, and
/// the last accumulates of each origin: whoever comes after these comes after all. Source: Flanagan 2009
/// (FastTrack), here with ranges of bytes, with three classes of accesses instead of two, and with accesses that last
/// from their issue to their completion. Cost: O(log places) per access and part that it touches; memory per part that
/// was touched apart from its neighbours. Limits: behind a conflict the earlier access is forgotten, so that of several
/// conflicts of one access one is found.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/rma_access.h"

namespace mora::analysis::checks {

class TouchedPlaces {
 public:
  /// `accesses` outlive it; accesses are told by their index. Origins are locations.
  explicit TouchedPlaces(const std::vector<MetAccess>& accesses) : accesses_(accesses) {}

  /// The next access. `is_before(earlier)`: that one was complete before this one was issued. Returns an earlier one
  /// that it conflicts with; no_id: none.
  template <class IsBefore>
  std::uint32_t touch(std::uint32_t access, const IsBefore& is_before) {
    const RangeAccess& range = accesses_[access].range;
    std::uint32_t conflict = trace::no_id;
    const auto first = split(range.offset), last = split(end_of(range));
    fill(first, range.offset, end_of(range));
    for (auto part = parts_.lower_bound(range.offset); part != last; ++part) {
      const std::uint32_t found = part->second.touch(accesses_, access, is_before);
      if (conflict == trace::no_id) conflict = found;
    }
    if (range.access == AccessClass::put) join(range.offset, last);
    return conflict;
  }

 private:
  struct Part {
    std::uint64_t end = 0;
    std::uint32_t put = trace::no_id;   ///< the last one
    std::vector<std::uint32_t> others;  ///< gets and accumulates since: of each origin and class the last, and what was
                                        ///< not complete when that was issued

    template <class IsBefore>
    std::uint32_t touch(const std::vector<MetAccess>& accesses, std::uint32_t access, const IsBefore& is_before) {
      const MetAccess& now = accesses[access];
      std::uint32_t conflict = trace::no_id;
      const auto check = [&](std::uint32_t before) {
        const MetAccess& then = accesses[before];
        const bool is_own = then.call.location == now.call.location;  // judged where they were recorded
        if (conflict == trace::no_id && !is_own && may_conflict(then.range, now.range) &&
            !meet_in_epochs(then.range, now.range) && !exclude_each_other(then.range, now.range) &&
            !is_before(before)) {
          conflict = before;
        }
      };
      if (put != trace::no_id) check(put);
      for (const std::uint32_t other : others) check(other);
      if (now.range.access == AccessClass::put) {
        put = access;
        others.clear();
        return conflict;
      }
      std::erase_if(others, [&](std::uint32_t other) {
        const MetAccess& then = accesses[other];
        return then.call.location == now.call.location && then.range.access == now.range.access &&
               then.range.reduction == now.range.reduction &&
               (then.range.completed == now.range.completed || then.range.completed < now.range.issued);
      });
      others.push_back(access);
      return conflict;
    }
  };
  using Parts = std::map<std::uint64_t, Part>;

  /// The first part that begins at or behind `at`; none reaches over it any more.
  Parts::iterator split(std::uint64_t at) {
    const auto next = parts_.lower_bound(at);
    if (next == parts_.begin()) return next;
    const auto before = std::prev(next);
    if (before->second.end <= at) return next;
    Part rest = before->second;
    before->second.end = at;
    return parts_.emplace_hint(next, at, std::move(rest));
  }
  /// Makes parts where nobody was yet.
  void fill(Parts::iterator next, std::uint64_t from, std::uint64_t until) {
    for (; from < until; ++next) {
      const std::uint64_t end = next == parts_.end() ? until : std::min(until, next->first);
      if (from < end) {
        Part part;
        part.end = end;
        parts_.emplace_hint(next, from, std::move(part));
      }
      if (end == until) return;
      from = next->second.end;
    }
  }
  /// Parts of one put are one.
  void join(std::uint64_t from, Parts::iterator last) {
    const auto first = parts_.find(from);
    if (first == last) return;
    first->second.end = std::prev(last)->second.end;
    parts_.erase(std::next(first), last);
  }

  const std::vector<MetAccess>& accesses_;
  Parts parts_;
};

}  // namespace mora::analysis::checks
