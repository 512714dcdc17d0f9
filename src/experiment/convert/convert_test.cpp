// The parts of the conversion that need no MPI: clocks, one numbering for all processes.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "experiment/code/call_sites.h"
#include "experiment/convert/definitions.h"
#include "experiment/convert/location_events.h"
#include "experiment/journals/clock_fit.h"
#include "experiment/manifest.h"

namespace mora::experiment {
namespace {

TEST(ClockFit, OneLineThroughAllReadingsOfAHost) {
  // 2 ticks a nanosecond; the order of the readings does not matter.
  const auto fit = ClockFit::from({{3000, 5'001'000, 9'000'500}, {1000, 5'000'000, 9'000'000}}, MORA_CLOCK_TSC);
  EXPECT_EQ(fit.stamp(1000), 9'000'000u);
  EXPECT_EQ(fit.stamp(2001), 9'000'501u);  // 500.5 rounds away from zero
  EXPECT_EQ(fit.stamp(998), 8'999'999u);
  EXPECT_EQ(fit.monotonic(3000), 5'001'000u);
  EXPECT_EQ(fit.span_ns(), 1000u);
  const auto huge = ClockFit::from({{0, 0, 0}, {2'250'000'000, 1'000'000'000, 1'000'000'000}}, MORA_CLOCK_TSC);
  EXPECT_EQ(huge.stamp(std::uint64_t{2'250'000'000} * 86'400 * 1000), std::uint64_t{86'400} * 1000 * 1'000'000'000);
}

TEST(ClockFit, ReadingsThatNoClockGaveHaveSomeStamps) {
  const std::uint64_t far = UINT64_MAX - 1;
  const auto damaged = ClockFit::from({{2, 1, far}, {4, far, 0}}, MORA_CLOCK_TSC);
  for (const std::uint64_t ticks : {std::uint64_t{0}, std::uint64_t{2}, far}) (void)damaged.stamp(ticks);
  EXPECT_EQ(damaged.stamp(2), far);
  (void)on_common_clock(far, {{0, INT64_MIN, 0}, {1, INT64_MAX, 0}});
}

TEST(ClockFit, OffsetsAreInterpolatedAndExtended) {
  EXPECT_EQ(on_common_clock(500, {{100, -40, 0}}), 460u);
  const std::vector<archive::ClockOffset> drifting{{1000, 100, 0}, {2000, 110, 0}, {4000, 90, 0}};
  EXPECT_EQ(on_common_clock(1000, drifting), 1100u);
  EXPECT_EQ(on_common_clock(1550, drifting), 1655u);  // +5.5, rounded down
  EXPECT_EQ(on_common_clock(2000, drifting), 2110u);
  EXPECT_EQ(on_common_clock(3000, drifting), 3100u);
  EXPECT_EQ(on_common_clock(4000, drifting), 4090u);
  EXPECT_EQ(on_common_clock(5000, drifting), 5080u);
  EXPECT_EQ(on_common_clock(950, drifting), 1049u);  // -0.5, rounded down
  EXPECT_EQ(on_common_clock(1'795'242'715'000'000'000, {{1'795'242'715'000'000'000, -5'000'000'000, 0},
                                                        {1'795'242'716'000'000'000, -5'000'005'000, 0}}),
            1'795'242'710'000'000'000u);
}

TEST(ModuleMap, FindsModuleAndOffsetAlsoInLaterCopies) {
  const auto map = ModuleMap::parse(
      "555500001000-555500002000 r-xp 00001000 08:01 12 /home/a b/app\n"
      "555500002000-555500003000 rw-p 00002000 08:01 12 /home/a b/app\n"
      "garbage\n"
      "--- 1234\n"
      "7f0000000000-7f0000001000 r-xp 00000000 08:01 13 /lib/plugin.so (deleted)\n"
      "7ffe00000000-7ffe00001000 r-xp 00000000 00:00 0 [vdso]\n");
  EXPECT_EQ(map.find(0x555500001010).module, "/home/a b/app");
  EXPECT_EQ(map.find(0x555500001010).offset, 0x1010u);
  EXPECT_EQ(map.find(0x555500002010).module, "");
  EXPECT_EQ(map.find(0x7f0000000004).module, "/lib/plugin.so");
  EXPECT_EQ(map.find(0x7ffe00000004).module, "");
}

__attribute__((noinline)) std::uint64_t own_return_address() {
  return reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
}

std::string own_maps() {
  std::string text;
  if (FILE* f = fopen("/proc/self/maps", "r")) {
    char line[4096];
    while (fgets(line, sizeof line, f)) text += line;
    fclose(f);
  }
  return text;
}

TEST(CallSites, AReturnAddressOfThisTestIsItsLine) {
  const auto map = ModuleMap::parse(own_maps());
  CallSiteResolver resolver;
  const std::uint32_t line = __LINE__ + 1;
  const auto site = resolver.resolve(map, own_return_address());
  EXPECT_EQ(site.line, line);
  EXPECT_EQ(site.file, __FILE__);
  const auto unknown = resolver.resolve(map, 16);
  EXPECT_EQ(unknown.line, 0u);
  EXPECT_EQ(unknown.symbol, "");
}

// clang writes no .debug_aranges, by which libdwfl finds the unit of an address.
TEST(CallSites, LinesNeedNoTableOfAddressRanges) {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string copy = testing::TempDir() + "no-ranges-" + std::to_string(getpid());
  ASSERT_EQ(std::system(("objcopy --remove-section .debug_aranges '" + own + "' '" + copy + "'").c_str()), 0);
  std::string maps = own_maps();
  for (std::size_t at = 0; (at = maps.find(own, at)) != std::string::npos; at += copy.size())
    maps.replace(at, own.size(), copy);
  CallSiteResolver resolver;
  const std::uint32_t line = __LINE__ + 1;
  const auto site = resolver.resolve(ModuleMap::parse(maps), own_return_address());
  EXPECT_EQ(site.line, line);
  EXPECT_EQ(std::filesystem::path(site.file).filename(), "convert_test.cpp");
  std::filesystem::remove(copy);
}

LocalDefinitions world(std::vector<LocalDefinitions::Communicator> more) {
  LocalDefinitions d;
  d.communicators = {{1, 0xFFFFFFFF, 0, MORA_COMM_WORLD, 0, {0, 1, 2, 3}, {}},
                     {2, 0xFFFFFFFF, 0, MORA_COMM_SELF, 0, {}, {}}};
  d.communicators.insert(d.communicators.end(), more.begin(), more.end());
  return d;
}

TEST(CollectedBytes, AreWhatAllOfTheSetGiveInTheSameCall) {
  const ActiveSet all{0, 0, 3}, even{0, 1, 2};
  std::vector<LocalDefinitions> local(3);
  local[0].collects = {{all, {{10, 3 * 1}, {20, 3 * 10}}}, {even, {{15, 2 * 100}}}};
  local[1].collects = {{all, {{110, 3 * 2}, {120, 3 * 20}}}};
  local[2].collects = {{all, {{210, 3 * 4}}}, {even, {{205, 2 * 400}, {215, 2 * 7}}}};  // ended before the others
  std::vector<IdMap> ids(3);
  EXPECT_EQ(find_collected({&local[0], &local[1], &local[2]}, {&ids[0], &ids[1], &ids[2]}), 3U);
  EXPECT_EQ(ids[0].received(all, 10), 7U);
  EXPECT_EQ(ids[1].received(all, 110), 7U);
  EXPECT_EQ(ids[2].received(all, 210), 7U);
  EXPECT_EQ(ids[0].received(all, 20), 0U) << "the third did not call it";
  EXPECT_EQ(ids[0].received(even, 15), 500U);
  EXPECT_EQ(ids[2].received(even, 205), 500U);
  EXPECT_EQ(ids[2].received(even, 215), 0U);
  std::vector<IdMap> fewer(3);
  EXPECT_EQ(find_collected({&local[0], &local[1], nullptr}, {&fewer[0], &fewer[1], &fewer[2]}), 5U);
  EXPECT_EQ(fewer[0].received(all, 10), 0U) << "of the third there is no journal";
}

TEST(GlobalDefinitions, CommunicatorsAreTheSameByParentOrdinalAndMembers) {
  DataQuality quality;
  GlobalDefinitions all(4);
  // Two splits of the world in halves, the same members both times; local ids differ per rank.
  const auto a = all.add(
      0, world({{5, 1, 0, MORA_COMM_COLLECTIVE, 0, {0, 1}, {}}, {6, 1, 1, MORA_COMM_COLLECTIVE, 0, {0, 1}, {}}}),
      quality);
  const auto b = all.add(
      1, world({{9, 1, 0, MORA_COMM_COLLECTIVE, 0, {0, 1}, {}}, {3, 1, 1, MORA_COMM_COLLECTIVE, 0, {0, 1}, {}}}),
      quality);
  const auto c = all.add(
      2, world({{5, 1, 0, MORA_COMM_COLLECTIVE, 0, {2, 3}, {}}, {6, 1, 1, MORA_COMM_COLLECTIVE, 0, {3, 2}, {}}}),
      quality);
  EXPECT_EQ(a.communicator(1), b.communicator(1));
  EXPECT_EQ(a.communicator(2), c.communicator(2));
  EXPECT_EQ(a.communicator(5), b.communicator(9));
  EXPECT_EQ(a.communicator(6), b.communicator(3));
  EXPECT_NE(a.communicator(5), a.communicator(6));
  EXPECT_NE(a.communicator(5), c.communicator(5));
  EXPECT_EQ(a.communicator(77), archive::no_id);
  archive::Definitions out;
  all.finish(out);
  ASSERT_EQ(out.communicators.size(), 6u);
  EXPECT_EQ(out.communicators[0].name, "MPI_COMM_WORLD");
  EXPECT_EQ(out.communicators[1].group, archive::no_id);
  EXPECT_EQ(out.communicators[2].parent, 0u);
  EXPECT_EQ(out.groups[out.communicators[5].group], (std::vector<std::uint32_t>{3, 2}));  // rank order is kept
}

TEST(GlobalDefinitions, BothSidesOfAnInterCommunicatorMeet) {
  DataQuality quality;
  GlobalDefinitions all(4);
  const auto a =
      all.add(0, world({{5, 1, 0, MORA_COMM_INTER, 7, {0, 1}, {2, 3}}, {6, 1, 1, MORA_COMM_INTER, 7, {0, 1}, {2, 3}}}),
              quality);
  const auto b =
      all.add(2, world({{5, 1, 4, MORA_COMM_INTER, 7, {2, 3}, {0, 1}}, {6, 1, 9, MORA_COMM_INTER, 7, {2, 3}, {0, 1}}}),
              quality);
  EXPECT_EQ(a.communicator(5), b.communicator(5));
  EXPECT_EQ(a.communicator(6), b.communicator(6));
  EXPECT_NE(a.communicator(5), a.communicator(6));
}

TEST(GlobalDefinitions, WindowsAreTheSameByCommunicatorAndOrdinal) {
  DataQuality quality;
  GlobalDefinitions all(4);
  auto first = world({});
  first.windows = {{1, 1, 0, 0, 1}, {2, 1, 1, 0, 1}};
  auto second = world({});
  second.windows = {{8, 1, 0, 0, 1}, {9, 1, 1, 0, 1}, {10, 99, 0, 0, 1}};
  const auto a = all.add(0, first, quality);
  const auto b = all.add(1, second, quality);
  EXPECT_EQ(a.window(1).global, b.window(8).global);
  EXPECT_EQ(a.window(2).global, b.window(9).global);
  EXPECT_EQ(b.window(10).global, archive::no_id);
  ASSERT_EQ(quality.rows().size(), 1u);
  EXPECT_EQ(quality.rows()[0].kind, "unknown-window");
}

TEST(VectorTable, EqualVectorsAreStoredOnce) {
  archive::VectorTable table;
  EXPECT_EQ(table.intern({1, 2, 3}), 0u);
  EXPECT_EQ(table.intern({1, 2}), 1u);
  EXPECT_EQ(table.intern({1, 2, 3}), 0u);
  const auto content = table.file_content();
  EXPECT_EQ(content.size(), 8u + 8 + (1 + 3) * 8 + (1 + 2) * 8);
  EXPECT_EQ(content.substr(0, 8), "MORAVEC1");
}

TEST(Manifest, TotalsAreSumsOfRanks) {
  Manifest m;
  m.ranks.resize(2);
  auto& a = m.ranks[0];
  auto& b = m.ranks[1];
  a.calls = 10, a.begin = 100, a.end = 300, a.mpi_ns = 50, a.recorder_ns = 7;
  b.calls = 1, b.begin = 150, b.end = 350, b.mpi_ns = 60;
  EXPECT_EQ(m.calls(), 11u);
  EXPECT_EQ(m.lifetime_ns(), 400u);
  EXPECT_EQ(m.worst_rank(), 1u);
  EXPECT_EQ(m.overhead_ns(), 7 + 11 * ns_per_call);
  EXPECT_NE(manifest_json(m).find("\"mpi_s\": 0.00000011"), std::string::npos) << manifest_json(m);
}

}  // namespace
}  // namespace mora::experiment
