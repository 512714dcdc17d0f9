#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "serve/assets.h"
#include "serve/cells.h"
#include "serve/offline/packing.h"
#include "serve/offline/page.h"
#include "serve/offline/store.h"
#include "serve/offline/stretches.h"
#include "serve/source.h"
#include "support/scratch_directory.h"
#include "trace/readers/open_trace.h"

namespace mora::serve {
namespace {

using nlohmann::json;

/// main > solve > MPI_Recv, and MPI_Send below main; rank 0 with two threads on node a, rank 1 on node b.
cube::Cube small_cube() {
  cube::Cube cube;
  constexpr cube::MetricId time = 0, mpi = 1, wait = 2, longest = 3;
  const auto metric = [&](const char* id, cube::MetricId parent, cube::Fold fold) {
    cube::Metric one;
    one.id = one.name = id;
    one.parent = parent;
    one.fold = fold;
    cube.metrics.push_back(one);
  };
  metric("time", cube::no_id, cube::Fold::sum);
  metric("mpi", time, cube::Fold::sum);
  metric("wait", mpi, cube::Fold::sum);
  metric("longest", cube::no_id, cube::Fold::most);
  metric("nothing", cube::no_id, cube::Fold::sum);
  cube.locations = {{"a", 0, 0, "a"}, {"b", 0, 1, "a"}, {"c", 1, 0, "b"}};
  for (const auto& [name, parent] : std::vector<std::pair<std::string, cube::CallPathId>>{
           {"main", cube::no_id}, {"solve", 0}, {"MPI_Recv", 1}, {"MPI_Send", 0}}) {
    cube::CallPath path;
    path.name = name;
    path.parent = parent;
    cube.call_paths.push_back(path);
  }
  for (cube::CallPathId c = 0; c < 4; ++c) {
    for (cube::LocationId l = 0; l < 3; ++l) {
      cube.add(time, c, l, 1000 + 100 * c + 10 * l);
      if (c >= 2) cube.add(mpi, c, l, 500 + 7 * l);
      cube.add(longest, c, l, 10 + c * l);
    }
  }
  cube.add(wait, 2, 2, 40);
  return cube;
}

TEST(Store, HoldsEveryAnswerOfTheServer) {
  const cube::Cube cube = small_cube();
  const json store = json::parse(store_json(cube, 1000));
  EXPECT_EQ(store["left_out"], 0);
  EXPECT_TRUE(store["metrics"][4].empty());
  for (std::size_t m = 0; m < 4; ++m) {
    for (std::size_t own = 0; own < 2; ++own) {
      const std::string metric = std::to_string(m), alone_metric = std::to_string(own);
      const json& blocks = store["metrics"][m];
      const json& block = blocks[std::min(own, blocks.size() - 1)];
      const json paths = json::parse(*paths_json(cube, Query({{"metric", metric}, {"own", alone_metric}})));
      EXPECT_EQ(block["own"], paths["own"]) << m << own;
      EXPECT_EQ(block["all"], paths["all"]) << m << own;
      for (int c = -1; c < 4; ++c) {
        for (const char* alone : {"0", "1"}) {
          std::map<std::string, std::string> query{{"metric", metric}, {"own", alone_metric}, {"own_path", alone}};
          if (c >= 0) query["path"] = std::to_string(c);
          const json served = json::parse(*locations_json(cube, Query(query)));
          const json& number = c < 0 ? block["total"] : block[*alone == '1' ? "alone" : "below"][c];
          const json& row = store["rows"][number.get<std::size_t>()];
          EXPECT_EQ(row["values"], served["values"]) << m << own << c << alone;
          EXPECT_EQ(row.value("ranks", row["values"]), served["ranks"]) << m << own << c << alone;
          EXPECT_EQ(row["nodes"], served["nodes"]) << m << own << c << alone;
        }
      }
    }
  }
}

TEST(Store, ATooLargeOneKeepsTheProgramsRows) {
  const json store = json::parse(store_json(small_cube(), 15));  // five rows of three
  EXPECT_GT(store["left_out"], 0);
  for (std::size_t m = 0; m < 3; ++m) EXPECT_GE(store["metrics"][m][0]["total"], 0) << m;
  EXPECT_EQ(store["metrics"][0][0]["alone"][1], -1);
}

TEST(Source, HasTheCostOfEachLine) {
  const ScratchDirectory scratch;
  const std::string file = scratch.path() + "/solve.c";
  ASSERT_TRUE(write_file_atomically(file, "int solve() {\n  MPI_Recv();\n}\n<b>\xff\n").has_value());
  cube::Cube cube = small_cube();
  for (const cube::CallPathId c : {2, 3}) cube.call_paths[c].file = file, cube.call_paths[c].line = 2;
  cube.call_paths[1].file = scratch.path() + "/gone.c";
  const auto asked = [&](const char* path) {
    return json::parse(*source_json(cube, Query({{"path", path}, {"metric", "1"}, {"own", "1"}})));
  };
  const json found = asked("2");
  EXPECT_EQ(found["text"].size(), 4U);
  EXPECT_EQ(found["text"][1], "  MPI_Recv();");
  EXPECT_EQ(found["line"], 2);
  EXPECT_EQ(found["costs"], json::parse("[[2, 3002]]"));  // twice 500 + 507 + 514, without the wait of 40
  EXPECT_TRUE(asked("1")["text"].is_null());
  EXPECT_NE(asked("1")["why"].get<std::string>().find("not on this machine"), std::string::npos);
  EXPECT_NE(asked("0")["why"].get<std::string>().find("names no file"), std::string::npos);
  EXPECT_FALSE(source_json(cube, Query({{"path", "9"}, {"metric", "0"}})).has_value());
}

std::string unpacked(const std::string& bytes) {
  z_stream stream{};
  inflateInit2(&stream, 31);
  std::string out(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(Packing, ComesBack) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += std::to_string(i);
  EXPECT_EQ(unpacked(gzip(text)), text);
  EXPECT_EQ(unpacked(gzip("")), "");
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("M"), "TQ==");
  EXPECT_EQ(base64("Mo"), "TW8=");
  EXPECT_EQ(base64("Mora"), "TW9yYQ==");
}

TEST(Page, TextCannotBreakOutOfIt) {
  const auto page = offline_page({{{"report", "\"</script><script>alert(1)</script>\""}}, "{}", ""});
  if (assets().empty()) {  // without npm there is no page, but a sentence that says so
    ASSERT_FALSE(page.has_value());
    EXPECT_EQ(page.error().why, why_no_assets());
    EXPECT_FALSE(page.error().help.empty());
    return;
  }
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->find("<script>alert"), std::string::npos);
  EXPECT_EQ(page->find("http://"), page->find("http://www.w3.org/2000/svg"));
  EXPECT_NE(page->find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  EXPECT_LE(page->size(), 500'000U);
}

TEST(Stretches, HoldTheRunAndWhatWasAskedFor) {
  const ScratchDirectory scratch;
  std::string text = "mora-trace 1\n";  // 12,000 calls are more than one picture shows one by one
  for (int rank = 0; rank < 2; ++rank) {
    text += "P" + std::to_string(rank) + " 0 ENTER main";
    for (int i = 0; i < 6000; ++i) {
      text += "; " + std::to_string(1000 + 100 * i) + "-" + std::to_string(1050 + 100 * i) + " MPI_Barrier";
    }
    text += "; 700000 EXIT\n";
  }
  ASSERT_TRUE(write_file_atomically(scratch.path() + "/t.trace", text).has_value());
  const auto source = std::move(*trace::open_trace(scratch.path() + "/t.trace"));
  const auto view = std::move(*trace::View::make(*source, trace::RmaModel::extended));
  Timeline timeline(*view);
  std::atomic<std::uint64_t> done{0};
  timeline.prepare(done);
  const json found = json::parse("{" + *stretches_json(timeline, {{5000, 5400, 1, 0}}) + "}");
  const json& stretches = found["stretches"];
  EXPECT_EQ(stretches.front()["kind"], "bins");
  EXPECT_EQ(stretches.front()["until"], 700'000);
  EXPECT_EQ(stretches.size(), 1U + 8U + 1U);
  EXPECT_EQ(stretches.back()["kind"], "calls");
  EXPECT_EQ(stretches.back()["from"], 4800);
  EXPECT_EQ(stretches.back()["until"], 5600);
  EXPECT_EQ(stretches[1]["kind"], "calls");
  EXPECT_EQ(stretches.back()["collectives"]["all"], 8);
  EXPECT_EQ(stretches.back()["collectives"]["instances"][0]["points"][0][1], 4800);
  EXPECT_FALSE(stretches.back().contains("epochs"));
  EXPECT_EQ(found["call_details"].size(), 3000U);  // those of the wait first, though they are not the first of the run
  const auto around = timeline.shown_calls(Query({{"from", "4800"}, {"until", "5600"}}));
  ASSERT_TRUE(around.has_value() && around->has_value());
  EXPECT_EQ((*around)->size(), 2U * (1 + 8));  // main, and the calls of each rank
  for (const auto call : **around) EXPECT_TRUE(found["call_details"].contains(std::to_string(call))) << call;
}

}  // namespace
}  // namespace mora::serve
