// Every byte of a small journal flipped, every length cut: the reader always returns, and never silently.
#include <cstdlib>
#include <fstream>

#include "journal/ring.h"
#include "support/journal/journal_program.h"

namespace mora::journal {
namespace {

struct Outcome {
  bool readable = false;
  std::uint64_t sends = 0;
  bool complained = false;
  bool operator==(const Outcome&) const = default;
};

Outcome read(const std::string& path) {
  DataQuality quality;
  auto journal = Journal::open(path, quality);
  if (!journal) return {};
  Outcome outcome{true, TestProgram::sends(*journal).size(), !quality.empty()};
  // touch every payload word, as a converter would
  auto cursor = journal->records();
  Record record;
  std::uint64_t sum = 0;
  while (cursor.next(record))
    for (auto word : record.payload) sum += word;
  volatile std::uint64_t sink = sum;
  (void)sink;
  return outcome;
}

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

std::string three_chunks(TestProgram& program) {
  EXPECT_EQ(program.open(), 0);
  for (std::uint64_t i = 0; i < 12; i++) {
    program.send(i);
    if (i == 3 || i == 7) {
      program.complete(25);
      mora_journal_flush(&program.writer);
    }
  }
  program.end();
  return *read_file(program.path_);
}

TEST(JournalDamage, EveryByteFlipped) {
  TestProgram program;
  const std::string good = three_chunks(program);
  ASSERT_EQ(read(program.path_), (Outcome{true, 12, false}));
  for (std::size_t i = 0; i < good.size(); i++)
    for (unsigned char flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      write(program.path_, bad);
      const Outcome outcome = read(program.path_);
      // sends may only be missing with a complaint
      if (outcome.readable && outcome.sends != 12) {
        EXPECT_TRUE(outcome.complained || (i % 8 == 1)) << i;  // byte 1 of word 0 is the shape: another kind
        EXPECT_LE(outcome.sends, 26u) << i;
      }
    }
}

// What a ring still has is the newest part without a gap: fewer records may be there, and none that was not written.
TEST(JournalDamage, BytesOfARingFlipped) {
  constexpr std::uint64_t places = 4, sent = 9000;
  TestProgram program;
  mora_budget budget{};
  budget.left = 1 << 20;
  const auto ring = std::make_unique<mora_ring>();
  ASSERT_EQ(program.open(), 0);
  ASSERT_EQ(mora_ring_start(&program.writer, ring.get(), places, &budget), 0);
  for (std::uint64_t i = 0; i < sent; i++) program.send(i);
  program.end();
  const std::string good = *read_file(program.path_);
  const Outcome whole = read(program.path_);
  ASSERT_TRUE(whole.readable && !whole.complained);
  ASSERT_LT(whole.sends, sent);
  const std::size_t headers = sizeof(mora_file_header) + sizeof(mora_ring_header) + sizeof(mora_chunk_header);
  for (std::size_t i = sizeof(mora_file_header); i < good.size(); i += i < headers ? 1 : 101)
    for (unsigned char flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      write(program.path_, bad);
      const Outcome outcome = read(program.path_);
      if (outcome.readable && outcome.sends != whole.sends) {
        EXPECT_TRUE(outcome.complained || (i % 8 == 1)) << i << ", " << outcome.sends;
        EXPECT_LE(outcome.sends, sent) << i;
      }
    }
}

TEST(JournalDamage, EveryLengthCut) {
  TestProgram program;
  const std::string good = three_chunks(program);
  for (std::size_t size = 0; size < good.size(); size++) {
    write(program.path_, good.substr(0, size));
    const Outcome outcome = read(program.path_);
    EXPECT_EQ(outcome.readable, size >= sizeof(mora_file_header)) << size;
    EXPECT_TRUE(!outcome.readable || outcome.complained) << size;
  }
}

TEST(JournalDamage, EveryByteOfTheLiveChunkFlipped) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  program.send(0);
  mora_journal_flush(&program.writer);
  program.send(1);
  program.send(2);
  const std::string file = *read_file(program.path_), live = read_file(program.live_)->substr(0, 400);
  mora_journal_close(&program.writer);
  write(program.path_, file);
  write(program.live_, live);
  ASSERT_EQ(read(program.path_).sends, 3u);
  for (std::size_t i = 0; i < live.size(); i++) {
    std::string bad = live;
    bad[i] = static_cast<char>(bad[i] ^ 0xff);
    write(program.live_, bad);
    const Outcome outcome = read(program.path_);
    EXPECT_TRUE(outcome.readable && outcome.complained) << i;
    EXPECT_GE(outcome.sends, 1u) << i;
  }
}

TEST(JournalDamage, RandomWords) {
  TestProgram program;
  const std::string good = three_chunks(program);
  std::srand(1);
  for (int round = 0; round < 3000; round++) {
    std::string bad = good;
    for (int n = 0; n < 4; n++) {
      const std::size_t at = static_cast<std::size_t>(std::rand()) % (good.size() / 8) * 8;
      const std::uint64_t word = static_cast<std::uint64_t>(std::rand()) << (std::rand() % 40);
      std::memcpy(&bad[at], &word, 8);
    }
    write(program.path_, bad);
    read(program.path_);
  }
}

}  // namespace
}  // namespace mora::journal
