/// A program is a sequence of operations on 2 or 3 ranks: non-blocking collectives, blocking ones whose partners come
/// from their counts, messages, transfers of rank 1 from the others with requests. Requests are completed at once, or
/// at the end in one of four ways; times come from bits, as in programs.cpp: a gap before each call (0, 2 or 9) and a
/// duration (1 or 6).
#include <algorithm>
#include <array>
#include <vector>

#include "nonblocking.h"
#include "trace/mpi_function.h"

namespace mora::exhaustive {

using trace::Collective;
using trace::Event;
using trace::EventKind;

namespace {

struct Letter {
  const char* name = "";
  Collective collective = Collective::none;  ///< none: a message 0 -> 1, received without blocking, or a transfer
  bool is_blocking = false;
  std::uint32_t variant = 0;  ///< root, rank without data, pattern of partners, or target
  bool is_transfer = false;
};

const std::vector<Letter>& letters() {
  using enum Collective;
  static const std::vector<Letter> all = {
      {"MPI_Ibarrier", barrier, false, 0},
      {"MPI_Ibcast", bcast, false, 0},
      {"MPI_Ibcast", bcast, false, 1},
      {"MPI_Ireduce", reduce, false, 1},
      {"MPI_Iallreduce", allreduce, false, 9},
      {"MPI_Iallgatherv", allgatherv, false, 0},
      {"MPI_Iallgatherv", allgatherv, false, 1},
      {"MPI_Iscan", scan, false, 0},
      {"MPI_Ialltoallv", alltoallv, false, 0},
      {"MPI_Ialltoallv", alltoallv, false, 2},
      {"MPI_Ineighbor_alltoall", neighbor_alltoall, false, 1},
      {"MPI_Alltoallv", alltoallv, true, 0},
      {"MPI_Alltoallw", alltoallw, true, 1},
      {"MPI_Neighbor_allgather", neighbor_allgather, true, 0},
      {"MPI_Neighbor_alltoallv", neighbor_alltoallv, true, 2},
      {"", none, false, 0},
      {"MPI_Rget", none, false, 0, true},
      {"MPI_Rget", none, false, 2, true},
  };
  return all;
}

enum class Finish : std::uint8_t { at_once, waitall, waits_backward, testall, never, count };

/// Bytes that `to` receives from `from`: 0 from the next rank (ring), 1 pairs and oneself, 2 nobody but rank 0 sends.
std::uint64_t bytes_between(std::uint32_t pattern, std::uint32_t from, std::uint32_t to, std::uint32_t ranks) {
  switch (pattern) {
    case 0:
      return from == (to + 1) % ranks ? 8 : 0;
    case 1:
      return from / 2 == to / 2 ? 4 : 0;
    default:
      return from == 0 ? 16 : 0;
  }
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

class Script {
 public:
  Script(std::uint32_t ranks, std::uint64_t seed) : ranks_(ranks), clocks_(ranks), open_(ranks), seed_(seed) {
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
    source_.defs.world_size = ranks;
    source_.defs.index_ranks();
    source_.events.resize(ranks);
    source_.vectors.resize(ranks);
    for (std::uint32_t r = 0; r < ranks; ++r) add(r, EventKind::enter).region = region("main");
  }

  trace::MemorySource run(const std::vector<std::size_t>& word, Finish finish) {
    const bool transfers =
        std::any_of(word.begin(), word.end(), [](std::size_t i) { return letters()[i].is_transfer; });
    if (transfers) lock_all("MPI_Win_lock_all", EventKind::lock_request);
    for (const std::size_t i : word) {
      if (letters()[i].is_transfer) {
        transfer(letters()[i], finish);
      } else if (letters()[i].collective == Collective::none) {
        message(finish);
      } else {
        collective(letters()[i], finish);
      }
    }
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      complete_rest(r, finish);
      if (transfers && r == 1) lock_all("MPI_Win_unlock_all", EventKind::lock_release);
      clocks_[r] += 1;
      add(r, EventKind::leave).region = region("main");
    }
    return std::move(source_);
  }

 private:
  std::uint32_t region(const std::string& name) {
    auto& regions = source_.defs.regions;
    for (std::uint32_t i = 0; i < regions.size(); ++i) {
      if (regions[i].name == name) return i;
    }
    trace::Region made;
    made.name = name;
    made.function = mpi::find(name);
    made.kind = made.function == mpi::FunctionId::none ? trace::RegionKind::user : trace::RegionKind::mpi;
    regions.push_back(made);
    return static_cast<std::uint32_t>(regions.size() - 1);
  }
  Event& add(std::uint32_t rank, EventKind kind) {
    Event e;
    e.kind = kind;
    e.time = clocks_[rank];
    source_.events[rank].push_back(e);
    return source_.events[rank].back();
  }
  std::uint64_t draw(std::uint64_t below) { return mixed(seed_ * 131 + ++drawn_) % below; }
  void begin(std::uint32_t rank, const char* name) {
    static constexpr std::array<Nanoseconds, 3> gaps = {0, 2, 9};
    clocks_[rank] += gaps[draw(3)];
    add(rank, EventKind::enter).region = region(name);
  }
  void pass(std::uint32_t rank) { clocks_[rank] += draw(2) == 0 ? 1 : 6; }
  void end(std::uint32_t rank, const char* name) { add(rank, EventKind::leave).region = region(name); }

  void fill(Event& e, const Letter& letter, std::uint32_t rank) {
    e.comm = 0;
    e.collective = letter.collective;
    switch (letter.collective) {
      case Collective::bcast:
        e.root = letter.variant;
        e.bytes = rank == letter.variant ? 8 : 0;
        e.received = 8;
        return;
      case Collective::reduce:
        e.root = letter.variant;
        e.bytes = 8;
        e.received = rank == letter.variant ? 8 : 0;
        return;
      case Collective::allreduce:
      case Collective::allgatherv:
      case Collective::scan:
        e.bytes = rank == letter.variant ? 0 : 8;
        e.received = 8;
        return;
      case Collective::barrier:
        return;
      default:
        break;
    }
    std::vector<std::uint64_t> sent, received, both;
    std::uint64_t dests = 0;
    std::uint64_t sources = 0;
    const bool neighbors = letter.collective >= Collective::neighbor_allgather;
    for (std::uint32_t q = 0; q < ranks_; ++q) {
      const std::uint64_t out = bytes_between(letter.variant, rank, q, ranks_);
      const std::uint64_t in = bytes_between(letter.variant, q, rank, ranks_);
      e.bytes += out;
      e.received += in;
      if (!neighbors) {
        sent.push_back(out);
        received.push_back(in);
        continue;
      }
      if (out != 0) sent.insert(sent.end(), {q, out}), ++dests;
      if (in != 0 || q == 0) received.insert(received.end(), {q, in}), ++sources;  // 0 may be a silent neighbour
    }
    if (neighbors) both.push_back(dests);
    both.insert(both.end(), sent.begin(), sent.end());
    if (neighbors) both.push_back(sources);
    both.insert(both.end(), received.begin(), received.end());
    e.vector = static_cast<std::uint32_t>(source_.vectors[rank].size());
    source_.vectors[rank].push_back(both);
  }

  void collective(const Letter& letter, Finish finish) {
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      begin(r, letter.name);
      Event e;
      fill(e, letter, r);
      e.request = ++number_;
      if (letter.is_blocking) {
        add(r, EventKind::collective_begin);
      } else {
        e.kind = EventKind::collective_request;
        e.time = clocks_[r];
        source_.events[r].push_back(e);
      }
      pass(r);
      if (letter.is_blocking) {
        e.kind = EventKind::collective_end;
        e.time = clocks_[r];
        source_.events[r].push_back(e);
      }
      end(r, letter.name);
      if (letter.is_blocking) continue;
      e.kind = EventKind::collective_complete;
      open_[r].push_back(e);
      if (finish == Finish::at_once) complete_rest(r, Finish::waits_backward);
    }
  }

