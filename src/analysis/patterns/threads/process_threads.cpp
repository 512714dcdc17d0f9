/// How the threads of a team are put together.
///
/// Idea: a team exists from a fork to its join; in traces without forks, from enter to leave of a parallel region on
/// the process's first thread. A visit of a parallel region belongs to the innermost open team that its own thread
/// made; otherwise (a worker) to the open team of another thread whose maker entered the same region, with the same
/// number of a team if the trace gives one. The n-th barrier of each thread within a team is one instance: teams may be
/// of any size, and each of another. Tasks that a thread executes inside a barrier are nested calls: their time is
/// work. So a barrier lasts until the last thread has come and the last of these tasks has ended; a thread waits,
/// between its own tasks, first for the one that comes last, then for the one whose task ends last.
///
/// Source: Scalasca 2.6, Wait at Explicit OpenMP Barrier Time; Mora's rule omp-barriers. Cost: O(events log events)
/// time, about 60 bytes per visit, barrier and lock acquisition, 64 per task in a barrier (chunked.h). Limits: two
/// teams that fit - nested parallelism that a trace without numbers does not tell apart - are counted (ambiguous-team),
/// not guessed; barriers outside recorded parallel regions look at the 64 youngest teams only.
#include "analysis/patterns/threads/process_threads.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/patterns/threads/lock_chain.h"

