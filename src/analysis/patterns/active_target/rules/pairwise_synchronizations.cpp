/// Pairwise synchronisations, and those without any access between the two ranks. The partners are counted where the
/// epochs are: transactions.cpp, fence_epochs.cpp.
#include "analysis/patterns/active_target/rules/rules.h"

namespace mora::analysis {

const MetricInfo pairwise_synchronizations_info{
    "pairwise-synchronizations",
    "Pairwise Synchronizations",
    "mpi_rma_pairsync_count",
    "",
    cube::Unit::occurrences,
    false,
    "With how many other ranks a rank synchronised at the end of its one-sided epochs.",
    "Per call that ends an epoch, the number of other ranks it synchronises with: MPI_Win_fence: the other "
    "members of the window, if all of them are recorded; MPI_Win_complete: the targets, MPI_Win_wait and a successful "
    "MPI_Win_test: the origins, whose epochs of the same number are recorded, without the rank itself.",
    "Scalasca 2.6, Pair-wise MPI One-sided Synchronizations; Mora's rule early-fence",
    "How tightly one-sided communication couples the ranks. A fence couples every rank with all others: with n ranks "
    "each fence adds n (n - 1).",
    "See pairwise-synchronizations-unneeded."};

const MetricInfo pairwise_synchronizations_unneeded_info{
    "pairwise-synchronizations-unneeded",
    "Unneeded Pairwise Synchronizations",
    "mpi_rma_pairsync_unneeded_count",
    "pairwise-synchronizations",
    cube::Unit::occurrences,
    false,
    "With how many other ranks a rank synchronised although no data went between them in that epoch.",
    "pairwise-synchronizations without the partners that really accessed: MPI_Win_fence: either of both put into, got "
    "from or updated the other's window since their previous fences; MPI_Win_complete: the origin accessed that target "
    "in the epoch; MPI_Win_wait, MPI_Win_test: that origin accessed this rank. After a stretch without recording a "
    "fence counts none. Every partner is counted by its own rank, and never the rank itself (Scalasca 2.6 mixes up "
    "ranks here).",
    "Scalasca 2.6, Unneeded Pair-wise MPI One-sided Synchronizations; Mora's rule early-fence",
    "Synchronisation that no data needed. A fence that only opens an epoch counts wholly, since nothing was accessed "
    "before it. A large share at fences means few communicating pairs in a large group; at complete or wait, groups "
    "that name too many ranks.",
    "Replace fences by post-start-complete-wait among the ranks that exchange data; name in the groups only ranks that "
    "access; give the fences MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED where they are true; combine epochs."};

void count_pairwise(cube::CallPathId call_path, cube::LocationId location, std::int64_t all, std::int64_t unneeded,
                    WaitSink& sink) {
  static const cube::MetricId metric = metric_index(pairwise_synchronizations_info.id);
  static const cube::MetricId metric_unneeded = metric_index(pairwise_synchronizations_unneeded_info.id);
  sink.count(metric, call_path, location, all);
  sink.count(metric_unneeded, call_path, location, unneeded);
}

}  // namespace mora::analysis
