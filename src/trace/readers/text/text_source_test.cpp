#include "trace/readers/text/text_source.h"

#include <gtest/gtest.h>

#include <bit>

#include "trace/mpi_function.h"

namespace mora::trace {
namespace {

std::unique_ptr<MemorySource> read(const std::string& body) {
  auto source = read_trace_text("mora-trace 1\n" + body);
  if (!source) ADD_FAILURE() << source.error().text();
  return source ? std::move(*source) : std::make_unique<MemorySource>();
}

std::string kinds(const std::vector<Event>& events) {
  std::string text;
  for (const Event& e : events) text += (text.empty() ? "" : " ") + std::to_string(e.time) + ":" + to_string(e.kind);
  return text;
}

TEST(TraceText, implies_the_records_of_a_call) {
  const auto t = read("P0 10-14 MPI_Send@a.c:20 to 1 bytes 100 tag 3\nP1 12-15 MPI_Recv from 0 bytes 100 tag 3\n");
  ASSERT_EQ(t->events.size(), 2U);
  EXPECT_EQ(kinds(t->events[0]), "0:enter 0:send 4:leave");
  EXPECT_EQ(kinds(t->events[1]), "2:enter 5:receive 5:leave");
  const Event& send = t->events[0][1];
  EXPECT_EQ(send.peer, 1U);
  EXPECT_EQ(send.bytes, 100U);
  EXPECT_EQ(send.tag, 3);
  const Region& region = t->defs.regions[t->events[0][0].region];
  EXPECT_EQ(region.name, "MPI_Send");
  EXPECT_EQ(region.call_site_file, "a.c");
  EXPECT_EQ(region.call_site_line, 20U);
  EXPECT_EQ(region.function, mpi::FunctionId::send);
  EXPECT_EQ(t->defs.communicators[0].members.size(), 2U);
}

TEST(TraceText, nests_calls_by_time) {
  const auto t = read("P0 0-100 main; 10-20 f; 15-18 g; 20-30 f; 90-100 h\n");
  EXPECT_EQ(kinds(t->events[0]),
            "0:enter 10:enter 15:enter 18:leave 20:leave 20:enter 30:leave 90:enter 100:leave 100:leave");
}

TEST(TraceText, transfers_say_what_they_access_at_the_target_and_files_who_takes_part) {
  const auto t = read(R"(ranks 2
P0 0-1 MPI_Put w0 to 1 bytes 16 offset 8 extent 40; 1-2 MPI_Put w0 to 1 bytes 16 offset 64; 2-3 MPI_Get w0 to 1 sent 4 recvd 8 offset 0
P0 3-4 MPI_Put w0 to 1; 4 ENTER MPI_Fetch_and_op; 4 ATOMIC_1TS @1 w0 rma9 sent 8 offset 24; 5 ATOMIC_1TE @1 w0 rma9 recvd 8; 5 EXIT
P1 0 ENTER MPI_File_write_all; 0 IO_START file out bytes 8 id 1 comm WORLD collective; 1 IO_END file out bytes 8 id 1 comm WORLD collective; 1 EXIT
P1 2 IO_START file out bytes 4 id 2
)");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const Event& e : t->events[0])
    if (e.kind == EventKind::put || e.kind == EventKind::get || e.kind == EventKind::atomic)
      ranges.emplace_back(e.target_offset, e.target_extent);
  EXPECT_EQ(ranges,
            (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{8, 40}, {64, 16}, {0, 4}, {no_offset, 0}, {24, 8}}));
  std::string files;
  for (const Event& e : t->events[1])
    if (e.kind == EventKind::io_begin || e.kind == EventKind::io_end)
      files += std::string(e.collective_io ? "all" : "one") + (e.comm == 0 ? " of WORLD;" : ";");
  EXPECT_EQ(files, "all of WORLD;all of WORLD;one;");
}

TEST(TraceText, requests_live_from_post_to_completion) {
  const auto t = read(R"(P0 0-1 MPI_Irecv from 1 tag 2 req a; 2-3 MPI_Isend to 1 req b; 4-9 MPI_Waitall req b,a
P0 10-11 MPI_Recv_init from 1 req p; 12-13 MPI_Start req p; 14-15 MPI_Wait req p; 16-17 MPI_Start req p; 18-19 MPI_Wait req p
P1 0-1 MPI_Irecv from 0 req a; 1-2 MPI_Cancel req a; 2-3 MPI_Wait req a cancelled
)");
  EXPECT_EQ(
      kinds(t->events[0]),
      "0:enter 0:receive_request 1:leave 2:enter 2:send_request 3:leave 4:enter 9:send_complete 9:receive_complete "
      "9:leave 10:enter 11:leave 12:enter 12:receive_request 13:leave 14:enter 15:receive_complete 15:leave "
      "16:enter 16:receive_request 17:leave 18:enter 19:receive_complete 19:leave");
  const auto& e = t->events[0];
  EXPECT_EQ(e[1].request, e[8].request);
  EXPECT_EQ(e[4].request, e[7].request);
  EXPECT_NE(e[13].request, e[19].request);
  EXPECT_EQ(e[8].tag, 2);
  EXPECT_EQ(kinds(t->events[1]), "0:enter 0:receive_request 1:leave 1:enter 2:leave 2:enter 3:cancelled 3:leave");
}

TEST(TraceText, sizes_of_collectives_need_the_world_first) {
  const auto t = read("P0 0-5 MPI_Bcast root 0 bytes 10\nP1 0-5 MPI_Bcast bytes 10\nP2 1-5 MPI_Bcast bytes 10\n");
  EXPECT_EQ(kinds(t->events[0]), "0:enter 0:collective_begin 5:collective_end 5:leave");
  EXPECT_EQ(t->events[0][2].bytes, 30U);
  EXPECT_EQ(t->events[0][2].received, 10U);
  EXPECT_EQ(t->events[2][2].bytes, 0U);
  EXPECT_EQ(t->events[2][2].root, 0U);
}

TEST(TraceText, pairs_raw_transfer_records) {
  const auto t =
      read(R"(P0 20 ENTER MPI_Put; 21 PUT_1TS @1 w0 rma1 sent 80; 24 PUT_1TE_REMOTE @1 w0 rma1 recvd 80; 25 EXIT
P0 30 ENTER MPI_Get; 31 GET_1TS_REMOTE @1 w0 rma2 sent 40; 34 GET_1TE @1 w0 rma2 recvd 40; 35 EXIT
P1 20 ENTER main; 50 EXIT
)");
  EXPECT_EQ(kinds(t->events[0]), "0:enter 1:put 5:leave 10:enter 11:get 15:leave");
  EXPECT_EQ(t->events[0][1].end_time, 4);
  EXPECT_EQ(t->events[0][4].end_time, 14);
  EXPECT_EQ(t->events[0][1].peer, 1U);
  EXPECT_EQ(t->events[0][1].received, 80U);
  EXPECT_TRUE(t->quality().empty());
  const auto local =
      read("P1 5 PUT_1TE @0 w0 rma1 recvd 8\nP0 1 PUT_1TS @1 w0 rma1 sent 8; 4 PUT_1TS @1 w0 rma2 sent 8\n");
  EXPECT_EQ(kinds(local->events[0]), "0:put 3:put");
  EXPECT_EQ(local->events[0][0].end_time, 4);
  ASSERT_EQ(local->quality().rows().size(), 1U);
  EXPECT_EQ(local->quality().rows()[0].kind, "transfer-without-end");
}

TEST(TraceText, epochs_carry_their_group) {
  const auto t = read(R"(P0 0-1 MPI_Win_post w0 group 2,1; 2-3 MPI_Win_test w0; 4-5 MPI_Win_wait w0
P1 0-1 MPI_Win_start w0 group 0; 1-2 MPI_Win_complete w0
P2 0-1 MPI_Win_lock w0 to 0 shared; 2-3 MPI_Win_unlock w0 to 0; 4-5 MPI_Win_fence w0 assert noprecede+nostore
)");
  const auto& e = t->events[0];
  EXPECT_EQ(kinds(e), "0:enter 1:group_sync 1:leave 2:enter 3:group_sync 3:leave 4:enter 5:group_sync 5:leave");
  EXPECT_EQ(t->defs.groups[e[7].group].members, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_FALSE(e[4].epoch_closed);
  EXPECT_TRUE(e[7].epoch_closed);
  EXPECT_FALSE(t->events[2][1].lock_exclusive);
  EXPECT_EQ(t->events[2][8].assertion, 10U);
}

TEST(TraceText, non_blocking_collectives_live_from_start_to_completion) {
  const auto t = read(R"(P0 0-1 MPI_Ibcast root 1 bytes 10 req a; 2-5 MPI_Wait req a; 6-7 MPI_Ibarrier
P1 0-1 MPI_Ibcast root 1 bytes 10 req a; 2-5 MPI_Wait req a
)");
  const auto& e = t->events[0];
  EXPECT_EQ(kinds(e), "0:enter 0:collective_request 1:leave 2:enter 5:collective_complete 5:leave 6:enter 7:leave");
  EXPECT_EQ(e[1].collective, Collective::bcast);
  EXPECT_EQ(e[1].root, 1U);
  EXPECT_EQ(e[4].collective, Collective::bcast);
  EXPECT_EQ(e[4].request, e[1].request);
  EXPECT_EQ(e[4].bytes, 0U);
  EXPECT_EQ(e[4].received, 10U);
  EXPECT_EQ(t->events[1][4].bytes, 20U);
}

TEST(TraceText, one_sided_operations_of_mpi_3) {
  const auto t =
      read(R"(P0 0-1 MPI_Win_lock_all w0; 2-3 MPI_Fetch_and_op to 1 w0 bytes 8; 4-5 MPI_Rget to 1 w0 bytes 64 req r
P0 6-7 MPI_Wait req r; 8-9 MPI_Win_flush_local to 1 w0; 10-11 MPI_Win_flush_all w0; 12-13 MPI_Win_unlock_all w0
P1 0 ATOMIC_1TS @0 w0 rma7 sent 4; 5 ATOMIC_1TE @0 w0 rma7 recvd 8; 6 WFLUSH w0; 7 WFLUSH @0 w0 local
)");
  const auto& e = t->events[0];
  EXPECT_EQ(kinds(e),
            "0:enter 1:lock_request 1:leave 2:enter 2:atomic 3:leave 4:enter 4:get 5:leave 6:enter 7:rma_complete "
            "7:leave 8:enter 9:flush 9:leave 10:enter 11:flush 11:leave 12:enter 13:lock_release 13:leave");
  EXPECT_EQ(e[1].peer, no_id);
  EXPECT_FALSE(e[1].lock_exclusive);
  EXPECT_EQ(e[4].rma_operation, RmaOperation::fetch_and_op);
  EXPECT_EQ(e[4].end_time, 3);
  EXPECT_EQ(e[10].request, e[7].request);
  EXPECT_EQ(e[13].peer, 1U);
  EXPECT_EQ(e[13].rma_operation, RmaOperation::flush_local);
  EXPECT_EQ(e[16].peer, no_id);
  EXPECT_EQ(e[16].rma_operation, RmaOperation::flush);
  EXPECT_EQ(kinds(t->events[1]), "0:atomic 6:flush 7:flush");
  EXPECT_EQ(t->events[1][0].end_time, 5);
  EXPECT_EQ(t->events[1][0].received, 8U);
}

TEST(TraceText, threads_files_counters_and_user_events) {
  const auto t = read(R"(metric INS unit count
region work group USER
location P0.2 device gpu0
P0 0 ENTER work; 1 FORK threads 2; 2 METRIC INS -1.5e3; 3 USER phase 2 of 3; 4 IO_START file a.dat bytes 100 id 5
P0 6 IO_END file a.dat bytes 80 id 5; 7 ALOCK id 9; 8 RLOCK id 9; 9 JOIN; 10 OMPCEXIT
)");
  const auto& e = t->events[0];
  EXPECT_EQ(kinds(e),
            "0:enter 1:fork 2:metric 3:user 4:io_begin 6:io_end 7:acquire 8:release 9:join 10:team_collective_end "
            "10:leave");
  EXPECT_EQ(e[1].peer, 2U);
  EXPECT_EQ(std::bit_cast<double>(e[2].bytes), -1500.0);
  EXPECT_EQ(t->defs.metrics[e[2].vector].name, "INS");
  EXPECT_EQ(t->defs.metrics[e[2].vector].unit, "count");
  EXPECT_EQ(t->defs.user_types[e[3].vector], "phase");
  EXPECT_EQ(t->defs.strings[e[3].request], "2 of 3");
  EXPECT_EQ(t->defs.files[e[5].file], "a.dat");
  EXPECT_EQ(e[5].bytes, 80U);
  EXPECT_EQ(e[6].request, 9U);
  EXPECT_EQ(t->defs.regions[e[0].region].group, "USER");
  ASSERT_EQ(t->defs.locations.size(), 2U);
  EXPECT_EQ(t->defs.locations[1].kind, LocationKind::device);
  EXPECT_EQ(t->defs.locations[1].name, "gpu0");
}

TEST(TraceText, raw_records_of_non_blocking_collectives) {
  const auto t = read(R"(P0 0 ENTER MPI_Ireduce; 1 NBC_START req a root 0 sent 8; 2 EXIT; 3 NBC_END req a recvd 16
P1 0 ENTER MPI_Init
)");
  const auto& e = t->events[0];
  EXPECT_EQ(kinds(e), "0:enter 1:collective_request 2:leave 3:collective_complete");
  EXPECT_EQ(e[3].collective, Collective::reduce);
  EXPECT_EQ(e[3].bytes, 8U);
  EXPECT_EQ(e[3].received, 16U);
  EXPECT_EQ(e[3].root, 0U);
}

TEST(TraceText, intervals_have_numbers_and_marks_have_levels) {
  const auto t = read(R"(region solve interval at a.c:20 replicated 3
region init interval sequential group USER
P0 0-9 solve id 7; 1-2 init; 3-4 init@b.c:5 id -2; 5 ENTER init id 0x10; 6 EXIT
P0 10-11 MPI_Pcontrol level 0x0A0001BB; 12 ENTER MPI_Pcontrol level -3; 13 EXIT; 14-15 MPI_Pcontrol
P0 16-17 MPI_Send to 0 tag 0xAA0001AA; 17-18 MPI_Recv from 0 tag -1442840150; 18-19 MPI_Sendrecv to 0 from 0 tag 1 rtag 0xFFFFFFFF
)");
  std::vector<std::int32_t> numbers, tags;
  for (const Event& e : t->events[0]) {
    if (e.kind == EventKind::enter) numbers.push_back(e.tag);
    if (e.kind == EventKind::send || e.kind == EventKind::receive) tags.push_back(e.tag);
  }
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{7, 0, -2, 16, 0x0A0001BB, -3, 0, 0, 0, 0}));
  EXPECT_EQ(tags, (std::vector<std::int32_t>{-1442840150, -1442840150, 1, -1}));
  std::string regions;
  for (const Region& r : t->defs.regions) {
    if (r.role == RegionRole::interval)
      regions += r.name + '@' + r.call_site_file + ':' + std::to_string(r.call_site_line) + " x" +
                 std::to_string(static_cast<std::int32_t>(r.replication)) + ' ' + r.group + ';';
  }
  EXPECT_EQ(regions, "solve@a.c:20 x3 ;init@:0 x-1 USER;init@b.c:5 x-1 USER;");
}

