/// Call trees. A node is (parent, region) - regions are one per function and call site - or an interval (parent, where
/// it was marked, number), or a function on recorded call paths, or a stretch of computation (parent, call before, call
/// after). Each location grows a local tree while it is read; the local trees are merged into one whose numbering
/// depends on nothing but the trace.
///
/// Cost: child() and compute() amortised O(1) (the child that followed last time is tried first), merging O(nodes x
/// locations log nodes). A local tree belongs to one thread; a GlobalCallTree is read by any.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/storage/buffer.h"
#include "analysis/trend.h"
#include "base/time.h"
#include "cube/cube.h"
#include "trace/definitions.h"

namespace mora::analysis {

/// Marks for NodeKey::from and ::region of computation: before the first and after the last call.
inline constexpr std::uint32_t outside = 0xFFFFFFFE;
/// NodeKey::from of stretches in which the program was not observed; ::region then tells which.
inline constexpr std::uint32_t not_observed = 0xFFFFFFFD;
inline constexpr std::uint32_t measurement = 0;   ///< the recorder did something of its own
inline constexpr std::uint32_t not_recorded = 1;  ///< recording was off, or records are missing
/// NodeKey::from of functions that samples found: ::region is the function.
inline constexpr std::uint32_t sampled = 0xFFFFFFFC;

/// What makes a node: two nodes with equal keys are one.
struct NodeKey {
  std::uint32_t parent = 0;
  std::uint32_t from = 0xFFFFFFFF;     ///< region before the computation; 0xFFFFFFFF = this is no computation node
  std::uint32_t region = 0;            ///< the region itself; of computation: the region after it
  std::uint32_t interval = 0;          ///< not 0: an interval marked at `region` (trace::Event::interval)
  std::uint32_t place = trace::no_id;  ///< of a sampled function: where its caller calls it (trace::Caller::place)
  bool is_compute() const { return from != 0xFFFFFFFF && from != sampled; }
  /// Made by the search for loops (trace/intervals/phases.h), not by the program.
  bool is_found_iteration() const;
  bool operator==(const NodeKey&) const = default;
  auto operator<=>(const NodeKey&) const = default;
};

/// Stretches of computation in which the scheduler's counters were read at both ends.
struct CoreReadings {
  Nanoseconds read = 0;    ///< how long they are
  Nanoseconds ran = 0;     ///< of it: CPU time
  Nanoseconds queued = 0;  ///< of it: could have run, and had no core
  std::int64_t count = 0;
  Nanoseconds in_kernel = 0;  ///< of `ran`, by the kernel's ticks
  std::int64_t page_faults = 0, voluntary = 0, involuntary = 0;
  CoreReadings& operator+=(const CoreReadings& other) {
    read += other.read, ran += other.ran, queued += other.queued, count += other.count;
    in_kernel += other.in_kernel, page_faults += other.page_faults;
    voluntary += other.voluntary, involuntary += other.involuntary;
    return *this;
  }
};

/// What the kernel counted of the thread, inside MPI calls, too: of the program and of intervals, without those in
/// them.
struct ThreadCounts {
  Nanoseconds cpu_time = 0, run_queue = 0;
  std::int64_t page_faults = 0, voluntary = 0, involuntary = 0;
};

/// What adds up at a node of one location while events stream by.
struct NodeAmounts {
  Nanoseconds own = 0;  ///< in the node itself, without children, flushes and unrecorded time
  /// Of waits and tests: what completed collectives, one-sided transfers, file I/O and no message. Not in `own`.
  Nanoseconds own_for_collective = 0;
  Nanoseconds own_for_transfer = 0;
  Nanoseconds own_for_io = 0;
  Nanoseconds overhead = 0;
  Nanoseconds unrecorded = 0;
  Nanoseconds polling = 0;  ///< of `own`: tests and probes that found nothing
  std::int64_t polling_calls = 0;
  std::int64_t recorded_polls = 0;     ///< of `visits` of tests and probes: recorded ones, which may stand for several
  std::int64_t recorded_readings = 0;  ///< of the program: readings of the kernel's counters
  std::int64_t visits = 0;
  std::int64_t messages_sent = 0;
  std::int64_t messages_received = 0;
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;
  Nanoseconds overlap = 0;          ///< of `own` of computation: while requests were open
  Nanoseconds request_overlap = 0;  ///< of the requests that were completed here
  Nanoseconds first_execution = 0;  ///< of an interval
  std::int64_t instructions = 0;    ///< of computation
  std::int64_t cycles = 0;
  CoreReadings core;         ///< of computation
  ThreadCounts thread;       ///< of an interval
  Trend trend;               ///< of computation between calls
  std::int64_t samples = 0;  ///< of a sampled function
};

/// The tree of one location while it is read. Node 0 is the program. Not thread-safe.
class LocalCallTree {
 public:
  LocalCallTree();