  void message(Finish finish) {
    begin(0, "MPI_Send");
    Event& send = add(0, EventKind::send);
    send.peer = 1;
    send.comm = 0;
    send.bytes = 8;
    pass(0);
    end(0, "MPI_Send");
    begin(1, "MPI_Irecv");
    Event& post = add(1, EventKind::receive_request);
    post.request = ++number_;
    pass(1);
    end(1, "MPI_Irecv");
    Event received;
    received.kind = EventKind::receive_complete;
    received.request = number_;
    received.peer = 0;
    received.comm = 0;
    received.bytes = 8;
    open_[1].push_back(received);
    if (finish == Finish::at_once) complete_rest(1, Finish::waits_backward);
  }

  void lock_all(const char* name, EventKind kind) {
    if (source_.defs.windows.empty()) source_.defs.windows.push_back({"w0", 0});
    begin(1, name);
    pass(1);
    add(1, kind).window = 0;
    end(1, name);
  }

  void transfer(const Letter& letter, Finish finish) {
    begin(1, letter.name);
    pass(1);
    Event& get = add(1, EventKind::get);
    get.window = 0;
    get.peer = letter.variant % ranks_;
    get.bytes = 8;
    get.request = ++number_;
    get.end_time = get.time;
    end(1, letter.name);
    Event done;
    done.kind = EventKind::rma_complete;
    done.request = number_;
    open_[1].push_back(done);
    if (finish == Finish::at_once) complete_rest(1, Finish::waits_backward);
  }

