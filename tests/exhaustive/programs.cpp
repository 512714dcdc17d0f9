/// A program is a sequence of operations. Each rank executes its part of them in that order; requests that are left
/// open are completed at the end, in one of four ways. Times come from bits: for every call a gap before it
/// (0 or 3) and a duration (1 or 5).
#include "programs.h"

#include <array>
#include <map>
#include <vector>

#include "trace/mpi_function.h"

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

namespace {

enum class Kind : std::uint8_t { message, barrier, bcast, reduce, allreduce, allgatherv, scan, fence };
enum class End : std::uint8_t { blocking, at_once, left_open, probed, polled, matched };
/// How requests left open are completed.
enum class Finish : std::uint8_t { waitall, waits_backward, testall, never, count };

struct Operation {
  Kind kind = Kind::message;
  std::uint32_t a = 0;  ///< source, root, or the rank without data
  std::uint32_t b = 0;  ///< destination
  End send = End::blocking;
  End receive = End::blocking;
  bool empty = false;  ///< zero bytes
};

const std::vector<std::string>& region_names() {
  static const std::vector<std::string> names = {
      "main",        "MPI_Send",      "MPI_Ssend",   "MPI_Isend",  "MPI_Recv",   "MPI_Irecv",     "MPI_Wait",
      "MPI_Waitall", "MPI_Testall",   "MPI_Barrier", "MPI_Bcast",  "MPI_Reduce", "MPI_Allreduce", "MPI_Allgatherv",
      "MPI_Scan",    "MPI_Win_fence", "MPI_Probe",   "MPI_Iprobe", "MPI_Mprobe", "MPI_Mrecv"};
  return names;
}

std::uint32_t region(const char* name) {
  const auto& names = region_names();
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  return trace::no_id;
}

trace::MemorySource empty_trace(std::uint32_t ranks) {
  trace::MemorySource source;
  source.defs.program = "tiny";
  source.defs.nodes.push_back({"node0"});
  trace::Communicator world;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    trace::Location l;
    l.name = "rank " + std::to_string(r);
    l.rank = r;
    source.defs.locations.push_back(l);
    world.members.push_back(r);
  }
  source.defs.communicators.push_back(world);
  source.defs.windows.push_back({"w0", 0});
  for (const std::string& name : region_names()) {
    trace::Region r;
    r.name = name;
    r.function = mpi::find(name);
    r.kind = r.function == mpi::FunctionId::none ? trace::RegionKind::user : trace::RegionKind::mpi;
    source.defs.regions.push_back(r);
  }
  source.defs.world_size = ranks;
  source.defs.index_ranks();
  source.events.resize(ranks);
  return source;
}

/// A copy of empty_trace(ranks): names are looked up once.
trace::MemorySource without_events(std::uint32_t ranks) {
  static std::map<std::uint32_t, trace::MemorySource> made;
  const auto known = made.find(ranks);
  return known != made.end() ? known->second : made.emplace(ranks, empty_trace(ranks)).first->second;
}

class Script {
 public:
  Script(std::uint32_t ranks, std::uint64_t bits)
      : source_(without_events(ranks)), clocks_(ranks, 0), open_(ranks), bits_(bits) {
    for (std::uint32_t r = 0; r < ranks; ++r) add(r, EventKind::enter).region = 0;
  }

  trace::MemorySource run(const std::vector<Operation>& operations, Finish finish) {
    for (const Operation& op : operations) {
      if (op.kind == Kind::message) {
        message(op);
      } else {
        collective(op);
      }
    }
    for (std::uint32_t r = 0; r < open_.size(); ++r) complete_rest(r, finish);
    for (std::uint32_t r = 0; r < open_.size(); ++r) {
      clocks_[r] += 1;
      add(r, EventKind::leave).region = 0;
    }
    return std::move(source_);
  }

  /// The same for all times of a program.
  unsigned bits_used() const { return bits_used_; }

