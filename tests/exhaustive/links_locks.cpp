/// In which order locks were held, as consumers put it together.
#include <map>

#include "links_drivers.h"
#include "replay/waiting/lock_groups.h"
#include "support/trace/naive_locks.h"
#include "trace/rma/lock_epochs.h"

namespace mora::links_test {

using trace::LocationId;
using trace::MemorySource;

namespace {

End end_of(const trace::naive::Record& record) { return {record.location, record.ordinal}; }

}  // namespace

std::string text(const Grants& grants) {
  std::string all;
  for (const auto& [request, time] : grants)
    all += std::to_string(request.location) + "/" + std::to_string(request.ordinal) + "@" + std::to_string(time) + " ";
  return all;
}

Grants grants_of_view(MemorySource& source) {
  Grants grants;
  const auto view = view_of(source);
  for (const trace::LockEpoch& epoch : trace::lock_order(*view)) {
    if (epoch.release != 0 && epoch.granted != view->time(epoch.request))
      grants[links_test::end_of(view->event(epoch.request))] = epoch.granted;
  }
  return grants;
}

Grants grants_naively(const MemorySource& source) {
  Grants grants;
  const auto all = trace::naive::lock_epochs(source);
  for (trace::WindowId w = 0; w < source.defs.windows.size(); ++w) {
    for (std::uint32_t target = 0; target < source.defs.world_size; ++target) {
      const auto holders = trace::naive::holders(all, w, target, true);
      for (std::size_t i = 0; i < holders.size(); ++i) {
        const int before = trace::naive::blocker(holders, i);
        if (before < 0) continue;
        const auto& request = holders[i].request;
        const Nanoseconds released = holders[static_cast<std::size_t>(before)].released;
        if (released <= source.events[request.location][request.ordinal].time) continue;
        Nanoseconds& granted = grants[end_of(request)];
        granted = std::max(granted, released);
      }
    }
  }
  return grants;
}

Pairs locks_of_replay(MemorySource& source) {
  const std::size_t n = source.defs.locations.size();
  replay::Actions actions(n, 1 << 20);
  static_cast<void>(joined_of(source, actions));
  const replay::LockOrder order = replay::order_locks(actions.locations);
  std::vector<std::vector<End>> groups(order.groups.size());
  const auto all = trace::naive::lock_epochs(source);
  for (LocationId l = 0; l < n; ++l) {
    for (std::size_t number = 0; number < order.places[l].size(); ++number) {
      const std::uint32_t group = order.places[l][number].group;
      if (group == trace::no_id) continue;
      // The call that asked names the epoch.
      const Nanoseconds asked = actions.locations[l].locks[number].turn.request;
      for (const auto& epoch : all) {
        if (epoch.request.location == l && epoch.asked == asked) groups[group].push_back(end_of(epoch.request));
      }
    }
  }
  Pairs pairs;
  for (std::size_t g = 1; g < groups.size(); ++g) {
    if (order.groups[g].is_first) continue;
    for (const End& before : groups[g - 1]) {
      for (const End& after : groups[g]) pairs.insert(Pair{before, after});
    }
  }
  return pairs;
}

Pairs locks_naively(const MemorySource& source) {
  Pairs pairs;
  const auto all = trace::naive::lock_epochs(source);
  for (trace::WindowId w = 0; w < source.defs.windows.size(); ++w) {
    for (std::uint32_t target = 0; target < source.defs.world_size; ++target) {
      const auto holders = trace::naive::holders(all, w, target, false);
      const auto is_between = [&](std::size_t first, std::size_t last) {  // an epoch that conflicts with both
        for (std::size_t k = first + 1; k < last; ++k) {
          const bool with_first = holders[k].exclusive || holders[first].exclusive;
          if (with_first && (holders[k].exclusive || holders[last].exclusive)) return true;
        }
        return false;
      };
      for (std::size_t i = 0; i < holders.size(); ++i) {
        for (std::size_t j = i + 1; j < holders.size(); ++j) {
          if ((holders[i].exclusive || holders[j].exclusive) && !is_between(i, j))
            pairs.insert(Pair{end_of(holders[i].request), end_of(holders[j].request)});
        }
      }
    }
  }
  return pairs;
}

}  // namespace mora::links_test
