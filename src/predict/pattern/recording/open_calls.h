/// The MPI calls in which ranks of a dry run were when they ended: where they stand in the source, and who waits for
/// whom.
#pragma once

#include <string>

#include "predict/pattern/recording/dryrun.h"

namespace mora::predict {

/// Sets `place` of the ranks that ended within a call, from the journals and maps of the run `tag` (hexadecimal) in
/// `directory`: before these are deleted. What is not to be found stays empty.
void find_places(const std::string& directory, const std::string& tag, DryRunReport& report);

/// "MPI_Recv (main.c:12)", or the function alone.
const std::string& open_call(const DryRank& rank);

/// The circle of ranks that wait for each other (experiment/ending/circle.h); if there is none, the lowest rank that
/// waits for one that has ended; else empty.
std::string deadlock_sentence(const DryRunReport& report);

}  // namespace mora::predict
