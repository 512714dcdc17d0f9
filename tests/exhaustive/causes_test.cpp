/// Causes against a naive reference, on random programs: functions, computation between them, messages that block or
/// not, barriers, gathers, broadcasts, ranks that start late.
///
/// The reference states the definitions of src/analysis/causes/causes.h once more with loops over everything: waits
/// from the times, the last synchronisation point by looking at all operations, activity by cutting up every segment,
/// costs by recursion.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include "analysis/analyze.h"
#include "base/numbers/shares.h"
#include "trace/readers/text/text_source.h"

#include "programs_causes.h"

namespace mora::exhaustive {
namespace {

struct WaitOf {
  int rank, cause;
  Nanoseconds begin, end;
  std::string path, kind;
  bool is_own = false;  ///< the rank could have avoided it
  int guilty() const { return is_own ? rank : cause; }
};

using Cells = std::map<std::tuple<std::string, std::string, int>, long double>;  // metric, path, rank

class Reference {
 public:
  explicit Reference(const Program& p) : p_(p) {
    for (const Operation& o : p.operations) add_waits(o);
    for (std::size_t r = 0; r < p.segments.size(); ++r) find_avoidable(static_cast<int>(r));
    for (const WaitOf& w : waits_) weigh(w);
  }

  Cells exact, long_term;
  int with_avoidable = 0, with_progress = 0;    ///< waits
  std::int64_t explained = 0;                   ///< sum over the waits of min(w, D + W)
  std::map<std::string, std::int64_t> of_kind;  ///< the same by kind of wait

  void run() {
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      const WaitOf& w = waits_[i];
      const Weighed& g = weighed_[i];
      const std::int64_t amount = w.end - w.begin;
      explained += std::min(amount, g.total);
      of_kind[w.kind] += std::min(amount, g.total);
      const auto parts = shares(i);
      std::size_t k = 0;
      for (const auto& [path, d] : g.delays) {
        exact[{"short:" + w.kind, path, w.guilty()}] += parts[k++];
        for (const auto& [kind, amount_of_kind] : cost(i)) {
          const auto rest = static_cast<long double>(amount - own_part(i)) / static_cast<long double>(amount);
          long_term[{"long:" + kind, path, w.guilty()}] +=
              amount_of_kind * rest * static_cast<long double>(d) / static_cast<long double>(g.total - g.own);
        }
      }
      const std::int64_t indirect = parts.back() + own_part(i);
      exact[{"indirect", w.path, w.rank}] += indirect;
      exact[{"direct", w.path, w.rank}] += amount - indirect;
      std::int64_t propagating = 0;
      for (std::size_t j = 0; j < waits_.size(); ++j) {
        if (!covers(j, i)) continue;
        const std::int64_t helped = std::min(waits_[j].end - waits_[j].begin, weighed_[j].total);
        propagating = std::max(propagating, helped * amount / weighed_[j].total);
      }
      exact[{"propagating", w.path, w.rank}] += propagating;
      exact[{"terminal", w.path, w.rank}] += amount - propagating;
    }
    walk();
  }

 private:
  struct Weighed {
    Nanoseconds from = 0;
    std::vector<std::pair<std::string, std::int64_t>> delays;  ///< in order of call path number: first appearance
    std::int64_t waited = 0, own = 0, total = 0;               ///< own: of waited, what the cause could have avoided
  };

