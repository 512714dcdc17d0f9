/// The steps of mpirun in its order: read the words, settle policies, allocate nodes, map, rank, bind, describe. Cost:
/// linear in ranks and objects of nodes, but for binding (binding.cpp).
#include "predict/placement/openmpi/openmpi_placement.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "predict/placement/openmpi/hosts.h"
#include "predict/placement/openmpi/job.h"
#include "predict/placement/openmpi/mapping.h"
#include "predict/placement/openmpi/picture.h"
#include "predict/placement/openmpi/policies.h"
#include "predict/placement/openmpi/refusal.h"

namespace mora::predict::openmpi {

namespace {

bool needs_topology(const MappingPolicy& mapping) { return mapping.way == Way::object && mapping.level != Level::node; }

Result<void> map(Job& job, const OpenMpiRequest& request, const Command& command, const Allocation& allocation) {
  switch (job.policies.mapping.way) {
    case Way::per_object:
      return map_per_object(job);
    case Way::sequence: {
      MORA_TRY(const std::vector<SequenceEntry> entries, read_sequence(request, command, allocation));
      return map_sequence(job, allocation, entries);
    }
    case Way::rankfile: {
      std::string text;
      if (command.rankfile) {
        MORA_TRY(text, file_text(request, *command.rankfile));
      }
      return map_rankfile(job, command, text, request.head_node);
    }
    case Way::distance:
      return map_by_distance(job);
    default:
      return map_round_robin(job);
  }
}

/// mpirun begins with the first node that has a free slot, if there is one; those before it come last.
void begin_with_a_free_node(Job& job) {
  const auto first =
      std::find_if(job.nodes.begin(), job.nodes.end(), [](const JobNode& node) { return node.free_slots() > 0; });
  if (first != job.nodes.end()) std::rotate(job.nodes.begin(), first, job.nodes.end());
}

/// Equal bindings on equal nodes have equal texts: each is made once.
class Descriptions {
 public:
  explicit Descriptions(const Job& job) : job_(&job) {}

  RankPlace describe(const Process& process, std::uint32_t node) {
    RankPlace place;
    place.bound = "N/A";
    if (process.bound && job_->topology != nullptr) place = of_binding(process.bound->members());
    place.node = node;
    if (!process.has_locale) return place;
    place.locale = process.locale.level == Level::node
                       ? "node"
                       : fmt::format("{} {}", name_of(process.locale.level), process.locale.index);
    if (job_->topology != nullptr) place.locale_hwthreads = job_->threads(process.locale).members();
    return place;
  }

 private:
  const RankPlace& of_binding(std::vector<std::uint32_t> threads) {
    const auto [known, is_new] = known_.try_emplace(threads);
    RankPlace& place = known->second;
    if (!is_new) return place;
    const Topology& topology = *job_->topology;
    HwthreadSet set;
    for (const std::uint32_t thread : threads) {
      set.add(thread);
      if (topology.package_of[thread] != UINT32_MAX) place.packages.push_back(topology.package_of[thread]);
      if (topology.core_of[thread] != UINT32_MAX) place.cores.push_back(topology.core_of[thread]);
    }
    for (std::vector<std::uint32_t>* numbers : {&place.packages, &place.cores}) {
      std::sort(numbers->begin(), numbers->end());
      numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
    }
    place.bound = bound_text(topology, set);
    place.picture = bound_picture(topology, set);
    place.hwthreads = std::move(threads);
    return place;
  }

