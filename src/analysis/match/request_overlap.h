/// Overlap of one location's requests with its computation, while its events are read (Mora's rule overlap; DVM
/// analyser, 4.1).
///
/// Idea: a request lies between the leave of the call that starts it and the enter of the call that completes it; only
/// computation outside MPI calls counts, so it is enough to look when the records are read, inside those calls. What is
/// computed while requests are open is known to be covered only when one of them completes (some never do): until then
/// stretches wait on a stack, stamped with the number of requests started before. A request that completes covers all
/// stretches since its start: they are on top. Stretches of an open region wait for their node too (computation is
/// named by the calls around it): resolve().
///
/// Cost: nothing but an addition per stretch while no request is open; with open ones amortised O(1); memory O(open
/// requests x call paths). One per location; not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/core/call_tree.h"

namespace mora::analysis {

class RequestOverlap {
 public:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// `tree` outlives it: overlap is added to its nodes.
  explicit RequestOverlap(LocalCallTree& tree) : tree_(tree) {}

  /// A request starts; `tag` is the caller's. The number returned holds until complete() or drop().
  std::uint32_t start(std::uint32_t tag = 0);
  std::uint32_t tag(std::uint32_t request) const { return requests_[request].tag; }
  /// Returns the location's computation since the start.
  Nanoseconds complete(std::uint32_t request);
  /// It is no longer of interest: cancelled, freed, its number taken by another. `none` is ignored.
  void drop(std::uint32_t request);

  /// The region at this depth of the stack computed.
  void compute(Nanoseconds amount, std::size_t depth) {
    computed_ += amount;
    if (open_ != 0 && amount != 0) wait(amount, static_cast<std::uint32_t>(depth));
  }
  /// What the region at this depth computed up to now belongs to `node`.
  void resolve(std::size_t depth, std::uint32_t node) {
    if (depth < regions_.size()) resolve_touched(static_cast<std::uint32_t>(depth), node);
  }
  Nanoseconds computed() const { return computed_; }
  std::size_t waiting() const { return stack_.size(); }

 private:
  struct Request {
    Nanoseconds computed = 0;  ///< before its start
    std::uint64_t stamp = 0;   ///< its number, from 1; 0 = not in use
    std::uint32_t tag = 0;
  };
  struct Stretch {
    Nanoseconds amount = 0;
    std::uint64_t stamp = 0;      ///< requests started before it
    std::uint32_t target = 0;     ///< node; with `unresolved`: depth
    std::uint32_t before = none;  ///< the stretch before of the same depth, while unresolved
  };
  struct Region {
    Nanoseconds overlap = 0;      ///< covered, without node
    std::uint32_t newest = none;  ///< its newest unresolved stretch
  };
  static constexpr std::uint32_t unresolved = 0x80000000;

  void wait(Nanoseconds amount, std::uint32_t depth);
  void resolve_touched(std::uint32_t depth, std::uint32_t node);
  void pop(bool is_covered);
  void release(std::uint32_t request);
  void compact();

  LocalCallTree& tree_;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> unused_;
  std::vector<Stretch> stack_;
  std::vector<Region> regions_;  ///< by depth
  std::uint64_t stamp_ = 0;
  std::size_t open_ = 0;
  std::size_t compact_at_ = 4096;
  Nanoseconds computed_ = 0;
};

}  // namespace mora::analysis
