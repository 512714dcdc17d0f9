/// The laws of one call: partners, sizes, tags, communicators, and which requests it completes.
#pragma once

#include "predict/scaling/scaled_program.h"

namespace mora::predict {

/// Of children of `loop` in its j-th iteration on that rank.
RankCase case_at(const Program& program, std::size_t run, std::uint32_t rank, std::uint32_t ranks, std::uint32_t loop,
                 std::uint32_t j);

/// Of a call its own, of a loop that of its first call.
const std::string& first_path(const Program& program, const Sites& sites, std::uint32_t node);

/// "the run cannot be predicted for another number of ranks": where, what, why.
tl::unexpected<Error> refused(const std::string& path, const std::string& what, const std::string& why);

/// The grids that partners of all calls are neighbours in; all, if there are none.
Vocabulary grids_of(const std::vector<RecordedRun>& runs, const ScaledProgram& program);

/// Fills made.nodes[node] and made.families. Errors: what no rule explains.
Result<void> fit_call(std::uint32_t node, const std::vector<RecordedRun>& runs, ScaledProgram& made,
                      const FitTarget& target);

/// Fills the completion rules of all nodes. Errors: the same.
Result<void> fit_completions(const std::vector<RecordedRun>& runs, ScaledProgram& made);

}  // namespace mora::predict
