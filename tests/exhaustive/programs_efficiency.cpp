/// A program is a sequence of operations; every rank executes its part of them in that order, each at its own pace, so
/// that times of different ranks contradict one another now and then. Requests of all kinds stay open across regions
/// and intervals.
#include "programs_efficiency.h"

#include <algorithm>
#include <random>

#include "trace/mpi_function.h"

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

namespace {

struct RegionDefinition {
  const char* name;
  const char* file = "";
  std::uint32_t line = 0;
  std::uint32_t replication = 1;
};

/// The first ones are intervals or may be: three places, one of them an MPI call.
constexpr RegionDefinition regions[] = {{"MPI_Pcontrol", "a.c", 10},
                                        {"serial", "b.c", 20, trace::no_id},
                                        {"half", "b.c", 30, 2},
                                        {"main"},
                                        {"solve"},
                                        {"inner"},
                                        {"callback"},
                                        {"MPI_Send"},
                                        {"MPI_Ssend"},
                                        {"MPI_Isend"},
                                        {"MPI_Recv"},
                                        {"MPI_Irecv"},
                                        {"MPI_Wait"},
                                        {"MPI_Waitall"},
                                        {"MPI_Test"},
                                        {"MPI_Barrier"},
                                        {"MPI_Bcast"},
                                        {"MPI_Allreduce"},
                                        {"MPI_Alltoall"},
                                        {"MPI_Reduce"},
                                        {"MPI_Scan"},
                                        {"MPI_Comm_dup"},
                                        {"MPI_Ibarrier"},
                                        {"MPI_Iallreduce"},
                                        {"MPI_Ialltoall"},
                                        {"MPI_Win_fence"},
                                        {"MPI_Win_create"},
                                        {"MPI_Rput"},
                                        {"MPI_File_iwrite"},
                                        {"MPI_File_write_all"}};
constexpr std::uint32_t interval_places = 3;

std::uint32_t region(std::string_view name) {
  for (std::uint32_t i = 0; i < std::size(regions); ++i) {
    if (name == regions[i].name) return i;
  }
  return trace::no_id;
}

trace::MemorySource empty_trace(std::uint32_t ranks) {
  trace::MemorySource source;
  source.defs.program = "random";
  source.defs.nodes.push_back({"node0"});
  trace::Communicator world, pair, alone;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    trace::Location l;
    l.name = "rank " + std::to_string(r);
    l.rank = r;
    source.defs.locations.push_back(l);
    world.members.push_back(r);
  }
  pair.members = {ranks - 1, 0};
  alone.members = {1};
  source.defs.communicators = {world, pair, alone};
  source.defs.windows.push_back({"w0", 0});
  source.defs.files = {"out"};
  source.defs.file_comms = {0};
  for (const RegionDefinition& definition : regions) {
    trace::Region r;
    r.name = definition.name;
    r.call_site_file = definition.file;
    r.call_site_line = definition.line;
    r.replication = definition.replication;
    r.function = mpi::find(r.name);
    r.kind = r.name.starts_with("MPI_") ? trace::RegionKind::mpi : trace::RegionKind::user;
    source.defs.regions.push_back(r);
  }
  source.defs.world_size = ranks;
  source.defs.index_ranks();
  source.events.resize(ranks);
  return source;
}

class Writer {
 public:
  explicit Writer(std::uint64_t number)
      : random_(number * 0x9E3779B97F4A7C15ULL + 1), source_(empty_trace(2 + draw(3))), ranks_(source_.events.size()) {
    clocks_.resize(ranks_);
    open_.resize(ranks_);
  }

