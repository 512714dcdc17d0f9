// An index is a cache: whatever happens to its file, a view shows the trace as it is.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <random>

#include "base/file.h"
#include "support/fault_stride.h"
#include "support/processor_time.h"
#include "support/scratch_directory.h"
#include "support/trace/random_trace.h"
#include "trace/index/index_file.h"
#include "trace/index/index_writer.h"
#include "trace/readers/text/text_source.h"
#include "trace/view/view.h"

namespace mora::trace {
namespace {

class KeptIndex : public ::testing::Test {
 protected:
  KeptIndex() {
    naive::RandomTraceOptions random;
    random.seed = 12;
    source_ = naive::random_trace(random);
    options_.index_file = directory_ + "/extended.mora-index";
    options_.fingerprint = 42;
    options_.keep_from = 0;
  }

  std::unique_ptr<View> view() {
    auto made = View::make(*source_, options_);
    EXPECT_TRUE(made.has_value());
    return std::move(*made);
  }

  /// Everything that an index says, as text.
  static std::string content(const View& v) {
    std::string all;
    const auto list = [&](const std::vector<Position>& positions) {
      for (const Position p : positions) all += std::to_string(p) + ",";
      all += ';';
    };
    for (Position p = 1; p <= v.size(); ++p) {
      const ViewEvent e = v.event(p);
      for (const std::uint64_t x :
           {static_cast<std::uint64_t>(e.time), static_cast<std::uint64_t>(e.type), e.enter, e.link, e.forward, e.bytes,
            e.received, e.id, e.ordinal, std::uint64_t{e.location}, std::uint64_t{e.region}, std::uint64_t{e.peer},
            std::uint64_t{e.comm}, std::uint64_t{e.window}, std::uint64_t{e.assertion}})
        all += std::to_string(x) + " ";
      if (p % 16 == 0) {
        list(v.queue(p));
        list(v.transfers(p));
        for (LocationId l = 0; l < v.definitions().locations.size(); ++l) list(v.stack(l, p));
      }
    }
    for (const auto& row : v.quality().rows()) all += row.kind + row.where + std::to_string(row.count);
    return all;
  }

