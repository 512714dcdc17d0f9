#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "journal/journal_text.h"
#include "support/journal/journal_program.h"

namespace mora::journal {
namespace {

std::vector<std::uint64_t> numbers_to(std::uint64_t n) {
  std::vector<std::uint64_t> numbers(n);
  for (std::uint64_t i = 0; i < n; i++) numbers[i] = i;
  return numbers;
}

std::uint64_t count_of(const DataQuality& quality, const std::string& kind) {
  for (const auto& row : quality.rows())
    if (row.kind == kind) return row.count;
  return 0;
}

TEST(Journal, ReturnsWhatWasWritten) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  program.send(0);
  program.send(1);
  program.end();
  EXPECT_FALSE(std::filesystem::exists(program.live_));
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal) << journal.error().text();
  EXPECT_TRUE(quality.empty());
  EXPECT_EQ(journal->header().world_rank, 7u);
  EXPECT_EQ(journal->host(), "node1");
  EXPECT_TRUE(journal->finalized());
  EXPECT_EQ(journal->record_count(), 3u);
  auto cursor = journal->records();
  Record record;
  ASSERT_TRUE(cursor.next(record) && cursor.next(record));
  EXPECT_EQ(record.ordinal, 1u);
  EXPECT_EQ(record.function, 3u);
  EXPECT_EQ(record.begin, 1010u);
  EXPECT_EQ(record.duration, 5u);
  EXPECT_EQ(record.site, 0x4001u);
  EXPECT_EQ(record.object, 2u);
  ASSERT_EQ(record.payload.size(), 2u);
  EXPECT_EQ(pair_low(record.payload[0]), 1);
  EXPECT_EQ(pair_high(record.payload[0]), 5);
  EXPECT_EQ(record.payload[1], 8u);
}

// At the end of a process the journals of threads that still run are closed by another thread.
TEST(Journal, IsWholeWhereAnotherThreadFinishedIt) {
  for (const std::uint64_t sends : {0, 5, 1000}) {  // none; all in the live chunk; some chunks before it
    TestProgram program;
    ASSERT_EQ(program.open(), 0);
    for (std::uint64_t i = 0; i < sends; i++) program.send(i);
    mora_journal_finish_for(&program.writer);
    EXPECT_FALSE(std::filesystem::exists(program.live_));
    DataQuality quality;
    auto journal = Journal::open(program.path_, quality, 3);
    ASSERT_TRUE(journal) << journal.error().text();
    EXPECT_TRUE(quality.empty());
    EXPECT_FALSE(journal->ended());
    EXPECT_EQ(TestProgram::sends(*journal), numbers_to(sends));
    // Its thread may go on until the process is gone.
    program.send(sends);
    program.end();
  }
}

TEST(Journal, OfAThreadDoesNotSayThatTheProcessWasKilled) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  program.send(0);
  DataQuality of_process, of_thread;
  ASSERT_TRUE(Journal::open(program.path_, of_process) && Journal::open(program.path_, of_thread, 1));
  EXPECT_EQ(count_of(of_process, "journal-no-end"), 1u);
  EXPECT_TRUE(of_thread.empty());
  std::filesystem::remove(program.live_);
  auto journal = Journal::open(program.path_, of_thread, 1);
  ASSERT_TRUE(journal) << journal.error().text();
  EXPECT_EQ(count_of(of_thread, "journal-live-chunk-missing"), 1u);
  program.end();
}

TEST(Journal, MarksKeepTheirTextsAndCutOnesAreLeftOut) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  const auto define = [&](std::uint64_t file_bytes, std::uint64_t name_bytes) {
    std::uint64_t* r = mora_journal_big(&program.writer, 9);
    std::memset(r + 1, 0, 8 * sizeof *r);
    r[3] = 3;
    r[4] = 4 | std::uint64_t{17} << 32;
    r[5] = file_bytes | name_bytes << 32;
    std::memcpy(r + 6, "longer/a.c", 10);
    std::memcpy(r + 8, "solve", 5);
    mora_journal_publish(&program.writer, r, 9, 0, MORA_SHAPE_DEFINE_MARK, 0);
  };
  define(10, 5);
  define(10, 9);  // one word is not there
  define(0xffffffff, 5);
  define(8, 0xfffffff8);
  program.end();
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal) << journal.error().text();
  EXPECT_EQ(count_of(quality, "journal-damaged-record"), 3u);
  auto cursor = journal->records();
  Record record;
  ASSERT_TRUE(cursor.next(record));
  EXPECT_EQ(text_of(record, [](unsigned) { return std::string(); }),
            "DEFINE_MARK number=3 kind=4 line=17 file=longer/a.c name=solve");
}

