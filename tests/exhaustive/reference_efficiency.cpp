#include "reference_efficiency.h"

#include <algorithm>
#include <set>

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

std::string interval_label(const std::string& name, const std::string& file, std::uint32_t line, std::uint32_t id) {
  return name + "#" + std::to_string(id) + "@" + file + ":" + std::to_string(line);
}

namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

struct Visit {
  std::size_t parent = nowhere;
  std::uint32_t region = trace::no_id;
  std::uint32_t interval = 0;
  Nanoseconds enter = 0, leave = 0;
  Nanoseconds begin = 0;  ///< B
  bool is_mpi = false;
  bool is_broken = false;  ///< another region ran inside an MPI call
  std::vector<std::size_t> children;
  std::set<std::string> completed;  ///< kinds of operations
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
    for (const Event& e : events) {
      moments.resize(static_cast<std::size_t>(e.time - first_), Moment{top, is_overhead});
      if (e.kind == EventKind::enter) {
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
      } else if (e.kind == EventKind::leave) {
        visits[top].leave = e.time;
        top = visits[top].parent;
      } else if (e.kind == EventKind::overhead_begin || e.kind == EventKind::overhead_end) {
        is_overhead = e.kind == EventKind::overhead_begin;
      }
      visit_of.push_back(top);
      record(e, top);
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
  void record(const Event& e, std::size_t top) {
    const auto start = [&](const char* kind) { requests[e.request] = Request{kind, top}; };
    const auto complete = [&](const char* kind) {
      requests[e.request].completion = top;
      visits[top].completed.insert(kind);
    };
    switch (e.kind) {
      case EventKind::collective_begin:
      case EventKind::rma_collective_begin:
        visits[top].begin = e.time;
        break;
      case EventKind::send_request:
      case EventKind::receive_request:
        start("message");
        break;
      case EventKind::send_complete:
      case EventKind::receive_complete:
        complete("message");
        break;
      case EventKind::cancelled:
        requests[e.request].is_cancelled = true;
        break;
      case EventKind::collective_request:
        start("collective");
        break;
      case EventKind::collective_complete:
        complete("collective");
        break;
      case EventKind::put:
        start("transfer");
        break;
      case EventKind::rma_complete:
        complete("transfer");
        break;
      case EventKind::io_begin:
        start("io");
        break;
      case EventKind::io_end:
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

/// The metric of the time in an MPI call.
std::string time_metric(const Rank& rank, std::size_t v) {
  static const std::map<std::string, std::string> of = {
      {"MPI_Barrier", "barrier"},      {"MPI_Bcast", "collective"},
      {"MPI_Allreduce", "collective"}, {"MPI_Alltoall", "collective"},
      {"MPI_Reduce", "collective"},    {"MPI_Scan", "collective"},
      {"MPI_Ibarrier", "collective"},  {"MPI_Iallreduce", "collective"},
      {"MPI_Ialltoall", "collective"}, {"MPI_Comm_dup", "mpi-communicator"},
      {"MPI_Win_fence", "fence"},      {"MPI_Win_create", "window-handling"},
      {"MPI_Rput", "one-sided"},       {"MPI_File_iwrite", "mpi-io"},
      {"MPI_File_write_all", "mpi-io"}};
  const auto found = of.find(rank.name(v));
  if (found != of.end()) return found->second;
  const std::set<std::string>& completed = rank.visits[v].completed;
  if (completed.empty() || completed.contains("message")) return "point-to-point";
  if (completed.contains("collective")) return "collective";
  return completed.contains("transfer") ? "one-sided" : "mpi-io";
}

class Measuring {
 public:
  explicit Measuring(const trace::MemorySource& source) : source_(source) {
    for (std::uint32_t r = 0; r < source.events.size(); ++r) ranks_.emplace_back(source, r);
  }

  EfficiencyReference measure() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      times(r);
      requests(r);
      executions(r);
    }
    messages();
    collectives();
    nonblocking();
    return std::move(result_);
  }

 private:
  void add(std::uint32_t rank, const std::string& metric, std::size_t visit, std::int64_t amount) {
    if (amount != 0) result_.amounts.push_back(ranks_[rank].amount(metric, visit, amount));
  }

  void times(std::uint32_t r) {
    const Rank& rank = ranks_[r];
    for (Nanoseconds t = rank.first(); t < rank.last(); ++t) {
      const Moment& m = rank.moments[static_cast<std::size_t>(t - rank.first())];
      Amount one = rank.amount("time", m.visit, 1);
      one.path = rank.path_at(m.visit, t);
      const auto charge = [&](const std::string& metric) {
        one.metric = metric;
        result_.amounts.push_back(one);
      };
      charge("time");
      if (m.is_overhead) {
        charge("overhead");
      } else if (rank.visits[m.visit].is_mpi) {
        charge("mpi");
        charge(time_metric(rank, m.visit));
      } else {
        charge("computation");
        const bool overlaps = std::any_of(rank.requests.begin(), rank.requests.end(), [&](const auto& entry) {
          const Request& request = entry.second;
          return request.completion != nowhere && !request.is_cancelled && rank.visits[request.start].leave <= t &&
                 t < rank.visits[request.completion].enter;
        });
        if (overlaps && rank.computes(t)) charge("overlap");
      }
    }
  }

  void requests(std::uint32_t r) {
    const Rank& rank = ranks_[r];
    for (const auto& [number, request] : rank.requests) {
      if (request.completion == nowhere || request.is_cancelled) continue;
      std::int64_t computed = 0;
      for (Nanoseconds t = rank.visits[request.start].leave; t < rank.visits[request.completion].enter; ++t) {
        computed += rank.computes(t) ? 1 : 0;
      }
      add(r, "request-overlap", request.completion, computed);
    }
  }

  void executions(std::uint32_t r) {
    const Rank& rank = ranks_[r];
    result_.intervals[""][r].count = 1;
    std::set<std::string> seen;
    for (std::size_t v = 1; v < rank.visits.size(); ++v) {
      if (rank.visits[v].interval == 0) continue;
      const std::vector<std::string> around = rank.intervals(v);
      Execution& execution = result_.intervals[around.back()][r];
      ++execution.count;
      const trace::Region& region = source_.defs.regions[rank.visits[v].region];
      if (region.kind == trace::RegionKind::user) execution.replication = region.replication;
      result_.parent[around.back()] = around[around.size() - 2];
      if (seen.insert(around.back()).second) add(r, "first-execution", v, rank.visits[v].leave - rank.visits[v].enter);
    }
  }

  /// The k-th send and the k-th posted receive of an envelope.
  void messages() {
    using Envelope = std::tuple<std::uint32_t, std::uint32_t, std::int32_t>;
    std::map<Envelope, std::vector<Nanoseconds>> sends;     // enters
    std::map<Envelope, std::vector<std::size_t>> receives;  // completing visits, in order of posting
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const auto& events = source_.events[r];
      for (std::size_t i = 0; i < events.size(); ++i) {
        const Event& e = events[i];
        const std::size_t visit = ranks_[r].visit_of[i];
        if (e.kind == EventKind::send || e.kind == EventKind::send_request) {
          sends[{r, e.peer, e.tag}].push_back(ranks_[r].visits[visit].enter);
        } else if (e.kind == EventKind::receive) {
          receives[{e.peer, r, e.tag}].push_back(visit);
        } else if (e.kind == EventKind::receive_request) {
          for (std::size_t k = i; k < events.size(); ++k) {
            if (events[k].kind != EventKind::receive_complete || events[k].request != e.request) continue;
            receives[{events[k].peer, r, events[k].tag}].push_back(ranks_[r].visit_of[k]);
          }
        }
      }
    }
    for (const auto& [envelope, enters] : sends) {
      const std::vector<std::size_t>& completions = receives[envelope];
      for (std::size_t k = 0; k < std::min(enters.size(), completions.size()); ++k) {
        const std::uint32_t r = std::get<1>(envelope);
        const Visit& call = ranks_[r].visits[completions[k]];
        if (call.is_broken) continue;
        add(r, "message-lifetime", completions[k], std::max<Nanoseconds>(0, call.leave - enters[k]));
        const Nanoseconds until = std::min(enters[k], call.leave);
        add(r, "potential-synchronization-point-to-point", completions[k],
            std::max<Nanoseconds>(0, until - call.enter));
      }
    }
  }

  struct Part {
    std::uint32_t rank = 0;
    std::string operation;
    std::size_t begins = 0, ends = nowhere;  ///< visits
    Nanoseconds begin = 0, end = 0;
    bool begin_is_broken = false, end_is_broken = false;
  };

  void score(const std::vector<Part>& parts) {
    if (parts.size() < 2) return;
    Nanoseconds first = INT64_MAX, last = INT64_MIN, end = INT64_MIN;
    bool begins = true, ends = true;
    for (const Part& p : parts) {
      if (p.operation != parts[0].operation) return;
      first = std::min(first, p.begin);
      last = std::max(last, p.begin);
      end = std::max(end, p.end);
      begins = begins && !p.begin_is_broken;
      ends = ends && p.ends != nowhere && !p.end_is_broken;
    }
    if (begins) {
      auto& potential = result_.potentials.emplace_back();
      auto& delay = result_.delays.emplace_back();
      for (const Part& p : parts) {
        potential.push_back(last - p.begin);
        delay.push_back(p.begin - first);
        add(p.rank, "potential-synchronization-collective", p.begins, last - p.begin);
        add(p.rank, "start-delay", p.begins, p.begin - first);
      }
    }
    if (!ends) return;
    auto& variation = result_.variations.emplace_back();
    for (const Part& p : parts) {
      variation.push_back(end - p.end);
      add(p.rank, "time-variation", p.ends, end - p.end);
    }
  }

  /// All sequences: the n-th of each member is one operation.
  void score_all(const std::map<std::string, std::map<std::uint32_t, std::vector<Part>>>& sequences,
                 const std::map<std::string, std::uint32_t>& comm_of) {
    for (const auto& [name, by_rank] : sequences) {
      const auto& members = source_.defs.communicators[comm_of.at(name)].members;
      for (std::size_t n = 0;; ++n) {
        std::vector<Part> parts;
        for (const std::uint32_t member : members) {
          const auto of = by_rank.find(member);
          if (of != by_rank.end() && n < of->second.size()) parts.push_back(of->second[n]);
        }
        if (parts.empty()) break;
        if (parts.size() == members.size()) score(parts);
      }
    }
  }

  void collectives() {
    std::map<std::string, std::map<std::uint32_t, std::vector<Part>>> sequences;
    std::map<std::string, std::uint32_t> comm_of;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (std::size_t i = 0; i < source_.events[r].size(); ++i) {
        const Event& e = source_.events[r][i];
        const std::size_t visit = ranks_[r].visit_of[i];
        const Visit& call = ranks_[r].visits[visit];
        const std::string function = call.is_mpi ? ranks_[r].name(visit) : "";
        const bool writes = e.kind == EventKind::io_end && function == "MPI_File_write_all";
        if (e.kind != EventKind::collective_end && e.kind != EventKind::rma_collective_end && !writes) continue;
        const bool is_window = e.kind == EventKind::rma_collective_end;
        const std::string sequence = writes ? "file" : is_window ? "window" : "comm " + std::to_string(e.comm);
        comm_of[sequence] = writes || is_window ? 0 : e.comm;
        Part part{r, function, visit, visit, call.begin, writes ? call.leave : e.time};
        part.begin_is_broken = part.end_is_broken = call.is_broken;
        sequences[sequence][r].push_back(part);
      }
    }
    score_all(sequences, comm_of);
  }

