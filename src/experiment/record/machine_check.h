/// What works on this machine: the checks of `mora doctor`.
#pragma once

#include <string>
#include <vector>

namespace mora::experiment {

struct Check {
  std::string name;  ///< "Open MPI library"
  bool good = false;
  std::string found;   ///< what is there
  std::string remedy;  ///< what to do; empty when good
};

/// Runs all checks; some start tiny programs (a second or two). `directory`: where experiments would be written.
std::vector<Check> check_machine(const std::string& directory);

}  // namespace mora::experiment
