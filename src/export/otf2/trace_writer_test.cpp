#include <gtest/gtest.h>

#include <filesystem>

#include "export/arrows/arrow_points.h"
#include "export/otf2/trace_writer.h"
#include "support/scratch_directory.h"
#include "trace/readers/open_trace.h"
#include "trace/readers/text/text_source.h"
#include "trace/rma/epoch_kinds.h"
#include "trace/rma/lock_epochs.h"
#include "trace/text/event_text.h"

namespace mora::exports {
namespace {

namespace fs = std::filesystem;
using trace::EarlType;
using trace::RmaModel;
using trace::View;

const char* const fence = R"(mora-trace 1
P0 10 ENTER MPI_Win_fence; 14 MPIWCEXIT w0
P0 20 ENTER MPI_Put; 21 PUT_1TS @1 w0 rma1 sent 80; 24 PUT_1TE_REMOTE @1 w0 rma1 recvd 80; 25 EXIT
P0 30 ENTER MPI_Get; 31 GET_1TS_REMOTE @1 w0 rma2 sent 40; 34 GET_1TE @1 w0 rma2 recvd 40; 35 EXIT
P0 40 ENTER MPI_Win_fence; 52 MPIWCEXIT w0
P1 12 ENTER MPI_Win_fence; 15 MPIWCEXIT w0; 48 ENTER MPI_Win_fence; 53 MPIWCEXIT w0
)";

std::string text_of(const View& view) {
  std::string all;
  trace::print_text(view, {}, [&](std::string_view text) {
    all += text;
    return true;
  });
  return all;
}

class Sample {
 public:
  explicit Sample(const std::string& text, RmaModel model = RmaModel::extended) {
    auto read = trace::read_trace_text(text, "test");
    if (!read) throw std::runtime_error(read.error().text());
    source_ = std::move(*read);
    auto made = View::make(*source_, model);
    if (!made) throw std::runtime_error(made.error().text());
    view_ = std::move(*made);
  }
  const View& operator*() const { return *view_; }
  const View* operator->() const { return view_.get(); }

 private:
  std::unique_ptr<trace::Source> source_;
  std::unique_ptr<View> view_;
};

class TraceWriterTest : public testing::Test {
 protected:
  std::string printed(RmaModel model) const {
    auto source = trace::open_trace(out_);
    if (!source) return source.error().text();
    auto view = View::make(**source, model);
    return view ? text_of(**view) : view.error().text();
  }
  std::unique_ptr<TraceWriter> writer(const View& view, TraceWriterOptions options = {}) const {
    auto made = TraceWriter::create(view, out_, options);
    if (!made) throw std::runtime_error(made.error().text());
    return std::move(*made);
  }
  bool nothing_left() const { return fs::is_empty(folder_); }

