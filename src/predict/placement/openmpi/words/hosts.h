/// The nodes that a job may use: what a resource manager granted, a rankfile, --host or a hostfile names, in that order
/// (the first that names any).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "predict/placement/openmpi/words/command.h"
#include "predict/placement/openmpi/words/policies.h"
#include "predict/placement/openmpi/words/request.h"

namespace mora::predict::openmpi {

struct Host {
  std::string name;
  std::int64_t slots = 1;
  std::int64_t max_slots = 0;  ///< 0: no limit
  bool slots_given = false;
  bool here = false;       ///< mpirun runs on it
  std::uint32_t line = 0;  ///< of the file that names it
};

/// A name of the node that mpirun runs on: "localhost", 127.x.x.x, `head_node`.
bool is_here(std::string_view name, std::string_view head_node);

/// "node1.site" is node1; addresses stay.
std::string short_name(std::string_view name);

/// As mpirun reads a hostfile or a rankfile for nodes: a node named again has one slot more. Errors (unreadable):
/// file:line:column.
Result<std::vector<Host>> read_host_entries(std::string_view text, const std::string& file, std::string_view head_node);

struct Allocation {
  std::vector<Host> pool;  ///< first the node of mpirun, whether the job may use it or not
  bool here_granted = false;
  std::vector<std::uint32_t> usable;  ///< indices of pool, in the order in which they are mapped to
  std::vector<std::uint32_t>
      counted;  ///< those that count where -np is missing: also nodes without slots, and this one despite --nolocal
};

/// Text of a file that the command names. Errors: unreadable.
Result<std::string> file_text(const OpenMpiRequest& request, const std::string& name);

/// Errors: unreadable files, nodes that are not there, no nodes at all, slots that are not given while the topology is
/// not known.
Result<Allocation> allocate(const OpenMpiRequest& request, const Command& command, const Policies& policies);

/// The nodes of --map-by seq in order of ranks, each with what stands behind its name (empty: nothing).
struct SequenceEntry {
  std::string name, cpus;
  std::string where;  ///< file:line:column; empty: --host says it
};
Result<std::vector<SequenceEntry>> read_sequence(const OpenMpiRequest& request, const Command& command,
                                                 const Allocation& allocation);

}  // namespace mora::predict::openmpi
