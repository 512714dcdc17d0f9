/// Open MPI's parameters (MCA) that steer mpirun without standing on its command line: environment variables
/// OMPI_MCA_NAME, the user's ~/.openmpi/mca-params.conf, the installation's openmpi-mca-params.conf and
/// openmpi-mca-params-override.conf. Source: Open MPI 4.1, mpirun(1), and answers of mpirun 4.1.4 (tests/map/oracle).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace mora::cli {

/// Where parameters are looked up. Both members may be called with any name.
struct ParameterSources {
  std::function<const char*(const char*)> variable;            ///< nullptr: not set
  std::vector<std::string> environment;                        ///< "NAME=VALUE"
  std::function<bool(const std::string&, std::string&)> file;  ///< false: it cannot be read
  std::string system_folder;                                   ///< of the two files of the installation
};

/// Those of this process, and of the mpirun that the PATH finds (or OPAL_PREFIX names).
ParameterSources parameters_here();

struct Parameters {
  std::vector<std::string> before;  ///< "--mca NAME VALUE …", weaker than the words of the command line
  std::vector<std::string> after;   ///< the same, stronger: of the override file
  std::vector<std::string> notes;   ///< a sentence for each that counts: its name, value, and where it stands
};

/// Those about placement that `words` (of mpirun) do not set themselves. The environment counts before the user's file,
/// this before the installation's.
Parameters parameters_beside(const std::vector<std::string>& words, const ParameterSources& sources);

}  // namespace mora::cli