TEST(TraceText, keeps_its_own_clock_origin) {
  const auto t = read("unit us\nP0 1700-1800 f\n");
  EXPECT_EQ(t->defs.time_origin, 1700000);
  EXPECT_EQ(t->events[0][0].time, 0);
}

TEST(TraceText, times_are_exact) {
  const auto t = read("unit us\nP0 1.5-2.001 f\nunit s\n3-4 g\n");
  EXPECT_EQ(kinds(t->events[0]), "0:enter 501:leave 2999998500:enter 3999998500:leave");
}

TEST(TraceText, threads_and_silent_ranks_are_locations) {
  const auto t = read("ranks 3\nP0 0-1 f\nP0.1 0-1 f\n");
  ASSERT_EQ(t->defs.locations.size(), 4U);
  EXPECT_EQ(t->defs.locations[1].thread, 1U);
  EXPECT_EQ(t->defs.location_of_rank(2), 3U);
}

TEST(TraceText, unclosed_regions_are_closed_and_counted) {
  const auto t = read("P0 0 ENTER main; 5-9 f\n");
  EXPECT_EQ(kinds(t->events[0]), "0:enter 5:enter 9:leave 9:leave");
  ASSERT_EQ(t->quality().rows().size(), 1U);
  EXPECT_EQ(t->quality().rows()[0].kind, "unclosed-region");
}