  /// Of the waits for messages: engine/avoidable.cpp once more.
  void find_avoidable(int rank) {
    struct CallOf {
      Nanoseconds enter, leave, sent;
      bool is_receive;
    };
    std::vector<CallOf> calls;  // of messages
    std::vector<Nanoseconds> meetings;
    for (const Operation& o : p_.operations) {
      for (std::size_t m = 0; m < o.ranks.size(); ++m) {
        if (o.ranks[m] != rank) continue;
        if (o.is_message()) {
          calls.push_back({o.enter[m], o.leave[m], o.enter[0], m == 1});
        } else {
          meetings.push_back(o.enter[m]);
        }
      }
    }
    const auto meeting = [&](Nanoseconds t) {
      for (const Nanoseconds m : meetings) {
        if (m >= t) return m;
      }
      return INT64_MAX;
    };
    const auto gap = [&](std::size_t c) {
      const Nanoseconds end =
          c + 1 < calls.size() ? calls[c + 1].enter : p_.segments[static_cast<std::size_t>(rank)].back().end;
      return std::max<Nanoseconds>(0, std::min(end, meeting(calls[c].leave)) - calls[c].leave);
    };
    std::vector<bool> used(calls.size());
    for (std::size_t c = 0; c < calls.size(); ++c) {
      const Nanoseconds end = std::min(calls[c].sent, calls[c].leave);
      if (!calls[c].is_receive || end <= calls[c].enter) continue;
      std::vector<std::tuple<Nanoseconds, std::size_t, Nanoseconds>> others;  // sent, call, work after it
      Nanoseconds work = gap(c);
      for (std::size_t i = c + 1; i < calls.size() && calls[i].is_receive; ++i) {
        if (calls[i].enter >= meeting(calls[c].leave)) break;
        others.emplace_back(calls[i].sent, i, gap(i));
        work += gap(i);
      }
      if (others.empty()) continue;
      Nanoseconds& last = std::get<2>(others.back());
      last = std::min(last, (work - last) / static_cast<Nanoseconds>(others.size()));
      std::sort(others.begin(), others.end());
      Nanoseconds at = calls[c].enter, sum = 0;
      for (const auto& [sent, i, length] : others) {
        if (sent >= calls[c].sent || used[i] || length == 0) continue;
        at = std::max(at, sent);
        if (at >= end) break;
        const Nanoseconds done = std::min(length, end - at);
        used[i] = true;
        at += done;
        sum += done;
      }
      if (sum > 0) split(rank, calls[c].enter, end, sum);
    }
  }

  void split(int rank, Nanoseconds begin, Nanoseconds end, Nanoseconds own) {
    ++with_avoidable;
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      if (waits_[i].rank != rank || waits_[i].begin != begin || waits_[i].end != end) continue;
      WaitOf part = waits_[i];
      part.begin = end - own;
      part.is_own = true;
      if (part.begin == begin) {
        waits_[i] = part;
      } else {
        waits_[i].end = part.begin;
        waits_.push_back(part);
      }
      return;
    }
  }

  void add_waits(const Operation& o) {
    if (o.is_message()) {
      const Nanoseconds late_sender = std::min(o.enter[0], o.leave[1]) - o.enter[1];
      if (late_sender > 0)
        waits_.push_back({o.ranks[1], o.ranks[0], o.enter[1], o.enter[1] + late_sender, "MPI_Recv", "late-sender"});
      if (o.leave[0] > o.enter[1] && o.enter[1] > o.enter[0]) {
        waits_.push_back({o.ranks[0], o.ranks[1], o.enter[0], o.enter[1], "MPI_Send", "late-receiver"});
      } else {
        add_progress_wait(o);
      }
      return;
    }
    const auto wait = [&](std::size_t waiter, std::size_t cause, const char* path, const char* kind) {
      const Nanoseconds until = std::min(o.enter[cause], o.leave[waiter]);
      if (until > o.enter[waiter])
        waits_.push_back({o.ranks[waiter], o.ranks[cause], o.enter[waiter], until, path, kind});
    };
    std::size_t last = o.kind == Kind::gather && o.root == 0 ? 1 : 0;  // of a gather: of the leaves
    for (std::size_t m = 0; m < o.ranks.size(); ++m) {
      if (o.enter[m] > o.enter[last] && (o.kind != Kind::gather || m != o.root)) last = m;
    }
    for (std::size_t m = 0; m < o.ranks.size(); ++m) {
      if (o.kind == Kind::barrier) wait(m, last, "MPI_Barrier", "barrier");
      if (o.kind == Kind::gather && m == o.root) wait(m, last, "MPI_Gather", "n-to-one");
      if (o.kind == Kind::broadcast && m != o.root) wait(m, o.root, "MPI_Bcast", "one-to-n");
    }
  }

  /// patterns/point_to_point/progress.cpp once more.
  void add_progress_wait(const Operation& o) {
    std::vector<std::pair<Nanoseconds, Nanoseconds>> outside;  // of the receiver, MPI
    bool was_in_mpi = true;
    for (const Segment& s : p_.segments[static_cast<std::size_t>(o.ranks[1])]) {
      const bool is_mpi = s.path.starts_with("MPI_");
      if (is_mpi || s.begin == s.end) {
        was_in_mpi = was_in_mpi || is_mpi;
        continue;
      }
      if (s.begin > o.leave[0]) break;
      if (was_in_mpi) outside.emplace_back(s.begin, s.end);
      outside.back().second = s.end;
      was_in_mpi = false;
    }
    Nanoseconds begin = 0, end = 0;
    for (int i = 0; i < 8 && !outside.empty(); ++i, outside.pop_back()) {
      const Nanoseconds from = std::max(outside.back().first, o.enter[0]), to = outside.back().second;
      if (to <= o.leave[0] && to - from > end - begin) begin = from, end = to;
    }
    if (end > begin && o.leave[0] - end <= end - begin) {
      ++with_progress;
      waits_.push_back({o.ranks[0], o.ranks[1], begin, end, "MPI_Send", "late-receiver"});
    }
  }

