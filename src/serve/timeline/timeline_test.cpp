#include "serve/timeline/timeline.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/file.h"
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
