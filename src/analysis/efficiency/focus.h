/// The focus of analysis: a program between starting MPI and ending it. What start-up and shutdown cost says little of
/// a program, and in short runs it is most of the time; so causes of lost time and POP figures of the program are those
/// of the focus, and the rest is shown apart (Mora's rule focus).
///
/// The focus is what is left of each process without MPI_Init and the like, MPI_Finalize, and the computation before
/// the former and after the latter. Where hardly anything is left, all of it is the focus. Pure; O(call paths).
#pragma once

#include <string_view>
#include <vector>

#include "cube/cube.h"
#include "mpi/function.h"

namespace mora::analysis {

/// A smaller share of all time between start and end of MPI is no focus.
inline constexpr double smallest_focus = 0.05;

/// What the table of MPI functions says of the call with this name or label (cube/labels.h); the row of `none` for what
/// is no call of MPI.
const mpi::Function& called_function(std::string_view label);

/// MPI_Init…, MPI_Finalize, MPI_Session_…; the stretch of computation before the former or after the latter.
bool starts_or_ends_mpi(const cube::CallPath& path);

/// Per call path: whether it is outside of the focus.
std::vector<bool> outside_focus(const cube::Cube& cube);

}  // namespace mora::analysis
