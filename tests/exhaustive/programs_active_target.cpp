/// Two families. All programs of one origin and one target with up to one epoch each, with every combination of gaps (0
/// or 3) and durations (1 or 5) and of ways to end the epochs. Then programs that a fixed generator draws: up to three
/// ranks, up to four fences with accesses, or up to three rounds of a fence or of an access and an exposure epoch per
/// rank in either order, nested or one after the other, with any groups, also of the rank itself, up to two accesses
/// each, on two windows, with ends, beginnings and partners missing. Clocks of the ranks are independent: ties, runs
/// ahead and contradictions are common.
#include "programs_active_target.h"

#include <vector>

#include "trace/mpi_function.h"

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;
using trace::RmaOperation;

namespace {

const std::vector<std::string>& region_names() {
  static const std::vector<std::string> names = {
      "main",         "MPI_Win_start", "MPI_Win_complete", "MPI_Win_post",     "MPI_Win_wait",
      "MPI_Win_test", "MPI_Put",       "MPI_Get",          "MPI_Fetch_and_op", "MPI_Win_fence"};
  return names;
}

std::uint32_t region(const std::string& name) {
  for (std::uint32_t i = 0; i < region_names().size(); ++i) {
    if (region_names()[i] == name) return i;
  }
  return trace::no_id;
}

class Program {
 public:
  /// Group g has the ranks of its bits.
  explicit Program(std::uint32_t ranks) : clocks_(ranks, 0) {
    source_.defs.program = "tiny";
    source_.defs.nodes.push_back({"node0"});
    trace::Communicator world;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      trace::Location l;
      l.name = "rank " + std::to_string(r);
      l.rank = r;
      source_.defs.locations.push_back(l);
      world.members.push_back(r);
    }
    source_.defs.communicators.push_back(world);
    source_.defs.windows.push_back({"w0", 0});
    source_.defs.windows.push_back({"w1", 0});
    for (std::uint32_t bits = 0; bits < 1U << ranks; ++bits) {
      trace::Group group;
      for (std::uint32_t r = ranks; r-- > 0;) {  // not in rank order
        if ((bits >> r & 1) != 0) group.members.push_back(r);
      }
      source_.defs.groups.push_back(group);
    }
    for (const std::string& name : region_names()) {
      trace::Region r;
      r.name = name;
      r.function = mpi::find(name);
      r.kind = r.function == mpi::FunctionId::none ? trace::RegionKind::user : trace::RegionKind::mpi;
      source_.defs.regions.push_back(r);
    }
    source_.defs.world_size = ranks;
    source_.defs.index_ranks();
    source_.events.resize(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) add(r, EventKind::enter).region = 0;
  }

