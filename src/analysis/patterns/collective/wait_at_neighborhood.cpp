/// Wait at Neighborhood: a member waits for the last neighbour that it receives from. O(sum of the neighbour lists).
#include "analysis/patterns/pattern.h"

namespace mora::analysis {

const MetricInfo wait_at_neighborhood_info{
    "wait-at-neighborhood",
    "Wait at Neighborhood",
    "mora_neighborhood_wait",
    "collective",
    cube::Unit::seconds,
    true,
    "A rank waits in a neighbourhood collective for its last neighbour to enter.",
    "MPI_Neighbor_allgather(v), Neighbor_alltoall(v, w): S = max B_q over the neighbours q that p receives more than 0 "
    "bytes from (recorded with the call); w_p = [min(S, X_p) - B_p]+. The rank itself as its neighbour, MPI_PROC_NULL "
    "and neighbours that send nothing do not count. S > X_p contradicts the clocks: cut at X_p, counted as "
    "clock-violation.",
    "Mora's rule true-partners",
    "A neighbour in the topology arrives late; only its neighbours wait, and theirs may wait in the next step.",
    "Balance the work among neighbours; start the exchange early with the non-blocking form and compute the interior.",
    DelayClass::n_to_n};

void wait_at_neighborhood(const CollectiveInstance& instance, WaitSink& sink) {
  static const cube::MetricId metric = metric_index(wait_at_neighborhood_info.id);
  add_partner_waits(metric, instance, sink);
}

}  // namespace mora::analysis
