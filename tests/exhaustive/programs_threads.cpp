/// A program: the master runs two parallel regions. A worker takes part in the first, the second, both or none. In a
/// region each thread has up to two steps (barrier or critical section); the barrier steps are the same for all unless
/// one thread lacks its last one. In a barrier a thread executes up to two tasks. Gaps and durations are 1 or 4, drawn
/// from bits; forks and joins lie 0 to 2 around the region.
#include <algorithm>
#include <vector>

#include "threads.h"

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;

namespace {

enum Region : trace::RegionId { main_region, parallel_a, parallel_b, barrier, implicit_barrier, critical, block, task };

class Script {
 public:
  Script(std::uint32_t threads, std::uint64_t bits) : bits_(bits) {
    source.defs.program = "tiny";
    source.defs.nodes.push_back({"node0"});
    trace::Communicator world;
    world.members.push_back(0);
    source.defs.communicators.push_back(world);
    for (std::uint32_t t = 0; t < threads; ++t) {
      trace::Location location;
      location.name = "thread " + std::to_string(t);
      location.thread = t;
      source.defs.locations.push_back(location);
    }
    for (const char* name : {"main", "!$omp parallel @a.c:1", "!$omp parallel @a.c:2", "!$omp barrier @a.c:3",
                             "!$omp implicit barrier @a.c:4", "!$omp critical @a.c:5", "!$omp critical sblock @a.c:5",
                             "!$omp task @a.c:6"}) {
      trace::Region region;
      region.name = name;
      source.defs.regions.push_back(region);
    }
    source.defs.world_size = 1;
    source.defs.index_ranks();
    source.events.resize(threads);
    clocks_.assign(threads, 0);
    add(0, EventKind::enter, main_region);
  }

  void pass(std::uint32_t thread) { clocks_[thread] += bit() ? 4 : 1; }
  bool bit() {
    const bool set = (bits_ & 1) != 0;
    bits_ = bits_ >> 1 | bits_ << 63;
    bits_ ^= set ? 0x5A5A : 0;
    return set;
  }
  Event& add(std::uint32_t thread, EventKind kind, trace::RegionId region = trace::no_id) {
    Event event;
    event.kind = kind;
    event.region = region;
    event.time = clocks_[thread];
    source.events[thread].push_back(event);
    return source.events[thread].back();
  }
  Nanoseconds& clock(std::uint32_t thread) { return clocks_[thread]; }

  trace::MemorySource source;

 private:
  std::vector<Nanoseconds> clocks_;
  std::uint64_t bits_;
};

/// At its begin, its end, in between or one after the other.
void tasks(Script& script, std::uint32_t thread) {
  const unsigned count = script.bit() ? 1 + script.bit() : 0;
  for (unsigned n = count; n > 0; --n) {
    if (script.bit()) script.pass(thread);
    script.add(thread, EventKind::enter, task);
    script.pass(thread);
    script.add(thread, EventKind::leave, task);
  }
  if (count == 0 || script.bit()) script.pass(thread);
}

void step(Script& script, std::uint32_t thread, bool is_barrier) {
  script.pass(thread);
  if (is_barrier) {
    script.add(thread, EventKind::enter, barrier);
    tasks(script, thread);
    script.add(thread, EventKind::team_collective_end, barrier);
    script.add(thread, EventKind::leave, barrier);
    return;
  }
  script.add(thread, EventKind::enter, critical);
  script.pass(thread);
  script.add(thread, EventKind::acquire).request = 1;
  script.add(thread, EventKind::enter, block);
  script.pass(thread);
  script.add(thread, EventKind::leave, block);
  script.add(thread, EventKind::release).request = 1;
  script.add(thread, EventKind::leave, critical);
}

/// `steps`: bit per step, 1 = barrier. `lacks`: this thread misses the implicit barrier at the end.
void run_region(Script& script, trace::RegionId region, std::uint32_t team, unsigned count, unsigned steps,
                std::uint32_t lacks) {
  script.pass(0);
  const auto threads = static_cast<std::uint32_t>(script.source.events.size());
  const Nanoseconds fork = script.clock(0);
  script.add(0, EventKind::fork).peer = threads;
  Nanoseconds end = fork;
  Nanoseconds entered = fork;
  for (std::uint32_t t = 0; t < threads; ++t) {
    if (t != 0 && (team >> (t - 1) & 1) == 0) continue;
    if (t != 0) script.clock(t) = std::max(script.clock(t), fork + (script.bit() ? 2 : 0));
    entered = std::max(entered, script.clock(t));
    script.add(t, EventKind::enter, region);
    for (unsigned s = 0; s < count; ++s) step(script, t, (steps >> s & 1) != 0);
    if (t != lacks) {
      script.pass(t);
      script.add(t, EventKind::enter, implicit_barrier);
      tasks(script, t);
      script.add(t, EventKind::leave, implicit_barrier);
    }
    script.add(t, EventKind::leave, region);
    end = std::max(end, script.clock(t));
  }
  // The join may come before the last worker is done, as far as records tell, but not before all have come.
  script.clock(0) = std::max(script.clock(0), (script.bit() ? end : entered) + 1);
  script.add(0, EventKind::join);
}

}  // namespace

std::uint64_t for_all_thread_programs(const std::function<bool(trace::MemorySource&, const std::string& text)>& visit) {
  std::uint64_t programs = 0;
  for (std::uint32_t threads = 2; threads <= 3; ++threads) {
    const std::uint32_t teams = 1U << (threads - 1);
    for (std::uint32_t first = 0; first < teams; ++first) {
      for (std::uint32_t second = 0; second < teams; ++second) {
        for (unsigned count = 0; count <= 2; ++count) {
          for (unsigned steps = 0; steps < 1U << count; ++steps) {
            for (std::uint32_t lacks = 0; lacks <= threads; ++lacks) {
              for (std::uint64_t draw = 0; draw < 24; ++draw) {
                ++programs;
                Script script(threads, (draw * 0x9E3779B97F4A7C15ULL) ^ (programs * 0xC2B2AE3D27D4EB4FULL));
                run_region(script, parallel_a, first, count, steps, lacks);
                run_region(script, draw % 3 == 0 ? parallel_a : parallel_b, second, count, steps, threads);
                script.pass(0);
                script.add(0, EventKind::leave, main_region);
                const std::string text = std::to_string(threads) + " threads, teams " + std::to_string(first) + " " +
                                         std::to_string(second) + ", " + std::to_string(count) + " steps " +
                                         std::to_string(steps) + ", lacks " + std::to_string(lacks) + ", draw " +
                                         std::to_string(draw);
                if (!visit(script.source, text)) return programs;
              }
            }
          }
        }
      }
    }
  }
  return programs;
}

}  // namespace mora::exhaustive
