// Profiles: whatever comes in, the sums in the journal are those of the records, at any instant.
#include <algorithm>
#include <map>
#include <random>

#include "journal/profile_record.h"
#include "support/journal/journal_program.h"

namespace mora::journal {
namespace {

using Key = std::pair<unsigned, std::uint64_t>;

struct Sums {
  std::uint64_t visits = 0, ticks = 0, sent = 0, least = UINT64_MAX, most = 0;
  bool operator==(const Sums&) const = default;
};

/// A program whose journal is a profile.
struct ProfiledProgram : TestProgram {
  mora_profile profile{};
  std::map<Key, Sums> expected;

  void start() {
    ASSERT_EQ(open(MORA_PROFILE_CHUNK_BYTES), 0);
    mora_profile_start(&writer, &profile);
  }
  void call(unsigned function, std::uint64_t site, std::uint64_t ticks, std::uint64_t bytes) {
    std::uint64_t* r = mora_journal_small(&writer);
    r[1] = 1000;
    r[2] = site | ticks >> 32 << 48;
    r[3] = ticks << 32;
    r[4] = 1;
    r[5] = bytes;
    mora_journal_publish(&writer, r, 6, function, MORA_SHAPE_SEND, 0);
    Sums& sums = expected[{function, site}];
    sums = {sums.visits + 1, sums.ticks + ticks, sums.sent + bytes, std::min(sums.least, ticks),
            std::max(sums.most, ticks)};
  }
  void define_stack(std::uint32_t first, unsigned count) {
    std::uint64_t* r = mora_journal_big(&writer, 5 + count);
    r[1] = r[2] = 0;
    r[3] = first;
    r[4] = std::uint64_t{count} << 32;
    for (unsigned i = 0; i < count; ++i) r[5 + i] = 0x400000 + first + i;
    mora_journal_publish(&writer, r, 5 + count, 0, MORA_SHAPE_DEFINE_STACK, 0);
  }
};

struct Found {
  std::map<Key, Sums> sums;
  std::map<std::uint32_t, unsigned> stacks;  ///< by first frame: how often
  unsigned full = 0;
  bool is_damaged = false;
};

Found read_profile(const std::string& path) {
  Found found;
  DataQuality quality;
  auto journal = Journal::open(path, quality);
  EXPECT_TRUE(journal) << journal.error().text();
  for (const auto& row : quality.rows()) found.is_damaged |= row.kind != "journal-no-end";
  auto records = journal->records();
  for (Record r; records.next(r);) {
    found.stacks[r.object] += r.shape == MORA_SHAPE_DEFINE_STACK;
    found.full += r.shape == MORA_SHAPE_NOTE && pair_low(r.payload[0]) == MORA_NOTE_PROFILE_FULL;
    if (r.function == 0) continue;
    const mora_amounts a = amounts_of(r);
    Sums& s = found.sums[{r.function, r.site}];
    s = {s.visits + a.visits, s.ticks + a.ticks, s.sent + a.bytes_sent, std::min(s.least, a.least),
         std::max(s.most, a.most)};
  }
  return found;
}

TEST(Profile, SumsAreThoseOfTheRecordsWhileTheProgramRunsAndAfterIt) {
  ProfiledProgram program;
  program.start();
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    program.call(1 + random() % 5, 0x4000 + random() % 7, random() % 3 == 0 ? random() % (1ULL << 40) : random() % 100,
                 random() % 1000);
    if (i % 997 != 0) continue;
    const Found found = read_profile(program.path_);
    ASSERT_EQ(found.sums, program.expected);
    ASSERT_FALSE(found.is_damaged);
  }
  program.end();
  const Found found = read_profile(program.path_);
  EXPECT_EQ(found.sums, program.expected);
  EXPECT_FALSE(found.is_damaged);
  EXPECT_LE(std::filesystem::file_size(program.path_), sizeof(mora_file_header) + MORA_PROFILE_CHUNK_BYTES);
}

TEST(Profile, MorePlacesThanFitTheLiveChunkGoToTheFile) {
  ProfiledProgram program;
  program.start();
  std::uint32_t frame = 1;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t place = 0; place < 700; ++place) {
      if (round == 0) program.define_stack(frame, 3), frame += 3;
      program.call(2, 0x4000 + place, place, 1);
    }
    ASSERT_EQ(read_profile(program.path_).sums, program.expected);
  }
  program.end();
  const Found found = read_profile(program.path_);
  EXPECT_EQ(found.sums, program.expected);
  EXPECT_EQ(std::count_if(found.stacks.begin(), found.stacks.end(), [](const auto& s) { return s.second == 1; }), 700);
  EXPECT_EQ(found.full, 0u);
  EXPECT_FALSE(found.is_damaged);
}

