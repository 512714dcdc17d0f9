#include "trace/intervals/interval_source.h"

#include "support/trace/interval_text.h"
#include "trace/intervals/region_classes.h"

namespace mora::trace {
namespace {

using testing::Decorated;

// The table of tags in the DVM analyser.
struct TagRow {
  std::uint32_t tag;
  std::int32_t number;
  MarkKind kind;
  std::uint32_t id;
};

TEST(Mark, decodes_the_table_of_the_dvm_analyser) {
  for (const TagRow& row : std::vector<TagRow>{{0xAA0001AA, -1442840150, MarkKind::begin, 1},
                                               {0xAA0001BB, -1442840133, MarkKind::end, 1},
                                               {0xAA0000AA, -1442840406, MarkKind::begin, 0},
                                               {0xAAFFFFAA, -1426063446, MarkKind::begin, 65535},
                                               {0xAAFFFFBB, -1426063429, MarkKind::end, 65535},
                                               {0xAAAAAAAA, -1431655766, MarkKind::begin, 43690},
                                               {0xAABBBBBB, -1430537285, MarkKind::end, 48059},
                                               {0xAA0001CC, -1442840116, MarkKind::invalid, 1},
                                               {0xAB0001AA, -1426062934, MarkKind::none, 0},
                                               {0x0A0001AA, 167772586, MarkKind::begin, 1},
                                               {0x0AFFFFBB, 184549307, MarkKind::end, 65535},
                                               {0x0A0001CC, 167772620, MarkKind::invalid, 1},
                                               {0x0B0001AA, 184549802, MarkKind::none, 0},
                                               {0, 0, MarkKind::none, 0},
                                               {2, 2, MarkKind::none, 0}}) {
    EXPECT_EQ(static_cast<std::int32_t>(row.tag), row.number);
    const Mark mark = decode_mark(row.number);
    EXPECT_EQ(mark.kind, row.kind) << row.number;
    EXPECT_EQ(mark.kind == MarkKind::none ? 0 : mark.id, row.id) << row.number;
  }
}

TEST(Marks, of_the_dvm_analyser_become_intervals_and_overhead) {
  Decorated t(R"(P0 0-100 main
P0 10-12 MPI_Send@a.c:5 to 0 bytes 0 tag 0xAA0001AA; 12-15 MPI_Recv@a.c:6 from 0 bytes 0 tag 0xAA0001AA
P0 20-30 work
P0 40-41 MPI_Send@a.c:9 to 0 bytes 0 tag 0xAA0001BB; 43-44 MPI_Recv@a.c:10 from 0 bytes 0 tag 0xAA0001BB
)");
  EXPECT_EQ(t[0],
            "0 enter main; 10 overhead_begin; 15 overhead_end; 15 [MPI_Send.1; 20 enter work; 30 leave work; "
            "40 ]MPI_Send.1; 40 overhead_begin; 44 overhead_end; 100 leave main; ");
  EXPECT_EQ(testing::damage(*t.source), "");
}

TEST(Regions, patterns_that_fit_nothing_are_told) {
  const std::vector<Region> regions = [] {
    Region work, send, marked;
    work.name = "work", send.name = "MPI_Send", send.kind = RegionKind::mpi;
    marked.name = "solve", marked.role = RegionRole::interval;
    return std::vector<Region>{work, send, marked};
  }();
  EXPECT_EQ(unmatched_patterns(regions, {"w*", "wrok", "MPI_*", "solve"}),
            (std::vector<std::string>{"wrok", "MPI_*", "solve"}));
  IntervalOptions options;
  options.regions = {"wo*", "wrok"};
  Decorated t("P0 0-100 main\nP0 20-30 work\n", options);
  EXPECT_NE(t[0].find("[work"), std::string::npos);
  EXPECT_NE(t[0], "");  // read twice: the row is there once
  EXPECT_EQ(testing::damage(*t.source), "interval-region-unmatched@wrok x1; ");
}

TEST(Marks, may_be_written_in_several_legal_ways) {
  const char* inside = "15-16 f\n";
  for (const std::string& begin : std::vector<std::string>{
           "P0 10-14 MPI_Sendrecv@a.c:5 to 0 from 0 bytes 0 tag 0x0A0007AA; ",
           "P0 10-14 MPI_Pcontrol@a.c:5 level 0x0A0007AA; ", "P0 10-14 MPI_Pcontrol@a.c:5 level 0xAA0007AA; ",
           "P0 10-11 MPI_Isend@a.c:5 to 0 tag 0x0A0007AA req s; 11-12 MPI_Recv from 0 tag 0x0A0007AA; 13-14 MPI_Wait "
           "req s; ",
           "P0 10-11 MPI_Isend@a.c:5 to 0 tag 0x0A0007AA req s; 11-12 MPI_Irecv from 0 tag 0x0A0007AA req r; 13-14 "
           "MPI_Waitall req r,s; ",
           "P0 10-11 MPI_Isend@a.c:5 to 0 tag 0x0A0007AA req s; 11-12 MPI_Irecv from 0 tag 0x0A0007AA req r; 12-13 "
           "MPI_Wait req s; 13-14 MPI_Wait req r; "}) {
    std::string end = begin;
    for (std::size_t at = end.find("7AA"); at != std::string::npos; at = end.find("7AA", at)) end.replace(at, 3, "7BB");
    // The same calls at 20 to 24.
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{" 10-", " 20-"},
                                                                                   {" 11-", " 21-"},
                                                                                   {" 12-", " 22-"},
                                                                                   {" 13-", " 23-"},
                                                                                   {"-11 ", "-21 "},
                                                                                   {"-12 ", "-22 "},
                                                                                   {"-13 ", "-23 "},
                                                                                   {"-14 ", "-24 "}})
      for (std::size_t at = end.find(from); at != std::string::npos; at = end.find(from, at + 1))
        end.replace(at, from.size(), to);
    Decorated t("P0 0-1 g; " + begin + inside + end + "30-31 g\n");
    const std::string where = begin.substr(9, begin.find('@') - 9);
    EXPECT_EQ(t[0], "0 enter g; 1 leave g; 10 overhead_begin; 14 overhead_end; 14 [" + where +
                        ".7; 15 enter f; 16 leave f; 20 ]" + where +
                        ".7; 20 overhead_begin; 24 overhead_end; 30 enter g; 31 leave g; ")
        << begin;
    EXPECT_EQ(testing::damage(*t.source), "") << begin;
  }
}

