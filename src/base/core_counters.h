/// The kernel's counters in traces: what the recorder reads of a thread, since it began, as metrics.
#pragma once

#include <array>

namespace mora {

inline constexpr const char* cpu_time_counter = "CPU_TIME";                    ///< it ran
inline constexpr const char* run_queue_counter = "RUN_QUEUE_WAIT";             ///< it could have run, without a core
inline constexpr const char* kernel_time_counter = "KERNEL_TIME";              ///< part of CPU_TIME
inline constexpr const char* page_fault_counter = "PAGE_FAULTS";               ///< with and without input
inline constexpr const char* voluntary_switch_counter = "VOLUNTARY_SWITCHES";  ///< it gave up its core
inline constexpr const char* involuntary_switch_counter = "INVOLUNTARY_SWITCHES";  ///< its core was taken from it

struct CoreCounter {
  const char *name, *unit;
};
/// In the order in which the recorder writes them (journal/format.h, CORE).
inline constexpr std::array core_counters = {
    CoreCounter{cpu_time_counter, "ns"},       CoreCounter{run_queue_counter, "ns"},
    CoreCounter{kernel_time_counter, "ns"},    CoreCounter{page_fault_counter, ""},
    CoreCounter{voluntary_switch_counter, ""}, CoreCounter{involuntary_switch_counter, ""}};

}  // namespace mora