  const Job* job_;
  std::map<std::vector<std::uint32_t>, RankPlace> known_;
};

OpenMpiPlacement describe(const Job& job) {
  OpenMpiPlacement placement;
  Descriptions descriptions(job);
  placement.ranks.resize(job.ranks);
  for (const std::uint32_t n : job.map) {
    const JobNode& node = job.nodes[n];
    NodePlace place{node.host.name,
                    static_cast<std::uint32_t>(std::max<std::int64_t>(node.host.slots, 0)),
                    static_cast<std::uint32_t>(node.host.max_slots),
                    node.oversubscribed || node.free_slots() < 0,
                    {}};
    for (const Process& process : node.processes) {
      place.ranks.push_back(static_cast<std::uint32_t>(process.rank));
      placement.ranks[static_cast<std::size_t>(process.rank)] =
          descriptions.describe(process, static_cast<std::uint32_t>(placement.nodes.size()));
    }
    placement.nodes.push_back(std::move(place));
  }
  placement.mapping = text_of(job.policies.mapping);
  placement.ranking = text_of(job.policies.ranking);
  placement.binding = text_of(job.policies.binding);
  placement.binding_known = job.topology != nullptr;
  placement.warnings = job.policies.warnings;
  return placement;
}

}  // namespace

Result<OpenMpiPlacement> place_openmpi(const OpenMpiRequest& request) {
  MORA_TRY(const Command command, read_command(request.words));
  MORA_TRY(Policies policies, settle_policies(command));
  for (const std::string& parameter : command.ignored)
    policies.warnings.push_back(fmt::format("{} is ignored", parameter));
  MORA_TRY(const Allocation allocation, allocate(request, command, policies));

  Job job;
  job.topology = request.topology ? &*request.topology : nullptr;
  for (const std::uint32_t node : allocation.usable) {
    JobNode usable;
    usable.host = allocation.pool[node];
    job.nodes.push_back(std::move(usable));
  }
  job.policies = std::move(policies);
  job.ranks = static_cast<std::uint64_t>(command.processes.value_or(0));
  if (job.ranks == 0) {
    MORA_TRY(job.ranks, ranks_of_slots(job, allocation));
  }
  if (job.ranks > most_ranks) return too_many_ranks(job.ranks);
  // inside a resource manager's allocation mpirun counts the slots only after it has settled the policies, as if for no
  // ranks
  const bool counts_late =
      !request.granted.empty() && command.processes.value_or(0) == 0 && !counts_objects(job.policies.mapping);
  settle_defaults(job.policies, counts_late ? 0 : job.ranks, job.topology);
  const bool by_slots = job.policies.mapping.way == Way::slot || job.policies.mapping.way == Way::object ||
                        job.policies.mapping.way == Way::distance;
  if (counts_late) job.ranks = by_slots ? static_cast<std::uint64_t>(job.slots()) : 0;
  if (needs_topology(job.policies.mapping) && job.topology == nullptr) {
    return refuse("no topology",
                  fmt::format("mapping by {} needs the topology of the nodes", name_of(job.policies.mapping.level)),
                  "give the topology");
  }
  const MappingPolicy asked = job.policies.mapping;
  const bool listed = asked.way == Way::sequence || asked.way == Way::rankfile;
  if (!listed) begin_with_a_free_node(job);
  MORA_CHECK_OK(map(job, request, command, allocation));
  if (job.ranks == 0 || job.map.empty()) return refuse("failed map", "no rank is mapped");
  if (job.oversubscribed && !job.policies.binding.given) job.policies.binding.to = BindingPolicy::To::none;
  if (!listed) MORA_CHECK_OK(give_ranks(job));
  if (asked.way == Way::object || asked.way == Way::slot ||
      (asked.way == Way::distance && job.policies.mapping.way == Way::slot)) {
    MORA_CHECK_OK(spread_over_objects(job));
  }
  if (job.policies.mapping.way == Way::distance) spread_by_distance(job);
  MORA_CHECK_OK(bind(job, request.one_process_binds));
  return describe(job);
}

Placement OpenMpiPlacement::placement() const {
  Placement plain;
  for (const NodePlace& node : nodes) plain.nodes.push_back(node.name);
  std::vector<std::string> position(ranks.size());
  for (const NodePlace& node : nodes) {
    std::vector<std::uint32_t> in_order = node.ranks;
    std::sort(in_order.begin(), in_order.end());
    for (std::size_t p = 0; p < in_order.size(); ++p) position[in_order[p]] = std::to_string(p);
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    plain.node_of.push_back(ranks[rank].node);
    plain.slot.push_back(position[rank]);
    plain.core.push_back(ranks[rank].cores.empty() ? std::string() : std::to_string(ranks[rank].cores.front()));
  }
  return plain;
}

}  // namespace mora::predict::openmpi
