/// Traces that nobody would write, analysed: no crash, no hang, no overflow, and what cannot be computed is counted as
/// damage, never silently 0. Sizes are such that anything quadratic takes minutes. ctest -L fault; sanitizers: preset
/// asan-ubsan.
#include <gtest/gtest.h>

#include <string>

#include "analysis/analyze.h"
#include "support/fault_stride.h"
#include "support/processor_time.h"
#include "trace/memory_source.h"
#include "trace/mpi_function.h"

namespace mora::analysis {
namespace {

using trace::Collective;
using trace::Event;
using trace::EventKind;
using trace::RmaOperation;

const std::uint32_t many = 100'000 / static_cast<std::uint32_t>(fault_stride());
constexpr double slow = 60;  ///< processor seconds; nothing here takes 3 without sanitizers

class Trace : public trace::MemorySource {
 public:
  explicit Trace(std::uint32_t ranks, std::uint32_t ranks_in_trace = UINT32_MAX) {
    defs.program = "hostile";
    defs.nodes.push_back({"node0"});
    trace::Communicator world;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      world.members.push_back(r);
      if (r >= ranks_in_trace) continue;
      trace::Location l;
      l.name = "rank " + std::to_string(r);
      l.rank = r;
      defs.locations.push_back(l);
    }
    defs.communicators.push_back(world);
    defs.windows.push_back({"w0", 0});
    defs.world_size = ranks;
    defs.index_ranks();
    events.resize(defs.locations.size());
  }
  trace::RegionId region(const std::string& name) {
    for (trace::RegionId r = 0; r < defs.regions.size(); ++r) {
      if (defs.regions[r].name == name) return r;
    }
    trace::Region region;
    region.name = name;
    region.function = mpi::find(name);
    region.kind = region.function == mpi::FunctionId::none ? trace::RegionKind::user : trace::RegionKind::mpi;
    defs.regions.push_back(region);
    return static_cast<trace::RegionId>(defs.regions.size() - 1);
  }
  Event& add(std::uint32_t rank, Nanoseconds time, EventKind kind) {
    events[rank].emplace_back();
    events[rank].back().time = time;
    events[rank].back().kind = kind;
    return events[rank].back();
  }
  void enter(std::uint32_t rank, Nanoseconds time, const std::string& name) {
    add(rank, time, EventKind::enter).region = region(name);
  }
  void leave(std::uint32_t rank, Nanoseconds time, const std::string& name) {
    add(rank, time, EventKind::leave).region = region(name);
  }
  /// A call with this record at its end.
  void call(std::uint32_t rank, Nanoseconds from, Nanoseconds to, const std::string& name, Event e) {
    enter(rank, from, name);
    if (e.kind == EventKind::collective_end) add(rank, from, EventKind::collective_begin);
    if (e.kind == EventKind::rma_collective_end) add(rank, from, EventKind::rma_collective_begin);
    e.time = to;
    events[rank].push_back(e);
    leave(rank, to, name);
  }
};

Event message(EventKind kind, std::uint32_t peer, std::uint64_t request = 0) {
  Event e;
  e.kind = kind;
  e.peer = peer;
  e.comm = 0;
  e.bytes = 8;
  e.request = request;
  return e;
}
Event collective(Collective which, trace::CommId comm) {
  Event e;
  e.kind = EventKind::collective_end;
  e.collective = which;
  e.comm = comm;
  e.bytes = e.received = 8;
  return e;
}
Event one_sided(EventKind kind, trace::WindowId window, std::uint32_t peer,
                RmaOperation operation = RmaOperation::none) {
  Event e;
  e.kind = kind;
  e.window = window;
  e.peer = peer;
  e.rma_operation = operation;
  e.bytes = e.received = 8;
  return e;
}

struct Seen {
  AnalysisResult result;
  std::int64_t total(const std::string& metric) const { return result.cube.total(result.cube.find_metric(metric)); }
  std::uint64_t counted(const std::string& kind) const {
    std::uint64_t count = 0;
    for (const QualityRow& row : result.quality.rows()) count += row.kind == kind ? row.count : 0;
    return count;
  }
  std::string kinds() const {
    std::string text;
    for (const QualityRow& row : result.quality.rows())
      text += row.kind + " " + row.where + " " + std::to_string(row.count) + "\n";
    return text;
  }
};

/// With one and with three partitions, in time, and equal.
Seen analysed(trace::MemorySource& source) {
  Seen seen[2];
  for (const unsigned partitions : {1U, 3U}) {
    AnalyzeOptions options;
    options.workers = 1;
    options.partitions = partitions;
    source.quality_table = DataQuality();
    const double start = processor_seconds();
    auto result = analyze(source, "hostile", options);
    EXPECT_LT(processor_seconds() - start, slow);
    EXPECT_TRUE(result.has_value());
    if (result) seen[partitions / 2].result = std::move(*result);
  }
  for (cube::MetricId m = 0; m < seen[0].result.cube.metrics.size(); ++m) {
    EXPECT_EQ(seen[0].result.cube.by_location(m), seen[1].result.cube.by_location(m))
        << seen[0].result.cube.metrics[m].id;
  }
  EXPECT_EQ(seen[0].kinds(), seen[1].kinds());
  return std::move(seen[0]);
}

TEST(Hostile, ManyCommunicatorsWithOneCallEach) {
  Trace t(2);
  for (trace::CommId c = 1; c <= many; ++c) {
    t.defs.communicators.push_back(t.defs.communicators[0]);
    const Nanoseconds at = c * 100;
    t.call(0, at, at + 50, "MPI_Barrier", collective(Collective::barrier, c));
    t.call(1, at + 30, at + 50, "MPI_Barrier", collective(Collective::barrier, c));
  }
  const Seen seen = analysed(t);
  EXPECT_EQ(seen.total("wait-at-barrier"), 30 * std::int64_t{many});
  EXPECT_EQ(seen.total("waits-by-origin"), 30 * std::int64_t{many});
}

TEST(Hostile, ManyGroupsThatHaveNothingInCommon) {
  // Rank 0 shares each communicator with another rank; what it waits for was last met long ago.
  const std::uint32_t ranks = 300;
  Trace t(ranks);
  std::vector<Nanoseconds> clock(ranks, 0);
  for (std::uint32_t c = 1; c <= many / 2; ++c) {
    const std::uint32_t other = 1 + c % (ranks - 1);
    if (c < ranks) {
      t.defs.communicators.push_back({});
      t.defs.communicators.back().members = {0, other};
    }
    const auto comm = static_cast<trace::CommId>(other == 0 ? 1 : (c < ranks ? c : other));
    const Nanoseconds at = c * 100;
    t.call(0, at, at + 50, "MPI_Barrier", collective(Collective::barrier, comm));
    t.call(other, at + 30, at + 50, "MPI_Barrier", collective(Collective::barrier, comm));
  }
  analysed(t);
}

TEST(Hostile, ManyWindowsWithOneFenceEach) {
  Trace t(2);
  for (trace::WindowId w = 1; w <= many; ++w) {
    t.defs.windows.push_back({"w", 0});
    const Nanoseconds at = w * 100;
    t.call(0, at, at + 50, "MPI_Win_fence",
           one_sided(EventKind::rma_collective_end, w, trace::no_id, RmaOperation::fence));
    t.call(1, at + 30, at + 50, "MPI_Win_fence",
           one_sided(EventKind::rma_collective_end, w, trace::no_id, RmaOperation::fence));
  }
  EXPECT_EQ(analysed(t).total("fence"), 70 * std::int64_t{many});
}

TEST(Hostile, ManyWindowsThatStayLocked) {
  Trace t(2);
  for (trace::WindowId w = 1; w <= many; ++w) {
    t.defs.windows.push_back({"w", 0});
    Event e = one_sided(EventKind::lock_request, w, 0);
    e.lock_exclusive = true;
    t.call(w % 2, w * 10, w * 10 + 5, "MPI_Win_lock", e);
  }
  EXPECT_EQ(analysed(t).counted("incomplete-lock-epoch"), many);
}

TEST(Hostile, ManyEpochsOfOneWindow) {
  Trace t(2);
  t.defs.groups = {{{0}}, {{1}}};
  const auto sync = [&](std::uint32_t rank, Nanoseconds at, const char* name, RmaOperation operation, bool closed) {
    Event e = one_sided(EventKind::group_sync, 0, trace::no_id, operation);
    e.group = 1 - rank;
    e.epoch_closed = closed;
    t.call(rank, at, at + 8, name, e);
  };
  for (std::uint32_t n = 0; n < many / 2; ++n) {
    const Nanoseconds at = n * 100;
    sync(0, at + 10, "MPI_Win_post", RmaOperation::post, false);
    sync(1, at + 5, "MPI_Win_start", RmaOperation::start, false);
    sync(1, at + 33, "MPI_Win_complete", RmaOperation::complete, true);
    sync(0, at + 26, "MPI_Win_wait", RmaOperation::wait, true);
  }
  const Seen seen = analysed(t);
  EXPECT_EQ(seen.total("early-wait"), 7 * std::int64_t{many / 2});
  EXPECT_EQ(seen.kinds(), "");
}

TEST(Hostile, ManyLocksHandedRound) {
  Trace t(3);
  std::vector<Nanoseconds> clock(3, 0);
  for (std::uint32_t n = 0; n < many; ++n) {
    const std::uint32_t rank = n % 3;
    const Nanoseconds at = n * 100;
    Event e = one_sided(EventKind::lock_request, 0, 0);
    e.lock_exclusive = true;
    t.call(rank, at - 50, at + 10, "MPI_Win_lock", e);
    t.call(rank, at + 60, at + 70, "MPI_Win_unlock", one_sided(EventKind::lock_release, 0, 0));
  }
  EXPECT_GT(analysed(t).total("lock-contention"), 0);
}

TEST(Hostile, ManyRequestsThatAreNeverCompleted) {
  Trace t(2);
  for (std::uint32_t n = 0; n < many; ++n) {
    t.call(0, n * 10, n * 10 + 5, "MPI_Isend", message(EventKind::send_request, 1, n + 1));
    t.call(1, n * 10, n * 10 + 5, "MPI_Irecv", message(EventKind::receive_request, trace::no_id, n + 1));
    Event e = collective(Collective::bcast, 0);
    e.kind = EventKind::collective_request;
    e.root = 0;
    e.request = many + n + 1;
    t.call(0, n * 10 + 6, n * 10 + 7, "MPI_Ibcast", e);
  }
  const Seen seen = analysed(t);
  EXPECT_EQ(seen.counted("unmatched-send"), many);
  EXPECT_EQ(seen.counted("uncompleted-collective"), many) << seen.kinds();
  EXPECT_EQ(seen.total("waits-by-origin"), 0);
}

/// A million messages, made while they are read: rank 1 waits 7 ns for each.
class Million : public Trace {
 public:
  Million() : Trace(2) {
    region("MPI_Send");
    region("MPI_Recv");
  }
  Result<void> read_location(trace::LocationId location, trace::EventSink& sink) override {
    Event enter, middle = message(location == 0 ? EventKind::send : EventKind::receive, 1 - location), leave;
    enter.kind = EventKind::enter;
    leave.kind = EventKind::leave;
    enter.region = leave.region = location;
    for (Nanoseconds n = 0; n < 10 * many; ++n) {
      enter.time = n * 20 + (location == 0 ? 7 : 0);
      middle.time = leave.time = n * 20 + 10;
      for (const Event& e : {enter, middle, leave}) sink.on_event(e);
    }
    return {};
  }
};

TEST(Hostile, AMillionWaitsOfOneRankForAnother) {
  Million t;
  const Seen seen = analysed(t);
  EXPECT_EQ(seen.total("late-sender"), 70 * std::int64_t{many});
  EXPECT_EQ(seen.total("direct-waits"), 70 * std::int64_t{many});
}

TEST(Hostile, MembersThatAreNotInTheTrace) {
  Trace t(4, 2);
  t.call(0, 0, 10, "MPI_Barrier", collective(Collective::barrier, 0));
  t.call(1, 5, 10, "MPI_Barrier", collective(Collective::barrier, 0));
  t.call(0, 20, 30, "MPI_Win_fence", one_sided(EventKind::rma_collective_end, 0, trace::no_id, RmaOperation::fence));
  t.call(0, 40, 50, "MPI_Send", message(EventKind::send, 3));
  t.call(0, 60, 70, "MPI_Put", one_sided(EventKind::put, 0, 2));
  t.call(1, 60, 70, "MPI_Recv", message(EventKind::receive, 77));
  const Seen seen = analysed(t);
  EXPECT_EQ(seen.total("waits-by-origin"), 0);
  EXPECT_EQ(seen.counted("incomplete-collective"), 2U) << seen.kinds();
  EXPECT_EQ(seen.counted("unmatched-send"), 1U);
  EXPECT_EQ(seen.counted("unmatched-receive"), 1U);
}

TEST(Hostile, AWindowWithoutACommunicator) {
  Trace t(2);
  t.defs.windows.push_back({"lost", trace::no_id});
  t.defs.groups = {{{0}}, {{1}}};
  for (std::uint32_t r = 0; r < 2; ++r) {
    t.call(r, 5 + r, 10, "MPI_Win_fence",
           one_sided(EventKind::rma_collective_end, 1, trace::no_id, RmaOperation::fence));
    Event put = one_sided(EventKind::put, 1, 1 - r);
    put.end_time = trace::at_leave;
    t.call(r, 20, 30, "MPI_Put", put);
    t.call(r, 40 + r, 50, "MPI_Win_lock_all", one_sided(EventKind::lock_request, 1, trace::no_id));
    t.call(r, 60, 70, "MPI_Win_unlock_all", one_sided(EventKind::lock_release, 1, trace::no_id));
  }
  const Seen seen = analysed(t);
  EXPECT_EQ(seen.total("wait-at-fence"), 0);
  EXPECT_NE(seen.kinds(), "");  // no waiting, and it says so
}

TEST(Hostile, ACommunicatorThatIsNotKnown) {
  Trace t(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    t.call(r, 5 + r, 10, "MPI_Barrier", collective(Collective::barrier, trace::no_id));
    t.call(r, 20, 30, "MPI_Win_fence",
           one_sided(EventKind::rma_collective_end, trace::no_id, trace::no_id, RmaOperation::fence));
    t.call(r, 40, 50, "MPI_Win_lock", one_sided(EventKind::lock_request, trace::no_id, 0));
  }
  const Seen seen = analysed(t);
  EXPECT_EQ(seen.total("waits-by-origin"), 0);
  EXPECT_NE(seen.kinds(), "");
}

TEST(Hostile, CallsNestedHundredThousandDeep) {
  Trace t(1);
  for (std::uint32_t n = 0; n < many; ++n) t.enter(0, n, "f" + std::to_string(n % 3));
  for (std::uint32_t n = many; n-- > 0;) t.leave(0, 2 * many - n, "f" + std::to_string(n % 3));
  EXPECT_EQ(analysed(t).total("time"), 2 * std::int64_t{many});
}

TEST(Hostile, EverybodyWaitsForEverybody) {
  // Messages in a ring, each sent after it was received by the clocks of its receiver; then barriers in opposite order.
  Trace t(3);
  Trace barriers(2);
  barriers.defs.communicators.push_back(barriers.defs.communicators[0]);
  for (std::uint32_t n = 0; n < 1000; ++n) {
    const Nanoseconds at = n * 100;
    for (std::uint32_t r = 0; r < 3; ++r) {
      t.call(r, at, at + 40, "MPI_Recv", message(EventKind::receive, (r + 2) % 3));
      t.call(r, at + 50, at + 60, "MPI_Send", message(EventKind::send, (r + 1) % 3));
    }
    for (std::uint32_t r = 0; r < 2; ++r) {
      barriers.call(r, at, at + 40, "MPI_Barrier", collective(Collective::barrier, r));
      barriers.call(r, at + 50, at + 60, "MPI_Barrier", collective(Collective::barrier, 1 - r));
    }
  }
  const Seen seen = analysed(t);
  EXPECT_EQ(seen.counted("clock-violation"), 3000U) << seen.kinds();
  EXPECT_EQ(seen.total("late-sender"), 3000 * 40);  // cut at the call's end
  EXPECT_EQ(seen.total("waits-by-origin"), seen.total("waits-by-effect"));
  analysed(barriers);
}

TEST(Hostile, OneRequestAndOneTransferTwice) {
  Trace t(2);
  for (int twice = 0; twice < 2; ++twice) {
    const Nanoseconds at = twice * 100;
    t.call(0, at, at + 5, "MPI_Isend", message(EventKind::send_request, 1, 1));
    t.call(0, at + 10, at + 15, "MPI_Wait", message(EventKind::send_complete, 1, 1));
    t.call(0, at + 20, at + 25, "MPI_Wait", message(EventKind::send_complete, 1, 1));
    t.call(1, at, at + 5, "MPI_Irecv", message(EventKind::receive_request, trace::no_id, 1));
    t.call(1, at + 6, at + 7, "MPI_Irecv", message(EventKind::receive_request, trace::no_id, 1));
    t.call(1, at + 10, at + 15, "MPI_Wait", message(EventKind::receive_complete, 0, 1));
    t.call(1, at + 20, at + 25, "MPI_Wait", message(EventKind::receive_complete, 0, 1));
    Event put = one_sided(EventKind::put, 0, 1);
    put.request = 9;
    t.call(0, at + 30, at + 35, "MPI_Put", put);
    Event done = one_sided(EventKind::rma_complete, 0, 1);
    done.request = 9;
    for (int i = 0; i < 2; ++i) t.call(0, at + 40 + 10 * i, at + 45 + 10 * i, "MPI_Win_flush", done);
  }
  EXPECT_NE(analysed(t).kinds(), "");
}

TEST(Hostile, TimesAtTheEndsOfTheirRange) {
  constexpr Nanoseconds end = (Nanoseconds{1} << 62) - 1;
  for (const Nanoseconds begin : {-end, Nanoseconds{0}}) {
    Trace t(2);
    t.call(0, begin, end, "MPI_Recv", message(EventKind::receive, 1));
    t.call(0, end, end, "MPI_Barrier", collective(Collective::barrier, 0));
    t.call(1, begin, end / 2, "MPI_Barrier", collective(Collective::barrier, 0));
    t.call(1, end - 1, end, "MPI_Send", message(EventKind::send, 0));
    Trace unlike(2);
    unlike.call(0, begin, begin + 1, "MPI_Send", message(EventKind::send, 1));
    unlike.call(1, end, end, "MPI_Recv", message(EventKind::receive, 0));
    unlike.call(0, begin + 1, begin + 2, "MPI_Win_fence",
                one_sided(EventKind::rma_collective_end, 0, trace::no_id, RmaOperation::fence));
    unlike.call(1, end, end, "MPI_Win_fence",
                one_sided(EventKind::rma_collective_end, 0, trace::no_id, RmaOperation::fence));
    analysed(t);
    analysed(unlike);
  }
}

}  // namespace
}  // namespace mora::analysis
