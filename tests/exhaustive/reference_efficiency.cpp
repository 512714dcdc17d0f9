#include "reference_efficiency.h"

#include "efficiency_rank.h"

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

std::string interval_label(const std::string& name, const std::string& file, std::uint32_t line, std::uint32_t id) {
  return name + "#" + std::to_string(id) + "@" + file + ":" + std::to_string(line);
}

namespace {

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
    for (const auto& [where, call] : mixed_) divide(where.first, where.second, call);
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
    std::map<Envelope, std::vector<std::size_t>> sent;      // completing visits
    std::map<Envelope, std::vector<Nanoseconds>> posts;     // enters
    std::map<Envelope, std::vector<std::size_t>> receives;  // completing visits, in order of posting
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      const auto& events = source_.events[r];
      for (std::size_t i = 0; i < events.size(); ++i) {
        const Event& e = events[i];
        const std::size_t visit = ranks_[r].visit_of[i];
        if (e.kind == EventKind::send || e.kind == EventKind::send_request) {
          sends[{r, e.peer, e.tag}].push_back(ranks_[r].visits[visit].enter);
          const bool starts = e.kind == EventKind::send_request;
          sent[{r, e.peer, e.tag}].push_back(starts ? ranks_[r].requests.at(e.request).completion : visit);
        } else if (e.kind == EventKind::receive) {
          receives[{e.peer, r, e.tag}].push_back(visit);
          posts[{e.peer, r, e.tag}].push_back(ranks_[r].visits[visit].enter);
        } else if (e.kind == EventKind::receive_request) {
          for (std::size_t k = i; k < events.size(); ++k) {
            if (events[k].kind != EventKind::receive_complete || events[k].request != e.request) continue;
            receives[{events[k].peer, r, events[k].tag}].push_back(ranks_[r].visit_of[k]);
            posts[{events[k].peer, r, events[k].tag}].push_back(ranks_[r].visits[visit].enter);
          }
        }
      }
    }
    for (const auto& [envelope, enters] : sends) {
      const std::vector<std::size_t>& completions = receives[envelope];
      for (std::size_t k = 0; k < std::min(enters.size(), completions.size()); ++k) {
        const std::uint32_t r = std::get<1>(envelope);
        if (Mixed* call = mixed(r, completions[k])) call->sent.push_back(enters[k]);
        if (Mixed* call = mixed(std::get<0>(envelope), sent[envelope][k])) call->posted.push_back(posts[envelope][k]);
        const Visit& call = ranks_[r].visits[completions[k]];
        if (call.is_broken) continue;
        add(r, "message-lifetime", completions[k], std::max<Nanoseconds>(0, call.leave - enters[k]));
        const Nanoseconds until = std::min(enters[k], call.leave);
        add(r, "potential-synchronization-point-to-point", completions[k],
            std::max<Nanoseconds>(0, until - call.enter));
      }
    }
  }

  /// What a call that completed messages and collectives could wait for.
  struct Mixed {
    std::vector<Nanoseconds> sent, posted, started;  ///< of its receives, its sends, its collectives
  };
  Mixed* mixed(std::uint32_t r, std::size_t visit) {
    if (visit == nowhere) return nullptr;
    const Visit& call = ranks_[r].visits[visit];
    const bool both = call.completed.contains("message") && call.completed.contains("collective");
    return both && !call.is_broken ? &mixed_[{r, visit}] : nullptr;
  }
  /// Its waiting for collectives that began last among what it waited for, or ended before the messages came, is time
  /// of collectives.
  void divide(std::uint32_t r, std::size_t visit, const Mixed& of) {
    const Visit& call = ranks_[r].visits[visit];
    for (const auto& [begin, end] : call.waits) {
      const auto longest = [&, from = begin, to = end](const std::vector<Nanoseconds>& times, bool is_message) {
        Nanoseconds most = 0;
        for (const Nanoseconds t : times) {
          if (is_message && t > call.leave && ranks_[r].name(visit) == "MPI_Test") continue;
          most = std::max(most, std::min(t, to) - from);
        }
        return most;
      };
      std::vector<Nanoseconds> posted;
      std::copy_if(of.posted.begin(), of.posted.end(), std::back_inserter(posted),
                   [&](Nanoseconds t) { return t < call.leave; });
      const Nanoseconds late_sender = longest(of.sent, true);
      const Nanoseconds messages = late_sender > 0 ? late_sender : longest(posted, false);
      const Nanoseconds all = longest(of.started, false);
      const Nanoseconds part = all < messages ? all : all - messages;
      add(r, "point-to-point", visit, -part);
      add(r, "collective", visit, part);
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
        const bool agree =
            std::all_of(parts.begin(), parts.end(), [&](const Part& p) { return p.operation == parts[0].operation; });
        if (parts.size() < 2 || parts.size() != members.size() || !agree) continue;
        for (const Part& p : parts) {
          if (p.begins == p.ends) continue;
          if (Mixed* call = mixed(p.rank, p.ends)) {
            for (const Part& q : parts) call->started.push_back(q.begin);
          }
        }
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
  std::map<std::pair<std::uint32_t, std::size_t>, Mixed> mixed_;
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
