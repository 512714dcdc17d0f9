/// What the rules of wait states see, and where their amounts go: one collective instance with its members, one wait,
/// one synchronisation point, and the sink that takes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/rma_access.h"
#include "analysis/rma_rules.h"
#include "base/time.h"
#include "cube/cube.h"

namespace mora::analysis {

inline constexpr std::size_t no_member = static_cast<std::size_t>(-1);

/// One member of a collective instance.
struct Member {
  Nanoseconds begin = 0;  ///< B
  Nanoseconds end = 0;    ///< X
  cube::LocationId location = 0;
  cube::CallPathId call_path = 0;
  bool sends = false;     ///< sent bytes > 0
  bool receives = false;  ///< received bytes > 0
  bool broken = false;    ///< recording was off during part of its call: gets no waiting
};

/// A complete instance: all members, in rank order of the communicator (both groups of an inter-communicator).
struct CollectiveInstance {
  std::span<const Member> members;
  std::size_t root = no_member;  ///< index; rooted operations only
  /// Members that each one receives bytes from, where arguments tell (alltoallv, alltoallw, neighbourhoods); nullptr =
  /// not known. Empty for all other operations.
  std::span<const std::vector<std::uint32_t>* const> partners = {};
};

/// A wait or test may complete requests of several kinds. Its time is accounted by the first of these that it completed
/// anything of; its waiting is divided (WaitSink::add_part).
enum CompletionKind : std::uint8_t {
  completes_message = 1,
  completes_collective = 2,
  completes_transfer = 4,
  completes_io = 8,
};
/// The kind by which the call is accounted. `completes` is not 0.
inline CompletionKind first_kind(std::uint8_t completes) {
  return static_cast<CompletionKind>(completes & static_cast<std::uint8_t>(-completes));
}
/// Whether it completed anything else that may be waited for.
inline bool is_mixed(std::uint8_t completes, CompletionKind kind) {
  return (completes & (completes_message | completes_collective | completes_transfer) & ~kind) != 0;
}

/// One amount of waiting.
struct Wait {
  cube::MetricId metric = 0;
  cube::LocationId location = 0;
  cube::CallPathId call_path = 0;
  Nanoseconds begin = 0;   ///< when the waiting starts
  Nanoseconds amount = 0;  ///< > 0
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path = cube::no_id;
  Nanoseconds own = 0;  ///< its last part, which the location could have avoided by itself (engine/avoidable.cpp)
};

/// What a wait is a part of: a call, or a stretch of tests, that completed several kinds.
struct CallPart {
  Nanoseconds call = 0;  ///< its begin
  CompletionKind kind = completes_message;
  CompletionKind account = completes_message;  ///< by which the call's time is accounted
};

/// The part of a wait that one of several causes made.
struct WaitShare {
  Nanoseconds begin = 0;
  Nanoseconds amount = 0;  ///< > 0
  cube::LocationId cause = cube::no_id;
  cube::CallPathId cause_call_path = cube::no_id;
};

/// A synchronisation point of two locations: an operation in which both took part. A later wait between them is
/// explained by what both did since (Böhme 2016; causes/causes.h). The times are the enters of the calls concerned,
/// each on its own location.
struct SyncPoint {
  cube::LocationId location = 0;
  Nanoseconds time = 0;
  cube::LocationId partner = 0;
  Nanoseconds partner_time = 0;
};

/// Where amounts go. Locations and ranks may be of any partition.
class WaitSink {
 public:
  virtual ~WaitSink() = default;
  virtual void add(const Wait& wait) = 0;
  /// One wait that several caused one after the other; `shares` are all of it, and `wait` names the last of them.
  virtual void add_shared(const Wait& wait, std::span<const WaitShare> /*shares*/) { add(wait); }
  /// A wait for one kind of what a call completed; all of a call are given to the same sink. An instant at which it
  /// waited for several belongs to the wait that ended first (docs/formats/metrics.md, "One call, several kinds").
  virtual void add_part(const Wait& wait, const CallPart& /*of*/) { add(wait); }
  /// Adds to a metric that is no waiting: counts, bytes, plain times. Not to its ancestors.
  virtual void count(cube::MetricId /*metric*/, cube::CallPathId /*call_path*/, cube::LocationId /*location*/,
                     std::int64_t /*amount*/) {}
  /// For causes: call it once per pair and operation, whichever of them waited; both sides get it. Messages and
  /// collectives of the matcher do so themselves.
  virtual void sync_point(const SyncPoint& /*point*/) {}
  /// No amounts: violations of MPI's rules, and who transferred to whom (checks/).
  virtual void broken_rule(const CheckFinding& /*finding*/) {}
  virtual void transfer(const TransferCell& /*cell*/) {}
  /// An access that conflicts with others unless something orders them (checks/access_order.h).
  virtual void access(const MetAccess& /*access*/) {}
  /// A member's end lies before a time that must have come first.
  virtual void clock_violation(cube::LocationId location) = 0;
};

}  // namespace mora::analysis