TEST(Marks, may_have_any_number_of_counters_between_their_calls) {
  std::string counters;
  for (int i = 0; i < 200; ++i) counters += "1 METRIC C" + std::to_string(i) + " 1; ";
  const std::string text = "P0 0-9 main\nP0 1 ENTER MPI_Send@a.c:1; 1 SEND to 0 tag 0x0A0001AA; " + counters +
                           "1 EXIT; 1 ENTER MPI_Recv; 2 RECV from 0 tag 0x0A0001AA; 2 EXIT\n";
  Decorated t(text);
  EXPECT_NE(t[0].find("[MPI_Send.1"), std::string::npos);
  EXPECT_EQ(t[0].find("enter MPI_Send"), std::string::npos);
}

TEST(Marks, on_any_communicator_by_world_rank) {
  Decorated t(R"(ranks 3
comm BACK = 2,1,0
P2 0-1 MPI_Sendrecv@a.c:1 to 2 from 2 tag 0x0A0001AA comm BACK; 2-3 MPI_Sendrecv@a.c:2 to 2 from 2 tag 0x0A0001BB comm BACK
P1 0-1 MPI_Sendrecv to 0 from 0 tag 0x0A0001AA
P0 0-1 MPI_Sendrecv to 1 from 1 tag 0x0A0001AA
)");
  EXPECT_EQ(
      t[2],
      "0 overhead_begin; 1 overhead_end; 1 [MPI_Sendrecv.1; 2 ]MPI_Sendrecv.1; 2 overhead_begin; 3 overhead_end; ");
  EXPECT_EQ(t[1],
            "0 enter MPI_Sendrecv; 0 send; 1 receive; 1 leave MPI_Sendrecv; ");  // to another: an ordinary message
  EXPECT_EQ(testing::damage(*t.source), "");
}

TEST(Marks, at_one_place_begin_one_interval_whatever_the_function) {
  Decorated t(R"(region R interval at r.c:1
P0 0-0 MPI_Sendrecv@a.c:5 to 0 from 0 tag 0x0A0000AA; 1-1 MPI_Pcontrol level 0x0A0000BB; 2-3 R
P1 0-0 MPI_Pcontrol@a.c:5 level 0x0A0000AA; 1-1 MPI_Pcontrol level 0x0A0000BB; 2-3 R@r.c:1
)");
  EXPECT_EQ(t[0], t[1]);
  EXPECT_NE(t[0].find("0 [MPI_Sendrecv.0; 1 ]MPI_Sendrecv.0; "), std::string::npos) << t[0];
}