 private:
  struct Request {
    std::uint64_t number = 0;
    bool is_receive = false;
    Event envelope;
  };

  Event& add(std::uint32_t rank, EventKind kind) {
    Event e;
    e.kind = kind;
    e.time = clocks_[rank];
    source_.events[rank].push_back(e);
    return source_.events[rank].back();
  }
  bool bit() {
    ++bits_used_;
    const bool b = (bits_ & 1) != 0;
    bits_ = bits_ >> 1 | (bits_ & 1) << 63;  // rotate: long programs use the bits again
    return b;
  }
  void begin(std::uint32_t rank, const char* name) {
    clocks_[rank] += bit() ? 3 : 0;
    add(rank, EventKind::enter).region = region(name);
  }
  void pass(std::uint32_t rank) { clocks_[rank] += bit() ? 5 : 1; }
  void end(std::uint32_t rank, const char* name) { add(rank, EventKind::leave).region = region(name); }
  static void envelope(Event& e, std::uint32_t peer, const Operation& op) {
    e.peer = peer;
    e.comm = 0;
    e.tag = 1;
    e.bytes = op.empty ? 0 : 8;
  }

  void message(const Operation& op) {
    const char* name = op.send == End::blocking ? (op.empty ? "MPI_Ssend" : "MPI_Send") : "MPI_Isend";
    begin(op.a, name);
    Event& send = add(op.a, op.send == End::blocking ? EventKind::send : EventKind::send_request);
    envelope(send, op.b, op);
    send.request = ++number_;
    const Request sent{number_, false, send};
    pass(op.a);
    end(op.a, name);
    if (op.send == End::at_once) wait(op.a, sent);
    if (op.send == End::left_open) open_[op.a].push_back(sent);

    if (op.receive == End::matched) {
      begin(op.b, "MPI_Mprobe");
      add(op.b, EventKind::receive_request).request = ++number_;
      Request matched{number_, true, {}};
      envelope(matched.envelope, op.a, op);
      pass(op.b);
      end(op.b, "MPI_Mprobe");
      begin(op.b, "MPI_Mrecv");
      pass(op.b);
      complete(op.b, matched);
      end(op.b, "MPI_Mrecv");
      return;
    }
    const int probes = op.receive == End::probed ? 1 : op.receive == End::polled ? 2 : 0;
    for (int i = 0; i < probes; ++i) {
      const char* probe = probes == 1 ? "MPI_Probe" : "MPI_Iprobe";
      begin(op.b, probe);
      pass(op.b);
      end(op.b, probe);
    }
    if (op.receive == End::blocking || probes != 0) {
      begin(op.b, "MPI_Recv");
      pass(op.b);
      envelope(add(op.b, EventKind::receive), op.a, op);
      end(op.b, "MPI_Recv");
      return;
    }
    begin(op.b, "MPI_Irecv");
    add(op.b, EventKind::receive_request).request = ++number_;
    Request posted{number_, true, {}};
    envelope(posted.envelope, op.a, op);
    pass(op.b);
    end(op.b, "MPI_Irecv");
    if (op.receive == End::at_once) wait(op.b, posted);
    if (op.receive == End::left_open) open_[op.b].push_back(posted);
  }

  void complete(std::uint32_t rank, const Request& request) {
    Event& e = add(rank, request.is_receive ? EventKind::receive_complete : EventKind::send_complete);
    if (request.is_receive) {
      e.peer = request.envelope.peer;
      e.comm = request.envelope.comm;
      e.tag = request.envelope.tag;
      e.bytes = request.envelope.bytes;
    }
    e.request = request.number;
  }
  void wait(std::uint32_t rank, const Request& request) {
    begin(rank, "MPI_Wait");
    pass(rank);
    complete(rank, request);
    end(rank, "MPI_Wait");
  }
  void complete_rest(std::uint32_t rank, Finish finish) {
    auto& open = open_[rank];
    if (open.empty() || finish == Finish::never) return;
    if (finish == Finish::waits_backward) {
      for (auto r = open.rbegin(); r != open.rend(); ++r) wait(rank, *r);
      return;
    }
    const char* name = finish == Finish::waitall ? "MPI_Waitall" : "MPI_Testall";
    if (finish == Finish::testall) {  // the first finds nothing
      begin(rank, name);
      pass(rank);
      end(rank, name);
    }
    begin(rank, name);
    pass(rank);
    for (const Request& r : open) complete(rank, r);
    end(rank, name);
  }