  static constexpr std::uint32_t root = 0;
  std::size_t size() const { return keys_.size(); }
  const NodeKey& key(std::uint32_t node) const { return keys_[node]; }
  NodeAmounts& amounts(std::uint32_t node) { return amounts_[node]; }
  const NodeAmounts& amounts(std::uint32_t node) const { return amounts_[node]; }

  /// What counters of the trace gained in the node itself (metrics/counted.h). `counter` < `counters`, which is the
  /// same in all calls.
  void count(std::uint32_t node, std::uint32_t counter, std::uint32_t counters, std::int64_t amount);
  std::int64_t counted(std::uint32_t node, std::uint32_t counter, std::uint32_t counters) const {
    const std::size_t cell = std::size_t{node} * counters + counter;
    return cell < counted_.size() ? counted_[cell] : 0;
  }

  /// The child of `parent` for the region, made on first use. Amortised O(1): programs repeat themselves, so the
  /// child that followed the same predecessor last time is tried first.
  std::uint32_t child(std::uint32_t parent, std::uint32_t region, std::uint32_t interval = 0);
  std::uint32_t compute(std::uint32_t parent, std::uint32_t from, std::uint32_t to);
  /// The function at the end of a call path below `parent`; `parent` itself for no_id. Amortised O(1).
  std::uint32_t function(std::uint32_t parent, trace::CallerId caller, const trace::Definitions& definitions);
  /// The function at the end of the call path, as a sample found it during the computation `node`: a node of its own
  /// below it, inside of those of the path's functions that are not around `node` already. O(depth).
  std::uint32_t sampled_function(std::uint32_t node, trace::CallerId caller, const trace::Definitions& definitions);

 private:
  struct KeyHash {
    std::size_t operator()(const NodeKey& k) const {
      const std::uint64_t a = (std::uint64_t{k.parent} << 32 | k.from) * 0x9E3779B97F4A7C15ULL;
      return (a ^ (a >> 31)) + (k.region + (k.interval ^ ~k.place) * 0x9E3779B1ULL) * 0xC2B2AE3D27D4EB4FULL;
    }
  };
  std::uint32_t find_or_make(const NodeKey& key);
  /// Which node came after this one last time.
  struct Guess {
    std::uint32_t last_child = 0;  ///< of this node; 0 = none
    std::uint32_t follower = 0;    ///< node that followed this one
    std::uint32_t last_compute = 0;
    std::uint32_t compute_follower = 0;
  };
  std::vector<NodeKey> keys_;
  std::vector<NodeAmounts> amounts_;
  std::vector<Guess> guesses_;
  std::vector<std::int64_t> counted_;  ///< by node and counter; short: the rest is 0
  std::unordered_map<NodeKey, std::uint32_t, KeyHash> ids_;
  std::unordered_map<std::uint64_t, std::uint32_t> functions_;  ///< by parent and caller
};

/// The merged tree, numbered in preorder; siblings in order of first appearance, smaller locations first.
struct GlobalCallTree {
  std::vector<NodeKey> nodes;  ///< parent = global id; the root's parent is no_id
  /// global id of [location][local node]
  std::vector<std::vector<std::uint32_t>> of_location;
};

/// One location's tree as bytes, and all of them merged. `packed` may hold locations in any order.
void pack_tree(cube::LocationId location, const LocalCallTree& tree, BufferWriter& out);
GlobalCallTree merge_trees(const std::vector<Buffer>& packed, std::size_t locations);

/// Names, call sites and kinds for people.
std::vector<cube::CallPath> describe(const GlobalCallTree& tree, const trace::Definitions& definitions);

}  // namespace mora::analysis
