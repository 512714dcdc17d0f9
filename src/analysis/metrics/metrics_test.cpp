#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "analysis/metrics/classification.h"
#include "analysis/metrics/library_regions.h"
#include "base/file.h"
#include "support/analysis/metrics_page.h"

namespace mora::analysis {
namespace {

// Scalasca's bytes_sent and bytes_rcvd are of messages only ("MPI Point-to-point Bytes Sent"), ours of collectives,
// too; its critical path begins after ours.
TEST(Metrics, OtherFiguresThanScalascasHaveNoNameOfItsOwn) {
  EXPECT_EQ(find_metric_info("bytes-sent")->unique_name, "mora_bytes_sent");
  EXPECT_EQ(find_metric_info("bytes-received")->unique_name, "mora_bytes_received");
  for (const MetricInfo& info : all_metrics()) {
    if (info.id == "critical-path" || info.parent == "critical-path" || info.id == "performance-impact") {
      EXPECT_TRUE(info.unique_name.starts_with("mora_")) << info.id;
    }
  }
}

TEST(Metrics, EveryTextIsThereAndEveryIdAndUniqueNameIsUnique) {
  std::set<std::string_view> ids, unique_names;
  for (const MetricInfo& info : all_metrics()) {
    for (const std::string_view text :
         {info.id, info.name, info.unique_name, info.summary, info.formula, info.source, info.diagnosis, info.advice}) {
      EXPECT_FALSE(text.empty()) << info.id;
    }
    EXPECT_TRUE(ids.insert(info.id).second) << info.id;
    EXPECT_TRUE(unique_names.insert(info.unique_name).second) << info.unique_name;
    EXPECT_EQ(info.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), info.id.npos) << info.id;
  }
}

TEST(Metrics, ParentsStandBeforeTheirChildrenAndHaveTheirUnit) {
  std::set<std::string_view> seen;
  for (const MetricInfo& info : all_metrics()) {
    if (!info.parent.empty()) {
      EXPECT_TRUE(seen.contains(info.parent)) << info.id;
      ASSERT_NE(find_metric_info(info.parent), nullptr);
      EXPECT_EQ(find_metric_info(info.parent)->unit, info.unit) << info.id;
    }
    seen.insert(info.id);
  }
}

TEST(Metrics, AreFoundById) {
  for (const MetricInfo& info : all_metrics()) EXPECT_EQ(&all_metrics()[metric_index(info.id)], &info);
  EXPECT_EQ(find_metric_info("late-mail"), nullptr);
  EXPECT_EQ(find_metric_info(""), nullptr);
}

TEST(Metrics, ThePageInDocsIsTheTextBesideTheCode) {
  const std::string path = std::string(MORA_SOURCE_DIR) + "/docs/formats/metrics.md";
  if (std::getenv("MORA_UPDATE_DOCS") != nullptr) {
    ASSERT_TRUE(write_file_atomically(path, metrics_page()).has_value());
  }
  const auto page = read_file(path);
  ASSERT_TRUE(page.has_value());
  EXPECT_TRUE(*page == metrics_page()) << path << " is stale: MORA_UPDATE_DOCS=1 analysis_test rewrites it";
}

std::string_view metric_of_call(const char* name) {
  trace::Region region;
  region.name = name;
  region.kind = trace::RegionKind::mpi;
  region.function = mpi::find(name);
  return metric_of(classify_region(region).account);
}

TEST(Metrics, CallsAreAccountedByWhatTheyDo) {
  EXPECT_EQ(metric_of_call("MPI_Init_thread"), "init-finalize");
  EXPECT_EQ(metric_of_call("MPI_Comm_split"), "mpi-communicator");
  EXPECT_EQ(metric_of_call("MPI_Barrier"), "barrier");
  EXPECT_EQ(metric_of_call("MPI_Win_create"), "window-handling");
  EXPECT_EQ(metric_of_call("MPI_Win_allocate"), "window-handling");
  EXPECT_EQ(metric_of_call("MPI_Win_fence"), "fence");
  EXPECT_EQ(metric_of_call("MPI_Win_unlock"), "locks");
  EXPECT_EQ(metric_of_call("MPI_Win_flush_all"), "locks");
  EXPECT_EQ(metric_of_call("MPI_Win_test"), "post-start-complete-wait");
  EXPECT_EQ(metric_of_call("MPI_Waitall"), "point-to-point");
  EXPECT_EQ(metric_of_call("MPI_Probe"), "point-to-point");
  EXPECT_EQ(metric_of_call("MPI_Iallreduce"), "collective");
  EXPECT_EQ(metric_of_call("MPI_Alltoallw"), "collective");
  EXPECT_EQ(metric_of_call("MPI_Send_c"), "point-to-point");
  EXPECT_EQ(metric_of_call("MPI_Accumulate"), "one-sided");
  EXPECT_EQ(metric_of_call("MPI_File_write_at_all"), "mpi-io-collective");
  EXPECT_EQ(metric_of_call("MPI_File_iread"), "mpi-io-individual");
  EXPECT_EQ(metric_of_call("MPI_File_open"), "mpi-file");
  EXPECT_EQ(metric_of_call("MPI_File_seek_shared"), "mpi-io-collective");
  EXPECT_EQ(metric_of_call("MPI_File_sync"), "mpi-io-collective");
  EXPECT_EQ(metric_of_call("MPI_Isendrecv"), "point-to-point");
  EXPECT_EQ(metric_of_call("MPI_Bcast_init"), "mpi");
  EXPECT_EQ(metric_of_call("MPI_Win_attach"), "window-handling");
  EXPECT_EQ(metric_of_call("MPI_Comm_rank"), "mpi-communicator");
  EXPECT_EQ(metric_of_call("mpi_comm_rank_"), "mpi-communicator");
  EXPECT_EQ(metric_of_call("MPI_Group_incl"), "mpi-communicator");
  EXPECT_EQ(metric_of_call("MPI_Type_commit"), "mpi");
  EXPECT_EQ(metric_of(classify_region(trace::Region{}).account), "computation");
}

std::string_view metric_of_region(const char* name) {
  trace::Region region;
  region.name = name;
  return metric_of(classify_region(region).account);
}

TEST(Metrics, RegionsOfLibrariesAreAccountedByTheirNames) {
  EXPECT_EQ(metric_of_region("!$omp barrier @a.c:10"), "omp-explicit-barrier");
  EXPECT_EQ(metric_of_region("!$omp implicit barrier @a.c:10"), "omp-implicit-barrier");
  EXPECT_EQ(metric_of_region("omp_implicit_barrier"), "omp-implicit-barrier");
  EXPECT_EQ(metric_of_region("!$omp critical @a.c:3"), "omp-critical");
  EXPECT_EQ(metric_of_region("!$omp critical sblock @a.c:3"), "computation");
  EXPECT_EQ(metric_of_region("!$omp parallel @a.c:1"), "computation");
  EXPECT_EQ(metric_of_region("!$omp task @a.c:1"), "computation");
  EXPECT_EQ(metric_of_region("!$omp taskwait @a.c:1"), "omp-taskwait");
  EXPECT_EQ(metric_of_region("!$omp ordered @a.c:1"), "omp-ordered");
  EXPECT_EQ(metric_of_region("!$omp flush @a.c:1"), "omp-flush");
  EXPECT_EQ(metric_of_region("!$omp atomic @a.c:1"), "openmp");
  EXPECT_EQ(metric_of_region("omp_set_lock"), "omp-lock-api");
  EXPECT_EQ(metric_of_region("omp_unset_nest_lock"), "omp-lock-api");
  EXPECT_EQ(metric_of_region("omp_get_thread_num"), "openmp");
  EXPECT_EQ(metric_of_region("omp_solver"), "computation");
  EXPECT_EQ(metric_of_region("pthread_create"), "pthread-management");
  EXPECT_EQ(metric_of_region("pthread_mutex_trylock"), "pthread-mutex");
  EXPECT_EQ(metric_of_region("pthread_cond_timedwait"), "pthread-condition");
  EXPECT_EQ(metric_of_region("pthread_rwlock_rdlock"), "pthread-mutex");
  EXPECT_EQ(metric_of_region("sem_timedwait"), "pthread-condition");
  EXPECT_EQ(metric_of_region("pthread_barrier_wait"), "pthread-barrier");
  EXPECT_EQ(metric_of_region("pthread_barrier_init"), "pthreads");
  EXPECT_EQ(metric_of_region("pthread_self"), "pthreads");
  EXPECT_EQ(metric_of_region("start_pes"), "shmem-init-finalize");
  EXPECT_EQ(metric_of_region("shmem_barrier_all"), "shmem-barrier");
  EXPECT_EQ(metric_of_region("shmem_int_atomic_fetch_add"), "shmem-atomics");
  EXPECT_EQ(metric_of_region("shmem_double_sum_to_all"), "shmem-collective");
  EXPECT_EQ(metric_of_region("shmem_putmem_nbi"), "shmem-rma");
  EXPECT_EQ(metric_of_region("shmem_int_p"), "shmem-rma");
  EXPECT_EQ(metric_of_region("shmem_test_lock"), "shmem-locks");
  EXPECT_EQ(metric_of_region("shmem_int_wait_until"), "shmem-wait-until");
  EXPECT_EQ(metric_of_region("shmem_quiet"), "shmem-fence");
  EXPECT_EQ(metric_of_region("shmem_n_pes"), "shmem");
  EXPECT_EQ(metric_of_region("shmem_barrier_all@spin_lock.c:7"), "shmem-barrier");  // its place is no part of its name
  EXPECT_EQ(metric_of_region("solve"), "computation");
}

TEST(Metrics, CallsOfDevicesAreNoComputation) {
  for (const char* name :
       {"cudaDeviceSynchronize", "cudaStreamSynchronize_v3020", "cuCtxSynchronize", "cuStreamSynchronize",
        "hipEventSynchronize", "hipEventSynchronize(hipEvent_t)", "hipDeviceSynchronize", "clFinish", "clWaitForEvents",
        "zeFenceHostSynchronize", "urEventWait", "piQueueFinish", "sycl::queue::wait", "acc_wait@a.c:1",
        "cudaThreadSynchronize/cudaDeviceSynchronize"})
    EXPECT_EQ(metric_of_region(name), "device-wait") << name;
  for (const char* name :
       {"cudaMemcpyAsync", "cuMemcpyDtoH_v2", "hipMemset", "clEnqueueReadBuffer", "cudaMemPrefetchAsync"})
    EXPECT_EQ(metric_of_region(name), "device-transfer") << name;
  for (const char* name :
       {"cudaLaunchKernel", "hipMalloc", "cudaStreamWaitEvent", "clEnqueueNDRangeKernel", "cuModuleLoad"})
    EXPECT_EQ(metric_of_region(name), "device") << name;
  for (const char* name : {"cut", "curl", "cudaSolver", "hip_step", "hipster", "clear", "clDice", "zeta", "pivot",
                           "accept", "urgent", "Synchronize"})
    EXPECT_EQ(metric_of_region(name), "computation") << name;
  trace::Region region;  // as the format says
  region.name = "synchronize";
  region.paradigm = trace::Paradigm::device;
  EXPECT_EQ(metric_of(classify_region(region).account), "device");
  region.name = "cudaDeviceSynchronize";
  region.paradigm = trace::Paradigm::openmp;
  EXPECT_EQ(metric_of(classify_region(region).account), "computation");
}

TEST(Metrics, TheRoleThatTheFormatTellsComesBeforeTheName) {
  trace::Region region;
  region.name = "phase 3";
  region.paradigm = trace::Paradigm::openmp;
  region.role = trace::RegionRole::implicit_barrier;
  EXPECT_EQ(metric_of(classify_region(region).account), "omp-implicit-barrier");
  region.role = trace::RegionRole::parallel;
  EXPECT_TRUE(classify_region(region).is_parallel);
  EXPECT_FALSE(classify_region(region).is_task);
  region.role = trace::RegionRole::task;
  EXPECT_TRUE(classify_region(region).is_task);
  EXPECT_TRUE(classify_library_label("!$omp task @a.c:5").is_task);
  region.name = "omp_barrier";
  region.paradigm = trace::Paradigm::shmem;  // an unlucky name
  region.role = trace::RegionRole::unknown;
  EXPECT_EQ(metric_of(classify_region(region).account), "shmem-barrier");
}

}  // namespace
}  // namespace mora::analysis
