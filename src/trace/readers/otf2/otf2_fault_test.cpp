// Every byte of a small archive flipped, every file cut at every length: never a crash, never a hang, never silence.
#include <gtest/gtest.h>
#include <malloc.h>

#include <filesystem>

#include "archive/archive_writer.h"
#include "base/file.h"
#include "support/fault_stride.h"
#include "support/otf2/foreign_archive.h"
#include "support/otf2/sample_archive.h"
#include "trace/readers/otf2/otf2_source.h"

namespace mora::trace {
namespace {

namespace fs = std::filesystem;

/// Checks the promises of source.h while it counts.
class CheckedSink : public EventSink {
 public:
  explicit CheckedSink(const Definitions& d) : d_(d) {}
  std::uint64_t events = 0;
  void on_event(const Event& e) override {
    ++events;
    EXPECT_GE(e.time, last_);
    last_ = e.time;
    if (e.kind == EventKind::enter) ++depth_;
    if (e.kind == EventKind::leave) --depth_;
    EXPECT_GE(depth_, 0);
    if (e.kind == EventKind::enter || e.kind == EventKind::leave) {
      EXPECT_LT(e.region, d_.regions.size());
    }
    if (e.kind == EventKind::send || e.kind == EventKind::receive) {
      EXPECT_LT(e.comm, d_.communicators.size());
    }
    if (e.kind == EventKind::put || e.kind == EventKind::get || e.kind == EventKind::atomic ||
        e.kind == EventKind::flush || e.kind == EventKind::lock_request) {
      EXPECT_LT(e.window, d_.windows.size());
    }
    if (e.kind == EventKind::metric) {
      EXPECT_LT(e.vector, d_.metrics.size());
    }
    if (e.kind == EventKind::user) {
      EXPECT_LT(e.vector, d_.user_types.size());
    }
    if (e.file != no_id) {
      EXPECT_LT(e.file, d_.files.size());
    }
    if (e.kind == EventKind::group_sync && e.group != no_id) {
      EXPECT_LT(e.group, d_.groups.size());
    }
  }
  void done() const { EXPECT_EQ(depth_, 0); }

