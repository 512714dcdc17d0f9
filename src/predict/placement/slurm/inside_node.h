/// Which CPUs of its node a task gets: --distribution's second level (sockets) and third (cores).
#pragma once

#include <cstdint>
#include <vector>

#include "predict/placement/slurm/distribution.h"

namespace mora::predict::slurm {

/// Sockets of cores of threads; a CPU is a thread. Core c of socket s is core s × cores + c of the node.
struct NodeInside {
  std::uint32_t sockets = 1, cores_per_socket = 1, threads_per_core = 1;
  std::uint32_t cpus() const { return sockets * cores_per_socket * threads_per_core; }
};

/// The cores of each task on a node, in the order in which it gets CPUs of them; none for tasks without a free CPU
/// (overcommitted). If `allocated` is less than the node has, only so many CPUs can be used; they are spread over the
/// sockets in turn, SLURM's default.
std::vector<std::vector<std::uint32_t>> task_cores(const NodeInside& inside, std::uint32_t tasks,
                                                   std::uint32_t cpus_per_task, std::uint32_t allocated,
                                                   const Distribution& distribution);

}  // namespace mora::predict::slurm
