#include "trace/readers/chrome/chrome_source.h"

#include <gtest/gtest.h>

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "support/scratch_directory.h"
#include "trace/event.h"
#include "trace/event_spool.h"

namespace mora::trace {
namespace {

TEST(Chrome, IsKnownByItsBeginning) {
  EXPECT_TRUE(is_chrome("[\n{\"ph\":\"M\"}"));
  EXPECT_TRUE(is_chrome("\xEF\xBB\xBF { \"displayTimeUnit\":\"ns\", \"traceEvents\" : ["));
  EXPECT_FALSE(is_chrome("{\"findings\":[]}"));
  EXPECT_FALSE(is_chrome("\"traceEvents\""));
  EXPECT_FALSE(is_chrome(""));
}

struct Text : EventSink {
  explicit Text(const Definitions& definitions) : d(definitions) {}
  const Definitions& d;
  std::string text;
  void on_event(const Event& e) override {
    text += std::to_string(e.time) + ":" + to_string(e.kind);
    if (e.kind == EventKind::enter || e.kind == EventKind::leave) text += "(" + d.regions[e.region].name + ")";
    text += " ";
  }
};

std::string events(const std::string& list, LocationId location = 0) {
  auto source = read_chrome("[" + list + "]");
  if (!source) return source.error().why;
  Text text((*source)->definitions());
  EXPECT_TRUE((*source)->read_location(location, text));
  return text.text;
}

std::string x(const char* name, const char* ts, const char* dur) {
  return std::string(R"({"ph":"X","pid":1,"tid":1,"name":")") + name + R"(","ts":)" + ts + R"(,"dur":)" + dur + "}";
}
std::string flow(const char* ph, int pid, const char* ts, const char* rest = "") {
  return std::string(R"({"cat":"message","name":"m","id":1,"tid":1,"ph":")") + ph + R"(","pid":)" +
         std::to_string(pid) + R"(,"ts":)" + ts + rest + "}";
}

TEST(Chrome, SlicesMayStandInAnyOrder) {
  EXPECT_EQ(events(x("b", "2", "1") + "," + x("a", "0", "5") + "," + x("c", "3", "2")),
            "0:enter(a) 2000:enter(b) 3000:leave(b) 3000:enter(c) 5000:leave(c) 5000:leave(a) ");
}

TEST(Chrome, LongerSlicesLieAroundShorterOnesOfTheSameBegin) {
  EXPECT_EQ(events(x("inner", "0", "0") + "," + x("outer", "0", "5") + "," + x("middle", "0", "5")),
            "0:enter(outer) 0:enter(middle) 0:enter(inner) 0:leave(inner) 5000:leave(middle) 5000:leave(outer) ");
}

TEST(Chrome, ASliceThatOverlapsIsCut) {
  EXPECT_EQ(events(x("a", "0", "5") + "," + x("b", "3", "5") + "," + x("c", "6", "1")),
            "0:enter(a) 3000:enter(b) 5000:leave(b) 5000:leave(a) 6000:enter(c) 7000:leave(c) ");
}

TEST(Chrome, PairsKeepTheOrderOfTheFileAtEqualTimes) {
  const auto pair = [](const char* ph, const char* name, const char* ts) {
    return std::string(R"({"ph":")") + ph + R"(","pid":1,"tid":1,"name":")" + name + R"(","ts":)" + ts + "}";
  };
  EXPECT_EQ(
      events(pair("B", "a", "1") + "," + pair("E", "", "1") + "," + pair("B", "b", "1") + "," + pair("E", "", "1")),
      "0:enter(a) 0:leave(a) 0:enter(b) 0:leave(b) ");
}

TEST(Chrome, PairsAndSlicesNest) {
  EXPECT_EQ(events(R"({"ph":"B","pid":1,"tid":1,"name":"p","ts":1},{"ph":"E","pid":1,"tid":1,"ts":4},)" +
                   x("a", "0", "9") + "," + x("b", "2", "2")),
            "0:enter(a) 1000:enter(p) 2000:enter(b) 4000:leave(b) 4000:leave(p) 9000:leave(a) ");
  // The end of the pair inside a slice cuts the slice.
  EXPECT_EQ(
      events(R"({"ph":"B","pid":1,"tid":1,"name":"p","ts":1},{"ph":"E","pid":1,"tid":1,"ts":4},)" + x("b", "2", "9")),
      "0:enter(p) 1000:enter(b) 3000:leave(b) 3000:leave(p) ");
}

TEST(Chrome, FlowsBelongToWhatEndsOrBeginsThere) {
  const std::string sender = R"({"ph":"X","pid":2,"tid":1,"name":"MPI_Send","ts":0,"dur":4})";
  const std::string both = x("MPI_Recv", "0", "5") + "," + x("work", "5", "5") + "," + sender + "," + flow("s", 2, "0");
  EXPECT_EQ(events(flow("f", 1, "5", R"(,"bp":"e")") + "," + both),
            "0:enter(MPI_Recv) 5000:receive 5000:leave(MPI_Recv) 5000:enter(work) 10000:leave(work) ");
  // Without "bp":"e" it belongs to the next slice.
  EXPECT_EQ(events(flow("f", 1, "3") + "," + both),
            "0:enter(MPI_Recv) 5000:leave(MPI_Recv) 5000:enter(work) 5000:receive 10000:leave(work) ");
  EXPECT_EQ(events(flow("f", 1, "5", R"(,"bp":"e")") + "," + both, 1),
            "0:enter(MPI_Send) 0:send 4000:leave(MPI_Send) ");
  // A start where one slice ends and a sending one begins; an end where only the beginning slice can receive.
  EXPECT_EQ(
      events(x("work", "0", "5") + "," + x("MPI_Send", "5", "1") + "," + flow("s", 1, "5") + "," + flow("f", 2, "9")),
      "0:enter(work) 5000:leave(work) 5000:enter(MPI_Send) 5000:send 6000:leave(MPI_Send) ");
  EXPECT_EQ(events(x("work", "0", "5") + "," + x("MPI_Recv", "5", "0") + "," + flow("s", 2, "1") + "," +
                   flow("f", 1, "5", R"(,"bp":"e")")),
            "0:enter(work) 5000:leave(work) 5000:enter(MPI_Recv) 5000:receive 5000:leave(MPI_Recv) ");
}

TEST(Chrome, FlowsWithinAProcessAreNoMessages) {
  const std::string inner = R"({"ph":"s","pid":1,"tid":1,"ts":1,"cat":"c","name":"n","id":"x"},)"
                            R"({"ph":"f","pid":1,"tid":2,"ts":2,"cat":"c","name":"n","id":"x"},)";
  EXPECT_EQ(events(inner + x("a", "0", "5")), "0:enter(a) 5000:leave(a) ");
}

TEST(Chrome, NamesTellRanksElseTheOrderOfProcessNumbers) {
  const auto ranks = [](const std::string& metadata) {
    auto source =
        read_chrome("[" + metadata + x("a", "0", "1") + R"(,{"ph":"X","pid":30,"tid":5,"ts":0,"dur":1,"name":"b"})" +
                    R"(,{"ph":"X","pid":4,"tid":"x","ts":0,"dur":1,"name":"c"}])");
    std::string text;
    for (const Location& l : source.value()->definitions().locations)
      text += std::to_string(l.rank) + "/" + std::to_string(l.file_id) + " ";
    return text;
  };
  EXPECT_EQ(ranks(""), "0/0 1/2 2/1 ");
  EXPECT_EQ(ranks(R"({"ph":"M","pid":30,"name":"process_name","args":{"name":"MPI Rank 0 of 3"}},)"), "0/1 1/0 2/2 ");
  EXPECT_EQ(ranks(R"({"ph":"M","pid":30,"name":"process_name","args":{"name":"rank 4000000000"}},)"), "0/0 1/2 2/1 ");
}

TEST(Chrome, DepthIsLimited) {
  const std::string deep =
      R"({"ph":"X","pid":1,"tid":1,"ts":9,"dur":1,"name":"b","args":{"a":)" + std::string(1000000, '[');
  auto source = read_chrome("[" + x("a", "0", "1") + "," + deep);
  ASSERT_TRUE(source);
  ASSERT_EQ((*source)->quality().rows().size(), 1U);
  EXPECT_EQ((*source)->quality().rows()[0].kind, "truncated-trace");
}

TEST(Chrome, PackedFilesReadAlike) {
  const std::string content = read_file(std::string(MORA_SAMPLES) + "/chrome/valid-pairs").value();
  const ScratchDirectory scratch;
  const std::string path = scratch.path("packed.json.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  auto packed = open_chrome(path);
  auto plain = read_chrome(content);
  ASSERT_TRUE(packed && plain);
  for (LocationId l = 0; l < 2; ++l) {
    Text a((*packed)->definitions()), b((*plain)->definitions());
    ASSERT_TRUE((*packed)->read_location(l, a) && (*plain)->read_location(l, b));
    EXPECT_EQ(a.text, b.text);
    EXPECT_FALSE(a.text.empty());
  }
  const std::string bytes = read_file(path).value();
  ASSERT_TRUE(write_file_atomically(path, bytes.substr(0, bytes.size() / 2)));
  auto cut = open_chrome(path);
  if (cut) {
    EXPECT_EQ((*cut)->quality().rows().at(0).kind, "truncated-trace");
  } else {
    EXPECT_FALSE(cut.error().why.empty());
  }
}

TEST(Chrome, ManyOpenSlicesCostTheirNumber) {
  std::string list;
  for (int i = 0; i < 100000; ++i) list += x("a", "0", std::to_string(200000 - i).c_str()) + ",";
  for (int i = 0; i < 100000; ++i) list += R"({"ph":"E","pid":1,"tid":1,"ts":1},)";
  auto source = read_chrome("[" + list + x("b", "1", "1") + "]");
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->quality().rows().at(0).kind, "stray-leave");
  EXPECT_EQ((*source)->quality().rows().at(0).count, 100000U);
}

TEST(Chrome, IsTheSameInLittleMemory) {
  std::string list;
  for (int i = 30000; i > 0; --i) list += x("a", std::to_string(i).c_str(), "0.5") + (i > 1 ? "," : "");
  const std::string expected = events(list);
  const SpoolMemory little(1);  // 1 MiB: a quarter of it holds 1700 events
  EXPECT_EQ(events(list), expected);
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '('), 60000);
}

}  // namespace
}  // namespace mora::trace
