/// A lock program: up to three epochs, each on one of three ranks, exclusive or shared on rank 0 or lock_all, with
/// nothing, a put, or an atomic and a flush in it. Four bits per epoch choose short or long: the gap before it, its
/// first call, the gap before its unlock, its unlock. So it is granted at lock, at the data call, at unlock, at once,
/// or contradicts every order. Rank 0 is in MPI for a while, too. Up to two epochs everything is enumerated; for three
/// the times are drawn.
#include "passive.h"

#include <array>
#include <vector>

#include "trace/mpi_function.h"

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

namespace {

enum class Mode : std::uint8_t { exclusive, shared, all };
enum class Use : std::uint8_t { nothing, put, atomic_and_flush };

struct Epoch {
  std::uint32_t rank = 0;
  Mode mode = Mode::exclusive;
  Use use = Use::nothing;
  unsigned times = 0;  ///< 4 bits
};

const std::array<const char*, 9> names = {
    "main",    "MPI_Win_lock",     "MPI_Win_unlock", "MPI_Win_lock_all", "MPI_Win_unlock_all",
    "MPI_Put", "MPI_Fetch_and_op", "MPI_Win_flush",  "MPI_Iprobe"};
enum Name : std::uint32_t { main_region, lock, unlock, lock_all, unlock_all, put, fetch, flush, probe };

class LockScript {
 public:
  LockScript() {
    trace::Communicator world;
    source_.defs.program = "tiny";
    source_.defs.nodes.push_back({"node0"});
    for (std::uint32_t r = 0; r < 3; ++r) {
      trace::Location l;
      l.name = "rank " + std::to_string(r);
      l.rank = r;
      source_.defs.locations.push_back(l);
      world.members.push_back(r);
    }
    source_.defs.communicators.push_back(world);
    source_.defs.windows.push_back({"w0", 0});
    for (const char* name : names) {
      trace::Region region;
      region.name = name;
      region.function = mpi::find(name);
      region.kind = region.function == mpi::FunctionId::none ? trace::RegionKind::user : trace::RegionKind::mpi;
      source_.defs.regions.push_back(region);
    }
    source_.defs.world_size = 3;
    source_.defs.index_ranks();
    source_.events.resize(3);
    for (std::uint32_t r = 0; r < 3; ++r) add(r, EventKind::enter).region = main_region;
  }

  trace::MemorySource run(const std::vector<Epoch>& epochs, unsigned probing) {
    if (probing != 0) call(0, probe, probing == 1 ? 9 : 2, 2, EventKind::other);
    for (const Epoch& e : epochs) epoch(e);
    for (std::uint32_t r = 0; r < 3; ++r) {
      clocks_[r] += 1;
      add(r, EventKind::leave).region = main_region;
    }
    return std::move(source_);
  }

 private:
  Event& add(std::uint32_t rank, EventKind kind) {
    Event e;
    e.kind = kind;
    e.time = clocks_[rank];
    source_.events[rank].push_back(e);
    return source_.events[rank].back();
  }

  /// A call with its record at its end; `other`: without.
  void call(std::uint32_t rank, Name name, Nanoseconds gap, Nanoseconds length, EventKind kind,
            Mode mode = Mode::shared) {
    clocks_[rank] += gap;
    add(rank, EventKind::enter).region = name;
    clocks_[rank] += length;
    if (kind != EventKind::other) {
      Event& e = add(rank, kind);
      e.window = 0;
      e.peer = name == lock_all || name == unlock_all ? trace::no_id : 0;
      e.lock_exclusive = mode == Mode::exclusive;
      e.bytes = e.received = 8;
      e.request = ++number_;
      e.end_time = e.time;
      if (name == fetch) e.rma_operation = trace::RmaOperation::fetch_and_op;
      if (name == flush) e.rma_operation = trace::RmaOperation::flush;
    }
    add(rank, EventKind::leave).region = name;
  }

  void epoch(const Epoch& e) {
    const auto pick = [&](unsigned bit, Nanoseconds few, Nanoseconds many) {
      return (e.times >> bit & 1) != 0 ? many : few;
    };
    const bool all = e.mode == Mode::all;
    call(e.rank, all ? lock_all : lock, pick(0, 1, 5), pick(1, 1, 13), EventKind::lock_request, e.mode);
    if (e.use == Use::put) call(e.rank, put, 1, pick(2, 1, 11), EventKind::put);
    if (e.use == Use::atomic_and_flush) {
      call(e.rank, fetch, 0, 2, EventKind::atomic);
      call(e.rank, flush, 1, pick(2, 1, 7), EventKind::flush);
    }
    call(e.rank, all ? unlock_all : unlock, pick(2, 0, 6), pick(3, 2, 17), EventKind::lock_release);
  }

  trace::MemorySource source_;
  std::array<Nanoseconds, 3> clocks_ = {};
  std::uint64_t number_ = 0;
};

std::string text_of(const std::vector<Epoch>& epochs, unsigned probing) {
  std::string text = "probing " + std::to_string(probing);
  for (const Epoch& e : epochs) {
    text += "; P" + std::to_string(e.rank) + " " +
            (e.mode == Mode::exclusive ? "exclusive"
             : e.mode == Mode::shared  ? "shared"
                                       : "all") +
            " use " + std::to_string(static_cast<int>(e.use)) + " times " + std::to_string(e.times);
  }
  return text;
}

}  // namespace

std::uint64_t for_all_lock_programs(const std::function<bool(trace::MemorySource&, const std::string& text)>& visit) {
  std::uint64_t programs = 0;
  std::uint64_t drawn = 0x9E3779B97F4A7C15ULL;
  const auto draw = [&] {  // xorshift
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    return drawn;
  };
  for (unsigned n = 1; n <= 3; ++n) {
    unsigned structures = 1;
    for (unsigned i = 0; i < n; ++i) structures *= 27;
    const unsigned all_times = n == 1 ? 16 * 3 : n == 2 ? 256 : 4;
    for (unsigned s = 0; s < structures; ++s) {
      std::vector<Epoch> epochs(n);
      unsigned rest = s;
      for (Epoch& e : epochs) {
        e.rank = rest % 3;
        e.mode = static_cast<Mode>(rest / 3 % 3);
        e.use = static_cast<Use>(rest / 9 % 3);
        rest /= 27;
      }
      for (unsigned t = 0; t < all_times; ++t) {
        std::uint64_t times = n < 3 ? t : draw() >> 20;
        unsigned probing = n == 1 ? t / 16 : static_cast<unsigned>(draw() >> 33) % 3;
        for (Epoch& e : epochs) {
          e.times = times & 15;
          times >>= 4;
        }
        ++programs;
        trace::MemorySource source = LockScript().run(epochs, probing);
        if (!visit(source, text_of(epochs, probing))) return programs;
      }
    }
  }
  return programs;
}

}  // namespace mora::exhaustive