struct Wrong {
  const char* text;
  const char* where;
  const char* why;
};

class TraceTextError : public ::testing::TestWithParam<Wrong> {};

TEST_P(TraceTextError, names_place_and_expectation) {
  const auto source = read_trace_text(GetParam().text, "t");
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().where, GetParam().where);
  EXPECT_NE(source.error().why.find(GetParam().why), std::string::npos) << source.error().why;
  EXPECT_EQ(source.error().kind, ErrorKind::unreadable);
}

INSTANTIATE_TEST_SUITE_P(
    All, TraceTextError,
    ::testing::Values(Wrong{"", "t:1:1", "header"}, Wrong{"mora-trace 2\n", "t:1:12", "header"},
                      Wrong{"mora-trace 1\nfoo\n", "t:2:1", "expected a definition or a location"},
                      Wrong{"mora-trace 1\nP0\n", "t:2:3", "expected a time"},
                      Wrong{"mora-trace 1\nP0 x ENTER f\n", "t:2:4", "expected a time, found 'x'"},
                      Wrong{"mora-trace 1\nP0 0.5 ENTER f\n", "t:2:4", "finer than a nanosecond"},
                      Wrong{"mora-trace 1\nunit s\nP0 99999999999 ENTER f\n", "t:3:4", "out of range"},
                      Wrong{"mora-trace 1\nP0 5 ENTER f; 4 EXIT\n", "t:2:15", "backwards"},
                      Wrong{"mora-trace 1\nP0 5 EXIT\n", "t:2:6", "no region is open"},
                      Wrong{"mora-trace 1\nP0 5-4 f\n", "t:2:4", "ends before it begins"},
                      Wrong{"mora-trace 1\nP0 5-9 f; 7-12 g\n", "t:2:11", "overlaps"},
                      Wrong{"mora-trace 1\nP0 0-2 MPI_Send\n", "t:2:16", "expected 'to RANK'"},
                      Wrong{"mora-trace 1\nP0 0-2 MPI_Send to 1 root 2\n", "t:2:22", "no meaning here"},
                      Wrong{"mora-trace 1\nP0 0-2 MPI_Send to\n", "t:2:19", "expected a value"},
                      Wrong{"mora-trace 1\nP0 0-2 MPI_Wait req a\n", "t:2:21", "unknown request 'a'"},
                      Wrong{"mora-trace 1\nranks 2\nP0 0-2 MPI_Send to 2\n", "t:3:21", "outside the world"},
                      Wrong{"mora-trace 1\nP0 0-2 MPI_Win_wait w0\n", "t:2:8", "no MPI_Win_post"},
                      Wrong{"mora-trace 1\nP0 1 PUT_1TS @1 w0\n", "t:2:19", "transfer's number"},
                      Wrong{"mora-trace 1\nP0 1 NBC_END req a\n", "t:2:18", "unknown request"},
                      Wrong{"mora-trace 1\nP0 1 POST req a; 2 NBC_END req a\n", "t:2:32", "of no collective"},
                      Wrong{"mora-trace 1\nP0 1 NBC_START req a; 2 SENDEND req a\n", "t:2:37", "of no message"},
                      Wrong{"mora-trace 1\nP0 1 METRIC x y\n", "t:2:15", "expected a number"},
                      Wrong{"mora-trace 1\nP0 1 METRIC x\n", "t:2:14", "METRIC NAME VALUE"},
                      Wrong{"mora-trace 1\nP0 1 ALOCK\n", "t:2:11", "the lock"},
                      Wrong{"mora-trace 1\nP0 1 IO_START bytes 5\n", "t:2:22", "expected 'file NAME'"},
                      Wrong{"mora-trace 1\nP0 1 USER\n", "t:2:10", "USER TYPE"},
                      Wrong{"mora-trace 1\nP0 0-2 MPI_Ibcast root 0\n", "t:2:25", "expected 'req NAME'"},
                      Wrong{"mora-trace 1\nlocation P0 gpu\n", "t:2:13", "expected 'thread'"},
                      Wrong{"mora-trace 1\nmetric a; metric a\n", "t:2:18", "exists already"},
                      Wrong{"mora-trace 1\nP0 1 ENTER MPI_Send; 2 OMPCEXIT\n", "t:2:24", "does not end"},
                      Wrong{"mora-trace 1\nP0 1 MPI_Send to 1\n", "t:2:6", "expected a record type"},
                      Wrong{"mora-trace 1\nregion f\n", "t:2:9", "region NAME group GROUP"},
                      Wrong{"mora-trace 1\nregion f interval at x\n", "t:2:22", "expected FILE:LINE"},
                      Wrong{"mora-trace 1\nregion f interval at\n", "t:2:21", "expected a value after 'at'"},
                      Wrong{"mora-trace 1\nregion f interval replicated 0\n", "t:2:30", "number of processes"},
                      Wrong{"mora-trace 1\nregion f interval sequential replicated 2\n", "t:2:30", "said already"},
                      Wrong{"mora-trace 1\nregion f at x:1\n", "t:2:10", "only intervals"},
                      Wrong{"mora-trace 1\nregion f interval here\n", "t:2:19", "expected 'group', 'interval'"},
                      Wrong{"mora-trace 1\nregion MPI_Send interval\n", "t:2:8", "a name of its own"},
                      Wrong{"mora-trace 1\nP0 0-1 f\nregion f interval\n", "t:3:8", "its definition goes first"},
                      Wrong{"mora-trace 1\nP0 0-1 f id 3\n", "t:2:10", "no meaning here"},
                      Wrong{"mora-trace 1\nregion f interval\nP0 0-1 f id 4294967296\n", "t:3:13",
                            "a number of 32 bits"},
                      Wrong{"mora-trace 1\nP0 0-1 MPI_Pcontrol level 0x\n", "t:2:27", "a number of 32 bits"},
                      Wrong{"mora-trace 1\nP0 0-1 MPI_Send to 0 tag 0x1AA0001AA\n", "t:2:26", "expected a tag"},
                      Wrong{"mora-trace 1\ncomm c = 0,0\n", "t:2:10", "stands twice"},
                      Wrong{"mora-trace 1\nwindow x on c\n", "t:2:13", "unknown communicator"}));

}  // namespace
}  // namespace mora::trace
