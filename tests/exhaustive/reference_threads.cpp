/// Knows the programs of programs_threads.cpp: the master's k-th fork is the k-th team; a thread's visit belongs to the
/// team whose fork and join surround its enter.
#include <algorithm>
#include <optional>
#include <vector>

#include "threads.h"

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

namespace {

struct Call {
  std::string name;
  Nanoseconds enter = 0;
  Nanoseconds leave = 0;
  std::vector<Event> records;
};
struct Team {
  Nanoseconds fork = 0;
  Nanoseconds join = 0;
};
struct Lock {
  Nanoseconds enter = 0, acquired = 0, released = 0;
  std::uint32_t thread = 0;
  auto key() const { return std::make_tuple(acquired, released, thread, enter); }
};

std::vector<Call> calls_of(const trace::MemorySource& source, std::uint32_t thread) {
  std::vector<Call> done;
  std::vector<Call> open;
  for (const Event& event : source.events[thread]) {
    if (event.kind == EventKind::enter) {
      Call call;
      call.name = source.defs.regions[event.region].name;
      call.enter = event.time;
      open.push_back(call);
    } else if (event.kind == EventKind::leave) {
      open.back().leave = event.time;
      done.push_back(open.back());
      open.pop_back();
    } else if (!open.empty()) {
      open.back().records.push_back(event);
    }
  }
  std::stable_sort(done.begin(), done.end(), [](const Call& a, const Call& b) { return a.enter < b.enter; });
  return done;
}

bool is_named(const Call& call, const char* name) {
  return call.name.rfind(std::string("!$omp ") + name + " @", 0) == 0;
}

}  // namespace

ThreadCells analyse_threads_naively(const trace::MemorySource& source) {
  ThreadCells cells;
  const auto charge = [&](const std::string& metric, std::uint32_t thread, Nanoseconds amount) {
    if (amount > 0) cells[{metric, thread}] += amount;
  };
  const auto threads = static_cast<std::uint32_t>(source.events.size());
  std::vector<Team> teams;
  Nanoseconds process_begin = INT64_MAX;
  Nanoseconds process_end = INT64_MIN;
  for (const auto& events : source.events) {
    for (const Event& event : events) {
      process_begin = std::min(process_begin, event.time);
      process_end = std::max(process_end, event.time);
      if (event.kind == EventKind::fork) teams.push_back(Team{event.time, 0});
      if (event.kind == EventKind::join) teams.back().join = event.time;
    }
  }
  // visits[team][thread]: the parallel region's call.
  std::vector<std::vector<std::optional<Call>>> visits(teams.size(), std::vector<std::optional<Call>>(threads));
  std::vector<std::vector<Call>> calls;
  std::vector<Lock> locks;
  for (std::uint32_t t = 0; t < threads; ++t) {
    calls.push_back(calls_of(source, t));
    for (const Call& call : calls.back()) {
      if (is_named(call, "parallel")) {
        for (std::size_t k = 0; k < teams.size(); ++k) {
          if (teams[k].fork <= call.enter && call.enter < teams[k].join) visits[k][t] = call;
        }
      }
      if (is_named(call, "critical")) {
        locks.push_back(Lock{call.enter, call.records.front().time, call.records.back().time, t});
      }
    }
  }
  for (std::size_t k = 0; k < teams.size(); ++k) {
    // The barriers of each member, in order.
    std::vector<std::vector<Call>> barriers;
    std::vector<std::uint32_t> who;
    std::size_t longest = 0;
    for (std::uint32_t t = 0; t < threads; ++t) {
      if (!visits[k][t]) continue;
      who.push_back(t);
      barriers.emplace_back();
      for (const Call& call : calls[t]) {
        const bool inside = visits[k][t]->enter <= call.enter && call.leave <= visits[k][t]->leave;
        if (inside && (is_named(call, "barrier") || is_named(call, "implicit barrier")))
          barriers.back().push_back(call);
      }
      longest = std::max(longest, barriers.back().size());
    }
    for (std::size_t n = 0; n < longest; ++n) {
      bool whole = who.size() > 1;  // who is alone waits for nobody
      for (const auto& own : barriers) whole = whole && own.size() > n && own[n].name == barriers.front()[n].name;
      if (!whole) continue;
      Nanoseconds last = INT64_MIN;
      std::vector<std::vector<Call>> tasks(who.size());
      for (std::size_t m = 0; m < who.size(); ++m) {
        const Call& own = barriers[m][n];
        last = std::max(last, own.enter);
        for (const Call& call : calls[who[m]]) {
          if (!is_named(call, "task") || call.enter < own.enter || call.leave > own.leave) continue;
          tasks[m].push_back(call);
          last = std::max(last, call.leave);
        }
      }
      for (std::size_t m = 0; m < who.size(); ++m) {
        const Call& call = barriers[m][n];
        for (Nanoseconds ns = call.enter; ns < std::min(last, call.leave); ++ns) {
          const bool is_at_work = std::any_of(tasks[m].begin(), tasks[m].end(),
                                              [&](const Call& task) { return task.enter <= ns && ns < task.leave; });
          if (is_at_work) continue;
          charge(is_named(call, "barrier") ? "omp-wait-at-explicit-barrier" : "omp-wait-at-implicit-barrier", who[m],
                 1);
        }
      }
    }
  }
  for (const Lock& lock : locks) {
    const Lock* before = nullptr;
    for (const Lock& other : locks) {
      if (other.key() < lock.key() && (before == nullptr || before->key() < other.key())) before = &other;
    }
    if (before == nullptr || before->thread == lock.thread) continue;
    charge("omp-critical-contention", lock.thread, std::min(before->released, lock.acquired) - lock.enter);
  }
  for (std::uint32_t t = 1; t < threads; ++t) {
    std::vector<std::size_t> own;
    for (std::size_t k = 0; k < teams.size(); ++k) {
      if (visits[k][t]) own.push_back(k);
    }
    if (own.empty()) continue;
    for (Nanoseconds ns = process_begin; ns < process_end; ++ns) {
      std::optional<std::size_t> inside, after, before;  // teams of the visits around this nanosecond
      bool is_busy = false;
      for (const std::size_t k : own) {
        const Call& visit = *visits[k][t];
        if (visit.enter <= ns && ns < visit.leave) inside = k;
        if (visit.leave <= ns) after = k;
        if (ns < visit.enter && !before) before = k;
      }
      for (const Team& team : teams) is_busy = is_busy || (team.fork <= ns && ns < team.join);
      if (inside) continue;
      if (after && ns < teams[*after].join) {
        charge("omp-management", t, 1);
      } else if (before && teams[*before].fork <= ns) {
        charge("omp-management", t, 1);
        charge("omp-fork", t, 1);
      } else {
        charge("omp-idle-threads", t, 1);
        if (is_busy) charge("omp-limited-parallelism", t, 1);
      }
    }
  }
  return cells;
}

}  // namespace mora::exhaustive
