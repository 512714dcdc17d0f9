#include "serve/site.h"

#include <gtest/gtest.h>

#include "serve/cells.h"
#include "serve/sandwich.h"

namespace mora::serve {
namespace {

class TheSite : public ::testing::Test {
 protected:
  TheSite() {
    site_.add("", "text/html", std::string("page"));
    site_.add("number", "application/json", [](const Query& query) -> Result<std::string> {
      MORA_TRY(const auto n, query.integer("n", 7, -5, 10));
      return std::to_string(n);
    });
    site_.add("broken", "application/json",
              [](const Query&) -> Result<std::string> { return fail(ErrorKind::unreadable, "no \"file\""); });
  }
  Answer ask(const std::string& path, const std::string& host = "127.0.0.1:80", const std::string& method = "GET",
             const std::map<std::string, std::string>& query = {}) const {
    return site_.answer({method, host, path, Query(query)});
  }
  Site site_{"abcd"};
};

TEST_F(TheSite, AnswersWhoHasTheKey) {
  EXPECT_EQ(ask("/abcd/").body, "page");
  EXPECT_EQ(ask("/abcd/number").body, "7");
  EXPECT_EQ(ask("/abcd/number", "localhost", "HEAD").status, 200);
  EXPECT_EQ(site_.root(), "/abcd/");
}

TEST_F(TheSite, RefusesAllOthers) {
  for (const char* path : {"", "/", "/abc/", "/abcde/", "/abcx/number", "//abcd/", "abcd/"}) {
    EXPECT_EQ(ask(path).status, 403) << path;
  }
  for (const char* path : {"/abcd/x", "/abcd/../abcd/", "/abcd//", "/abcd", "/abcd/number/", "/abcd/Number"}) {
    EXPECT_EQ(ask(path).status, 404) << path;
  }
  for (const char* host : {"", "evil.example", "127.0.0.1.evil.example:80", "127.0.0.2", "[::1]"}) {
    EXPECT_EQ(ask("/abcd/", host).status, 403) << host;
  }
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", ""}) {
    EXPECT_EQ(ask("/abcd/", "localhost", method).status, 405) << method;
  }
}

TEST_F(TheSite, NumbersAreChecked) {
  for (const char* text : {"", "x", "1x", " 1", "11", "-6", "1e1", "99999999999999999999", "0x1", "+1"}) {
    EXPECT_EQ(ask("/abcd/number", "localhost", "GET", {{"n", text}}).status, 400) << text;
  }
  EXPECT_EQ(ask("/abcd/number", "localhost", "GET", {{"n", "-5"}}).body, "-5");
}

TEST_F(TheSite, AnErrorIsJson) {
  EXPECT_EQ(ask("/abcd/broken").status, 500);
  EXPECT_EQ(ask("/abcd/broken").body, "{\"error\": \"no \\\"file\\\"\"}\n");
}

TEST(Token, IsLongAndNeverTheSame) {
  const auto a = random_token(), b = random_token();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->size(), 32U);
  EXPECT_NE(*a, *b);
}

TEST(Cells, AreSumsOfTheStore) {
  cube::Cube cube;
  std::vector<cube::Metric> metrics(2);
  metrics[1].parent = 0;
  cube.metrics = metrics;
  cube.call_paths.resize(3);
  cube.call_paths[1].parent = cube.call_paths[2].parent = 0;
  cube.locations = {{"rank 0", 0, 0, "a"}, {"rank 1", 1, 0, "b"}, {"rank 1 thread 1", 1, 1, "b"}};
  for (cube::CallPathId c = 0; c < 3; ++c) {
    for (cube::LocationId l = 0; l < 3; ++l) cube.add(0, c, l, 100 * (c + 1) + l), cube.add(1, c, l, c);
  }
  const auto query = [](const std::map<std::string, std::string>& values) { return Query(values); };
  EXPECT_NE(paths_json(cube, query({{"metric", "0"}}))->find("\"own\": [303, 603, 903]"), std::string::npos);
  EXPECT_NE(paths_json(cube, query({{"metric", "0"}}))->find("\"all\": [1809, 603, 903]"), std::string::npos);
  EXPECT_NE(paths_json(cube, query({{"metric", "0"}, {"own", "1"}}))->find("\"own\": [303, 600, 897]"),
            std::string::npos);
  const auto of_path = locations_json(cube, query({{"metric", "0"}, {"path", "0"}, {"own_path", "1"}}));
  EXPECT_NE(of_path->find("\"values\": [100, 101, 102]"), std::string::npos);
  const auto of_all = locations_json(cube, query({{"metric", "0"}}));
  EXPECT_NE(of_all->find("\"ranks\": [600, 1209]"), std::string::npos);
  EXPECT_NE(of_all->find("\"nodes\": [600, 1209]"), std::string::npos);
  EXPECT_FALSE(paths_json(cube, query({{"metric", "2"}})).has_value());
  EXPECT_FALSE(locations_json(cube, query({{"path", "3"}})).has_value());
  EXPECT_FALSE(paths_json(cube::Cube(), query({})).has_value());
}

