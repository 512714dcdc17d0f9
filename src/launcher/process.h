/// Running other programs: quietly, for their answer, or in the foreground for the user.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace mora::launcher {

struct Outcome {
  int exit_code = 0;  ///< 0-255; 128 + signal when killed
  int signal = 0;     ///< 0 = exited by itself
  int stopped_by =
      0;  ///< the first signal that told this process to end while it waited: SIGINT, SIGTERM, SIGHUP, SIGQUIT
  bool was_stuck = false;  ///< it was told to end and did not, though all its processes had: it was killed
};

using Environment = std::vector<std::pair<std::string, std::string>>;  ///< added to or replaced in ours

/// Runs the command in the foreground: standard streams inherited, signals sent to us forwarded to it (not those the
/// terminal sends to the whole group anyway). Not thread-safe (signal handlers are process-wide).
/// `user_signal_to`: SIGUSR1 is not the job's, but adds 1 to this eventfd. `patience`: seconds that a
/// launcher which was told to end may go on when all its processes have ended (Outcome::was_stuck); 0: for ever, as
/// everything that is no launcher must. Errors: usage when the program cannot be
/// found or executed.
Result<Outcome> run_in_foreground(const std::vector<std::string>& command, const Environment& environment,
                                  int user_signal_to = -1, int patience = 0);

/// Standard output of the command (standard error discarded, standard input empty), if it could be started.
Result<std::pair<std::string, Outcome>> capture(const std::vector<std::string>& command,
                                                const Environment& environment = {});

/// Full path of the program as execvp would find it; empty = not found.
std::string find_program(const std::string& name);

/// What to do if find_program() finds nothing: the help of an error.
std::string spelling_help(const std::string& name);

}  // namespace mora::launcher
