/// By distance from a network device: each node's NUMA nodes are filled in the order of their distance, node after
/// node, or evenly over nodes with `span` and where there are more ranks than slots. Where the topology does not know
/// the device or its distances: by slot. Source: Open MPI 4.1, orte/mca/rmaps/mindist. Cost: linear in ranks.
#include <algorithm>

#include <fmt/format.h>

#include "predict/placement/openmpi/mapping/mapping.h"
#include "predict/placement/openmpi/words/refusal.h"

namespace mora::predict::openmpi {

namespace {

/// NUMA nodes, nearest first; empty: by slot.
std::vector<std::uint32_t> numa_by_distance(const Job& job) {
  if (job.topology == nullptr) return {};
  const std::vector<Device>& devices = job.topology->devices;
  const auto device = std::find_if(devices.begin(), devices.end(),
                                   [&](const Device& d) { return d.name == job.policies.mapping.device; });
  return device == devices.end() ? std::vector<std::uint32_t>() : device->numa_by_distance;
}

}  // namespace

Result<void> map_by_distance(Job& job) {
  const std::int64_t slots = job.slots();
  const bool oversubscribed = slots < static_cast<std::int64_t>(job.ranks);
  if (oversubscribed && !job.policies.mapping.oversubscribe) return too_few_slots(job.ranks, slots);
  if (job.policies.mapping.device == "auto" && job.topology != nullptr &&
      std::any_of(job.topology->devices.begin(), job.topology->devices.end(),
                  [](const Device& device) { return device.openfabrics; })) {
    return refuse("mpirun crashes", "the device 'auto' ends in a memory error",
                  "name the device: --mca rmaps_dist_device NAME");
  }
  const std::vector<std::uint32_t> near = numa_by_distance(job);
  if (near.empty()) {
    job.policies.mapping.way = Way::slot;
    return map_round_robin(job);
  }
  const bool by_node = job.policies.mapping.span || oversubscribed;
  const std::uint32_t cpus_of_node = job.cpus({Level::node, 0});
  std::uint64_t placed = 0;
  auto takers = static_cast<std::int64_t>(job.nodes.size());
  do {
    const auto rest = static_cast<std::int64_t>(job.ranks - placed);
    const std::int64_t average = rest / takers;
    std::int64_t longer = by_node ? rest % takers : 0;
    takers = 0;
    for (std::uint32_t n = 0; n < job.nodes.size(); ++n) {
      JobNode& node = job.nodes[n];
      ++takers;
      std::int64_t count = std::min(static_cast<std::int64_t>(job.ranks - placed), node.host.slots);
      if (by_node) {
        if (!oversubscribed && node.free_slots() <= 0) continue;
        count = average + (longer > 0 ? 1 : 0);
        longer = std::max<std::int64_t>(longer - 1, 0);
        if (!oversubscribed) count = std::min(count, node.free_slots());
        if (cpus_of_node < static_cast<std::uint64_t>(count)) {
          if (!job.policies.mapping.oversubscribe) {
            return refuse("not enough slots", fmt::format("node {} would have more ranks than the {} cpus that it has",
                                                          node.host.name, cpus_of_node));
          }
          node.oversubscribed = job.oversubscribed = true;
        }
      }
      std::int64_t here = 0;
      for (const std::uint32_t numa : near) {
        const std::int64_t free_cpus =
            by_node ? count : std::min<std::int64_t>(count - here, job.cpus({Level::numa, numa}));
        for (std::int64_t k = 0; k < free_cpus && placed < job.ranks; ++k, ++placed, ++here) {
          Process process;
          process.locale = {Level::numa, numa};
          node.processes.push_back(std::move(process));
        }
        if (placed == job.ranks || here == count) break;
      }
      if (here > 0) job.take_up(n);
    }
  } while (by_node && placed < job.ranks && takers > 0);
  if (placed < job.ranks)
    return refuse("failed map", fmt::format("{} of {} ranks cannot be mapped: no cpu near the device is free",
                                            job.ranks - placed, job.ranks));
  return {};
}

void spread_by_distance(Job& job) {
  const std::vector<std::uint32_t> near = numa_by_distance(job);
  for (const std::uint32_t n : job.map) {
    std::size_t next = 0;
    std::vector<Process>& processes = job.nodes[n].processes;
    for (const std::uint32_t numa : near) {
      for (std::uint32_t free_cpus = job.cpus({Level::numa, numa}); free_cpus > 0 && next < processes.size();
           --free_cpus)
        processes[next++].locale = {Level::numa, numa};
    }
  }
}

}  // namespace mora::predict::openmpi
