#include "cube/cubex_anchor.h"

#include <gtest/gtest.h>

#include <tuple>

namespace mora::cube {
namespace {

/// Processes, threads and coordinates are parsed in runs; however long these are, the system is the same.
TEST(CubexAnchor, TheSystemIsReadInRuns) {
  std::string anchor =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\"><metrics/><program/><system><systemtreenode "
      "Id=\"0\">"
      "<name>cluster</name><class>machine</class><systemtreenode Id=\"1\"><name>n7</name><class>node</class>"
      "<locationgroup Id=\"0\"><rank>1</rank><location Id=\"1\"><name>T</name><rank>0</rank></location></locationgroup>"
      "<locationgroup Id=\"1\"><rank>0</rank><location Id=\"0\"><name>T</name><rank>0</rank></location></locationgroup>"
      "</systemtreenode></systemtreenode></system></cube>";
  std::string groups, places;
  for (int i = 2; i < 60; ++i) {
    const std::string id = std::to_string(i), last = std::to_string(1000 - i);
    groups += "<locationgroup Id=\"" + id + "\"><name>MPI Rank " + id + "</name><rank>" + id + "</rank>\n";
    for (const char* thread : {"0", "1"})
      groups += "<location Id=\"" + last + thread + "\"><name>&lt;T" + thread + "&gt;</name><rank>" + thread +
                "</rank></location>";
    groups += "</locationgroup>";
    if (i == 30) groups += "</systemtreenode><systemtreenode Id=\"9\"><class>node</class><name>n9</name>";
    places += "<coord lgId=\"" + id + "\">" + id + "</coord>";
  }
  anchor.insert(anchor.find("</systemtreenode>"), groups);
  anchor.insert(anchor.find("</system>"),
                "<topologies><cart name=\"line\" ndims=\"1\"><dim size=\"60\"/>" + places + "</cart></topologies>");
  const auto whole = parse_anchor(anchor, 1 << 20);
  ASSERT_TRUE(whole) << whole.error().text();
  const auto& expected = whole->dimensions;
  ASSERT_EQ(expected.locations.size(), 118u);
  EXPECT_EQ(expected.locations[117].name, "<T1>");
  EXPECT_EQ(expected.locations[117].rank, 2u);
  EXPECT_EQ(expected.locations[117].node, "n7");
  EXPECT_EQ(expected.locations[2].rank, 59u);
  EXPECT_EQ(expected.locations[2].node, "n9");
  ASSERT_EQ(expected.grids.size(), 1u);
  EXPECT_EQ(expected.grids[0].ranks.size(), 58u);
  const auto as_a_whole = parse_anchor("<!DOCTYPE cube>" + anchor.substr(anchor.find("<cube")));  // never cut
  ASSERT_TRUE(as_a_whole) << as_a_whole.error().text();
  EXPECT_EQ(as_a_whole->column.size(), 118u);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{300}, SIZE_MAX}) {
    const auto read = bytes == SIZE_MAX ? as_a_whole : parse_anchor(anchor, bytes);
    ASSERT_TRUE(read) << read.error().text();
    const auto& found = read->dimensions;
    EXPECT_EQ(found.grids, expected.grids);
    ASSERT_EQ(found.locations.size(), expected.locations.size());
    for (std::size_t i = 0; i < found.locations.size(); ++i) {
      const Location &a = found.locations[i], &b = expected.locations[i];
      EXPECT_EQ(std::tie(a.name, a.rank, a.thread, a.node), std::tie(b.name, b.rank, b.thread, b.node)) << i;
    }
  }
  anchor.replace(anchor.find("MPI Rank 40"), 3, "& <");  // damage in a run is said of the whole text
  const auto damaged = parse_anchor(anchor, 1);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().where.find("byte"), std::string::npos) << damaged.error().text();
}

}  // namespace
}  // namespace mora::cube
