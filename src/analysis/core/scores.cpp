/// Rows are found by (metric, call path); the rows that were used lately are remembered, since most amounts go to the
/// same few. The worst instances of a row are a heap of at most instances_listed under a total order, so that merging
/// partitions in any order finds the same ones.
#include "analysis/core/scores.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/core/timeline.h"

namespace mora::analysis {

namespace {

/// Longest; then earliest, then the smallest locations and call path: a total order, so that merging partitions in any
/// order finds the same instance.
bool is_worse(const WorstInstance& a, const WorstInstance& b) {
  const auto rank = [](const WorstInstance& w) {
    return std::make_tuple(w.begin - w.end, w.begin, w.location, w.call_path, w.cause, w.cause_call_path);
  };
  return rank(a) < rank(b);
}

void add_all(std::vector<std::int64_t>& sums, cube::LocationId location, std::int64_t amount, std::size_t locations) {
  if (sums.empty()) sums.resize(locations);
  sums[location] += amount;
}

std::vector<WorstInstance> most_severe_first(std::vector<WorstInstance> heap) {
  std::sort(heap.begin(), heap.end(), is_worse);
  return heap;
}

/// Largest first, at most 16; what is left out is added up.
constexpr std::size_t causes_listed = 16;

template <class Row, class Amount>
Nanoseconds cut_causes(std::vector<Row>& rows, Amount amount) {
  Nanoseconds others = 0;
  for (; rows.size() > causes_listed; rows.pop_back()) others += amount(rows.back());
  return others;
}

}  // namespace

void ScoreRow::merge(const ScoreRow& other) {
  distribution.merge(other.distribution);
  for (const WorstInstance& instance : other.worst) add(instance);
  for (const auto& [cause, amount] : other.caused_by) caused_by[cause] += amount;
}

void ScoreRow::add(const WorstInstance& instance) {
  if (worst.size() < instances_listed) {
    worst.push_back(instance);
    std::push_heap(worst.begin(), worst.end(), is_worse);
  } else if (is_worse(instance, worst.front())) {
    std::pop_heap(worst.begin(), worst.end(), is_worse);
    worst.back() = instance;
    std::push_heap(worst.begin(), worst.end(), is_worse);
  }
}

void Scores::add(const Wait& wait) {
  add_over_time(wait.metric, wait.begin, wait.amount);
  add_cause(wait, add_amount(wait));
}

void Scores::add_shared(const Wait& wait, std::span<const WaitShare> shares) {
  ScoreRow& row = add_amount(wait);
  for (const WaitShare& share : shares) {
    add_over_time(wait.metric, share.begin, share.amount);
    Wait part = wait;
    part.begin = share.begin;
    part.amount = share.amount;
    part.cause = share.cause;
    part.cause_call_path = share.cause_call_path;
    part.own = &share == &shares.back() ? wait.own : 0;
    add_cause(part, row);
  }
}

ScoreRow& Scores::add_amount(const Wait& wait) {
  const std::uint64_t cell = key(wait.metric, wait.call_path);
  ScoreRow& row = waits_[cell];
  const WorstInstance instance{wait.begin, wait.begin + wait.amount, wait.location,
                               wait.cause, wait.cause_call_path,     wait.call_path};
  row.distribution.add(wait.amount);
  row.add(instance);
  add_all(row.by_location, wait.location, wait.amount, locations_);
  if (std::find(followed_cells_.begin(), followed_cells_.end(), cell) != followed_cells_.end())
    followed_.push_back(instance);
  return row;
}

void Scores::add_cause(const Wait& wait, ScoreRow& row) {
  if (wait.cause == cube::no_id) return;
  row.caused_by[std::uint64_t{wait.cause} << 32 | wait.cause_call_path] += wait.amount;
  if (points_of_ == nullptr || wait.cause == wait.location || metrics_[wait.metric].delay == DelayClass::none) return;
  std::unique_ptr<KeptWaits>& kept = kept_[wait.location];
  if (kept == nullptr) kept = std::make_unique<KeptWaits>();
  kept->add(wait);
}

namespace {

/// What is left of a wait beside the earlier ones of its call, in order; it is taken then. `taken`: disjoint,
/// ascending, and none ends after `wait`. O(1) amortised: what a wait covers becomes one interval.
std::vector<WaitShare> take_rest(const Wait& wait, std::vector<TimeInterval>& taken) {
  std::vector<WaitShare> rest;
  const Nanoseconds end = wait.begin + wait.amount;
  Nanoseconds until = end;
  const auto keep = [&](Nanoseconds from) {
    if (from < until) rest.push_back({from, until - from, wait.cause, wait.cause_call_path});
  };
  for (; !taken.empty() && taken.back().end > wait.begin; taken.pop_back()) {
    keep(taken.back().end);
    until = taken.back().begin;
  }
  keep(wait.begin);
  taken.push_back({std::min(wait.begin, until), end});
  std::reverse(rest.begin(), rest.end());
  return rest;
}

cube::MetricId time_of(CompletionKind kind) {
  static const cube::MetricId messages = metric_index("point-to-point"), collectives = metric_index("collective"),
                              transfers = metric_index("one-sided");
  return kind == completes_collective ? collectives : kind == completes_transfer ? transfers : messages;
}

}  // namespace

/// The waits of a call in the order in which they ended (of equals, the kind by which the call is accounted comes
/// first). What is waited for one kind is time of that kind, too, whatever the call is accounted as.
void Scores::divide_parts() {
  const auto place = [](const Part& p) { return std::make_tuple(p.wait.location, p.of.call); };
  const auto interval = [](const Part& p) {  // several metrics may have the same wait
    return std::make_tuple(p.wait.begin + p.wait.amount, p.of.kind, p.wait.begin);
  };
  std::sort(parts_.begin(), parts_.end(), [&](const Part& a, const Part& b) {
    return std::tuple_cat(place(a), interval(a), std::make_tuple(a.wait.metric)) <
           std::tuple_cat(place(b), interval(b), std::make_tuple(b.wait.metric));
  });
  std::vector<TimeInterval> taken;
  std::vector<WaitShare> rest;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const bool is_new_call = i == 0 || place(parts_[i]) != place(parts_[i - 1]);
    if (is_new_call) taken.clear();
    const auto& [wait, of] = parts_[i];
    if (is_new_call || interval(parts_[i]) != interval(parts_[i - 1])) {
      rest = take_rest(wait, taken);
      if (of.kind != of.account) {
        for (const WaitShare& share : rest) {
          count(time_of(of.account), wait.call_path, wait.location, -share.amount);
          count(time_of(of.kind), wait.call_path, wait.location, share.amount);
        }
      }
    }
    add_rest(wait, rest);
  }
  parts_.clear();
}

