/// The steps of mpirun in its order: read the words, settle policies, allocate nodes, map, rank, bind, describe. Cost:
/// linear in ranks and objects of nodes, but for binding (binding.cpp).
#include "predict/placement/openmpi/openmpi_placement.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "predict/placement/openmpi/mapping/job.h"
#include "predict/placement/openmpi/mapping/mapping.h"
#include "predict/placement/openmpi/picture.h"
#include "predict/placement/openmpi/words/hosts.h"
#include "predict/placement/openmpi/words/policies.h"
#include "predict/placement/openmpi/words/refusal.h"

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
  const BindingPolicy& binding = job.policies.binding;
  placement.binding_known = job.topology != nullptr || (binding.given && binding.to == BindingPolicy::To::none);
  placement.cpus_per_rank = static_cast<std::uint32_t>(std::max<std::int64_t>(job.policies.cpus_per_rank, 1));
  placement.hwthread_cpus = job.policies.hwthread_cpus;
  placement.warnings = job.policies.warnings;
  return placement;
}

/// A job before its processes are put anywhere: its words are read, its nodes known, its policies settled.
struct Prepared {
  Command command;
  Allocation allocation;
  Job job;
};

Result<Prepared> prepare(const OpenMpiRequest& request) {
  Prepared prepared;
  MORA_TRY(prepared.command, read_command(request.words));
  const Command& command = prepared.command;
  MORA_TRY(Policies policies, settle_policies(command));
  for (const std::string& parameter : command.ignored)
    policies.warnings.push_back(fmt::format("{} is ignored", parameter));
  MORA_TRY(prepared.allocation, allocate(request, command, policies));
  const Allocation& allocation = prepared.allocation;

  Job& job = prepared.job;
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
  return prepared;
}

bool is_listed(const MappingPolicy& mapping) { return mapping.way == Way::sequence || mapping.way == Way::rankfile; }

/// Maps, ranks and binds.
Result<void> place(const OpenMpiRequest& request, const Command& command, const Allocation& allocation, Job& job) {
  const MappingPolicy asked = job.policies.mapping;
  const bool listed = is_listed(asked);
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
  return bind(job, request.one_process_binds);
}

/// Every process of the job is bound, or none may be.
bool all_bound(const Job& job) {
  for (const JobNode& node : job.nodes) {
    for (const Process& process : node.processes)
      if (!process.bound) return false;
  }
  return true;
}

}  // namespace

Result<OpenMpiPlacement> place_openmpi(const OpenMpiRequest& request) {
  MORA_TRY(Prepared prepared, prepare(request));
  MORA_CHECK_OK(place(request, prepared.command, prepared.allocation, prepared.job));
  return describe(prepared.job);
}

struct NodeFilling::State {
  OpenMpiRequest request;
  Prepared prepared;  ///< its job has no nodes
  std::vector<JobNode> hosts;
  std::vector<OpenMpiPlacement> listed;                   ///< by node: the places that a list gives; empty if none does
  bool bound = false;                                     ///< all ranks of the request are
  std::unordered_map<std::string, std::uint32_t> number;  ///< of a node, by its name
};

Result<NodeFilling> NodeFilling::of(OpenMpiRequest request) {
  auto state = std::make_shared<State>();
  state->request = std::move(request);
  MORA_TRY(state->prepared, prepare(state->request));
  Job& job = state->prepared.job;
  for (std::uint32_t n = 0; n < job.nodes.size(); ++n) state->number.emplace(job.nodes[n].host.name, n);
  Job whole = job;
  MORA_CHECK_OK(place(state->request, state->prepared.command, state->prepared.allocation, whole));
  state->bound = all_bound(whole);
  if (whole.policies.binding.to == BindingPolicy::To::none) job.policies.binding = whole.policies.binding;
  if (is_listed(job.policies.mapping) && (state->prepared.command.rankfile || !state->prepared.command.cpu_list)) {
    const OpenMpiPlacement placed = describe(whole);
    OpenMpiPlacement none = placed;
    none.nodes.clear();
    none.ranks.clear();
    state->listed.assign(job.nodes.size(), none);
    for (const RankPlace& rank : placed.ranks) {
      if (rank.hwthreads.size() != placed.ranks.front().hwthreads.size()) {
        return fail(ErrorKind::usage, "ranks with different numbers of cpus", "mora map --improve",
                    "the list gives each rank its own cpus, so ranks cannot be exchanged",
                    "leave out the list, or give every rank as many cpus");
      }
      state->listed[state->number.at(placed.nodes[rank.node].name)].ranks.push_back(rank);
    }
  }
  state->hosts = std::exchange(job.nodes, {});
  NodeFilling filling;
  filling.state_ = std::move(state);
  return filling;
}

Result<OpenMpiPlacement> NodeFilling::places(const std::string& node, std::uint32_t ranks) const {
  const State& state = *state_;
  const auto found = state.number.find(node);
  if (found == state.number.end()) return refuse("no hosts", fmt::format("there is no node {}", node));
  if (!state.listed.empty()) {
    OpenMpiPlacement listed = state.listed[found->second];
    if (ranks > listed.ranks.size())
      return refuse("too few entries", fmt::format("the list gives node {} {} ranks", node, listed.ranks.size()));
    listed.ranks.resize(ranks);
    return listed;
  }
  Job job = state.prepared.job;
  job.nodes = {state.hosts[found->second]};
  Host& host = job.nodes.front().host;
  host.slots = std::max<std::int64_t>(host.slots, ranks);
  job.ranks = ranks;
  MORA_CHECK_OK(place(state.request, state.prepared.command, state.prepared.allocation, job));
  if (state.bound && !all_bound(job))
    return refuse("no cpus", fmt::format("node {} cannot bind {} ranks", node, ranks));
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
    plain.core.push_back(ranks[rank].cores.empty() || ranks[rank].bound.empty()
                             ? std::string()
                             : std::to_string(ranks[rank].cores.front()));
  }
  return plain;
}

}  // namespace mora::predict::openmpi
