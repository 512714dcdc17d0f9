/// Numbers of the parts of a trace, as Estimate::by_location has them: first the groups of MPI functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mora::report {

/// Names by number.
const std::vector<std::string>& part_names();
/// The number of a name.
std::size_t part_of(const std::string& name);
/// The number of what polls take that found nothing, of the functions of a group.
inline std::size_t polls_of(std::size_t part) { return part_names().size() + part; }

}  // namespace mora::report
