#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace partitions_test {

/// Four processes: OpenSHMEM calls, a lock, collective file operations, threads.
const char* const program = R"(
P0 0-3 shmem_init; 4-9 shmem_barrier_all; 10 ENTER shmem_set_lock; 11 ALOCK id 9; 11 EXIT; 15 ENTER shmem_clear_lock; 15 RLOCK id 9; 16 EXIT
P1 1-3 shmem_init; 8-9 shmem_barrier_all; 10 ENTER shmem_set_lock; 16 ALOCK id 9; 16 EXIT; 20 ENTER shmem_clear_lock; 20 RLOCK id 9; 21 EXIT
P2 2-3 shmem_init; 6-9 shmem_barrier_all; 10 ENTER shmem_set_lock; 21 ALOCK id 9; 21 EXIT; 25 ENTER shmem_clear_lock; 25 RLOCK id 9; 26 EXIT
P3 0-3 shmem_init; 5-9 shmem_barrier_all
P0 30 ENTER shmem_broadcast32; 40 MPIWCEXIT w0 root 3; 50 ENTER MPI_File_open; 50 IO_START file a comm WORLD id 1; 60 EXIT
P1 31 ENTER shmem_broadcast32; 40 MPIWCEXIT w0 root 3; 52 ENTER MPI_File_open; 52 IO_START file a comm WORLD id 1; 60 EXIT
P2 32 ENTER shmem_broadcast32; 40 MPIWCEXIT w0 root 3; 51 ENTER MPI_File_open; 51 IO_START file a comm WORLD id 1; 60 EXIT
P3 36 ENTER shmem_broadcast32; 40 MPIWCEXIT w0 root 3; 57 ENTER MPI_File_open; 57 IO_START file a comm WORLD id 1; 60 EXIT
P0 70 FORK threads 2; 70 ENTER omp_parallel; 80-90 omp_barrier; 90 EXIT; 91 JOIN; 95-99 shmem_finalize
P0.1 72 ENTER omp_parallel; 85-90 omp_barrier; 90 EXIT
P1 97-99 shmem_finalize
P2 95-99 shmem_finalize
P3 95-99 shmem_finalize
)";

std::string everything(const Analysed& analysed) {
  std::string text;
  for (const cube::Metric& metric : analysed.result.cube.metrics) {
    text += metric.id + ": " + analysed.ranks(metric.id) + "\n";
  }
  for (const WaitSummary& w : analysed.result.waits) {
    text += std::to_string(w.metric) + " " + std::to_string(w.call_path) + " " + std::to_string(w.total) + " by";
    for (const auto& [location, amount] : w.caused_by)
      text += " " + std::to_string(location) + ":" + std::to_string(amount);
    text += "\n";
  }
  for (const QualityRow& q : analysed.result.quality.rows()) text += q.kind + " " + q.where + "\n";
  return text;
}

TEST(LibraryDomains, ResultsAreThoseByHand) {
  const Analysed a = analyse_text(program);
  // Locations: rank 0, rank 0 thread 1, rank 1, rank 2, rank 3.
  EXPECT_EQ(a.ranks("shmem-wait-at-init"), "2 0 1 0 2");
  EXPECT_EQ(a.ranks("shmem-wait-at-barrier"), "4 0 0 2 3");
  EXPECT_EQ(a.ranks("shmem-lock-contention"), "0 0 5 10 0");
  EXPECT_EQ(a.ranks("shmem-late-broadcast"), "6 0 5 4 0");
  EXPECT_EQ(a.ranks("file-collective-wait"), "7 0 5 6 0");
  EXPECT_EQ(a.ranks("omp-wait-at-explicit-barrier"), "5 0 0 0 0");
  EXPECT_EQ(a.ranks("omp-idle-threads"), "0 78 0 0 0");  // 0-70, 91-99
  EXPECT_EQ(a.ranks("omp-management"), "0 3 0 0 0");     // 70-72, 90-91
  EXPECT_EQ(a.ranks("shmem-wait-at-finalize"), "2 0 0 2 2");
  EXPECT_EQ(a.result.quality.rows().size(), 0U);
}

TEST(LibraryDomains, ResultsDoNotDependOnPartitions) {
  const std::string one = everything(analyse_text(program, 1));
  for (const unsigned partitions : {2U, 3U, 5U}) EXPECT_EQ(everything(analyse_text(program, partitions)), one);
}

TEST(LibraryDomains, ThousandsOfOperationsMeetInEveryPartition) {
  std::string text;
  const int calls = 3000;  // more than one block
  for (const int rank : {0, 1}) {
    text += "P" + std::to_string(rank) + " 0 ENTER main\n";
    for (int i = 0; i < calls; ++i) {
      text += std::to_string(10 * i + 2 + rank) + "-" + std::to_string(10 * i + 8) + " shmem_barrier_all\n";
    }
    text += std::to_string(10 * calls) + " EXIT\n";
  }
  for (const unsigned partitions : {1U, 2U, 3U}) {
    EXPECT_EQ(analyse_text(text, partitions).ranks("shmem-wait-at-barrier"), std::to_string(calls) + " 0");
  }
}

}  // namespace partitions_test
}  // namespace mora::analysis
