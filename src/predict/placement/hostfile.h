/// Hostfiles: the nodes that a job may use (Kotomatas 2018, 5.3.2; Open MPI 4.1, mpirun(1)).
///
///     node1 slots=2 max-slots=4   #cores=3   # a comment
///
/// One node a line; `slots`, and `max-slots` spelled with '-', '_' or as `maxSlots`; '#' starts a comment, except that
/// `#cores=N` or `#cores{N}` says how many cores a slot has, which mpirun itself takes for a comment. A node that is
/// named again gets one more slot for it, and must not give its slots again, as with mpirun (rule
/// `hostfiles-and-names`, docs/rules.md). Pure functions, safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::predict {

struct HostEntry {
  std::string name;
  std::optional<std::uint32_t> slots, max_slots, cores_per_slot;  ///< not said: nullopt
  std::uint32_t line = 0;                                         ///< from 1
};

/// One entry a node, in the order of first mention. `name` is for messages. Errors (kind unreadable): file:line:column,
/// what was expected, what stands there.
Result<std::vector<HostEntry>> parse_hostfile(std::string_view text, const std::string& name);

}  // namespace mora::predict
