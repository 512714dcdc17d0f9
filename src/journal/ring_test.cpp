// A ring keeps its newest part, its bound, all definitions and the sums of what it forgot, at any instant.
#include "journal/ring.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <set>

#include "support/journal/journal_program.h"

namespace mora::journal {
namespace {

constexpr std::uint64_t places = 4;

class RingProgram : public TestProgram {
 public:
  int start(std::uint64_t budget_bytes = 1 << 20) {
    budget.left = budget_bytes;
    const int failure = open();
    return failure != 0 ? failure : mora_ring_start(&writer, ring.get(), places, &budget);
  }
  void record(unsigned function, unsigned shape, std::uint32_t object, const std::vector<std::uint64_t>& payload,
              unsigned flags = 0) {
    std::uint64_t* r = mora_journal_small(&writer);
    r[1] = 5;
    r[2] = 0;
    r[3] = object;
    std::copy(payload.begin(), payload.end(), r + 4);
    mora_journal_publish(&writer, r, static_cast<unsigned>(4 + payload.size()), function, shape, flags);
  }
  void group(std::uint32_t id) { record(0, MORA_SHAPE_DEFINE_GROUP, id, {1, id}); }
  std::uint64_t file_bytes() const { return std::filesystem::file_size(path_); }

  mora_budget budget{};
  std::unique_ptr<mora_ring> ring = std::make_unique<mora_ring>();
};

mora_ring_entry entry_of(const Journal& journal, mora_ring_kind kind, std::uint32_t object = 0, std::uint32_t peer = 0,
                         std::uint32_t tag = 0) {
  for (const auto& e : journal.before_ring())
    if (e.object_peer == (object | std::uint64_t{peer} << 32) && e.tag_kind == (tag | std::uint64_t{kind} << 32))
      return e;
  return {};
}

std::vector<std::uint32_t> groups(const Journal& journal) {
  std::vector<std::uint32_t> found;
  Record record;
  for (auto cursor = journal.records(); cursor.next(record);)
    if (record.shape == MORA_SHAPE_DEFINE_GROUP) found.push_back(record.object);
  return found;
}

/// Sends 0 … n - 1, each to a peer below 8 with tag 5, a group before every 100th.
void write(RingProgram& program, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
    if (i % 100 == 0) program.group(static_cast<std::uint32_t>(i / 100));
    program.record(3, MORA_SHAPE_SEND, 2, {(i % 8) | std::uint64_t{5} << 32, i});
  }
}

std::vector<std::uint64_t> sends(const Journal& journal) {
  std::vector<std::uint64_t> found;
  Record record;
  for (auto cursor = journal.records(); cursor.next(record);)
    if (record.shape == MORA_SHAPE_SEND) found.push_back(record.payload[1]);
  return found;
}

/// `n` sends were written: the newest are there, the others are counted, all groups are defined.
void expect_newest_of(const Journal& journal, std::uint64_t n) {
  const auto kept = sends(journal);
  ASSERT_FALSE(kept.empty());
  ASSERT_LE(kept.size(), n);
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], n - kept.size() + i);
  const std::uint64_t forgotten = n - kept.size();
  EXPECT_EQ(journal.ring_begin() != 0, forgotten != 0);
  EXPECT_EQ(entry_of(journal, MORA_RING_CALLS).first, forgotten);
  for (std::uint32_t peer = 0; peer < 8; ++peer)
    EXPECT_EQ(entry_of(journal, MORA_RING_CHANNEL, 2, peer, 5).first, (forgotten + 7 - peer) / 8);
  const auto defined = groups(journal);
  ASSERT_EQ(defined.size(), (n + 99) / 100);
  for (std::uint32_t id = 0; id < defined.size(); ++id) EXPECT_EQ(defined[id], id);
}

TEST(Ring, IsWholeUntilItForgets) {
  RingProgram program;
  ASSERT_EQ(program.start(), 0);
  write(program, 300);
  program.end();
  DataQuality quality;
  const auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal) << journal.error().text();
  EXPECT_TRUE(quality.empty());
  EXPECT_TRUE(journal->finalized());
  EXPECT_EQ(sends(*journal).size(), 300u);
  expect_newest_of(*journal, 300);
}