  Nanoseconds after_waiting(int rank, Nanoseconds t) const {
    const Nanoseconds inevitable = after_inevitable_waiting(rank, t);
    for (const WaitOf& w : waits_) {
      if (w.rank == rank && w.is_own && w.begin <= inevitable && inevitable < w.end) return w.end;
    }
    return inevitable;
  }
  Nanoseconds after_inevitable_waiting(int rank, Nanoseconds t) const {
    for (const WaitOf& w : waits_) {
      if (w.rank == rank && !w.is_own && w.begin <= t && t < w.end) return w.end;
    }
    return t;
  }

  std::map<std::string, std::int64_t> activity(int rank, Nanoseconds from, Nanoseconds to) const {
    std::map<std::string, std::int64_t> sums;
    const Nanoseconds late = std::min(p_.segments[static_cast<std::size_t>(rank)].front().begin, to);
    from = std::max(from, p_.start);
    if (late > from) sums["program"] += late - from;
    for (const Segment& s : p_.segments[static_cast<std::size_t>(rank)]) {
      const Nanoseconds begin = std::max(from, s.begin), end = std::min(to, s.end);
      if (end <= begin) continue;
      std::int64_t amount = end - begin;
      for (const WaitOf& w : waits_) {
        if (w.rank == rank) amount -= std::max<Nanoseconds>(0, std::min(end, w.end) - std::max(begin, w.begin));
      }
      if (amount > 0) sums[s.path] += amount;
    }
    return sums;
  }

  void weigh(const WaitOf& w) {
    // The last operation of both at which the cause was not behind: (own time, pair, partner's time or instance).
    std::tuple<Nanoseconds, bool, std::int64_t> best{INT64_MIN, false, 0};
    std::map<Nanoseconds, std::size_t> last_barrier_at;
    for (std::size_t n = 0; n < p_.operations.size(); ++n) {
      const Operation& o = p_.operations[n];
      if (o.is_message()) continue;
      const auto mine = std::find(o.ranks.begin(), o.ranks.end(), w.rank);
      last_barrier_at[o.enter[static_cast<std::size_t>(mine - o.ranks.begin())]] = n;
    }
    Weighed g;
    if (w.is_own) {
      g.total = w.end - w.begin;
      g.delays.emplace_back(w.path, g.total);
      weighed_.push_back(g);
      return;
    }
    Nanoseconds from = INT64_MIN;
    g.from = INT64_MIN;
    for (std::size_t n = 0; n < p_.operations.size(); ++n) {
      const Operation& o = p_.operations[n];
      const auto mine = std::find(o.ranks.begin(), o.ranks.end(), w.rank);
      const auto theirs = std::find(o.ranks.begin(), o.ranks.end(), w.cause);
      if (mine == o.ranks.end() || theirs == o.ranks.end()) continue;
      const Nanoseconds t = o.enter[static_cast<std::size_t>(mine - o.ranks.begin())];
      const Nanoseconds u = o.enter[static_cast<std::size_t>(theirs - o.ranks.begin())];
      if (t >= w.begin || after_inevitable_waiting(w.cause, u) > after_waiting(w.rank, t)) continue;
      if (!o.is_message() && last_barrier_at[t] != n) continue;
      const std::tuple<Nanoseconds, bool, std::int64_t> point{t, o.is_message(),
                                                              o.is_message() ? u : static_cast<std::int64_t>(n)};
      if (point <= best) continue;
      best = point, from = after_waiting(w.rank, t), g.from = after_inevitable_waiting(w.cause, u);
    }
    const auto theirs = activity(w.rank, from, w.begin);
    const auto ours = activity(w.cause, g.from, w.end);
    std::int64_t more = 0;  // in all stretches together
    for (const auto& [path, t] : ours) {
      const auto found = theirs.find(path);
      const std::int64_t d = t - (found == theirs.end() ? 0 : found->second);
      if (d > 0) g.delays.emplace_back(path, d);
      more += path.starts_with(stretch) ? t : 0;
    }
    for (const auto& [path, t] : theirs) more -= path.starts_with(stretch) ? t : 0;
    std::sort(g.delays.begin(), g.delays.end(), [&](auto& a, auto& b) { return number(a.first) < number(b.first); });
    std::vector<std::int64_t> longer;
    for (const auto& [path, d] : g.delays) longer.push_back(path.starts_with(stretch) ? d : 0);
    longer = exact_shares(std::max<std::int64_t>(0, more), longer);
    for (std::size_t i = 0; i < longer.size(); ++i) {
      if (g.delays[i].first.starts_with(stretch)) g.delays[i].second = longer[i];
      g.total += g.delays[i].second;
    }
    std::erase_if(g.delays, [](const auto& d) { return d.second == 0; });
    for (const WaitOf& v : waits_) {
      if (v.rank != w.cause || v.begin < g.from || v.end > w.end) continue;
      g.waited += v.end - v.begin;
      g.own += v.is_own ? v.end - v.begin : 0;
    }
    g.total += g.waited;
    weighed_.push_back(g);
  }

