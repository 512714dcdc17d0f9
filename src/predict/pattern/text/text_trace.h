/// Pattern traces as text traces (MinI's format, docs/formats/ti-trace.md), and back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "predict/pattern/text/record.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// A rank's calls as text records in program order: an asynchronous receive stands where it was posted, with the source
/// that its completion names; a Sendrecv is two records; a started persistent operation is an Isend or Irecv. Calls
/// without a place in the grammar (Comm_rank, type calls) have none. `sink` gets each record; what is not known (a
/// receive never completed) goes to `quality`.
void to_text_records(const PatternTrace& trace, const RankTrace& rank,
                     const std::function<void(const TextRecord&)>& sink, DataQuality& quality);

/// Writes `directory`/ti_trace<rank>.txt for every rank (the directory is made); returns the bytes written. Errors
/// (system): a file or the directory cannot be written.
Result<std::uint64_t> write_text_traces(const PatternTrace& trace, const std::string& directory,
                                        const ProgressCallback& progress = {});

/// Reads all ti_trace<rank>.txt (or any <text><rank>.txt; others are named in the quality table) of a directory, in
/// numeric rank order, into a pattern trace. Members of communicators come from the split records, in order of (key,
/// rank). Vector calls of other tools' traces have min, median, max only: the vector is filled with counts that fit
/// them and Definitions::exact_vectors is false. Errors (unreadable, system): no directory, no such file in it, or a
/// file that cannot be read; lines that are not understood are rows of quality.
Result<PatternTrace> read_text_traces(const std::string& directory, const ProgressCallback& progress = {});

}  // namespace mora::predict
