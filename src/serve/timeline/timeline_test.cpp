#include "serve/timeline/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "base/file.h"
#include "serve/timeline/rank_order.h"
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

TEST(CounterStretches, AreBetweenTwoReadingsOfALocation) {
  std::vector<trace::Metric> metrics(3);
  metrics[0].name = "CPU_TIME";
  metrics[1].is_difference = true;
  Counters counters(metrics, 2);
  for (const auto& [time, value] :
       std::vector<std::pair<Nanoseconds, double>>{{100, 40}, {200, 90}, {200, 95}, {600, 195}})
    counters.add(0, 1, time, value);
  counters.add(1, 0, 10, 7);
  counters.add(1, 0, 20, 30);
  counters.add(9, 0, 20, 30);  // no such metric
  const auto asked = [&](const Values& query) { return *counters.json(Query(query)); };
  EXPECT_NE(asked({{"metric", "0"}}).find("[[1, 100, 200, 50, 0.5], [1, 200, 600, 100, 0.25]]"), std::string::npos)
      << asked({{"metric", "0"}});
  EXPECT_NE(asked({{"metric", "0"}}).find("\"all\": 2,"), std::string::npos);
  EXPECT_NE(asked({{"metric", "0"}}).find("\"largest\": 0.5,"), std::string::npos);
  EXPECT_NE(asked({{"metric", "0"}, {"from", "300"}, {"until", "310"}}).find("[[1, 200, 600, 100, 0.25]]"),
            std::string::npos);
  EXPECT_NE(asked({{"metric", "0"}, {"count", "1"}}).find("\"all\": 0"), std::string::npos);
  EXPECT_NE(asked({{"metric", "1"}}).find("[[0, 10, 20, 30, 3]]"), std::string::npos) << asked({{"metric", "1"}});
  EXPECT_NE(asked({{"metric", "2"}}).find("\"all\": 0"), std::string::npos);
  EXPECT_FALSE(counters.json(Query(Values{{"metric", "3"}})).has_value());
  JsonWriter json;
  counters.write_names(json);
  EXPECT_NE(json.str().find("{\"name\": \"CPU_TIME\", \"unit\": \"\", \"readings\": 4}"), std::string::npos)
      << json.str();
  EXPECT_NE(json.str().find("null"), std::string::npos);
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
