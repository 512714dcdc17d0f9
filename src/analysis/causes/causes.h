/// Causes: which earlier delays the waiting goes back to. Delay costs, direct and indirect, propagating and terminal
/// waits, the critical path.
///
/// Source: Böhme 2016 and Scalasca 2.6 (Delay Costs) for the definitions, Böhme 2012 for the critical path; that every
/// wait state with a cause takes part, and the proportions of step "long term", are Mora's rule delay-costs. Why so:
/// docs/adr/0008-causes.md.
///
/// Definitions, for a wait w = [begin, end) of location b that ended when location a did something:
///   interval     from the last synchronisation point of a and b before the wait (a message, collective, epoch or lock
///                in which both took part); each side's interval starts at the enter of its call there, or where that
///                call stopped waiting; a's interval ends at `end`, b's at `begin`
///   t_x(c)       time of x in call path c in its interval, waiting left out
///   d(c)         [t_a(c) - t_b(c)]+, the delay; D = sum of d(c); W = the waits of a that lie inside its interval
///   short term   w is distributed over d(c) and W (largest remainder; if D + W < w each of them counts fully): the
///                part of d(c) is the short-term cost of c on a, the part of W is the indirect part of w, the rest its
///                direct part
///   long term    K(w) = cost already attributed to w by later waits, distributed in the same proportions: K d(c) / (D
///                + W) is the long-term cost of c on a; K W / (D + W) and w's indirect part are added to the K of a's
///                waits, by their length
///   propagating  of a wait of a: its length times the largest share min(w, D + W) / (D + W) of the waits it helped to
///                cause
/// Waits are processed backwards in time (sweep.h), so that K is complete when it is used. Conservation: the sum of all
/// costs is the sum over all waits of min(w, D + W), less the K of waits with D + W = 0, which have no delay in their
/// interval.
///
/// Stages, between them the carrier's exchange; every partition does all of them, only partition 0 does collect(),
/// sweep() and round_off():
///   send_waits -> take_waits -> (ask -> weigh -> collect)* -> sweep -> settle -> round_off
/// Questions go out in slices; the size of the slices does not change the result.
///
/// Cost: O(n log n) for n waits, plus O(64 + call paths x log segments) per wait for the profiles (activity.h). Memory:
/// 64 bytes per wait in partition 0, the timelines (12 bytes per change) and synchronisation points where the locations
/// are. Limits: a delay before the last synchronisation point is not found and stays in direct-waits; contradictory
/// clocks may close a ring of waits with one end, which is cut at the smallest location.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/causes/activity.h"
#include "analysis/causes/wait_list.h"
#include "analysis/engine/domain.h"
#include "analysis/engine/scores.h"
#include "analysis/engine/sync_points.h"

namespace mora::analysis {

struct CollectedWaits;

/// A location of this partition and what belongs to it. Pointers are never null and outlive PartitionCauses.
struct CauseLocation {
  cube::LocationId location = 0;
  const LocalCallTree* tree = nullptr;
  SyncPoints* sync_points = nullptr;  ///< of its rank
};

/// The stages of one partition; the member functions are called in the order of the file comment, each once (ask, weigh
/// and collect: once per slice). `incoming` and outgoing boxes are indexed by partition. Not thread-safe; one per
/// partition.
class PartitionCauses {
 public:
  /// `locals`: all locations of the partition that have a timeline. References outlive this object.
  PartitionCauses(const DomainContext& context, Scores& scores, const std::vector<CauseLocation>& locals);
  ~PartitionCauses();

  /// Each wait, and both sides of each synchronisation point, go to the partition of their location. Empties the
  /// Scores.
  void send_waits(std::vector<Buffer>& outgoing);
  /// Makes the sorted, disjoint waits and the profiles of the local locations.
  void take_waits(const std::vector<Buffer>& incoming);
  /// The next questions, at most `most` of them; false: there are no more. A question carries the profile t_b(c).
  bool ask(std::uint64_t most, std::vector<Buffer>& outgoing);
  /// Computes D and W for each question, scores short-term costs and direct and indirect parts, and sends the rest to
  /// partition 0.
  void weigh(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_collect);
  /// After the last slice: frees what only questions needed.
  void end_questions();
  /// Partition 0 keeps what weigh() sent.
  void collect(const std::vector<Buffer>& incoming);
  /// Partition 0: long-term costs of all waits, propagating parts, the critical path (sweep.cpp); `answers` by
  /// partition.
  void sweep(std::vector<Buffer>& answers);
  /// Distributes the long-term cost of each wait over its d(c), and charges this partition's part of the critical path.
  void settle(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_round);
  /// Partition 0 rounds all long-term costs at once and scores them.
  void round_off(const std::vector<Buffer>& incoming);

 private:
  struct Local;
  struct Delays;
  /// nullptr: not of this partition.
  Local* local(cube::LocationId location);
  std::uint32_t owner(cube::LocationId location) const {
    return context_.partition_of_rank[context_.definitions.locations[location].rank];
  }
  /// Adds the activity in [from, to) to the metric critical-path.
  void charge_path(Local& local, Nanoseconds from, Nanoseconds to);

  const DomainContext& context_;
  Scores& scores_;
  std::vector<std::unique_ptr<Local>> locals_;
  std::unordered_map<cube::LocationId, Local*> by_location_;
  std::unique_ptr<Delays> delays_;
  std::unique_ptr<CollectedWaits> collected_;  ///< of partition 0
  std::size_t next_local_ = 0;                 ///< whose waits have not asked yet
  std::size_t next_wait_ = 0;
  bool introduced_ = false;  ///< partition 0 knows the locations' lifetimes
};

/// Completes a cube that holds the leaves: adds delay costs, waits by origin and by effect to their parents. Once.
void add_cause_sums(cube::Cube& cube);
/// Adds critical-path imbalance and performance impact, which need the sums over all locations (path_metrics.cpp).
/// After add_cause_sums(), once; nothing if there is no critical path.
void add_path_metrics(cube::Cube& cube);

}  // namespace mora::analysis
