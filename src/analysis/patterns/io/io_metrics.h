/// The wait states of MPI-IO. Their rule: domain.cpp.
#pragma once

#include "analysis/metric_info.h"

namespace mora::analysis {

extern const MetricInfo io_collective_wait_info, file_collective_wait_info;

}  // namespace mora::analysis
