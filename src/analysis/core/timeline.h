/// Timeline: what a location was doing when - segments of constant call-tree node, in time order, without gaps.
///
/// A node of computation is known only at the next MPI call: its segments are chained until then. Overhead and
/// unrecorded stretches have nodes of their own and are marked as nothing that the program did. Memory: 12 bytes per
/// change; find() O(log segments), near a good guess O(1). Filled by one thread, then read by any. Times in ns.
#pragma once

#include <cstdint>

#include "analysis/storage/chunked.h"
#include "analysis/storage/gallop.h"
#include "base/time.h"

namespace mora::analysis {

struct TimeInterval {  ///< from `begin` up to, not with, `end`; in the time of the trace
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
};

class Timeline {
 public:
  static constexpr std::uint32_t no_chain = 0x7FFFFFFF;
  static constexpr std::uint32_t in_mpi = 0x80000000;   ///< flag of a node: the segment lies in an MPI call
  static constexpr std::uint32_t nothing = 0x40000000;  ///< flag of a node: overhead, or not recorded

  /// From `time` on: `node`.
  void change(Nanoseconds time, std::uint32_t node, bool is_mpi) { push(time, node | (is_mpi ? in_mpi : 0)); }
  void change_to_nothing(Nanoseconds time, std::uint32_t node) { push(time, node | nothing); }
  /// From `time` on: a node that resolve() will name. `chain` holds such segments.
  void change_to_unknown(Nanoseconds time, std::uint32_t& chain) {
    push(time, chain);
    chain = static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  void resolve(std::uint32_t& chain, std::uint32_t node) {
    while (chain != no_chain) {
      const std::uint32_t next = nodes_[chain];
      nodes_[chain] = node;
      chain = next;
    }
  }
  /// Once, after the last change.
  void finish(Nanoseconds time) { begins_.push_back(time); }

  std::size_t size() const { return nodes_.size(); }
  Nanoseconds begin(std::size_t segment) const { return begins_[segment]; }
  Nanoseconds end(std::size_t segment) const { return begins_[segment + 1]; }
  /// Local call-tree node without the flags.
  std::uint32_t node(std::size_t segment) const { return nodes_[segment] & ~(in_mpi | nothing); }
  bool is_nothing(std::size_t segment) const { return (nodes_[segment] & nothing) != 0; }
  bool is_mpi(std::size_t segment) const { return (nodes_[segment] & in_mpi) != 0; }
  /// Of what began last.
  bool is_in_mpi() const { return size() != 0 && is_mpi(size() - 1); }

  /// First segment with end > t; size() = none. The nearer `guess`, the faster.
  std::size_t find(Nanoseconds t) const { return find(t, size() / 2); }
  std::size_t find(Nanoseconds t, std::size_t guess) const {
    return gallop(size(), guess, [&](std::size_t s) { return end(s) <= t; });
  }

 private:
  void push(Nanoseconds time, std::uint32_t node) {
    begins_.push_back(time);
    nodes_.push_back(node);
  }
  Chunked<Nanoseconds> begins_;  ///< the last one, once it is finished, is the end
  Chunked<std::uint32_t> nodes_;
};

}  // namespace mora::analysis
