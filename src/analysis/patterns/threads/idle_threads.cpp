/// Idle threads: what worker threads do outside parallel regions.
///
/// Idea: OpenMP's workers have events only inside parallel regions, but their cores are reserved for the whole duration
/// of the process. A worker is a thread whose outermost regions are all visits of teams that another thread made. Its
/// time outside them, from the first to the last event of the process, is: from the end of a visit to the team's join,
/// and from the fork to the visit: management; the rest: idle, and within that, while some team of the process works
/// without it: limited parallelism. What lies between the worker's own first and last event was its root's own time and
/// is moved; what lies outside is added to its time. While the process has not started MPI yet, or ends it, idle time
/// stands at the call that does: no team could work then. The recorder's own time and stretches without recording stay
/// what they are.
///
/// Source: Scalasca 2.6, OpenMP Idle Threads Time and OpenMP Limited Parallelism Time; Mora's rule idle-omp-threads.
/// Cost: O(visits + teams) per worker. Limit: a thread with any other outermost region is no worker.
#include <algorithm>

#include "analysis/patterns/threads/process_threads.h"

namespace mora::analysis {

bool ProcessThreads::is_worker(std::uint32_t log) const {
  if (logs_[log]->has_other_outermost) return false;
  bool found = false;
  const auto& visits = logs_[log]->parallels;
  for (std::size_t v = 0; v < visits.size(); ++v) {
    if (visits[v].depth != 1) continue;
    const std::uint32_t team = team_of_visit_[log][v];
    if (team == none || teams_[team].log == log) return false;
    found = true;
  }
  return found;
}

void ProcessThreads::score_idle_threads() {
  std::vector<TimeInterval> busy;  // union of all teams
  for (const Team& team : teams_) {
    if (busy.empty() || team.begin > busy.back().end) {
      busy.push_back(TimeInterval{team.begin, team.end});
    } else {
      busy.back().end = std::max(busy.back().end, team.end);
    }
  }
  for (std::uint32_t l = 0; l < logs_.size(); ++l) {
    if (is_worker(l)) score_worker(l, busy);
  }
}

void ProcessThreads::score_worker(std::uint32_t log, const std::vector<TimeInterval>& busy) {
  const auto& visits = logs_[log]->parallels;
  Nanoseconds from = first_;
  Nanoseconds join = first_;  // of the visit before
  std::size_t next_busy = 0;
  std::uint32_t last_team = none;
  const auto gap = [&](Nanoseconds to, Nanoseconds fork, std::uint32_t team) {
    const Nanoseconds joined = std::clamp(join, from, to);
    const Nanoseconds forked = std::clamp(fork, joined, to);
    add_piece(log, TimeInterval{from, joined}, Piece::join, last_team);
    Nanoseconds at = joined;
    while (next_busy < busy.size() && busy[next_busy].end <= at) ++next_busy;
    for (std::size_t b = next_busy; at < forked; ++b) {
      const Nanoseconds begin = b < busy.size() ? std::clamp(busy[b].begin, at, forked) : forked;
      const Nanoseconds end = b < busy.size() ? std::clamp(busy[b].end, begin, forked) : forked;
      add_piece(log, TimeInterval{at, begin}, Piece::idle, team);
      add_piece(log, TimeInterval{begin, end}, Piece::limited, team);
      at = end;
    }
    add_piece(log, TimeInterval{forked, to}, Piece::fork, team);
  };
  for (std::size_t v = 0; v < visits.size(); ++v) {
    if (visits[v].depth != 1) continue;
    const std::uint32_t team = team_of_visit_[log][v];
    gap(visits[v].enter, teams_[team].begin, team);
    context_.waits.sync_point(
        SyncPoint{location(log), visits[v].enter, location(teams_[team].log), teams_[team].begin});
    from = visits[v].leave;
    join = teams_[team].end;
    last_team = team;
  }
  gap(last_, last_, last_team);
}

/// Splits a piece at the worker's own first and last event and takes interruptions out.
void ProcessThreads::add_piece(std::uint32_t log, TimeInterval piece, Piece kind, std::uint32_t team) {
  const ThreadLog& of = *logs_[log];
  if (piece.end <= piece.begin) return;
  if (piece.begin < of.first) {
    add_amount(log, TimeInterval{piece.begin, std::min(piece.end, of.first)}, kind, team, false);
  }
  if (piece.end > of.last) {
    add_amount(log, TimeInterval{std::max(piece.begin, of.last), piece.end}, kind, team, false);
  }
  Nanoseconds at = std::max(piece.begin, of.first);
  const Nanoseconds end = std::min(piece.end, of.last);
  auto interruption = std::lower_bound(of.interruptions.begin(), of.interruptions.end(), at,
                                       [](const TimeInterval& i, Nanoseconds t) { return i.end <= t; });
  for (; interruption != of.interruptions.end() && interruption->begin < end; ++interruption) {
    add_amount(log, TimeInterval{at, interruption->begin}, kind, team, true);
    at = std::max(at, interruption->end);
  }
  add_amount(log, TimeInterval{at, end}, kind, team, true);
}

void ProcessThreads::add_amount(std::uint32_t log, TimeInterval piece, Piece kind, std::uint32_t team, bool in_life) {
  static const cube::MetricId time = metric_index("time");
  static const cube::MetricId execution = metric_index("execution");
  static const cube::MetricId computation = metric_index("computation");
  static const cube::MetricId openmp = metric_index("openmp");
  static const cube::MetricId management = metric_index("omp-management");
  static const cube::MetricId fork = metric_index("omp-fork");
  const Nanoseconds amount = piece.end - piece.begin;
  if (amount <= 0) return;
  const cube::CallPathId root = path(log, 0);
  const auto count = [&](cube::MetricId metric, std::int64_t by) {
    context_.waits.count(metric, root, location(log), by);
  };
  if (in_life) count(computation, -amount);
  if (kind == Piece::fork || kind == Piece::join) {
    if (!in_life) count(time, amount), count(execution, amount);
    count(openmp, amount);
    count(management, amount);
    if (kind == Piece::fork) count(fork, amount);
    return;
  }
  const auto& ends = logs_.front()->ends;
  Nanoseconds at = piece.begin;
  const auto until = [&](Nanoseconds end, cube::CallPathId where) {
    end = std::clamp(end, at, piece.end);
    if (end > at) add_idle(log, TimeInterval{at, end}, kind, team, in_life, where);
    at = end;
  };
  if (!ends.empty()) {
    until(ends.front().leave, path(0, ends.front().node));
    if (ends.size() > 1) until(ends.back().enter, root), until(piece.end, path(0, ends.back().node));
  }
  until(piece.end, root);
}

void ProcessThreads::add_idle(std::uint32_t log, TimeInterval piece, Piece kind, std::uint32_t team, bool in_life,
                              cube::CallPathId at) {
  static const cube::MetricId time = metric_index("time");
  static const cube::MetricId execution = metric_index("execution");
  static const cube::MetricId idle = metric_index("omp-idle-threads");
  static const cube::MetricId limited = metric_index("omp-limited-parallelism");
  const Nanoseconds amount = piece.end - piece.begin;
  if (in_life) {
    context_.waits.count(execution, path(log, 0), location(log), -amount);
    context_.waits.count(time, path(log, 0), location(log), -amount);
  }
  context_.waits.count(time, at, location(log), amount);
  // The thread that makes the next team (at the end: made the last) was at work alone.
  const std::uint32_t cause = teams_[team].log;
  const Wait wait{idle, location(log), at, piece.begin, amount, location(cause), path(cause, teams_[team].node)};
  context_.waits.add(wait);
  if (kind == Piece::limited) {
    Wait part = wait;
    part.metric = limited;
    context_.waits.add(part);
  }
}

}  // namespace mora::analysis
