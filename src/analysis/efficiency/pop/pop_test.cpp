#include "analysis/efficiency/pop/pop.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "support/analysis/efficiency_sample.h"

namespace mora::analysis {
namespace {

PopMetrics pop_of(const CubeSample& sample, std::size_t interval = 0) {
  return pop_metrics(sample.cube, interval_table(sample.cube), interval);
}

/// What holds whatever the numbers are.
void expect_products(const PopMetrics& pop) {
  constexpr double near = 1e-12;
  EXPECT_NEAR(pop.parallel_efficiency, pop.load_balance * pop.communication_efficiency, near);
  EXPECT_NEAR(1 - pop.parallel_efficiency, 2 - pop.additive_load_balance - pop.additive_communication_efficiency, near);
  ASSERT_EQ(pop.serialisations.size(), ideal_times);
  for (std::size_t i = 0; i < ideal_times; ++i) {
    const Serialisation& s = pop.serialisations[i];
    EXPECT_EQ(static_cast<std::size_t>(s.definition), i);
    EXPECT_FALSE(s.key.empty() || s.name.empty() || s.formula.empty() || s.source.empty());
    EXPECT_NE(s.ideal_time.has_value(), !s.why_not.empty());
    if (!s.ideal_time) continue;
    EXPECT_NEAR(s.communication_efficiency, s.serialisation * s.transfer, near) << s.key;
    EXPECT_NEAR(1 - s.communication_efficiency, 2 - s.additive_serialisation - s.additive_transfer, near) << s.key;
    if (s.definition == IdealTime::replay_outside) continue;
    EXPECT_EQ(s.communication_efficiency, pop.communication_efficiency);
  }
}

TEST(Pop, CompensatingImbalanceMt5) {
  CubeSample sample(2);
  const auto a = sample.interval(0, 10), b = sample.interval(0, 20);
  sample.compute(a, 0, 10), sample.compute(a, 1, 30), sample.compute(b, 0, 30), sample.compute(b, 1, 10);
  for (const std::size_t interval : {1u, 2u}) {
    const PopMetrics pop = pop_of(sample, interval);
    expect_products(pop);
    EXPECT_EQ(pop.run_time, 30'000);
    EXPECT_DOUBLE_EQ(pop.parallel_efficiency, 40.0 / 60);
    EXPECT_DOUBLE_EQ(pop.load_balance, 20.0 / 30);
    EXPECT_DOUBLE_EQ(pop.additive_load_balance, 20.0 / 30);
    EXPECT_EQ(pop.communication_efficiency, 1);
  }
  const PopMetrics program = pop_of(sample);
  EXPECT_EQ(program.run_time, 40'000);
  EXPECT_EQ(program.parallel_efficiency, 1);
  EXPECT_EQ(program.load_balance, 1);
}

/// POP does not know duplicated computation: the DVM analyser's efficiency is 0.8125, POP's 1.
TEST(Pop, DuplicatedSectionMt14) {
  CubeSample sample(4);
  const auto sequential = sample.interval(0, 10, cube::all_processes), parallel = sample.interval(0, 20);
  for (unsigned r = 0; r < 4; ++r) sample.compute(sequential, r, 100), sample.compute(parallel, r, 300);
  EXPECT_EQ(interval_table(sample.cube).intervals[0].efficiency(), 0.8125);
  const PopMetrics pop = pop_of(sample);
  expect_products(pop);
  EXPECT_EQ(pop.useful_sum, 1'600'000);
  EXPECT_EQ(pop.parallel_efficiency, 1);
}

TEST(Pop, LateSenderMt1) {
  CubeSample sample(2);
  const auto send = sample.call(0, "MPI_Send"), receive = sample.call(0, "MPI_Recv");
  sample.compute(0, 0, 90), sample.compute(0, 1, 55);
  sample.add("point-to-point", send, 0, 10), sample.add("point-to-point", receive, 1, 45 - 30);
  sample.add("late-sender", receive, 1, 30);
  const PopMetrics pop = pop_of(sample);
  expect_products(pop);
  EXPECT_EQ(pop.run_time, 100'000);
  EXPECT_DOUBLE_EQ(pop.parallel_efficiency, 0.725);
  EXPECT_DOUBLE_EQ(pop.load_balance, 72.5 / 90);
  EXPECT_DOUBLE_EQ(pop.communication_efficiency, 0.9);
  EXPECT_DOUBLE_EQ(pop.additive_load_balance, 1 - 17.5 / 100);
  // Without transfers (10; 45 - 30) the processes take 90 and 85.
  EXPECT_EQ(pop.of(IdealTime::advisor).ideal_time, 90'000);
  EXPECT_EQ(pop.of(IdealTime::advisor).serialisation, 1);
  EXPECT_DOUBLE_EQ(pop.of(IdealTime::advisor).transfer, 0.9);
  EXPECT_EQ(pop.waiting, 30'000);
  EXPECT_EQ(pop.rma_waiting, 0);
  EXPECT_FALSE(pop.of(IdealTime::replay_useful).ideal_time);
  ASSERT_NE(pop.headline(), nullptr);
  EXPECT_EQ(pop.headline()->definition, IdealTime::advisor);
}

/// The definitions coexist and give other numbers; with a replay basicanalysis's is the headline.
TEST(Pop, DefinitionsOfSerialisationDiffer) {
  CubeSample sample(2);
  const auto recv = sample.call(0, "MPI_Recv");
  sample.compute(0, 0, 60), sample.compute(0, 1, 70);
  sample.add("openmp", 0, 0, 20);
  sample.add("point-to-point", recv, 0, 10), sample.add("late-sender", recv, 0, 10);
  sample.add("point-to-point", recv, 1, 30);
  IntervalTable table = interval_table(sample.cube);
  table.is_replayed = true;
  table.intervals[0].processes.set(0, analysis::Elementary::ideal, 84'000),
      table.intervals[0].processes.set(1, analysis::Elementary::ideal, 80'000);
  const PopMetrics pop = pop_metrics(sample.cube, table, 0);
  expect_products(pop);
  EXPECT_EQ(pop.run_time, 100'000);
  EXPECT_EQ(pop.useful_max, 70'000);
  EXPECT_EQ(pop.outside_max, 80'000);
  const Serialisation& useful = pop.of(IdealTime::replay_useful);
  EXPECT_EQ(useful.ideal_time, 84'000);
  EXPECT_DOUBLE_EQ(useful.serialisation, 70.0 / 84);
  EXPECT_DOUBLE_EQ(useful.transfer, 0.84);
  EXPECT_DOUBLE_EQ(useful.additive_serialisation, 1 - 14.0 / 100);
  const Serialisation& outside = pop.of(IdealTime::replay_outside);
  EXPECT_DOUBLE_EQ(outside.serialisation, 80.0 / 84);
  EXPECT_DOUBLE_EQ(outside.transfer, 0.84);
  EXPECT_DOUBLE_EQ(outside.communication_efficiency, 0.8);
  const Serialisation& advisor = pop.of(IdealTime::advisor);  // 100 - (20 - 10), 100 - 30
  EXPECT_EQ(advisor.ideal_time, 90'000);
  EXPECT_DOUBLE_EQ(advisor.serialisation, 70.0 / 90);
  EXPECT_EQ(pop.headline(), &useful);
}

/// Clocks that disagree, or a replay that waits where the run did not: shown as it is, and said.
TEST(Pop, SlowerOnTheIdealNetwork) {
  CubeSample sample(1);
  sample.compute(0, 0, 100);
  IntervalTable table = interval_table(sample.cube);
  table.is_replayed = true;
  table.intervals[0].processes.set(0, analysis::Elementary::ideal, 125'000);
  const PopMetrics pop = pop_metrics(sample.cube, table, 0);
  expect_products(pop);
  EXPECT_EQ(pop.of(IdealTime::replay_useful).transfer, 1.25);
  EXPECT_EQ(pop.of(IdealTime::replay_useful).serialisation, 0.8);
  ASSERT_EQ(pop.notes.size(), 1u);
  EXPECT_NE(pop.notes[0].find("1.2500 times as long"), std::string::npos);
}

/// Two processes take turns, each waits for the other in a fence: serialisation, but "transfer" where one-sided waits
/// are not waits.
TEST(Pop, OneSidedWaitingCounts) {
  CubeSample sample(2);
  const auto fence = sample.call(0, "MPI_Win_fence");
  for (unsigned r = 0; r < 2; ++r) {
    sample.compute(0, r, 50);
    sample.add("fence", fence, r, 10), sample.add("wait-at-fence", fence, r, 40 - 15),
        sample.add("early-fence", fence, r, 15);
  }
  const PopMetrics pop = pop_of(sample);
  expect_products(pop);
  EXPECT_EQ(pop.rma_waiting, 80'000);  // early-fence is in wait-at-fence, not beside it
  EXPECT_EQ(pop.of(IdealTime::advisor).ideal_time, 90'000);
  EXPECT_DOUBLE_EQ(pop.of(IdealTime::advisor).serialisation, 50.0 / 90);
  EXPECT_DOUBLE_EQ(pop.of(IdealTime::advisor).transfer, 0.9);
  EXPECT_EQ(pop.of(IdealTime::advisor_no_rma).ideal_time, 50'000);
  EXPECT_EQ(pop.of(IdealTime::advisor_no_rma).serialisation, 1);
  EXPECT_EQ(pop.of(IdealTime::advisor_no_rma).transfer, 0.5);
  ASSERT_EQ(pop.notes.size(), 1u);
  EXPECT_NE(pop.notes[0].find("one-sided"), std::string::npos);
}

TEST(Pop, RefinementsOfAWaitCountOnce) {
  CubeSample sample(1);
  const auto recv = sample.call(0, "MPI_Recv");
  sample.compute(0, 0, 50);
  sample.add("point-to-point", recv, 0, 10);
  sample.add("late-sender-wrong-order-same-source", recv, 0, 40);
  EXPECT_EQ(pop_of(sample).waiting, 40'000);
}

TEST(Pop, CompletionIsTransferAndFileIoIsNeither) {
  CubeSample sample(1);
  const auto barrier = sample.call(0, "MPI_Barrier"), write = sample.call(0, "MPI_File_write_all");
  sample.compute(0, 0, 40);
  sample.add("barrier-completion", barrier, 0, 20);
  sample.add("mpi-io-collective", write, 0, 10), sample.add("io-collective-wait", write, 0, 30);
  const PopMetrics pop = pop_of(sample);
  EXPECT_EQ(pop.waiting, 30'000) << "as the characteristic real_synchronization";
  EXPECT_EQ(pop.of(IdealTime::advisor).ideal_time, 80'000);  // 100 - (60 - 0 - 40)
}

TEST(Pop, OfTheProgramIsBetweenStartAndEndOfMpi) {
  CubeSample sample(2);
  const auto init = sample.call(0, "MPI_Init"), end = sample.call(0, "MPI_Finalize"),
             barrier = sample.call(0, "MPI_Barrier");
  sample.compute(0, 0, 70), sample.compute(0, 1, 100);
  sample.add("wait-at-barrier", barrier, 0, 30);
  sample.add("init-finalize", init, 0, 500), sample.add("init-finalize", init, 1, 500);
  sample.add("init-finalize", end, 0, 20);
  const PopMetrics pop = pop_of(sample);
  EXPECT_EQ(pop.run_time, 100'000);
  EXPECT_EQ(pop.start_and_end, 1'020'000);
  EXPECT_DOUBLE_EQ(pop.parallel_efficiency, 0.85);
  EXPECT_EQ(pop.waiting, 30'000);
}

TEST(Pop, MeasurementIsNotUseful) {
  CubeSample sample(2);
  sample.compute(0, 0, 70), sample.compute(0, 1, 100);
  sample.add("overhead", 0, 0, 20), sample.add("unrecorded", 0, 0, 10);
  const PopMetrics pop = pop_of(sample);
  expect_products(pop);
  EXPECT_EQ(pop.run_time, 100'000);
  EXPECT_EQ(pop.useful_sum, 170'000);
  EXPECT_EQ(pop.outside_sum, 170'000);
  EXPECT_EQ(pop.measurement, 30'000);
  EXPECT_DOUBLE_EQ(pop.parallel_efficiency, 0.85);
  ASSERT_FALSE(pop.notes.empty());
  EXPECT_EQ(pop.notes[0].rfind("15.0 %", 0), 0u);
}

/// The published list, and what Mora's registry adds to it. A new wait state below MPI that this list lacks fails here:
/// decide what it is.
TEST(Pop, WaitsAreCubeAdvisorsAndWhatItLeavesOut) {
  const std::vector<std::string> published = {"late-sender",    "late-receiver", "early-reduce",    "early-scan",
                                              "late-broadcast", "wait-at-nxn",   "wait-at-barrier", "wait-at-finalize"};
  const std::vector<std::string> not_in_scalasca = {
      "wait-at-init",         "wait-at-neighborhood", "nonblocking-collective-wait",
      "file-collective-wait", "send-progress",        "nonblocking-progress",
      "wait-at-scan"};
  const CubeSample sample(1);
  std::vector<std::string> two_sided, one_sided, file;
  for (const MpiWait& wait : mpi_waits(sample.cube)) {
    const std::string& id = sample.cube.metrics[wait.metric].id;
    if (id.rfind("shmem", 0) == 0) continue;
    (wait.is_file ? file : wait.is_rma ? one_sided : two_sided).push_back(id);
  }
  std::vector<std::string> expected = published;
  expected.insert(expected.end(), not_in_scalasca.begin(), not_in_scalasca.end());
  std::sort(expected.begin(), expected.end());
  std::sort(two_sided.begin(), two_sided.end());
  EXPECT_EQ(two_sided, expected);
  EXPECT_EQ(file, std::vector<std::string>{"io-collective-wait"});
  for (const char* id :
       {"late-post", "early-wait", "wait-at-fence", "wait-at-create", "wait-at-free", "lock-contention",
        "wait-for-progress", "flush-wait", "early-transfer", "lock-contention-comm", "request-completion"}) {
    EXPECT_TRUE(std::find(one_sided.begin(), one_sided.end(), id) != one_sided.end()) << id;
  }
}

TEST(Pop, ZeroLengthIntervalAndNoComputation) {
  CubeSample sample(2);
  const auto i = sample.interval(0, 10);
  sample.compute(0, 0, 5), sample.compute(i, 0, 0), sample.compute(i, 1, 0);
  const auto barrier = sample.call(0, "MPI_Barrier");
  sample.add("barrier", barrier, 0, 5);
  const PopMetrics empty = pop_of(sample, 1);
  EXPECT_EQ(empty.processes, 2u);
  EXPECT_EQ(empty.run_time, 0);
  EXPECT_EQ(empty.parallel_efficiency, 1);
  EXPECT_EQ(empty.of(IdealTime::advisor).transfer, 1);
  EXPECT_FALSE(empty.notes.empty());

  CubeSample only_mpi(2);
  const auto all = only_mpi.call(0, "MPI_Barrier");
  only_mpi.add("barrier", all, 0, 5), only_mpi.add("barrier", all, 1, 5);
  const PopMetrics pop = pop_of(only_mpi);
  expect_products(pop);
  EXPECT_EQ(pop.parallel_efficiency, 0);
  EXPECT_EQ(pop.load_balance, 1);
  EXPECT_EQ(pop.of(IdealTime::advisor).serialisation, 1);
}

/// PyPOP's hybrid sets: parallel efficiency over all threads = process level x thread level.
TEST(Pop, ThreadsOfProcesses) {
  CubeSample sample(1);
  const auto worker = sample.thread(0, 1);
  const auto recv = sample.call(0, "MPI_Recv");
  sample.compute(0, 0, 60), sample.add("omp-implicit-barrier", 0, 0, 10), sample.add("point-to-point", recv, 0, 30);
  sample.add("visits", 0, worker, 1), sample.compute(0, worker, 40), sample.add("omp-idle-threads", 0, worker, 60);
  const auto nested = sample.interval(0, 10);
  sample.compute(nested, 0, 0);
  const PopMetrics pop = pop_of(sample);
  ASSERT_TRUE(pop.hybrid);
  EXPECT_EQ(pop.processes, 1u);
  EXPECT_EQ(pop.hybrid->threads, 2u);
  EXPECT_EQ(pop.hybrid->useful_sum, 100'000);
  EXPECT_DOUBLE_EQ(pop.hybrid->parallel_efficiency, 0.5);
  EXPECT_DOUBLE_EQ(pop.hybrid->process_efficiency, 0.7);
  EXPECT_DOUBLE_EQ(pop.hybrid->communication_efficiency, 0.7);
  EXPECT_EQ(pop.hybrid->load_balance, 1);
  EXPECT_DOUBLE_EQ(pop.hybrid->thread_efficiency, 50.0 / 70);
  EXPECT_DOUBLE_EQ(pop.hybrid->additive_thread_efficiency, 0.8);
  const PopMetrics inner = pop_of(sample, 1);
  EXPECT_FALSE(inner.hybrid);
  EXPECT_TRUE(std::any_of(inner.notes.begin(), inner.notes.end(),
                          [](const std::string& note) { return note.find("threads") != std::string::npos; }));
}

/// Whatever the amounts: products and sums hold, nothing leaves 0 … 1, useful <= T_ideal <= T.
TEST(Pop, RandomAmountsKeepTheInvariants) {
  std::mt19937 random(11);
  const auto amount = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random) % (most / 2 + 1); };
  for (int repetition = 0; repetition < 500; ++repetition) {
    const unsigned ranks = 1 + random() % 5;
    CubeSample sample(ranks);
    const auto a = sample.interval(0, 10), b = sample.interval(a, 20), call = sample.call(b, "MPI_Recv");
    for (unsigned r = 0; r < ranks; ++r) {
      for (const auto path : {cube::CallPathId{0}, a, b}) sample.compute(path, r, amount(50));
      sample.add("openmp", a, r, amount(10)), sample.add("overhead", b, r, amount(10));
      for (const char* metric : {"point-to-point", "late-sender-wrong-order", "late-sender", "wait-at-nxn",
                                 "nxn-completion", "early-fence", "wait-at-fence", "late-post", "io-collective-wait",
                                 "mpi-io-individual", "wait-at-finalize", "init-finalize", "lock-contention-comm"}) {
        sample.add(metric, call, r, amount(20));
      }
    }
    const IntervalTable table = interval_table(sample.cube);
    for (std::size_t i = 0; i < table.intervals.size(); ++i) {
      const PopMetrics pop = pop_metrics(sample.cube, table, i);
      expect_products(pop);
      const Serialisation &advisor = pop.of(IdealTime::advisor), &published = pop.of(IdealTime::advisor_no_rma);
      for (const double e :
           {pop.parallel_efficiency, pop.load_balance, pop.additive_load_balance, advisor.serialisation,
            advisor.transfer, advisor.additive_serialisation, published.serialisation, published.transfer}) {
        EXPECT_GE(e, 0);
        EXPECT_LE(e, 1 + 1e-12);
      }
      EXPECT_LE(pop.useful_max, published.ideal_time);
      EXPECT_LE(published.ideal_time, advisor.ideal_time);
      EXPECT_LE(advisor.ideal_time, pop.run_time);
    }
  }
}

TEST(Pop, ComputationScaling) {
  PopMetrics reference, run;
  reference.processes = 4, run.processes = 8;
  reference.useful_sum = 1000, run.useful_sum = 1250;
  run.parallel_efficiency = 0.5;
  const ComputationScaling plain = scaling_against(reference, run, Scaling::strong);
  EXPECT_DOUBLE_EQ(plain.computation, 0.8);
  EXPECT_DOUBLE_EQ(plain.global_efficiency, 0.4);
  EXPECT_FALSE(plain.instructions || plain.ipc || plain.frequency);
  reference.instructions = 3000, reference.cycles = 2000, run.instructions = 3200, run.cycles = 2400;
  const ComputationScaling counted = scaling_against(reference, run, Scaling::strong);
  EXPECT_DOUBLE_EQ(*counted.instructions, 3000.0 / 3200);
  EXPECT_DOUBLE_EQ(*counted.ipc, (3200.0 / 2400) / 1.5);
  EXPECT_DOUBLE_EQ(*counted.frequency, (2400.0 / 1250) / 2);
  EXPECT_NEAR(*counted.instructions * *counted.ipc * *counted.frequency, counted.computation, 1e-12);
  // Weak: twice the processes have twice the work.
  EXPECT_DOUBLE_EQ(scaling_against(reference, run, Scaling::weak).computation, 1.6);
  EXPECT_DOUBLE_EQ(*scaling_against(reference, run, Scaling::weak).instructions, 6000.0 / 3200);
  run.useful_sum = 0;
  EXPECT_EQ(scaling_against(reference, run, Scaling::strong).computation, 1);
}

}  // namespace
}  // namespace mora::analysis
