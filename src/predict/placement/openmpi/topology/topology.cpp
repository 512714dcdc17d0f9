/// hwloc's topology as lists of parts (objects of one level, in logical order). Hardware threads are numbered by
/// hwloc's logical index, so that sets of them are small integers. Only this file includes hwloc.
#include "predict/placement/openmpi/topology/topology.h"

#include <hwloc.h>
#include <hwloc/distances.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <type_traits>

#include <fmt/format.h>

namespace mora::predict::openmpi {

namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Owned = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

constexpr std::array<hwloc_obj_type_t, level_count> hwloc_type = {
    HWLOC_OBJ_MACHINE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE,
    HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE,  HWLOC_OBJ_CORE,    HWLOC_OBJ_PU};

/// Hardware threads of an object by logical index (hwloc's own sets count what the operating system calls them).
HwthreadSet threads_of(hwloc_topology_t topology, hwloc_obj_t object) {
  HwthreadSet threads;
  hwloc_obj_t thread = nullptr;
  while ((thread = hwloc_get_next_obj_covering_cpuset_by_type(topology, object->cpuset, HWLOC_OBJ_PU, thread)) !=
         nullptr) {
    threads.add(thread->logical_index);
  }
  return threads;
}

std::vector<Part> parts_of(hwloc_topology_t topology, Level level) {
  std::vector<Part> parts;
  if (level == Level::node) {
    parts.push_back({threads_of(topology, hwloc_get_root_obj(topology)), 0, 0});
    return parts;
  }
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, hwloc_type[static_cast<std::size_t>(level)], object)) !=
         nullptr) {
    if (hwloc_bitmap_iszero(object->cpuset) != 0) continue;  // memory without processors
    parts.push_back({threads_of(topology, object), 0, object->os_index});
  }
  return parts;
}

std::uint32_t ancestor_index(hwloc_obj_t object, hwloc_obj_type_t type) {
  while (object != nullptr && object->type != type) object = object->parent;
  return object == nullptr ? std::numeric_limits<std::uint32_t>::max() : object->logical_index;
}

/// NUMA nodes by latency from the one that a device hangs on; empty where the topology has no latencies.
std::vector<std::uint32_t> numa_by_distance(hwloc_topology_t topology, hwloc_obj_t device) {
  hwloc_obj_t near = device->parent;
  while (near != nullptr && near->memory_arity == 0) near = near->parent;
  if (near == nullptr) return {};
  const std::uint32_t nearest = near->memory_first_child->logical_index;
  hwloc_distances_s* distances = nullptr;
  unsigned count = 1;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &distances, HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                                  0) != 0 ||
      count == 0)
    return {};
  std::vector<std::uint32_t> order(distances->nbobjs);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return distances->values[nearest + distances->nbobjs * a] < distances->values[nearest + distances->nbobjs * b];
  });
  hwloc_distances_release(topology, distances);
  return order;
}

}  // namespace

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, level_count> names = {"node",    "numa",    "package", "l3cache",
                                                               "l2cache", "l1cache", "core",    "hwthread"};
  return names[static_cast<std::size_t>(level)];
}

Result<Topology> load_topology(const std::string& text) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return fail(ErrorKind::system, "hwloc cannot make a topology");
  const Owned owned(raw);
  std::error_code none;
  const bool file = std::filesystem::exists(text, none);
  if ((file ? hwloc_topology_set_xml(raw, text.c_str()) : hwloc_topology_set_synthetic(raw, text.c_str())) != 0 ||
      hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) != 0 || hwloc_topology_load(raw) != 0) {
    return fail(ErrorKind::unreadable, "the topology is not understood", text,
                file ? "hwloc cannot read the file as a topology"
                     : "there is no such file, and it is not a synthetic description as hwloc reads it",
                "an XML file that lstopo has written, or a description like 'pack:2 core:4 pu:2'");
  }
  Topology topology;
  topology.source = text;
  for (std::size_t level = 0; level < level_count; ++level)
    topology.parts[level] = parts_of(raw, static_cast<Level>(level));
  if (topology.whole().empty()) return fail(ErrorKind::unreadable, "the topology has no hardware threads", text);
  for (std::vector<Part>& parts : topology.parts) {
    for (Part& part : parts) {
      part.cores = static_cast<std::uint32_t>(
          std::count_if(topology.at(Level::core).begin(), topology.at(Level::core).end(),
                        [&](const Part& core) { return part.hwthreads.contains(core.hwthreads); }));
    }
  }
  for (hwloc_obj_t thread = nullptr; (thread = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PU, thread)) != nullptr;) {
    topology.core_of.push_back(ancestor_index(thread, HWLOC_OBJ_CORE));
    topology.package_of.push_back(ancestor_index(thread, HWLOC_OBJ_PACKAGE));
    topology.thread_in_core.push_back(thread->sibling_rank);
  }
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(raw, device)) != nullptr;) {
    const bool openfabrics = device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
    if (!openfabrics && device->attr->osdev.type != HWLOC_OBJ_OSDEV_NETWORK) continue;
    topology.devices.push_back({device->name, openfabrics, numa_by_distance(raw, device)});
  }
  return topology;
}

}  // namespace mora::predict::openmpi
