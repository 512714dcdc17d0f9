/// Finds overlapping accesses by one pass over them in order of offset: of each class the access that reaches farthest
/// is kept, and every further access is compared with those of the classes it conflicts with.
#include "analysis/checks/conflicts.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace mora::analysis::checks {

namespace {

std::uint64_t end_of(const RangeAccess& range) {
  return range.offset > UINT64_MAX - range.extent ? UINT64_MAX : range.offset + range.extent;
}

bool classes_conflict(AccessClass a, AccessClass b) {
  if (a == b) return a == AccessClass::put;
  return true;
}

/// Whether nothing orders them; in fence and access epochs nothing ever does.
bool are_concurrent(const MetAccess& a, const MetAccess& b) {
  if (a.range.slot != EpochSlot::lock) return true;
  if (a.call.location == b.call.location) return a.range.number == b.range.number;
  return a.range.shared && b.range.shared && a.call.begin < b.range.until && b.call.begin < a.range.until;
}

}  // namespace

void find_conflicts(std::vector<MetAccess>& accesses,
                    const std::function<void(const MetAccess& earlier, const MetAccess& later)>& found) {
  const auto in_time = [](const MetAccess& m) {
    return std::tie(m.call.begin, m.call.location, m.call.end, m.call.call_path);
  };
  std::sort(accesses.begin(), accesses.end(), [&](const MetAccess& a, const MetAccess& b) {
    return std::tuple(a.range.offset, end_of(a.range), a.range.access, in_time(a)) <
           std::tuple(b.range.offset, end_of(b.range), b.range.access, in_time(b));
  });
  std::array<const MetAccess*, 3> farthest = {};
  for (const MetAccess& access : accesses) {
    for (const MetAccess* other : farthest) {
      if (other == nullptr || !classes_conflict(other->range.access, access.range.access) ||
          end_of(other->range) <= access.range.offset || !are_concurrent(*other, access)) {
        continue;
      }
      const bool other_first = in_time(*other) <= in_time(access);
      found(other_first ? *other : access, other_first ? access : *other);
      break;
    }
    const MetAccess*& place = farthest[static_cast<std::size_t>(access.range.access)];
    if (place == nullptr || end_of(place->range) <= end_of(access.range)) place = &access;
  }
}

}  // namespace mora::analysis::checks
