/// Groups of MPI functions that a user leaves out of a recording (`mora record --mpi-functions`): every function is in
/// one group, or in none because it is always recorded. Derived from the table, as a function's class and subject say.
/// Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "mpi/function.h"

namespace mora::mpi {

/// What is left out.
struct LeftOut {
  std::vector<std::string_view> groups;  ///< their names, in the order of the groups
  std::vector<unsigned> functions;       ///< numbers, ascending
  bool polls = false;                    ///< tests and probes that found nothing
};

/// Names of all groups, for help texts.
std::vector<std::string> group_names();

/// The group of a function; empty: always recorded (begin and end of MPI, MPI_Abort, MPI_Pcontrol), or a query.
std::string_view group_of(const Function& function);

/// Reads "all,-polls" or "point-to-point,collectives": from left to right, NAME is added and -NAME taken away; a list
/// that begins with -NAME begins with all, and polls are kept unless they are taken away. An error names the word, and
/// the group that may be meant.
Result<LeftOut> read_groups(std::string_view text);

/// `functions` as the recorder reads them, "3-7,12": no blanks.
std::string to_ranges(const std::vector<unsigned>& functions);

}  // namespace mora::mpi
