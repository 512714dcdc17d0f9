// Archives that Mora did not write: Score-P's flavour with every record, OpenMP alone, EZTrace's doubled definitions,
// the other byte order, and undefined references everywhere.
#include "support/otf2/foreign_archive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>

#include "support/otf2/swapped_archive.h"
#include "support/read_events.h"
#include "trace/readers/otf2/otf2_source.h"

namespace mora::trace {
namespace foreign_archive_test {

std::unique_ptr<Source> open(const ForeignArchive& archive) {
  auto source = open_otf2(archive.directory() + "/traces.otf2");
  EXPECT_TRUE(source) << source.error().text();
  return source ? std::move(*source) : nullptr;
}

std::vector<Event> of(const std::vector<Event>& all, EventKind kind) {
  std::vector<Event> result;
  std::copy_if(all.begin(), all.end(), std::back_inserter(result), [&](const Event& e) { return e.kind == kind; });
  return result;
}

std::map<std::string, std::uint64_t> counts(Source& source, const std::vector<Event>& events) {
  std::map<std::string, std::uint64_t> result;
  for (const Event& e : events)
    ++result[e.kind == EventKind::user ? source.definitions().user_types.at(e.vector) : to_string(e.kind)];
  return result;
}

std::map<std::string, std::uint64_t> quality(Source& source) {
  std::map<std::string, std::uint64_t> result;
  for (const QualityRow& row : source.quality().rows()) result[row.kind] += row.count;
  return result;
}

class ScoreP : public ::testing::Test {
 protected:
  const ForeignArchive archive_{Foreign::score_p};
  const std::unique_ptr<Source> source_ = open(archive_);
  const Definitions& d_ = source_->definitions();
  const std::vector<Event> first_ = read_events(*source_, 0);
};

TEST_F(ScoreP, every_record_is_read) {
  for (LocationId l = 1; l < d_.locations.size(); ++l) read_events(*source_, l);
  EXPECT_EQ(quality(*source_), (std::map<std::string, std::uint64_t>{}));
  const std::map<std::string, std::uint64_t> expected = {
      {"enter", 8},
      {"leave", 8},
      {"metric", 4},
      {"input", 1},
      {"collective_request", 1},
      {"collective_complete", 1},
      {"team_collective_end", 1},
      {"fork", 3},
      {"join", 3},
      {"acquire", 2},
      {"release", 2},
      {"atomic", 2},
      {"put", 2},
      {"get", 1},
      {"rma_complete", 3},
      {"flush", 1},
      {"lock_request", 2},
      {"lock_release", 2},
      {"group_sync", 1},
      {"window_create", 1},
      {"window_free", 1},
      {"rma_collective_begin", 2},
      {"rma_collective_end", 2},
      {"io_begin", 2},
      {"io_end", 2},
      {"send", 1},
      {"send_request", 1},
      {"send_complete", 1},
      {"receive_request", 1},
      {"cancelled", 1},
      {"collective_begin", 1},
      {"collective_end", 1},
      {"program_begin", 1},
      {"program_end", 1},
      {"recording_off", 1},
      {"recording_on", 1},
      {"overhead_begin", 1},
      {"overhead_end", 1},
      {"MpiRequestTest", 1},
      {"ThreadTeamBegin", 1},
      {"ThreadTeamEnd", 1},
      {"ThreadTaskCreate", 2},
      {"ThreadTaskSwitch", 2},
      {"ThreadTaskComplete", 2},
      {"CommCreate", 1},
      {"CommDestroy", 1},
      {"RmaSync", 1},
      {"RmaOpTest", 1},
      {"RmaWaitChange", 1},
      {"IoCreateHandle", 1},
      {"IoDestroyHandle", 1},
      {"IoDuplicateHandle", 1},
      {"IoSeek", 1},
      {"IoChangeStatusFlags", 1},
      {"IoDeleteFile", 1},
      {"IoOperationTest", 1},
      {"IoOperationIssued", 1},
      {"IoAcquireLock", 1},
      {"IoReleaseLock", 1},
      {"IoTryLock", 1},
      {"CallingContextSample", 1},
  };
  EXPECT_EQ(counts(*source_, first_), expected);
}

TEST_F(ScoreP, who_wants_some_kinds_gets_those_and_no_others) {
  class Wanting : public EventCollector {
   public:
    explicit Wanting(EventKind kind) : kind_(kind) {}
    std::uint64_t kinds() const override { return kind_bit(kind_); }

   private:
    EventKind kind_;
  };
  std::size_t wanted = 0;
  for (int k = 0; k <= static_cast<int>(EventKind::other); ++k) {
    const auto kind = static_cast<EventKind>(k);
    Wanting sink(kind);
    ASSERT_TRUE(source_->read_location(0, sink));
    const std::vector<Event> expected = of(first_, kind);
    ASSERT_EQ(sink.events.size(), expected.size()) << to_string(kind);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(sink.events[i].kind, kind);
      EXPECT_EQ(sink.events[i].time, expected[i].time);
    }
    wanted += expected.size();
  }
  EXPECT_EQ(wanted, first_.size());
  EXPECT_EQ(quality(*source_), (std::map<std::string, std::uint64_t>{}));
}

TEST_F(ScoreP, locations_of_all_kinds) {
  ASSERT_EQ(d_.locations.size(), 5U);
  EXPECT_EQ(d_.world_size, 2U);
  std::string text;
  for (const Location& l : d_.locations)
    text += l.name + " " + std::to_string(l.rank) + "." + std::to_string(l.thread) + " " +
            std::to_string(static_cast<int>(l.kind)) + " " + std::to_string(l.file_id) + "\n";
  EXPECT_EQ(text,
            "rank 0 0.0 0 0\n"
            "rank 0 thread 1 0.1 0 65536\n"
            "rank 0 CUDA[0:7] 0.2 1 131072\n"
            "rank 1 1.0 0 8589934592\n"
            "rank 1 power 1.1 2 8589934593\n");
  EXPECT_EQ(d_.location_of_rank(1), 3U);
  const auto stream = read_events(*source_, 2);
  ASSERT_EQ(stream.size(), 2U);
  EXPECT_EQ(d_.regions[stream[0].region].group, "CUDA");
  const auto power = read_events(*source_, 4);
  ASSERT_EQ(power.size(), 1U);
  EXPECT_EQ(d_.metrics[power[0].vector].name, "power");
  EXPECT_EQ(d_.metrics[power[0].vector].unit, "W");
  EXPECT_EQ(std::bit_cast<double>(power[0].bytes), 250.0);
  EXPECT_EQ(power[0].time, 50);
}

TEST_F(ScoreP, regions_have_groups_and_communicators_are_of_processes) {
  std::map<std::string, std::string> groups;
  for (const Region& region : d_.regions) groups[region.name] = region.group;
  EXPECT_EQ(groups["MPI_Wait"], "MPI");
  EXPECT_EQ(groups["main"], "COMPILER");
  EXPECT_EQ(groups["!$omp for @app.c:14"], "OPENMP");
  EXPECT_EQ(groups["solve"], "PHYSICS");
  ASSERT_EQ(d_.communicators.size(), 2U);  // a team of threads is none
  EXPECT_EQ(d_.communicators[1].members, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(d_.communicators[1].parent, 0U);
  EXPECT_EQ(d_.time_origin, 5000000);
  EXPECT_EQ(d_.program, "app");
}

TEST_F(ScoreP, values_of_the_new_kinds) {
  const auto request = of(first_, EventKind::collective_request).at(0);
  EXPECT_EQ(request.collective, Collective::barrier);
  EXPECT_EQ(request.request, 1U);
  const auto complete = of(first_, EventKind::collective_complete).at(0);
  EXPECT_EQ(complete.comm, 0U);
  EXPECT_EQ(complete.request, 1U);
  const auto atomics = of(first_, EventKind::atomic);
  EXPECT_EQ(atomics.at(0).rma_operation, RmaOperation::fetch_and_op);
  EXPECT_EQ(atomics.at(0).peer, 1U);
  EXPECT_EQ(atomics.at(0).bytes, 8U);
  EXPECT_EQ(atomics.at(0).received, 16U);
  EXPECT_EQ(atomics.at(0).end_time, at_leave);
  EXPECT_EQ(atomics.at(1).rma_operation, RmaOperation::compare_and_swap);
  const auto puts = of(first_, EventKind::put);
  EXPECT_EQ(puts.at(0).rma_operation, RmaOperation::accumulate);
  EXPECT_EQ(puts.at(0).received, 24U);
  EXPECT_EQ(puts.at(1).rma_operation, RmaOperation::put);
  const auto locks = of(first_, EventKind::lock_request);
  EXPECT_EQ(locks.at(0).peer, no_id);
  EXPECT_FALSE(locks.at(0).lock_exclusive);
  EXPECT_EQ(locks.at(1).peer, 1U);
  EXPECT_TRUE(locks.at(1).lock_exclusive);
  const auto flush = of(first_, EventKind::flush).at(0);
  EXPECT_EQ(flush.rma_operation, RmaOperation::flush_local);
  EXPECT_EQ(flush.peer, 1U);
  EXPECT_EQ(flush.window, 0U);
  const auto forks = of(first_, EventKind::fork);
  EXPECT_EQ(forks.at(0).peer, 2U);
  EXPECT_EQ(forks.at(1).peer, 1U);
  EXPECT_EQ(forks.at(1).request, 77U);
  EXPECT_EQ(of(first_, EventKind::join).at(1).request, 77U);
  EXPECT_EQ(of(first_, EventKind::acquire).at(0).request, 3U);
  const auto begins = of(first_, EventKind::io_begin);
  EXPECT_EQ(d_.files.at(begins.at(0).file), "/scratch/out.dat");
  EXPECT_EQ(begins.at(0).bytes, 4096U);
  EXPECT_EQ(begins.at(0).request, 42U);
  EXPECT_EQ(begins.at(1).bytes, 0U);
  EXPECT_EQ(d_.files.at(begins.at(1).file), "stdin");
  EXPECT_EQ(of(first_, EventKind::io_end).at(0).bytes, 4000U);
  const auto metrics = of(first_, EventKind::metric);
  std::string values;
  for (const Event& e : metrics)
    values += d_.metrics.at(e.vector).name + "=" + std::to_string(std::bit_cast<double>(e.bytes)) + " ";
  EXPECT_EQ(values, "n=-7.000000 m=7.000000 PAPI_TOT_INS=-5.000000 ratio=2.500000 ");
  const auto user = of(first_, EventKind::user);
  EXPECT_EQ(d_.user_types.at(user.at(0).vector), "input");
  EXPECT_EQ(d_.strings.at(user.at(0).request), "app");
  const auto sample = std::find_if(
      user.begin(), user.end(), [&](const Event& e) { return d_.user_types.at(e.vector) == "CallingContextSample"; });
  ASSERT_NE(sample, user.end());
  EXPECT_EQ(d_.strings.at(sample->request), "solve");
}

TEST_F(ScoreP, a_team_leaves_together) {
  const auto end = std::find_if(first_.begin(), first_.end(),
                                [](const Event& e) { return e.kind == EventKind::team_collective_end; });
  ASSERT_NE(end, first_.end());
  EXPECT_EQ((end + 1)->kind, EventKind::leave);
  EXPECT_EQ((end + 1)->time, end->time);
  EXPECT_EQ(d_.regions[(end + 1)->region].name, "!$omp for @app.c:14");
}

TEST(ForeignArchive, openmp_alone) {
  const ForeignArchive archive(Foreign::openmp);
  const auto source = open(archive);
  const Definitions& d = source->definitions();
  EXPECT_EQ(d.world_size, 1U);
  ASSERT_EQ(d.locations.size(), 2U);
  EXPECT_EQ(d.locations[1].name, "rank 0 thread 1");
  EXPECT_TRUE(d.communicators.empty());
  const auto first = read_events(*source, 0);
  ASSERT_EQ(first.size(), 9U);
  EXPECT_EQ(first[0].time, 10000);  // microseconds
  EXPECT_EQ(first[4].kind, EventKind::team_collective_end);
  EXPECT_EQ(d.time_origin, 5000000000);
  EXPECT_TRUE(read_events(*source, 1).empty());
  EXPECT_EQ(quality(*source), (std::map<std::string, std::uint64_t>{}));
}

TEST(ForeignArchive, eztrace_numbers_two_groups_alike_and_defines_regions_per_process) {
  const ForeignArchive archive(Foreign::eztrace);
  const auto source = open(archive);
  const Definitions& d = source->definitions();
  ASSERT_EQ(d.communicators.size(), 1U);
  EXPECT_EQ(d.communicators[0].members, (std::vector<std::uint32_t>{0, 1}));
  const auto first = read_events(*source, 0);
  const auto second = read_events(*source, 1);
  ASSERT_EQ(first.size(), 4U);
  ASSERT_EQ(second.size(), 4U);
  EXPECT_EQ(first[2].kind, EventKind::send);
  EXPECT_EQ(second[2].kind, EventKind::receive);
  EXPECT_EQ(second[2].peer, 0U);
  EXPECT_EQ(first[1].region, second[1].region);  // one region, not two
  EXPECT_EQ(quality(*source), (std::map<std::string, std::uint64_t>{{"duplicate-definition", 1}}));
}

/// Regions by their first letter, each with what is inside it.
std::string nesting(const Source& source, const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events)
    text += e.kind == EventKind::enter ? source.definitions().regions[e.region].name.substr(0, 1) + "(" : ")";
  return text;
}

TEST(ForeignArchive, lost_leaves_nest_nothing_else) {
  const ForeignArchive archive(Foreign::tasks);
  const auto source = open(archive);
  // Three tasks without leave, and a leave out of order.
  const auto first = read_events(*source, 0);
  EXPECT_EQ(nesting(*source, first), "m(t()w()t()w()t()w()t(w()))");
  ASSERT_GT(first.size(), 3U);
  EXPECT_EQ(first[2].time, first[3].time);  // the first task ends where work begins
  // What is entered once and not left is open to the end.
  EXPECT_EQ(nesting(*source, read_events(*source, 1)), "s(t()w()t()w()t()w()s())");
  EXPECT_EQ(quality(*source),
            (std::map<std::string, std::uint64_t>{
                {"lost-leave", 6}, {"missing-leave", 1}, {"stray-leave", 2}, {"unclosed-region", 1}}));
}

TEST(ForeignArchive, undefined_references_are_counted) {
  const ForeignArchive archive(Foreign::damaged);
  const auto source = open(archive);
  const Definitions& d = source->definitions();
  ASSERT_EQ(d.locations.size(), 2U);
  const auto first = read_events(*source, 0);
  EXPECT_EQ(first[0].time, 0);  // without clock properties the earliest event is the origin
  EXPECT_EQ(d.time_origin, 5000010);
  EXPECT_TRUE(read_events(*source, 1).empty());
  const auto found = quality(*source);
  EXPECT_EQ(found.at("no-clock-properties"), 1U);
  EXPECT_EQ(found.at("duplicate-definition"), 1U);
  EXPECT_EQ(found.at("circular-definition"), 2U);
  EXPECT_EQ(found.at("skipped-location"), 1U);
  EXPECT_GT(found.at("undefined-reference"), 10U);
  EXPECT_GT(found.at("undefined-group-member"), 3U);
}

TEST(ForeignArchive, without_a_location_is_an_error_that_says_so) {
  const ForeignArchive archive(Foreign::no_place);
  const auto source = open_otf2(archive.directory() + "/traces.otf2");
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().kind, ErrorKind::unreadable);
  EXPECT_EQ(source.error().why, "it defines no location");
}