/// What is left of a wait that was given by add_part(); of what it could have avoided, the end of it.
void Scores::add_rest(Wait wait, std::span<const WaitShare> rest) {
  const Nanoseconds own = rest.empty() ? 0 : std::min(wait.own, rest.back().amount);
  if (own != wait.own) count(metric_index("late-sender-avoidable"), wait.call_path, wait.location, own - wait.own);
  if (rest.empty()) return;
  wait.own = own;
  wait.begin = rest.front().begin;
  wait.amount = 0;
  for (const WaitShare& share : rest) wait.amount += share.amount;
  add_shared(wait, rest);
}

/// A row is never resized once it has cells.
__attribute__((noinline)) std::int64_t* Scores::row_of(std::uint64_t cell) {
  std::vector<std::int64_t>& row = counts_[cell];
  if (row.empty()) row.resize(locations_);
  return row.data();
}

namespace {

void pack_cells(const std::vector<std::int64_t>& cells, BufferWriter& out) {
  const auto used = cells.size() - static_cast<std::size_t>(std::count(cells.begin(), cells.end(), 0));
  out.put(static_cast<std::uint64_t>(used));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] == 0) continue;
    out.put(static_cast<cube::LocationId>(i));
    out.put(cells[i]);
  }
}

void unpack_cells(BufferReader& in, std::vector<std::int64_t>& cells, std::size_t locations) {
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    const auto location = in.take<cube::LocationId>();
    add_all(cells, location, in.take<std::int64_t>(), locations);
  }
}

}  // namespace

