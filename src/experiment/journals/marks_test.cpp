// Marks in journals become regions with numbers that do not depend on which process passed a mark first.
#include "experiment/journals/marks.h"

#include <gtest/gtest.h>

#include <cstring>

namespace mora::experiment {
namespace {

class Process {
 public:
  void define(std::uint32_t number, int kind, int line, const std::string& file, const std::string& name = "") {
    const auto words = [](const std::string& text) { return (text.size() + 7) / 8; };
    payload_.assign(2 + words(file) + words(name), 0);
    payload_[0] = static_cast<std::uint32_t>(kind) | static_cast<std::uint64_t>(line) << 32;
    payload_[1] = file.size() | static_cast<std::uint64_t>(name.size()) << 32;
    std::memcpy(payload_.data() + 2, file.data(), file.size());
    std::memcpy(payload_.data() + 2 + words(file), name.data(), name.size());
    take(MORA_SHAPE_DEFINE_MARK, number);
  }
  void begin(std::uint32_t number, std::int32_t argument) {
    payload_ = {static_cast<std::uint32_t>(argument)};
    take(MORA_SHAPE_MARK_BEGIN, number);
  }
  MarkTable table;

 private:
  void take(unsigned shape, std::uint32_t number) {
    journal::Record r;
    r.shape = shape;
    r.object = number;
    r.payload = payload_;
    EXPECT_TRUE(table.take(r));
  }
  std::vector<std::uint64_t> payload_;
};

TEST(Marks, AreNumberedByPlaceWhoeverPassedThemFirst) {
  Process a, b;
  a.define(1, 4, 30, "/home/someone/solver.c", "solve");
  a.begin(1, 0);
  a.define(2, 1, 20, "/home/someone/solver.c");
  a.begin(2, 5);
  a.begin(2, 6);
  b.define(1, 1, 20, "/home/someone/solver.c");
  b.begin(1, 7);
  b.define(2, 1, 21, "/home/someone/solver.c");  // an end: no region
  std::vector<archive::Region> regions(3);       // the calls
  number_marks({&a.table, &b.table}, regions);
  ASSERT_EQ(regions.size(), 5u);
  EXPECT_EQ(regions[3].function, "interval");
  EXPECT_EQ(regions[3].file, "/home/someone/solver.c");
  EXPECT_EQ(regions[3].line, 20u);
  EXPECT_EQ(regions[3].kind, archive::RegionKind::mark);
  EXPECT_EQ(regions[4].function, "solve");
  EXPECT_EQ(a.table.region(2, 5), 3u);
  EXPECT_EQ(a.table.region(2, 99), 3u);  // the number is no part of the region
  EXPECT_EQ(b.table.region(1, 7), 3u);
  EXPECT_EQ(a.table.region(1, 0), 4u);
  EXPECT_EQ(b.table.region(2, 0), archive::no_id);
  EXPECT_EQ(b.table.find(2)->place(), "/home/someone/solver.c:21");
}

TEST(Marks, ReplicationIsPartOfTheRegion) {
  Process p;
  p.define(1, 2, 5, "a.c");
  p.begin(1, 0);
  p.define(2, 3, 6, "a.c");
  for (const std::int32_t processes : {2, 4, 2, 1, 0, -3}) p.begin(2, processes);
  std::vector<archive::Region> regions;
  number_marks({&p.table}, regions);
  ASSERT_EQ(regions.size(), 4u);
  EXPECT_EQ(regions[0].function, "sequential");
  EXPECT_EQ(regions[0].replication, archive::no_id);
  EXPECT_EQ(regions[p.table.region(2, 2)].replication, 2u);
  EXPECT_EQ(regions[p.table.region(2, 4)].replication, 4u);
  EXPECT_EQ(regions[p.table.region(2, 1)].replication, 1u);
  EXPECT_EQ(p.table.region(2, -3), p.table.region(2, 1));
}

TEST(Marks, WhatIsNotDefinedIsUnknown) {
  Process p;
  p.begin(9, 0);
  p.define(1, 6, 1, "a.c");  // a kind of a newer header
  p.begin(1, 0);
  p.define(2, 1, 0, "");
  std::vector<archive::Region> regions;
  number_marks({&p.table}, regions);
  EXPECT_TRUE(regions.empty());
  EXPECT_EQ(p.table.find(9), nullptr);
  EXPECT_EQ(p.table.find(1), nullptr);
  EXPECT_EQ(p.table.region(9, 0), archive::no_id);
  EXPECT_EQ(p.table.find(2)->place(), "an unknown place");
  journal::Record other;
  other.shape = MORA_SHAPE_NAME;
  EXPECT_FALSE(p.table.take(other));
}

}  // namespace
}  // namespace mora::experiment
