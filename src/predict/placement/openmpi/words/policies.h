/// The policies that follow from mpirun's options before it looks at nodes: how to map, to rank, to bind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "predict/placement/openmpi/topology/topology.h"
#include "predict/placement/openmpi/words/command.h"

namespace mora::predict::openmpi {

enum class Way : std::uint8_t {
  object,  ///< by objects of `level` (Level::node: by node)
  slot,
  board,       ///< mpirun accepts the word, but has no mapper for it
  sequence,    ///< line by line of the hostfile
  distance,    ///< near a network device
  per_object,  ///< ppr
  rankfile,
};

struct MappingPolicy {
  Way way = Way::slot;
  Level level = Level::node;
  bool given = false;
  bool set = false;  ///< by packages, not asked for: the meaning of ":MODIFIERS" without span in mpirun
  bool span = false;
  bool oversubscribe = false;  ///< allowed
  bool no_local = false;
  std::string ppr, device;
};

struct RankingPolicy {
  enum class Order : std::uint8_t { next_object, span, fill };
  bool by_object = false;  ///< by objects of `level`; else by slot
  Level level = Level::node;
  Order order = Order::next_object;
  bool given = false;
};

struct BindingPolicy {
  enum class To : std::uint8_t { unset, none, board, cpu_list, object };
  To to = To::unset;
  Level level = Level::core;
  bool given = false;     ///< asked for: what cannot be bound is refused; else it stays unbound
  bool overload = false;  ///< more ranks than cpus are fine
  bool ordered = false;   ///< cpu_list: one cpu for each rank
};

struct Policies {
  MappingPolicy mapping;
  RankingPolicy ranking;
  BindingPolicy binding;
  std::int64_t cpus_per_rank = 0;
  bool hwthread_cpus = false;              ///< a cpu is a hardware thread, not a core
  bool default_slots_are_threads = false;  ///< of a node that says no slots
  bool per_node = false;  ///< the number of ranks a node takes at a visit, beside a mapping that is given too
  std::int64_t n_per_node = 0, n_per_socket = 0;
  std::optional<std::string> cpu_list;
  std::vector<std::string> warnings;
};

/// Errors (usage): unknown policies and modifiers, and those that contradict each other.
Result<Policies> settle_policies(const Command& command);

/// Fills in what depends on the number of ranks: the default mapping and binding.
void settle_defaults(Policies& policies, std::uint64_t ranks, const Topology* topology);

/// mpirun's word for them ("BYCORE", "SLOT", "NUMA").
std::string text_of(const MappingPolicy& policy);
std::string text_of(const RankingPolicy& policy);
std::string text_of(const BindingPolicy& policy);

}  // namespace mora::predict::openmpi
