/// The matrices of `mora pattern matrix` are added up by rank, by node and by link. A message counts as its bytes and
/// one more, so that empty ones count. Cost: the cells of the matrix, and the links between the pairs of nodes.
#include "predict/learning/rank_features.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "predict/pattern/features/features.h"

namespace mora::predict {

namespace {

double log2_of(double value) { return std::log2(std::max(value, 1.0)); }

double share_of_whole(double part, double whole) { return whole > 0 ? part / whole : 0; }

double volume_of(const Traffic& t) { return static_cast<double>(t.bytes) + static_cast<double>(t.messages); }

/// What one rank sends and receives.
struct RankSums {
  double messages = 0, bytes = 0, collective = 0, one_sided = 0;  ///< the latter two: messages
  double inside = 0, between = 0;                                 ///< volume on its node, to and from others
  double links = 0;                                               ///< volume times links
  double busiest_link = 0;                                        ///< volume of the busiest link of its routes
  std::uint64_t to = 0, from = 0;                                 ///< partners
};

/// A value of the row "total" of the features of the whole run.
double value_of_run(const FeatureTable& table, std::string_view column) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), column);
  if (at == table.columns.end() || table.rows.empty()) return 0;
  const FeatureValue& value = table.rows.back().values[static_cast<std::size_t>(at - table.columns.begin())];
  if (const auto* n = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*n);
  const auto* x = std::get_if<double>(&value);
  return x == nullptr ? 0 : *x;
}

/// The volume of the busiest link between each pair of nodes.
std::map<std::pair<std::uint32_t, std::uint32_t>, double> busiest_links(
    const std::map<std::pair<std::uint32_t, std::uint32_t>, double>& pairs, const Topology& topology) {
  std::unordered_map<std::uint64_t, double> load;
  for (const auto& [pair, bytes] : pairs)
    for (const Link& link : topology.route(pair.first, pair.second))
      load[link.id] += bytes / static_cast<double>(link.width);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> busiest;
  for (const auto& [pair, bytes] : pairs)
    for (const Link& link : topology.route(pair.first, pair.second))
      busiest[pair] = std::max(busiest[pair], load[link.id]);
  return busiest;
}

}  // namespace

const std::array<FeatureInfo, feature_count>& rank_feature_table() {
  static const std::array<FeatureInfo, feature_count> table{{
      {"ranks", 'A', "log2 of the number of ranks"},
      {"messages", 'A', "log2 of the messages that it sends and receives"},
      {"message_bytes", 'A', "log2 of their mean size in bytes"},
      {"collective_share", 'A', "share of its messages that collective operations send"},
      {"one_sided_share", 'A', "share of its messages that are one-sided"},
      {"nonblocking_share", 'A', "share of the run's point-to-point halves that are non-blocking"},
      {"partners", 'A', "log2 of the ranks that it sends to, or receives from if these are more"},
      {"imbalance", 'A', "log2 of its volume, as a multiple of the mean of all ranks"},
      {"node_ranks", 'B', "log2 of the ranks on its node"},
      {"between_nodes_share", 'B', "share of its volume that leaves or enters its node"},
      {"connection_contention", 'B', "log2 of what its node's ranks send to other nodes, as a multiple of its own"},
      {"memory_contention", 'B', "log2 of what its node's ranks send to each other, as a multiple of its own"},
      {"links", 'C', "links that its volume crosses, in the mean"},
      {"link_contention", 'C', "log2 of the busiest link on its routes, as a multiple of its own volume between nodes"},
  }};
  return table;
}