  void sync(std::uint32_t rank, RmaOperation operation, std::uint32_t window, std::uint32_t group, std::uint64_t times,
            bool closed = true) {
    static const std::vector<std::pair<RmaOperation, const char*>> names = {
        {RmaOperation::start, "MPI_Win_start"},
        {RmaOperation::complete, "MPI_Win_complete"},
        {RmaOperation::post, "MPI_Win_post"},
        {RmaOperation::wait, "MPI_Win_wait"},
        {RmaOperation::test, "MPI_Win_test"}};
    const char* name = "";
    for (const auto& [op, text] : names) name = op == operation ? text : name;
    begin(rank, name, times);
    pass(rank, times);
    Event& e = add(rank, EventKind::group_sync);
    e.rma_operation = operation;
    e.window = window;
    e.group = group;
    e.epoch_closed = closed && operation != RmaOperation::start && operation != RmaOperation::post;
    end(rank, name);
  }
  void access(std::uint32_t rank, std::uint32_t kind, std::uint32_t window, std::uint32_t target, std::uint64_t times) {
    const char* name = kind == 0 ? "MPI_Put" : kind == 1 ? "MPI_Get" : "MPI_Fetch_and_op";
    begin(rank, name, times);
    Event& e = add(rank, kind == 0 ? EventKind::put : kind == 1 ? EventKind::get : EventKind::atomic);
    e.rma_operation = kind == 2 ? RmaOperation::fetch_and_op : RmaOperation::none;
    e.window = window;
    e.peer = target;
    e.bytes = e.received = 8;
    e.request = ++number_;
    e.end_time = trace::at_leave;
    pass(rank, times);
    end(rank, name);
  }
  void fence(std::uint32_t rank, std::uint32_t window, std::uint64_t times) {
    begin(rank, "MPI_Win_fence", times);
    add(rank, EventKind::rma_collective_begin).window = window;
    pass(rank, times);
    Event& e = add(rank, EventKind::rma_collective_end);
    e.rma_operation = RmaOperation::fence;
    e.window = window;
    end(rank, "MPI_Win_fence");
  }
  trace::MemorySource& finish() {
    for (std::uint32_t r = 0; r < clocks_.size(); ++r) {
      clocks_[r] += 1;
      add(r, EventKind::leave).region = 0;
    }
    return source_;
  }
  std::string text() const {
    std::string text;
    for (std::uint32_t r = 0; r < source_.events.size(); ++r) {
      text += "P" + std::to_string(r);
      Nanoseconds enter = 0;
      for (const Event& e : source_.events[r]) {
        if (e.kind == EventKind::enter) enter = e.time;
        if (e.kind == EventKind::leave && e.region != 0) {
          text +=
              " " + std::to_string(enter) + "-" + std::to_string(e.time) + " " + region_names()[e.region] + what_ + ";";
        }
        what_.clear();
        if (e.kind == EventKind::group_sync)
          what_ = " w" + std::to_string(e.window) + " group " + std::to_string(e.group);
        if (e.kind == EventKind::put || e.kind == EventKind::get || e.kind == EventKind::atomic) {
          what_ = " w" + std::to_string(e.window) + " to " + std::to_string(e.peer);
        }
      }
      text += "\n";
    }
    return text;
  }

 private:
  Event& add(std::uint32_t rank, EventKind kind) {
    Event e;
    e.kind = kind;
    e.time = clocks_[rank];
    source_.events[rank].push_back(e);
    return source_.events[rank].back();
  }
  /// Bit 0 of times: a gap of 3 before; bit 1: it lasts 5, not 1; bit 2: a long gap of 9; bit 3: it lasts 20.
  void begin(std::uint32_t rank, const char* name, std::uint64_t times) {
    clocks_[rank] += ((times & 1) != 0 ? 3 : 0) + ((times & 4) != 0 ? 9 : 0);
    add(rank, EventKind::enter).region = region(name);
  }
  void pass(std::uint32_t rank, std::uint64_t times) {
    clocks_[rank] += (times & 8) != 0 ? 20 : (times & 2) != 0 ? 5 : 1;
  }
  void end(std::uint32_t rank, const char* name) { add(rank, EventKind::leave).region = region(name); }

  trace::MemorySource source_;
  std::vector<Nanoseconds> clocks_;
  std::uint64_t number_ = 0;
  mutable std::string what_;
};

/// splitmix64: the same programs everywhere.
class Draw {
 public:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(next() % n); }

 private:
  std::uint64_t state_ = 1;
};

/// One epoch each; `times` has two bits per call, and one for a late start of the target.
void one_pair(Program& p, std::uint32_t accesses, std::uint32_t ending, std::uint64_t times) {
  const auto bits = [&] {
    const std::uint64_t two = times & 3;
    times >>= 2;
    return two;
  };
  p.sync(1, RmaOperation::start, 0, 1, bits());
  for (std::uint32_t a = 0; a < accesses; ++a) p.access(1, a, 0, 0, bits());
  if (ending != 4) p.sync(1, RmaOperation::complete, 0, 1, bits());
  const std::uint64_t post = bits();
  p.sync(0, RmaOperation::post, 0, 2, post | (times >> 2 & 1) << 2);
  if (ending == 0) p.sync(0, RmaOperation::wait, 0, 2, bits());
  if (ending == 1) p.sync(0, RmaOperation::test, 0, 2, bits());
  if (ending == 2) {
    p.sync(0, RmaOperation::test, 0, 2, 0, false);
    p.sync(0, RmaOperation::wait, 0, 2, bits());
  }
}

