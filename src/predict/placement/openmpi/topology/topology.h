/// The inside of a node as mpirun of Open MPI 4.1 sees it: packages, NUMA nodes, caches, cores, hardware threads.
/// Source: hwloc (an XML file of lstopo, or a synthetic description such as "pack:2 core:4 pu:1"). Immutable after
/// loading; safe to read from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "predict/placement/openmpi/topology/hwthread_set.h"

namespace mora::predict::openmpi {

/// The kinds of objects that mpirun maps to and binds to, from the largest to the smallest.
enum class Level : std::uint8_t { node, numa, package, l3cache, l2cache, l1cache, core, hwthread };
constexpr std::size_t level_count = 8;

/// "package"; mpirun itself says "socket".
std::string_view name_of(Level level);

/// A part of a node. Hardware threads are numbered by their place in the topology (hwloc's logical index).
struct Part {
  HwthreadSet hwthreads;
  std::uint32_t cores = 0;     ///< wholly inside the part
  std::uint32_t os_index = 0;  ///< what the operating system calls it
};

/// A network device, for mapping by distance.
struct Device {
  std::string name;
  bool openfabrics = false;
  std::vector<std::uint32_t> numa_by_distance;  ///< nearest first; empty: not in the topology
};

struct Topology {
  std::string source;  ///< file or description, for messages
  std::array<std::vector<Part>, level_count> parts;
  std::vector<std::uint32_t> core_of, package_of;  ///< by hardware thread; UINT32_MAX where it has none
  std::vector<std::uint32_t> thread_in_core;       ///< by hardware thread
  std::vector<Device> devices;

  const std::vector<Part>& at(Level level) const { return parts[static_cast<std::size_t>(level)]; }
  /// Every hardware thread of the node.
  const HwthreadSet& whole() const { return at(Level::node).front().hwthreads; }
};

/// `text`: the path of an hwloc XML file if such a file exists, else a synthetic description. Errors: unreadable (what
/// hwloc refuses).
Result<Topology> load_topology(const std::string& text);

}  // namespace mora::predict::openmpi
