/// Locks and progress once more, from the definitions in docs/formats/metrics.md: nested loops over materialised calls.
#include "passive.h"

#include <algorithm>
#include <vector>

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

namespace {

struct PlainCall {
  std::uint32_t rank = 0;
  std::string name;
  Nanoseconds enter = 0, leave = 0;
  Event record;  ///< its one record, if any
  bool has_record = false;
};

struct PlainEpoch {
  std::uint32_t rank = 0;
  std::size_t order = 0;
  bool exclusive = false;
  std::uint32_t target = trace::no_id;  ///< no_id: all
  Nanoseconds release = 0;
  Nanoseconds held = 0;  ///< has the lock, proved by a flush after a transfer; release if there is none
  bool accesses = false;
  std::vector<PlainCall> calls;
};

struct Reference {
  std::vector<std::vector<PlainCall>> calls;  ///< MPI calls by rank
  std::vector<PlainEpoch> epochs;
  Cells cells;

  void add(const char* metric, const PlainCall& call, Nanoseconds amount) {
    if (amount > 0) cells[{metric, "/main/" + call.name, call.rank}] += amount;
  }
  bool holds(const PlainEpoch& e, std::uint32_t target) const { return e.target == trace::no_id || e.target == target; }
  /// Index of the epoch that blocked epoch i on the target; -1: nobody.
  int blocker(std::size_t i, std::uint32_t target) const {
    const auto rank = [&](const PlainEpoch& e) {
      return std::make_tuple(e.release, e.held, e.calls.front().enter, e.rank, e.order);
    };
    int best = -1;
    for (std::size_t j = 0; j < epochs.size(); ++j) {
      if (j == i || !holds(epochs[j], target) || (!epochs[i].exclusive && !epochs[j].exclusive)) continue;
      if (rank(epochs[j]) > rank(epochs[i])) continue;
      if (best < 0 || rank(epochs[j]) > rank(epochs[static_cast<std::size_t>(best)])) best = static_cast<int>(j);
    }
    return best;
  }
  void read(const trace::MemorySource& source);
  /// No epoch is released after one that is proved to have come later.
  void correct_releases();
  void score();
};

void Reference::read(const trace::MemorySource& source) {
  calls.resize(source.events.size());
  for (std::uint32_t r = 0; r < source.events.size(); ++r) {
    std::vector<PlainEpoch> open;
    for (const Event& e : source.events[r]) {
      if (e.kind == EventKind::enter && source.defs.regions[e.region].name != "main") {
        PlainCall call;
        call.rank = r;
        call.name = source.defs.regions[e.region].name;
        call.enter = e.time;
        calls[r].push_back(call);
      } else if (e.kind == EventKind::leave && source.defs.regions[e.region].name != "main") {
        PlainCall& call = calls[r].back();
        call.leave = e.time;
        if (!call.has_record) continue;
        if (call.record.kind == EventKind::lock_request) {
          PlainEpoch epoch;
          epoch.rank = r;
          epoch.exclusive = call.record.lock_exclusive;
          epoch.target = call.record.peer;
          open.push_back(epoch);
        }
        open.back().calls.push_back(call);
        if (call.record.kind == EventKind::lock_release) {
          open.back().release = call.record.time;
          open.back().order = epochs.size();
          epochs.push_back(open.back());
          open.pop_back();
        }
      } else if (e.kind == EventKind::lock_request || e.kind == EventKind::lock_release || e.kind == EventKind::put ||
                 e.kind == EventKind::atomic || e.kind == EventKind::flush) {
        calls[r].back().record = e;
        calls[r].back().has_record = true;
      }
    }
  }
}

void Reference::correct_releases() {
  for (PlainEpoch& e : epochs) {
    e.held = e.release;
    for (std::size_t c = 1; c + 1 < e.calls.size(); ++c) {
      const Event& record = e.calls[c].record;
      if (record.kind != EventKind::flush) {
        e.accesses = true;
      } else if (e.accesses && record.rma_operation != trace::RmaOperation::flush_local && e.held == e.release) {
        e.held = e.calls[c].leave;
      }
    }
  }
  const std::vector<PlainEpoch> before = epochs;
  for (std::size_t h = 0; h < epochs.size(); ++h) {
    if (before[h].held >= before[h].release) continue;
    Nanoseconds release = before[h].release;
    for (std::size_t w = 0; w < epochs.size(); ++w) {
      // Only rank 0 is locked by itself and accessed, so those of lock_all meet the others there.
      const bool conflicts = before[h].exclusive || before[w].exclusive;
      if (w == h || !conflicts || !before[w].accesses || before[w].calls.back().enter <= before[h].held) continue;
      release = std::min(release, before[w].release);
    }
    if (release >= before[h].calls.back().enter) epochs[h].release = release;
  }
}

void Reference::score() {
  const auto ranks = static_cast<std::uint32_t>(calls.size());
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const PlainEpoch& epoch = epochs[i];
    std::vector<Nanoseconds> granted;  // per call: end of the contention
    std::vector<Nanoseconds> late;
    for (const PlainCall& call : epoch.calls) granted.push_back(call.enter);
    late.resize(epoch.calls.size());
    std::vector<std::uint32_t> last_holder(epoch.calls.size(), trace::no_id);
    for (std::uint32_t target = 0; target < ranks; ++target) {
      if (!holds(epoch, target)) continue;
      const int h = blocker(i, target);
      if (h < 0) continue;
      const PlainEpoch& holder = epochs[static_cast<std::size_t>(h)];
      if (holder.rank == epoch.rank) continue;
      const int before = blocker(static_cast<std::size_t>(h), target);
      const Nanoseconds holder_grant = before < 0 ? INT64_MIN : epochs[static_cast<std::size_t>(before)].release;
      const Nanoseconds earliest = std::max(holder.calls.back().enter, holder_grant);
      int waiter = -1;
      Nanoseconds longest = 0;
      for (std::size_t c = 0; c < epoch.calls.size(); ++c) {
        const PlainCall& call = epoch.calls[c];
        const bool other_target = c > 0 && c + 1 < epoch.calls.size() && call.record.peer != target;
        if (other_target || call.enter >= holder.release || call.leave <= earliest) continue;
        const Nanoseconds waited = std::min(call.leave, holder.release) - call.enter;
        if (waited > 0 && waited >= longest) waiter = static_cast<int>(c), longest = waited;
      }
      if (waiter < 0) continue;
      const PlainCall& call = epoch.calls[static_cast<std::size_t>(waiter)];
      const Nanoseconds until = std::min(call.leave, holder.release);
      Nanoseconds used = holder.calls.front().leave;
      for (std::size_t c = 1; c + 1 < holder.calls.size(); ++c) {
        if (holder.calls[c].record.peer == target) used = holder.calls[c].leave;
      }
      const Nanoseconds idle = std::max({call.enter, used, holder_grant});
      // Only rank 0 is locked by itself, so at most one target blocks a lock_all epoch.
      granted[static_cast<std::size_t>(waiter)] = until;
      late[static_cast<std::size_t>(waiter)] = std::min(until, holder.calls.back().enter) - idle;
    }
    bool accessed = false;
    for (std::size_t c = 1; c + 1 < epoch.calls.size(); ++c) accessed = true;
    for (std::size_t c = 0; c < epoch.calls.size(); ++c) {
      const PlainCall& call = epoch.calls[c];
      const bool ends = c == 0 || c + 1 == epoch.calls.size();
      const bool data = call.record.kind == EventKind::put || call.record.kind == EventKind::atomic;
      const Nanoseconds waited = granted[c] - call.enter;
      add(data ? "lock-contention-comm" : "lock-contention", call, waited);
      if (epoch.target == trace::no_id) {
        if (!data) add("lock-all-contention", call, waited);
      } else if (waited > 0) {
        add(data ? "late-unlock-comm" : "late-unlock", call, late[c]);
      }
      // Everything accesses rank 0.
      if (epoch.rank == 0 || (epoch.target == trace::no_id && ends && !accessed)) continue;
      for (std::size_t m = 0; m < calls[0].size(); ++m) {
        if (calls[0][m].leave <= granted[c]) continue;
        std::size_t first = m;  // calls without time between them are one stay in MPI
        while (first > 0 && calls[0][first - 1].leave == calls[0][first].enter) --first;
        const Nanoseconds begin = calls[0][first].enter;
        if (begin > granted[c] && begin <= call.leave && granted[c] < call.leave) {
          add(data                                   ? "wait-for-progress-comm"
              : call.record.kind == EventKind::flush ? "flush-wait"
                                                     : "wait-for-progress",
              call, begin - granted[c]);
        }
        break;
      }
    }
  }
}

}  // namespace

Cells passive_cells_naively(const trace::MemorySource& source) {
  Reference reference;
  reference.read(source);
  reference.correct_releases();
  reference.score();
  return reference.cells;
}

}  // namespace mora::exhaustive
