/// The identity of an interval by the interval around it, name, file, line and id; nodes are looked up first, since
/// programs repeat them.
#include "analysis/match/interval_visits.h"

namespace mora::analysis {

IntervalVisits::Visit IntervalVisits::enter(std::uint32_t node, std::uint32_t around, trace::RegionId region,
                                            std::uint32_t id) {
  const auto known = of_node_.find(node);
  if (known != of_node_.end()) return {known->second, false};
  Identity identity{around, {}, {}, 0, id};
  if (region < definitions_.regions.size()) {
    const trace::Region& r = definitions_.regions[region];
    // Marks that are calls have no name of their own.
    identity = Identity{around, r.kind == trace::RegionKind::user ? std::string_view(r.name) : std::string_view(),
                        r.call_site_file, r.call_site_line, id};
  }
  const auto [place, is_new] = numbers_.try_emplace(identity, static_cast<std::uint32_t>(numbers_.size()) + 1);
  of_node_.emplace(node, place->second);
  return {place->second, is_new};
}

}  // namespace mora::analysis
