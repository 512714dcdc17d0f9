/// mpirun's mappers: each chooses nodes, and objects inside them, for `job.ranks` processes (0: as many as its pattern
/// gives). Errors (usage): what mpirun refuses.
#pragma once

#include "base/error.h"
#include "predict/placement/openmpi/mapping/job.h"

namespace mora::predict::openmpi {

/// By slot, by node, by objects.
Result<void> map_round_robin(Job& job);

/// So many at each object of a kind ("ppr:2:socket"). Sets the way to that kind.
Result<void> map_per_object(Job& job);

/// Line by line. Ranks follow the lines; a line may say to which cpus its rank is bound.
Result<void> map_sequence(Job& job, const Allocation& allocation, const std::vector<SequenceEntry>& entries);

/// `rank N=NODE slot=CPUS`. `text`: of the rankfile.
Result<void> map_rankfile(Job& job, const Command& command, const std::string& text, std::string_view head_node);

/// Near a network device: NUMA nodes by their distance from it. Falls back to slots where the topology has no
/// distances.
Result<void> map_by_distance(Job& job);

/// Whether the ranks that a node has more than slots are forbidden; notes them if not.
Result<void> admit(Job& job, JobNode& node, bool also_max_slots);

/// mpirun's "not enough slots".
tl::unexpected<Error> too_few_slots(std::uint64_t ranks, std::int64_t slots);

/// More than this are not placed: a slip in a hostfile must not ask for all memory.
inline constexpr std::uint64_t most_ranks = std::uint64_t{1} << 24;
tl::unexpected<Error> too_many_ranks(std::uint64_t ranks);

/// A pattern whose nodes or packages are counted where -np is missing; for all others it is slots.
bool counts_objects(const MappingPolicy& mapping);

/// How many ranks without -np. Errors (usage): a pattern per package, and the topology is not known.
Result<std::uint64_t> ranks_of_slots(const Job& job, const Allocation& allocation);

/// Ranks for processes that have none. Errors (usage): objects that are not there, or do not hold them evenly.
Result<void> give_ranks(Job& job);

/// After ranks are given, mpirun spreads the processes of each node over the objects anew.
Result<void> spread_over_objects(Job& job);

/// The same after mapping by distance: NUMA nodes are filled, nearest first.
void spread_by_distance(Job& job);

/// Binds. `one_process`: as `mpirun --do-not-launch -novm` does it, where one process binds for all nodes and its
/// counters of NUMA nodes go on from node to node; else as the daemons do, each for its own node.
Result<void> bind(Job& job, bool one_process);

}  // namespace mora::predict::openmpi
