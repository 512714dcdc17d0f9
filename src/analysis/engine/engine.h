/// The engine behind analyze(): match - exchange - score - propagate over the partitions of a carrier (engine.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/carrier/carrier.h"
#include "trace/intervals/interval_source.h"

namespace mora::analysis {

/// Which partition holds each rank: consecutive ranks, about as many events each; 0xFFFFFFFF: the trace does not hold
/// the rank. The same in every process.
std::vector<std::uint32_t> partition_of_ranks(const trace::Source& source, unsigned partitions);

/// As analyze(), with intervals as enter and leave events already; options.workers is not 0. `quality_before`: what
/// every process has counted alike, when the trace was opened; it is reported once.
Result<AnalysisResult> run_engine(trace::MarkedSource& source, const DataQuality& quality_before,
                                  const std::string& trace_path, const AnalyzeOptions& options, Carrier& carrier);

}  // namespace mora::analysis