  void nonblocking() {
    std::map<std::string, std::map<std::uint32_t, std::vector<Part>>> sequences;
    std::map<std::string, std::uint32_t> comm_of;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (std::size_t i = 0; i < source_.events[r].size(); ++i) {
        const Event& e = source_.events[r][i];
        if (e.kind != EventKind::collective_request) continue;
        const std::size_t start = ranks_[r].visit_of[i];
        const std::size_t completion = ranks_[r].requests.at(e.request).completion;
        const Visit& call = ranks_[r].visits[start];
        Part part{r, ranks_[r].name(start), start, completion, call.enter, 0};
        part.begin_is_broken = call.is_broken;
        if (completion != nowhere) {
          part.end = ranks_[r].visits[completion].leave;
          part.end_is_broken = ranks_[r].visits[completion].is_broken;
        }
        const std::string sequence = "comm " + std::to_string(e.comm);
        comm_of[sequence] = e.comm;
        sequences[sequence][r].push_back(part);
      }
    }
    score_all(sequences, comm_of);
  }

  const trace::MemorySource& source_;
  std::vector<Rank> ranks_;
  EfficiencyReference result_;
};

}  // namespace

EfficiencyReference measure_naively(const trace::MemorySource& source) { return Measuring(source).measure(); }

Cells cells_of(const EfficiencyReference& reference) {
  Cells cells;
  for (const Amount& a : reference.amounts) {
    cells[{a.metric, a.path, a.rank}] += a.amount;
    if (a.metric.starts_with("potential-")) cells[{"potential-synchronization", a.path, a.rank}] += a.amount;
  }
  return cells;
}

}  // namespace mora::exhaustive
