/// The replay's nodes are found in the global call tree by (parent, region, interval), parents first.
#include "analysis/efficiency/metrics/ideal_time.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/metric_info.h"

namespace mora::analysis {

namespace {

/// Children of the global tree that are regions or intervals: (parent, region, interval).
std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> children_of(
    const GlobalCallTree& tree) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> children;
  for (std::uint32_t node = 1; node < tree.nodes.size(); ++node) {
    const NodeKey& key = tree.nodes[node];
    if (!key.is_compute() && key.from != sampled)
      children.emplace(std::tuple(key.parent, key.region, key.interval), node);
  }
  return children;
}

}  // namespace

void add_ideal_times(const replay::Replayed& replayed, const trace::Definitions& definitions,
                     const GlobalCallTree& tree, AnalysisResult& result) {
  const cube::MetricId metric = metric_index("ideal-network-time");
  if (tree.nodes.empty()) return;
  const auto children = children_of(tree);
  for (cube::LocationId l = 0; l < replayed.locations.size(); ++l) {
    const auto& nodes = replayed.locations[l].nodes;
    std::vector<std::uint32_t> paths(nodes.size(), cube::no_id);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (n == 0) {
        paths[n] = 0;
      } else if (paths[nodes[n].parent] != cube::no_id) {
        // Functions on call paths are nodes of the tree, not of the replay.
        auto at = children.find({paths[nodes[n].parent], nodes[n].region, nodes[n].interval});
        if (at == children.end()) {
          std::uint32_t caller = paths[nodes[n].parent];
          for (const trace::RegionId function : definitions.call_path(nodes[n].region)) {
            const auto inner = children.find({caller, function, 0U});
            caller = inner == children.end() ? cube::no_id : inner->second;
          }
          at = children.find({caller, nodes[n].region, nodes[n].interval});
        }
        if (at != children.end()) paths[n] = at->second;
      }
      if (paths[n] != cube::no_id && nodes[n].own != 0) result.cube.add(metric, paths[n], l, nodes[n].own);
    }
  }
  result.quality.merge(replayed.quality);
}

std::unique_ptr<replay::ReplayInput> input_for_ideal_times(trace::Source& source, unsigned workers,
                                                           std::uint64_t memory, const ProgressCallback& progress) {
  replay::ReplayOptions options;
  options.workers = workers;
  options.progress = progress;
  constexpr std::uint64_t beside_the_halves = std::uint64_t{8} << 20;  // it lies there until all is read
  options.memory = memory != 0 ? std::min<std::uint64_t>(options.memory, memory / 4) : beside_the_halves;
  return std::make_unique<replay::ReplayInput>(source, options);
}

void add_ideal_times(const Result<replay::Replayed>& replayed, const trace::Definitions& definitions,
                     const GlobalCallTree& tree, AnalysisResult& result) {
  if (replayed) return add_ideal_times(*replayed, definitions, tree, result);
  result.quality.add("replay-failed", Severity::warning, "", 1,
                     "the trace could not be replayed on the ideal network: " + replayed.error().what +
                         (replayed.error().why.empty() ? "" : ", " + replayed.error().why),
                     "set TMPDIR to a directory with free space and analyse again; until then transfer and "
                     "serialisation are not known");
}

}  // namespace mora::analysis
