/// Parses a command line: which words are the launcher, which the program, how many ranks are asked for.
/// Nothing is executed here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "launcher/options.h"

namespace mora::launcher {

struct Launch {
  std::vector<std::string> command;    ///< as given
  std::vector<std::size_t> launchers;  ///< indices of the words that are launchers (usually one; empty = singleton)
  LauncherKind kind = LauncherKind::none;
  std::size_t program = 0;                      ///< index of the program's word; command.size() = not found
  std::vector<std::size_t> application_starts;  ///< after the launcher's word and after every ":"
  std::vector<std::size_t> programs;            ///< of each application; its words end there
  std::uint32_t ranks = 0;           ///< from -n and its like, summed over the application contexts; 0 = not said
  bool variables_listed = false;     ///< the user forwards variables selectively (-genvlist, -genvnone)
  bool own_variable_list = false;    ///< the user gave mca_base_env_list: -x would be refused
  std::string program_name() const;  ///< base name of the program, "" if not found
};

/// Understands mpirun, mpiexec, orterun, prun, srun, hydra and their suffixed names, through prefixes such as env,
/// timeout, nice, taskset. An option it does not know is taken to have no argument, unless only the word after it is
/// executable.
Launch take_apart(const std::vector<std::string>& command);

/// The command with the named variables forwarded to remote ranks in the launcher's own way (-x NAME, or -genv NAME
/// VALUE where the user restricts what hydra forwards). Where words before the program set one that is a list
/// themselves (`-x LD_PRELOAD=a.so`, `-genv LD_PRELOAD a.so`, `env ASAN_OPTIONS=…`), its value here goes before theirs.
/// Without a known launcher nothing else changes.
std::vector<std::string> with_forwarded_variables(const Launch& launch,
                                                  const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace mora::launcher