 private:
  const Definitions& d_;
  Nanoseconds last_ = INT64_MIN;
  int depth_ = 0;
};

/// Opens and reads all; what the outcome was.
struct Outcome {
  bool opened = false;
  std::uint64_t events = 0;
  std::size_t failed = 0;
  bool reported = false;
};

Outcome read_all(const std::string& directory) {
  Outcome outcome;
  Otf2Options options;
  options.patience_s = 1;
  auto source = open_otf2(directory + "/traces.otf2", options);
  if (!source) {
    EXPECT_FALSE(source.error().what.empty());
    EXPECT_FALSE(source.error().where.empty());
    return outcome;
  }
  outcome.opened = true;
  const Definitions& d = (*source)->definitions();
  for (LocationId location = 0; location < d.locations.size(); ++location) {
    CheckedSink sink(d);
    if (!(*source)->read_location(location, sink)) ++outcome.failed;
    sink.done();
    outcome.events += sink.events;
  }
  outcome.reported = !(*source)->quality().empty();
  return outcome;
}

/// Files of our own sample; those behind "foreign:" are of the archive with every record.
class Otf2Fault : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr std::string_view foreign_mark = "foreign:";
  const bool is_foreign_ = std::string_view(GetParam()).starts_with(foreign_mark);
  const SampleArchive own_;
  const ForeignArchive foreign_{Foreign::score_p};
  const std::string directory_ = is_foreign_ ? foreign_.directory() : own_.directory();
  const std::string path_ = directory_ + "/" + (GetParam() + (is_foreign_ ? foreign_mark.size() : 0));
  const std::string good_ = read_file(path_).value();
  static void put(const std::string& path, const std::string& content) {
    ASSERT_TRUE(write_file_atomically(path, content));
  }
};

TEST_P(Otf2Fault, flipped_bytes) {
  for (std::size_t i = 0; i < good_.size(); i += fault_stride()) {
    std::string bad = good_;
    bad[i] = static_cast<char>(~bad[i]);
    put(path_, bad);
    SCOPED_TRACE("byte " + std::to_string(i));
    read_all(directory_);
    if (HasFailure()) return;
  }
}

TEST_P(Otf2Fault, cut_files) {
  put(path_, good_);
  const Outcome whole = read_all(directory_);
  ASSERT_TRUE(whole.opened);
  for (std::size_t length = 0; length < good_.size(); length += fault_stride()) {
    put(path_, good_.substr(0, length));
    SCOPED_TRACE("length " + std::to_string(length));
    const Outcome cut = read_all(directory_);
    if (cut.opened && cut.events < whole.events) {
      EXPECT_TRUE(cut.failed > 0 || cut.reported) << "events are missing and nothing says so";
    }
    if (HasFailure()) return;
  }
}

/// libotf2 takes what a cut file lacks from its buffer: here from the same file, read before.
TEST(Otf2Cut, definitions_end_where_their_file_does) {
  mallopt(M_MMAP_THRESHOLD, 1 << 25);  // its buffers come from the heap, as after many archives
  const ForeignArchive foreign{Foreign::score_p};
  const std::string path = foreign.directory() + "/traces.def", good = read_file(path).value();
  Otf2Options options;
  options.trust = true;  // here, not in a child
  for (std::size_t length = 1; length < good.size(); length += fault_stride()) {
    SCOPED_TRACE("length " + std::to_string(length));
    ASSERT_TRUE(write_file_atomically(path, good));
    ASSERT_TRUE(open_otf2(foreign.directory() + "/traces.otf2", options));
    ASSERT_TRUE(write_file_atomically(path, good.substr(0, length)));
    EXPECT_FALSE(open_otf2(foreign.directory() + "/traces.otf2", options));
    if (HasFailure()) return;
  }
}

struct Times : EventSink {
  void on_event(const Event& e) override { times.push_back(e.time); }
  std::vector<Nanoseconds> times;
};

/// Of a location with several chunks, all is read that stands before the cut.
TEST(Otf2Cut, events_end_where_their_file_does) {
  const ScratchDirectory scratch;
  constexpr std::uint64_t calls = 60000;
  {
    auto writer = archive::ArchiveWriter::create(scratch.path(), {"long", "machine", ""});
    ASSERT_TRUE(writer);
    auto location = (*writer)->open_location(0);
    ASSERT_TRUE(location);
    archive::Attributes attributes;
    attributes.has_received = true;
    for (std::uint64_t i = 0; i < calls; ++i) {
      location->enter(10 * i + 1, 0);
      location->put(10 * i + 2, 0, 0, 80, i + 1, attributes);
      location->leave(10 * i + 3, 0);
    }
    ASSERT_TRUE((*writer)->close_location(*location, {{1, 0, 0}}));
    archive::Definitions d;
    d.first_stamp = 1;
    d.last_stamp = 10 * calls;
    d.nodes = {"host"};
    d.processes = {{0, {}}};
    d.regions.push_back({"MPI_Put", "", 0, ""});
    d.groups = {{0}};
    d.communicators.push_back({"MPI_COMM_WORLD", 0, archive::no_id, archive::no_id});
    d.windows.push_back({"window 0", 0});
    ASSERT_TRUE((*writer)->close(d));
  }
  std::filesystem::remove(scratch.path() + "/manifest.json");
  const std::string path = scratch.path() + "/traces/0.evt", good = read_file(path).value();
  constexpr std::size_t chunk = 1 << 20;
  ASSERT_GT(good.size(), 2 * chunk);
  const auto read = [&](std::size_t length) {
    Times sink;
    EXPECT_TRUE(write_file_atomically(path, good.substr(0, length)));
    auto source = open_otf2(scratch.path() + "/traces.otf2");
    EXPECT_TRUE(source && (*source)->read_location(0, sink));
    EXPECT_EQ(length < good.size(), source && !(*source)->quality().empty());
    return sink.times;
  };
  const std::vector<Nanoseconds> whole = read(good.size());
  ASSERT_EQ(whole.size(), 3 * calls);
  std::size_t before = 0;
  for (const std::size_t length : {chunk - 1, chunk, chunk + 1, chunk + 17, chunk + 18, chunk + 500001, 2 * chunk - 7,
                                   2 * chunk, 2 * chunk + 99, good.size() - 99}) {
    SCOPED_TRACE("length " + std::to_string(length));
    const std::vector<Nanoseconds> cut = read(length);
    EXPECT_GE(cut.size(), before);
    EXPECT_NEAR(static_cast<double>(cut.size()) / static_cast<double>(whole.size()),
                static_cast<double>(length) / static_cast<double>(good.size()), 0.02);
    // Its last call may have been ended where the file ends.
    for (std::size_t i = 0; i + 1 < cut.size(); ++i) ASSERT_EQ(cut[i], whole[i]);
    before = cut.size();
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Otf2Fault,
                         ::testing::Values("traces/0.evt", "traces/1.evt", "traces/1.def", "traces.def", "traces.otf2",
                                           "foreign:traces/0.evt", "foreign:traces.def"),
                         [](const auto& value) {
                           std::string name = value.param;
                           for (char& c : name) c = c == '/' || c == '.' || c == ':' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace mora::trace