TEST(Profile, PastItsBoundCallsAreAddedUpByFunction) {
  ProfiledProgram program;
  program.start();
  Sums all;
  for (std::uint64_t place = 0; place < 40000; ++place) program.call(2, 0x4000 + place, 3, 1);
  program.end();
  for (const auto& [key, sums] : read_profile(program.path_).sums) all.visits += sums.visits, all.sent += sums.sent;
  const Found found = read_profile(program.path_);
  EXPECT_EQ(all.visits, 40000u);
  EXPECT_EQ(all.sent, 40000u);
  EXPECT_EQ(found.full, 1u);
  EXPECT_GT(found.sums.at({2, 0}).visits, 20000u);
  EXPECT_FALSE(found.is_damaged);
  EXPECT_LT(std::filesystem::file_size(program.path_), (MORA_PROFILE_IMAGES + 2) * MORA_PROFILE_CHUNK_BYTES);
}

TEST(Profile, ReadingsOfTheCoreAreCounted) {
  ProfiledProgram program;
  program.start();
  constexpr std::uint64_t readings = 3000;
  const auto counted = [&] {
    std::uint64_t count = 0;
    DataQuality quality;
    auto journal = Journal::open(program.path_, quality);
    EXPECT_TRUE(journal);
    auto records = journal->records();
    for (Record r; records.next(r);) {
      count += r.shape == MORA_SHAPE_CORE;
      if (r.function == 0 && r.shape == MORA_SHAPE_PROFILE && r.site == MORA_PROFILE_READINGS)
        count += amounts_of(r).visits;
    }
    return count;
  };
  for (std::uint64_t i = 1; i <= readings; ++i) {
    std::uint64_t* r = mora_journal_small(&program.writer);
    std::fill(r + 1, r + 10, 0);
    r[1] = i;
    mora_journal_publish(&program.writer, r, 10, 0, MORA_SHAPE_CORE, 0);
    program.call(2, 0x4000, 3, 1);
    if (i % 500 == 0) {
      ASSERT_EQ(counted(), i);
    }
  }
  program.end();
  EXPECT_EQ(counted(), readings);
  EXPECT_EQ(read_profile(program.path_).sums, program.expected);
}

TEST(Profile, PartsOfOneListAreOneCall) {
  ProfiledProgram program;
  program.start();
  for (int call = 0; call < 50; ++call) {
    for (int part = 0; part < 3; ++part) {
      std::uint64_t* r = mora_journal_big(&program.writer, 4 + 4 * 200);
      r[1] = 10, r[2] = 0x4000, r[3] = 7ULL << 32;
      for (unsigned i = 0; i < 200; ++i) {
        r[4 + 4 * i] = 1, r[5 + 4 * i] = 0, r[6 + 4 * i] = 2;
        r[7 + 4 * i] = std::uint64_t{MORA_COMPLETED_RECV} << 32;
      }
      mora_journal_publish(&program.writer, r, 4 + 4 * 200, 9, MORA_SHAPE_COMPLETE, part < 2 ? MORA_FLAG_CONTINUED : 0);
    }
  }
  program.end();
  std::uint64_t visits = 0, ticks = 0, received = 0, messages = 0;
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal);
  auto records = journal->records();
  for (Record r; records.next(r);) {
    if (r.function == 0) continue;
    const mora_amounts a = amounts_of(r);
    visits += a.visits, ticks += a.ticks, received += a.bytes_received, messages += a.messages_received;
  }
  EXPECT_EQ(visits, 50u);
  EXPECT_EQ(ticks, 350u);
  EXPECT_EQ(messages, 50u * 600);
  EXPECT_EQ(received, 50u * 1200);
}

}  // namespace
}  // namespace mora::journal
