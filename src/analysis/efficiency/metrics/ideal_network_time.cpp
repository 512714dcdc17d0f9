/// Text of the time on the ideal network; src/replay/ computes it.
#include "analysis/efficiency/metrics/metrics.h"

namespace mora::analysis {

const MetricInfo ideal_network_time_info{
    "ideal-network-time",
    "Time on the Ideal Network",
    "mora_ideal_network_time",
    "",
    cube::Unit::seconds,
    false,
    "How long the program, its regions and intervals would take if nothing but computation and waiting cost time.",
    "from a replay of the trace on a network with latency 0 and unlimited bandwidth, where MPI calls have no cost of "
    "their own: L - E of every visit without its children, at the program, user regions and intervals; waiting for "
    "others to start or end MPI at MPI_Init and MPI_Finalize",
    "POP metrics, Transfer Efficiency; Mora's rule ideal-network",
    "What is left of it beyond computation is waiting that no network can help: dependence and imbalance "
    "(serialisation).",
    "Close to the measured time: look at balance and dependences. Far below it: transfers cost."};

}  // namespace mora::analysis