  const ScratchDirectory scratch_;
  const std::string& directory_ = scratch_.path();
  std::unique_ptr<MemorySource> source_;
  ViewOptions options_;
};

TEST_F(KeptIndex, IsReopened) {
  const auto first = view();
  EXPECT_FALSE(first->reopened());
  const auto second = view();
  EXPECT_TRUE(second->reopened());
  EXPECT_EQ(content(*first), content(*second));
  EXPECT_GT(second->size(), 100U);
}

TEST_F(KeptIndex, KeepsTheNumbersOfEnters) {
  std::int32_t next = -3;  // 0 is among them: not kept, and yet it comes back
  for (auto& stream : source_->events)
    for (Event& e : stream)
      if (e.kind == EventKind::enter && e.time % 3 != 0) e.tag = next++;
  ASSERT_GT(next, 10);
  const auto first = view(), second = view();
  ASSERT_TRUE(second->reopened());
  std::int64_t numbered = 0;
  for (Position p = 1; p <= first->size(); ++p) {
    const ViewEvent e = first->event(p);
    if (e.type != EarlType::enter) continue;
    const Event& recorded = source_->events[e.location][e.ordinal];
    ASSERT_EQ(recorded.kind, EventKind::enter);
    EXPECT_EQ(e.tag, recorded.tag);
    EXPECT_EQ(second->event(p).tag, recorded.tag);
    if (e.tag != 0) ++numbered;
  }
  EXPECT_EQ(numbered, next + 3 - 1);
}

TEST_F(KeptIndex, IsMadeAnewForAnotherContentOrModel) {
  view();
  ViewOptions same = options_;
  options_.fingerprint = 43;
  EXPECT_FALSE(view()->reopened());
  EXPECT_TRUE(view()->reopened()) << "the new one replaced the old one";
  options_ = same;
  EXPECT_FALSE(view()->reopened());
  options_.model = RmaModel::basic;
  EXPECT_FALSE(view()->reopened());
}

TEST_F(KeptIndex, AnyFlippedByteIsNoticed) {
  const auto sound = content(*view());
  const std::string bytes = *read_file(options_.index_file);
  IndexHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sizeof(header); ++i) places.push_back(i);
  for (const IndexExtent& e : header.sections) {
    for (std::uint64_t i = 0; i < e.bytes; i += 29) places.push_back(e.offset + i);
  }
  for (std::size_t i = 0; i < places.size(); i += fault_stride()) {
    const std::size_t place = places[i];
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    std::ofstream(options_.index_file, std::ios::binary) << damaged;
    ASSERT_EQ(content(*view()), sound) << "byte " << place;
  }
}

TEST_F(KeptIndex, AnyCutIsNoticed) {
  const auto sound = content(*view());
  const std::string bytes = *read_file(options_.index_file);
  for (std::size_t size = 0; size < bytes.size(); size += 509) {
    std::ofstream(options_.index_file, std::ios::binary) << bytes.substr(0, size);
    ASSERT_EQ(content(*view()), sound) << size << " bytes left";
  }
}

TEST_F(KeptIndex, ColumnsStayWhenTheIndexIsRepaired) {
  view();
  std::string bytes = *read_file(options_.index_file);
  IndexHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes[header.sections[static_cast<std::size_t>(IndexSection::forward)].offset] ^= 1;
  std::ofstream(options_.index_file, std::ios::binary) << bytes;
  const auto v = view();
  ASSERT_TRUE(v->reopened());
  const Nanoseconds first = v->time(1);
  const EventColumns& columns = v->columns();  // finds the damage
  EXPECT_EQ(columns.time[0], first);
  EXPECT_EQ(columns.forward[0], v->forward(1));
}

/// A trace that cannot be read a second time.
class ReadableOnce : public MemorySource {
 public:
  Result<void> read_location(LocationId location, EventSink& sink) override {
    if (gone) return fail(ErrorKind::unreadable, "the trace is gone");
    return MemorySource::read_location(location, sink);
  }
  bool gone = false;
};

TEST_F(KeptIndex, DamageBeyondRepairIsAnError) {
  ReadableOnce source;
  static_cast<MemorySource&>(source) = *source_;
  const auto make = [&] { return View::make(source, options_); };
  const auto sound = content(**make());
  const std::string bytes = *read_file(options_.index_file);
  IndexHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  source.gone = true;
  std::size_t failed = 0;
  for (const IndexExtent& e : header.sections) {
    for (std::uint64_t i = 0; i < e.bytes; i += std::max<std::uint64_t>(1, e.bytes / 7)) {
      std::string damaged = bytes;
      damaged[e.offset + i] ^= 1;
      std::ofstream(options_.index_file, std::ios::binary) << damaged;
      const auto made = make();
      if (!made) continue;  // found at once
      const View& view = **made;
      EXPECT_TRUE(view.intact().has_value());
      view.forward(view.size());  // sound or not: no position that is valid leads astray later
      for (LocationId l = 0; l < view.definitions().locations.size(); ++l)
        for (std::uint64_t n = 0; n < view.count_on(l); ++n) view.event(view.nth_on(l, n));
      if (content(view) == sound) continue;
      view.columns();
      const auto intact = view.intact();
      ASSERT_FALSE(intact.has_value()) << "section at " << e.offset << ", byte " << i;
      EXPECT_EQ(intact.error().kind, ErrorKind::unreadable);
      ++failed;
    }
  }
  EXPECT_GE(failed, 40U) << "most sections are checked when they are used";
}

TEST_F(KeptIndex, ATraceThatChangedMeanwhileIsAnError) {
  view();
  std::string bytes = *read_file(options_.index_file);
  IndexHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes[header.sections[static_cast<std::size_t>(IndexSection::forward)].offset] ^= 1;
  std::ofstream(options_.index_file, std::ios::binary) << bytes;
  const auto v = view();
  for (auto& events : source_->events) events.pop_back();
  v->columns();
  ASSERT_FALSE(v->intact().has_value());
  EXPECT_EQ(v->intact().error().what, "the trace has changed while it was read");
}

TEST_F(KeptIndex, APlaceThatCannotBeWrittenIsNoError) {
  options_.index_file = "/proc/no/such/place/extended.mora-index";
  EXPECT_GT(view()->size(), 0U);
}

TEST(IndexBuild, CostDoesNotGrowWithTheSquareOfTheLocations) {
  const auto source = read_trace_text("mora-trace 1\nP150000 0 ENTER w; 1 EXIT\n");
  ASSERT_TRUE(source.has_value());
  const double before = processor_seconds();
  const auto view = View::make(**source, ViewOptions());
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ((*view)->size(), 2U);
  EXPECT_LT(processor_seconds() - before, 6);  // it was 15, and is 0.1
}

/// What an index of these events and details gives back.
std::unique_ptr<IndexFile> written(const std::vector<Nanoseconds>& times, const std::vector<EventDetail>& details) {
  char name[] = "/tmp/mora-index-test-XXXXXX";
  const int file = ::mkstemp(name);
  ::unlink(name);
  IndexWriter writer(file, details.size(), {times.size()});
  for (std::uint32_t i = 0; i < times.size(); ++i) {
    const bool is_plain = i >= details.size();
    writer.append(times[i], is_plain ? EarlType::enter : EarlType::send, 0, i, 0, is_plain ? ~i : i);
    if (!is_plain) writer.append(details[i]);
  }
  EXPECT_TRUE(writer.finish(0, 0, {}, "[]").has_value());
  auto index = IndexFile::map(file, false);
  EXPECT_TRUE(index.has_value());
  EXPECT_TRUE((*index)->sound(IndexSection::packed));
  return std::move(*index);
}

TEST(PackedColumns, HoldAnyNumbersOfAnyWidth) {
  std::mt19937_64 random(3);
  for (const unsigned bits : {0U, 1U, 7U, 31U, 56U, 57U, 58U, 63U, 64U}) {
    const auto any = [&](unsigned most) { return bits == 0 ? 0 : random() >> (64 - std::min(bits, most)); };
    const auto id = [&] { return static_cast<std::uint32_t>(random() % 3 == 0 ? no_id : any(32)); };
    for (const std::size_t size : {1UL, 63UL, 1024UL, 1025UL, 5000UL}) {
      std::vector<Nanoseconds> times;
      std::vector<EventDetail> details;
      for (std::size_t i = 0; i < size; ++i) times.push_back(static_cast<Nanoseconds>(any(64) + random() % 2 * bits));
      for (std::size_t i = 0; i < size / 2; ++i)
        details.push_back({any(64), any(64), any(64), static_cast<std::uint32_t>(any(32)), id(), id(), id(), id(),
                           static_cast<std::uint16_t>(any(16)), static_cast<std::uint8_t>(any(8)),
                           static_cast<std::uint8_t>(any(8))});
      const auto index = written(times, details);
      const EventColumns& columns = index->columns();
      for (std::uint32_t i = 0; i < size; ++i) {
        ASSERT_EQ(columns.time[i], times[i]) << bits << " bits, event " << i << " of " << size;
        ASSERT_EQ(columns.ordinal[i], i);
        if (i >= details.size()) {
          ASSERT_EQ(columns.region(i), ~i);
          continue;
        }
        ASSERT_EQ(columns.row(i), i);
        ASSERT_TRUE(index->sound_row(i));
        const EventDetail found = columns.detail_of(i);
        ASSERT_EQ(std::memcmp(&found, &details[i], sizeof found), 0) << bits << " bits, row " << i << " of " << size;
      }
    }
  }
}

TEST(PackedColumns, TakeAsManyBitsAsTheirNumbersNeed) {
  std::vector<Nanoseconds> times;
  for (Nanoseconds i = 0; i < 102'400; ++i) times.push_back(1'000'000'000'000 + i * 1000);
  const auto index =
      written(times, std::vector<EventDetail>(51'200, EventDetail{64, 0, 0, 0, 7, 0, no_id, 1, 0, 0, 0}));
  // Per event: 17 bytes of arrays, 20 bits of time, 10 each of ordinal and region or row; six frames with their tables.
  EXPECT_LT(index->header().file_bytes, 102'400 * 23);
}

TEST(IndexWriter, ForwardPointersReachBackBehindWhatIsInMemory) {
  constexpr std::uint32_t events = 1'000'000;  // four blocks of `forward`
  char name[] = "/tmp/mora-index-test-XXXXXX";
  const int file = ::mkstemp(name);
  ::unlink(name);
  IndexWriter writer(file, 0, {events}, 1);
  for (std::uint32_t i = 1; i <= events; ++i) {
    writer.append(i, EarlType::enter, 0, i, 0, 0);
    if (i > 10) writer.set_forward(i - 10, i);
  }
  writer.set_forward(3, events);
  EXPECT_TRUE(writer.has_forward(3));
  EXPECT_FALSE(writer.has_forward(events));
  ASSERT_TRUE(writer.finish(0, 0, {}, "[]").has_value());
  const auto index = IndexFile::map(file, false);
  ASSERT_TRUE(index.has_value());
  EXPECT_TRUE((*index)->sound(IndexSection::forward));
  EXPECT_EQ((*index)->columns().forward[2], events);
  EXPECT_EQ((*index)->columns().forward[events - 11], events);

  const EventColumns& columns = (*index)->columns();
  for (std::uint32_t i = 0; i < events; ++i) ASSERT_EQ(columns.time[i], i + 1);
  // A frame lies within one block, whose checksum tells whether it is sound.
  ASSERT_GT((*index)->header().sections[static_cast<std::size_t>(IndexSection::packed)].bytes, 2 * index_block);
  for (std::uint64_t i = 0; i < events; i += packed_per_frame) {
    for (const PackedFrame& frame : {columns.time.frame(i), columns.ordinal.frame(i)}) {
      const std::uint64_t numbers = std::min<std::uint64_t>(packed_per_frame, events - i);
      const std::uint64_t last = frame.byte() + (numbers - 1) * (frame.place & 127) / 8 + 7;
      ASSERT_EQ(frame.byte() / index_block, last / index_block) << i;
    }
  }
}

}  // namespace
}  // namespace mora::trace
