/// The words of `mora map`: options as launchers spell them, long ones with one dash or two, then the application,
/// which is ignored. There is one table of options per mode, because one spelling may have several meanings: -c is the
/// number of processes for mpirun, and of CPUs per task for srun.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace mora::cli {

/// Whose rules of placement apply: mpirun of Open MPI, the placement simulator of Kotomatas 2018, srun of Slurm,
/// mpiexec.hydra of MPICH.
enum class MapMode { openmpi, kotomatas, slurm, hydra };
inline constexpr MapMode all_modes[] = {MapMode::openmpi, MapMode::kotomatas, MapMode::slurm, MapMode::hydra};
/// As --mode spells it: "openmpi", "kotomatas", "slurm", "hydra".
const char* name_of(MapMode mode);

/// The words of `mora map`, sorted by whom they are for.
struct MapWords {
  MapMode mode = MapMode::openmpi;
  bool help = false;
  /// By the name in the table ("np", "map-by"); a switch has no values, -host one per node.
  std::map<std::string, std::vector<std::string>> options;
  /// openmpi: mpirun's own words, for the placement to read.
  std::vector<std::string> launcher;
  std::vector<std::string> application;
  /// slurm, hydra: options about placement that Mora does not know, without their arguments.
  std::vector<std::string> ignored;

  bool has(const std::string& name) const { return options.count(name) != 0; }
  std::string get(const std::string& name) const {
    const auto it = options.find(name);
    return it == options.end() || it->second.empty() ? std::string() : it->second.back();
  }
};

/// Without --mode the mode is openmpi, or that of the launcher that is named (`mora map srun -n 4 ./app`). "thesis",
/// the older name of kotomatas, is accepted. Errors (usage): a launcher whose rules Mora does not know, an unknown
/// option, with the nearest known one or the mode that has it; an option without its argument.
Result<MapWords> read_map_words(const std::vector<std::string>& words);

/// The option as a number of at least 1. Errors (usage).
Result<std::uint32_t> number_option(const MapWords& words, const std::string& name, std::uint32_t fallback);

/// mpirun's words without the options of these names (blanks between), nor what follows them.
std::vector<std::string> launcher_without(const std::vector<std::string>& launcher, const std::string& names);

}  // namespace mora::cli
