/// Metrics that are sums and differences of others.
///
/// Unexplained synchronisation: what is left of the time of one-sided synchronising calls when all their wait states
/// are taken from it (Mora's rule unexplained-synchronization).
///
/// The computational imbalance heuristic: per call path, how far each location's own computation lies above or below
/// the mean of those that visit it.
///
/// Integers: with S = sum and n = visitors, the mean is S/n exactly; amounts are floor(x - S/n) and floor(S/n - x), so
/// that each is less than a nanosecond too small. Source: Scalasca 2.6, Computational Load Imbalance Heuristic; the
/// only visitor of a call path is charged with all of it (Mora's rule computational-imbalance). Cost: O(call paths x
/// locations). Limit: imbalances of two call paths may compensate each other; the heuristic does not see that.
#include "analysis/metrics/derived.h"

#include <algorithm>

#include "analysis/metrics/sampled.h"

namespace mora::analysis {

namespace {

MetricInfo heuristic(std::string_view id, std::string_view name, std::string_view unique_name, std::string_view parent,
                     std::string_view summary, std::string_view formula, std::string_view source,
                     std::string_view diagnosis, std::string_view advice) {
  return MetricInfo{id,      name,   unique_name, parent, cube::Unit::seconds, false, summary,
                    formula, source, diagnosis,   advice};
}

}  // namespace

const std::vector<MetricInfo>& derived_metrics() {
  static const std::vector<MetricInfo> metrics = {
      heuristic(
          "imbalance", "Computational Imbalance", "imbalance", "",
          "How far the computation of each location is from the mean of its call path.",
          "imbalance-overload + imbalance-underload. x(c,l) = computation of location l in call path c alone; m(c) = "
          "mean over the locations that visit c, an exact fraction; amounts are rounded down to a nanosecond",
          "Scalasca 2.6, Computational Load Imbalance Heuristic; Mora's rule computational-imbalance",
          "A heuristic: it needs no waiting to see that work is distributed unevenly. Imbalances of one call path may "
          "be balanced by another: compare the sum over the call tree.",
          "Look for the call path with the largest overload."),
      heuristic("imbalance-overload", "Overload", "imbalance_above", "imbalance", "Computation above the mean.",
                "[x(c,l) - m(c)]+; for the only visitor of c: x(c,l)",
                "Scalasca 2.6, Computational Load Imbalance Heuristic: Overload; Mora's rule computational-imbalance",
                "These locations have too much to do here.", "Give part of their work to others."),
      heuristic("imbalance-single-participant", "Single Participant", "imbalance_above_single", "imbalance-overload",
                "Computation of call paths that one location alone visits.",
                "imbalance-overload where exactly one location visits c, and the run has more than one: x(c,l)",
                "Scalasca 2.6, Computational Load Imbalance Heuristic: Single Participant; Mora's rule "
                "computational-imbalance",
                "Work that is not parallel: initialisation, I/O, a master's bookkeeping.",
                "Distribute it, or overlap it with the others' work."),
      heuristic("imbalance-underload", "Underload", "imbalance_below", "imbalance", "Computation below the mean.",
                "[m(c) - x(c,l)]+, also for locations that do not visit c",
                "Scalasca 2.6, Computational Load Imbalance Heuristic: Underload; Mora's rule computational-imbalance",
                "These locations have too little to do here.", "Give them part of the others' work."),
      heuristic("imbalance-non-participation", "Non-Participation", "imbalance_below_bypass", "imbalance-underload",
                "The mean of call paths that a location does not visit.",
                "imbalance-underload where location l has no visit of c",
                "Scalasca 2.6, Computational Load Imbalance Heuristic: Non-participation; Mora's rule "
                "computational-imbalance",
                "Some locations do work that others never see.", "Let more locations take part."),
      heuristic("imbalance-singularity", "Singularity", "imbalance_below_singularity", "imbalance-non-participation",
                "The mean of call paths that one other location alone visits.",
                "imbalance-non-participation where exactly one location visits c",
                "Scalasca 2.6, Computational Load Imbalance Heuristic: Non-participation in Singularity; Mora's rule "
                "computational-imbalance",
                "What the others could have done of a single location's work.", "Distribute it."),
      heuristic("unexplained-synchronization", "Unexplained Synchronization", "mora_unexplained_synchronization", "",
                "Time in one-sided synchronising calls that no wait state explains.",
                "fence, locks, post-start-complete-wait, window-handling: each less its children",
                "Mora's rule unexplained-synchronization",
                "Transfers that are completed in these calls, the calls' own cost, and waiting that the trace does not "
                "show: of a partner that was not recorded, or inside the MPI library.",
                "Where it is large, look at the bytes of the epoch first; then at what the data quality says is "
                "missing."),
  };
  return metrics;
}

namespace {

void add_unexplained_synchronisation(cube::Cube& cube) {
  const cube::MetricId unexplained = metric_index("unexplained-synchronization");
  for (const char* id : {"fence", "locks", "post-start-complete-wait", "window-handling"}) {
    const cube::MetricId calls = metric_index(id);
    if (cube.rows(calls).empty()) continue;  // most programs have no such calls; finding children reads all metrics
    const std::vector<cube::MetricId> waits = cube.children_of(calls);
    for (const auto& [path, times] : cube.rows(calls)) {
      std::vector<std::int64_t> left = times;
      for (const cube::MetricId wait : waits) {
        const std::vector<std::int64_t>& waited = cube.row(wait, path);
        for (std::size_t l = 0; l < waited.size(); ++l) left[l] -= waited[l];
      }
      for (cube::LocationId l = 0; l < left.size(); ++l) cube.add(unexplained, path, l, left[l]);
    }
  }
}

void add_imbalance(cube::Cube& cube) {
  const cube::MetricId computation = metric_index("computation");
  const cube::MetricId visits = metric_index("visits");
  const cube::MetricId all = metric_index("imbalance");
  const cube::MetricId overload = metric_index("imbalance-overload");
  const cube::MetricId single = metric_index("imbalance-single-participant");
  const cube::MetricId underload = metric_index("imbalance-underload");
  const cube::MetricId bypass = metric_index("imbalance-non-participation");
  const cube::MetricId singularity = metric_index("imbalance-singularity");
  const auto locations = static_cast<cube::LocationId>(cube.locations.size());
  if (cube.call_paths.empty()) return;
  // Those that were in the program: no devices, counters, locations without events.
  const std::vector<std::int64_t> alive = cube.row(visits, 0);
  if (std::count_if(alive.begin(), alive.end(), [](std::int64_t n) { return n > 0; }) < 2) return;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    // Copies: adding may move the rows.
    const std::vector<std::int64_t> time = cube.row(computation, c);
    const std::vector<std::int64_t> visit = cube.row(visits, c);
    if (time.empty()) continue;
    std::int64_t sum = 0;
    std::int64_t visitors = 0;
    for (cube::LocationId l = 0; l < locations; ++l) {
      sum += time[l];
      visitors += !visit.empty() && visit[l] > 0 ? 1 : 0;
    }
    if (visitors == 0) continue;
    for (cube::LocationId l = 0; l < locations; ++l) {
      if (alive[l] == 0) continue;
      const bool is_visitor = visit[l] > 0;
      if (visitors == 1 && is_visitor) {
        for (const cube::MetricId metric : {all, overload, single}) cube.add(metric, c, l, time[l]);
        continue;
      }
      // n * (x - m), without a fraction; sums of nanoseconds times locations stay below 2^63 for 292 years of
      // computation.
      const std::int64_t above = time[l] * visitors - sum;
      const std::int64_t amount = (above > 0 ? above : -above) / visitors;
      if (amount == 0) continue;
      cube.add(all, c, l, amount);
      cube.add(above > 0 ? overload : underload, c, l, amount);
      if (above > 0 || is_visitor) continue;
      cube.add(bypass, c, l, amount);
      if (visitors == 1) cube.add(singularity, c, l, amount);
    }
  }
}

}  // namespace

void add_derived_metrics(AnalysisResult& result) {
  add_unexplained_synchronisation(result.cube);
  add_imbalance(result.cube);
  add_sampled_times(result.cube);
}

}  // namespace mora::analysis