TEST(Cells, GridsNamePlacesWhereRanksAreNotInOrder) {
  cube::Cube cube;
  cube.grids = {{"in order", {{"", 1, false}, {"", 2, true}}, {0, 1}, {0, 0, 0, 1}},
                {"turned", {{"", 2, false}, {"", 2, false}}, {1, 0}, {0, 1, 1, 0}},
                {"too large", {{"", 1U << 31, false}, {"", 1U << 31, false}}, {0}, {0, 0}}};
  const std::string json = dimensions_json(cube);
  EXPECT_NE(
      json.find(R"("name": "in order", "extents": [1, 2], "periodic": [0, 1], "size": 2, "ranks": [], "places": [])"),
      std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("size": 2, "ranks": [1, 0], "places": [1, 2])"), std::string::npos) << json;
  EXPECT_EQ(json.find("too large"), std::string::npos);
}

/// main: f (g, h (g)), g, f's second call path below g: g (f).
TEST(Sandwich, CallersAndCalleesOfAllPlaces) {
  cube::Cube cube;
  cube.metrics = std::vector<cube::Metric>(1);
  cube.locations = {{"rank 0", 0, 0, "a"}};
  const auto add = [&](cube::CallPathId parent, const char* name, std::int64_t own) {
    cube.call_paths.push_back({parent, name, cube::CallPathKind::user, "", 0});
    const auto path = static_cast<cube::CallPathId>(cube.call_paths.size() - 1);
    cube.add(0, path, 0, own);
    return path;
  };
  const auto main = add(cube::no_id, "main", 1), f = add(main, "f", 10), g = add(f, "g", 100), h = add(f, "h", 1000);
  const auto g_in_h = add(h, "g", 10000), other_g = add(main, "g", 100000), f_in_g = add(other_g, "f", 1000000);
  add(f_in_g, "f", 5);  // calls itself: not a second time
  EXPECT_EQ(first_of_function(cube), (std::vector<cube::CallPathId>{main, f, g, h, g, g, f, f}));
  const auto ask = [&](cube::CallPathId path) {
    return sandwich_json(cube, Query({{"path", std::to_string(path)}, {"metric", "0"}})).value_or("error");
  };
  EXPECT_EQ(ask(f),
            "{\"total\": 1011115, \"places\": 2, \"callers\": [[-1, 0, 11110], [-1, 2, 1000005], [1, 0, 1000005]], "
            "\"callees\": [[-1, 2, 100], [-1, 3, 11000], [1, 2, 10000], [-1, 1, 5]]}");
  EXPECT_EQ(ask(g_in_h), ask(g));
  EXPECT_EQ(ask(99), "error");
  const auto all = all_sandwiches(cube, 1 << 20);
  ASSERT_EQ(all.size(), 8U);  // four functions, with and without the metric's children
  EXPECT_EQ(all[1], (std::pair<std::string, std::string>{"path=1&metric=0&own=0", ask(f)}));
  EXPECT_TRUE(all_sandwiches(cube, 10).empty());
}

/// A function that loses in one callee what it gains in another has not changed, but they have.
TEST(Sandwich, OfADifferenceThatIsZeroAbove) {
  cube::Cube cube;
  cube.metrics = std::vector<cube::Metric>(1);
  cube.locations = {{"rank 0", 0, 0, "a"}};
  for (const auto& [parent, name] : {std::pair{cube::no_id, "main"}, {0U, "f"}, {1U, "g"}, {1U, "h"}, {1U, "same"}})
    cube.call_paths.push_back({parent, name, cube::CallPathKind::user, "", 0});
  cube.add(0, 2, 0, 7);
  cube.add(0, 3, 0, -7);
  EXPECT_EQ(sandwich_json(cube, Query({{"path", "1"}, {"metric", "0"}})).value_or("error"),
            "{\"total\": 0, \"places\": 1, \"callers\": [[-1, 0, 0]], \"callees\": [[-1, 2, 7], [-1, 3, -7]]}");
}

}  // namespace
}  // namespace mora::serve
