#include "support/trace/naive_locks.h"

#include <algorithm>
#include <tuple>

#include "trace/assertion.h"

namespace mora::trace::naive {
namespace {

/// The record of the innermost region's enter around a record; that region is an MPI call.
std::optional<std::uint64_t> call_around(const MemorySource& trace, const std::vector<Event>& stream,
                                         std::uint64_t record) {
  std::vector<std::uint64_t> open;
  for (std::uint64_t i = 0; i < record; ++i) {
    if (stream[i].kind == EventKind::enter) open.push_back(i);
    if (stream[i].kind == EventKind::leave && !open.empty()) open.pop_back();
  }
  if (open.empty() || trace.defs.regions[stream[open.back()].region].kind != RegionKind::mpi) return {};
  return open.back();
}

bool is_access(const Event& e) {
  return e.kind == EventKind::put || e.kind == EventKind::get || e.kind == EventKind::atomic;
}

/// Whether a lock on this target alone was open before a record.
bool own_lock_at(const MemorySource& trace, const std::vector<Event>& stream, std::uint64_t record, WindowId window,
                 std::uint32_t target) {
  for (std::uint64_t i = record; i-- > 0;) {
    const Event& e = stream[i];
    if (e.kind == EventKind::recording_off) return false;
    const bool is_lock = e.kind == EventKind::lock_request || e.kind == EventKind::lock_release;
    if (is_lock && e.window == window && e.peer == target && call_around(trace, stream, i))
      return e.kind == EventKind::lock_request;
  }
  return false;
}

/// Nobody can have released after one who had the lock later.
void correct(std::vector<LockEpoch>& epochs) {
  const std::vector<LockEpoch> recorded = epochs;
  for (std::size_t h = 0; h < epochs.size(); ++h) {
    if (recorded[h].held >= recorded[h].released) continue;
    Nanoseconds released = recorded[h].released;
    for (std::size_t w = 0; w < epochs.size(); ++w) {
      const bool surely_later = recorded[w].accesses && recorded[w].unlock > recorded[h].held;
      if (w != h && surely_later && (recorded[h].exclusive || recorded[w].exclusive))
        released = std::min(released, recorded[w].released);
    }
    if (released >= recorded[h].unlock) epochs[h].released = released;
  }
}

}  // namespace

std::vector<LockEpoch> lock_epochs(const MemorySource& trace) {
  std::vector<LockEpoch> all;
  for (LocationId l = 0; l < trace.events.size(); ++l) {
    const std::vector<Event>& stream = trace.events[l];
    for (std::uint64_t i = 0; i < stream.size(); ++i) {
      const Event& asks = stream[i];
      const auto call = call_around(trace, stream, i);
      if (asks.kind != EventKind::lock_request || !call || (asks.assertion & assertion_nocheck) != 0) continue;
      std::optional<std::uint64_t> end;
      for (std::uint64_t k = i + 1; k < stream.size() && !end; ++k) {
        const Event& e = stream[k];
        if (e.kind == EventKind::recording_off) break;
        const bool is_same = e.window == asks.window && e.peer == asks.peer && call_around(trace, stream, k);
        if (is_same && e.kind == EventKind::lock_request) break;
        if (is_same && e.kind == EventKind::lock_release) end = k;
      }
      if (!end) continue;
      LockEpoch epoch{{l, i}, {l, *end}, asks.window, asks.peer, asks.lock_exclusive};
      epoch.asked = stream[*call].time;
      epoch.unlock = stream[*call_around(trace, stream, *end)].time;
      epoch.held = epoch.released = stream[*end].time;
      const auto prove = [&](std::uint32_t target, bool& accesses, Nanoseconds& held) {
        for (std::uint64_t k = i + 1; k < *end; ++k) {
          const Event& e = stream[k];
          if (e.window != epoch.window || !call_around(trace, stream, k)) continue;
          const bool is_of_other = epoch.target == no_id && own_lock_at(trace, stream, k, e.window, target);
          if (is_access(e) && e.peer == target && !is_of_other) accesses = true;
          const bool flushes = e.kind == EventKind::flush && e.rma_operation != RmaOperation::flush_local &&
                               (e.peer == no_id || e.peer == target);
          if (!flushes || !accesses) continue;
          const std::uint64_t leave = leave_around(stream, k);
          if (leave < *end) held = stream[leave].time;
          if (leave < *end) return;
        }
      };
      if (epoch.target != no_id) {
        prove(epoch.target, epoch.accesses, epoch.held);
      } else {
        for (std::uint32_t target = 0; target < trace.defs.world_size; ++target) {
          bool accesses = false;
          Nanoseconds held = epoch.released;
          prove(target, accesses, held);
          if (accesses) epoch.held_at[target] = held;
        }
      }
      all.push_back(epoch);
    }
  }
  return all;
}

std::vector<LockEpoch> holders(const std::vector<LockEpoch>& all, WindowId window, std::uint32_t target, bool others) {
  std::vector<LockEpoch> here;
  for (const LockEpoch& e : all) {
    if (e.window != window || (e.target != target && (!others || e.target != no_id))) continue;
    here.push_back(e);
    if (e.target != no_id) continue;
    const auto proof = e.held_at.find(target);
    here.back().accesses = proof != e.held_at.end();
    if (here.back().accesses) here.back().held = proof->second;
  }
  correct(here);
  std::sort(here.begin(), here.end(), [](const LockEpoch& a, const LockEpoch& b) {
    return std::tie(a.released, a.held, a.asked, a.request) < std::tie(b.released, b.held, b.asked, b.request);
  });
  return here;
}

int blocker(const std::vector<LockEpoch>& holders, std::size_t i) {
  for (int j = static_cast<int>(i) - 1; j >= 0; --j) {
    if (holders[i].exclusive || holders[static_cast<std::size_t>(j)].exclusive) return j;
  }
  return -1;
}

}  // namespace mora::trace::naive
