/// Which program, then the launcher in the foreground.
#include "predict/calibration/measure.h"

#include <fmt/format.h>

#include "base/file.h"
#include "launcher/launch.h"
#include "launcher/process.h"

namespace mora::predict {

std::string calibrate_program(launcher::MpiFlavour flavour) {
  return find_installed(fmt::format("mora_calibrate-{}", launcher::to_string(flavour)), "bin");
}

Result<void> measure(const MeasureRequest& request) {
  std::vector<std::string> command = request.launcher;
  command.emplace_back("true");  // the launcher is recognised by what stands before a program
  const launcher::Launch launch = launcher::take_apart(command);
  if (launch.launchers.empty())
    return fail(ErrorKind::usage, "no launcher is given", request.launcher.empty() ? "" : request.launcher[0], "",
                "mora calibrate -- mpirun -n 2");
  launcher::MpiFlavour flavour = launcher::MpiFlavour::unknown;
  if (launch.kind == launcher::LauncherKind::openmpi) flavour = launcher::MpiFlavour::openmpi;
  if (launch.kind == launcher::LauncherKind::mpich) flavour = launcher::MpiFlavour::mpich;
  for (const launcher::MpiNames& names : launcher::known_mpis) {
    if (request.flavour == launcher::to_string(names.flavour)) flavour = names.flavour;
  }
  if (flavour == launcher::MpiFlavour::unknown)
    return fail(ErrorKind::usage, "it is not known which MPI this launcher belongs to", request.launcher[0], "",
                "give --mpi openmpi or --mpi mpich");
  const std::string program = calibrate_program(flavour);
  if (program.empty())
    return fail(ErrorKind::system, "the measuring program is missing",
                fmt::format("mora_calibrate-{}", launcher::to_string(flavour)),
                "it belongs beside mora or into its lib/mora", "install Mora again");
  command.pop_back();
  command.insert(command.end(), {program, request.raw_file, fmt::format("{}", request.seconds),
                                 std::to_string(request.seed), std::to_string(request.largest_bytes)});
  MORA_TRY(const launcher::Outcome outcome, launcher::run_in_foreground(command, {}));
  if (outcome.exit_code != 0)
    return fail(ErrorKind::usage, fmt::format("the measurement ended with {}", outcome.exit_code), request.launcher[0],
                "its messages stand above", "at least two ranks are needed: mora calibrate -- mpirun -n 2");
  return {};
}

}  // namespace mora::predict
