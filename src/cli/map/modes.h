/// What each mode of `mora map` makes of the command line: a placement, ready to be printed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/map/words.h"
#include "predict/placement/placement.h"

namespace mora::cli {

/// A place on a node that a rank may get.
struct Seat {
  std::string core, slot;     ///< as printed
  std::string rankfile_slot;  ///< what a rankfile calls it
};

/// A placement with everything that the outputs need besides it.
struct Mapped {
  predict::Placement placement;
  std::vector<std::uint32_t> rank_numbers;  ///< of the placement's ranks; empty: 0, 1, 2 … (only rankfiles of mode
                                            ///< kotomatas may leave ranks out)
  std::vector<std::uint32_t>
      slots;  ///< of the placement's nodes: how many ranks they take without being oversubscribed
  /// For --improve: the places that so many ranks get on a node as the request fills it, in the order in which ranks
  /// take them. Errors: the request does not allow so many there.
  std::function<Result<std::vector<Seat>>(const std::string& node, std::uint32_t ranks)> seats;
  std::string picture;  ///< of the system, for --verbose
  std::string rankfile;
  std::string job_map;                ///< as mpirun --display-map prints it; openmpi only
  std::vector<std::string> policies;  ///< "map-by node": for JSON and --verbose
  std::vector<std::string> notes;     ///< for standard error
};

/// One function per mode. Errors: usage (wrong combination, refused), unreadable (a file, a line of it).
Result<Mapped> map_as_kotomatas(const MapWords& words);
Result<Mapped> map_as_openmpi(const MapWords& words);
Result<Mapped> map_as_slurm(const MapWords& words);
Result<Mapped> map_as_hydra(const MapWords& words);

/// "a,b,,c": a, b, c.
std::vector<std::string> names_in(const std::string& list);

/// The value of --`option`; without it the answer to `question` on a terminal, asked until it is a number (Kotomatas
/// 2018, 5); without a terminal an error that names the option. `what` names the number in the error.
Result<std::uint32_t> number_or_ask(const MapWords& words, const std::string& option, const char* question,
                                    const char* what);

/// By the words' own mode. Errors: as above.
inline Result<Mapped> map_as(const MapWords& words) {
  switch (words.mode) {
    case MapMode::kotomatas:
      return map_as_kotomatas(words);
    case MapMode::slurm:
      return map_as_slurm(words);
    case MapMode::hydra:
      return map_as_hydra(words);
    case MapMode::openmpi:
      break;
  }
  return map_as_openmpi(words);
}

}  // namespace mora::cli
