// Bytes of collective calls, per process and per peer; rank 1 is the root. Each line was checked by hand against
// src/measure/hooks/collective_record.h.
#include <gtest/gtest.h>

#include "recorded_run.h"

namespace mora::recording {
namespace {

std::vector<std::string> calls(const RecordedRun& run, int rank) {
  auto lines = run.lines(rank);
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("CALL"); });
  return lines;
}

TEST(Recording, Collectives) {
  RecordedRun run("collectives", 3);
  ASSERT_EQ(run.exit_code(), 0);
  EXPECT_EQ(calls(run, 0), text(R"(
    COLLECTIVE Barrier comm=0 root=-1 sent=0 received=0
    COLLECTIVE Bcast comm=0 root=1 sent=0 received=20
    COLLECTIVE Gather comm=0 root=1 sent=8 received=0
    COLLECTIVE Gather comm=0 root=1 sent=8 received=0
    COLLECTIVE Gatherv comm=0 root=1 sent=4 received=0
    COLLECTIVE Gatherv comm=0 root=1 sent=4 received=0
    COLLECTIVE Scatter comm=0 root=1 sent=0 received=8
    COLLECTIVE Scatter comm=0 root=1 sent=0 received=8
    COLLECTIVE Scatterv comm=0 root=1 sent=0 received=4
    COLLECTIVE Allgather comm=0 root=-1 sent=24 received=24
    COLLECTIVE Allgather comm=0 root=-1 sent=16 received=16 flags=in_place
    COLLECTIVE Allgatherv comm=0 root=-1 sent=12 received=24
    VECTOR Allgatherv received=4,8,12
    COLLECTIVE Allgatherv comm=0 root=-1 sent=8 received=20 flags=in_place
    VECTOR Allgatherv received=0,8,12 flags=in_place
    COLLECTIVE Alltoall comm=0 root=-1 sent=24 received=24
    COLLECTIVE Alltoallw comm=0 root=-1 sent=13 received=12
    VECTOR Alltoallw sent=4,1,8
    VECTOR Alltoallw received=4,4,4
    COLLECTIVE Alltoallv comm=0 root=-1 sent=24 received=12
    VECTOR Alltoallv sent=4,8,12
    VECTOR Alltoallv received=4,4,4
    COLLECTIVE Reduce comm=0 root=1 sent=16 received=0
    COLLECTIVE Reduce comm=0 root=1 sent=16 received=0
    COLLECTIVE Allreduce comm=0 root=-1 sent=0 received=0
    COLLECTIVE Allreduce comm=0 root=-1 sent=32 received=32 flags=in_place
    COLLECTIVE Reduce_scatter comm=0 root=-1 sent=24 received=12
    VECTOR Reduce_scatter sent=4,8,12
    COLLECTIVE Reduce_scatter_block comm=0 root=-1 sent=24 received=24
    COLLECTIVE Scan comm=0 root=-1 sent=24 received=8
    COLLECTIVE Exscan comm=0 root=-1 sent=16 received=0
    DEFINE_COMM id=2 parent=0 ordinal=0 kind=2 key=0 members=0 remote=
    COLLECTIVE Comm_split comm=0 root=-1 sent=0 received=0
    DEFINE_COMM id=3 parent=4294967295 ordinal=0 kind=4 key=99 members=0 remote=1,2
    COLLECTIVE Intercomm_create comm=3 root=-1 sent=0 received=0
    COLLECTIVE Bcast comm=3 root=0 sent=0 received=20
    COLLECTIVE Allgather comm=3 root=-1 sent=16 received=16)"));
  EXPECT_EQ(calls(run, 1), text(R"(
    COLLECTIVE Barrier comm=0 root=-1 sent=0 received=0
    COLLECTIVE Bcast comm=0 root=1 sent=60 received=20
    COLLECTIVE Gather comm=0 root=1 sent=8 received=24
    COLLECTIVE Gather comm=0 root=1 sent=0 received=16 flags=in_place
    COLLECTIVE Gatherv comm=0 root=1 sent=8 received=24
    VECTOR Gatherv received=4,8,12
    COLLECTIVE Gatherv comm=0 root=1 sent=0 received=16 flags=in_place
    VECTOR Gatherv received=4,0,12 flags=in_place
    COLLECTIVE Scatter comm=0 root=1 sent=24 received=8
    COLLECTIVE Scatter comm=0 root=1 sent=16 received=0 flags=in_place
    COLLECTIVE Scatterv comm=0 root=1 sent=24 received=8
    VECTOR Scatterv sent=4,8,12
    COLLECTIVE Allgather comm=0 root=-1 sent=24 received=24
    COLLECTIVE Allgather comm=0 root=-1 sent=16 received=16 flags=in_place
    COLLECTIVE Allgatherv comm=0 root=-1 sent=24 received=24
    VECTOR Allgatherv received=4,8,12
    COLLECTIVE Allgatherv comm=0 root=-1 sent=16 received=16 flags=in_place
    VECTOR Allgatherv received=4,0,12 flags=in_place
    COLLECTIVE Alltoall comm=0 root=-1 sent=24 received=24
    COLLECTIVE Alltoallw comm=0 root=-1 sent=13 received=3
    VECTOR Alltoallw sent=4,1,8
    VECTOR Alltoallw received=1,1,1
    COLLECTIVE Alltoallv comm=0 root=-1 sent=24 received=24
    VECTOR Alltoallv sent=4,8,12
    VECTOR Alltoallv received=8,8,8
    COLLECTIVE Reduce comm=0 root=1 sent=16 received=48
    COLLECTIVE Reduce comm=0 root=1 sent=0 received=32 flags=in_place
    COLLECTIVE Allreduce comm=0 root=-1 sent=0 received=0
    COLLECTIVE Allreduce comm=0 root=-1 sent=32 received=32 flags=in_place
    COLLECTIVE Reduce_scatter comm=0 root=-1 sent=24 received=24
    VECTOR Reduce_scatter sent=4,8,12
    COLLECTIVE Reduce_scatter_block comm=0 root=-1 sent=24 received=24
    COLLECTIVE Scan comm=0 root=-1 sent=16 received=16
    COLLECTIVE Exscan comm=0 root=-1 sent=8 received=8
    DEFINE_COMM id=2 parent=0 ordinal=0 kind=2 key=0 members=1,2 remote=
    COLLECTIVE Comm_split comm=0 root=-1 sent=0 received=0
    DEFINE_COMM id=3 parent=4294967295 ordinal=0 kind=4 key=99 members=1,2 remote=0
    COLLECTIVE Intercomm_create comm=3 root=-1 sent=0 received=0
    COLLECTIVE Bcast comm=3 root=-3 sent=20 received=0
    COLLECTIVE Allgather comm=3 root=-1 sent=8 received=8)"));
  EXPECT_EQ(calls(run, 2), text(R"(
    COLLECTIVE Barrier comm=0 root=-1 sent=0 received=0
    COLLECTIVE Bcast comm=0 root=1 sent=0 received=20
    COLLECTIVE Gather comm=0 root=1 sent=8 received=0
    COLLECTIVE Gather comm=0 root=1 sent=8 received=0
    COLLECTIVE Gatherv comm=0 root=1 sent=12 received=0
    COLLECTIVE Gatherv comm=0 root=1 sent=12 received=0
    COLLECTIVE Scatter comm=0 root=1 sent=0 received=8
    COLLECTIVE Scatter comm=0 root=1 sent=0 received=8
    COLLECTIVE Scatterv comm=0 root=1 sent=0 received=12
    COLLECTIVE Allgather comm=0 root=-1 sent=24 received=24
    COLLECTIVE Allgather comm=0 root=-1 sent=16 received=16 flags=in_place
    COLLECTIVE Allgatherv comm=0 root=-1 sent=36 received=24
    VECTOR Allgatherv received=4,8,12
    COLLECTIVE Allgatherv comm=0 root=-1 sent=24 received=12 flags=in_place
    VECTOR Allgatherv received=4,8,0 flags=in_place
    COLLECTIVE Alltoall comm=0 root=-1 sent=24 received=24
    COLLECTIVE Alltoallw comm=0 root=-1 sent=13 received=24
    VECTOR Alltoallw sent=4,1,8
    VECTOR Alltoallw received=8,8,8
    COLLECTIVE Alltoallv comm=0 root=-1 sent=24 received=36
    VECTOR Alltoallv sent=4,8,12
    VECTOR Alltoallv received=12,12,12
    COLLECTIVE Reduce comm=0 root=1 sent=16 received=0
    COLLECTIVE Reduce comm=0 root=1 sent=16 received=0
    COLLECTIVE Allreduce comm=0 root=-1 sent=0 received=0
    COLLECTIVE Allreduce comm=0 root=-1 sent=32 received=32 flags=in_place
    COLLECTIVE Reduce_scatter comm=0 root=-1 sent=24 received=36
    VECTOR Reduce_scatter sent=4,8,12
    COLLECTIVE Reduce_scatter_block comm=0 root=-1 sent=24 received=24
    COLLECTIVE Scan comm=0 root=-1 sent=8 received=24
    COLLECTIVE Exscan comm=0 root=-1 sent=0 received=16
    DEFINE_COMM id=2 parent=0 ordinal=0 kind=2 key=0 members=1,2 remote=
    COLLECTIVE Comm_split comm=0 root=-1 sent=0 received=0
    DEFINE_COMM id=3 parent=4294967295 ordinal=0 kind=4 key=99 members=1,2 remote=0
    COLLECTIVE Intercomm_create comm=3 root=-1 sent=0 received=0
    COLLECTIVE Bcast comm=3 root=-2 sent=0 received=0
    COLLECTIVE Allgather comm=3 root=-1 sent=8 received=8)"));
}

TEST(RecordingRma, NonBlockingAndRequests) {
  RecordedRun run("nonblocking", 2);
  ASSERT_EQ(run.exit_code(), 0);
  EXPECT_EQ(calls(run, 0), text(R"(
    COLLECTIVE Ibarrier comm=0 root=-1 sent=0 received=0 request=1
    COMPLETE Wait n=1 [request=1 peer=-1 tag=-1 bytes=0 comm=0 kind=3]
    COLLECTIVE Iallreduce comm=0 root=-1 sent=16 received=16 request=2
    COLLECTIVE Ibcast comm=0 root=1 sent=0 received=12 request=3
    COMPLETE Waitall n=2 [request=2 peer=-1 tag=-1 bytes=0 comm=0 kind=3] [request=3 peer=-1 tag=-1 bytes=0 comm=0 kind=3]
    COLLECTIVE Igatherv comm=0 root=0 sent=4 received=12 request=4
    VECTOR Igatherv received=4,8
    COMPLETE Wait n=1 [request=4 peer=-1 tag=-1 bytes=0 comm=0 kind=3]
    COLLECTIVE Iexscan comm=0 root=-1 sent=8 received=0 request=5
    COMPLETE Wait n=1 [request=5 peer=-1 tag=-1 bytes=0 comm=0 kind=3]
    DEFINE_WIN id=0 comm=0 ordinal=0 by=Win_create unit=8
    WIN_COLLECTIVE Win_create win=0 assert=0
    WIN_LOCK Win_lock_all win=0 target=-1 type=0 assert=0
    RMA Rput win=0 target=1 rmaid=1 origin_bytes=8 target_bytes=8 at=0 first=0 extent=8 request=6
    COMPLETE Wait n=1 [request=6 peer=-1 tag=-1 bytes=0 comm=-1 kind=3]
    RMA Fetch_and_op win=0 target=1 rmaid=2 origin_bytes=8 target_bytes=8 at=4 first=0 extent=8 reduction=3
    RMA Compare_and_swap win=0 target=1 rmaid=3 origin_bytes=8 target_bytes=8 at=5 first=0 extent=8
    WIN_LOCK Win_unlock_all win=0 target=-1 type=0 assert=0
    WIN_COLLECTIVE Win_free win=0 assert=0)"));
}

}  // namespace
}  // namespace mora::recording
