#include "analysis/efficiency/interval_table.h"

#include <gtest/gtest.h>

#include "analysis/metric_info.h"

namespace mora::analysis {
namespace {

using C = Characteristic;

/// A cube that is filled by hand: time in µs.
class CubeBuilder {
 public:
  explicit CubeBuilder(unsigned ranks) {
    for (const MetricInfo& info : all_metrics()) {
      cube.metrics.push_back({std::string(info.id), std::string(info.name), std::string(info.unique_name),
                              info.parent.empty() ? cube::no_id : metric_index(info.parent), info.unit, ""});
    }
    for (unsigned r = 0; r < ranks; ++r) cube.locations.push_back({"rank " + std::to_string(r), r, 0, "node0"});
    cube.call_paths.push_back({cube::no_id, "app", cube::CallPathKind::program, "", 0});
  }

  cube::CallPathId interval(cube::CallPathId parent, const char* name, std::uint32_t line, std::uint32_t id = 0,
                            std::uint32_t replication = 1) {
    cube.call_paths.push_back({parent, name, cube::CallPathKind::interval, "/src/a.c", line, id, replication});
    return static_cast<cube::CallPathId>(cube.call_paths.size() - 1);
  }
  cube::CallPathId call(cube::CallPathId parent, const char* name, std::uint32_t line = 0) {
    cube.call_paths.push_back({parent, name, cube::CallPathKind::mpi, "/src/a.c", line});
    return static_cast<cube::CallPathId>(cube.call_paths.size() - 1);
  }
  /// Adds to the metric and all above it.
  void add(std::string_view metric, cube::CallPathId path, unsigned location, std::int64_t microseconds) {
    for (const MetricInfo* info = find_metric_info(metric); info != nullptr; info = find_metric_info(info->parent)) {
      cube.add(metric_index(info->id), path, location,
               info->unit == cube::Unit::seconds ? microseconds * 1000 : microseconds);
    }
  }
  void run(cube::CallPathId path, unsigned location, std::int64_t microseconds, std::int64_t visits = 1) {
    if (microseconds > 0) add("computation", path, location, microseconds);
    add("visits", path, location, visits);
  }
  cube::Cube cube;
};

std::int64_t us(std::int64_t nanoseconds) {
  EXPECT_EQ(nanoseconds % 1000, 0);
  return nanoseconds / 1000;
}
std::int64_t of_process(const Interval& interval, std::size_t process, C c) {
  return us(interval.processes[process].value(c));
}

/// What holds for every interval: productive + lost = total, sums over processes, parts of MPI time, minima and maxima.
void expect_invariants(const IntervalTable& table) {
  for (const Interval& interval : table.intervals) {
    std::array<std::int64_t, characteristics> sums{};
    bool somebody_without_idle = interval.processes.empty();
    std::int64_t executions = 0;
    for (const ProcessAmounts& p : interval.processes) {
      const auto v = [&](C c) { return p.value(c); };
      EXPECT_EQ(v(C::execution_time), v(C::time_outside_mpi) + v(C::mpi_time) + v(C::measurement));
      EXPECT_EQ(v(C::communication),
                v(C::point_to_point) + v(C::collective) + v(C::all_to_all) + v(C::one_sided) + v(C::io));
      EXPECT_EQ(v(C::lost_time), v(C::user_insufficient_parallelism) + v(C::system_insufficient_parallelism) +
                                     v(C::communication) + v(C::idle_time) + v(C::measurement) - v(C::useful_mpi));
      EXPECT_EQ(v(C::productive_time), v(C::time_outside_mpi) - v(C::user_insufficient_parallelism) + v(C::useful_mpi));
      somebody_without_idle = somebody_without_idle || v(C::idle_time) == 0;
      for (std::size_t c = 0; c < characteristics; ++c) sums[c] += p.amounts()[c];
      executions = std::max(executions, p.executions);
    }
    EXPECT_TRUE(somebody_without_idle);
    EXPECT_EQ(interval.executions, executions);
    const auto n = static_cast<std::int64_t>(interval.processes.size());
    EXPECT_EQ(interval.value(C::total_time), interval.value(C::execution_time) * n);
    EXPECT_EQ(interval.value(C::total_time), interval.value(C::productive_time) + interval.value(C::lost_time));
    EXPECT_EQ(interval.value(C::idle_time),
              interval.value(C::total_time) - sums[static_cast<std::size_t>(C::execution_time)]);
    EXPECT_GE(interval.efficiency(), 0);
    EXPECT_LE(interval.efficiency(), 1);
  }
}

TEST(IntervalTable, CompensatingImbalanceMt5) {
  CubeBuilder b(2);
  const auto first = b.interval(0, "interval", 10), second = b.interval(0, "interval", 20);
  b.run(0, 0, 0), b.run(0, 1, 0);
  b.run(first, 0, 10), b.run(first, 1, 30), b.run(second, 0, 30), b.run(second, 1, 10);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  ASSERT_EQ(table.intervals.size(), 3u);
  const Interval &program = table.intervals[0], &a = table.intervals[1];
  EXPECT_EQ(us(a.value(C::execution_time)), 30);
  EXPECT_EQ(us(a.value(C::total_time)), 60);
  EXPECT_EQ(us(a.value(C::productive_time)), 40);
  EXPECT_EQ(of_process(a, 0, C::idle_time), 20);
  EXPECT_EQ(of_process(a, 1, C::idle_time), 0);
  EXPECT_EQ(of_process(a, 0, C::load_imbalance), 20);
  EXPECT_EQ(us(program.value(C::execution_time)), 40);
  EXPECT_EQ(program.efficiency(), 1.0);
  EXPECT_EQ(program.value(C::load_imbalance), 0);
}

TEST(IntervalTable, RepeatedIntervalTakesTheMaximumOfAccumulatedTimesMt6) {
  CubeBuilder b(2);
  const auto i = b.interval(0, "interval", 10);
  b.run(0, 0, 10), b.run(0, 1, 16);
  b.run(i, 0, 10 + 5, 2), b.run(i, 1, 4 + 11, 2);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  EXPECT_EQ(us(table.intervals[1].value(C::execution_time)), 15);
  EXPECT_EQ(table.intervals[1].value(C::idle_time), 0);
  EXPECT_EQ(table.intervals[1].executions, 2);
}

TEST(IntervalTable, OfOneProcessOnlyMt8) {
  CubeBuilder b(2);
  const auto i = b.interval(0, "interval", 10);
  b.run(0, 0, 0), b.run(0, 1, 50), b.run(i, 0, 50);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  const Interval& interval = table.intervals[1];
  ASSERT_EQ(interval.processes.size(), 1u);
  EXPECT_EQ(us(interval.value(C::total_time)), 50);
  EXPECT_EQ(interval.efficiency(), 1.0);
  EXPECT_EQ(interval.notes, std::vector<std::string>{"executed by 1 of 2 processes"});
}

TEST(IntervalTable, DuplicatedSectionCountsOnceMt14) {
  CubeBuilder b(4);
  const auto sequential = b.interval(0, "sequential", 10, 0, cube::all_processes);
  for (unsigned r = 0; r < 4; ++r) b.run(0, r, 300), b.run(sequential, r, 100);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  const Interval& program = table.intervals[0];
  EXPECT_EQ(us(program.value(C::productive_time)), 1300);
  EXPECT_EQ(us(program.value(C::total_time)), 1600);
  EXPECT_DOUBLE_EQ(program.efficiency(), 0.8125);
  EXPECT_EQ(us(program.value(C::user_insufficient_parallelism)), 300);
  for (std::size_t p = 0; p < 4; ++p) EXPECT_EQ(of_process(program, p, C::user_insufficient_parallelism), 75);
  EXPECT_DOUBLE_EQ(table.intervals[1].efficiency(), 0.25);
}

TEST(IntervalTable, PartlyReplicatedAndNestedInSequential) {
  CubeBuilder b(4);
  const auto pairs = b.interval(0, "replicated", 10, 0, 2);
  const auto sequential = b.interval(0, "sequential", 20, 0, cube::all_processes);
  const auto inner = b.interval(sequential, "interval", 30);
  const auto inner_pairs = b.interval(sequential, "replicated", 40, 0, 2);
  for (unsigned r = 0; r < 4; ++r)
    b.run(0, r, 0), b.run(pairs, r, 10), b.run(sequential, r, 4), b.run(inner, r, 8), b.run(inner_pairs, r, 12);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  EXPECT_EQ(us(table.intervals[1].value(C::user_insufficient_parallelism)), 4 * 5);
  EXPECT_EQ(us(table.intervals[2].value(C::user_insufficient_parallelism)),
            4 * (3 + 6 + 9));  // the larger replication governs
  EXPECT_EQ(us(table.intervals[3].value(C::user_insufficient_parallelism)), 4 * 6);
  EXPECT_EQ(us(table.intervals[0].value(C::user_insufficient_parallelism)), 4 * (5 + 18));
}

TEST(IntervalTable, NoMoreCopiesThanProcesses) {
  CubeBuilder b(3);
  const auto many = b.interval(0, "replicated", 10, 0, 8);
  for (unsigned r = 0; r < 3; ++r) b.run(0, r, 0), b.run(many, r, 9);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  EXPECT_EQ(us(table.intervals[1].value(C::productive_time)), 9);
  EXPECT_EQ(table.intervals[1].notes, std::vector<std::string>{"marked as repeated by 8 processes, executed by 3"});
}

TEST(IntervalTable, OneThreadStandsForItsProcessEverywhere) {
  CubeBuilder b(1);
  b.cube.locations.push_back({"rank 0 thread 1", 0, 1, "node0"});
  const auto both = b.interval(0, "both", 10), other = b.interval(0, "other", 20);
  const auto send = b.call(other, "MPI_Send", 21);
  b.run(0, 0, 10), b.run(0, 1, 0), b.run(both, 0, 5), b.run(both, 1, 50), b.run(other, 1, 1);
  b.add("point-to-point", send, 1, 50);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  EXPECT_TRUE(table.has_threads);
  EXPECT_EQ(us(table.intervals[0].value(C::execution_time)), 15);
  EXPECT_EQ(us(table.intervals[1].value(C::execution_time)), 5);
  EXPECT_EQ(table.intervals[2].value(C::communication), 0);  // never more than the program
  EXPECT_TRUE(table.intervals[2].processes.empty());
  EXPECT_EQ(table.intervals[2].notes.back(), "1 other thread executed it, too: one thread of each process is counted");
}

TEST(IntervalTable, UnrecordedTimeIsNotedExactly) {
  CubeBuilder b(1);
  b.run(0, 0, 10);
  b.cube.add(metric_index("unrecorded"), 0, 0, 400);
  b.cube.add(metric_index("time"), 0, 0, 400);
  const IntervalTable table = interval_table(b.cube);
  EXPECT_EQ(table.intervals[0].notes.back(), "not recorded: 0.0000004 s on 1 process, counted as measurement");
}

TEST(IntervalTable, CommunicationByKindAndRules) {
  CubeBuilder b(2);
  const auto send = b.call(0, "MPI_Send", 153), barrier = b.call(0, "MPI_Barrier", 160),
             alltoall = b.call(0, "MPI_Alltoall", 170), init = b.call(0, "MPI_Init", 150),
             wait = b.call(0, "MPI_Wait", 180), isend = b.call(0, "MPI_Isend", 175);
  for (unsigned r = 0; r < 2; ++r) {
    b.run(0, r, 100);
    b.add("init-finalize", init, r, 10);
    b.add("point-to-point", send, r, 5 + r), b.add("point-to-point", wait, r, 4), b.add("point-to-point", isend, r, 1);
    b.add("barrier", barrier, r, 20 - r), b.add("collective", alltoall, r, 7);
    b.add("visits", barrier, r, 3);
  }
  b.cube.add(metric_index("wait-at-barrier"), barrier, 0, 12000);
  b.cube.add(metric_index("wait-at-init"), init, 1, 3000);
  b.cube.add(metric_index("start-delay"), barrier, 1, 2000);
  b.cube.add(metric_index("message-lifetime"), send, 1, 40000);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  const Interval& program = table.intervals[0];
  EXPECT_EQ(program.line, 153u);  // the first call whose site is known in call tree order
  EXPECT_EQ(us(program.value(C::point_to_point)), 11 + 8 + 2);
  EXPECT_EQ(us(program.value(C::collective)), 39 + 3);
  EXPECT_EQ(us(program.value(C::all_to_all)), 14);
  EXPECT_EQ(us(program.value(C::system_insufficient_parallelism)), 20 - 3);
  EXPECT_EQ(us(program.value(C::real_synchronization)), 15);
  EXPECT_EQ(us(program.value(C::unhidden)), 8);
  EXPECT_EQ(us(program.value(C::start_time)), 2);
  const auto kind = std::find_if(program.kinds.begin(), program.kinds.end(),
                                 [](const KindRow& k) { return k.name == "MPI_Barrier"; });
  ASSERT_NE(kind, program.kinds.end());
  EXPECT_TRUE(kind->is_collective);
  EXPECT_EQ(kind->sum.count, 6);
  EXPECT_EQ(us(kind->sum.communication), 39);
  EXPECT_EQ(us(kind->of_process(0).real_synchronization), 12);

  EfficiencyRules rules;
  rules.productive = ProductiveRule::one_mpi;
  rules.synchronization = SynchronizationRule::lateness;
  rules.send_receive = SendReceiveRule::lifetime;
  rules.load = LoadRule::execution;
  const IntervalTable other = interval_table(b.cube, rules);
  expect_invariants(other);
  EXPECT_EQ(us(other.intervals[0].value(C::useful_mpi)), 47);
  EXPECT_EQ(us(other.intervals[0].value(C::potential_synchronization)), 2);
  EXPECT_EQ(us(other.intervals[0].value(C::point_to_point)), 40);
  EXPECT_EQ(other.intervals[0].value(C::load_imbalance), other.intervals[0].value(C::idle_time));
}

TEST(IntervalTable, ComparisonTruncatesAndTakesTheLowestRank) {
  CubeBuilder b(3);
  b.run(0, 0, 1), b.run(0, 1, 3), b.run(0, 2, 3);
  b.cube.add(metric_index("time-variation"), 0, 1, 5);
  const IntervalTable table = interval_table(b.cube);
  const Comparison time = table.intervals[0].compare(C::execution_time);
  EXPECT_EQ(time.minimum, 1000);
  EXPECT_EQ(time.maximum_rank, 1u);
  EXPECT_EQ(time.mean, 2333);
  EXPECT_EQ(table.intervals[0].compare(C::time_variation).minimum_rank, 0u);
  EXPECT_EQ(table.intervals[0].compare(C::time_variation).mean, 1);
}

TEST(IntervalTable, IdentityIsParentPlaceAndIdMt7) {
  CubeBuilder b(1);
  cube::CallPath function{0, "solve", cube::CallPathKind::user, "", 0};
  b.cube.call_paths.push_back(function);
  const auto one = b.interval(0, "interval", 20, 1), two = b.interval(0, "interval", 20, 2);
  const auto same_as_one = b.interval(1, "interval", 20, 1);  // reached through solve()
  const auto nested = b.interval(one, "interval", 20, 1);     // recursion: a child
  for (const auto i : {one, two, same_as_one, nested}) b.run(i, 0, 10);
  b.run(0, 0, 0);
  const IntervalTable table = interval_table(b.cube);
  ASSERT_EQ(table.intervals.size(), 4u);
  EXPECT_EQ(table.intervals[1].executions, 2);
  EXPECT_EQ(us(table.intervals[1].value(C::execution_time)), 30);
  EXPECT_EQ(table.intervals[2].level, 2u);
  EXPECT_EQ(table.intervals[3].id, 2u);
  EXPECT_EQ(table.number(2), "0.1.1");
  EXPECT_EQ(table.find("0.1.1"), 2u);
  EXPECT_EQ(table.find("a.c:20#2"), 3u);
  EXPECT_EQ(table.find("app"), 0u);
  std::string why;
  EXPECT_EQ(table.find("a.c:20", &why), SIZE_MAX);
  EXPECT_EQ(why, "'a.c:20' is the name of several intervals: 0.1 0.1.1 0.2");
  EXPECT_EQ(table.find("0.7", &why), SIZE_MAX);
  EXPECT_EQ(call_paths_of(b.cube, table.intervals[1]).size(), 3u);
  EXPECT_EQ(call_paths_of(b.cube, table.intervals[1], true).size(), 2u);
}

TEST(IntervalTable, ACubeCutAtAnIntervalStillHasAProgram) {
  CubeBuilder b(2);
  b.cube.call_paths[0] = {cube::no_id, "solve", cube::CallPathKind::interval, "/src/a.c", 10};
  b.run(0, 0, 30), b.run(0, 1, 10);
  const IntervalTable table = interval_table(b.cube);
  expect_invariants(table);
  ASSERT_EQ(table.intervals.size(), 2u);
  EXPECT_EQ(table.intervals[0].processes.size(), 2u);
  EXPECT_EQ(us(table.intervals[0].value(C::total_time)), 60);
  EXPECT_EQ(table.intervals[0].executions, 1);
}

TEST(IntervalTable, RulesAreWords) {
  std::string why;
  const auto thesis = parse_rules("thesis,productive=one-mpi", &why);
  ASSERT_TRUE(thesis);
  EXPECT_EQ(thesis->synchronization, SynchronizationRule::lateness);
  EXPECT_EQ(thesis->productive, ProductiveRule::one_mpi);
  EXPECT_FALSE(parse_rules("load=best", &why));
  EXPECT_NE(why.find("'load=best' is no rule; there are default, dvm-analyser"), std::string::npos);
}

TEST(IntervalTable, EmptyCube) { EXPECT_TRUE(interval_table(cube::Cube{}).intervals.empty()); }

TEST(WaitingMetrics, AreDisjoint) {
  CubeBuilder b(1);
  const auto waiting = waiting_metrics(b.cube);
  for (const cube::MetricId m : waiting) {
    for (cube::MetricId up = b.cube.metrics[m].parent; up != cube::no_id; up = b.cube.metrics[up].parent) {
      EXPECT_EQ(std::count(waiting.begin(), waiting.end(), up), 0) << b.cube.metrics[m].id;
    }
  }
  EXPECT_LT(waiting_metrics(b.cube, false).size(), waiting.size());
}

}  // namespace
}  // namespace mora::analysis