TEST(Journal, FullChunksAreAppendedAndRecycled) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  for (std::uint64_t i = 0; i < 20000; i++) program.send(i);
  program.end();
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal);
  EXPECT_TRUE(quality.empty());
  EXPECT_EQ(TestProgram::sends(*journal), numbers_to(20000));
  auto cursor = journal->records();
  Record record;
  std::uint64_t overheads = 0;
  while (cursor.next(record)) overheads += record.shape == MORA_SHAPE_OVERHEAD;
  EXPECT_GT(overheads, 20u);
  // header, and one reading per chunk
  EXPECT_EQ(journal->clock().size(), 2 + overheads);
}

TEST(Journal, LongListsAreJoinedAcrossChunks) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  for (std::uint64_t i = 0; i < 300; i++) {
    program.send(i);
    program.complete(37 * i);
  }
  program.end();
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal);
  EXPECT_TRUE(quality.empty());
  auto cursor = journal->records();
  Record record;
  std::uint64_t lists = 0;
  while (cursor.next(record)) {
    if (record.shape != MORA_SHAPE_COMPLETE) continue;
    lists++;
    ASSERT_EQ(record.payload.size(), 37 * lists * 4);
    for (std::size_t i = 0; i < record.payload.size(); i += 4) ASSERT_EQ(record.payload[i], i / 4);
  }
  EXPECT_EQ(lists, 299u);
}

TEST(Journal, KilledProcessLosesNothingThatWasPublished) {
  for (std::uint64_t n : {0u, 1u, 100u, 679u, 680u, 681u, 5000u}) {
    TestProgram program;
    const pid_t child = fork();
    if (child == 0) {
      if (program.open() != 0) _exit(1);
      for (std::uint64_t i = 0; i < n; i++) program.send(i);
      kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    DataQuality quality;
    auto journal = Journal::open(program.path_, quality);
    ASSERT_TRUE(journal);
    EXPECT_EQ(TestProgram::sends(*journal), numbers_to(n)) << n;
    EXPECT_FALSE(journal->ended());
    EXPECT_TRUE(journal->used_live_chunk());
    EXPECT_EQ(count_of(quality, "journal-no-end"), 1u);
    // without the live chunk the loss is said
    std::filesystem::remove(program.live_);
    DataQuality without;
    ASSERT_TRUE(Journal::open(program.path_, without));
    EXPECT_EQ(count_of(without, "journal-live-chunk-missing"), 1u);
  }
}

TEST(Journal, KilledWhileAppending) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  for (std::uint64_t i = 0; i < 100; i++) program.send(i);
  const auto before = std::filesystem::file_size(program.path_);
  const auto live = read_file(program.live_);
  mora_journal_flush(&program.writer);
  const auto after = std::filesystem::file_size(program.path_);
  // the image is complete, the live chunk is still of the same generation
  std::ofstream(program.live_, std::ios::binary) << *live;
  DataQuality quality;
  auto whole = Journal::open(program.path_, quality);
  ASSERT_TRUE(whole);
  EXPECT_EQ(TestProgram::sends(*whole), numbers_to(100));
  EXPECT_EQ(count_of(quality, "journal-damaged-chunk"), 0u);
  // the image is there in part
  for (auto size = after - 1; size > before; size -= 7) {
    std::filesystem::resize_file(program.path_, size);
    DataQuality cut;
    auto journal = Journal::open(program.path_, cut);
    ASSERT_TRUE(journal);
    ASSERT_EQ(TestProgram::sends(*journal), numbers_to(100)) << size;
  }
  mora_journal_close(&program.writer);
}

TEST(Journal, FullDiskStopsRecordingAndIsCounted) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  rlimit limit = old;
  limit.rlim_cur = 100000;  // the third chunk does not fit; exceeding it would also raise SIGXFSZ
  setrlimit(RLIMIT_FSIZE, &limit);
  for (std::uint64_t i = 0; i < 5000; i++) program.send(i);
  program.complete(100);
  program.note();
  EXPECT_EQ(program.writer.stopped, EFBIG);
  program.end();
  setrlimit(RLIMIT_FSIZE, &old);
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal);
  const auto found = TestProgram::sends(*journal);
  EXPECT_EQ(found, numbers_to(found.size()));
  EXPECT_GT(found.size(), 1500u);
  // 5000 sends, a list in ten parts; the note is no call
  EXPECT_EQ(count_of(quality, "journal-lost"), 5000 - found.size() + 1);
  EXPECT_TRUE(journal->ended() && journal->finalized());  // nobody killed it
  EXPECT_TRUE(std::filesystem::exists(program.live_));
}