struct Drawn {
  std::uint32_t rank, window, group;
};

void accesses(Program& p, Draw& draw, std::uint32_t ranks, const Drawn& where) {
  for (std::uint32_t n = draw.below(3); n > 0; --n) {
    p.access(where.rank, draw.below(3), where.window, draw.below(ranks), draw.next() & 7);
  }
}

/// Two to four fences that mostly overlap.
void drawn_fences(Program& p, Draw& draw, std::uint32_t ranks) {
  for (std::uint32_t round = 2 + draw.below(3); round > 0; --round) {
    for (std::uint32_t r = 0; r < ranks; ++r) {
      accesses(p, draw, ranks, {r, 0, 0});
      if (draw.below(30) != 0) p.fence(r, 0, (draw.next() & 3) | (draw.below(6) != 0 ? 8 : 0));
    }
  }
}

void drawn_program(Program& p, Draw& draw, std::uint32_t ranks) {
  for (std::uint32_t round = 1 + draw.below(3); round > 0; --round) {
    const std::uint32_t window = draw.below(4) == 0 ? 1 : 0;
    const bool is_fence = draw.below(3) == 0;
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const auto times = [&] { return draw.next() & 7; };
      if (is_fence) {
        accesses(p, draw, ranks, {r, window, 0});
        if (draw.below(12) != 0) p.fence(r, window, times());
        continue;
      }
      // Mostly all know each other; sometimes anybody names anybody.
      const std::uint32_t all = (1U << ranks) - 1;
      const std::uint32_t others = draw.below(4) == 0 ? draw.below(all + 1) : all & ~(1U << r);
      const std::uint32_t order = draw.below(6);  // 0 origin, 1 target, 2 target inside, 3 one after the other …
      const bool exposes = order != 0;
      const bool starts = order != 1;
      if (exposes && draw.below(12) != 0) p.sync(r, RmaOperation::post, window, others, times());
      if (starts && order != 3) {
        if (draw.below(12) != 0) p.sync(r, RmaOperation::start, window, others, times());
        accesses(p, draw, ranks, {r, window, others});
        if (draw.below(10) != 0) p.sync(r, RmaOperation::complete, window, others, times());
      }
      if (exposes) {
        if (draw.below(4) == 0) p.sync(r, RmaOperation::test, window, others, times(), false);
        const std::uint32_t how = draw.below(10);
        if (how != 0) p.sync(r, how < 3 ? RmaOperation::test : RmaOperation::wait, window, others, times());
      }
      if (order == 3) {
        p.sync(r, RmaOperation::start, window, others, times());
        accesses(p, draw, ranks, {r, window, others});
        p.sync(r, RmaOperation::complete, window, others, times());
      }
    }
  }
}

}  // namespace

std::uint64_t for_all_active_target_programs(
    const std::function<bool(trace::MemorySource&, const std::string&)>& visit) {
  std::uint64_t programs = 0;
  const auto show = [&](Program& p) {
    ++programs;
    trace::MemorySource& source = p.finish();
    return visit(source, p.text());
  };
  for (std::uint32_t data = 0; data < 3; ++data) {
    // wait, test, failed test and wait, never, no complete; with two accesses only wait
    for (std::uint32_t ending = 0; ending < (data == 2 ? 1U : 5U); ++ending) {
      const std::uint32_t bits = 2 * (data + 4) + 1;
      for (std::uint64_t times = 0; times < std::uint64_t{1} << bits; ++times) {
        Program p(2);
        one_pair(p, data, ending, times);
        if (!show(p)) return programs;
      }
    }
  }
  Draw draw;
  for (std::uint32_t n = 0; n < 30000; ++n) {
    const std::uint32_t ranks = 2 + n % 2;
    Program p(ranks);
    if (n % 4 == 0) {
      drawn_fences(p, draw, ranks);
    } else {
      drawn_program(p, draw, ranks);
    }
    if (!show(p)) return programs;
  }
  return programs;
}

}  // namespace mora::exhaustive
