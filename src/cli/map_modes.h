/// What each mode of `mora map` makes of its words: a placement, ready to be printed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/map_words.h"
#include "predict/placement/placement.h"

namespace mora::cli {

struct Mapped {
  predict::Placement placement;
  std::vector<std::uint32_t> rank_numbers;  ///< of the placement's ranks; empty: 0, 1, 2 … (only the thesis's rankfiles may leave ranks out)
  std::vector<std::uint32_t> slots;         ///< of the placement's nodes: how many ranks they take without being oversubscribed
  std::string picture;                      ///< of the system, for --verbose
  std::string rankfile;
  std::string job_map;                      ///< as mpirun --display-map prints it; openmpi only
  std::vector<std::string> policies;        ///< "map-by node": for JSON and --verbose
  std::vector<std::string> notes;           ///< for standard error
};

/// Errors: usage (wrong combination, refused), unreadable (a file, a line of it).
Result<Mapped> map_as_thesis(const MapWords& words);
Result<Mapped> map_as_openmpi(const MapWords& words);
Result<Mapped> map_as_slurm(const MapWords& words);

inline Result<Mapped> map_as(const MapWords& words) {
  switch (words.mode) {
    case MapMode::thesis:
      return map_as_thesis(words);
    case MapMode::slurm:
      return map_as_slurm(words);
    case MapMode::openmpi:
      break;
  }
  return map_as_openmpi(words);
}

}  // namespace mora::cli