  /// Call paths are numbered in order of first appearance, smaller ranks first.
  int number(const std::string& path) const {
    int n = 1;
    if (path == "program") return 0;
    std::vector<std::string> seen;
    for (const auto& names : p_.names) {
      for (const std::string& name : names) {
        if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
        if (name == path) return n;
        seen.push_back(name);
        ++n;
      }
    }
    return n;
  }

  /// Wait i lies in the interval of the cause of wait j.
  bool covers(std::size_t j, std::size_t i) const {
    return i != j && waits_[j].cause == waits_[i].rank && waits_[i].begin >= weighed_[j].from &&
           waits_[i].end <= waits_[j].end && weighed_[j].waited > 0;
  }

  /// Of wait i, without own_part(): on its delays, and last on the waiting of its cause.
  std::vector<std::int64_t> shares(std::size_t i) const {
    std::vector<std::int64_t> weights;
    for (const auto& [path, d] : weighed_[i].delays) weights.push_back(d);
    weights.push_back(weighed_[i].waited - weighed_[i].own);
    const std::int64_t amount = waits_[i].end - waits_[i].begin;
    return weighed_[i].total >= amount ? exact_shares(amount - own_part(i), weights) : weights;
  }
  /// What its cause could have avoided.
  std::int64_t own_part(std::size_t i) const { return std::min(waits_[i].end - waits_[i].begin, weighed_[i].own); }

  /// By the kind of the waits that wait i helped to cause.
  const std::map<std::string, long double>& cost(std::size_t i) {
    const auto known = costs_.find(i);
    if (known != costs_.end()) return known->second;
    std::map<std::string, long double> sum;
    const WaitOf& w = waits_[i];
    for (std::size_t j = 0; j < waits_.size(); ++j) {
      if (!covers(j, i)) continue;
      const Weighed& g = weighed_[j];
      const auto of_own =
          static_cast<long double>(own_part(j)) / static_cast<long double>(waits_[j].end - waits_[j].begin);
      const auto waited = static_cast<long double>(w.is_own ? g.own : g.waited - g.own);
      const auto part = static_cast<long double>(w.end - w.begin) / waited;
      sum[waits_[j].kind] += static_cast<long double>(w.is_own ? own_part(j) : shares(j).back()) * part;
      for (const auto& [kind, amount] : cost(j)) {
        sum[kind] +=
            amount * part * (w.is_own ? of_own : (1 - of_own) * waited / static_cast<long double>(g.total - g.own));
      }
    }
    return costs_[i] = sum;
  }

  void walk() {
    int at = 0;
    Nanoseconds t = -1;
    for (std::size_t r = 0; r < p_.segments.size(); ++r) {
      if (p_.segments[r].back().end > t) t = p_.segments[r].back().end, at = static_cast<int>(r);
    }
    const auto charge = [&](Nanoseconds from) {
      for (const auto& [path, amount] : activity(at, from, t)) exact[{"critical-path", path, at}] += amount;
    };
    for (;;) {
      const WaitOf* next = nullptr;
      for (const WaitOf& w : waits_) {
        if (w.rank == at && w.end <= t && (next == nullptr || w.end > next->end)) next = &w;
      }
      if (next == nullptr) break;
      charge(next->end);
      t = next->end;
      at = next->cause;
    }
    charge(INT64_MIN);
  }

