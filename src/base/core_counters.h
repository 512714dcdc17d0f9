/// Names of the scheduler's counters in traces: what the recorder reads of a thread, ns since it began, as metrics.
#pragma once

namespace mora {

inline constexpr const char* cpu_time_counter = "CPU_TIME";         ///< it ran
inline constexpr const char* run_queue_counter = "RUN_QUEUE_WAIT";  ///< it could have run, and had no core

}  // namespace mora