namespace mora::analysis {
namespace {

/// By line, or by function and offset in the name where there are no lines.
bool has_place(const trace::Region& region) {
  return region.call_site_line != 0 || region.name.find('@') != std::string::npos;
}

/// Whether two threads are at the same barrier. Its place is not known of all: not of a call in the last place of the
/// team's function (rule call-in-last-place, docs/rules.md).
bool may_be_one(const DomainContext& context, trace::RegionId a, trace::RegionId b) {
  if (a == b) return true;
  const auto& regions = context.definitions.regions;
  return context.regions[a].account == context.regions[b].account && !(has_place(regions[a]) && has_place(regions[b]));
}

}  // namespace

void ProcessThreads::score() {
  for (const ThreadLog* log : logs_) {
    if (!log->has_events) continue;
    first_ = std::min(first_, log->first);
    last_ = std::max(last_, log->last);
  }
  for (ThreadLog* log : logs_) {
    const auto by_number = [](const ThreadVisit& a, const ThreadVisit& b) { return a.number < b.number; };
    std::sort(log->parallels.begin(), log->parallels.end(), by_number);
    std::sort(log->barriers.begin(), log->barriers.end(), by_number);
  }
  find_teams();
  assign_own_visits();
  assign_other_visits();
  assign_barriers();
  score_barriers();
  score_locks();
  score_idle_threads();
}

/// Teams by their forks; in traces without forks by the parallel regions of the first thread.
void ProcessThreads::find_teams() {
  for (std::uint32_t l = 0; l < logs_.size(); ++l) {
    for (const ThreadFork& fork : logs_[l]->forks) {
      teams_.push_back(Team{fork.time, std::min(fork.join, last_), l, fork.node, trace::no_id, 0, {}});
    }
  }
  if (teams_.empty() && !logs_.empty()) {
    for (const ThreadVisit& visit : logs_.front()->parallels) {
      teams_.push_back(Team{visit.enter, visit.leave, 0, visit.node, trace::no_id, 0, {}});
    }
  }
  std::stable_sort(teams_.begin(), teams_.end(), [](const Team& a, const Team& b) { return a.begin < b.begin; });
  teams_of_log_.resize(logs_.size());
  for (std::uint32_t t = 0; t < teams_.size(); ++t) teams_of_log_[teams_[t].log].push_back(t);
}

namespace {

bool is_open(Nanoseconds begin, Nanoseconds end, Nanoseconds time) {
  return begin <= time && (time < end || begin == end);
}

bool has(const std::vector<std::uint32_t>& sorted, std::uint32_t value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

void insert(std::vector<std::uint32_t>& sorted, std::uint32_t value) {
  const auto place = std::lower_bound(sorted.begin(), sorted.end(), value);
  if (place == sorted.end() || *place != value) sorted.insert(place, value);
}

}  // namespace

/// For barriers outside recorded parallel regions: the innermost open team that the thread made; otherwise the one open
/// team of another thread, none if there are several. Looks at the `reach` youngest teams.
std::uint32_t ProcessThreads::team_at(Nanoseconds time, std::uint32_t log) const {
  constexpr std::ptrdiff_t reach = 64;
  const auto end = std::upper_bound(teams_.begin(), teams_.end(), time,
                                    [](Nanoseconds t, const Team& team) { return t < team.begin; });
  std::uint32_t found = none;
  bool is_ambiguous = false;
  for (auto team = end; team != teams_.begin() && end - team < reach;) {
    --team;
    if (!is_open(team->begin, team->end, time)) continue;
    const auto index = static_cast<std::uint32_t>(team - teams_.begin());
    if (team->log == log) return index;
    is_ambiguous = found != none;
    found = index;
  }
  return is_ambiguous ? none : found;
}

/// The visits of the threads that made the teams.
void ProcessThreads::assign_own_visits() {
  team_of_visit_.resize(logs_.size());
  for (std::uint32_t l = 0; l < logs_.size(); ++l) {
    const auto& visits = logs_[l]->parallels;
    team_of_visit_[l].assign(visits.size(), none);
    // Both lists are by time: a stack of the thread's open teams replaces the search.
    std::vector<std::uint32_t> open;
    std::size_t next = 0;
    for (std::size_t v = 0; v < visits.size(); ++v) {
      while (next < teams_of_log_[l].size() && teams_[teams_of_log_[l][next]].begin <= visits[v].enter) {
        open.push_back(teams_of_log_[l][next++]);
      }
      while (!open.empty() && !is_open(teams_[open.back()].begin, teams_[open.back()].end, visits[v].enter)) {
        open.pop_back();
      }
      if (open.empty()) continue;
      Team& team = teams_[open.back()];
      if (has(team.members, l)) continue;  // nested, and its fork is not recorded: a team of one
      team_of_visit_[l][v] = open.back();
      team.region = visits[v].region;
      team.number = visits[v].team;
      insert(team.members, l);
    }
  }
}

/// The visits of workers, all threads together in order of time.
void ProcessThreads::assign_other_visits() {
  std::vector<Place> places;
  for (std::uint32_t l = 0; l < logs_.size(); ++l) {
    Nanoseconds covered = INT64_MIN;  // what lies inside another visit is a team of one
    for (std::uint32_t v = 0; v < logs_[l]->parallels.size(); ++v) {
      const ThreadVisit& visit = logs_[l]->parallels[v];
      if (team_of_visit_[l][v] == none && visit.enter >= covered) places.push_back(Place{l, v});
      covered = std::max(covered, visit.leave);
    }
  }
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    const ThreadVisit& x = logs_[a.log]->parallels[a.index];
    const ThreadVisit& y = logs_[b.log]->parallels[b.index];
    return std::tie(x.enter, a.log, a.index) < std::tie(y.enter, b.log, b.index);
  });
  std::vector<std::uint32_t> open;
  std::size_t next = 0;
  for (const Place& place : places) {
    const ThreadVisit& visit = logs_[place.log]->parallels[place.index];
    while (next < teams_.size() && teams_[next].begin <= visit.enter)
      open.push_back(static_cast<std::uint32_t>(next++));
    std::erase_if(open, [&](std::uint32_t t) { return !is_open(teams_[t].begin, teams_[t].end, visit.enter); });
    std::uint32_t found = none;
    bool is_ambiguous = false;
    for (const std::uint32_t t : open) {
      const Team& team = teams_[t];
      if (team.log == place.log || has(team.members, place.log)) continue;
      if (team.region != trace::no_id && (team.region != visit.region || team.number != visit.team)) continue;
      is_ambiguous = found != none;
      if (is_ambiguous) break;
      found = t;
    }
    if (is_ambiguous) {
      ++damage_.ambiguous;
    } else if (found != none) {
      team_of_visit_[place.log][place.index] = found;
      insert(teams_[found].members, place.log);
    }
  }
}

