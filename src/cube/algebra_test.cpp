#include "cube/algebra.h"
#include "cube/labels.h"

#include <gtest/gtest.h>

#include <limits>

#include "cube/cubex.h"

namespace mora::cube {
namespace {

/// time > wait; program > solve > MPI_Recv@a.c:3; two ranks.
Cube first() {
  Cube cube;
  cube.metrics = {{"time", "Time", "time", no_id, Unit::seconds, ""},
                  {"wait", "Waiting", "wait", 0, Unit::seconds, ""}};
  cube.call_paths = {{no_id, "app-a", CallPathKind::program, "", 0},
                     {0, "solve", CallPathKind::user, "a.c", 1},
                     {1, "MPI_Recv", CallPathKind::mpi, "/src/a.c", 3}};
  cube.locations = {{"rank 0", 0, 0, "n"}, {"rank 1", 1, 0, "n"}};
  cube.add(0, 0, 0, 100);
  cube.add(0, 1, 0, 50);
  cube.add(0, 2, 0, 30);
  cube.add(1, 2, 0, 20);
  cube.add(0, 2, 1, 7);
  return cube;
}

/// Another program name, a metric and a call path more, MPI_Recv before solve's other child, a third rank, no rank 1.
Cube second() {
  Cube cube;
  cube.metrics = {{"visits", "Visits", "visits", no_id, Unit::occurrences, ""},
                  {"time", "Time", "time", no_id, Unit::seconds, ""}};
  cube.call_paths = {{no_id, "app-b", CallPathKind::program, "", 0},
                     {0, "solve", CallPathKind::user, "a.c", 1},
                     {1, "MPI_Send", CallPathKind::mpi, "/src/a.c", 9},
                     {1, "MPI_Recv", CallPathKind::mpi, "/src/a.c", 3}};
  cube.locations = {{"rank 0", 0, 0, "n"}, {"rank 2", 2, 0, "n"}};
  cube.add(1, 3, 0, 10);
  cube.add(1, 2, 1, 4);
  cube.add(0, 3, 0, 2);
  return cube;
}

std::vector<std::string> names(const Combination& combination) {
  std::vector<std::string> found;
  for (const Unmatched& u : combination.unmatched) {
    found.push_back(u.name + ":");
    for (const auto operand : u.operands) found.back() += std::to_string(operand);
  }
  return found;
}

TEST(Algebra, DifferenceOfEqualsIsZeroEverywhere) {
  const auto zero = difference(first(), first());
  ASSERT_TRUE(zero);
  EXPECT_TRUE(zero->unmatched.empty());
  EXPECT_EQ(zero->cube.call_paths.size(), 3u);
  for (MetricId m = 0; m < 2; ++m) {
    for (CallPathId c = 0; c < 3; ++c) EXPECT_TRUE(zero->cube.row(m, c).empty());
  }
}

TEST(Algebra, DifferenceUnitesByPathAndRank) {
  const auto d = difference(first(), second());
  ASSERT_TRUE(d) << d.error().text();
  const Cube& cube = d->cube;
  EXPECT_EQ(names(*d), (std::vector<std::string>{"wait:0", "visits:1", "app-a > solve > MPI_Send@a.c:9:1", "rank 1:0",
                                                 "rank 2:1"}));
  ASSERT_EQ(cube.locations.size(), 3u);
  const MetricId time = cube.find_metric("time");
  EXPECT_EQ(cube.get(time, 2, 0), 30 - 10);  // MPI_Recv, rank 0
  EXPECT_EQ(cube.get(time, 2, 1), 7);        // rank 1: only in the first
  EXPECT_EQ(cube.get(time, 3, 2), -4);       // MPI_Send, rank 2: only in the second
  EXPECT_EQ(cube.get(cube.find_metric("visits"), 2, 0), -2);
  EXPECT_EQ(cube.get(cube.find_metric("wait"), 2, 0), 20);
}

TEST(Algebra, GridsAreKept) {
  Cube a = first(), b = second();
  b.grids = {{"line", {{"", 2, false}}, {0, 2}, {0, 1}}};
  EXPECT_EQ(difference(a, b)->cube.grids, b.grids);
  a.grids = {{"pair", {{"", 2, true}}, {0, 1}, {0, 1}}};
  EXPECT_EQ(mean({&a, &b})->cube.grids, a.grids);
  EXPECT_EQ(cut(a, {{"solve"}, {}})->grids, a.grids);
  EXPECT_EQ(subset(a, std::vector<bool>(a.call_paths.size(), true)).grids, a.grids);
}

TEST(Algebra, MergeTakesAMetricFromTheFirstThatHasIt) {
  const Cube a = first();
  const Cube b = second();
  const auto m = merge({&a, &b});
  ASSERT_TRUE(m);
  EXPECT_EQ(m->cube.total(m->cube.find_metric("time")), a.total(0));
  EXPECT_EQ(m->cube.total(m->cube.find_metric("visits")), 2);
  const auto other = merge({&b, &a});
  EXPECT_EQ(other->cube.total(other->cube.find_metric("time")), 14);
  EXPECT_EQ(other->cube.total(other->cube.find_metric("wait")), 20);
}

TEST(Algebra, MeanRoundsHalvesToEvenAndKeepsChildrenBelowTheirParents) {
  Cube a = first();
  Cube b = first();
  b.add(1, 2, 0, 1);  // waiting 20 and 21; own time 10 and 9
  const auto m = mean({&a, &b});
  ASSERT_TRUE(m);
  EXPECT_EQ(m->cube.get(1, 2, 0), 20);       // 20.5
  EXPECT_EQ(m->cube.get(0, 2, 0), 20 + 10);  // own part 9.5 -> 10
  EXPECT_EQ(m->cube.get(0, 0, 0), 100);
  EXPECT_EQ(m->rounded, 2u);
  for (LocationId l = 0; l < 2; ++l) EXPECT_GE(m->cube.get(0, 2, l), m->cube.get(1, 2, l));
  const auto same = mean({&a, &a, &a});
  EXPECT_EQ(same->rounded, 0u);
  EXPECT_EQ(same->cube.total(0), a.total(0));
}

TEST(Algebra, MeanOfNegativeNumbers) {
  Cube a = first();
  Cube zero = first();
  a.add(0, 0, 1, -3);
  EXPECT_EQ(mean({&a, &zero})->cube.get(0, 0, 1), -2);  // -1.5
}

TEST(Algebra, EqualSiblingsMatchOneByOne) {
  Cube a = first();
  a.call_paths.push_back(a.call_paths[2]);
  a.add(0, 3, 0, 5);
  const auto d = difference(a, first());
  ASSERT_TRUE(d);
  EXPECT_EQ(names(*d), (std::vector<std::string>{"app-a > solve > MPI_Recv@a.c:3:0"}));
  EXPECT_EQ(d->cube.get(0, 2, 0), 0);
  EXPECT_EQ(d->cube.get(0, 3, 0), 5);
}

TEST(Algebra, OnlyTheTopmostUnmatchedCallPathIsListed) {
  Cube deep = first();
  for (CallPathId c = 0; c < 50000; ++c)
    deep.call_paths.push_back({static_cast<CallPathId>(deep.call_paths.size() - 1), "f", CallPathKind::user, "", 0});
  const auto d = difference(deep, first());
  ASSERT_TRUE(d);
  EXPECT_EQ(names(*d), (std::vector<std::string>{"app-a > solve > MPI_Recv@a.c:3 > f:0"}));
  EXPECT_TRUE(path_text(deep, 50000).starts_with("… > f > f"));
  EXPECT_LT(path_text(deep, 50000).size(), 2000u);
}

TEST(Algebra, ManyMetricsWithoutValuesTakeNoMemory) {
  Cube wide = first();
  for (int i = 0; i < 20000; ++i) wide.metrics.push_back({"m" + std::to_string(i), "", "", 0, Unit::seconds, ""});
  for (std::uint32_t i = 2; i < 20000; ++i) wide.locations.push_back({"l", i, 0, "n"});
  EXPECT_EQ(mean({&wide, &wide})->cube.total(0), wide.total(0));  // 6 GB if every row existed
}

TEST(Algebra, DifferentUnitsAndNothingAreErrors) {
  Cube other = first();
  other.metrics.change()[0].unit = Unit::bytes;
  EXPECT_EQ(difference(first(), other).error().where, "metric time");
  EXPECT_FALSE(mean({}));
  EXPECT_FALSE(merge({}));
}

TEST(Algebra, CellsAtTheLimitAreHeldAndCounted) {
  Cube a = first();
  Cube b = first();
  a.add(0, 0, 1, std::numeric_limits<std::int64_t>::max());
  b.add(0, 0, 1, -5);
  const auto d = difference(a, b);
  EXPECT_EQ(d->cube.get(0, 0, 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(d->saturated, 1u);
}

TEST(Algebra, CutAtARoot) {
  const auto part = cut(first(), {{"solve"}, {}});
  ASSERT_TRUE(part);
  ASSERT_EQ(part->call_paths.size(), 2u);
  EXPECT_EQ(part->call_paths[0].parent, no_id);
  EXPECT_EQ(part->total(0), 50 + 30 + 7);
  EXPECT_EQ(cut(first(), {{"app-a > solve > MPI_Recv@a.c:3"}, {}})->total(0), 37);
  EXPECT_EQ(cut(first(), {{"solve > MPI_Recv@a.c:3"}, {}})->total(0), 37);
  EXPECT_EQ(cut(first(), {{"solve", "MPI_Recv"}, {}})->call_paths.size(), 2u);  // the outermost counts
}

TEST(Algebra, PrunedTreesFoldIntoTheirParents) {
  const auto folded = cut(first(), {{}, {"solve"}});
  ASSERT_TRUE(folded);
  ASSERT_EQ(folded->call_paths.size(), 1u);
  EXPECT_EQ(folded->get(0, 0, 0), 180);
  EXPECT_EQ(folded->get(0, 0, 1), 7);
  EXPECT_EQ(folded->get(1, 0, 0), 20);
  const auto leaf = cut(first(), {{"solve"}, {"MPI_Recv@a.c:3"}});
  ASSERT_EQ(leaf->call_paths.size(), 1u);
  EXPECT_EQ(leaf->get(0, 0, 0), 80);
}

TEST(Algebra, CutNamesItsErrors) {
  EXPECT_EQ(cut(first(), {{"nothing"}, {}}).error().what, "there is no call path 'nothing'");
  EXPECT_EQ(cut(first(), {{}, {"app-a"}}).error().where, "app-a");
  EXPECT_FALSE(cut(first(), {{"solve"}, {"solve"}}));
}

TEST(Algebra, ResultsSurviveTheFile) {
  const auto d = difference(first(), second());
  const auto bytes = cubex_bytes(d->cube);
  ASSERT_TRUE(bytes);
  const auto back = read_cubex_bytes(std::as_bytes(std::span(bytes->data(), bytes->size())));
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->quality.rows().empty());
  for (MetricId m = 0; m < d->cube.metrics.size(); ++m) {
    for (CallPathId c = 0; c < d->cube.call_paths.size(); ++c) EXPECT_EQ(back->cube.row(m, c), d->cube.row(m, c));
  }
}

/// program > main > interval a.c:20#1 (sequential), interval a.c:20#2 (distributed) > MPI_Send.
Cube with_intervals() {
  Cube cube;
  cube.metrics = {{"time", "Time", "time", no_id, Unit::seconds, ""}};
  cube.call_paths = {{no_id, "app", CallPathKind::program, "", 0},
                     {0, "main", CallPathKind::user, "a.c", 1},
                     {1, "interval", CallPathKind::interval, "/src/a.c", 20, 1, all_processes},
                     {1, "interval", CallPathKind::interval, "/src/a.c", 20, 2, 1},
                     {3, "MPI_Send", CallPathKind::mpi, "/src/a.c", 22}};
  cube.locations = {{"rank 0", 0, 0, "n"}};
  for (CallPathId c = 0; c < 5; ++c) cube.add(0, c, 0, std::int64_t{10} * (c + 1));
  return cube;
}

void expect_intervals(const Cube& cube, const std::string& what) {
  const Cube whole = with_intervals();
  ASSERT_EQ(cube.call_paths.size(), whole.call_paths.size()) << what;
  for (CallPathId c = 0; c < whole.call_paths.size(); ++c) {
    EXPECT_EQ(cube.call_paths[c].kind, whole.call_paths[c].kind) << what;
    EXPECT_EQ(cube.call_paths[c].parent, whole.call_paths[c].parent) << what;
    EXPECT_EQ(cube.call_paths[c].name, whole.call_paths[c].name) << what;
    EXPECT_EQ(cube.call_paths[c].file, whole.call_paths[c].file) << what;
    EXPECT_EQ(cube.call_paths[c].line, whole.call_paths[c].line) << what;
    EXPECT_EQ(cube.call_paths[c].id, whole.call_paths[c].id) << what;
    EXPECT_EQ(cube.call_paths[c].replication, whole.call_paths[c].replication) << what;
  }
}

Cube through_a_file(const Cube& cube) {
  const auto bytes = cubex_bytes(cube);
  const auto back = read_cubex_bytes(std::as_bytes(std::span(bytes->data(), bytes->size())));
  EXPECT_TRUE(back->quality.rows().empty());
  return back->cube;
}

TEST(Algebra, IntervalsKeepPlaceNumberAndReplication) {
  const Cube cube = with_intervals();
  expect_intervals(through_a_file(cube), "file");
  expect_intervals(through_a_file(merge({&cube, &cube})->cube), "merge");
  expect_intervals(through_a_file(mean({&cube, &cube})->cube), "mean");
  expect_intervals(through_a_file(difference(cube, Cube{})->cube), "difference");
  expect_intervals(through_a_file(*cut(cube, {{"app"}, {}})), "cut");
  EXPECT_EQ(mean({&cube, &cube})->cube.get(0, 2, 0), 30);
}

TEST(Algebra, IntervalsOfOnePlaceAreToldApartByTheirNumbers) {
  const Cube cube = with_intervals();
  EXPECT_EQ(path_text(cube, 4), "app > main > interval@a.c:20#2 > MPI_Send@a.c:22");
  const auto second = cut(cube, {{"interval@a.c:20#2"}, {}});
  ASSERT_TRUE(second);
  ASSERT_EQ(second->call_paths.size(), 2u);
  EXPECT_EQ(second->call_paths[0].id, 2u);
  const auto folded = cut(cube, {{}, {"main > interval@a.c:20#1"}});
  ASSERT_EQ(folded->call_paths.size(), 4u);
  EXPECT_EQ(folded->get(0, 1, 0), 20 + 30);
}

TEST(Algebra, ARenamedOrMovedIntervalIsListedNotMixed) {
  const Cube cube = with_intervals();
  Cube other = cube;
  other.call_paths[3].name = "solve";
  const auto d = difference(cube, other);
  EXPECT_EQ(names(*d), (std::vector<std::string>{"app > main > interval@a.c:20#2:0", "app > main > solve@a.c:20#2:1"}));
  EXPECT_EQ(d->cube.get(0, 2, 0), 0);
  EXPECT_EQ(d->cube.get(0, 3, 0), 40);
  EXPECT_EQ(d->cube.total(0), 0);
}

TEST(Labels, SayWhichCallsAreAroundAStretch) {
  const auto between = stretch("compute MPI_Send@a.c:12 -> MPI_Recv@b.c:20");
  ASSERT_TRUE(between);
  EXPECT_EQ(between->from, "MPI_Send@a.c:12");
  EXPECT_EQ(between->to, "MPI_Recv@b.c:20");
  EXPECT_EQ(stretch("compute start -> end")->to, "end");
  EXPECT_FALSE(stretch("compute"));  // a function of that name
  EXPECT_FALSE(stretch("solve -> end"));
}

TEST(Labels, HaveANameAndAPlace) {
  EXPECT_EQ(parts_of("MPI_Recv@a.c:3").name, "MPI_Recv");
  EXPECT_EQ(parts_of("MPI_Recv@a.c:3").place, "a.c:3");
  EXPECT_EQ(in_brackets("MPI_Recv@a.c:3"), "MPI_Recv (a.c:3)");
  EXPECT_EQ(in_brackets("solve"), "solve");
  EXPECT_EQ(in_brackets("compute start -> MPI_Recv@a.c:3"), "compute start -> MPI_Recv@a.c:3");
  EXPECT_EQ(in_brackets("MPI_Send@swap(Matrix const&, int) + 0x20d"), "MPI_Send (swap + 0x20d)");
  EXPECT_EQ(without_instance("step@a.c:20#3"), "step@a.c:20");
  EXPECT_EQ(without_instance("step#3"), "step");
  EXPECT_EQ(without_instance("MPI_Send@a#b.c:20"), "MPI_Send@a#b.c:20");
  EXPECT_EQ(without_instance("{lambda#1}"), "{lambda#1}");
  EXPECT_EQ(short_label("MPI_Send@swap(Matrix const&, int) + 0x20d"), "MPI_Send@swap + 0x20d");
  EXPECT_EQ(short_label("compute MPI_Send@swap(M&) + 0x1 -> MPI_Recv@a.c:3"),
            "compute MPI_Send@swap + 0x1 -> MPI_Recv@a.c:3");
  EXPECT_EQ(short_label("phase(1)@a.c:3"), "phase(1)@a.c:3");
  EXPECT_EQ(short_label("void solve<double>(V<double>&)@s.cpp:4"), "solve@s.cpp:4");
  EXPECT_EQ(joined_below_program({"app", "main", "solve(int)", "MPI_Recv@a.c:3"}), "main > solve > MPI_Recv@a.c:3");
}

TEST(Labels, NameAPlaceByFileAndLine) {
  CallPath call;
  call.kind = CallPathKind::mpi;
  call.name = "MPI_Recv";
  EXPECT_EQ(label(call), "MPI_Recv");
  call.file = "/home/me/a.c";
  EXPECT_EQ(label(call), "MPI_Recv@a.c");  // no line is known
  call.line = 3;
  EXPECT_EQ(label(call), "MPI_Recv@a.c:3");
  call.kind = CallPathKind::user;
  EXPECT_EQ(label(call), "MPI_Recv");
}

}  // namespace
}  // namespace mora::cube
