/// What the sweep attributed comes back to the partitions of the causes: long-term costs, and their part of the
/// critical path.
#include <map>
#include <tuple>

#include "analysis/causes/causes.h"
#include "analysis/causes/partition_state.h"
#include "analysis/causes/sweep.h"

namespace mora::analysis {

void PartitionCauses::charge_path(Local& local, Nanoseconds from, Nanoseconds to) {
  static const cube::MetricId metric = metric_index("critical-path");
  const auto& global = context_.tree.of_location[local.at.location];
  delays_->tally.reset(local.at.tree->size());
  local.activity->add_interval(from, to, delays_->tally, local.near_path);
  for (const std::uint32_t node : delays_->tally.touched()) {
    scores_.count(metric, global[node], local.at.location, delays_->tally[node]);
  }
}

/// The answers stand in the order of Delays::all. K d(c) / (D + W) is computed as whole and remainder, so that
/// nothing overflows and nothing is lost but the last of 2^-32 ns.
void PartitionCauses::settle(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_round) {
  BufferReader in(incoming[0]);
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    const auto piece = in.take<PathPiece>();
    if (Local* here = local(piece.location)) charge_path(*here, piece.from, piece.to);
  }
  // Waits of one cause stand together: its costs are added up in a dense row before they go to the map.
  std::map<std::tuple<DelayClass, cube::CallPathId, cube::LocationId>, LongTerm> costs;
  const std::size_t paths = context_.tree.nodes.size();
  std::vector<LongTerm> row(delay_classes * paths);
  std::vector<std::size_t> touched;
  cube::LocationId cause = 0;
  const auto end_row = [&] {
    for (const std::size_t at : touched) {
      costs[{static_cast<DelayClass>(at / paths), static_cast<cube::CallPathId>(at % paths), cause}] += row[at];
      row[at] = 0;
    }
    touched.clear();
  };
  Packed::Reader delays(delays_->all);
  std::vector<std::pair<cube::CallPathId, LongTerm>> parts;
  for (std::uint64_t n = delays_->count; n > 0; --n) {
    const auto [location, total, count] = delays.take<3>();
    const auto of = static_cast<cube::LocationId>(location);
    const LongTerm weight = total;
    parts.clear();
    for (std::uint64_t left = count; left > 0; --left) {
      const auto [path, amount] = delays.take<2>();
      parts.emplace_back(static_cast<cube::CallPathId>(path), amount);
    }
    for (auto left = in.take<std::uint32_t>(); left > 0; --left) {
      const auto [delay, attributed] = in.take<ClassCost>();
      if (weight == 0) continue;
      if (of != cause) end_row();
      cause = of;
      const LongTerm whole = attributed / weight;
      const LongTerm rest = attributed % weight;
      for (const auto& [path, amount] : parts) {
        const std::size_t at = static_cast<std::size_t>(delay) * paths + path;
        if (row[at] == 0) touched.push_back(at);
        row[at] += whole * amount + rest * amount / weight;
      }
    }
  }
  end_row();
  BufferWriter out(to_round[0]);
  for (const auto& [where, amount] : costs) {
    out.put(LongTermCost{std::get<0>(where), std::get<1>(where), std::get<2>(where), amount});
  }
  delays_ = std::make_unique<Delays>();
}

}  // namespace mora::analysis
