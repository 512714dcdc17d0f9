#include "experiment/journals/process_records.h"

#include "support/journal/journal_program.h"

namespace mora::experiment {
namespace {

using journal::Journal;
using journal::Record;

/// A journal of calls at (begin, duration), and of what else is written between them.
class ThreadProgram : public journal::TestProgram {
 public:
  ThreadProgram() { EXPECT_EQ(open(), 0); }
  void record(std::uint64_t begin, std::uint64_t duration, unsigned shape, std::vector<std::uint64_t> payload) {
    std::uint64_t* r = mora_journal_small(&writer);
    r[1] = begin;
    r[2] = 0x4000;
    r[3] = duration << 32;
    std::copy(payload.begin(), payload.end(), r + 4);
    mora_journal_publish(&writer, r, static_cast<unsigned>(4 + payload.size()), shape < 32 ? 3 : 0, shape, 0);
  }
  void call(std::uint64_t begin, std::uint64_t duration) { record(begin, duration, MORA_SHAPE_CALL, {}); }
  Journal close() {
    end();
    DataQuality quality;
    auto opened = Journal::open(path_, quality);
    EXPECT_TRUE(opened && quality.empty());
    return std::move(*opened);
  }
};

std::vector<std::pair<std::size_t, std::uint64_t>> order_of(const std::vector<const Journal*>& journals) {
  std::vector<std::pair<std::size_t, std::uint64_t>> order;
  ProcessRecords records(journals);
  Record record;
  for (std::size_t which = 0; records.next(which, record);)
    if (record.shape != MORA_SHAPE_END) order.emplace_back(which, record.begin);
  return order;
}

TEST(ProcessRecords, StandInTheOrderOfReturn) {
  ThreadProgram first, second;
  first.call(10, 30);   // returns at 40
  first.call(60, 10);   // at 70
  second.call(12, 3);   // at 15
  second.call(20, 20);  // at 40, too: behind thread 0's
  second.call(50, 40);  // at 90
  const auto a = first.close(), b = second.close();
  using Order = std::vector<std::pair<std::size_t, std::uint64_t>>;
  EXPECT_EQ(order_of({&a, &b}), (Order{{1, 12}, {0, 10}, {1, 20}, {0, 60}, {1, 50}}));
  EXPECT_EQ(order_of({&a}), (Order{{0, 10}, {0, 60}}));
  EXPECT_EQ(order_of({}), Order{});
}

TEST(ProcessRecords, WhatHasNoTimeOrGoesBackStaysBehindTheRecordBeforeIt) {
  ThreadProgram first, second;
  first.call(100, 10);
  first.record(0, 0, MORA_SHAPE_NOTE, {0, 0});  // no time
  first.call(90, 5);                            // a clock that went back
  second.call(50, 5);
  second.call(105, 4);
  const auto a = first.close(), b = second.close();
  EXPECT_EQ(order_of({&a, &b}),
            (std::vector<std::pair<std::size_t, std::uint64_t>>{{1, 50}, {1, 105}, {0, 100}, {0, 0}, {0, 90}}));
}

TEST(HandedRequests, AreThoseThatAnotherThreadCompletes) {
  const std::uint64_t of_second = std::uint64_t{2} << 40;
  EXPECT_EQ(thread_of_request(7), 0u);
  EXPECT_EQ(thread_of_request(of_second + 7), 2u);
  ThreadProgram program;
  program.record(1, 1, MORA_SHAPE_COMPLETE, {7, 0, 0, 0, of_second + 1, 0, 0, 0, 0, 0, 0, 0});
  program.record(3, 1, MORA_SHAPE_RECV, {0, 8, of_second + 2});
  program.record(5, 1, MORA_SHAPE_RECV, {0, 8});
  const auto journal = program.close();
  HandedRequests of_first, of_third;
  Record record;
  for (auto cursor = journal.records(); cursor.next(record);) {
    of_first.take(record, 0);
    of_third.take(record, 2);
  }
  EXPECT_EQ(of_first.size(), 2u);
  EXPECT_TRUE(of_first.contains(of_second + 1) && of_first.contains(of_second + 2));
  EXPECT_EQ(of_third.size(), 1u);
  EXPECT_TRUE(of_third.contains(7));
}

}  // namespace
}  // namespace mora::experiment