  void collective(const Operation& op) {
    static constexpr std::array<const char*, 8> names = {
        "", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Allgatherv", "MPI_Scan", "MPI_Win_fence"};
    const char* name = names[static_cast<std::size_t>(op.kind)];
    const std::uint64_t b = op.empty ? 0 : 8;
    for (std::uint32_t r = 0; r < open_.size(); ++r) {
      begin(r, name);
      add(r, op.kind == Kind::fence ? EventKind::rma_collective_begin : EventKind::collective_begin);
      pass(r);
      Event& e = add(r, op.kind == Kind::fence ? EventKind::rma_collective_end : EventKind::collective_end);
      e.comm = 0;
      switch (op.kind) {
        case Kind::message:
          break;
        case Kind::barrier:
          e.collective = trace::Collective::barrier;
          break;
        case Kind::bcast:
          e.collective = trace::Collective::bcast;
          e.root = op.a;
          e.bytes = r == op.a ? b : 0;
          e.received = b;
          break;
        case Kind::reduce:
          e.collective = trace::Collective::reduce;
          e.root = op.a;
          e.bytes = b;
          e.received = r == op.a ? b : 0;
          break;
        case Kind::allreduce:
          e.collective = trace::Collective::allreduce;
          e.bytes = e.received = b;
          break;
        case Kind::allgatherv:  // rank a contributes nothing
          e.collective = trace::Collective::allgatherv;
          e.bytes = r == op.a ? 0 : b;
          e.received = b;
          break;
        case Kind::scan:
          e.collective = trace::Collective::scan;
          e.bytes = e.received = b;
          break;
        case Kind::fence:
          e.rma_operation = trace::RmaOperation::fence;
          e.window = 0;
          break;
      }
      end(r, name);
    }
  }

  trace::MemorySource source_;
  std::vector<Nanoseconds> clocks_;
  std::vector<std::vector<Request>> open_;
  std::uint64_t bits_;
  unsigned bits_used_ = 0;
  std::uint64_t number_ = 0;
};

std::vector<Operation> alphabet(std::uint32_t ranks, bool small) {
  std::vector<Operation> letters;
  const std::vector<End> ends =
      small ? std::vector{End::blocking, End::left_open} : std::vector{End::blocking, End::at_once, End::left_open};
  for (std::uint32_t a = 0; a < ranks; ++a) {
    for (std::uint32_t b = 0; b < ranks; ++b) {
      if (a == b) continue;
      for (const End send : ends) {
        for (const End receive : ends) letters.push_back({Kind::message, a, b, send, receive, false});
      }
      if (!small) letters.push_back({Kind::message, a, b, End::blocking, End::blocking, true});
      if (small || a != 0 || b != 1) continue;
      for (const End receive : {End::probed, End::polled, End::matched})
        letters.push_back({Kind::message, a, b, End::blocking, receive, false});
    }
  }
  for (const Kind kind : {Kind::barrier, Kind::allreduce, Kind::scan, Kind::fence}) letters.push_back({kind});
  for (std::uint32_t root = 0; root < (small ? 1 : ranks); ++root) {
    for (const Kind kind : {Kind::bcast, Kind::reduce, Kind::allgatherv}) letters.push_back({kind, root});
  }
  if (!small) {
    for (const Kind kind : {Kind::allreduce, Kind::reduce, Kind::bcast, Kind::scan}) {
      Operation nothing{kind};
      nothing.empty = true;
      letters.push_back(nothing);
    }
  }
  return letters;
}

std::string describe(const std::vector<Operation>& operations, std::uint32_t ranks, Finish finish, std::uint64_t bits) {
  static constexpr std::array<const char*, 8> kinds = {"message",   "barrier",    "bcast", "reduce",
                                                       "allreduce", "allgatherv", "scan",  "fence"};
  static constexpr std::array<const char*, 6> ends = {"blocking", "at-once", "open", "probed", "polled", "matched"};
  std::string text = std::to_string(ranks) + " ranks, bits " + std::to_string(bits) + ", finish " +
                     std::to_string(static_cast<int>(finish)) + ":";
  for (const Operation& op : operations) {
    text += std::string(" ") + kinds[static_cast<std::size_t>(op.kind)] + "(" + std::to_string(op.a) + "," +
            std::to_string(op.b) + "," + ends[static_cast<std::size_t>(op.send)] + "," +
            ends[static_cast<std::size_t>(op.receive)] + (op.empty ? ",empty)" : ")");
  }
  return text;
}

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// One family: all sequences of `length` letters, all ways to finish, `timings` patterns of times.
struct Family {
  std::uint32_t ranks;
  std::size_t length;
  bool small;
  std::uint64_t timings;
  bool all_timings;  ///< pattern = its number, so that all patterns of log2(timings) bits occur
};

constexpr std::array<Family, 8> families = {{
    {2, 1, false, 256, true},
    {3, 1, false, 1024, true},
    {2, 2, false, 64, true},
    {3, 2, false, 4, false},
    {2, 3, false, 1, false},
    {3, 3, true, 1, false},
    {2, 3, true, 8, false},
    {2, 4, true, 1, false},
}};

}  // namespace

