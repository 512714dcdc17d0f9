#include "trace/links/epochs.h"

#include <algorithm>
#include <utility>

namespace mora::trace {

EpochChange epoch_change(const Event& event) {
  switch (event.rma_operation) {
    case RmaOperation::start:
      return EpochChange::opens_access;
    case RmaOperation::complete:
      return EpochChange::closes_access;
    case RmaOperation::post:
      return EpochChange::opens_exposure;
    default:
      return event.epoch_closed ? EpochChange::closes_exposure : EpochChange::none;
  }
}

const std::vector<std::uint32_t>& WindowEpochs::members(GroupId group) {
  const auto [place, is_new] = groups_.try_emplace(group);
  if (is_new && group < definitions_.groups.size()) {
    place->second = definitions_.groups[group].members;
    std::sort(place->second.begin(), place->second.end());
    place->second.erase(std::unique(place->second.begin(), place->second.end()), place->second.end());
  }
  return place->second;
}

WindowEpochs::Window& WindowEpochs::window(WindowId id, std::uint32_t stretch) {
  Window& w = windows_[id];
  if (w.stretch == stretch) return w;
  w.stretch = stretch;
  w.fences = 0;
  w.locks.clear();
  for (Kind* kind : {&w.access, &w.exposure}) {
    kind->epochs = 0;
    kind->numbers.clear();
  }
  return w;
}

void WindowEpochs::open(Kind& kind, WindowId window, GroupId group, std::uint32_t stretch) {
  if (kind.is_open) {
    std::swap(lost_, kind.epoch);
    result_.lost = &lost_;
  }
  kind.is_open = true;
  number(kind, kind.epoch, window, group, stretch);
  result_.epoch = &kind.epoch;
}

void WindowEpochs::number(Kind& kind, Epoch& epoch, WindowId window, GroupId group, std::uint32_t stretch) {
  epoch.window = window;
  epoch.group = group;
  epoch.stretch = stretch;
  epoch.partners.clear();
  for (const std::uint32_t rank : members(group)) epoch.partners.push_back({rank, kind.numbers[rank]++});
}

void WindowEpochs::close(Kind& kind, WindowId window, GroupId group, std::uint32_t stretch) {
  if (!kind.is_open) {
    number(kind, unseen_, window, group, stretch);
    result_.unseen = &unseen_;
    return;
  }
  kind.is_open = false;
  if (kind.epoch.stretch == stretch) {
    ++kind.epochs;
    result_.epoch = &kind.epoch;
  } else {
    result_.lost = &kind.epoch;
  }
}

const WindowEpochs::Result& WindowEpochs::change(EpochChange change, WindowId id, GroupId group,
                                                 std::uint32_t stretch) {
  result_ = {};
  result_.change = change;
  Window& w = window(id, stretch);
  switch (change) {
    case EpochChange::opens_access:
      open(w.access, id, group, stretch);
      break;
    case EpochChange::closes_access:
      close(w.access, id, group, stretch);
      break;
    case EpochChange::opens_exposure:
      open(w.exposure, id, group, stretch);
      break;
    case EpochChange::closes_exposure:
      close(w.exposure, id, group, stretch);
      break;
    case EpochChange::none:
      break;
  }
  return result_;
}

void WindowEpochs::lock(WindowId id, std::uint32_t target, bool takes, std::uint32_t stretch) {
  Window::Lock& lock = window(id, stretch).locks[target];
  lock.is_held = takes;
  lock.taken += takes ? 1 : 0;
}

std::uint32_t WindowEpochs::locks_taken(WindowId id, std::uint32_t target, std::uint32_t stretch) {
  return window(id, stretch).locks[target].taken;
}

std::uint32_t WindowEpochs::fence(WindowId id, std::uint32_t stretch) { return window(id, stretch).fences++; }

WindowEpochs::TransferPlace WindowEpochs::place(WindowId id, std::uint32_t target, std::uint32_t stretch) {
  Window& w = window(id, stretch);
  for (const std::uint32_t whose : {target, no_id}) {
    const auto lock = w.locks.find(whose);
    if (lock == w.locks.end() || !lock->second.is_held) continue;
    return {whose == no_id ? Place::lock_all : Place::lock, nullptr, nullptr, lock->second.taken - 1};
  }
  const Epoch& access = w.access.epoch;
  if (w.access.is_open && access.stretch == stretch) {
    const auto at = std::lower_bound(access.partners.begin(), access.partners.end(), target,
                                     [](const Partner& p, std::uint32_t rank) { return p.rank < rank; });
    if (at != access.partners.end() && at->rank == target) return {Place::access, &access, &*at, w.access.epochs};
  }
  // Behind a gap there may have been a fence before.
  if (w.fences == 0 && stretch == 0) return {};
  return {Place::fence, nullptr, nullptr, w.fences};
}

std::vector<const WindowEpochs::Epoch*> WindowEpochs::open_accesses() const {
  std::vector<const Epoch*> all;
  for (const auto& [id, w] : windows_) {
    if (w.access.is_open) all.push_back(&w.access.epoch);
  }
  return all;
}

}  // namespace mora::trace
