/// Runs the measuring program (src/measure/calibrate/) with the user's launcher.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "launcher/mpi_flavour.h"

namespace mora::predict {

struct MeasureRequest {
  std::vector<std::string> launcher;  ///< "mpirun -n 2": without a program
  std::string flavour;                ///< "" = that of the launcher
  std::string raw_file;               ///< on a file system of the first rank's node
  double seconds = 60;
  std::uint64_t seed = 1, largest_bytes = 4 << 20;
};

/// Path of mora_calibrate-<flavour>: beside the running program's build or installation. Empty = not found.
std::string calibrate_program(launcher::MpiFlavour flavour);

/// The raw file is written. Errors (usage): no launcher, an MPI that is not known, a launcher that fails.
Result<void> measure(const MeasureRequest& request);

}  // namespace mora::predict
