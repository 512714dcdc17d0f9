/// The families of wait states that have halves of their own, for engine/domains.cpp.
#pragma once

#include "analysis/core/domain.h"

namespace mora::analysis {

Domain active_target_domain();   ///< active_target/: epochs of post-start-complete-wait and of fences
Domain io_domain();              ///< io/: collective operations on files
Domain nonblocking_domain();     ///< nonblocking/: non-blocking collectives
Domain passive_target_domain();  ///< passive_target/: lock contention, progress, request completion, repeated atomics
Domain shmem_domain();           ///< shmem/: OpenSHMEM
Domain thread_domain();          ///< threads/: OpenMP and POSIX threads

}  // namespace mora::analysis
