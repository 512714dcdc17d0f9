/// Causes: which earlier delays the waiting goes back to. Delay costs, direct and indirect, propagating and terminal
/// waits, the critical path.
///
/// Source: Böhme 2016 and Scalasca 2.6 (Delay Costs) for the definitions, Böhme 2012 for the critical path; that every
/// wait state with a cause takes part, and where the interval begins, are Mora's rule delay-costs. Why so:
/// docs/adr/0008-causes.md.
///
/// Definitions, for a wait w = [begin, end) of location b that ended when location a did something:
///   point        the last operation in which both took part (message, collective, epoch, lock) and in which a was not
///                behind: s_a <= s_b, where s_x is the enter of x's call there, or where that call stopped waiting. If
///                there is none, s_a = s_b = the first event of the run; before its own first event a location is in
///                the program's root
///   interval     [s_a, end) of a, [s_b, begin) of b
///   t_x(c)       time of x in call path c in its interval, waiting left out; what the recorder did and what was not
///                recorded are call paths of their own
///   d(c)         [t_a(c) - t_b(c)]+, the delay, of stretches of computation netted by function (netting.h); D = sum of
///                d(c); W = the waits of a that lie inside its interval
///   own          the part of W that a could have avoided (engine/avoidable.cpp). It comes first: min(w, own) of w is
///                indirect and goes there, and the same share of K; only the rest is distributed as follows, with W
///                without it. A wait's avoidable part is a wait apart, all of it the short-term cost of its own call;
///                s_a is where the call stopped waiting before that part
///   short term   w is distributed over d(c) and W (largest remainder): the part of d(c) is the short-term cost of c on
///                a, the part of W is the indirect part of w, the rest its direct part
///   long term    K(w, k) = cost already attributed to w by later waits of class k, distributed in the same
///                proportions: K d(c) / (D + W) is the long-term cost of c on a under class k; K W / (D + W), and w's
///                indirect part under w's own class, are added to the K of a's waits, by their length
///   propagating  of a wait of a: its length times the largest share min(w, D + W) / (D + W) of the waits it helped to
///                cause
/// Why everything is explained: from the points on, a took end - s_a and b took begin - s_b, so D + W >= (end - s_a) -
/// (begin - s_b) >= w, since s_a <= s_b. Only contradictory clocks make D + W smaller; then each part counts fully and
/// the rest of w has no cause. Conservation: the costs of a class are the waits of that class, to the nanosecond.
/// Waits are processed backwards in time (sweep.h), so that K is complete when it is used.
///
/// Stages, between them the carrier's exchange; every partition does all of them, only partition 0 does collect(),
/// sweep() and round_off():
///   send_waits -> take_waits -> (ask -> weigh -> collect, take_rejections)* -> sweep -> settle -> round_off
/// Questions go out in slices; the size of the slices does not change the result. b knows s_b and when a's call began,
/// so it asks about the last point that may be one; a answers, or says that it was behind there, and b asks again.
///
/// Cost: O(n log n) for n waits, plus O(32 + call paths x log segments) per wait for the profiles (activity.h). Memory:
/// in partition 0, where numbers are packed (CollectedWaits), 6 to 12 bytes per wait and 20 to 40 per group of those
/// that are alike, 20 more during the sweep; where the locations are, 32 bytes per wait, per group 6 to 12 and 4 to 8
/// for each delay, the timelines (12 bytes per change) and synchronisation points. One more round of exchanges for each
/// point in a row at which a cause that had waited was behind, once for all waits (rejected_points.h).
/// Limits: contradictory clocks may close a ring of waits with one end, which is cut at the smallest location.
#pragma once

#include <memory>
#include <vector>

#include "analysis/causes/activity.h"
#include "analysis/causes/wait_list.h"
#include "analysis/core/domain.h"
#include "analysis/core/scores.h"
#include "analysis/core/sync_points.h"

namespace mora::analysis {

class CollectedWaits;

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
  static constexpr Nanoseconds all_asked = INT64_MAX;
  /// Up to when waits end that ask next, if these are to be `most` at most (more only if they end at the same time).
  Nanoseconds end_of_slice(std::uint64_t most) const;
  /// The questions about waits that end until then, and those that were rejected. All partitions ask up to the same
  /// time: waits for one cause that end together are weighed together, however many partitions there are. A question
  /// carries the profile t_b(c).
  void ask(Nanoseconds until, std::vector<Buffer>& outgoing);
  /// Computes D and W for each question, scores short-term costs and direct and indirect parts, and sends the rest to
  /// partition 0. Questions about a point at which the cause was still behind go back, as rejections.
  void weigh(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_collect, std::vector<Buffer>& rejections);
  /// They are asked again, about an earlier point, by the next ask().
  void take_rejections(const std::vector<Buffer>& incoming);
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
  /// Of the waits that have not asked: how many end until then.
  std::uint64_t not_asked(Nanoseconds until) const;
  void ask(Local& l, std::uint64_t wait_index, std::vector<Buffer>& outgoing);
  SpillVector<const std::byte*> in_order(const std::vector<Buffer>& questions) const;
  /// nullptr: not of this partition.
  Local* local(cube::LocationId location) const {
    return location < by_location_.size() ? by_location_[location] : nullptr;
  }
  std::uint32_t owner(cube::LocationId location) const { return owners_[location]; }
  /// Adds the activity in [from, to) to the metric critical-path.
  void charge_path(Local& local, Nanoseconds from, Nanoseconds to);

  const DomainContext& context_;
  Scores& scores_;
  std::vector<std::unique_ptr<Local>> locals_;
  std::vector<Local*> by_location_;    ///< nullptr: of another partition
  std::vector<std::uint32_t> owners_;  ///< partition, by location
  std::unique_ptr<Delays> delays_;
  std::unique_ptr<CollectedWaits> collected_;  ///< of partition 0
  Nanoseconds start_ = INT64_MAX;              ///< of the first location that started
  Buffer rejected_;                            ///< questions to be asked again
  std::uint64_t rejected_count_ = 0;
  bool introduced_ = false;  ///< partition 0 knows the locations' lifetimes
};

/// Completes a cube that holds the leaves: adds delay costs, waits by origin and by effect to their parents. Once.
void add_cause_sums(cube::Cube& cube);
/// Adds critical-path imbalance and performance impact, which need the sums over all locations (path_metrics.cpp).
/// After add_cause_sums(), once; nothing if there is no critical path.
void add_path_metrics(cube::Cube& cube);

}  // namespace mora::analysis
