/// Critical-path imbalance and performance impact, computed once all locations' times are known.
///
/// `active(c, l)` is the time of call path c on location l without the waits that have a cause, CP(c, l) its time on
/// the critical path. Imbalance: per call path [CP(c) - mean of active(c)]+. Impact: what a location lacks to the
/// length of the path is distributed over the call paths in which it does less than the path, then over the path's
/// locations. Amounts are integers; what is distributed is distributed exactly (largest remainder), so that
/// activity-impact, non-critical-path activities and the two imbalances add up to locations x length.
///
/// Source: Böhme 2012; Scalasca 2.6, Critical-Path Imbalance and Performance Impact. Cost: O(call paths x locations)
/// time and memory.
#include <algorithm>

#include "analysis/causes/causes.h"
#include "analysis/metric_info.h"
#include "base/numbers/shares.h"

namespace mora::analysis {

namespace {

class PathMetrics {
 public:
  explicit PathMetrics(cube::Cube& cube)
      : cube_(cube), paths_(cube.call_paths.size()), locations_(cube.locations.size()) {}

  void run() {
    read();
    if (length_ == 0) return;
    for (std::size_t c = 0; c < paths_; ++c) add_imbalance(c);
    add_impact();
  }

 private:
  using Amounts = std::vector<std::int64_t>;

  /// Times per call path and location, without waits; locations without any time take no part.
  void read() {
    const cube::MetricId time = metric_index("time");
    const cube::MetricId waits = metric_index("waits-by-origin");
    const cube::MetricId path = metric_index("critical-path");
    on_path_.resize(paths_);
    active_.resize(paths_);
    sum_of_path_.assign(paths_, 0);
    Amounts lifetime(locations_, 0);
    for (std::size_t c = 0; c < paths_; ++c) {
      active_[c] = cube_.row(time, static_cast<cube::CallPathId>(c));
      active_[c].resize(locations_);
      const Amounts& waited = cube_.row(waits, static_cast<cube::CallPathId>(c));
      for (std::size_t l = 0; l < locations_; ++l) {
        lifetime[l] += active_[c][l];
        if (!waited.empty()) active_[c][l] -= waited[l];
      }
      on_path_[c] = cube_.row(path, static_cast<cube::CallPathId>(c));
      for (const std::int64_t amount : on_path_[c]) sum_of_path_[c] += amount;
      length_ += sum_of_path_[c];
    }
    for (std::size_t l = 0; l < locations_; ++l) {
      if (lifetime[l] > 0) lived_.push_back(l);
    }
  }

  void add(cube::MetricId metric, std::size_t path, std::size_t location, std::int64_t amount) {
    if (amount == 0) return;
    for (cube::MetricId m = metric; m != cube::no_id; m = cube_.metrics[m].parent) {
      cube_.add(m, static_cast<cube::CallPathId>(path), static_cast<cube::LocationId>(location), amount);
    }
  }
  /// Over the locations, in proportion to their part of the critical path in call path c.
  void distribute(cube::MetricId metric, std::size_t c, std::int64_t amount, bool with_ancestors) {
    if (amount == 0) return;
    const Amounts shares = exact_shares(amount, on_path_[c]);
    for (std::size_t l = 0; l < shares.size(); ++l) {
      if (with_ancestors) {
        add(metric, c, l, shares[l]);
      } else if (shares[l] != 0) {
        cube_.add(metric, static_cast<cube::CallPathId>(c), static_cast<cube::LocationId>(l), shares[l]);
      }
    }
  }

  void add_imbalance(std::size_t c) {
    if (sum_of_path_[c] == 0) return;
    const auto n = static_cast<std::int64_t>(lived_.size());
    std::int64_t active = 0;
    for (const std::size_t l : lived_) active += active_[c][l];
    const std::int64_t mean_up = active / n + (active % n != 0 ? 1 : 0);  // floor of CP - mean
    distribute(path_imbalance_, c, std::max<std::int64_t>(0, sum_of_path_[c] - mean_up), false);
  }

  /// Each location lacks `idle` to the length of the path; it is distributed over the call paths in which the location
  /// does less than the path, and charged to the path's locations: as intra-partition if the location visits the call
  /// path.
  void add_impact() {
    Amounts intra(paths_, 0);
    Amounts inter(paths_, 0);
    const cube::MetricId visits = metric_index("visits");
    Amounts excess(paths_);
    for (const std::size_t l : lived_) {
      std::int64_t idle = length_;
      for (std::size_t c = 0; c < paths_; ++c) {
        idle -= active_[c][l];
        excess[c] = std::max<std::int64_t>(0, sum_of_path_[c] - active_[c][l]);
        const std::int64_t counts = std::min(sum_of_path_[c], active_[c][l]);
        add(activity_impact_, c, l, counts);
        add(off_the_path_, c, l, active_[c][l] - counts);
      }
      if (idle <= 0) continue;
      const Amounts shares = exact_shares(idle, excess);
      for (std::size_t c = 0; c < paths_; ++c) {
        if (shares[c] == 0) continue;
        const bool visited = cube_.get(visits, static_cast<cube::CallPathId>(c), static_cast<cube::LocationId>(l)) != 0;
        (visited ? intra : inter)[c] += shares[c];
      }
    }
    for (std::size_t c = 0; c < paths_; ++c) {
      distribute(intra_, c, intra[c], true);
      distribute(inter_, c, inter[c], true);
    }
  }

  cube::Cube& cube_;
  std::size_t paths_;
  std::size_t locations_;
  std::vector<Amounts> on_path_;
  std::vector<Amounts> active_;
  Amounts sum_of_path_;
  std::vector<std::size_t> lived_;
  std::int64_t length_ = 0;
  const cube::MetricId path_imbalance_ = metric_index("critical-path-imbalance");
  const cube::MetricId activity_impact_ = metric_index("activity-impact");
  const cube::MetricId off_the_path_ = metric_index("non-critical-path-activities");
  const cube::MetricId intra_ = metric_index("intra-partition-imbalance");
  const cube::MetricId inter_ = metric_index("inter-partition-imbalance");
};

/// (child, parent) below the three roots of causes, children before parents.
std::vector<std::pair<cube::MetricId, cube::MetricId>> steps_of_sums() {
  const auto& all = all_metrics();  // parents before children
  std::vector<char> below(all.size(), 0);
  std::vector<std::pair<cube::MetricId, cube::MetricId>> steps;
  for (cube::MetricId m = 0; m < all.size(); ++m) {
    if (all[m].parent.empty()) {
      below[m] = all[m].id == "delay-costs" || all[m].id == "waits-by-origin" || all[m].id == "waits-by-effect";
    } else if (const cube::MetricId parent = metric_index(all[m].parent); below[parent] != 0) {
      below[m] = 1;
      steps.emplace_back(m, parent);
    }
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace

void add_cause_sums(cube::Cube& cube) {
  static const std::vector<std::pair<cube::MetricId, cube::MetricId>> steps = steps_of_sums();
  for (const auto& [child, sum] : steps) {
    for (const auto& [c, row] : cube.rows(child)) {
      for (std::size_t l = 0; l < row.size(); ++l) {
        if (row[l] != 0) cube.add(sum, c, static_cast<cube::LocationId>(l), row[l]);
      }
    }
  }
}

void add_path_metrics(cube::Cube& cube) { PathMetrics(cube).run(); }

}  // namespace mora::analysis
