#include "cube/cube.h"

#include <gtest/gtest.h>

namespace mora::cube {
namespace {

/// time > wait; main > MPI_Recv@a.c:3; two locations.
Cube small_cube() {
  Cube cube;
  cube.metrics = {{"time", "Time", "time", no_id, Unit::seconds, ""},
                  {"wait", "Waiting", "wait", 0, Unit::seconds, ""}};
  cube.call_paths = {{no_id, "main", CallPathKind::program, "", 0}, {0, "MPI_Recv", CallPathKind::mpi, "a.c", 3}};
  cube.locations = {{"rank 0", 0, 0, "n"}, {"rank 1", 1, 0, "n"}};
  cube.add(0, 0, 0, 10);
  cube.add(0, 1, 1, 7);
  cube.add(1, 1, 1, 5);
  return cube;
}

TEST(Cube, TotalsAreInclusiveAlongMetricsAndExclusiveAlongCalls) {
  const Cube cube = small_cube();
  EXPECT_EQ(cube.total(0), 17);
  EXPECT_EQ(cube.exclusive_total(0), 12);
  EXPECT_EQ(cube.call_path_total(0, 0), 10);
  EXPECT_EQ(cube.by_location(0), (std::vector<std::int64_t>{10, 7}));
  EXPECT_EQ(cube.get(1, 1, 0), 0);
  EXPECT_EQ(cube.get(1, 1, 1), 5);
  EXPECT_TRUE(cube.row(1, 0).empty());
}

TEST(Cube, FindsMetricsAndChildren) {
  const Cube cube = small_cube();
  EXPECT_EQ(cube.find_metric("wait"), 1u);
  EXPECT_EQ(cube.find_metric("nothing"), no_id);
  EXPECT_EQ(cube.children_of(0), (std::vector<MetricId>{1}));
}

TEST(Cube, ZeroAmountsMakeNoRows) {
  Cube cube = small_cube();
  cube.add(1, 0, 0, 0);
  EXPECT_TRUE(cube.row(1, 0).empty());
}

}  // namespace
}  // namespace mora::cube
