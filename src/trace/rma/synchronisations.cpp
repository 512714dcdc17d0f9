#include "trace/rma/synchronisations.h"

#include <algorithm>

#include "trace/mpi_function.h"

namespace mora::trace {

// Epochs of one (window, rank, partner) follow each other, so the k-th entry of a list is the k-th epoch; fences are
// numbered by their place in the list of their process.
Synchronisations::Synchronisations(const View& view) : view_(view) {
  const Definitions& d = view.definitions();
  // A closed epoch belongs to the partners that it was opened for.
  std::map<std::pair<WindowId, std::uint32_t>, GroupId> open_access, open_exposure;
  const auto members = [&](GroupId group) -> const std::vector<std::uint32_t>& {
    static const std::vector<std::uint32_t> none;
    return group < d.groups.size() ? d.groups[group].members : none;
  };
  const auto close = [&](auto& epochs, auto& open, const ViewEvent& e, std::uint32_t rank, Position p) {
    const auto at = open.find({e.window, rank});
    const GroupId group = at != open.end() ? at->second : e.group;
    for (const std::uint32_t partner : members(group)) {
      auto& list = epochs[Key{e.window, rank, partner}];
      if (!list.empty() && list.back().close == 0) list.back().close = p;
    }
    if (at != open.end()) open.erase(at);
  };
  for (Position p = 1; p <= view.size(); ++p) {
    const EarlType type = view.type(p);
    if (type != EarlType::mpiwcexit && type != EarlType::mpiwexit) continue;
    const ViewEvent e = view.event(p);
    if (e.region >= d.regions.size()) continue;
    const std::uint32_t rank = d.locations[e.location].rank;
    switch (call_class(d.regions[e.region])) {
      case CallClass::fence:
        fence_exits_[{e.window, rank}].push_back(p);
        break;
      case CallClass::start_epoch:
        open_access[{e.window, rank}] = e.group;
        for (const std::uint32_t target : members(e.group)) access_[Key{e.window, rank, target}].push_back({p, 0});
        break;
      case CallClass::post:
        open_exposure[{e.window, rank}] = e.group;
        for (const std::uint32_t origin : members(e.group)) exposure_[Key{e.window, rank, origin}].push_back({p, 0});
        break;
      case CallClass::complete:
        close(access_, open_access, e, rank, p);
        break;
      case CallClass::wait_epoch:
      case CallClass::test_epoch:
        if (e.synex) close(exposure_, open_exposure, e, rank, p);
        break;
      default:
        break;
    }
  }
}

Position Synchronisations::partner_exit(Position exit, std::uint32_t origin, std::uint32_t target) const {
  const EventDetail* detail = view_.detail(exit);
  if (detail == nullptr) return 0;
  const WindowId window = detail->window;
  if (view_.type(exit) == EarlType::mpiwcexit) {
    const auto own = fence_exits_.find({window, origin});
    const auto other = fence_exits_.find({window, target});
    if (own == fence_exits_.end() || other == fence_exits_.end()) return 0;
    const auto at = std::lower_bound(own->second.begin(), own->second.end(), exit);
    const auto k = static_cast<std::size_t>(at - own->second.begin());
    return at != own->second.end() && *at == exit && k < other->second.size() ? other->second[k] : 0;
  }
  if (view_.type(exit) != EarlType::mpiwexit) return 0;
  const auto own = access_.find({window, origin, target});
  const auto other = exposure_.find({window, target, origin});
  if (own == access_.end() || other == exposure_.end()) return 0;
  // Closing exits ascend, except that the last epoch may be open (0).
  std::size_t low = 0, high = own->second.size();
  if (high > 0 && own->second.back().close == 0) --high;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (own->second[middle].close < exit)
      low = middle + 1;
    else
      high = middle;
  }
  return low < own->second.size() && own->second[low].close == exit && low < other->second.size()
             ? other->second[low].close
             : 0;
}

std::vector<std::vector<Position>> Synchronisations::fences(WindowId window) const {
  std::vector<std::vector<Position>> instances;
  for (auto at = fence_exits_.lower_bound({window, 0}); at != fence_exits_.end() && at->first.first == window; ++at) {
    for (std::size_t k = 0; k < at->second.size(); ++k) {
      if (k >= instances.size()) instances.emplace_back();
      instances[k].push_back(at->second[k]);
    }
  }
  for (auto& instance : instances) std::sort(instance.begin(), instance.end());
  return instances;
}

}  // namespace mora::trace