TEST(Marks, ordinary_calls_stay_what_they_are) {
  const std::string body =
      R"(P0 0 ENTER MPI_Send; 1 EXIT; 2-3 MPI_Pcontrol level 0; 3-4 MPI_Pcontrol level 1; 4-5 MPI_Pcontrol level 2
P0 5-6 MPI_Send to 0 tag 7; 6-7 MPI_Recv from 0 tag 7; 8-9 MPI_Isend to null req a; 9-10 MPI_Wait req a
P0 11 SEND to 0 tag 7; 11 RECV from 0 tag 7; 12-13 MPI_Send to 0 tag 0xAB0001AA; 13-14 MPI_Recv from 0 tag 0xAB0001AA; 15 ENTER MPI_Send
)";
  Decorated t(body);
  EXPECT_EQ(t[0], testing::text(*t.raw, t.raw->events[0]));
  EXPECT_EQ(testing::damage(*t.source), "");
}

TEST(Marks, half_and_unknown_ones_are_messages_and_counted) {
  const std::string body = R"(P0 0-1 MPI_Send to 0 tag 0x0A0001AA; 2-3 f; 4-5 MPI_Recv from 0 tag 0x0A0001AA
P0 6-7 MPI_Recv from 0 tag 0x0A0002AA
P0 8-9 MPI_Send to 0 tag 0xAA0001CC; 9-10 MPI_Recv from 0 tag 0xAA0001CC; 11-12 MPI_Pcontrol level 0x0A0001CC
P0 13-14 MPI_Irecv from 0 tag 0x0A0003AA req r; 14-15 MPI_Send to 0 tag 0x0A0003AA; 15-16 MPI_Wait req r
P0 17-18 MPI_Send to 0 tag 0x0A0004AA; 18-19 MPI_Recv from 0 tag 0x0A0004BB
P0 20-21 MPI_Send to 0 tag 0x0A0005AA
)";
  Decorated t(body);
  EXPECT_EQ(t[0], testing::text(*t.raw, t.raw->events[0]));
  // send and receive apart; a receive alone; posted before; another tag; a send alone at the end
  EXPECT_EQ(testing::damage(*t.source), "interval-half-mark@rank 0 x5; interval-unknown-mark@rank 0 x2; ");
}

TEST(Marks, counters_in_them_are_kept_and_the_recorders_own_time_is_part_of_them) {
  Decorated t(R"(P0 0 ENTER MPI_Send@a.c:1; 0 METRIC INS 1; 1 SEND to 0 tag 0x0A0001AA; 2 METRIC INS 2; 2 EXIT
P0 3 OVERHEAD_BEGIN; 4 OVERHEAD_END; 5 METRIC INS 3; 5 ENTER MPI_Recv; 6 RECV from 0 tag 0x0A0001AA; 6 OVERHEAD_BEGIN; 7 EXIT; 8 OVERHEAD_END
P0 9-10 MPI_Pcontrol level 0x0A0001BB
)");
  EXPECT_EQ(t[0],
            "0 overhead_begin; 0 metric; 2 metric; 5 metric; 7 overhead_end; 7 [MPI_Send.1; 7 overhead_begin; 8 "
            "overhead_end; 9 ]MPI_Send.1; 9 overhead_begin; 10 overhead_end; ");
}

TEST(Marks, inside_mpi_calls_are_none) {
  const std::string body =
      "P0 0 ENTER MPI_Bcast; 1-2 MPI_Pcontrol level 0x0A0001AA; 2-3 MPI_Sendrecv to 0 from 0 tag 0x0A0001AA; 4 EXIT\n";
  Decorated t(body);
  EXPECT_EQ(t[0], testing::text(*t.raw, t.raw->events[0]));
}

// ---- small traces for the characteristics of the DVM analyser, at the level of the stream ----

TEST(MicroTrace, mt_6_repeated_interval_accumulates_under_one_number) {
  Decorated t(R"(region A interval at mt6.c:3
P0 0-40 main; 0-10 A; 20-25 A
P1 0-40 main; 0-4 A; 20-31 A
)");
  EXPECT_EQ(t[0], "0 enter main; 0 [A.0; 10 ]A.0; 20 [A.0; 25 ]A.0; 40 leave main; ");
  EXPECT_EQ(t[1], "0 enter main; 0 [A.0; 4 ]A.0; 20 [A.0; 31 ]A.0; 40 leave main; ");
}