  trace::MemorySource write() {
    for (std::uint32_t r = 0; r < ranks_; ++r) add(r, EventKind::enter).region = region("main");
    for (std::uint32_t left = 3 + draw(28); left > 0; --left) operation();
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      if (draw(4) != 0) complete(r, open_[r].size());
    }
    while (!brackets_.empty()) close();
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      pause(r);
      add(r, EventKind::leave).region = region("main");
    }
    return std::move(source_);
  }

 private:
  struct Request {
    EventKind completion = EventKind::other;
    Event record;
  };
  /// A region or interval that some ranks are in.
  struct Bracket {
    std::vector<std::uint32_t> ranks;
    std::uint32_t region = 0;
    std::uint32_t interval = 0;
  };

  std::uint32_t draw(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  Event& add(std::uint32_t rank, EventKind kind) {
    Event e;
    e.kind = kind;
    e.time = clocks_[rank];
    source_.events[rank].push_back(e);
    return source_.events[rank].back();
  }
  void pause(std::uint32_t rank) {
    constexpr std::uint32_t lengths[] = {0, 0, 1, 2, 3, 7, 12};
    clocks_[rank] += lengths[draw(7)];
  }
  void pass(std::uint32_t rank) {
    constexpr std::uint32_t lengths[] = {0, 1, 1, 2, 5, 9};
    clocks_[rank] += lengths[draw(6)];
  }

  /// `body` adds the records.
  template <class Body>
  void call(std::uint32_t rank, std::string_view name, const Body& body) {
    pause(rank);
    add(rank, EventKind::enter).region = region(name);
    pass(rank);
    if (draw(30) == 0) {
      add(rank, EventKind::enter).region = region("callback");
      pass(rank);
      add(rank, EventKind::leave).region = region("callback");
    }
    body();
    if (draw(3) == 0) pass(rank);
    add(rank, EventKind::leave).region = region(name);
  }

  void operation() {
    switch (draw(15)) {
      case 0:
      case 1:
      case 2:
        return message();
      case 3:
      case 4:
        return collective();
      case 5:
        return start_collective();
      case 6:
        return start_transfer(draw(ranks()));
      case 7:
        return start_output(draw(ranks()));
      case 8:
        return write_together();
      case 9:
        return complete(draw(ranks()), 1 + draw(3));
      case 10:
        return test(draw(ranks()));
      case 11:
        return open_bracket(draw(3) != 0);
      case 12:
        return brackets_.empty() ? open_bracket(true) : close();
      case 13:
        return draw(3) == 0 ? cancel(draw(ranks())) : window_collective();
      default:
        return measure(draw(ranks()));
    }
  }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(ranks_); }

  void message() {
    const std::uint32_t a = draw(ranks());
    const std::uint32_t b = (a + 1 + draw(ranks() - 1)) % ranks();
    const auto tag = static_cast<std::int32_t>(draw(2));
    const auto envelope = [&](Event& e, std::uint32_t peer) {
      e.peer = peer;
      e.comm = 0;
      e.tag = tag;
      e.bytes = draw(4) == 0 ? 0 : 8;
    };
    if (draw(12) != 0) {  // else nobody sends
      if (draw(2) == 0) {
        call(a, draw(2) == 0 ? "MPI_Send" : "MPI_Ssend", [&] { envelope(add(a, EventKind::send), b); });
      } else {
        call(a, "MPI_Isend", [&] {
          Event& e = add(a, EventKind::send_request);
          envelope(e, b);
          e.request = ++number_;
          open_[a].push_back({EventKind::send_complete, e});
        });
      }
    }
    if (draw(12) == 0) return;  // nobody receives
    if (draw(2) == 0) {
      call(b, "MPI_Recv", [&] { envelope(add(b, EventKind::receive), a); });
    } else {
      call(b, "MPI_Irecv", [&] {
        Event& e = add(b, EventKind::receive_request);
        e.request = ++number_;
        Request request{EventKind::receive_complete, e};
        envelope(request.record, a);
        open_[b].push_back(request);
      });
    }
  }

  static void operation_of(std::string_view name, Event& e, std::uint32_t rank, std::uint32_t root) {
    e.collective = mpi::function(mpi::find(name)).collective;
    const bool rooted = name == "MPI_Bcast" || name == "MPI_Reduce";
    if (rooted) e.root = root;
    e.bytes = name == "MPI_Bcast" && rank != root ? 0 : 8;
    e.received = name == "MPI_Reduce" && rank != root ? 0 : 8;
  }

  void collective() {
    static constexpr const char* names[] = {"MPI_Barrier",  "MPI_Barrier", "MPI_Bcast", "MPI_Allreduce",
                                            "MPI_Alltoall", "MPI_Reduce",  "MPI_Scan",  "MPI_Comm_dup"};
    const char* name = names[draw(8)];
    const std::uint32_t comm = draw(3) != 0 ? 0 : 1 + draw(2);
    const auto& members = source_.defs.communicators[comm].members;
    const std::uint32_t skips = draw(25) == 0 ? members.front() : trace::no_id;
    for (const std::uint32_t r : members) {
      if (r == skips) continue;
      pause(r);
      add(r, EventKind::enter).region = region(name);
      if (draw(4) == 0) pass(r);
      add(r, EventKind::collective_begin);
      pass(r);
      Event& e = add(r, EventKind::collective_end);
      e.comm = comm;
      operation_of(name, e, r, members.back());
      if (std::string_view(name) == "MPI_Comm_dup") e.collective = trace::Collective::create_handle;
      if (draw(4) == 0) pass(r);
      add(r, EventKind::leave).region = region(name);
    }
  }

  void start_collective() {
    static constexpr const char* names[] = {"MPI_Ibarrier", "MPI_Iallreduce", "MPI_Ialltoall"};
    const char* name = names[draw(3)];
    const std::uint32_t comm = draw(2);
    const auto& members = source_.defs.communicators[comm].members;
    const std::uint32_t skips = draw(25) == 0 ? members.front() : trace::no_id;
    for (const std::uint32_t r : members) {
      if (r == skips) continue;
      call(r, name, [&] {
        Event& e = add(r, EventKind::collective_request);
        e.comm = comm;
        e.request = ++number_;
        e.collective = mpi::started_collective(mpi::function(mpi::find(name)));
        e.bytes = e.received = 8;
        open_[r].push_back({EventKind::collective_complete, e});
      });
    }
  }

  void window_collective() {
    const bool creates = draw(4) == 0;
    const char* name = creates ? "MPI_Win_create" : "MPI_Win_fence";
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      pause(r);
      add(r, EventKind::enter).region = region(name);
      add(r, EventKind::rma_collective_begin);
      pass(r);
      Event& e = add(r, EventKind::rma_collective_end);
      e.window = 0;
      e.rma_operation = creates ? trace::RmaOperation::win_create : trace::RmaOperation::fence;
      add(r, EventKind::leave).region = region(name);
    }
  }

  void start_transfer(std::uint32_t r) {
    call(r, "MPI_Rput", [&] {
      Event& e = add(r, EventKind::put);
      e.window = 0;
      e.peer = (r + 1) % ranks();
      e.bytes = e.received = 8;
      e.end_time = e.time;
      e.request = ++number_;
      open_[r].push_back({EventKind::rma_complete, e});
    });
  }

  void start_output(std::uint32_t r) {
    call(r, "MPI_File_iwrite", [&] {
      Event& e = add(r, EventKind::io_begin);
      e.file = 0;
      e.comm = 0;
      e.bytes = 8;
      e.request = ++number_;
      open_[r].push_back({EventKind::io_end, e});
    });
  }

  void write_together() {
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      call(r, "MPI_File_write_all", [&] {
        for (const EventKind kind : {EventKind::io_begin, EventKind::io_end}) {
          Event& e = add(r, kind);
          e.file = 0;
          e.comm = 0;
          e.request = number_ + 1;
          e.collective_io = true;
        }
        ++number_;
      });
    }
  }

  void complete(std::uint32_t r, std::size_t most) {
    auto& open = open_[r];
    if (open.empty()) return;
    const bool one = draw(2) == 0;
    call(r,
         one            ? "MPI_Wait"
         : draw(3) == 0 ? "MPI_Test"
                        : "MPI_Waitall",
         [&] {
           for (std::size_t left = one ? 1 : most; left > 0 && !open.empty(); --left) {
             const std::uint32_t which = draw(static_cast<std::uint32_t>(open.size()));
             Event e = open[which].record;
             e.kind = open[which].completion;
             e.time = clocks_[r];
             source_.events[r].push_back(e);
             open.erase(open.begin() + which);
           }
         });
  }

  void test(std::uint32_t r) {
    call(r, "MPI_Test", [] {});
  }

  void cancel(std::uint32_t r) {
    std::uint64_t number = 0;
    call(r, "MPI_Irecv", [&] { add(r, EventKind::receive_request).request = number = ++number_; });
    call(r, "MPI_Wait", [&] { add(r, EventKind::cancelled).request = number; });
  }

  void measure(std::uint32_t r) {
    pause(r);
    add(r, EventKind::overhead_begin);
    pass(r);
    add(r, EventKind::overhead_end);
  }

  void open_bracket(bool is_interval) {
    Bracket bracket;
    for (std::uint32_t r = 0; r < ranks(); ++r) {
      if (draw(5) != 0) bracket.ranks.push_back(r);
    }
    bracket.region = is_interval ? draw(interval_places) : region(draw(2) == 0 ? "solve" : "inner");
    if (is_interval) bracket.interval = 1 + draw(2);
    if (is_interval && draw(2) == 0 && last_.interval != 0) {  // once more
      bracket.region = last_.region;
      bracket.interval = last_.interval;
    }
    last_ = bracket;
    for (const std::uint32_t r : bracket.ranks) {
      if (is_interval && draw(3) == 0) measure(r);  // the mark
      pause(r);
      Event& e = add(r, EventKind::enter);
      e.region = bracket.region;
      e.interval = bracket.interval;
    }
    brackets_.push_back(bracket);
  }

  void close() {
    const Bracket bracket = brackets_.back();
    brackets_.pop_back();
    for (const std::uint32_t r : bracket.ranks) {
      pause(r);
      Event& e = add(r, EventKind::leave);
      e.region = bracket.region;
      e.interval = bracket.interval;
    }
  }

  std::mt19937_64 random_;
  trace::MemorySource source_;
  std::size_t ranks_;
  std::vector<Nanoseconds> clocks_;
  std::vector<std::vector<Request>> open_;
  std::vector<Bracket> brackets_;
  Bracket last_;
  std::uint64_t number_ = 0;
};

}  // namespace

trace::MemorySource random_efficiency_program(std::uint64_t number) { return Writer(number).write(); }

}  // namespace mora::exhaustive
