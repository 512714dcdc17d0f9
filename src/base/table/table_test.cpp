/// One table in every format; JSON by the types of values.
#include "base/table/table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/json/json_document.h"
#include "base/table/markdown_page.h"
#include "base/table/text_page.h"
#include "base/version.h"

namespace mora {
namespace {

struct Wait {
  std::string what;
  Nanoseconds time;
  std::optional<std::uint32_t> rank;
};
const std::vector<Wait> waits = {{"a|b, \"c\"", 1'500'000'001, 3}, {"longer than wide", 7, std::nullopt}};

Table table() {
  return {{words("what"), number("time", 6), number("rank")}, waits, [](const Wait& wait) {
            return Cells{wait.what, {Seconds{wait.time}, time_for_people(wait.time)}, wait.rank};
          }};
}

TEST(Table, TextAlignsWhatPeopleRead) {
  EXPECT_EQ(text_of(table()),
            "what                time  rank\n"
            "a|b, \"c\"         1.500 s     3\n"
            "longer than wide    7 ns\n");
}

TEST(Table, TheLastCellOfAShortRowRunsOn) {
  Table table({words("name"), {"count", 0, 2}, {"size", 0, 2}});
  table.add({"a", 1, 2});
  table.add({"b", "not known: nobody counted"});
  EXPECT_EQ(text_of(table), "name  count  size\na         1     2\nb     not known: nobody counted\n");
}

TEST(Table, CsvAndJsonAreExact) {
  EXPECT_EQ(csv_of(table()), "what,time,rank\n\"a|b, \"\"c\"\"\",1.500000001,3\nlonger than wide,0.000000007,\n");
  JsonWriter json;
  json.value(table());
  EXPECT_EQ(json.str(),
            "[\n  {\"what\": \"a|b, \\\"c\\\"\", \"time\": 1.500000001, \"rank\": 3},\n"
            "  {\"what\": \"longer than wide\", \"time\": 0.000000007, \"rank\": null}\n]");
}

TEST(Table, MarkdownEscapesTextsNotFigures) {
  Table marked({words("what"), number("share"), words("")});
  marked.add({"a|b", Cell::figure("<0.01 %"), ""});
  marked.add({"c", Cell::figure(""), "±"});
  EXPECT_EQ(markdown_of(marked), "| what | share | |\n|---|---:|---|\n| a\\|b | <0.01 % | |\n| c |  | ± |\n");
}

TEST(Table, ColourDoesNotCountAsWidth) {
  Table coloured({number("n"), cut_words("name", 5)});
  coloured.add({Cell(1).styled("31"), "abcdefghij"}, "2");
  coloured.add({100, "b"});
  const TextStyle style{.width = 10, .has_heading = false, .has_colour = true};
  EXPECT_EQ(text_of(coloured, style), "\033[2m  \033[31m1\033[0m  a…hij\033[0m\n100  b\n");
}

TEST(TextPage, ListsAreCutWithALine) {
  TextPage page({80, 1, false});
  page.banner("WAITS");
  page.table({cut_words("what")}, waits, "waits", [](const Wait& wait) { return Cells{wait.what}; });
  EXPECT_EQ(page.take(),
            "@--- WAITS " + std::string(69, '-') + "\nwhat\na|b, \"c\"\n… 1 of 2 waits shown; --top 0 shows all\n");
}

TEST(MarkdownPage, BlocksStandApart) {
  MarkdownPage page;
  page.heading(2, "A");
  page.item("b");
  page.item("c", 1);
  page.paragraph("d");
  EXPECT_EQ(page.take(), "## A\n\n* b\n  * c\n\nd\n");
}

TEST(JsonWriter, ValuesAreWrittenByTheirTypes) {
  const std::vector<std::vector<int>> nested = {{1, 2}, {}};
  JsonWriter json;
  json.begin_object().fields("text", "x", "view", std::string_view("y"), "none", std::optional<int>(), "zero",
                             if_any(0), "time", Seconds{1'000'000'000}, "flag", true, "by_name",
                             std::map<std::string, int>{{"k", 1}});
  json.fields("nested", nested, "list", list(waits, [&](const Wait& wait) { json.line("rank", wait.rank); }), "made",
              [&] { json.line("a", 1); });
  json.end_object();
  EXPECT_EQ(json.str(),
            "{\n  \"text\": \"x\",\n  \"view\": \"y\",\n  \"none\": null,\n  \"zero\": null,\n  \"time\": 1,\n  "
            "\"flag\": true,\n"
            "  \"by_name\": {\n    \"k\": 1\n  },\n  \"nested\": [\n    [1, 2],\n    []\n  ],\n"
            "  \"list\": [\n    {\"rank\": 3},\n    {\"rank\": null}\n  ],\n  \"made\": {\"a\": 1}\n}");
}

TEST(JsonDocument, HasItsEnvelope) {
  JsonDocument json("mora-test", JsonDocument::Form::one_line);
  json.fields("a", 1);
  EXPECT_EQ(json.finish({{"lost", Severity::loss, "rank 1", 2, "what", "remedy"}}),
            "{\"schema\": \"mora-test\", \"schema_version\": 1, \"creator\": \"mora " + std::string(version()) +
                "\", \"a\": 1, \"data_quality\": [{\"kind\": \"lost\", \"severity\": \"loss\", \"where\": \"rank 1\", "
                "\"count\": 2, \"what\": \"what\", \"remedy\": \"remedy\"}]}\n");
}

}  // namespace
}  // namespace mora