  void complete(std::uint32_t rank, Event done) {
    done.time = clocks_[rank];
    source_.events[rank].push_back(done);
  }
  void complete_rest(std::uint32_t rank, Finish finish) {
    auto& open = open_[rank];
    if (open.empty() || finish == Finish::never) return;
    if (finish == Finish::waits_backward || finish == Finish::at_once) {
      for (auto e = open.rbegin(); e != open.rend(); ++e) {
        begin(rank, "MPI_Wait");
        pass(rank);
        complete(rank, *e);
        end(rank, "MPI_Wait");
      }
    } else {
      const char* name = finish == Finish::waitall ? "MPI_Waitall" : "MPI_Testall";
      begin(rank, name);
      pass(rank);
      for (const Event& e : open) complete(rank, e);
      end(rank, name);
    }
    open.clear();
  }

  std::uint32_t ranks_;
  trace::MemorySource source_;
  std::vector<Nanoseconds> clocks_;
  std::vector<std::vector<Event>> open_;  ///< completions to come
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
  std::uint64_t number_ = 0;
};

struct Family {
  std::uint32_t ranks;
  std::size_t length;
  std::uint64_t timings;
};
constexpr std::array<Family, 5> families = {{{2, 1, 60}, {3, 1, 60}, {2, 2, 8}, {3, 2, 8}, {3, 3, 1}}};

}  // namespace

std::uint64_t for_all_nonblocking_programs(const std::function<bool(trace::MemorySource&, const std::string&)>& visit) {
  std::uint64_t programs = 0;
  for (const Family& family : families) {
    std::size_t words = 1;
    for (std::size_t i = 0; i < family.length; ++i) words *= letters().size();
    for (std::size_t number = 0; number < words; ++number) {
      std::vector<std::size_t> word;
      for (std::size_t rest = number; word.size() < family.length; rest /= letters().size()) {
        word.push_back(rest % letters().size());
      }
      std::string names;
      for (const std::size_t i : word)
        names += std::string(" ") + letters()[i].name + ":" + std::to_string(letters()[i].variant);
      for (int way = 0; way < static_cast<int>(Finish::count); ++way) {
        for (std::uint64_t t = 0; t < family.timings; ++t) {
          ++programs;
          trace::MemorySource source = Script(family.ranks, programs).run(word, static_cast<Finish>(way));
          if (!visit(source, std::to_string(family.ranks) + " ranks, seed " + std::to_string(programs) + ", finish " +
                                 std::to_string(way) + ":" + names)) {
            return programs;
          }
        }
      }
    }
  }
  return programs;
}

}  // namespace mora::exhaustive