TEST(MicroTrace, mt_7_numbers_tell_iterations_apart) {
  const std::string by_number = R"(region loop interval at mt7.c:20
P0 0-10 loop id 1; 10-20 loop id 2; 20-30 loop id 3
)";
  EXPECT_EQ(Decorated(by_number)[0], "0 [loop.1; 10 ]loop.1; 10 [loop.2; 20 ]loop.2; 20 [loop.3; 30 ]loop.3; ");
  const std::string all_0 = "region loop interval at mt7.c:20\nP0 0-10 loop; 10-20 loop; 20-30 loop\n";
  EXPECT_EQ(Decorated(all_0)[0], "0 [loop.0; 10 ]loop.0; 10 [loop.0; 20 ]loop.0; 20 [loop.0; 30 ]loop.0; ");
  IntervalOptions split;
  split.split_iterations = true;
  EXPECT_EQ(Decorated(all_0, split)[0], "0 [loop.1; 10 ]loop.1; 10 [loop.2; 20 ]loop.2; 20 [loop.3; 30 ]loop.3; ");
}

TEST(MicroTrace, mt_8_interval_on_one_of_two_processes) {
  Decorated t("region A interval\nP0 0-50 A\nP1 0-50 main\n");
  EXPECT_EQ(t[0], "0 [A.0; 50 ]A.0; ");
  EXPECT_EQ(t[1], "0 enter main; 50 leave main; ");
  EXPECT_EQ(testing::damage(*t.source), "");
}

TEST(MicroTrace, mt_12_marks_leave_the_statistics_alone) {
  const std::string marked = R"(P0 5-6 MPI_Sendrecv to 0 from 0 bytes 0 tag 0x0A0001AA; 10-20 MPI_Send to 1
P0 25-26 MPI_Send to 0 tag 0xAA0001BB; 26-27 MPI_Recv from 0 tag 0xAA0001BB; 28-28 MPI_Pcontrol level 0x0A0002AA; 40-50 MPI_Recv from 1; 60-61 MPI_Pcontrol level 0x0A0002BB
P1 10-20 MPI_Recv from 0; 40-50 MPI_Send to 0
)";
  Decorated t(marked);
  // Times are relative to the first.
  Decorated plain(
      "P0 5-5 f; 10-20 MPI_Send to 1; 40-50 MPI_Recv from 1\nP1 10-20 MPI_Recv from 0; 40-50 MPI_Send to 0\n");
  for (LocationId l = 0; l < 2; ++l) {
    EventCollector with, without;
    ASSERT_TRUE(t.source->read_location(l, with));
    ASSERT_TRUE(plain.source->read_location(l, without));
    const auto no_call = [](const Source& s, const Event& e) {
      const bool is_region = e.kind == EventKind::enter || e.kind == EventKind::leave;
      return (is_region && (e.interval != 0 || s.definitions().regions[e.region].name == "f")) ||
             e.kind == EventKind::overhead_begin || e.kind == EventKind::overhead_end;
    };
    std::erase_if(with.events, [&](const Event& e) { return no_call(*t.source, e); });
    std::erase_if(without.events, [&](const Event& e) { return no_call(*plain.source, e); });
    EXPECT_EQ(testing::text(*t.source, with.events), testing::text(*plain.source, without.events));
  }
}

TEST(MicroTrace, mt_13_equal_times_keep_the_order_of_the_marks) {
  Decorated t(
      R"(P0 10-10 MPI_Pcontrol@a.c:1 level 0x0A0001AA; 10-10 MPI_Pcontrol@a.c:2 level 0x0A0001BB; 10-10 MPI_Pcontrol@a.c:3 level 0x0A0002AA
P0 10-10 MPI_Pcontrol@a.c:3 level 0x0A0003AA; 10-10 MPI_Pcontrol@a.c:2 level 0x0A0003BB; 20-20 MPI_Pcontrol@a.c:4 level 0x0A0002BB
)");
  EXPECT_EQ(
      t[0],
      "0 overhead_begin; 0 overhead_end; 0 [MPI_Pcontrol.1; 0 ]MPI_Pcontrol.1; 0 overhead_begin; 0 overhead_end; "
      "0 overhead_begin; 0 overhead_end; 0 [MPI_Pcontrol.2; 0 overhead_begin; 0 overhead_end; 0 [MPI_Pcontrol.3; "
      "0 ]MPI_Pcontrol.3; 0 overhead_begin; 0 overhead_end; 10 ]MPI_Pcontrol.2; 10 overhead_begin; 10 overhead_end; ");
  EXPECT_EQ(testing::damage(*t.source), "");
}

