/// Threads as a domain of the engine: OpenMP and POSIX threads.
#pragma once

#include "analysis/core/domain.h"

namespace mora::analysis {

Domain thread_domain();

}  // namespace mora::analysis
