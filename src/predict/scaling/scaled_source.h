/// A fitted program on another number of ranks, as a trace: what mora::predict::predict() and all others read.
///
/// Events are made while they are read, so that memory does not grow with the job. MPI calls last nothing but local
/// ones; computation lasts what its laws say. Thread-safe as Source says.
#pragma once

#include <memory>

#include "predict/scaling/scaled_program.h"
#include "trace/source.h"

namespace mora::predict {

/// `end`: which end of the intervals of fitted times and sizes it has.
std::unique_ptr<trace::Source> scaled_source(std::shared_ptr<const ScaledProgram> program, FitEnd end);

/// Where rules that explain the runs disagree about a rank of the job, and where the messages of its ranks do not fit
/// together. Errors: unreadable, with the call site. Returns how often two calls follow one another that do not in the
/// largest run, so that nothing is computed between them. Cost: two passes over the whole job, and its pattern in
/// memory.
Result<std::uint64_t> check_scaled(const std::shared_ptr<const ScaledProgram>& program,
                                   const ProgressCallback& progress = {});

}  // namespace mora::predict
