#include "base/storage/spool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "support/small_place.h"

namespace mora {
namespace {

struct Record {
  std::uint64_t stream, number;
};

void fill_and_read(std::size_t streams, std::uint64_t records, std::size_t budget) {
  Spool<Record> spool(streams, budget);
  for (std::uint64_t i = 0; i < records; ++i) {
    for (std::size_t s = 0; s < streams; ++s) ASSERT_TRUE(spool.append(s, {s, i}).has_value());
  }
  for (std::size_t s = 0; s < streams; ++s) {
    EXPECT_EQ(spool.count(s), records);
    auto cursor = spool.cursor(s);
    std::uint64_t i = 0;
    while (const Record* r = cursor.next()) {
      ASSERT_EQ(r->stream, s);
      ASSERT_EQ(r->number, i++);
    }
    EXPECT_EQ(i, records);
    EXPECT_FALSE(cursor.failed());
    EXPECT_EQ(cursor.next(), nullptr);
  }
}

TEST(Spool, GivesBackWhatWasAppended) {
  fill_and_read(3, 10, 1 << 20);      // in memory
  fill_and_read(3, 0, 1 << 20);       // nothing
  fill_and_read(5, 20000, 64 << 10);  // chunks of 4096 bytes, most of them in the file
  fill_and_read(2, 256, 8 << 10);     // the last chunk is exactly full
}

TEST(Spool, StreamsOfSeveralThreads) {
  Spool<Record> spool(4, 16 << 10);
  std::vector<std::thread> threads;
  for (std::size_t s = 0; s < 4; ++s)
    threads.emplace_back([&spool, s] {
      for (std::uint64_t i = 0; i < 50000; ++i) (void)spool.append(s, {s, i});
    });
  for (auto& t : threads) t.join();
  for (std::size_t s = 0; s < 4; ++s) {
    auto cursor = spool.cursor(s);
    std::uint64_t i = 0;
    while (const Record* r = cursor.next()) ASSERT_EQ(r->number, i++);
    EXPECT_EQ(i, 50000U);
  }
}

TEST(Spool, NoPlaceIsAnError) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/no/such/place", 1);
  EXPECT_FALSE(SpoolFile::has_room(1));
  Spool<Record> spool(1, 4096);
  bool failed = false;
  for (int i = 0; i < 2000 && !failed; ++i) {
    auto done = spool.append(0, {0, 0});
    if (!done) {
      failed = true;
      EXPECT_NE(done.error().text().find("/no/such/place"), std::string::npos);
      EXPECT_EQ(done.error().kind, ErrorKind::system);
    }
  }
  EXPECT_TRUE(failed);
  for (int i = 0; i < 2000; ++i) (void)spool.append(0, {0, 0});  // stays within its memory (under the sanitizers)
  if (before == nullptr)
    ::unsetenv("TMPDIR");
  else
    ::setenv("TMPDIR", kept.c_str(), 1);
}

// What others take while it writes is seen; what it gives back is free.
TEST(Spool, LeavesTheRestOfItsPlaceToOthers) {
  const SmallPlace place("4m");
  if (!place.is_mounted) GTEST_SKIP() << "no right to mount";
  constexpr std::size_t piece = 1 << 16;
  SpoolFile file(0, 8);
  const auto keep = [&] { return file.keep(std::make_unique<std::byte[]>(piece), piece); };
  std::vector<SpoolFile::Chunk> chunks;
  for (auto kept = keep(); kept; kept = keep()) chunks.push_back(std::move(*kept));
  EXPECT_EQ(chunks.size(), (4U << 20) / 8 / piece);
  const std::uint64_t free = place.free();
  EXPECT_EQ(free, (4U << 20) / 8 * 7);
  file.drop(chunks[0], piece);
  EXPECT_EQ(place.free(), free + piece);
  EXPECT_TRUE(keep());
  EXPECT_FALSE(keep());
  file.drop_all();
  EXPECT_EQ(place.free(), 4U << 20);
  EXPECT_FALSE(keep());
}

}  // namespace
}  // namespace mora
