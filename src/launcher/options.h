/// Launchers and their options: one table for record, dry run and placement. Sources: Open MPI 4.1, mpirun(1) and
/// `mpirun --help all`; MPICH 4.0, mpiexec.hydra -help; Slurm, srun(1). Pure functions, thread-safe; texts are static.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mora::launcher {

enum class LauncherKind : std::uint8_t { none, openmpi, mpich, srun, other };

/// What an option says, as far as Mora asks.
enum class Role : std::uint8_t {
  elsewhere,  ///< nothing about ranks
  ranks,      ///< how many there are
  places,     ///< where they go
  unread,     ///< where they go, but Mora does not know how (srun)
};

struct Option {
  std::string_view names;  ///< without dashes, blanks between; of `ranks` and `places` these are names of one option
  std::uint8_t words = 0;  ///< how many follow it
  Role role = Role::elsewhere;
};

/// An option's word without its leading dashes: "np" of "--np".
std::string_view name_of_option(std::string_view word);

/// By a name without dashes; nullptr: the launcher has no such option. `openmpi`, `mpich` and `srun` have tables.
const Option* find_option(LauncherKind kind, std::string_view name);

/// How many words follow an option, given with its dashes, of a command line that is not checked: an option that this
/// launcher does not have counts as that of another one; 0 for one that none has, and for --name=value.
std::size_t words_behind(LauncherKind kind, std::string_view option);

/// Names of a launcher's options of these roles, for suggestions.
std::vector<std::string> option_names(LauncherKind kind, bool only_of_ranks);

/// `name` is one of `names`, which have blanks between.
bool names_hold(std::string_view names, std::string_view name);

/// What the word names as a launcher, by its spelling alone ("mpirun.openmpi", "/usr/bin/srun"): its base name up to
/// the first of ". - _"; nothing for other words.
std::optional<std::string> launcher_name(std::string_view word);

}  // namespace mora::launcher
