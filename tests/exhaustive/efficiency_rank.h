/// One rank of the naive efficiency reference: its visits, and what it does in each nanosecond.
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "reference_efficiency.h"

namespace mora::exhaustive {

inline constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

struct Visit {
  std::size_t parent = nowhere;
  std::uint32_t region = trace::no_id;
  std::uint32_t interval = 0;
  Nanoseconds enter = 0, leave = 0;
  Nanoseconds begin = 0;  ///< B
  bool is_mpi = false;
  bool is_broken = false;  ///< another region ran inside an MPI call
  std::vector<std::size_t> children;
  std::vector<std::pair<Nanoseconds, Nanoseconds>> waits;  ///< where it can wait: of tests the stretches of their loop
  std::set<std::string> completed;                         ///< kinds of operations
  bool has_cancelled = false;
  bool found_nothing() const { return completed.empty() && !has_cancelled; }
};

struct Request {
  std::string kind;
  std::size_t start = 0, completion = nowhere;
  bool is_cancelled = false;
};

struct Moment {
  std::size_t visit = 0;
  bool is_overhead = false;
};

class Rank {
 public:
  Rank(const trace::MemorySource& source, std::uint32_t rank) : source_(source), rank_(rank) {
    const auto& events = source.events[rank];
    first_ = events.front().time;
    visits.emplace_back();
    visits[0].enter = first_;
    visits[0].leave = events.back().time;
    std::size_t top = 0;
    bool is_overhead = false;
    for (const trace::Event& e : events) {
      moments.resize(static_cast<std::size_t>(e.time - first_), Moment{top, is_overhead});
      if (e.kind == trace::EventKind::enter) {
        Visit v;
        v.parent = top;
        v.region = e.region;
        v.interval = e.interval;
        v.enter = v.begin = e.time;
        v.is_mpi = e.interval == 0 && source.defs.regions[e.region].kind == trace::RegionKind::mpi;
        visits[top].is_broken = visits[top].is_broken || visits[top].is_mpi;
        visits[top].children.push_back(visits.size());
        top = visits.size();
        visits.push_back(v);
      } else if (e.kind == trace::EventKind::leave) {
        visits[top].leave = e.time;
        top = visits[top].parent;
      } else if (e.kind == trace::EventKind::overhead_begin || e.kind == trace::EventKind::overhead_end) {
        is_overhead = e.kind == trace::EventKind::overhead_begin;
      }
      visit_of.push_back(top);
      record(e, top);
      if (e.kind == trace::EventKind::cancelled) visits[top].has_cancelled = true;
    }
    for (std::size_t v = 0; v < visits.size(); ++v) fold_polls(v);
    for (std::size_t v = 1; v < visits.size(); ++v) {
      if (visits[v].is_mpi && name(v) != "MPI_Test") visits[v].waits.emplace_back(visits[v].enter, visits[v].leave);
    }
  }

  std::string name(std::size_t v) const { return source_.defs.regions[visits[v].region].name; }
  std::string label(std::size_t v) const {
    if (visits[v].interval == 0) return name(v);
    const trace::Region& r = source_.defs.regions[visits[v].region];
    return interval_label(r.kind == trace::RegionKind::mpi ? "interval" : r.name, r.call_site_file, r.call_site_line,
                          visits[v].interval - 1);
  }
  std::string path(std::size_t v) const { return v == 0 ? "" : path(visits[v].parent) + "/" + label(v); }

  /// Where what the visit does itself at a time is charged: MPI calls divide it into pieces.
  std::string path_at(std::size_t v, Nanoseconds time) const {
    std::string from = "start", to = "end";
    bool has_calls = false;
    for (const std::size_t child : visits[v].children) {
      if (!visits[child].is_mpi) continue;
      has_calls = true;
      if (visits[child].enter <= time) {
        from = name(child);
      } else if (to == "end") {
        to = name(child);
      }
    }
    if (visits[v].is_mpi || !has_calls) return path(v);
    return path(v) + "/compute " + from + " -> " + to;
  }

  /// Identities, outermost first; "" is the program.
  std::vector<std::string> intervals(std::size_t v) const {
    std::vector<std::string> around = v == 0 ? std::vector<std::string>{""} : intervals(visits[v].parent);
    if (v != 0 && visits[v].interval != 0) around.push_back(around.back() + "|" + label(v));
    return around;
  }

