#include "analysis/engine/scores.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis {

namespace {

/// Longest; then earliest, then the smallest locations and call path: a total order, so that merging partitions in any
/// order finds the same instance.
bool is_worse(const WorstInstance& a, const WorstInstance& b) {
  const auto rank = [](const WorstInstance& w) {
    return std::make_tuple(w.begin - w.end, w.begin, w.location, w.cause, w.cause_call_path);
  };
  return rank(a) < rank(b);
}

void add_all(std::vector<std::int64_t>& sums, cube::LocationId location, std::int64_t amount, std::size_t locations) {
  if (sums.empty()) sums.resize(locations);
  sums[location] += amount;
}

}  // namespace

void Scores::add(const Wait& wait) {
  ScoreRow& row = waits_[key(wait.metric, wait.call_path)];
  const WorstInstance instance{wait.begin, wait.begin + wait.amount, wait.location, wait.cause, wait.cause_call_path};
  if (row.instances == 0 || is_worse(instance, row.worst)) row.worst = instance;
  ++row.instances;
  row.total += wait.amount;
  add_all(row.by_location, wait.location, wait.amount, locations_);
  if (wait.cause == cube::no_id) return;
  row.caused_by[wait.cause] += wait.amount;
  if (keeps_ && wait.cause != wait.location && all_metrics()[wait.metric].delay != DelayClass::none) {
    kept_.push_back(wait);
  }
}

void Scores::count(cube::MetricId metric, cube::CallPathId call_path, cube::LocationId location, std::int64_t amount) {
  if (amount != 0) add_all(counts_[key(metric, call_path)], location, amount, locations_);
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
    out.put(row.instances);
    out.put(row.total);
    out.put(row.worst);
    pack_cells(row.by_location, out);
    out.put(static_cast<std::uint64_t>(row.caused_by.size()));
    for (const auto& [location, amount] : row.caused_by) {
      out.put(location);
      out.put(amount);
    }
  }
  out.put(static_cast<std::uint64_t>(counts_.size()));
  for (const auto& [where, cells] : counts_) {
    out.put(where);
    pack_cells(cells, out);
  }
  for (const std::uint64_t violations : violations_) out.put(violations);
}

void Scores::unpack(BufferReader& in) {
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    ScoreRow& row = waits_[in.take<std::uint64_t>()];
    const auto instances = in.take<std::uint64_t>();
    row.total += in.take<Nanoseconds>();
    const auto worst = in.take<WorstInstance>();
    if (row.instances == 0 || is_worse(worst, row.worst)) row.worst = worst;
    row.instances += instances;
    unpack_cells(in, row.by_location, locations_);
    for (auto causes = in.take<std::uint64_t>(); causes > 0; --causes) {
      const auto location = in.take<cube::LocationId>();
      row.caused_by[location] += in.take<Nanoseconds>();
    }
  }
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    unpack_cells(in, counts_[in.take<std::uint64_t>()], locations_);
  }
  for (std::uint64_t& violations : violations_) violations += in.take<std::uint64_t>();
}

void Scores::deliver(AnalysisResult& result) {
  constexpr std::size_t causes_listed = 16;
  const auto add_cells = [&](std::uint64_t where, const std::vector<std::int64_t>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      result.cube.add(static_cast<cube::MetricId>(where >> 32), static_cast<cube::CallPathId>(where),
                      static_cast<cube::LocationId>(i), cells[i]);
    }
  };
  for (const auto& [where, cells] : counts_) add_cells(where, cells);
  counts_.clear();
  for (auto& [where, row] : waits_) {
    add_cells(where, row.by_location);
    WaitSummary summary;
    summary.metric = static_cast<cube::MetricId>(where >> 32);
    summary.call_path = static_cast<cube::CallPathId>(where);
    if (!all_metrics()[summary.metric].wait_state) continue;
    summary.instances = row.instances;
    summary.total = row.total;
    summary.worst = row.worst;
    summary.caused_by.assign(row.caused_by.begin(), row.caused_by.end());
    std::sort(summary.caused_by.begin(), summary.caused_by.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    while (summary.caused_by.size() > causes_listed) {
      summary.caused_by_others += summary.caused_by.back().second;
      summary.caused_by.pop_back();
    }
    result.waits.push_back(std::move(summary));
  }
  waits_.clear();
  std::sort(result.waits.begin(), result.waits.end(), [](const WaitSummary& a, const WaitSummary& b) {
    return std::make_tuple(-a.total, a.metric, a.call_path) < std::make_tuple(-b.total, b.metric, b.call_path);
  });
  for (std::size_t i = 0; i < violations_.size(); ++i) {
    if (violations_[i] == 0) continue;
    result.quality.add(
        "clock-violation", Severity::warning, result.cube.locations[i].name, violations_[i],
        "something was received before it was sent, by the clocks; the waiting was cut at the call's end",
        "record with Mora, which measures clock offsets at both ends of the run, or on one node");
  }
}

}  // namespace mora::analysis