class ByteOrder : public ::testing::TestWithParam<Foreign> {};

TEST_P(ByteOrder, does_not_matter) {
  const ForeignArchive little(GetParam());
  const ForeignArchive big(GetParam());
  swap_byte_order(big.directory());
  const auto a = open(little);
  const auto b = open(big);
  ASSERT_EQ(a->definitions().locations.size(), b->definitions().locations.size());
  for (LocationId l = 0; l < a->definitions().locations.size(); ++l) {
    EXPECT_EQ(a->definitions().locations[l].file_id, b->definitions().locations[l].file_id);
    EXPECT_EQ(a->definitions().locations[l].name, b->definitions().locations[l].name);
    const auto x = read_events(*a, l);
    const auto y = read_events(*b, l);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].kind, y[i].kind);
      EXPECT_EQ(x[i].time, y[i].time);
      EXPECT_EQ(x[i].region, y[i].region);
      EXPECT_EQ(x[i].peer, y[i].peer);
      EXPECT_EQ(x[i].bytes, y[i].bytes);
      EXPECT_EQ(x[i].request, y[i].request);
    }
  }
  EXPECT_EQ(a->definitions().time_origin, b->definitions().time_origin);
  EXPECT_EQ(quality(*a), quality(*b));
}

INSTANTIATE_TEST_SUITE_P(Archives, ByteOrder, ::testing::Values(Foreign::eztrace, Foreign::openmp));

}  // namespace foreign_archive_test
}  // namespace mora::trace
