/// Words for call paths: what tables, reports and conditions call them. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cube/cube.h"

namespace mora::cube {

/// "MPI_Recv@a.c:3" for calls whose site is known, "interval@a.c:20#3" for intervals with their place and number, else
/// the name.
std::string label(const CallPath& path);

/// Labels from the root. Of deeper paths than `most` the last ones, after "…".
std::vector<std::string> labels_of(const Cube& cube, CallPathId call_path, std::size_t most = SIZE_MAX);
/// "main > MPI_Recv@a.c:3".
std::string joined(const std::vector<std::string>& labels);
/// For narrow columns: short labels, without the program, with which all begin; the program's own is its name.
std::string joined_below_program(const std::vector<std::string>& labels);
/// labels_of and joined; of deep paths the last 256 labels.
std::string path_text(const Cube& cube, CallPathId call_path);

/// A stretch of computation, "compute MPI_Send@a.c:12 -> MPI_Recv@a.c:20": the labels of the calls around it; "start"
/// and "end" where there is none.
struct Stretch {
  std::string_view from, to;
};
/// Of the label of a call path of kind compute; nothing of all others. The result points into `label`.
std::optional<Stretch> stretch(std::string_view label);

/// A call's label in two: "MPI_Recv", "a.c:3". A label without a place, or of a stretch, is all name.
struct LabelParts {
  std::string_view name, place;
};
LabelParts parts_of(std::string_view label);
/// "MPI_Recv (a.c:3)", for sentences; labels without a place as they are.
std::string in_brackets(std::string_view label);
/// Of a marked interval without the number of its instance: "step@a.c:20#3" is "step@a.c:20". Others as they are.
std::string without_instance(std::string_view label);
/// The same label with C++ functions as people call them: "MPI_Send@exchange(Matrix const&, Vector&) + 0x20d" is
/// "MPI_Send@exchange + 0x20d".
std::string short_label(std::string_view label);

}  // namespace mora::cube
