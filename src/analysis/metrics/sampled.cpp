/// Computation by function, from samples of the processor's time.
///
/// Idea: the time of a stretch of computation between two MPI calls is known exactly; which functions it went to, only
/// samples tell. Per call path and location the exact amount is divided in proportion to the samples of all executions
/// of this call path on this location (each stands for the same processor time, so that short executions, most of which
/// have no sample, are counted by those that have one). Delay costs, overload and the critical path's time are divided
/// the same way. Shares are integers that sum to the amount (largest remainder; ties: call path id). A call path
/// without samples on a location is not divided there.
///
/// Error: with n samples of a function, each standing for a time p, its time is n p, give or take p sqrt(n) (one
/// standard deviation; counts of a Poisson process). Limit: time in which the thread did not run has no samples and is
/// divided like the rest. Source: Mora's rule sampled-computation. Cost: O(call paths x locations).
#include "analysis/metrics/sampled.h"

#include <map>

#include "base/numbers/shares.h"

namespace mora::analysis {

namespace {

MetricInfo sampled_time(std::string_view id, std::string_view name, std::string_view unique_name,
                        std::string_view summary, std::string_view formula, std::string_view diagnosis,
                        std::string_view advice) {
  return MetricInfo{id,
                    name,
                    unique_name,
                    "",
                    cube::Unit::seconds,
                    false,
                    summary,
                    formula,
                    "Mora's rule sampled-computation",
                    diagnosis,
                    advice};
}

/// What is divided, and the metric of its parts.
constexpr std::pair<std::string_view, std::string_view> divided_metrics[] = {
    {"computation", "sampled-computation"},
    {"delay-costs", "sampled-delay-costs"},
    {"imbalance-overload", "sampled-overload"},
    {"critical-path", "sampled-critical-path"}};

}  // namespace

const std::vector<MetricInfo>& sampled_metrics() {
  static const std::vector<MetricInfo> metrics = {
      sampled_time(
          "sampled-computation", "Computation by Function", "mora_sampled_computation",
          "Computation between MPI calls, divided among the functions that samples found in it.",
          "computation of the stretch's call path on the location x samples of the function / all samples of "
          "that call path on that location, by largest remainder",
          "Sampled: n samples of a function are uncertain by sqrt(n) of them (one standard deviation).",
          "Compare the ranks: a function that takes longer on one of them has more work there, or runs slower."),
      sampled_time("sampled-delay-costs", "Delay Costs by Function", "mora_sampled_delay_costs",
                   "Waiting of others that computation caused, divided among the functions that samples found in it.",
                   "delay-costs of the stretch's call path, divided as sampled-computation",
                   "In these functions the delays of others are made.", "See delay-costs."),
      sampled_time("sampled-overload", "Overload by Function", "mora_sampled_overload",
                   "Computation above the mean, divided among the functions that samples found in it.",
                   "imbalance-overload of the stretch's call path, divided as sampled-computation",
                   "These functions have too much to do on these locations.", "See imbalance-overload."),
      sampled_time("sampled-critical-path", "Critical Path by Function", "mora_sampled_critical_path",
                   "Computation on the critical path, divided among the functions that samples found in it.",
                   "critical-path of the stretch's call path, divided as sampled-computation",
                   "Only what becomes shorter here makes the run shorter.", "See critical-path."),
      MetricInfo{"samples", "Samples", "mora_samples", "", cube::Unit::occurrences, false,
                 "How often a sample found the processor in a function.", "number of samples outside of MPI calls",
                 "Mora's rule sampled-computation", "Few samples: the division by function is uncertain.",
                 "Record a longer run, or take more samples in a second: mora record --sample 1000."}};
  return metrics;
}

void add_sampled_times(cube::Cube& cube) {
  const cube::MetricId samples = metric_index("samples");
  std::map<cube::CallPathId, std::vector<cube::CallPathId>> functions;  // by the call path that is divided
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    if (cube.call_paths[c].kind != cube::CallPathKind::sampled || cube.row(samples, c).empty()) continue;
    cube::CallPathId whole = c;
    while (cube.call_paths[whole].kind == cube::CallPathKind::sampled) whole = cube.call_paths[whole].parent;
    functions[whole].push_back(c);
  }
  std::vector<std::int64_t> weights;
  for (const auto& [whole, parts] : functions) {
    for (const auto& [of, to] : divided_metrics) {
      const std::vector<std::int64_t> amounts = cube.row(metric_index(of), whole);
      for (cube::LocationId l = 0; l < amounts.size(); ++l) {
        if (amounts[l] <= 0) continue;
        weights.clear();
        for (const cube::CallPathId c : parts) weights.push_back(cube.get(samples, c, l));
        const std::vector<std::int64_t> shares = exact_shares(amounts[l], weights);
        for (std::size_t i = 0; i < parts.size(); ++i)
          if (shares[i] != 0) cube.add(metric_index(to), parts[i], l, shares[i]);
      }
    }
  }
}

}  // namespace mora::analysis