// ---- wrong marks ----

/// Pcontrol marks of no length at a.c:1: "b1 f( e1 )" at times 0, 1, 2 …; the overhead is left out of the result.
std::string marks(const std::string& words, std::string* damage = nullptr, const IntervalOptions& options = {}) {
  std::string body = "region R interval\nregion S interval\n", word;
  int time = 0;
  for (std::size_t at = 0; at < words.size(); at += word.size() + 1) {
    word = words.substr(at, words.find(' ', at) - at);
    const std::string place = "P0 " + std::to_string(time);
    if (word.back() == '(')
      body += place + " ENTER " + word.substr(0, word.size() - 1);
    else if (word == ")")
      body += place + " EXIT";
    else
      body += place + '-' + std::to_string(time) + " MPI_Pcontrol@a.c:1 level 0x0A000" + word.substr(1) +
              (word[0] == 'b' ? "AA" : "BB");
    body += '\n';
    ++time;
  }
  Decorated t(body, options);
  EventCollector collect;
  EXPECT_TRUE(t.source->read_location(0, collect));
  std::erase_if(collect.events,
                [](const Event& e) { return e.kind != EventKind::enter && e.kind != EventKind::leave; });
  std::string stream = testing::text(*t.source, collect.events);
  for (std::size_t at; (at = stream.find("MPI_Pcontrol.")) != std::string::npos;) stream.erase(at, 13);
  if (damage != nullptr) *damage = testing::damage(*t.source);
  return stream;
}

TEST(WrongMarks, end_without_begin_is_ignored) {
  std::string damage;
  EXPECT_EQ(marks("e1 b2 e2 e2", &damage), "1 [2; 2 ]2; ");
  EXPECT_EQ(damage, "interval-end-without-begin@rank 0 x2; ");
}

TEST(WrongMarks, begin_without_end_is_closed_with_its_region_or_the_trace) {
  std::string damage;
  EXPECT_EQ(marks("f( b1 g( ) ) b2 b3", &damage),
            "0 enter f; 1 [1; 2 enter g; 3 leave g; 4 ]1; 4 leave f; 5 [2; 6 [3; 6 ]3; 6 ]2; ");
  EXPECT_EQ(damage, "interval-without-end@rank 0 x3; ");
}

TEST(WrongMarks, crossing_closes_what_is_above) {
  std::string damage;
  EXPECT_EQ(marks("b1 b2 b3 e1 e2 b4 e4 e3", &damage), "0 [1; 1 [2; 2 [3; 3 ]3; 3 ]2; 3 ]1; 5 [4; 6 ]4; ");
  EXPECT_EQ(damage, "interval-crossing@rank 0 x1; ");  // the late ends of 2 and 3 are the same mistake
}

TEST(WrongMarks, an_end_in_a_deeper_region_counts_when_the_region_is_left) {
  std::string damage;
  EXPECT_EQ(marks("b1 f( b2 e1 g( ) ) f( ) b1 e1", &damage),
            "0 [1; 1 enter f; 2 [2; 3 ]2; 4 enter g; 5 leave g; 6 leave f; 6 ]1; 7 enter f; 8 leave f; 9 [1; 10 ]1; ");
  EXPECT_EQ(damage, "interval-crossing@rank 0 x1; ");
  // A region that is an interval is crossed alike.
  EXPECT_EQ(marks("b1 R( S( e1 ) ) R( )", &damage), "0 [1; 1 [R.0; 2 [S.0; 4 ]S.0; 5 ]R.0; 5 ]1; 6 [R.0; 7 ]R.0; ");
  EXPECT_EQ(damage, "interval-crossing@rank 0 x1; ");
}

TEST(WrongMarks, recursion_is_a_nested_child) {
  std::string damage;
  EXPECT_EQ(marks("b1 b1 e1 e1 R( R( ) )", &damage), "0 [1; 1 [1; 2 ]1; 3 ]1; 4 [R.0; 5 [R.0; 6 ]R.0; 7 ]R.0; ");
  EXPECT_EQ(damage, "");
}

