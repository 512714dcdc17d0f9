/// What is kept of what threads execute in OpenMP barriers.
#include "analysis/patterns/threads/thread_log.h"
#include "analysis/storage/storage.h"

#include <gtest/gtest.h>

namespace mora::analysis {
namespace {

OpenCall call_of(std::uint64_t number, Account account, Account around) {
  OpenCall call;
  call.number = number;
  call.enter = static_cast<Nanoseconds>(number);
  call.depth = 2;
  call.traits.account = account;
  call.around = around;
  return call;
}

class ThreadLogs : public testing::Test {
 protected:
  void task(std::uint64_t number) {
    collector_.on_leave(call_of(number, Account::computation, Account::omp_implicit_barrier), 1000);
  }
  void barrier(std::uint64_t number, Account around = Account::computation) {
    collector_.on_leave(call_of(number, Account::omp_implicit_barrier, around), 1000);
  }
  std::vector<std::uint64_t> tasks_of(const ThreadVisit& barrier) const {
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = barrier.first_work; i < barrier.end_work; ++i) numbers.push_back(log_.work[i].number);
    return numbers;
  }

  Storage storage_{64U << 20};
  StorageScope scope_{&storage_};
  ThreadLog log_;
  ThreadCollector collector_{log_};
};

TEST_F(ThreadLogs, TasksBelongToTheInnermostBarrier) {
  task(2);
  task(5);
  task(6);
  barrier(4);  // in task 3
  task(3);
  task(7);
  barrier(1);
  barrier(8);
  ASSERT_EQ(log_.barriers.size(), 3U);
  EXPECT_EQ(tasks_of(log_.barriers[0]), (std::vector<std::uint64_t>{5, 6}));
  EXPECT_EQ(tasks_of(log_.barriers[1]), (std::vector<std::uint64_t>{2, 3, 7}));
  EXPECT_TRUE(tasks_of(log_.barriers[2]).empty());
}

TEST_F(ThreadLogs, ABarrierInABarrierIsNoneOfItsOwnTasks) {
  task(3);
  barrier(2, Account::omp_implicit_barrier);
  barrier(1);
  ASSERT_EQ(log_.barriers.size(), 2U);
  EXPECT_EQ(tasks_of(log_.barriers[0]), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(tasks_of(log_.barriers[1]), (std::vector<std::uint64_t>{2}));
}

TEST_F(ThreadLogs, TasksAreWhereMemoryIsBounded) {
  constexpr std::uint64_t count = 100000;
  for (std::uint64_t i = 0; i < count; ++i) task(2 + i);
  EXPECT_GE(storage_.bytes_on_disk(), count * sizeof(ThreadWork)) << "while the barrier is open";
  barrier(1);
  EXPECT_GE(storage_.bytes_on_disk(), 2 * count * sizeof(ThreadWork));
  EXPECT_EQ(tasks_of(log_.barriers[0]).size(), count);
}

}  // namespace
}  // namespace mora::analysis
