/// CPUs of tasks inside a node: tasks take CPUs one after the other, from sockets by the second level and from cores by
/// the third (Slurm, srun(1), --distribution; cpu_management.html, Examples 10 and 14). Cost: linear in CPUs.
#include "predict/placement/slurm/inside_node.h"

#include <algorithm>
#include <optional>

namespace mora::predict::slurm {

namespace {

class Cpus {
 public:
  Cpus(const NodeInside& inside, std::uint32_t allocated, const Distribution& how)
      : inside_(inside),
        how_(how),
        free_(std::size_t{inside.sockets} * inside.cores_per_socket, 0),
        socket_free_(inside.sockets, 0),
        next_core_(inside.sockets, 0) {
    // The allocation goes by sockets in turn, in each by cores, whole cores first (Example 10: 6 CPUs of 2 × 4 are 0 1
    // 2 and 4 5 6).
    const std::uint32_t per_socket = inside.cores_per_socket * inside.threads_per_core;
    for (std::uint32_t given = 0; given < std::min(allocated, inside.cpus()); ++given) {
      const std::uint32_t core = given / inside.sockets / inside.threads_per_core;
      if (given / inside.sockets < per_socket) {
        ++free_[(given % inside.sockets) * inside.cores_per_socket + core];
        ++socket_free_[given % inside.sockets];
      }
    }
  }

  std::vector<std::uint32_t> take(std::uint32_t count) {
    std::vector<std::uint32_t> taken;
    std::uint32_t socket = start_socket(count);
    task_core_ = UINT32_MAX;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (how_.sockets == InsideNode::fcyclic && i > 0) socket = next_socket_;
      const auto free_one = next_free_socket(socket);
      if (!free_one) break;
      if (*free_one != socket) task_core_ = UINT32_MAX;
      socket = *free_one;
      if (how_.sockets != InsideNode::block) next_socket_ = (socket + 1) % inside_.sockets;
      const std::uint32_t core = take_in(socket);
      if (std::find(taken.begin(), taken.end(), core) == taken.end()) taken.push_back(core);
    }
    return taken;
  }

 private:
  std::uint32_t start_socket(std::uint32_t count) const {
    if (how_.sockets == InsideNode::block) return 0;
    if (how_.sockets == InsideNode::cyclic) {  // all CPUs of a task on one socket if possible
      for (std::uint32_t i = 0; i < inside_.sockets; ++i) {
        const std::uint32_t socket = (next_socket_ + i) % inside_.sockets;
        if (socket_free_[socket] >= count) return socket;
      }
    }
    return next_socket_;
  }

  std::optional<std::uint32_t> next_free_socket(std::uint32_t from) const {
    for (std::uint32_t i = 0; i < inside_.sockets; ++i) {
      const std::uint32_t socket = (from + i) % inside_.sockets;
      if (socket_free_[socket] > 0) return socket;
    }
    return std::nullopt;
  }

  /// Takes a CPU of the socket, which must have a free one.
  std::uint32_t take_in(std::uint32_t socket) {
    std::uint32_t from = 0;
    if (how_.cores == InsideNode::fcyclic) from = next_core_[socket];
    if (how_.cores == InsideNode::cyclic) from = task_core_ == UINT32_MAX ? next_core_[socket] : task_core_;
    std::uint32_t core = from;
    while (free_[socket * inside_.cores_per_socket + core] == 0) core = (core + 1) % inside_.cores_per_socket;
    --free_[socket * inside_.cores_per_socket + core];
    --socket_free_[socket];
    task_core_ = core;
    next_core_[socket] = (core + 1) % inside_.cores_per_socket;
    return socket * inside_.cores_per_socket + core;
  }

  const NodeInside inside_;
  const Distribution how_;
  std::vector<std::uint32_t> free_;         ///< by core: CPUs
  std::vector<std::uint32_t> socket_free_;  ///< by socket: CPUs
  std::vector<std::uint32_t> next_core_;    ///< by socket
  std::uint32_t next_socket_ = 0;
  std::uint32_t task_core_ = UINT32_MAX;  ///< where the task took its last CPU
};

}  // namespace

std::vector<std::vector<std::uint32_t>> task_cores(const NodeInside& inside, std::uint32_t tasks,
                                                   std::uint32_t cpus_per_task, std::uint32_t allocated,
                                                   const Distribution& distribution) {
  std::vector<std::vector<std::uint32_t>> cores;
  Cpus cpus(inside, allocated, distribution);
  for (std::uint32_t task = 0; task < tasks; ++task) cores.push_back(cpus.take(cpus_per_task));
  return cores;
}

}  // namespace mora::predict::slurm