TEST(Ring, KeepsTheNewestAndItsBound) {
  RingProgram program;
  ASSERT_EQ(program.start(), 0);
  const std::uint64_t n = 200'000;  // over 300 chunks, more generations than places by far
  write(program, n);
  program.end();
  DataQuality quality;
  const auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal && quality.empty());
  EXPECT_GT(sends(*journal).size(), (places - 1) * MORA_JOURNAL_MIN_CHUNK_BYTES / 64);
  expect_newest_of(*journal, n);
  EXPECT_EQ(program.file_bytes(), (1 << 20) - program.budget.left + sizeof(mora_file_header));
}

TEST(Ring, IsWholeWhereverTheProcessIsKilled) {
  for (const std::uint64_t n : {1, 700, 2600, 2711, 5000, 9999}) {
    RingProgram program;
    const pid_t child = fork();
    if (child == 0) {
      if (program.start() != 0) _exit(1);
      write(program, n);
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    DataQuality quality;
    const auto journal = Journal::open(program.path_, quality);
    ASSERT_TRUE(journal);
    ASSERT_EQ(quality.rows().size(), 1u);
    EXPECT_EQ(quality.rows()[0].kind, "journal-no-end");
    expect_newest_of(*journal, n);
    std::filesystem::remove(program.live_);
  }
}

// Killed while an image was written over the oldest: of the newer there is a part, the live chunk has all of it.
TEST(Ring, ATornPlaceIsLeftOut) {
  for (const std::uint64_t torn_bytes : {8, 56, 64, 1000, 20'000}) {
    RingProgram program;
    ASSERT_EQ(program.start(), 0);
    const std::uint64_t n = 10'000;
    write(program, n);
    FILE* file = fopen(program.path_.c_str(), "r+b");
    ASSERT_NE(file, nullptr);
    mora_chunk_header header = *program.writer.live;
    header.used = static_cast<std::uint64_t>(reinterpret_cast<char*>(program.writer.next) -
                                             reinterpret_cast<char*>(program.writer.live + 1));
    std::vector<char> image(sizeof header + header.used);
    std::memcpy(image.data(), &header, sizeof header);
    std::memcpy(image.data() + sizeof header, program.writer.live + 1, header.used);
    fseek(file, static_cast<long>(mora_ring_place(&program.writer)), SEEK_SET);
    ASSERT_EQ(fwrite(image.data(), 1, std::min<std::size_t>(torn_bytes, image.size()), file),
              std::min<std::size_t>(torn_bytes, image.size()));
    fclose(file);
    DataQuality quality;
    const auto journal = Journal::open(program.path_, quality);
    ASSERT_TRUE(journal);
    ASSERT_EQ(quality.rows().size(), 1u) << torn_bytes;
    EXPECT_EQ(quality.rows()[0].kind, "journal-no-end");
    expect_newest_of(*journal, n);
    program.end();
  }
}

/// One call a nanosecond, of 48 bytes, in a ring that keeps `kept` of them; a barrier after every `period`.
class TimedRing : public RingProgram {
 public:
  static constexpr std::uint64_t most_places = 40, calls_of_chunk = MORA_JOURNAL_MIN_CHUNK_BYTES / 48;
  explicit TimedRing(std::uint64_t kept, std::uint64_t budget_bytes = 4 << 20, std::uint64_t spare = 0) {
    budget.left = budget_bytes;
    EXPECT_EQ(open(), 0);
    now = 1000;
    writer.read_clock = [](mora_clock_triple* at) { *at = {now, now, now}; };
    ring->keep_ns = kept;
    ring->spare = spare;
    ring->images = images;
    EXPECT_EQ(mora_ring_start(&writer, ring.get(), most_places, &budget), 0);
  }
  void write(std::uint64_t calls, std::uint64_t period, std::uint64_t ns_of_call = 1) {
    for (std::uint64_t i = 0; i < calls; ++i, ++written_, now += ns_of_call)
      if (written_ % period == period - 1)
        record(2, MORA_SHAPE_COLLECTIVE, MORA_COMM_WORLD, {0xffffffff, 0, 0});
      else
        record(3, MORA_SHAPE_SEND, 2, {1, written_});
  }
  /// How many of the newest calls are there.
  std::uint64_t kept() {
    end();
    DataQuality quality;
    const auto journal = Journal::open(path_, quality);
    EXPECT_TRUE(journal && quality.empty());
    std::uint64_t found = 0;
    Record r;
    for (auto cursor = journal->records(); cursor.next(r);) found += r.function != 0 ? 1 : 0;
    EXPECT_EQ(entry_of(*journal, MORA_RING_CALLS).first + found, written_);
    return found;
  }

  static inline std::uint64_t now = 0;
  mora_ring_image images[most_places] = {};

 private:
  std::uint64_t written_ = 0;
};

TEST(Ring, KeepsATimeAndTheCallBeforeItWhereTheExperimentCanBegin) {
  constexpr std::uint64_t c = TimedRing::calls_of_chunk, time = 5 * c;
  TimedRing often(time), seldom(time), never(time);
  often.write(50 * c, 100);
  const std::uint64_t used = often.ring->used;
  EXPECT_LE(used, 9u);  // the time's, one that has the barrier before it, one that is being filled, one for a part
  EXPECT_EQ((4 << 20) - often.budget.left, used * MORA_JOURNAL_MIN_CHUNK_BYTES + sizeof(mora_ring_header));
  EXPECT_GE(often.kept(), time + 100);
  seldom.write(50 * c, 7 * c);  // the last at 49 c: the last that is old enough at 42 c
  EXPECT_GE(seldom.kept(), 8 * c);
  never.write(50 * c, UINT64_MAX);
  EXPECT_GE(never.kept(), 2 * time);
  EXPECT_LE(never.ring->used, 14u);
}

TEST(Ring, ATimeTakesMorePlacesWhereCallsAreFasterAndNoneIsUsedTwice) {
  constexpr std::uint64_t c = TimedRing::calls_of_chunk, time = 60 * c;
  TimedRing program(time);
  program.write(10 * c, 100, 20);
  const std::uint64_t slow = program.ring->used;
  program.write(25 * c, 100, 3);
  EXPECT_GT(program.ring->used, slow);
  std::set<std::uint64_t> places;
  for (std::uint64_t at = program.ring->place; places.insert(at).second;) at = program.images[at].next;
  EXPECT_EQ(places.size(), program.ring->used);
  EXPECT_GE(program.kept(), time / 3);
}

TEST(Ring, ASizeWinsOverATime) {
  constexpr std::uint64_t c = TimedRing::calls_of_chunk;
  constexpr std::uint64_t chunk = MORA_JOURNAL_MIN_CHUNK_BYTES;
  TimedRing few(1000 * c), spared(1000 * c, 20 * chunk, 12 * chunk);
  few.write(100 * c, 100);
  EXPECT_EQ(few.ring->used, TimedRing::most_places);
  EXPECT_GE(few.kept(), (TimedRing::most_places - 2) * c * 9 / 10);
  spared.write(100 * c, 100);
  EXPECT_LE(spared.ring->used, 8u);
  EXPECT_GE(spared.budget.left, std::uint64_t{12} * MORA_JOURNAL_MIN_CHUNK_BYTES - sizeof(mora_ring_header));
  EXPECT_GT(spared.kept(), 5 * c);
}

TEST(Ring, CountsWhatPairsAreMadeOf) {
  RingProgram program;
  ASSERT_EQ(program.start(), 0);
  const auto pair = [](std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; };
  const auto none = static_cast<std::uint32_t>(MORA_PEER_NONE);
  program.record(1, MORA_SHAPE_ISEND, 2, {pair(3, 7), 8, 1});
  program.record(1, MORA_SHAPE_SEND, 2, {pair(3, 7), 8}, MORA_FLAG_FAILED);
  program.record(1, MORA_SHAPE_SEND, 2, {pair(none, 7), 8}, MORA_FLAG_NO_PEER);
  program.record(1, MORA_SHAPE_IRECV, 2, {pair(3, 7), 8, 2});  // counts when it is complete
  program.record(1, MORA_SHAPE_SENDRECV, 2, {pair(3, 7), 8, pair(none, 0), 0});
  program.record(1, MORA_SHAPE_SENDRECV, 2, {pair(none, 0), 0, pair(3, 7), 8});
  program.record(1, MORA_SHAPE_START, 0, {4, pair(3, 7), 8, pair(2, MORA_COMPLETED_SEND)});
  program.record(1, MORA_SHAPE_COMPLETE, 0,
                 {2, pair(3, 7), 8, pair(2, MORA_COMPLETED_RECV), 1, pair(3, 7), 8, pair(2, MORA_COMPLETED_SEND), 0,
                  pair(3, 7), 8, pair(2, MORA_COMPLETED_RECV), 5, pair(3, 7), 0, pair(2, MORA_CANCELLED)});
  program.record(2, MORA_SHAPE_COLLECTIVE, 2, {pair(none, 0), 1, 1});
  program.record(2, MORA_SHAPE_VECTOR, 0, {pair(0, 1), 1});
  program.record(2, MORA_SHAPE_WIN_COLLECTIVE, 9, {0});
  program.record(2, MORA_SHAPE_POLLS, 0, {41, 3});
  program.record(0, MORA_SHAPE_RECORDING, 0, {0});
  for (int i = 0; i < 20'000; ++i) program.record(3, MORA_SHAPE_CALL, 0, {});
  program.end();
  DataQuality quality;
  const auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal && quality.empty());
  const auto channel = entry_of(*journal, MORA_RING_CHANNEL, 2, 3, 7);
  EXPECT_EQ(channel.first, 3u);
  EXPECT_EQ(channel.second, 2u);
  EXPECT_EQ(entry_of(*journal, MORA_RING_COLLECTIVES, 2).first, 1u);
  EXPECT_EQ(entry_of(*journal, MORA_RING_WINDOW, 9).first, 1u);
  EXPECT_EQ(entry_of(*journal, MORA_RING_UNSURE).first, 1u);
  EXPECT_EQ(entry_of(*journal, MORA_RING_UNSURE).second, 0u);
  EXPECT_EQ(entry_of(*journal, MORA_RING_CALLS).second, 1u);
  Record record;
  std::uint64_t rest = 0;
  for (auto cursor = journal->records(); cursor.next(record);) rest += record.shape == MORA_SHAPE_CALL ? 1 : 0;
  EXPECT_EQ(entry_of(*journal, MORA_RING_CALLS).first, 10 + 41 + 20'000 - rest);
}

TEST(Ring, ChannelsBeyondTheTableAreCountedTogether) {
  RingProgram program;
  ASSERT_EQ(program.start(), 0);
  for (std::uint64_t i = 0; i < 20'000; ++i) program.record(3, MORA_SHAPE_SEND, 2, {i % 8 | (i << 32), i});
  program.end();
  DataQuality quality;
  const auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal && quality.empty());
  EXPECT_EQ(journal->before_ring().size(), MORA_JOURNAL_MIN_CHUNK_BYTES / 8 / sizeof(mora_ring_entry));
  std::uint64_t counted = 0;
  for (const auto& e : journal->before_ring())
    if (e.tag_kind >> 32 == MORA_RING_CHANNEL) counted += e.first;
  EXPECT_EQ(counted + entry_of(*journal, MORA_RING_UNSURE).second, 20'000 - sends(*journal).size());
}

TEST(Ring, StopsWhereDefinitionsLeaveNoRoom) {
  RingProgram program;
  ASSERT_EQ(program.start((places + 1) * MORA_JOURNAL_MIN_CHUNK_BYTES), 0);
  for (std::uint32_t id = 0; id < 5000; ++id) program.group(id);
  program.record(3, MORA_SHAPE_CALL, 0, {});
  program.end();
  EXPECT_LE(program.file_bytes(), (places + 1) * MORA_JOURNAL_MIN_CHUNK_BYTES + sizeof(mora_file_header));
  DataQuality quality;
  const auto journal = Journal::open(program.path_, quality);
  ASSERT_TRUE(journal);
  EXPECT_NE(journal->budget_end(), 0u);
  RingProgram small;
  EXPECT_EQ(small.start(1000), ENOSPC);
  small.end();
}

}  // namespace
}  // namespace mora::journal
