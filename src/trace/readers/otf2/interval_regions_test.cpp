// Marks of the program in archives: ours, written and read back, and Score-P's user regions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include "archive/archive_writer.h"
#include "support/scratch_directory.h"
#include "trace/mpi_function.h"
#include "trace/readers/otf2/definitions/archive_definitions.h"
#include "trace/readers/otf2/otf2_source.h"

namespace mora::trace {
namespace interval_regions_test {

class Collect : public EventSink {
 public:
  std::vector<Event> enters;
  void on_event(const Event& e) override {
    if (e.kind == EventKind::enter) enters.push_back(e);
  }
};

class MarkedArchive : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = archive::ArchiveWriter::create(directory_, {"marked", "machine", ""});
    ASSERT_TRUE(made) << made.error().text();
    auto location = (*made)->open_location(0);
    ASSERT_TRUE(location);
    location->enter(100, 0, 7);
    location->leave(110, 0);
    location->enter(110, 1);
    location->leave(120, 1);
    location->enter(120, 2);
    location->leave(130, 2);
    location->enter(130, 0, 2147483647);
    location->enter(140, 3);
    location->leave(150, 3);
    location->leave(160, 0);
    location->enter(160, 4, 0x0A0001AA);
    location->leave(170, 4);
    ASSERT_TRUE((*made)->close_location(*location, {}));
    archive::Definitions d;
    d.first_stamp = 100;
    d.last_stamp = 170;
    d.nodes = {"host"};
    d.processes = {{0, {}}};
    const auto mark = [&](const char* name, std::uint32_t line, std::uint32_t replication) {
      archive::Region region;
      region.function = name;
      region.file = "solve.c";
      region.line = line;
      region.kind = archive::RegionKind::mark;
      region.replication = replication;
      d.regions.push_back(region);
    };
    mark("interval", 10, 1);
    mark("sequential", 20, archive::no_id);
    mark("replicated", 30, 4);
    mark("MPI-free part", 40, 1);
    d.regions.push_back({"MPI_Pcontrol", "solve.c", 50, ""});
    ASSERT_TRUE((*made)->close(d));
  }

  const ScratchDirectory scratch_;
  const std::string& directory_ = scratch_.path();
};

TEST_F(MarkedArchive, regions_ids_and_levels_come_back) {
  auto source = open_otf2(directory_ + "/traces.otf2");
  ASSERT_TRUE(source) << source.error().text();
  Collect sink;
  ASSERT_TRUE((*source)->read_location(0, sink));
  ASSERT_EQ(sink.enters.size(), 6U);
  const auto region = [&](std::size_t i) { return (*source)->definitions().regions[sink.enters[i].region]; };
  EXPECT_EQ(region(0).name, "interval");
  EXPECT_EQ(region(0).role, RegionRole::interval);
  EXPECT_EQ(region(0).kind, RegionKind::user);
  EXPECT_EQ(region(0).call_site_file, "solve.c");
  EXPECT_EQ(region(0).call_site_line, 10U);
  EXPECT_EQ(region(0).replication, 1U);
  EXPECT_EQ(sink.enters[0].tag, 7);
  EXPECT_EQ(sink.enters[0].interval, 0U) << "only with_intervals() sets it";
  EXPECT_EQ(region(1).role, RegionRole::interval);
  EXPECT_EQ(region(1).replication, no_id);
  EXPECT_EQ(sink.enters[1].tag, 0);
  EXPECT_EQ(region(2).replication, 4U);
  EXPECT_EQ(sink.enters[3].region, sink.enters[0].region);
  EXPECT_EQ(sink.enters[3].tag, 2147483647);
  EXPECT_EQ(region(4).name, "MPI-free part");
  EXPECT_EQ(region(5).role, RegionRole::unknown);
  EXPECT_EQ(region(5).kind, RegionKind::mpi);
  EXPECT_EQ(sink.enters[5].tag, 0x0A0001AA);
  EXPECT_TRUE((*source)->quality().empty());
}

class ScorePRegions : public ::testing::Test {
 protected:
  Region resolved(OTF2_RegionRole role, OTF2_Paradigm paradigm, const char* name = "part",
                  const char* description = "") {
    otf2::DefinitionRecords records;
    records.strings.add(0, name);
    records.strings.add(1, description);
    records.strings.add(2, "app.c");
    records.regions.add(0, {0, 0, 1, 2, 12, role, paradigm});
    return otf2::resolve(std::move(records)).trace.regions.at(0);
  }
  RegionRole role(OTF2_RegionRole role, OTF2_Paradigm paradigm) { return resolved(role, paradigm).role; }
};

TEST_F(ScorePRegions, user_regions_are_intervals_and_functions_are_none) {
  EXPECT_EQ(role(OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER), RegionRole::interval);
  EXPECT_EQ(role(OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_USER), RegionRole::interval);
  EXPECT_EQ(role(OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER), RegionRole::unknown);
  EXPECT_EQ(role(OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_USER), RegionRole::unknown);
  EXPECT_EQ(role(OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_COMPILER), RegionRole::unknown);
  EXPECT_EQ(role(OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP), RegionRole::workshare);
}

TEST_F(ScorePRegions, a_region_named_like_an_mpi_function_is_that_function_unless_it_is_our_mark) {
  EXPECT_EQ(resolved(OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, "MPI_Send").kind, RegionKind::mpi);
  const Region ours = resolved(OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, "MPI_Send", "mora:interval");
  EXPECT_EQ(ours.kind, RegionKind::user);
  EXPECT_EQ(ours.role, RegionRole::interval);
  EXPECT_EQ(ours.call_site_file, "app.c");
}

TEST_F(ScorePRegions, replication_is_what_a_description_of_ours_says) {
  const auto replication = [&](const char* description) {
    return resolved(OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER, "part", description).replication;
  };
  EXPECT_EQ(replication("mora:interval replication=all"), no_id);
  EXPECT_EQ(replication("mora:interval replication=12"), 12U);
  EXPECT_EQ(replication("mora:interval"), 1U);
  EXPECT_EQ(replication("replication=12"), 1U);
  EXPECT_EQ(replication("mora:interval replication=0"), 1U);
  EXPECT_EQ(replication("mora:interval replication=99999999999999"), 1U);
  EXPECT_EQ(replication("mora:interval replication="), 1U);
}

TEST_F(ScorePRegions, regions_that_differ_in_replication_only_stay_apart) {
  otf2::DefinitionRecords records;
  records.strings.add(0, "replicated");
  records.strings.add(1, "mora:interval replication=2");
  records.strings.add(2, "mora:interval replication=3");
  records.strings.add(3, "app.c");
  records.regions.add(0, {0, 0, 1, 3, 12, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER});
  records.regions.add(1, {0, 0, 2, 3, 12, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER});
  records.regions.add(2, {0, 0, 2, 3, 12, OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER});
  const auto d = otf2::resolve(std::move(records));
  EXPECT_NE(d.regions[0], d.regions[1]);
  EXPECT_EQ(d.regions[1], d.regions[2]);
}

}  // namespace interval_regions_test
}  // namespace mora::trace
