// Every byte of a small archive flipped, every file cut at every length: never a crash, never a hang, never silence.
#include <gtest/gtest.h>

#include <filesystem>

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