/// A barrier belongs to the team of the innermost recorded parallel region around it, else to a team by time (team_at).
void ProcessThreads::assign_barriers() {
  for (std::uint32_t l = 0; l < logs_.size(); ++l) {
    const ThreadLog& log = *logs_[l];
    std::vector<std::uint32_t> open;  // parallel regions around, by depth
    std::size_t next = 0;
    for (std::uint32_t b = 0; b < log.barriers.size(); ++b) {
      const ThreadVisit& barrier = log.barriers[b];
      while (next < log.parallels.size() && log.parallels[next].number < barrier.number) {
        const ThreadVisit& visit = log.parallels[next];
        while (!open.empty() && log.parallels[open.back()].depth >= visit.depth) open.pop_back();
        open.push_back(static_cast<std::uint32_t>(next++));
      }
      while (!open.empty() &&
             (log.parallels[open.back()].depth >= barrier.depth || log.parallels[open.back()].leave < barrier.leave)) {
        open.pop_back();
      }
      std::uint32_t team = none;
      if (!open.empty()) {
        team = team_of_visit_[l][open.back()];
      } else {
        team = team_at(barrier.enter, l);
        if (team != none) insert(teams_[team].members, l);
        if (team == none) ++damage_.ambiguous;
      }
      if (team != none) barriers_.push_back(Barrier{team, l, b});
    }
  }
  std::stable_sort(barriers_.begin(), barriers_.end(), [](const Barrier& a, const Barrier& b) {
    return std::tie(a.team, a.log, a.index) < std::tie(b.team, b.log, b.index);
  });
}

/// The n-th barrier of each member of a team is one instance; members that lack it or are in another region are
/// counted.
void ProcessThreads::score_barriers() {
  for (std::size_t first = 0; first < barriers_.size();) {
    std::size_t end = first;
    while (end < barriers_.size() && barriers_[end].team == barriers_[first].team) ++end;
    const Team& team = teams_[barriers_[first].team];
    // Where each member's barriers begin.
    std::vector<std::size_t> begins(team.members.size() + 1, first);
    std::size_t at = first;
    std::size_t longest = 0;
    for (std::size_t m = 0; m < team.members.size(); ++m) {
      begins[m] = at;
      while (at < end && barriers_[at].log == team.members[m]) ++at;
      longest = std::max(longest, at - begins[m]);
    }
    begins.back() = at;
    std::vector<const ThreadVisit*> visits(team.members.size());
    for (std::size_t n = 0; n < longest; ++n) {
      bool is_whole = true;
      bool agrees = true;
      for (std::size_t m = 0; m < team.members.size() && is_whole; ++m) {
        is_whole = begins[m] + n < begins[m + 1];
        if (!is_whole) break;
        const Barrier& barrier = barriers_[begins[m] + n];
        visits[m] = &logs_[barrier.log]->barriers[barrier.index];
        agrees = agrees && may_be_one(context_, visits[m]->region, visits.front()->region);
      }
      damage_.incomplete += is_whole ? 0 : 1;
      damage_.mismatched += is_whole && !agrees ? 1 : 0;
      if (is_whole && agrees) score_barrier(team, visits, team.members);
    }
    first = end;
  }
}

/// When the thread had nothing more to do in the barrier: it came, or its last task ended there.
Nanoseconds ProcessThreads::done_at(const ThreadVisit& visit, std::uint32_t log) const {
  return visit.first_work == visit.end_work ? visit.enter : logs_[log]->work[visit.end_work - 1].leave;
}

