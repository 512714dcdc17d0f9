/// The metrics that only the efficiency analysis needs (DVM analyser, 4.1 and 5.3.2), in the cube like all others;
/// interval_table.h puts them together. Cells are charged where the call is (potential synchronisation, delay,
/// variation, lifetime) or where the computation is (overlap), so that sums over an interval's call paths are the
/// interval's.
#pragma once

#include "analysis/core/waits.h"
#include "analysis/metrics/families.h"

namespace mora::analysis {

extern const MetricInfo potential_synchronization_info, potential_synchronization_p2p_info,
    potential_synchronization_collective_info;
extern const MetricInfo start_delay_info;       ///< collectives: E_p - min E: what a late starter makes others wait
extern const MetricInfo time_variation_info;    ///< collectives: max X - X_p
extern const MetricInfo message_lifetime_info;  ///< receive's leave - send's enter, at the receiver
extern const MetricInfo overlap_info;           ///< computation while a request is pending, at the computation
extern const MetricInfo
    request_overlap_info;  ///< the same per request, summed, at the call that completes it (per-kind rows)
extern const MetricInfo
    ideal_network_time_info;  ///< src/replay/: the time of each user region and interval on the ideal network
extern const MetricInfo first_execution_info;  ///< how long an interval's first execution took, at the interval
extern const MetricInfo instructions_info, cycles_info;  ///< PAPI_TOT_INS, PAPI_TOT_CYC in computation, where recorded
extern const MetricInfo not_running_info, computation_without_core_info, run_queue_wait_info, core_readings_info,
    computation_in_kernel_info, page_faults_info, voluntary_switches_info, involuntary_switches_info;
extern const MetricInfo cpu_time_info, all_page_faults_info, all_voluntary_switches_info,
    all_involuntary_switches_info;  ///< of whole intervals

/// Potential synchronisation, start delay and time variation of one collective (DVM analyser, 4.1). All times are of
/// members that are not broken; if one is, nothing is added. Nothing for a single member.
void efficiency_of_collective(const CollectiveInstance& instance, WaitSink& sink);

/// The parts: by B, and by X.
void add_potential_synchronization(std::span<const Member> members, WaitSink& sink);
void add_time_variation(std::span<const Member> members, WaitSink& sink);

/// Of one message: PS = [min(E(send), L) - E]+ with E, L of the call that completes the receive (E(send) > L: the
/// clocks contradict), and its lifetime [L - E(send)]+.
void efficiency_of_message(Nanoseconds send_enter, Nanoseconds receive_enter, Nanoseconds receive_leave,
                           cube::LocationId receiver, cube::CallPathId receive_path, WaitSink& sink);

}  // namespace mora::analysis