  const ScratchDirectory scratch_;
  const std::string &folder_ = scratch_.path(), out_ = scratch_.path("out");
};

TEST_F(TraceWriterTest, AllEventsGiveTheSameTrace) {
  for (const RmaModel model : {RmaModel::basic, RmaModel::extended}) {
    const Sample sample(fence, model);
    TraceWriterOptions options;
    options.force = true;
    auto w = writer(*sample, options);
    for (Position p = 1; p <= sample->size(); ++p) ASSERT_TRUE(w->append(p));
    EXPECT_EQ(w->written(), 14U);
    EXPECT_EQ(w->implied(), 3U);  // GET_1TS, and the ends of Put and Get
    ASSERT_TRUE(w->finish());
    EXPECT_EQ(printed(model), text_of(*sample));
  }
}

TEST_F(TraceWriterTest, FiltersByLocation) {
  const Sample sample("mora-trace 1\nP0 5-9 MPI_Barrier; 10-20 work\nP1 6-9 MPI_Barrier; 11-21 work\n");
  auto w = writer(*sample);
  for (Position p = 1; p <= sample->size(); ++p)
    if (sample->location(p) == 1) {
      ASSERT_TRUE(w->append(p));
    }
  ASSERT_TRUE(w->finish());
  const std::string text = printed(RmaModel::extended);
  EXPECT_EQ(text.find(" P0 "), std::string::npos) << text;
  EXPECT_NE(text.find("1 1 P1 ENTER region=MPI_Barrier"), std::string::npos) << text;
  EXPECT_NE(text.find("4 16 P1 EXIT region=work"), std::string::npos) << text;
}

TEST_F(TraceWriterTest, FromZeroMovesTheFirstEvent) {
  const Sample sample("mora-trace 1\nP0 0-1 a; 10-20 b\n");
  TraceWriterOptions options;
  options.from_zero = true;
  auto w = writer(*sample, options);
  ASSERT_TRUE(w->append(3));
  ASSERT_TRUE(w->append(4));
  ASSERT_TRUE(w->finish());
  EXPECT_EQ(printed(RmaModel::basic), "1 0 P0 ENTER region=b\n2 10 P0 EXIT region=b enter=1\n");
}

TEST_F(TraceWriterTest, WritesChangedEvents) {
  const Sample sample("mora-trace 1\nP0 0-10 MPI_Send to 1 bytes 8 tag 1\nP1 0-12 MPI_Recv from 0 bytes 8 tag 1\n");
  auto w = writer(*sample);
  for (Position p = 1; p <= sample->size(); ++p) {
    trace::ViewEvent e = sample->event(p);
    if (e.type == EarlType::send || e.type == EarlType::recv) e.bytes = 4096;
    ASSERT_TRUE(w->append(e));
  }
  ASSERT_TRUE(w->finish());
  EXPECT_NE(printed(RmaModel::basic).find("RECV src=0 tag=1 comm=WORLD bytes=4096 enter=3 send=2"), std::string::npos)
      << printed(RmaModel::basic);
}

TEST_F(TraceWriterTest, RefusesNonsense) {
  const Sample sample("mora-trace 1\nP0 0-1 a; 10-20 b\n");
  auto w = writer(*sample);
  EXPECT_FALSE(w->append(0));
  EXPECT_FALSE(w->append(5));
  ASSERT_TRUE(w->append(3));
  EXPECT_FALSE(w->append(1)) << "time goes back on the location";
  trace::ViewEvent e = sample->event(3);
  e.location = 7;
  EXPECT_FALSE(w->append(e));
  e = sample->event(3);
  e.type = EarlType::send;
  e.comm = 99;
  EXPECT_FALSE(w->append(e)) << "no such communicator";
  ASSERT_TRUE(w->finish());
  EXPECT_FALSE(w->append(4));
  EXPECT_FALSE(w->finish());
  EXPECT_FALSE(TraceWriter::create(*sample, out_, {})) << "it exists";
}

TEST_F(TraceWriterTest, LeavesNothingWithoutFinish) {
  const Sample sample(fence);
  {
    auto w = writer(*sample);
    ASSERT_TRUE(w->append(1));
  }
  EXPECT_TRUE(nothing_left());
}

TEST(ArrowPoints, MovedEndsComeInTheOrderOfTime) {
  const Sample sample(fence);
  ArrowOptions options;
  options.show = ShowTransfers::logical;
  options.epsilon = 2;
  const Arrows arrows(*sample, options);
  ArrowPoints points(arrows);
  std::vector<Nanoseconds> times;
  const auto note = [&](const ArrowPoint& point) { times.push_back(point.time); };
  for (Position p = 1; p <= sample->size(); ++p) {
    points.at(p, sample->time(p), note);
    // What was drawn so far never lies behind the event.
    EXPECT_TRUE(times.empty() || times.back() <= sample->time(p));
  }
  points.rest(note);
  EXPECT_EQ(times, (std::vector<Nanoseconds>{11, 40, 42, 43}));
}

TEST(LockOrder, NeverReleasedLocksStandLast) {
  const Sample sample(
      "mora-trace 1\nP0 0-100 main\nP1 10-11 MPI_Win_lock w0 to 0\nP2 5-6 MPI_Win_lock w0 to 0; 20-21 MPI_Win_unlock "
      "w0 to 0\n");
  const auto epochs = trace::lock_order(*sample);
  ASSERT_EQ(epochs.size(), 2U);
  EXPECT_EQ(epochs[0].origin, 2U);
  EXPECT_EQ(epochs[1].origin, 1U);
  EXPECT_EQ(epochs[1].release, 0U);
  EXPECT_EQ(epochs[1].granted, 21);
}

TEST(WindowEpochs, ExposureIsRma) {
  const Sample sample(
      "mora-trace 1\nP0 0-2 MPI_Win_post w0 group 1; 5-9 MPI_Win_wait w0\nP1 0-3 MPI_Win_start w0 group 0; 4-8 "
      "MPI_Win_complete w0\n");
  const auto epochs = trace::window_epochs(*sample);
  ASSERT_EQ(epochs.size(), 4U);
  EXPECT_EQ(epochs[0].kind, trace::WindowEpochKind::rma);
  EXPECT_EQ(epochs[1].kind, trace::WindowEpochKind::undecided);
  EXPECT_EQ(epochs[2].kind, trace::WindowEpochKind::local) << "an access epoch without access";
}

}  // namespace
}  // namespace mora::exports