  bool is_in_mpi(std::size_t v) const {
    for (; v != 0; v = visits[v].parent) {
      if (visits[v].is_mpi) return true;
    }
    return false;
  }
  /// Computation that can overlap.
  bool computes(Nanoseconds time) const {
    const Moment& m = moments[static_cast<std::size_t>(time - first_)];
    return !m.is_overhead && !is_in_mpi(m.visit);
  }
  Nanoseconds first() const { return first_; }
  Nanoseconds last() const { return first_ + static_cast<Nanoseconds>(moments.size()); }

  Amount amount(const std::string& metric, std::size_t v, std::int64_t value) const {
    return Amount{metric, rank_, path(v), intervals(v), visits[v].is_mpi ? name(v) : "", value};
  }

  std::vector<Visit> visits;          ///< [0] = the program
  std::vector<Moment> moments;        ///< by nanosecond
  std::vector<std::size_t> visit_of;  ///< of each event, behind it
  std::map<std::uint64_t, Request> requests;

 private:
  bool is_poll(std::size_t v) const { return visits[v].is_mpi && name(v) == "MPI_Test"; }
  bool has_overhead(Nanoseconds from, Nanoseconds to) const {
    for (Nanoseconds t = from; t < to; ++t) {
      if (moments[static_cast<std::size_t>(t - first_)].is_overhead) return true;
    }
    return false;
  }
  void give(Nanoseconds from, Nanoseconds to, std::size_t visit) {
    for (Nanoseconds t = from; t < to; ++t) moments[static_cast<std::size_t>(t - first_)].visit = visit;
  }

  /// Gaps that together take no longer than the polls around them are theirs; all of it is of the kind that the last
  /// one completed.
  void fold_polls(std::size_t v) {
    const std::vector<std::size_t>& children = visits[v].children;
    std::vector<std::vector<std::size_t>> stretches;
    Nanoseconds gaps = 0;
    for (std::size_t i = 0; i < children.size(); ++i) {
      const std::size_t poll = children[i];
      const bool ends = !is_poll(poll);
      const bool is_next = !ends && i > 0 && is_poll(children[i - 1]) && !visits[children[i - 1]].is_broken &&
                           visits[children[i - 1]].found_nothing() &&
                           visits[children[i - 1]].region == visits[poll].region && !stretches.empty();
      if (!is_next) stretches.clear();
      if (ends) continue;
      bool joins = false;
      if (is_next) {
        const Visit& before = visits[children[i - 1]];
        const Nanoseconds polled = before.leave - visits[stretches.back().front()].enter - gaps;
        const Nanoseconds gap = visits[poll].enter - before.leave;
        joins = gaps + gap <= polled && !has_overhead(before.leave, visits[poll].enter);
        if (joins) {
          gaps += gap;
          give(before.leave, visits[poll].enter, children[i - 1]);
        }
      }
      if (!joins) {
        stretches.emplace_back();
        gaps = 0;
      }
      stretches.back().push_back(poll);
      if (visits[poll].is_broken) stretches.clear();
      if (visits[poll].found_nothing()) continue;
      for (const auto& stretch : stretches) {
        if (stretch.size() < 2) continue;
        give(visits[stretch.front()].enter, visits[stretch.back()].leave, poll);
        visits[poll].waits.emplace_back(visits[stretch.front()].enter, visits[stretch.back()].leave);
      }
    }
  }

  void record(const trace::Event& e, std::size_t top) {
    const auto start = [&](const char* kind) { requests[e.request] = Request{kind, top}; };
    const auto complete = [&](const char* kind) {
      requests[e.request].completion = top;
      visits[top].completed.insert(kind);
    };
    switch (e.kind) {
      case trace::EventKind::collective_begin:
      case trace::EventKind::rma_collective_begin:
        visits[top].begin = e.time;
        break;
      case trace::EventKind::send_request:
      case trace::EventKind::receive_request:
        start("message");
        break;
      case trace::EventKind::send_complete:
      case trace::EventKind::receive_complete:
        complete("message");
        break;
      case trace::EventKind::cancelled:
        requests[e.request].is_cancelled = true;
        break;
      case trace::EventKind::collective_request:
        start("collective");
        break;
      case trace::EventKind::collective_complete:
        complete("collective");
        break;
      case trace::EventKind::put:
        start("transfer");
        break;
      case trace::EventKind::rma_complete:
        complete("transfer");
        break;
      case trace::EventKind::io_begin:
        start("io");
        break;
      case trace::EventKind::io_end:
        complete("io");
        break;
      default:
        break;
    }
  }

  const trace::MemorySource& source_;
  std::uint32_t rank_;
  Nanoseconds first_ = 0;
};

}  // namespace mora::exhaustive
