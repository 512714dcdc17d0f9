/// A domain: one family of operations with its own match, exchange and score (locks of windows, threads, file I/O …).
/// The engine feeds it the records it asks for and carries its bytes; it knows nothing of what they mean.
///
/// Sequence of calls of a DomainPartition (one per domain and partition; one thread at a time works on it):
///   1. collector()  once per location, locations of a rank one after the other; it keeps halves.
///   2. send(r), receive(r)  for r = 0 … rounds() - 1, between them the exchange; context.path() is known from here on.
///      The usual use: round 0 brings halves together and scores them; round 1 brings answers back.
/// The order of bytes from one partition is kept; what came from different partitions must not depend on how ranks are
/// spread: sort by (rank, …) before anything that is visible in the result. Amounts are integers and are only added.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "analysis/core/call_tree.h"
#include "analysis/core/timeline.h"
#include "analysis/core/waits.h"
#include "analysis/metrics/classification.h"
#include "analysis/storage/buffer.h"
#include "base/data_quality.h"
#include "trace/definitions.h"
#include "trace/event.h"
#include "trace/source.h"

namespace mora::analysis {

/// The innermost open region while a record is read or the region is left.
struct OpenCall {
  std::uint32_t node = 0;  ///< node of the location's local call tree; path() makes it global
  trace::RegionId region = 0xFFFFFFFF;
  Nanoseconds enter = 0;
  Nanoseconds begin = 0;  ///< of its collective (B); = enter if it has none
  Nanoseconds own = 0;  ///< in the call itself up to now, without nested calls; of computation: since the last MPI call
  std::uint32_t depth = 0;                ///< 0 = the program, 1 = an outermost region
  std::int32_t argument = 0;              ///< Event::tag of its enter
  std::uint64_t number = 0;               ///< of this visit on its location: unique, increasing by enter
  RegionTraits traits;                    ///< account computation outside MPI
  Account around = Account::computation;  ///< of the region around it
  bool is_broken = false;                 ///< recording was off during part of it: no waiting is claimed
  std::uint8_t completes = 0;             ///< CompletionKind bits of what it completed so far
  /// Of a test that ends a loop of them: where the loop waited. nullptr: it ends none, or is not left yet.
  const std::vector<TimeInterval>* polled = nullptr;
};

/// What a domain keeps of one location.
class Collector {
 public:
  virtual ~Collector() = default;
  /// A record of one of the kinds that the domain asked for (Domain::kinds; never enter or leave).
  virtual void on_event(const trace::Event& event, const OpenCall& call) = 0;
  /// Leaves the region of a call in which on_event was called before; all calls, if Domain::all_leaves.
  virtual void on_leave(const OpenCall& call, Nanoseconds leave) = 0;
  /// The time of the first event, before anything else. Not called for a location without events.
  virtual void on_first(Nanoseconds /*first*/) {}
  /// After the last event. Count here what stayed open.
  virtual void finish(Nanoseconds /*last*/) {}
};

/// What the engine gives to the domains of a partition. All references outlive them.
struct DomainContext {
  const trace::Definitions& definitions;
  const std::vector<RegionTraits>& regions;             ///< index = RegionId
  const GlobalCallTree& tree;                           ///< empty before the first round
  const std::vector<std::uint32_t>& partition_of_rank;  ///< no_id (0xFFFFFFFF): the trace does not hold the rank
  /// Of local ranks, index = LocationId; nullptr = not here. Recorded only if Domain::needs_timelines or causes are
  /// asked.
  const std::vector<std::unique_ptr<Timeline>>& timelines;
  WaitSink& waits;
  DataQuality& quality;

  /// Number of partitions; a box per partition.
  unsigned partitions = 1;
  /// For what events refer to (Source::vector).
  const trace::Source* source = nullptr;
  /// Call path of a node of a local tree; from the first round on.
  cube::CallPathId path(cube::LocationId location, std::uint32_t node) const {
    return tree.of_location[location][node];
  }
};

/// One domain in one partition: see the file comment for the sequence of calls.
class DomainPartition {
 public:
  virtual ~DomainPartition() = default;
  /// Never nullptr. The engine keeps the collector until the location is read.
  virtual std::unique_ptr<Collector> collector(cube::LocationId location) = 0;
  /// `outgoing` and `incoming` are indexed by partition; buffers are empty before send().
  virtual void send(unsigned round, std::vector<Buffer>& outgoing) = 0;
  virtual void receive(unsigned round, const std::vector<Buffer>& incoming) = 0;
};

/// One row of domains(): engine/domains.h.
struct Domain {
  std::string_view name;
  std::uint64_t kinds = 0;  ///< trace::kind_bit() of each
  bool all_leaves = false;  ///< on_leave for every MPI call and every region, not only those with records
  bool needs_timelines = false;
  unsigned rounds = 0;
  /// False: nothing of this trace is of interest (no windows …); then it costs nothing.
  bool (*concerns)(const trace::Definitions& definitions) = nullptr;
  std::unique_ptr<DomainPartition> (*make)(const DomainContext& context) = nullptr;
};

}  // namespace mora::analysis
