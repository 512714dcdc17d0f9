// One-sided communication: numbers and sizes of transfers, ranks (they stay relative to the window's communicator,
// which names the world ranks), groups (equal ones share an id and survive MPI_Group_free), window ids (vectors TC-41 …
// TC-48).
#include <gtest/gtest.h>

#include "recorded_run.h"

namespace mora::recording {
namespace {

// Unsuccessful tests may be any number.
std::vector<std::string> rma_calls(const RecordedRun& run, int rank) {
  auto lines = run.lines(rank);
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("CALL Type") || line.starts_with("CALL Group") || line.starts_with("CALL Init") ||
           line.starts_with("CALL Finalize") ||
           (line.find("Win_test") != line.npos && line.ends_with("flags=unsuccessful"));
  });
  return lines;
}

TEST(RecordingRma, Windows) {
  RecordedRun run("rma", 4);
  ASSERT_EQ(run.exit_code(), 0);
  EXPECT_EQ(rma_calls(run, 1), text(R"(
    DEFINE_COMM id=2 parent=0 ordinal=0 kind=2 key=0 members=1,3 remote=
    COLLECTIVE Comm_create comm=0 root=-1 sent=0 received=0
    DEFINE_WIN id=0 comm=2 ordinal=0 by=Win_create unit=8
    WIN_COLLECTIVE Win_create win=0 assert=0
    WIN_COLLECTIVE Win_fence win=0 assert=8
    RMA Put win=0 target=1 rmaid=1 origin_bytes=96 target_bytes=96 at=0 first=0 extent=160
    RMA Get win=0 target=1 rmaid=2 origin_bytes=96 target_bytes=96 at=32 first=0 extent=96
    RMA Accumulate win=0 target=1 rmaid=3 origin_bytes=8 target_bytes=8 at=100 first=0 extent=8 reduction=3
    RMA Put win=0 target=1 rmaid=4 origin_bytes=0 target_bytes=0 at=0 first=0 extent=0
    RMA Put win=0 target=-1 rmaid=5 origin_bytes=0 target_bytes=0 at=0 first=0 extent=0 flags=no_peer
    WIN_COLLECTIVE Win_fence win=0 assert=16
    WIN_COLLECTIVE Win_free win=0 assert=0
    DEFINE_WIN id=1 comm=2 ordinal=1 by=Win_allocate unit=8
    WIN_COLLECTIVE Win_allocate win=1 assert=0
    NAME id=1 what=1 name=second
    CALL Win_set_name object=1
    DEFINE_GROUP id=0 members=3
    WIN_GROUP Win_start win=1 group=0 assert=0
    RMA Put win=1 target=1 rmaid=6 origin_bytes=16 target_bytes=16 at=0 first=0 extent=16
    WIN_GROUP Win_complete win=1 group=0 assert=0 flags=epoch_closed
    DEFINE_GROUP id=1 members=1,3
    WIN_GROUP Win_post win=1 group=1 assert=0
    WIN_GROUP Win_start win=1 group=1 assert=0
    RMA Put win=1 target=0 rmaid=7 origin_bytes=8 target_bytes=8 at=9 first=0 extent=8
    WIN_GROUP Win_complete win=1 group=1 assert=0 flags=epoch_closed
    WIN_GROUP Win_test win=1 group=1 assert=0 flags=epoch_closed
    COLLECTIVE Barrier comm=2 root=-1 sent=0 received=0
    COLLECTIVE Barrier comm=2 root=-1 sent=0 received=0
    WIN_LOCK Win_lock win=1 target=1 type=1 assert=1
    RMA Put win=1 target=1 rmaid=8 origin_bytes=8 target_bytes=8 at=0 first=0 extent=8
    WIN_LOCK Win_unlock win=1 target=1 type=1 assert=0
    COLLECTIVE Barrier comm=2 root=-1 sent=0 received=0
    WIN_COLLECTIVE Win_free win=1 assert=0)"));
  EXPECT_EQ(rma_calls(run, 3), text(R"(
    DEFINE_COMM id=2 parent=0 ordinal=0 kind=2 key=0 members=1,3 remote=
    COLLECTIVE Comm_create comm=0 root=-1 sent=0 received=0
    DEFINE_WIN id=0 comm=2 ordinal=0 by=Win_create unit=8
    WIN_COLLECTIVE Win_create win=0 assert=0
    WIN_COLLECTIVE Win_fence win=0 assert=8
    RMA Get win=0 target=0 rmaid=1 origin_bytes=8 target_bytes=8 at=0 first=0 extent=8
    WIN_COLLECTIVE Win_fence win=0 assert=16
    WIN_COLLECTIVE Win_free win=0 assert=0
    DEFINE_WIN id=1 comm=2 ordinal=1 by=Win_allocate unit=8
    WIN_COLLECTIVE Win_allocate win=1 assert=0
    NAME id=1 what=1 name=second
    CALL Win_set_name object=1
    DEFINE_GROUP id=0 members=1
    WIN_GROUP Win_post win=1 group=0 assert=2
    WIN_GROUP Win_wait win=1 group=0 assert=0 flags=epoch_closed
    DEFINE_GROUP id=1 members=1,3
    WIN_GROUP Win_post win=1 group=1 assert=0
    WIN_GROUP Win_start win=1 group=1 assert=0
    RMA Put win=1 target=1 rmaid=2 origin_bytes=8 target_bytes=8 at=9 first=0 extent=8
    WIN_GROUP Win_complete win=1 group=1 assert=0 flags=epoch_closed
    WIN_GROUP Win_test win=1 group=1 assert=0 flags=epoch_closed
    COLLECTIVE Barrier comm=2 root=-1 sent=0 received=0
    WIN_LOCK Win_lock win=1 target=0 type=0 assert=0
    RMA Get win=1 target=0 rmaid=3 origin_bytes=8 target_bytes=8 at=0 first=0 extent=8
    WIN_LOCK Win_unlock win=1 target=0 type=0 assert=0
    COLLECTIVE Barrier comm=2 root=-1 sent=0 received=0
    COLLECTIVE Barrier comm=2 root=-1 sent=0 received=0
    WIN_COLLECTIVE Win_free win=1 assert=0)"));
}

TEST(RecordingRma, DynamicWindow) {
  if (flavour() == "openmpi") return;  // its default component refuses dynamic windows within one node
  RecordedRun run("rma", 4, {.arguments = {"dynamic"}});
  ASSERT_EQ(run.exit_code(), 0);
  EXPECT_EQ(rma_calls(run, 0), text(R"(
    COLLECTIVE Comm_create comm=0 root=-1 sent=0 received=0
    DEFINE_WIN id=0 comm=1 ordinal=0 by=Win_create_dynamic unit=1
    WIN_COLLECTIVE Win_create_dynamic win=0 assert=0
    WIN_COLLECTIVE Win_free win=0 assert=0)"));
}

}  // namespace
}  // namespace mora::recording