  const Program& p_;
  std::vector<WaitOf> waits_;
  std::vector<Weighed> weighed_;
  std::map<std::size_t, std::map<std::string, long double>> costs_;
};

std::string metric_id(const std::string& name) {
  if (name == "critical-path") return name;
  if (name.starts_with("short:")) return "delay-costs-" + name.substr(6) + "-short-term";
  if (name.starts_with("long:")) return "delay-costs-" + name.substr(5) + "-long-term";
  return name + "-waits";
}

std::int64_t cell(const cube::Cube& cube, const std::string& metric, const std::string& path, int rank) {
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    if (cube.call_paths[c].name == path)
      return cube.get(cube.find_metric(metric), c, static_cast<cube::LocationId>(rank));
  }
  return 0;
}

TEST(Causes, EqualTheNaiveReferenceOnRandomPrograms) {
  std::uint64_t with_costs = 0;
  int with_avoidable = 0, with_progress = 0;
  std::map<std::string, int> programs_with;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    std::mt19937 random(seed);
    const Program program = random_program(random);
    auto source = trace::read_trace_text(program.text);
    ASSERT_TRUE(source) << program.text << source.error().text();
    analysis::AnalyzeOptions options;
    options.ideal_network = false;
    options.workers = 1;
    options.partitions = 1 + seed % 3;
    const auto result = analysis::analyze(**source, "random", options);
    ASSERT_TRUE(result);
    const cube::Cube& cube = result->cube;
    Reference reference(program);
    reference.run();
    const std::string what = "seed " + std::to_string(seed) + "\n" + program.text;
    std::map<std::string, std::int64_t> totals;
    for (const auto& [where, amount] : reference.exact) {
      const auto& [name, path, rank] = where;
      totals[metric_id(name)] += static_cast<std::int64_t>(amount);
      ASSERT_EQ(cell(cube, metric_id(name), path, rank), static_cast<std::int64_t>(amount))
          << metric_id(name) << " " << path << " " << rank << "\n"
          << what;
    }
    for (const auto& [id, total] : totals) ASSERT_EQ(cube.total(cube.find_metric(id)), total) << id << "\n" << what;
    long double long_sum = 0;
    for (const auto& [where, amount] : reference.long_term) {
      const auto& [name, path, rank] = where;
      const long double found = static_cast<long double>(cell(cube, metric_id(name), path, rank));
      ASSERT_LT(found - amount, 1.001L) << metric_id(name) << " " << path << " " << rank << "\n" << what;
      ASSERT_LT(amount - found, 1.001L) << metric_id(name) << " " << path << " " << rank << "\n" << what;
      long_sum += amount;
    }
    with_costs += long_sum > 0 ? 1 : 0;
    with_avoidable += reference.with_avoidable;
    with_progress += reference.with_progress;
    // Conservation: origin and effect split the same waits; all of them are explained, class by class.
    const std::int64_t waits = cube.total(cube.find_metric("waits-by-origin"));
    ASSERT_EQ(cube.total(cube.find_metric("waits-by-effect")), waits) << what;
    ASSERT_EQ(reference.explained, waits) << what;
    ASSERT_EQ(cube.total(cube.find_metric("delay-costs")), waits) << what;
    for (const auto& [kind, amount] : reference.of_kind) {
      ++programs_with[kind];
      ASSERT_EQ(cube.total(cube.find_metric("delay-costs-" + kind)), amount) << kind << "\n" << what;
    }
    ASSERT_EQ(cube.total(cube.find_metric("critical-path")), program.end - program.start) << what;
    ASSERT_EQ(cube.total(cube.find_metric("performance-impact")),
              static_cast<std::int64_t>(cube.locations.size()) * cube.total(cube.find_metric("critical-path")))
        << what;
  }
  EXPECT_GT(with_costs, 300U);  // the programs do have chains
  EXPECT_GT(with_avoidable, 100);
  EXPECT_GT(with_progress, 100);
  for (const char* kind : {"late-sender", "late-receiver", "barrier", "n-to-one", "one-to-n"}) {
    EXPECT_GT(programs_with[kind], 500) << kind;
  }
}

}  // namespace
}  // namespace mora::exhaustive