TEST(Intervals, negative_numbers_and_unknown_places_are_counted) {
  Decorated t(
      "region R interval\nP0 0-1 R id -1; 2-3 R id 0x80000005; 4-5 MPI_Pcontrol level 0x0A0001AA; 6-7 MPI_Pcontrol "
      "level 0x0A0001BB\n");
  EXPECT_EQ(t[0],
            "0 [R.2147483646; 1 ]R.2147483646; 2 [R.5; 3 ]R.5; 4 overhead_begin; 5 overhead_end; 5 [MPI_Pcontrol.1; 6 "
            "]MPI_Pcontrol.1; 6 overhead_begin; 7 overhead_end; ");
  EXPECT_EQ(testing::damage(*t.source), "interval-negative-id@rank 0 x2; interval-unknown-site@rank 0 x1; ");
}

TEST(Intervals, damage_is_counted_once_however_often_it_is_read) {
  auto raw = testing::read("P0 0-1 MPI_Pcontrol level 0x0A0001BB\nP1 0 ENTER f\n");  // with a row of its own
  auto source = with_intervals(*raw, {});
  ASSERT_TRUE(source);
  EventCollector sink;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE((*source)->read_location(0, sink));
    ASSERT_TRUE((*source)->read_location(1, sink));
    raw->quality().add("found-while-reading", Severity::info, "rank 0", 1, "", "");
    EXPECT_EQ((*source)->quality().rows().size(), 3U);
  }
  std::string rows;
  for (const QualityRow& row : (*source)->quality().rows()) rows += row.kind + ' ' + std::to_string(row.count) + "; ";
  EXPECT_EQ(rows, "found-while-reading 1; interval-end-without-begin 1; unclosed-region 1; ");
}

/// Counts what it finds whenever it is read, as readers of files do.
class Recounting : public MemorySource {
 public:
  Result<void> read_location(LocationId location, EventSink& sink) override {
    quality_table.add("found-while-reading", Severity::info, defs.locations[location].name, 2, "", "");
    return MemorySource::read_location(location, sink);
  }
};

TEST(Intervals, looking_for_phases_counts_nothing_twice) {
  for (const Phases phases : {Phases::never, Phases::unmarked, Phases::always}) {
    const auto read =
        testing::read("P0 0-1 MPI_Pcontrol level 0x0A0001BB; 2-3 f; 4-5 f; 6-7 f; 8-9 f\nP0.1 0-1 g\nP1 0 ENTER f\n");
    Recounting source;
    source.defs = read->defs;
    source.events = read->events;
    source.quality_table = read->quality_table;
    IntervalOptions options;
    options.phases = phases;
    const auto marked = with_intervals(source, options);
    ASSERT_TRUE(marked);
    EventCollector sink;
    for (int reading = 0; reading < 2; ++reading)
      for (LocationId l = 0; l < 3; ++l) ASSERT_TRUE((*marked)->read_location(l, sink));
    std::string rows;
    for (const QualityRow& row : (*marked)->quality().rows())
      rows += row.kind + '@' + row.where + ' ' + std::to_string(row.count) + "; ";
    EXPECT_EQ(rows,
              "found-while-reading@rank 0 2; found-while-reading@rank 0 thread 1 2; found-while-reading@rank 1 2; "
              "interval-end-without-begin@rank 0 1; unclosed-region@rank 1 1; ");
  }
}

TEST(Intervals, chosen_regions_by_pattern) {
  IntervalOptions options;
  options.regions = {"solve*", "MPI_*", "?nit"};
  Decorated t("P0 0-1 init; 2-9 solve_all; 3-4 solver; 5-6 resolve; 7-8 MPI_Barrier\n", options);
  EXPECT_EQ(t[0],
            "0 [init.0; 1 ]init.0; 2 [solve_all.0; 3 [solver.0; 4 ]solver.0; 5 enter resolve; 6 leave resolve; 7 enter "
            "MPI_Barrier; 7 collective_begin; 8 collective_end; 8 leave MPI_Barrier; 9 ]solve_all.0; ");
}

TEST(Intervals, split_iterations_start_again_in_each_execution_of_their_parent) {
  IntervalOptions options;
  options.split_iterations = true;
  std::string damage;
  EXPECT_EQ(marks("R( S( ) b7 e7 S( ) ) R( S( ) b7 e7 b8 e8 )", &damage, options),
            "0 [R.1; 1 [S.1; 2 ]S.1; 3 [7; 4 ]7; 5 [S.2; 6 ]S.2; 7 ]R.1; 8 [R.2; 9 [S.1; 10 ]S.1; 11 [7; 12 ]7; 13 [8; "
            "14 ]8; 15 ]R.2; ");
  EXPECT_EQ(damage, "");
}

}  // namespace
}  // namespace mora::trace