void Scores::pack(BufferWriter& out) {
  out.put(static_cast<std::uint64_t>(waits_.size()));
  for (const auto& [where, row] : waits_) {
    out.put(where);
    row.distribution.pack(out);
    out.put(static_cast<std::uint64_t>(row.worst.size()));
    for (const WorstInstance& instance : row.worst) out.put(instance);
    pack_cells(row.by_location, out);
    out.put(static_cast<std::uint64_t>(row.caused_by.size()));
    for (const auto& [cause, amount] : row.caused_by) {
      out.put(cause);
      out.put(amount);
    }
  }
  out.put(static_cast<std::uint64_t>(followed_.size()));
  for (const WorstInstance& instance : followed_) out.put(instance);
  out.put(static_cast<std::uint64_t>(path_.size()));
  for (const PathPiece& piece : path_) out.put(piece);
  over_time_.finish();
  out.put(over_time_.length());
  out.put(static_cast<std::uint64_t>(over_time_.rows().size()));
  out.put_text(over_time_.packed());
  out.put(static_cast<std::uint64_t>(counts_.size()));
  for (const auto& [where, cells] : counts_) {
    out.put(where);
    pack_cells(cells, out);
  }
  out.put(static_cast<std::uint64_t>(trends_.size()));
  for (const CallTrend& trend : trends_) out.put(trend);
  for (const std::uint64_t violations : violations_) out.put(violations);
  facts_.pack(out);
}

void Scores::unpack(BufferReader& in) {
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    ScoreRow& row = waits_[in.take<std::uint64_t>()];
    row.distribution.unpack_and_merge(in);
    for (auto instances = in.take<std::uint64_t>(); instances > 0; --instances) row.add(in.take<WorstInstance>());
    unpack_cells(in, row.by_location, locations_);
    for (auto causes = in.take<std::uint64_t>(); causes > 0; --causes) {
      const auto cause = in.take<std::uint64_t>();
      row.caused_by[cause] += in.take<Nanoseconds>();
    }
  }
  for (auto instances = in.take<std::uint64_t>(); instances > 0; --instances) {
    followed_.push_back(in.take<WorstInstance>());
  }
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) path_.push_back(in.take<PathPiece>());
  const auto length = in.take<Nanoseconds>();
  const auto rows = in.take<std::uint64_t>();
  cube::WaitingOverTime over_time;
  static_cast<void>(over_time.unpack(length, rows, in.take_text()));  // our own bytes
  over_time_.merge(over_time);
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    unpack_cells(in, counts_[in.take<std::uint64_t>()], locations_);
  }
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) trends_.push_back(in.take<CallTrend>());
  for (std::uint64_t& violations : violations_) violations += in.take<std::uint64_t>();
  facts_.unpack(in);
}

namespace {

/// For each call path, the first one that differs from it by found iterations only.
std::vector<cube::CallPathId> without_iterations(const cube::Cube& cube) {
  using Key = std::tuple<cube::CallPathId, cube::CallPathKind, std::string_view, std::string_view, std::uint32_t,
                         std::uint32_t>;
  std::map<Key, cube::CallPathId> first;
  std::vector<cube::CallPathId> same;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& path = cube.call_paths[c];
    const cube::CallPathId parent = path.parent == cube::no_id ? cube::no_id : same[path.parent];
    same.push_back(
        is_found_iteration(path)
            ? parent
            : first.try_emplace(Key{parent, path.kind, path.name, path.file, path.line, path.id}, c).first->second);
  }
  return same;
}

/// `sites`: without_iterations(); one call site is one cause, named by the call path that caused most.
void summarise(const ScoreRow& row, const std::vector<cube::CallPathId>& sites, WaitSummary& summary) {
  summary.statistics = row.distribution.statistics();
  summary.instances = row.distribution.count();
  summary.most_severe = most_severe_first(row.worst);
  summary.worst = summary.most_severe.front();
  summary.total = summary.statistics.sum;
  std::map<cube::LocationId, Nanoseconds> by_location;
  std::map<std::pair<cube::LocationId, cube::CallPathId>, std::pair<CausedWaiting, Nanoseconds>> by_site;
  for (const auto& [cause, amount] : row.caused_by) {
    const auto location = static_cast<cube::LocationId>(cause >> 32);
    const auto call_path = static_cast<cube::CallPathId>(cause);
    by_location[location] += amount;
    auto& [all, most] = by_site[{location, call_path < sites.size() ? sites[call_path] : call_path}];
    all.location = location;
    all.amount += amount;
    if (amount > most || (amount == most && call_path < all.call_path)) most = amount, all.call_path = call_path;
  }
  for (const auto& [site, both] : by_site) summary.caused_by_calls.push_back(both.first);
  summary.caused_by.assign(by_location.begin(), by_location.end());
  std::stable_sort(summary.caused_by.begin(), summary.caused_by.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  summary.caused_by_others = cut_causes(summary.caused_by, [](const auto& r) { return r.second; });
  std::sort(summary.caused_by_calls.begin(), summary.caused_by_calls.end(), [](const auto& a, const auto& b) {
    return std::make_tuple(-a.amount, a.location, a.call_path) < std::make_tuple(-b.amount, b.location, b.call_path);
  });
  summary.caused_by_other_calls = cut_causes(summary.caused_by_calls, [](const auto& r) { return r.amount; });
}

}  // namespace

