#include "experiment/ending/windows.h"

#include <algorithm>

#include "experiment/ending/open_calls.h"
#include "mpi/function.h"

namespace mora::experiment {
namespace {

using journal::pair_high;
using journal::pair_low;
using mpi::CallClass;

constexpr std::int32_t all_targets = -1;

void take_group(const journal::Record& r, WindowTraffic& window, const std::vector<std::uint32_t>& members) {
  const CallClass c = mpi::function(r.function).call;
  if (c == CallClass::test_epoch && (r.flags & MORA_FLAG_UNSUCCESSFUL)) return;
  auto& count = c == CallClass::post          ? window.posted
                : c == CallClass::start_epoch ? window.started
                : c == CallClass::complete    ? window.completed
                                              : window.waited;
  for (const std::uint32_t member : members) ++count[static_cast<std::int32_t>(member)];
}

/// Does a process with these locks hold one that excludes a lock of `target`?
bool excludes(const WindowTraffic& window, std::int32_t target, bool is_exclusive) {
  const auto of = [&](std::int32_t t) {
    const auto held = window.held.find(t);
    return held != window.held.end() && (held->second || is_exclusive);
  };
  if (target != all_targets) return of(target) || of(all_targets);
  return std::any_of(window.held.begin(), window.held.end(), [&](const auto& h) { return h.second || is_exclusive; });
}

bool needs_lock(const OpenCall& open) {
  if (!open.is_open) return false;
  const mpi::Function& f = mpi::function(open.function);
  return f.call == CallClass::lock || f.call == CallClass::unlock ||
         (f.call == CallClass::passive_other && f.id != mpi::FunctionId::win_sync);
}

}  // namespace

void take_window(const journal::Record& r, const WindowNames& names, WindowTable& table) {
  const auto& p = r.payload;
  if (r.shape == MORA_SHAPE_DEFINE_WIN) {
    table.windows[r.object] = {names.comm(static_cast<std::uint32_t>(pair_low(p[0]))),
                               static_cast<std::uint32_t>(pair_high(p[0]))};
    return;
  }
  if (r.shape == MORA_SHAPE_DEFINE_GROUP) {
    auto& members = table.groups[r.object];
    for (std::size_t i = 0; i < static_cast<std::uint32_t>(pair_low(p[0])); ++i)
      members.push_back(static_cast<std::uint32_t>(i % 2 ? pair_high(p[1 + i / 2]) : pair_low(p[1 + i / 2])));
    return;
  }
  const auto known = table.windows.find(r.object);
  if (known == table.windows.end() || (r.flags & (MORA_FLAG_FAILED | MORA_FLAG_NO_PEER))) return;
  WindowTraffic& window = table.traffic[known->second];
  if (r.shape == MORA_SHAPE_WIN_COLLECTIVE) {
    const CallClass c = mpi::function(r.function).call;
    if (c == CallClass::fence || c == CallClass::window_free) ++window.collectives;
  } else if (r.shape == MORA_SHAPE_WIN_GROUP) {
    take_group(r, window, table.groups[static_cast<std::uint32_t>(pair_low(p[0]))]);
  } else if (r.shape == MORA_SHAPE_WIN_LOCK) {
    const auto id = mpi::function(r.function).id;
    const bool is_lock = id == mpi::FunctionId::win_lock || id == mpi::FunctionId::win_lock_all;
    const std::int32_t target = pair_low(p[0]) < 0 ? all_targets : names.world(known->second.first, pair_low(p[0]));
    if (is_lock)
      window.held[target] = pair_high(p[0]) == 1;
    else
      window.held.erase(target);
  }
}

WindowWait window_wait(const std::vector<Traffic>& traffic, const std::vector<std::uint32_t>& members,
                       std::uint32_t rank) {
  const OpenCall& open = traffic[rank].open;
  const auto of = [&](std::uint32_t r) -> const WindowTraffic& {
    static const WindowTraffic nothing;
    const auto it = traffic[r].windows.traffic.find(*open.window);
    return it == traffic[r].windows.traffic.end() ? nothing : it->second;
  };
  const auto number = [](const std::map<std::int32_t, std::uint64_t>& counts, std::uint32_t r) {
    const auto it = counts.find(static_cast<std::int32_t>(r));
    return it == counts.end() ? 0 : it->second;
  };
  const WindowTraffic& own = of(rank);
  const mpi::Function& f = mpi::function(open.function);
  WindowWait wait;
  const auto add_if = [&](auto is_missing) {
    for (const std::uint32_t r : members)
      if (r != rank && r < traffic.size() && is_missing(r)) wait.ranks.push_back(r);
  };
  if (f.call == CallClass::fence || f.call == CallClass::window_free) {
    add_if([&](std::uint32_t r) {
      const OpenCall& other = traffic[r].open;
      const bool is_there = other.is_open && other.window == open.window && other.function == open.function;
      return !is_there && of(r).collectives <= own.collectives;
    });
    wait.one = "has not come to it";
    wait.several = "have not come to it";
  } else if (f.call == CallClass::complete || f.call == CallClass::start_epoch) {
    const bool starts = f.call == CallClass::start_epoch;
    add_if([&](std::uint32_t r) {
      const bool is_target = starts ? std::find(open.group.begin(), open.group.end(), r) != open.group.end()
                                    : number(own.started, r) > number(own.completed, r);
      return is_target && number(of(r).posted, rank) < number(own.started, r) + (starts ? 1 : 0);
    });
    wait.one = "has not called MPI_Win_post for it";
    wait.several = "have not called MPI_Win_post for it";
  } else if (f.call == CallClass::wait_epoch) {
    add_if([&](std::uint32_t r) {
      return number(own.posted, r) > number(own.waited, r) && number(of(r).completed, rank) < number(own.posted, r);
    });
    wait.one = "has not called MPI_Win_complete";
    wait.several = "have not called MPI_Win_complete";
  } else if (needs_lock(open)) {
    const std::int32_t target = open.root >= 0 ? open.root : all_targets;
    const auto held = own.held.find(target);
    const bool is_exclusive = f.call == CallClass::lock ? open.is_exclusive : held != own.held.end() && held->second;
    add_if([&](std::uint32_t r) {
      const OpenCall& other = traffic[r].open;
      const bool waits_itself = needs_lock(other) && other.window == open.window;
      return !waits_itself && excludes(of(r), target, is_exclusive);
    });
    wait.one = "holds the lock";
    wait.several = "hold the lock";
  }
  return wait;
}

}  // namespace mora::experiment
