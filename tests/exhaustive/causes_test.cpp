/// Causes against a naive reference, on random programs: functions, messages that block or not, barriers, without gaps.
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
#include "base/shares.h"
#include "trace/readers/text/text_source.h"

namespace mora::exhaustive {
namespace {

struct Segment {
  Nanoseconds begin, end;
  std::string path;
};
struct Operation {  ///< message: two members, sender first; barrier: all
  bool is_message;
  std::vector<int> ranks;
  std::vector<Nanoseconds> enter, leave;
};
struct WaitOf {
  int rank, cause;
  Nanoseconds begin, end;
  std::string path, kind;
};
struct Program {
  std::vector<std::vector<Segment>> segments;
  std::vector<Operation> operations;
  std::string text;
};

Program random_program(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n + 1)); };
  const int ranks = 2 + upto(3);
  Program p;
  p.segments.resize(static_cast<std::size_t>(ranks));
  std::vector<Nanoseconds> clock(static_cast<std::size_t>(ranks), 0);
  p.text = "mora-trace 1\n";
  const auto call = [&](int rank, Nanoseconds until, const std::string& name, const std::string& more) {
    const auto r = static_cast<std::size_t>(rank);
    p.text += "P" + std::to_string(rank) + " " + std::to_string(clock[r]) + "-" + std::to_string(until) + " " + name +
              more + "\n";
    p.segments[r].push_back({clock[r], until, name});
    clock[r] = until;
  };
  const char* names[] = {"f", "g", "h"};
  const int scale = upto(2) == 0 ? 3 : 40;  // small times: many ties
  for (int rank = 0; rank < ranks; ++rank) call(rank, 1 + upto(scale), "f", "");
  for (int n = 3 + upto(25); n > 0; --n) {
    const int what = upto(9);
    if (what < 4) {
      const int rank = upto(ranks - 1);
      call(rank, clock[static_cast<std::size_t>(rank)] + upto(scale), names[upto(2)], "");
    } else if (what < 9) {
      const int from = upto(ranks - 1);
      const int to = (from + 1 + upto(ranks - 2)) % ranks;
      const auto s = static_cast<std::size_t>(from), r = static_cast<std::size_t>(to);
      Operation o{true, {from, to}, {clock[s], clock[r]}, {}};
      Nanoseconds sent = clock[s] + upto(2);
      const Nanoseconds received = std::max(clock[s], clock[r]) + upto(2);
      if (upto(1) == 0) sent = std::max(sent, clock[r] + upto(1));  // waits for the receiver
      call(from, sent, "MPI_Send", " to " + std::to_string(to));
      call(to, received, "MPI_Recv", " from " + std::to_string(from));
      o.leave = {sent, received};
      p.operations.push_back(o);
    } else {
      Operation o{false, {}, clock, {}};
      const Nanoseconds last = *std::max_element(clock.begin(), clock.end());
      for (int rank = 0; rank < ranks; ++rank) {
        o.ranks.push_back(rank);
        call(rank, last + upto(2), "MPI_Barrier", "");
      }
      o.leave = clock;
      p.operations.push_back(o);
    }
  }
  return p;
}

using Cells = std::map<std::tuple<std::string, std::string, int>, long double>;  // metric, path, rank

class Reference {
 public:
  explicit Reference(const Program& p) : p_(p) {
    for (const Operation& o : p.operations) add_waits(o);
    for (const WaitOf& w : waits_) weigh(w);
  }

  Cells exact, long_term;
  std::int64_t explained = 0;  ///< sum over the waits of min(w, D + W)
  long double lost = 0;        ///< K of waits whose cause did nothing and waited for nothing

  void run() {
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      const WaitOf& w = waits_[i];
      const Weighed& g = weighed_[i];
      const std::int64_t amount = w.end - w.begin;
      explained += std::min(amount, g.total);
      if (g.total == 0) lost += cost(i);
      const auto parts = shares(i);
      std::size_t k = 0;
      for (const auto& [path, d] : g.delays) {
        exact[{"short:" + w.kind, path, w.cause}] += parts[k++];
        if (g.total > 0) long_term[{"long:" + w.kind, path, w.cause}] += cost(i) * d / g.total;
      }
      exact[{"indirect", w.path, w.rank}] += parts.back();
      exact[{"direct", w.path, w.rank}] += amount - parts.back();
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
    std::int64_t waited = 0, total = 0;
  };

  void add_waits(const Operation& o) {
    if (o.is_message) {
      const Nanoseconds late_sender = std::min(o.enter[0], o.leave[1]) - o.enter[1];
      if (late_sender > 0)
        waits_.push_back({o.ranks[1], o.ranks[0], o.enter[1], o.enter[1] + late_sender, "MPI_Recv", "late-sender"});
      if (o.leave[0] > o.enter[1] && o.enter[1] > o.enter[0]) {
        waits_.push_back({o.ranks[0], o.ranks[1], o.enter[0], o.enter[1], "MPI_Send", "late-receiver"});
      }
      return;
    }
    const auto last = static_cast<std::size_t>(std::max_element(o.enter.begin(), o.enter.end()) - o.enter.begin());
    for (std::size_t m = 0; m < o.ranks.size(); ++m) {
      const Nanoseconds until = std::min(o.enter[last], o.leave[m]);
      if (until > o.enter[m])
        waits_.push_back({o.ranks[m], o.ranks[last], o.enter[m], until, "MPI_Barrier", "barrier"});
    }
  }

