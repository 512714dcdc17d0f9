/// The inside of a node as mpirun of Open MPI 4.1 sees it: packages, NUMA nodes, caches, cores, hardware threads.
/// Source: hwloc (an XML file of lstopo, or a synthetic description such as "pack:2 core:4 pu:1"). Immutable after loading; safe to
/// read from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace mora::predict::openmpi {

/// The kinds of objects that mpirun maps to and binds to, from the largest to the smallest.
enum class Level : std::uint8_t { node, numa, package, l3cache, l2cache, l1cache, core, hwthread };
constexpr std::size_t level_count = 8;
std::string_view name_of(Level level);

/// A part of a node. Hardware threads are numbered by their place in the topology (logical index).
struct Part {
  std::vector<std::uint32_t> hwthreads;  ///< ascending
  std::uint32_t os_index = 0;
};

struct Topology {
  std::string source;                             ///< file or description, for messages
  std::array<std::vector<Part>, level_count> parts;
  std::vector<std::uint32_t> core_of, package_of;  ///< by hardware thread; UINT32_MAX where it has none

  const std::vector<Part>& at(Level level) const { return parts[static_cast<std::size_t>(level)]; }
};

/// `text`: the path of an hwloc XML file if such a file exists, else a synthetic description. Errors: unreadable (what hwloc refuses).
Result<Topology> load_topology(const std::string& text);

}  // namespace mora::predict::openmpi