void Scores::deliver(AnalysisResult& result) {
  const auto add_cells = [&](std::uint64_t where, const std::vector<std::int64_t>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      result.cube.add(static_cast<cube::MetricId>(where >> 32), static_cast<cube::CallPathId>(where),
                      static_cast<cube::LocationId>(i), cells[i]);
    }
  };
  for (const auto& [where, cells] : counts_) add_cells(where, cells);
  counts_.clear();
  recent_.fill(Recent{});
  const std::vector<cube::CallPathId> sites = without_iterations(result.cube);
  std::map<std::uint64_t, std::vector<std::pair<cube::CallPathId, const ScoreRow*>>> by_site;
  for (const auto& [where, row] : waits_) {
    add_cells(where, row.by_location);
    const auto metric = static_cast<cube::MetricId>(where >> 32);
    const auto call_path = static_cast<cube::CallPathId>(where);
    if (all_metrics()[metric].wait_state) by_site[key(metric, sites[call_path])].emplace_back(call_path, &row);
  }
  std::map<cube::MetricId, std::pair<Distribution, std::vector<WorstInstance>>> metrics;
  for (const auto& [where, rows] : by_site) {
    WaitSummary summary;
    summary.metric = static_cast<cube::MetricId>(where >> 32);
    ScoreRow row;
    for (const auto& [call_path, part] : rows) {
      summary.parts.push_back({call_path, part->distribution.count(), part->distribution.statistics().sum});
      row.merge(*part);
    }
    std::sort(summary.parts.begin(), summary.parts.end(), [](const WaitPart& a, const WaitPart& b) {
      return std::make_tuple(-a.total, a.call_path) < std::make_tuple(-b.total, b.call_path);
    });
    summary.call_path = summary.parts.front().call_path;
    if (summary.parts.size() == 1) summary.parts.clear();
    summarise(row, sites, summary);
    auto& [all, worst] = metrics[summary.metric];
    all.merge(row.distribution);
    worst.insert(worst.end(), summary.most_severe.begin(), summary.most_severe.end());
    result.waits.push_back(std::move(summary));
  }
  for (auto& [metric, both] : metrics) {
    auto& [all, worst] = both;
    worst = most_severe_first(std::move(worst));
    if (worst.size() > instances_listed) worst.resize(instances_listed);
    result.wait_metrics.push_back({metric, all.statistics(), std::move(worst)});
  }
  waits_.clear();
  std::sort(result.waits.begin(), result.waits.end(), [](const WaitSummary& a, const WaitSummary& b) {
    return std::make_tuple(-a.total, a.metric, a.call_path) < std::make_tuple(-b.total, b.metric, b.call_path);
  });
  std::sort(followed_.begin(), followed_.end(), [](const WorstInstance& a, const WorstInstance& b) {
    const auto rank = [](const WorstInstance& w) {
      return std::make_tuple(w.begin, w.location, w.end, w.cause, w.cause_call_path);
    };
    return rank(a) < rank(b);
  });
  result.followed = std::move(followed_);
  std::sort(path_.begin(), path_.end(), [](const PathPiece& a, const PathPiece& b) { return a.from < b.from; });
  result.critical_path = std::move(path_);
  over_time_.finish();
  result.waiting_over_time = std::move(over_time_);
  std::sort(trends_.begin(), trends_.end(), [](const CallTrend& a, const CallTrend& b) {
    return std::make_tuple(a.call_path, a.location) < std::make_tuple(b.call_path, b.location);
  });
  result.trends = std::move(trends_);
  result.checks = facts_.findings();
  result.transfers = facts_.transfers();
  for (std::size_t i = 0; i < violations_.size(); ++i) {
    if (violations_[i] == 0) continue;
    result.quality.add(
        "clock-violation", Severity::warning, result.cube.locations[i].name, violations_[i],
        "something was received before it was sent, by the clocks; the waiting was cut at the call's end",
        "record with Mora, which measures clock offsets at both ends of the run, or on one node");
  }
}

}  // namespace mora::analysis
