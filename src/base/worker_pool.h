/// Runs independent tasks on several threads. Results must not depend on which thread runs which task.
#pragma once

#include <cstddef>
#include <functional>

namespace mora {

/// Number of usable cores (affinity respected), at least 1.
unsigned usable_cores();

/// Calls task(0) … task(count-1), each exactly once, on up to `workers` threads (0 = usable_cores()), and returns when
/// all have returned. Tasks are handed out in increasing order. An exception of a task is rethrown here after all
/// threads have stopped; then tasks that had not begun are not run. Threads are started for each call (no pool is
/// kept): use it for tasks that are longer than a thread's start, some 20 us.
void run_tasks(std::size_t count, unsigned workers, const std::function<void(std::size_t)>& task);

}  // namespace mora