/// w_t = [min(max D, L_t) - E_t - nested calls]+, D the later of E and the end of the thread's last nested call: up to
/// max E the wait is for the thread that entered last, then for that with max D (its own: for the next one to that).
void ProcessThreads::score_barrier(const Team&, const std::vector<const ThreadVisit*>& visits,
                                   const std::vector<std::uint32_t>& logs) {
  static const cube::MetricId explicit_metric = metric_index("omp-wait-at-explicit-barrier");
  static const cube::MetricId implicit_metric = metric_index("omp-wait-at-implicit-barrier");
  constexpr std::size_t small_team = 8;
  if (visits.size() < 2) return;
  const bool is_explicit = context_.regions[visits.front()->region].account == Account::omp_explicit_barrier;
  const cube::MetricId metric = is_explicit ? explicit_metric : implicit_metric;
  const auto done = [&](std::size_t m) { return done_at(*visits[m], logs[m]); };
  std::size_t last = 0;    // to come
  std::size_t latest = 0;  // to be done
  for (std::size_t m = 1; m < visits.size(); ++m) {
    if (visits[m]->enter > visits[last]->enter) last = m;
    if (done(m) > done(latest)) latest = m;
  }
  if (done(latest) == visits[last]->enter) latest = last;
  std::size_t other = latest == 0 ? 1 : 0;  // done last but for that one
  for (std::size_t m = 0; m < visits.size(); ++m) {
    if (m != latest && done(m) > done(other)) other = m;
  }
  const auto until_done = [&](std::size_t m) {
    const ThreadVisit& visit = *visits[m];
    const bool has_work = visit.first_work != visit.end_work;
    const std::uint32_t node = has_work ? logs_[logs[m]]->work[visit.end_work - 1].node : visit.node;
    return WaitShare{0, 0, location(logs[m]), path(logs[m], node)};
  };
  const WaitShare for_last{0, 0, location(logs[last]), path(logs[last], visits[last]->node)};
  for (std::size_t m = 0; m < visits.size(); ++m) {
    const ThreadVisit& visit = *visits[m];
    // Every two threads synchronise; in large teams only with the last one, for which all wait.
    for (std::size_t next = visits.size() <= small_team ? m + 1 : m; next < visits.size(); ++next) {
      const std::size_t partner = visits.size() <= small_team ? next : latest;
      if (partner != m)
        context_.waits.sync_point(SyncPoint{location(logs[m]), done(m), location(logs[partner]), done(partner)});
      if (visits.size() > small_team) break;
    }
    const Nanoseconds come = visits[last]->enter;
    if (come > visit.leave) context_.waits.clock_violation(location(logs[m]));
    // What held up the last task is not known: the one before it.
    const BarrierEnd end{come, done(latest), for_last, until_done(m == latest ? other : latest)};
    if (!visit.broken) score_visit(visit, logs[m], metric, end);
  }
}

/// No more than the barrier's own time: the recorder's is none of it.
void ProcessThreads::score_visit(const ThreadVisit& visit, std::uint32_t log, cube::MetricId metric,
                                 const BarrierEnd& end) {
  std::vector<WaitShare> shares;
  Nanoseconds amount = 0;
  const auto wait_for = [&](const WaitShare& who, Nanoseconds from, Nanoseconds to) {
    const Nanoseconds part = std::min(to - from, visit.own - amount);
    if (part <= 0) return;
    shares.push_back({from, part, who.cause, who.cause_call_path});
    amount += part;
  };
  const auto wait = [&](Nanoseconds from, Nanoseconds to) {
    wait_for(end.for_last, from, std::min(to, end.come));
    wait_for(end.for_latest, std::max(from, end.come), to);
  };
  Nanoseconds at = visit.enter;
  for (std::size_t w = visit.first_work; w < visit.end_work; ++w) {
    const ThreadWork& work = logs_[log]->work[w];
    wait(at, std::min(work.enter, end.done));
    at = work.leave;
  }
  wait(at, std::min(end.done, visit.leave));
  if (shares.empty()) return;
  const Wait whole{metric, location(log),       path(log, visit.node),        shares.front().begin,
                   amount, shares.back().cause, shares.back().cause_call_path};
  context_.waits.add_shared(whole, shares);
}

/// OpenMP critical sections, OpenMP locks and POSIX mutexes are numbered apart.
void ProcessThreads::score_locks() {
  static const cube::MetricId critical = metric_index("omp-critical-contention");
  static const cube::MetricId api = metric_index("omp-lock-contention");
  static const cube::MetricId mutex = metric_index("pthread-mutex-contention");
  static const cube::MetricId condition = metric_index("pthread-condition-contention");
  static const cube::MetricId barrier = metric_index("pthread-wait-at-barrier");
  std::map<LockKey, std::vector<LockHold>> chains;
  for (std::uint32_t l = 0; l < logs_.size(); ++l) {
    for (const ThreadHold& hold : logs_[l]->holds) {
      cube::MetricId metric = hold.key.family == LockFamily::omp_critical  ? critical
                              : hold.key.family == LockFamily::omp_api     ? api
                              : hold.account == Account::pthread_condition ? condition
                              : hold.account == Account::pthread_barrier   ? barrier
                                                                           : mutex;
      if (hold.never_waits) metric = cube::no_id;
      chains[hold.key].push_back(LockHold{hold.enter, hold.acquired, hold.released, location(l), path(l, hold.node),
                                          path(l, hold.release_node), metric, hold.broken, hold.shared});
    }
  }
  for (auto& [key, holds] : chains) score_lock_chain(holds, context_.waits, damage_.unreleased);
}

}  // namespace mora::analysis
