/// A job while it is being placed: its nodes, its processes in the order in which they were put there, not yet or
/// already ranked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "predict/placement/openmpi/topology/topology.h"
#include "predict/placement/openmpi/words/hosts.h"
#include "predict/placement/openmpi/words/policies.h"

namespace mora::predict::openmpi {

/// The object that a process is mapped to: the n-th of a level (Level::node: the whole node).
struct Locale {
  Level level = Level::node;
  std::uint32_t index = 0;
};

constexpr std::int64_t unranked = -1;

struct Process {
  Locale locale;
  bool has_locale = true;  ///< rankfiles bind without mapping to an object
  std::int64_t rank = unranked;
  std::optional<HwthreadSet> bound;
};

struct JobNode {
  Host host;
  bool in_map = false;  ///< taken up (take_up), though it may have no ranks
  bool oversubscribed = false;
  std::vector<Process> processes;

  std::int64_t taken() const { return static_cast<std::int64_t>(processes.size()); }
  std::int64_t free_slots() const { return host.slots - taken(); }
};

struct Job {
  std::vector<JobNode> nodes;          ///< usable ones, in order
  std::vector<std::uint32_t> map;      ///< nodes in the order in which the map took them up
  const Topology* topology = nullptr;  ///< null: not known
  Policies policies;
  std::uint64_t ranks = 0;
  bool oversubscribed = false;

  std::int64_t slots() const {
    std::int64_t sum = 0;
    for (const JobNode& node : nodes) sum += std::max<std::int64_t>(node.free_slots(), 0);
    return sum;
  }
  void take_up(std::uint32_t node) {
    if (nodes[node].in_map) return;
    nodes[node].in_map = true;
    map.push_back(node);
  }
  /// Objects of a level on every node; none if the topology is not known.
  std::uint32_t count(Level level) const {
    if (level == Level::node) return 1;
    return topology == nullptr ? 0 : static_cast<std::uint32_t>(topology->at(level).size());
  }
  /// What mpirun counts as cpus inside an object: cores, or hardware threads.
  std::uint32_t cpus(const Locale& locale) const {
    const Part& part = topology->at(locale.level)[locale.index];
    return policies.hwthread_cpus ? part.hwthreads.size() : part.cores;
  }
  const HwthreadSet& threads(const Locale& locale) const { return topology->at(locale.level)[locale.index].hwthreads; }
};

}  // namespace mora::predict::openmpi
