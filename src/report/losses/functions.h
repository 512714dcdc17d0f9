/// Which functions ranks spend more time in than the others do, in some code: from samples (Mora's rule
/// sampled-computation).
#pragma once

#include <vector>

#include "cube/cube.h"
#include "report/data/report_data.h"

namespace mora::report {

/// Functions in the call paths in which `ranks` take longer on average than the median of the other ranks, by more than
/// twice the standard deviation of both; those with a tenth of the largest difference or more, the largest first.
/// Of a function that is called from several places only the calls from one of them, if three quarters of the
/// difference lie there. Empty without samples, and where no other rank is left.
std::vector<FunctionDifference> differing_functions(const cube::Cube& cube,
                                                    const std::vector<cube::CallPathId>& call_paths,
                                                    const std::vector<std::uint32_t>& ranks);

/// "Rank 2 came late because relax() (solver.c:118-140) took 1.65 s there and 0.55 s on the other ranks." and a blank
/// before it; empty if no function differs.
std::string function_words(const LossCause& cause);

}  // namespace mora::report
