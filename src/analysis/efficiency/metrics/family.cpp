/// The metrics of this folder, in display order.
#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

MetricList efficiency_metrics() {
  return {&potential_synchronization_info,
          &potential_synchronization_p2p_info,
          &potential_synchronization_collective_info,
          &start_delay_info,
          &time_variation_info,
          &message_lifetime_info,
          &overlap_info,
          &request_overlap_info,
          &ideal_network_time_info,
          &first_execution_info,
          &instructions_info,
          &cycles_info,
          &not_running_info,
          &computation_without_core_info,
          &cpu_time_info,
          &run_queue_wait_info,
          &core_readings_info,
          &computation_in_kernel_info,
          &page_faults_info,
          &voluntary_switches_info,
          &involuntary_switches_info,
          &all_page_faults_info,
          &all_voluntary_switches_info,
          &all_involuntary_switches_info};
}

}  // namespace mora::analysis
