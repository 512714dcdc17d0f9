/// What each rank of a run communicates, as numbers that a correction is learned from: of the program (category A), of
/// its ranks on nodes (B), of the nodes in the network (C), as Kotomatas 2018, 1.2 divides them.
///
/// All are known before a run on the machine: none is a time. Counts and sizes are logarithms to base 2, so that twice
/// as much is one more everywhere. docs/formats/correction.md says what each is. Pure functions, thread-safe.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "predict/pattern/matrix/matrix.h"
#include "predict/prediction/machine_network.h"

namespace mora::predict {

enum class RankFeature : std::uint8_t {
  ranks,
  messages,
  message_bytes,
  collective_share,
  one_sided_share,
  nonblocking_share,
  partners,
  imbalance,
  node_ranks,
  between_nodes_share,
  connection_contention,
  memory_contention,
  links,
  link_contention,
};
inline constexpr std::size_t feature_count = 14;

struct FeatureInfo {
  std::string_view name;  ///< in files: "message_bytes"
  char category;          ///< 'A', 'B', 'C'
  std::string_view words;
};
/// In the order of the enumeration.
const std::array<FeatureInfo, feature_count>& rank_feature_table();

using FeatureRow = std::array<double, feature_count>;

/// By rank. `places`: of all ranks. Errors as make_matrix.
Result<std::vector<FeatureRow>> rank_features(const PatternTrace& trace, const RankPlaces& places,
                                              const MachineModel& machine, CollectiveModel collectives);

}  // namespace mora::predict
