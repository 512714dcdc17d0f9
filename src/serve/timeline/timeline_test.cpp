#include "serve/timeline/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include "base/file.h"
#include "serve/traffic/rank_order.h"
#include "support/scratch_directory.h"
#include "trace/readers/open_trace.h"

namespace mora::serve {
namespace {

using Values = std::map<std::string, std::string>;

class Opened : public ::testing::Test {
 protected:
  void open(const std::string& text) {
    const std::string path = scratch_.path() + "/t.trace";
    ASSERT_TRUE(write_file_atomically(path, text).has_value());
    source_ = std::move(*trace::open_trace(path));
    view_ = std::move(*trace::View::make(*source_, trace::RmaModel::extended));
    timeline_ = std::make_unique<Timeline>(*view_);
    EXPECT_FALSE(timeline_->picture({}).has_value());
    std::atomic<std::uint64_t> done{0};
    timeline_->prepare(done);
    EXPECT_EQ(done, view_->size());
  }
  std::string picture(const Values& query) const {
    auto answer = timeline_->picture(Query(query));
    return answer ? *answer : "error: " + answer.error().what;
  }
  const ScratchDirectory scratch_;
  std::unique_ptr<trace::Source> source_;
  std::unique_ptr<trace::View> view_;
  std::unique_ptr<Timeline> timeline_;
};

std::string_view header_of(const std::string& answer) {
  std::uint32_t length = 0;
  std::memcpy(&length, answer.data(), sizeof length);
  return std::string_view(answer).substr(4, length);
}
std::string_view arrays_of(const std::string& answer) {
  return std::string_view(answer).substr((4 + header_of(answer).size() + 7) / 8 * 8);
}

constexpr const char* message =
    "mora-trace 1\nP0 0 ENTER main; 100-200 MPI_Send to 1 bytes 24; 1000 EXIT\n"
    "P1 0 ENTER main; 50-300 MPI_Recv from 0 bytes 24; 900 EXIT\n";

TEST_F(Opened, FewCallsAreSentOneByOne) {
  open(message);
  const std::string answer = picture({{"rows", "10"}});
  EXPECT_NE(header_of(answer).find("\"kind\": \"calls\", \"calls\": 4"), std::string_view::npos) << header_of(answer);
  double begin[4];
  std::memcpy(begin, arrays_of(answer).data(), sizeof begin);
  EXPECT_EQ((std::vector<double>(begin, begin + 4)), (std::vector<double>{0, 0, 50, 100}));
  const std::string inside = picture({{"from", "150"}, {"until", "151"}, {"rows", "10"}});  // all of them are open
  EXPECT_NE(header_of(inside).find("\"calls\": 4"), std::string_view::npos) << header_of(inside);
}

TEST_F(Opened, BinsHoldTheShareOfMpi) {
  open(message);
  const std::string answer = picture({{"rows", "1"}, {"columns", "10"}});
  EXPECT_NE(header_of(answer).find("\"rows\": 1, \"columns\": 10, \"group\": 2"), std::string_view::npos);
  const std::string_view bytes = arrays_of(answer);
  const auto share = [&](std::size_t column) { return static_cast<unsigned char>(bytes[16 + column]); };
  EXPECT_EQ(share(0), 64);   // rank 0 computes, rank 1 receives for half of the time
  EXPECT_EQ(share(1), 255);  // both communicate
  EXPECT_EQ(share(2), 128);
  EXPECT_EQ(share(5), 0);
  EXPECT_EQ(static_cast<Category>(bytes[2]), Category::receive);
  EXPECT_EQ(static_cast<Category>(bytes[9]), Category::user);
}

TEST_F(Opened, OutsideOfTheRunNothingRuns) {
  open(message);
  for (const char* from : {"-5000", "5000"}) {
    const std::string until = std::to_string(std::stol(from) + 1000);
    const std::string answer = picture({{"rows", "1"}, {"columns", "4"}, {"from", from}, {"until", until}});
    EXPECT_EQ(arrays_of(answer).substr(0, 4), std::string_view("\0\0\0\0", 4)) << from;
  }
  EXPECT_NE(picture({{"from", "5"}, {"until", "5"}}).find("no length"), std::string::npos);
}

TEST_F(Opened, TheLongestCallOfEachRegionIsKnown) {
  open(R"(mora-trace 1
P0 0 ENTER main; 10-30 MPI_Barrier; 40-70 MPI_Barrier; 80 ENTER work; 90 ENTER work; 95 EXIT; 110 EXIT; 200 EXIT
P1 0 ENTER main; 25-30 MPI_Barrier; 45-75 MPI_Barrier; 150 ENTER hang
)");
  const std::string info = timeline_->info_json();
  for (const auto& [name, length, location, time] :  // the first of equal ones; what has no end lasts until the run's
       {std::tuple("MPI_Barrier", "30", "0", "50"), {"work", "30", "0", "85"}, {"hang", "50", "1", "160"}}) {
    const std::string call = *timeline_->find_json(Query(Values{{"location", location}, {"time", time}}));
    const std::size_t at = info.find("\"longest\"", info.find("{\"name\": \"" + std::string(name) + "\""));
    EXPECT_EQ(info.substr(at, info.find('}', at) - at),
              "\"longest\": " + std::string(length) + ", \"longest_call\": " + call.substr(9, call.find('}') - 9));
  }
}

TEST_F(Opened, CallsKnowTheirPartners) {
  open(message);
  const auto find = [&](const Values& query) { return *timeline_->find_json(Query(query)); };
  const std::string send = find({{"location", "0"}, {"time", "150"}});
  const std::string number = send.substr(9, send.find('}') - 9);
  EXPECT_EQ(find({{"location", "0"}, {"time", "500"}}), "{\"call\": 1}");
  EXPECT_EQ(find({{"at", "1"}, {"step", "1"}}), send);
  EXPECT_EQ(find({{"at", number}, {"step", "-1"}}), "{\"call\": 1}");
  EXPECT_EQ(find({{"at", number}, {"step", "1"}}), "{\"call\": null}");
  const std::string call = *timeline_->call_json(Query(Values{{"at", number}}));
  EXPECT_NE(call.find("\"partner\": 1, \"partner_time\": "), std::string::npos) << call;
  EXPECT_NE(timeline_->messages_json({})->find("\"all\": 1,"), std::string::npos);
  EXPECT_EQ(timeline_->messages_json(Query(Values{{"from", "400"}}))->find("\"kind\""), std::string::npos);
  EXPECT_NE(timeline_->traffic_json({})->find("[0, 1, 1, 24]"), std::string::npos);
  EXPECT_FALSE(timeline_->call_json(Query(Values{{"at", "0"}})).has_value());
  EXPECT_FALSE(timeline_->call_json({}).has_value());
}

/// Ranks 0 and 3 exchange most; rank 2 receives nothing of what is sent to it.
constexpr const char* traffic =
    "mora-trace 1\nunit us\nranks 4\nnode a 0,2\nnode b 1,3\n"
    "P0 0 ENTER main; 10-12 MPI_Send@a.c:1 to 1 bytes 24; 20-22 MPI_Send@a.c:2 to 3 bytes 1000; 30-32 MPI_Send@a.c:1 "
    "to 2 bytes 7\n"
    "P1 10-15 MPI_Recv@a.c:3 from 0 bytes 20\n"
    "P3 20-25 MPI_Recv@a.c:4 from 0 bytes 1000; 40-42 MPI_Send@a.c:2 to 0 bytes 500\n"
    "P0 40-45 MPI_Recv@a.c:5 from 3 bytes 500\n";

TEST_F(Opened, TrafficByCallStretchAndNode) {
  open(traffic);
  const auto ask = [&](const Values& query) { return timeline_->traffic_json(Query(query)).value_or("error"); };
  const std::string all = ask({});
  EXPECT_NE(all.find("\"messages\": 4,\n  \"bytes\": 1527"), std::string::npos)
      << all;  // the one to rank 1 as received
  EXPECT_NE(all.find("\"cells\": [[0, 1, 1, 20], [0, 2, 1, 7], [0, 3, 1, 1000], [3, 0, 1, 500]]"), std::string::npos)
      << all;
  const std::string first_line = ask({{"region", all.substr(all.find("\"calls\": [[") + 11, 1)}});
  EXPECT_NE(first_line.find("\"cells\": [[0, 1, 1, 20], [0, 2, 1, 7]]"), std::string::npos) << first_line;
  const std::string early = ask({{"from", "0"}, {"until", "20000"}});  // begins at 20 us: not before
  EXPECT_NE(early.find("\"cells\": [[0, 1, 1, 20]]"), std::string::npos) << early;
  const std::string nodes = ask({{"by", "node"}});
  EXPECT_NE(nodes.find("\"names\": [\"a\", \"b\"]"), std::string::npos) << nodes;
  EXPECT_NE(nodes.find("\"cells\": [[0, 0, 1, 7], [0, 1, 2, 1020], [1, 0, 1, 500]]"), std::string::npos) << nodes;
  const std::string clustered = ask({{"order", "clustered"}});
  EXPECT_NE(clustered.find("\"order\": [1, 0, 3, 2]"), std::string::npos) << clustered;
  EXPECT_NE(ask({{"kind", "transfers"}}).find("\"messages\": 0,"), std::string::npos);
  EXPECT_NE(ask({{"kind", "messages"}}).find("\"messages\": 4,"), std::string::npos);
  const Executions second_half{{{35'000, 60'000}}, {}, {}, {{0, 30'000}}};
  EXPECT_NE(timeline_->traffic_json({}, &second_half)->find("\"messages\": 0,"), std::string::npos);
  const Executions of_rank_3{{}, {}, {}, {{35'000, 60'000}}};
  EXPECT_NE(timeline_->traffic_json({}, &of_rank_3)->find("\"cells\": [[3, 0, 1, 500]]"), std::string::npos);
  for (const Values& wrong : {Values{{"kind", "x"}}, {{"region", "99"}}, {{"from", "5"}, {"until", "5"}}})
    EXPECT_EQ(ask(wrong), "error");
}

TEST_F(Opened, TransfersGoWhereTheirBytesGo) {
  open(
      "mora-trace 1\nunit us\nranks 3\n"
      "P0 0-10 MPI_Win_fence w0; 20-30 MPI_Put@a.c:1 w0 to 1 bytes 64; 30-40 MPI_Get@a.c:2 w0 to 2 bytes 32; 40-50 "
      "MPI_Fetch_and_op@a.c:3 w0 to 1 bytes 8; 60-70 MPI_Win_fence w0\n"
      "P1 0-10 MPI_Win_fence w0; 60-70 MPI_Win_fence w0\nP2 0-10 MPI_Win_fence w0; 60-70 MPI_Win_fence w0\n");
  const std::string all = *timeline_->traffic_json(Query(Values{{"kind", "transfers"}}));
  EXPECT_NE(all.find("\"cells\": [[0, 1, 2, 80], [2, 0, 1, 32]]"), std::string::npos) << all;
  EXPECT_EQ(all, *timeline_->traffic_json({}));
}

TEST(RankOrder, ThoseThatExchangeMostStandTogether) {
  EXPECT_EQ(clustered_order(0, {}), std::vector<std::uint32_t>());
  EXPECT_EQ(clustered_order(3, {}), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(clustered_order(4, {{{0, 2}, 5}, {{1, 3}, 5}, {{2, 0}, 5}}), (std::vector<std::uint32_t>{0, 2, 1, 3}));
  // Two chains whose near ends are both first, or both last.
  EXPECT_EQ(clustered_order(4, {{{0, 1}, 9}, {{2, 3}, 9}, {{0, 2}, 3}}), (std::vector<std::uint32_t>{1, 0, 2, 3}));
  EXPECT_EQ(clustered_order(4, {{{0, 1}, 9}, {{2, 3}, 9}, {{1, 3}, 3}}), (std::vector<std::uint32_t>{0, 1, 3, 2}));
  EXPECT_EQ(clustered_order(4, {{{0, 1}, 9}, {{2, 3}, 9}, {{0, 3}, 3}}), (std::vector<std::uint32_t>{2, 3, 0, 1}));
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {  // each item once, and the heaviest pair side by side
    const std::uint32_t items = 2 + random() % 40;
    ExchangedBytes bytes;
    for (int k = 0; k < 60; ++k) bytes[{random() % items, random() % items}] += random() % 100;
    bytes[{0, items - 1}] += 100'000;
    std::vector<std::uint32_t> order = clustered_order(items, bytes);
    const auto at = [&](std::uint32_t item) { return std::find(order.begin(), order.end(), item) - order.begin(); };
    EXPECT_EQ(std::abs(at(0) - at(items - 1)), 1);
    std::sort(order.begin(), order.end());
    for (std::uint32_t i = 0; i < items; ++i) ASSERT_EQ(order[i], i);
  }
}

TEST_F(Opened, SamplesOfAStretch) {
  open(
      "mora-trace 1\nP0 0-10 MPI_Barrier; 20 SAMPLE main>relax; 30 SAMPLE main>relax; 40 SAMPLE main>flux; 50-60 "
      "MPI_Barrier\n"
      "P1 0-10 MPI_Barrier; 25 SAMPLE main; 50-60 MPI_Barrier\n");
  EXPECT_NE(timeline_->info_json().find("\"samples\": 4"), std::string::npos);
  const auto asked = [&](const Values& query) {
    std::string text = *timeline_->samples_json(Query(query));
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  EXPECT_EQ(asked({{"until", "35"}}),
            R"({"samples":[[0,20,1],[1,25,0],[0,30,1]],"callers":[[0,1,""],[1,2,"main"]],"all":3,"complete":true})");
  EXPECT_EQ(asked({{"first", "1"}}), R"({"samples":[[1,25,0]],"callers":[[0,1,""]],"all":1,"complete":true})");
  EXPECT_EQ(asked({{"first", "0"}, {"count", "1"}, {"limit", "2"}}),
            R"({"samples":[[0,20,1],[0,40,2]],"callers":[[1,2,"main"],[2,3,"main"]],"all":3,"complete":true})");
}

constexpr const char* one_sided =
    "mora-trace 1\n"
    "P0 0 ENTER main; 0-5 MPI_Win_create w0; 8-21 MPI_Win_start w0 group 1; 22-24 MPI_Put w0 to 1 bytes 800; "
    "25-28 MPI_Win_complete w0; 33-35 MPI_Win_lock w0 to 2; 40-44 MPI_Put w0 to 2 bytes 4000; 47-60 MPI_Win_unlock w0 "
    "to 2; 70-74 MPI_Win_fence w0; 78-80 MPI_Get w0 to 2 bytes 640; 90-110 MPI_Win_fence w0; 112-120 MPI_Bcast root 0; "
    "130 EXIT\n"
    "P1 0 ENTER main; 0-5 MPI_Win_create w0; 20-22 MPI_Win_post w0 group 0; 26-30 MPI_Win_wait w0; 38-61 MPI_Win_lock "
    "w0 to 2; 62-64 MPI_Win_unlock w0 to 2; 66-74 MPI_Win_fence w0; 95-110 MPI_Win_fence w0; 111-122 MPI_Bcast root 0; "
    "130 EXIT\n"
    "P2 0 ENTER main; 0-5 MPI_Win_create w0; 72-74 MPI_Win_fence w0; 105-109 MPI_Win_fence w0; 115-123 MPI_Bcast root "
    "0; 130 EXIT\n";

/// The answer without blanks.
std::string tight(const Result<std::string>& answer) {
  std::string text = answer ? *answer : "error: " + answer.error().what;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}
/// How often the answer has this.
std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(Opened, EpochsAndLocksAreThoseOfMoraPrint) {
  open(one_sided);
  EXPECT_NE(timeline_->info_json().find("\"one_sided\": true"), std::string::npos);
  const std::string bars = tight(timeline_->epochs_json({}));
  EXPECT_NE(bars.find("[0,0,21,28,1,0,null,21,"), std::string::npos) << bars;     // access: start to complete
  EXPECT_NE(bars.find("[1,0,22,30,2,0,null,22,"), std::string::npos) << bars;     // exposure: post to wait
  EXPECT_NE(bars.find("[0,0,35,60,4,0,2,35,"), std::string::npos) << bars;        // exclusive lock of rank 2
  EXPECT_NE(bars.find("[1,0,61,64,4,0,2,38,"), std::string::npos) << bars;        // after the queue from 38 on
  EXPECT_NE(bars.find("[0,0,74,110,0,0,null,74,"), std::string::npos) << bars;    // fence
  EXPECT_NE(bars.find("[2,0,109,130,0,0,null,109,"), std::string::npos) << bars;  // open at the end
  EXPECT_NE(bars.find("\"windows\":[\"w0\"]"), std::string::npos);
  const std::string few = tight(timeline_->epochs_json(Query(Values{{"limit", "1"}, {"until", "62"}})));
  EXPECT_NE(few.find("\"bars\":[[1,0,61,64,4"), std::string::npos) << few;  // the longest, its queue counted
  EXPECT_EQ(tight(timeline_->epochs_json(Query(Values{{"from", "31"}, {"until", "32"}}))).find("\"bars\":[],"), 1U);
  open(message);
  EXPECT_NE(tight(timeline_->epochs_json({})).find("\"all\":0"), std::string::npos);
}

TEST_F(Opened, TransfersAreDrawnInThreeWays) {
  open(one_sided);
  const auto asked = [&](const char* way) {
    return tight(timeline_->messages_json(Query(Values{{"transfers", way}})));
  };
  const std::string closed = asked("closed"), logical = asked("logical"), dependencies = asked("dependencies");
  EXPECT_EQ(count_of(closed, "\"kind\""), 4U) << closed;  // two Puts, a Get and its request
  EXPECT_NE(closed.find("{\"kind\":\"getrequest\",\"from\":0,\"to\":2,\"begin\":78,\"end\":78,\"bytes\":0"),
            std::string::npos);
  EXPECT_NE(closed.find("{\"kind\":\"put\",\"from\":0,\"to\":2,\"begin\":40,\"end\":60,\"bytes\":4000"),
            std::string::npos);
  EXPECT_EQ(count_of(logical, "\"kind\""), 3U) << logical;
  EXPECT_NE(logical.find("{\"kind\":\"get\",\"from\":2,\"to\":0,\"begin\":109,\"end\":110,\"bytes\":640"),
            std::string::npos)
      << logical;
  // The start of the epoch at 21 depends on the post that ends at 22: forward; the unlock on the end of its Put.
  EXPECT_NE(dependencies.find("{\"kind\":\"post\",\"from\":0,\"to\":1,\"begin\":21,\"end\":22"), std::string::npos)
      << dependencies;
  EXPECT_NE(dependencies.find("{\"kind\":\"complete\",\"from\":1,\"to\":0,\"begin\":30,\"end\":28"), std::string::npos);
  EXPECT_NE(dependencies.find("{\"kind\":\"unlock\",\"from\":0,\"to\":2,\"begin\":60,\"end\":60"), std::string::npos);
  EXPECT_NE(
      dependencies.find("{\"kind\":\"fence\",\"window\":\"w0\",\"members\":3,\"points\":[[0,110],[1,110],[2,109]]}"),
      std::string::npos)
      << dependencies;
  EXPECT_EQ(asked("sideways").find("error"), 0U);
}

TEST_F(Opened, CollectivesSayWhoCameWhen) {
  open(one_sided);
  const std::string all = tight(timeline_->collectives_json(Query(Values{{"from", "111"}})));
  EXPECT_NE(all.find("{\"name\":\"MPI_Bcast\",\"communicator\":\"WORLD\",\"begin\":111,\"end\":123,\"members\":3,"
                     "\"root\":0,\"points\":[[0,112],[1,111],[2,115]]}"),
            std::string::npos)
      << all;
  EXPECT_NE(all.find("\"all\":1,"), std::string::npos);
  const std::string few = tight(timeline_->collectives_json(Query(Values{{"from", "111"}, {"points", "2"}})));
  EXPECT_NE(few.find("\"points\":[[0,112],[2,115]]"), std::string::npos) << few;  // the last of each two neighbours
  EXPECT_NE(tight(timeline_->collectives_json(Query(Values{{"limit", "1"}}))).find("\"all\":4"), std::string::npos);
}

// Both ends lie outside: few events away, and so many that the line is one of those that are kept.
TEST_F(Opened, LinesThatCrossAStretchAreDrawn) {
  for (const int calls : {4, 70'000}) {
    std::string text = "mora-trace 1\nP0 0 ENTER main; 10-11 MPI_Send to 1 bytes 5; 900000 EXIT\nP1 0 ENTER main; ";
    for (int i = 0; i < calls; ++i) text += fmt::format("{0}-{0} f; ", 100 + i);
    open(text + "800000-800010 MPI_Recv from 0 bytes 5; 900000 EXIT\n");
    for (const auto& [from, until] :
         std::vector<std::pair<const char*, const char*>>{{"90", "120"}, {"500000", "500001"}}) {
      const std::string lines = tight(timeline_->messages_json(Query(Values{{"from", from}, {"until", until}})));
      EXPECT_NE(lines.find(R"("kind":"message","from":0,"to":1,"begin":10,"end":800010)"), std::string::npos) << lines;
      EXPECT_EQ(count_of(lines, "\"kind\""), 1U) << lines;
    }
    EXPECT_EQ(count_of(tight(timeline_->messages_json(Query(Values{{"from", "800011"}}))), "\"kind\""), 0U);
    EXPECT_EQ(count_of(tight(timeline_->messages_json(Query(Values{{"until", "10"}}))), "\"kind\""), 0U);
  }
}

// Of more events than are looked at for one answer, pieces all over the stretch are.
TEST_F(Opened, ManyMessagesAreDrawnAllOverTheStretch) {
  constexpr int calls = 50'000;
  std::string sends = "P0 0 ENTER main; ", receives = "P1 0 ENTER main; ";
  for (int i = 1; i <= calls; ++i) {
    sends += fmt::format("{0}-{0} MPI_Send to 1 bytes 5; ", 10 * i);
    receives += fmt::format("{0}-{0} MPI_Recv from 0 bytes 5; ", 10 * i + 1);
  }
  open("mora-trace 1\n" + sends + "900000 EXIT\n" + receives + "900000 EXIT\n");
  const std::string all = tight(timeline_->messages_json(Query(Values{{"limit", "1000"}})));
  EXPECT_NE(all.find("\"complete\":false"), std::string::npos);
  std::array<int, 8> found{};
  constexpr std::string_view key = "\"begin\":";
  for (std::size_t at = all.find(key); at != std::string::npos; at = all.find(key, at + 1))
    ++found[static_cast<std::size_t>(std::stoi(all.substr(at + key.size())) / (10 * calls / 8 + 2))];
  for (const int in_an_eighth : found) EXPECT_GT(in_an_eighth, 50);
  const std::string part = tight(timeline_->messages_json(Query(Values{{"from", "400000"}, {"until", "400100"}})));
  EXPECT_NE(part.find("\"all\":10,\"complete\":true"), std::string::npos) << part;
}

TEST_F(Opened, CollectivesThatAreUnderWayAreDrawn) {
  open("mora-trace 1\nP0 0 ENTER main; 10-100 MPI_Barrier; 100 EXIT\nP1 0 ENTER main; 90-100 MPI_Barrier; 100 EXIT\n");
  EXPECT_NE(tight(timeline_->collectives_json(Query(Values{{"from", "40"}, {"until", "50"}}))).find("[[0,10],[1,90]]"),
            std::string::npos);
  EXPECT_EQ(tight(timeline_->collectives_json(Query(Values{{"from", "2"}, {"until", "9"}}))).find("[[0,"),
            std::string::npos);
}

TEST_F(Opened, ThePathIsSummedWhereItIsLong) {
  open(message);
  cube::KeptPath path;
  for (const cube::PathPiece& piece :
       std::vector<cube::PathPiece>{{0, 0, 100}, {1, 100, 110}, {0, 110, 400}, {1, 400, 1000}})
    path.add(piece);
  EXPECT_EQ(tight(timeline_->path_json(path, Query(Values{{"from", "105"}, {"until", "300"}}))),
            R"({"pieces":[[1,100,110],[0,110,400]],"state":"ready","all":2,"in_all":4})");
  EXPECT_EQ(tight(timeline_->path_json(path, Query(Values{{"limit", "2"}}))),
            R"({"pieces":[[0,0,500],[1,500,1000]],"state":"ready","all":4,"in_all":4})");
  EXPECT_EQ(tight(timeline_->path_json(path, Query(Values{{"from", "-500"}, {"until", "3500"}, {"limit", "2"}}))),
            R"({"pieces":[[1,0,1000]],"state":"ready","all":4,"in_all":4})");  // not longer than the run
}

TEST_F(Opened, RowsAreChosenAndOrdered) {
  open(
      "mora-trace 1\nnode a 0,2\nnode b 1,3\nP0 0 ENTER main; 90-100 MPI_Barrier; 100 EXIT\nP1 0 ENTER main; 20-100 "
      "MPI_Barrier; 100 EXIT\nP2 0 ENTER main; 92-100 MPI_Barrier; 100 EXIT\nP3 0 ENTER main; 21-100 MPI_Barrier; 100 "
      "EXIT\n");
  const auto asked = [&](const Values& query) { return tight(timeline_->rows_json(Query(query))); };
  EXPECT_EQ(asked({}), R"({"rows":[0,1,2,3],"groups":[]})");
  EXPECT_EQ(asked({{"ranks", "1-2"}}), R"({"rows":[1,2],"groups":[]})");
  EXPECT_EQ(asked({{"sort", "node"}}),
            R"({"rows":[0,2,1,3],"groups":[{"name":"a","first":0,"count":2},{"name":"b","first":2,"count":2}]})");
  EXPECT_EQ(
      asked({{"sort", "alike"}}),
      R"({"rows":[0,2,1,3],"groups":[{"name":"likeP0","first":0,"count":2},{"name":"likeP1","first":2,"count":2}]})");
  EXPECT_EQ(asked({{"sort", "waiting"}}).find("error"), 0U);
  timeline_->set_waiting({0, 70, 1, 71});
  EXPECT_EQ(asked({{"sort", "waiting"}}), R"({"rows":[3,1,2,0],"groups":[]})");
  EXPECT_EQ(asked({{"ranks", "9"}}).find("error"), 0U);
  EXPECT_EQ(asked({{"sort", "colour"}}).find("error"), 0U);
  const std::string answer = picture({{"sort", "waiting"}, {"first", "1"}, {"count", "1"}, {"rows", "1"}});
  EXPECT_NE(header_of(answer).find("\"first\": 1, \"count\": 1"), std::string_view::npos) << header_of(answer);
  std::uint32_t location[2];
  std::memcpy(location, arrays_of(answer).substr(std::size_t{6} * sizeof(double) + 2 * sizeof(std::uint32_t)).data(),
              sizeof location);
  EXPECT_EQ(location[0], 1U);
  const std::string bins = picture({{"sort", "waiting"}, {"rows", "2"}, {"columns", "1"}});
  const std::string_view bytes = arrays_of(bins);  // 0.795 and 0.09 of the time in MPI
  EXPECT_EQ(static_cast<unsigned char>(bytes[8]) / 5, 202 / 5);
  EXPECT_EQ(static_cast<unsigned char>(bytes[9]) / 5, 23 / 5);
  EXPECT_EQ(picture({{"calls", "1"}, {"columns", "4"}}).find("\"kind\": \"calls\""), std::string::npos);
}

TEST(CounterStretches, AreBetweenTwoReadingsOfALocation) {
  std::vector<trace::Metric> metrics(3);
  metrics[0].name = "CPU_TIME";
  metrics[1].is_difference = true;
  Counters counters(metrics, 2);
  for (const auto& [time, value] :
       std::vector<std::pair<Nanoseconds, double>>{{100, 40}, {200, 90}, {200, 95}, {600, 195}})
    counters.add(0, 1, time, trace::metric_value(value));
  counters.add(1, 0, 10, trace::metric_value(7.0));
  counters.add(1, 0, 20, trace::metric_value(30.0));
  counters.add(9, 0, 20, trace::metric_value(30.0));  // no such metric
  const auto asked = [&](const Values& query) { return *counters.json(Query(query), {0, 1}); };
  EXPECT_NE(asked({{"metric", "0"}}).find("[[1, 100, 200, 50, 0.5], [1, 200, 600, 100, 0.25]]"), std::string::npos)
      << asked({{"metric", "0"}});
  EXPECT_NE(asked({{"metric", "0"}}).find("\"all\": 2,"), std::string::npos);
  EXPECT_NE(asked({{"metric", "0"}}).find("\"largest\": 0.5,"), std::string::npos);
  EXPECT_NE(asked({{"metric", "0"}, {"from", "300"}, {"until", "310"}}).find("[[1, 200, 600, 100, 0.25]]"),
            std::string::npos);
  EXPECT_NE(asked({{"metric", "0"}, {"count", "1"}}).find("\"all\": 0"), std::string::npos);
  EXPECT_NE(asked({{"metric", "1"}}).find("[[0, 10, 20, 30, 3]]"), std::string::npos) << asked({{"metric", "1"}});
  EXPECT_NE(asked({{"metric", "2"}}).find("\"all\": 0"), std::string::npos);
  EXPECT_FALSE(counters.json(Query(Values{{"metric", "3"}}), {0, 1}).has_value());
  JsonWriter json;
  counters.write_names(json);
  EXPECT_NE(json.str().find("{\"name\": \"CPU_TIME\", \"unit\": \"\", \"readings\": 4}"), std::string::npos)
      << json.str();
  EXPECT_NE(json.str().find("null"), std::string::npos);
}

// What the first pass made is the same when it comes from the file, and a file of something else is not taken.
TEST_F(Opened, LevelsAreKept) {
  open(one_sided);
  const std::string file = scratch_.path() + "/levels";
  ASSERT_TRUE(timeline_->keep(file, 7));
  Timeline again(*view_), other(*view_), damaged(*view_);
  EXPECT_FALSE(other.take(file, 8));
  EXPECT_FALSE(other.take(file + "-none", 7));
  EXPECT_FALSE(other.ready());
  ASSERT_TRUE(again.take(file, 7));
  EXPECT_EQ(again.info_json(), timeline_->info_json());
  for (const Values& query : std::vector<Values>{{{"columns", "9"}, {"calls", "1"}}, {{"sort", "alike"}}}) {
    EXPECT_EQ(*again.picture(Query(query)), *timeline_->picture(Query(query)));
    EXPECT_EQ(*again.rows_json(Query(query)), *timeline_->rows_json(Query(query)));
  }
  EXPECT_EQ(*again.traffic_json({}), *timeline_->traffic_json({}));
  EXPECT_EQ(*again.activity_json({}), *timeline_->activity_json({}));
  EXPECT_EQ(*again.messages_json({}), *timeline_->messages_json({}));
  std::string text = *read_file(file);
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  ASSERT_TRUE(write_file_atomically(file, text));
  EXPECT_FALSE(damaged.take(file, 7));
  ASSERT_TRUE(write_file_atomically(file, text.substr(0, 20)));
  EXPECT_FALSE(damaged.take(file, 7));
}

TEST_F(Opened, ATraceWithoutEventsIsNoDefect) {
  open("mora-trace 1\nranks 2\n");
  EXPECT_NE(timeline_->info_json().find("\"events\": 0"), std::string::npos);
  (void)timeline_->picture({});
  (void)timeline_->traffic_json({});
}

TEST(Bins, EqualCountingEveryNanosecond) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const Nanoseconds width = 1 + random() % 7, begin = random() % 20;
    const std::size_t count = 1 + random() % 12;
    std::vector<Bin> bins(count);
    BinFiller filler(bins.data(), count, begin, width);
    std::vector<std::array<int, categories>> counted(count);
    for (Nanoseconds t = random() % 10; t < begin + 100;) {
      const Nanoseconds until = t + random() % 30;
      const auto category = static_cast<Category>(1 + random() % (categories - 1));
      filler.add(category, t, until);
      for (Nanoseconds n = std::max(t, begin); n < until && n < begin + static_cast<Nanoseconds>(count) * width; ++n) {
        ++counted[static_cast<std::size_t>((n - begin) / width)][static_cast<std::size_t>(category)];
      }
      t = until + random() % 3;
    }
    filler.finish();
    for (std::size_t b = 0; b < count; ++b) {
      int all = 0, busy = 0, most = 0;
      for (std::size_t c = 0; c < categories; ++c) {
        all += counted[b][c];
        if (c != static_cast<std::size_t>(Category::user)) busy += counted[b][c], most = std::max(most, counted[b][c]);
      }
      if (all == 0) {
        EXPECT_EQ(static_cast<Category>(bins[b].category), Category::nothing);
        continue;
      }
      EXPECT_EQ(bins[b].share, (busy * 255 + all - 1) / all);
      EXPECT_TRUE(busy == 0 || counted[b][bins[b].category] == most);
    }
  }
}

TEST(Levels, AreAsFineAsAsked) {
  BinLevels levels(1, 1'000'000, 1'000'000);
  BinFiller filler = levels.filler(0);
  filler.add(Category::user, 0, 500'000);
  filler.add(Category::send, 500'000, 1'000'000);
  filler.finish();
  levels.finish();
  for (const std::size_t columns : {1, 2, 10, 1000, 5000}) {
    const auto picture = levels.picture({{0}}, 0, 1'000'000, columns);
    ASSERT_EQ(picture.size(), columns);
    if (columns == 1) continue;
    EXPECT_LE(picture.front().share, 1);
    EXPECT_GE(picture.back().share, 254);
  }
}

}  // namespace
}  // namespace mora::serve
