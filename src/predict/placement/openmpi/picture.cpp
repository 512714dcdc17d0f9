/// mpirun's texts for bindings and its JOB MAP (Open MPI 4.1, orte/runtime/data_type_support; opal/mca/hwloc/base).
#include "predict/placement/openmpi/picture.h"

#include <iterator>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text/rank_words.h"
#include "predict/placement/openmpi/openmpi_placement.h"

namespace mora::predict::openmpi {

std::string bound_text(const Topology& topology, const HwthreadSet& threads) {
  if (threads.contains(topology.whole())) return {};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> of_core;
  for (const std::uint32_t thread : threads.members()) {
    const auto or_zero = [](std::uint32_t index) { return index == UINT32_MAX ? 0 : index; };
    of_core[{or_zero(topology.package_of[thread]), or_zero(topology.core_of[thread])}].push_back(
        topology.thread_in_core[thread]);
  }
  std::string text;
  for (const auto& [core, inside] : of_core) {
    text += fmt::format("{}socket {}[core {}[hwt {}]]", text.empty() ? "" : ", ", core.first, core.second,
                        ranges_text(inside));
  }
  return text;
}

std::string bound_picture(const Topology& topology, const HwthreadSet& threads) {
  if (threads.contains(topology.whole())) return {};
  std::string text;
  for (const Part& package : topology.at(Level::package)) {
    text += '[';
    bool first = true;
    for (const Part& core : topology.at(Level::core)) {
      if (!package.hwthreads.contains(core.hwthreads)) continue;
      if (!first) text += '/';
      first = false;
      for (const std::uint32_t thread : core.hwthreads.members()) text += threads.has(thread) ? 'B' : '.';
    }
    text += ']';
  }
  return text;
}

std::string job_map_text(const OpenMpiPlacement& placement) {
  std::string text = " ========================   JOB MAP   ========================\n";
  for (const NodePlace& node : placement.nodes) {
    fmt::format_to(std::back_inserter(text), "\n Data for node: {}\tNum slots: {}\tMax slots: {}\tNum procs: {}\n",
                   node.name, node.slots, node.max_slots, node.ranks.size());
    for (const std::uint32_t rank : node.ranks) {
      const RankPlace& place = placement.ranks[rank];
      const std::string bound = place.hwthreads.empty() ? "N/A" : fmt::format("{}:{}", place.bound, place.picture);
      fmt::format_to(std::back_inserter(text), " \tProcess OMPI jobid: [1,1] App: 0 Process rank: {} Bound: {}\n", rank,
                     bound);
    }
  }
  return text + "\n =============================================================\n";
}

std::string rankfile_slot(const OpenMpiPlacement& like, const RankPlace& place, std::uint32_t position) {
  if (!place.cores.empty() && !place.bound.empty())
    return ranges_text(like.hwthread_cpus ? place.hwthreads : place.cores);
  if (like.binding_known) return "s*";
  std::vector<std::uint32_t> cores(like.cpus_per_rank);
  std::iota(cores.begin(), cores.end(), position * like.cpus_per_rank);
  return ranges_text(cores);
}

std::string rankfile_text(const OpenMpiPlacement& placement) {
  std::string text;
  std::vector<std::uint32_t> position(placement.nodes.size());
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    const RankPlace& place = placement.ranks[rank];
    fmt::format_to(std::back_inserter(text), "rank {}={} slot={}\n", rank, placement.nodes[place.node].name,
                   rankfile_slot(placement, place, position[place.node]++));
  }
  return text;
}

}  // namespace mora::predict::openmpi
