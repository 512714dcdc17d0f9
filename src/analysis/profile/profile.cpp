#include "analysis/profile/profile.h"

#include <algorithm>

#include "analysis/core/call_tree.h"
#include "analysis/core/scores.h"
#include "analysis/engine/plain_times.h"
#include "analysis/metrics/classification.h"

namespace mora::analysis {
namespace {

LocalCallTree tree_of(const ProfiledLocation& location, const trace::Definitions& definitions,
                      std::vector<std::uint32_t>& nodes) {
  LocalCallTree tree;
  Nanoseconds in_calls = 0;
  for (const ProfiledCalls& calls : location.calls) {
    const auto around = tree.function(LocalCallTree::root, definitions.regions[calls.region].caller, definitions);
    const auto node = tree.child(around, calls.region);
    nodes.push_back(node);
    NodeAmounts& amounts = tree.amounts(node);
    amounts.visits = calls.visits;
    amounts.own = calls.time;
    amounts.bytes_sent = calls.bytes_sent;
    amounts.bytes_received = calls.bytes_received;
    amounts.messages_sent = calls.messages_sent;
    amounts.messages_received = calls.messages_received;
    amounts.recorded_polls = calls.recorded_polls;
    in_calls += calls.time;
  }
  NodeAmounts& program = tree.amounts(LocalCallTree::root);
  program.visits = 1;
  program.overhead = location.recorder;
  program.unrecorded = location.not_recorded;
  program.recorded_readings = location.core_readings;
  program.own = std::max<Nanoseconds>(0, location.wall - in_calls - location.recorder - location.not_recorded);
  return tree;
}

cube::MetricId add_metric(cube::Cube& cube, const char* id, const char* name, const char* unique_name, cube::Fold fold,
                          const char* description) {
  cube::Metric metric;
  metric.id = id;
  metric.name = name;
  metric.unique_name = unique_name;
  metric.unit = cube::Unit::seconds;
  metric.fold = fold;
  metric.description = description;
  cube.metrics.push_back(std::move(metric));
  return static_cast<cube::MetricId>(cube.metrics.size() - 1);
}

}  // namespace

AnalysisResult result_of_profile(const trace::Definitions& definitions,
                                 const std::vector<ProfiledLocation>& locations) {
  std::vector<LocalCallTree> trees;
  std::vector<std::vector<std::uint32_t>> nodes(locations.size());
  std::vector<Buffer> packed(1);
  BufferWriter out(packed.front());
  AnalysisResult result;
  for (std::size_t l = 0; l < locations.size(); ++l) {
    trees.push_back(tree_of(locations[l], definitions, nodes[l]));
    pack_tree(static_cast<cube::LocationId>(l), trees.back(), out);
    result.run.wall = std::max(result.run.wall, locations[l].wall);
  }
  const GlobalCallTree tree = merge_trees(packed, locations.size());
  set_dimensions(result, definitions, tree);
  result.run.trace_format = profile_format;

  const auto regions = classify_regions(definitions);
  Scores scores(locations.size());
  for (std::size_t l = 0; l < locations.size(); ++l)
    add_plain_times(trees[l], static_cast<cube::LocationId>(l), regions, tree.of_location[l], 0, scores);
  const auto transfers = metric_index("rma-transfers"), transfer_bytes = metric_index("rma-bytes");
  for (std::size_t l = 0; l < locations.size(); ++l) {
    for (std::size_t i = 0; i < nodes[l].size(); ++i) {
      const ProfiledCalls& calls = locations[l].calls[i];
      const auto path = tree.of_location[l][nodes[l][i]];
      scores.count(transfers, path, static_cast<cube::LocationId>(l), calls.transfers);
      scores.count(transfer_bytes, path, static_cast<cube::LocationId>(l), calls.transfer_bytes);
    }
  }
  scores.deliver(result);
  const auto least = add_metric(result.cube, shortest_call, "Shortest Call", "mora_shortest_call", cube::Fold::least,
                                "Time of the shortest call.");
  const auto most = add_metric(result.cube, longest_call, "Longest Call", "mora_longest_call", cube::Fold::most,
                               "Time of the longest call.");
  for (std::size_t l = 0; l < locations.size(); ++l) {
    for (std::size_t i = 0; i < nodes[l].size(); ++i) {
      const ProfiledCalls& calls = locations[l].calls[i];
      const auto path = tree.of_location[l][nodes[l][i]];
      const auto location = static_cast<cube::LocationId>(l);
      if (calls.shortest > 0) result.cube.add(least, path, location, calls.shortest);
      if (calls.longest > 0) result.cube.add(most, path, location, calls.longest);
    }
  }
  result.quality.add("profile-only", Severity::info, "", 1,
                     "only sums of calls were recorded: wait states, their causes and the timeline need a trace",
                     "record without --stats");
  return result;
}

}  // namespace mora::analysis