  Nanoseconds after_waiting(int rank, Nanoseconds t) const {
    for (const WaitOf& w : waits_) {
      if (w.rank == rank && w.begin <= t && t < w.end) return w.end;
    }
    return t;
  }

  std::map<std::string, std::int64_t> activity(int rank, Nanoseconds from, Nanoseconds to) const {
    std::map<std::string, std::int64_t> sums;
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
    Nanoseconds own = INT64_MIN, partner = INT64_MIN;
    bool of_pair = false;
    for (const Operation& o : p_.operations) {
      const auto mine = std::find(o.ranks.begin(), o.ranks.end(), w.rank);
      const auto theirs = std::find(o.ranks.begin(), o.ranks.end(), w.cause);
      if (mine == o.ranks.end() || theirs == o.ranks.end()) continue;
      const Nanoseconds t = o.enter[static_cast<std::size_t>(mine - o.ranks.begin())];
      const Nanoseconds u = o.enter[static_cast<std::size_t>(theirs - o.ranks.begin())];
      if (t >= w.begin) continue;
      if (o.is_message && u >= w.end) continue;  // under way during the whole wait
      const bool better = t > own || (t == own && o.is_message && (!of_pair || u > partner)) ||
                          (t == own && !o.is_message && !of_pair);  // of equal collective points the last instance
      if (better) own = t, partner = u, of_pair = o.is_message;
    }
    Weighed g;
    g.from = partner == INT64_MIN ? INT64_MIN : after_waiting(w.cause, partner);
    const auto theirs = activity(w.rank, own == INT64_MIN ? own : after_waiting(w.rank, own), w.begin);
    const auto ours = activity(w.cause, g.from, w.end);
    for (const auto& [path, t] : ours) {
      const auto found = theirs.find(path);
      const std::int64_t d = t - (found == theirs.end() ? 0 : found->second);
      if (d > 0) g.delays.emplace_back(path, d);
      g.total += std::max<std::int64_t>(0, d);
    }
    for (const WaitOf& v : waits_) {
      if (v.rank == w.cause && v.begin >= g.from && v.end <= w.end) g.waited += v.end - v.begin;
    }
    g.total += g.waited;
    std::sort(g.delays.begin(), g.delays.end(), [&](auto& a, auto& b) { return number(a.first) < number(b.first); });
    weighed_.push_back(g);
  }

  /// Call paths are numbered in order of first appearance, smaller ranks first.
  int number(const std::string& path) const {
    int n = 0;
    std::vector<std::string> seen;
    for (const auto& rank : p_.segments) {
      for (const Segment& s : rank) {
        if (std::find(seen.begin(), seen.end(), s.path) != seen.end()) continue;
        if (s.path == path) return n;
        seen.push_back(s.path);
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

  /// Of wait i on its delays, and last on the waiting of its cause.
  std::vector<std::int64_t> shares(std::size_t i) const {
    std::vector<std::int64_t> weights;
    for (const auto& [path, d] : weighed_[i].delays) weights.push_back(d);
    weights.push_back(weighed_[i].waited);
    const std::int64_t amount = waits_[i].end - waits_[i].begin;
    return weighed_[i].total >= amount ? exact_shares(amount, weights) : weights;
  }

  long double cost(std::size_t i) {
    const auto known = costs_.find(i);
    if (known != costs_.end()) return known->second;
    long double sum = 0;
    const WaitOf& w = waits_[i];
    for (std::size_t j = 0; j < waits_.size(); ++j) {
      if (!covers(j, i)) continue;
      const auto waited = static_cast<long double>(weighed_[j].waited);
      const auto passed_on = cost(j) * waited / static_cast<long double>(weighed_[j].total);
      sum +=
          (static_cast<long double>(shares(j).back()) + passed_on) * static_cast<long double>(w.end - w.begin) / waited;
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
  std::map<std::size_t, long double> costs_;
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
    // Conservation: origin and effect split the same waits; costs never exceed them.
    const std::int64_t waits = cube.total(cube.find_metric("waits-by-origin"));
    ASSERT_EQ(cube.total(cube.find_metric("waits-by-effect")), waits) << what;
    ASSERT_LE(reference.explained, waits) << what;
    const long double costs = static_cast<long double>(reference.explained) - reference.lost;
    ASSERT_NEAR(static_cast<double>(cube.total(cube.find_metric("delay-costs"))), static_cast<double>(costs), 0.50001)
        << what;
    ASSERT_EQ(cube.total(cube.find_metric("performance-impact")),
              static_cast<std::int64_t>(cube.locations.size()) * cube.total(cube.find_metric("critical-path")))
        << what;
  }
  EXPECT_GT(with_costs, 300U);  // the programs do have chains
}

}  // namespace
}  // namespace mora::exhaustive
