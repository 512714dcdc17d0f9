/// A Cartesian grid of processes, as MPI_Cart_create makes it (MPI-3.1, chapter 7): a trace defines it, a result keeps
/// it, the viewer draws ranks by it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mora {

struct CartesianGrid {
  struct Dimension {
    std::string name;  ///< empty: none was given
    std::uint32_t extent = 1;
    bool is_periodic = false;
    auto operator<=>(const Dimension&) const = default;
  };
  std::string name;
  std::vector<Dimension> dimensions;
  std::vector<std::uint32_t> ranks;        ///< in MPI_COMM_WORLD
  std::vector<std::uint32_t> coordinates;  ///< of each of `ranks` one for each dimension
  auto operator<=>(const CartesianGrid&) const = default;

  /// Adds a process; nothing where a coordinate lies outside of its extent, or coordinates are not one a dimension.
  bool place(std::uint32_t rank, const std::vector<std::uint32_t>& at) {
    if (at.size() != dimensions.size()) return false;
    for (std::size_t d = 0; d < at.size(); ++d)
      if (at[d] >= dimensions[d].extent) return false;
    ranks.push_back(rank);
    coordinates.insert(coordinates.end(), at.begin(), at.end());
    return true;
  }
};

}  // namespace mora
