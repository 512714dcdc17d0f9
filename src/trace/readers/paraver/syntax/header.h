/// The first line of a .prv file.
/// Source: Paraver.
///
/// `#Paraver (dd/mm/yy at hh:mm):DURATION[_UNIT]:NODES:APPLICATIONS:application[:application …]` where NODES is `0` or
/// `n(cpus,cpus,…)`, an application is `tasks(threads:node,threads:node,…)[,communicators]`. Extrae separates
/// applications by a comma. UNIT is ns, us, ms or s; without it times are microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::trace::paraver {

struct Task {
  std::uint64_t threads = 0;
  std::uint64_t node = 0;  ///< from 1; 0 = none
};

struct Header {
  std::int64_t tick = 1000;  ///< nanoseconds of one unit of the file's times
  std::uint64_t duration = 0;
  std::uint64_t nodes = 0;
  std::vector<std::vector<Task>> applications;
};

inline constexpr std::uint64_t most_tasks = std::uint64_t{1} << 20;
inline constexpr std::uint64_t most_nodes = std::uint64_t{1} << 20;

/// Whether the text begins with "#Paraver".
bool is_paraver(std::string_view start);

/// `file` is for the message. Errors (unreadable): the line is no header, or its numbers are impossible (more than a
/// million tasks or nodes); the message says which part. O(line).
Result<Header> parse_header(std::string_view line, const std::string& file);

}  // namespace mora::trace::paraver