std::uint64_t for_all_programs(const std::function<bool(trace::MemorySource&, const std::string&)>& visit) {
  std::uint64_t programs = 0;  // numbers that the draws go by: with those that are skipped
  std::uint64_t visited = 0;
  for (const Family& family : families) {
    const std::vector<Operation> letters = alphabet(family.ranks, family.small);
    std::vector<std::size_t> word(family.length, 0);
    for (bool more = true; more;) {
      std::vector<Operation> operations;
      bool leaves_open = false;
      for (const std::size_t i : word) {
        operations.push_back(letters[i]);
        leaves_open |= letters[i].kind == Kind::message &&
                       (letters[i].send == End::left_open || letters[i].receive == End::left_open);
      }
      // Short programs are finished in every way, longer ones in one that their number draws.
      const int ways = leaves_open ? static_cast<int>(Finish::count) : 1;
      const int drawn = static_cast<int>(mixed(programs) % static_cast<std::uint64_t>(ways));
      for (int way = family.length > 2 ? drawn : 0; way < (family.length > 2 ? drawn + 1 : ways); ++way) {
        for (std::uint64_t t = 0; t < family.timings; ++t) {
          ++programs;
          const std::uint64_t bits = family.all_timings ? t : mixed(programs * 77 + t);
          const Finish finish = static_cast<Finish>(way);
          Script script(family.ranks, bits);
          trace::MemorySource source = script.run(operations, finish);
          if (family.all_timings && script.bits_used() < 64 && t >> script.bits_used() != 0) {
            programs += family.timings - t - 1;  // the rest differ only in bits that nothing reads
            break;
          }
          ++visited;
          if (!visit(source, describe(operations, family.ranks, finish, bits))) return visited;
        }
      }
      more = false;
      for (std::size_t i = 0; i < word.size() && !more; ++i) {
        more = ++word[i] < letters.size();
        if (!more) word[i] = 0;
      }
    }
  }
  return visited;
}

}  // namespace mora::exhaustive