// Two journals of one process: together they keep to its budget, whoever writes more.
TEST(Journal, KeepsToABudgetThatItShares) {
  constexpr std::uint64_t bytes = std::uint64_t{5} * MORA_JOURNAL_MIN_CHUNK_BYTES;
  mora_budget budget{bytes};
  TestProgram busy, idle;
  ASSERT_EQ(busy.open(), 0);
  ASSERT_EQ(idle.open(), 0);
  mora_journal_bound(&busy.writer, &budget);
  mora_journal_bound(&idle.writer, &budget);
  idle.send(0);
  for (std::uint64_t i = 0; i < 10000; i++) busy.send(i);
  EXPECT_EQ(busy.writer.stopped, MORA_LOST_BUDGET);
  EXPECT_EQ(idle.writer.stopped, 0);
  TestProgram late;  // a thread that begins when nothing is left
  ASSERT_EQ(late.open(), 0);
  mora_journal_bound(&late.writer, &budget);
  late.send(0);
  busy.end();
  idle.end();
  mora_journal_finish_for(&late.writer);
  EXPECT_LE(std::filesystem::file_size(busy.path_) + std::filesystem::file_size(idle.path_), bytes);
  DataQuality quality;
  auto journal = Journal::open(busy.path_, quality);
  auto other = Journal::open(idle.path_, quality);
  auto last = Journal::open(late.path_, quality, 1);
  ASSERT_TRUE(journal && other && last);
  EXPECT_TRUE(quality.empty());  // what to say of it is known with all journals only
  const auto found = TestProgram::sends(*journal);
  EXPECT_EQ(found, numbers_to(found.size()));
  EXPECT_GT(found.size() * 48, 2 * MORA_JOURNAL_MIN_CHUNK_BYTES);
  EXPECT_NE(journal->budget_end(), 0u);
  EXPECT_TRUE(journal->ended() && journal->finalized());
  EXPECT_EQ(other->budget_end(), 0u);
  EXPECT_EQ(TestProgram::sends(*other), numbers_to(1));
  EXPECT_NE(last->budget_end(), 0u);
  EXPECT_TRUE(TestProgram::sends(*last).empty());
  for (const TestProgram* program : {&busy, &idle, &late}) EXPECT_FALSE(std::filesystem::exists(program->live_));
}

TEST(Journal, FallsBackWhenSharedMemoryIsNotThere) {
  TestProgram program;
  ASSERT_EQ(program.open(MORA_JOURNAL_MIN_CHUNK_BYTES, "/nonexistent/live"), 0);
  EXPECT_TRUE(std::filesystem::exists(program.directory_ + "/fallback"));
  program.send(0);
  program.end();
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal);
  EXPECT_EQ(TestProgram::sends(*journal), numbers_to(1));
}

// As programs do that close what they do not know.
TEST(Journal, LeavesTheFileAloneThatHasItsNumber) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  const int number = program.writer.file;
  const std::string own = program.directory_ + "/own";
  const int file = ::open(own.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(dup2(file, number), number);
  for (std::uint64_t i = 0; i < 10000; i++) program.send(i);
  EXPECT_GT(program.writer.file, number);
  ASSERT_EQ(close(program.writer.file), 0);
  for (std::uint64_t i = 10000; i < 20000; i++) program.send(i);
  ASSERT_EQ(dup2(file, program.writer.file), program.writer.file);
  program.end();
  EXPECT_EQ(std::filesystem::file_size(own), 0u);
  EXPECT_EQ(close(number), 0);
  EXPECT_EQ(close(file), 0);
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal);
  EXPECT_TRUE(quality.empty());
  EXPECT_EQ(TestProgram::sends(*journal), numbers_to(20000));
}

TEST(Journal, StopsWhereItsFileIsGone) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  ASSERT_EQ(close(program.writer.file), 0);
  ASSERT_TRUE(std::filesystem::remove(program.path_));
  for (std::uint64_t i = 0; i < 5000; i++) program.send(i);
  EXPECT_EQ(program.writer.stopped, ENOENT);
  program.end();
}

TEST(Journal, RefusesToOverwrite) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  program.end();
  EXPECT_EQ(program.open(), EEXIST);
}

TEST(Journal, ForkedChildDoesNotWrite) {
  TestProgram program;
  ASSERT_EQ(program.open(), 0);
  program.send(0);
  const pid_t child = fork();
  if (child == 0) {
    mora_journal_abandon(&program.writer);
    mora_journal_flush(&program.writer);
    mora_journal_close(&program.writer);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  program.send(1);
  program.end();
  DataQuality quality;
  auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal);
  EXPECT_EQ(TestProgram::sends(*journal), numbers_to(2));
}

}  // namespace
}  // namespace mora::journal
