/// Rows are found by (metric, call path); the rows that were used lately are remembered, since most amounts go to the
/// same few. The worst instances of a row are a heap of at most instances_listed under a total order, so that merging
/// partitions in any order finds the same ones.
#include "analysis/engine/scores.h"

#include <algorithm>
#include <map>
#include <tuple>

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
  const std::uint64_t cell = key(wait.metric, wait.call_path);
  ScoreRow& row = waits_[cell];
  const WorstInstance instance{wait.begin, wait.begin + wait.amount, wait.location,
                               wait.cause, wait.cause_call_path,     wait.call_path};
  row.distribution.add(wait.amount);
  row.add(instance);
  add_all(row.by_location, wait.location, wait.amount, locations_);
  if (cell == followed_cell_) followed_.push_back(instance);
  if (wait.cause == cube::no_id) return;
  row.caused_by[std::uint64_t{wait.cause} << 32 | wait.cause_call_path] += wait.amount;
  if (keeps_ && wait.cause != wait.location && all_metrics()[wait.metric].delay != DelayClass::none) {
    kept_.push_back(wait);
  }
}

void Scores::count(cube::MetricId metric, cube::CallPathId call_path, cube::LocationId location, std::int64_t amount) {
  if (amount == 0) return;
  const std::uint64_t cell = key(metric, call_path);
  Recent& recent = recent_[(call_path + metric * 61U) % recent_.size()];
  if (recent.key != cell) recent = Recent{cell, &counts_[cell]};
  add_all(*recent.cells, location, amount, locations_);
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

void Scores::pack(BufferWriter& out) const {
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
  out.put(static_cast<std::uint64_t>(counts_.size()));
  for (const auto& [where, cells] : counts_) {
    out.put(where);
    pack_cells(cells, out);
  }
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
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    unpack_cells(in, counts_[in.take<std::uint64_t>()], locations_);
  }
  for (std::uint64_t& violations : violations_) violations += in.take<std::uint64_t>();
  facts_.unpack(in);
}

namespace {

void summarise(const ScoreRow& row, WaitSummary& summary) {
  summary.statistics = row.distribution.statistics();
  summary.instances = row.distribution.count();
  summary.most_severe = most_severe_first(row.worst);
  summary.worst = summary.most_severe.front();
  summary.total = summary.statistics.sum;
  std::map<cube::LocationId, Nanoseconds> by_location;
  for (const auto& [cause, amount] : row.caused_by) {
    const auto location = static_cast<cube::LocationId>(cause >> 32);
    by_location[location] += amount;
    summary.caused_by_calls.push_back({location, static_cast<cube::CallPathId>(cause), amount});
  }
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
  std::map<cube::MetricId, std::pair<Distribution, std::vector<WorstInstance>>> metrics;
  for (auto& [where, row] : waits_) {
    add_cells(where, row.by_location);
    WaitSummary summary;
    summary.metric = static_cast<cube::MetricId>(where >> 32);
    summary.call_path = static_cast<cube::CallPathId>(where);
    if (!all_metrics()[summary.metric].wait_state) continue;
    summarise(row, summary);
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