Result<std::vector<FeatureRow>> rank_features(const PatternTrace& trace, const RankPlaces& places,
                                              const MachineModel& machine, CollectiveModel collectives) {
  MORA_TRY(const PatternMatrix matrix, make_matrix(trace, {.collectives = collectives}));
  MORA_TRY(const FeatureTable run, make_features(trace, {.collectives = CollectiveModel::none}));
  const std::uint32_t ranks = matrix.world_size;
  std::vector<RankSums> sums(ranks);
  const auto node_of = [&](std::uint32_t rank) { return rank < places.node.size() ? places.node[rank] : 0; };
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> pairs;
  std::unordered_map<std::uint32_t, double> node_ranks, inside, between;  // by node
  for (std::uint32_t r = 0; r < ranks; ++r) ++node_ranks[node_of(r)];
  for (const TrafficCell& c : matrix.total.ranks.cells) {
    const std::uint32_t a = node_of(c.from), b = node_of(c.to);
    const double v = volume_of(c.traffic);
    if (c.from != c.to) ++sums[c.from].to, ++sums[c.to].from;
    for (const std::uint32_t end : {c.from, c.to}) {
      sums[end].messages += static_cast<double>(c.traffic.messages);
      sums[end].bytes += static_cast<double>(c.traffic.bytes);
      (a == b ? sums[end].inside : sums[end].between) += v;
      (a == b ? inside : between)[node_of(end)] += v;
    }
    if (a != b) pairs[{a, b}] += v;
  }
  const auto add_messages = [&](const TrafficMatrix& part, double RankSums::*sum) {
    for (const TrafficCell& c : part.cells)
      for (const std::uint32_t end : {c.from, c.to}) sums[end].*sum += static_cast<double>(c.traffic.messages);
  };
  add_messages(matrix.total.collective, &RankSums::collective);
  add_messages(matrix.total.one_sided, &RankSums::one_sided);
  if (machine.topology != nullptr) {
    const auto busiest = busiest_links(pairs, *machine.topology);
    for (const TrafficCell& c : matrix.total.ranks.cells) {
      const std::uint32_t a = node_of(c.from), b = node_of(c.to);
      if (a == b) continue;
      for (const std::uint32_t end : {c.from, c.to}) {
        sums[end].links += volume_of(c.traffic) * static_cast<double>(machine.topology->hops(a, b));
        sums[end].busiest_link = std::max(sums[end].busiest_link, busiest.at({a, b}));
      }
    }
  }
  double all_volume = 0;
  for (const RankSums& s : sums) all_volume += s.inside + s.between;
  const double mean = all_volume / std::max<double>(1, ranks);
  const double nonblocking = value_of_run(run, "asynchronous_share");
  std::vector<FeatureRow> rows(ranks);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const RankSums& s = sums[r];
    const auto set = [&](RankFeature feature, double value) { rows[r][static_cast<std::size_t>(feature)] = value; };
    const double here = node_ranks[node_of(r)], own = s.inside + s.between;
    set(RankFeature::ranks, log2_of(ranks));
    set(RankFeature::messages, log2_of(s.messages));
    set(RankFeature::message_bytes, log2_of(share_of_whole(s.bytes, s.messages)));
    set(RankFeature::collective_share, share_of_whole(s.collective, s.messages));
    set(RankFeature::one_sided_share, share_of_whole(s.one_sided, s.messages));
    set(RankFeature::nonblocking_share, nonblocking);
    set(RankFeature::partners, log2_of(static_cast<double>(std::max(s.to, s.from))));
    set(RankFeature::imbalance, own > 0 ? std::log2(own / mean) : 0);
    set(RankFeature::node_ranks, log2_of(here));
    set(RankFeature::between_nodes_share, share_of_whole(s.between, own));
    // Who sends next to nothing shares with no more than the others of its node.
    const auto shared = [&](double all, double mine, double most) {
      return mine > 0 ? log2_of(std::min(all / mine, most)) : 0;
    };
    set(RankFeature::connection_contention, shared(between[node_of(r)], s.between, here));
    set(RankFeature::memory_contention, shared(inside[node_of(r)], s.inside, here));
    set(RankFeature::links, share_of_whole(s.links, own));
    set(RankFeature::link_contention, shared(s.busiest_link, s.between, ranks));
  }
  return rows;
}

}  // namespace mora::predict
