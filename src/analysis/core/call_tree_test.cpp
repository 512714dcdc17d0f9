/// Call paths: nodes, computation between calls, numbering.
#include "support/analysis/analyze_text.h"

namespace mora::analysis {
namespace {

std::string tree_text(const cube::Cube& cube) {
  std::string text;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    unsigned depth = 0;
    for (cube::CallPathId up = cube.call_paths[c].parent; up != cube::no_id; up = cube.call_paths[up].parent) ++depth;
    text += std::string(depth, ' ') + cube.call_paths[c].name + "\n";
  }
  return text;
}

TEST(CallTree, SeparatesCallPathsOfOneRegion) {
  const Analysed a = analyse_text(
      "program app\nP0 1 ENTER main; 2 ENTER Func_A; 3 EXIT; 4 ENTER Func_B; 5 ENTER Func_A; 6 EXIT; 7 ENTER Func_C; 8 "
      "EXIT; 9 EXIT; 10 EXIT\n");
  EXPECT_EQ(tree_text(a.result.cube), "app\n main\n  Func_A\n  Func_B\n   Func_A\n   Func_C\n");
  EXPECT_EQ(a.total("time"), 9);
  EXPECT_EQ(a.path("main", "time", 0), 3);
}

TEST(CallTree, ComputationBetweenCallsIsItsOwnNode) {
  const Analysed a = analyse_text(
      "program app\nP0 5-10 MPI_Init@a.c:3; 20-25 MPI_Barrier@dir/a.c:7; 40-42 MPI_Finalize@a.c:9\nP0 50-51 "
      "MPI_Wtime\n");
  EXPECT_EQ(tree_text(a.result.cube),
            "app\n MPI_Init\n compute MPI_Init@a.c:3 -> MPI_Barrier@a.c:7\n MPI_Barrier\n"
            " compute MPI_Barrier@a.c:7 -> MPI_Finalize@a.c:9\n MPI_Finalize\n compute MPI_Finalize@a.c:9 -> "
            "MPI_Wtime\n MPI_Wtime\n");
  EXPECT_EQ(a.path("compute MPI_Init@a.c:3 -> MPI_Barrier@a.c:7", "computation", 0), 10);
  EXPECT_EQ(a.path("compute MPI_Barrier@a.c:7 -> MPI_Finalize@a.c:9", "computation", 0), 15);
  EXPECT_EQ(a.total("time"), 46);
}

TEST(CallTree, StartAndEndOfARegionAreNamed) {
  const Analysed a = analyse_text("P0 0 ENTER main; 5-10 MPI_Init@a.c:3; 30 EXIT\n");
  EXPECT_EQ(a.path("compute start -> MPI_Init@a.c:3", "time", 0), 5);
  EXPECT_EQ(a.path("compute MPI_Init@a.c:3 -> end", "time", 0), 20);
  EXPECT_EQ(a.path("main", "time", 0), 0);
}

TEST(CallTree, UserRegionsInterruptComputationOfTheirParent) {
  const Analysed a = analyse_text("P0 0 ENTER main; 0-2 MPI_Init; 5 ENTER work; 9 EXIT; 12-13 MPI_Finalize; 13 EXIT\n");
  EXPECT_EQ(a.path("compute MPI_Init -> MPI_Finalize", "time", 0), 6);
  EXPECT_EQ(a.path("work", "time", 0), 4);
}

TEST(CallTree, CallSitesMakeDifferentNodes) {
  const Analysed a = analyse_text("P0 0-2 MPI_Init; 2-4 MPI_Barrier@a.c:5; 4-8 MPI_Barrier@a.c:6\n");
  ASSERT_EQ(a.result.cube.call_paths.size(), 4U);
  EXPECT_EQ(a.result.cube.call_paths[2].line, 5U);
  EXPECT_EQ(a.result.cube.call_paths[3].line, 6U);
}

TEST(CallTree, NumbersByFirstAppearanceOverLocations) {
  const std::string body =
      "P0 0-1 MPI_Init; 1-2 MPI_Barrier@a.c:1\nP1 0-1 MPI_Init; 1-2 MPI_Barrier@a.c:2; 2-3 MPI_Barrier@a.c:1\n";
  for (const unsigned partitions : {1U, 2U}) {
    const auto& paths = analyse_text(body, partitions).result.cube.call_paths;
    ASSERT_EQ(paths.size(), 4U);
    EXPECT_EQ(paths[2].line, 1U);
    EXPECT_EQ(paths[3].line, 2U);
  }
}

}  // namespace
}  // namespace mora::analysis
