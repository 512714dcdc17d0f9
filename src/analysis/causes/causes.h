/// Causes: what waiting is owed to. Delay costs, direct and indirect, propagating and terminal waits, the critical
/// path.
///
/// Definitions (spec/wait-states.md 2.6, 2.7; Böhme et al., TOPC 3(2):11, 2016), for a wait w = [begin, end) of
/// location b that ended when location a did something:
///   meeting      the last message, collective, epoch or lock hand-over that both took part in before; each side's
///                interval starts at the enter of its call there, or where that call stopped waiting; a's ends at
///                `end`, b's at `begin`
///   t_x(c)       time of x in call path c in its interval, waiting left out
///   d(c)         [t_a(c) - t_b(c)]+, the delay; D = sum of d(c); W = the waits of a that lie inside its interval
///   short term   w is shared out over d(c) and W (largest remainder; if D + W < w everything counts fully): what falls
///                on d(c) is the short-term cost of c on a, what falls on W the indirect part of w, the rest its direct
///                part
///   long term    K(w) = cost already attributed to w by later waits, shared in the same proportions: K d(c) / (D + W)
///                is the long-term cost of c on a; K W / (D + W) and w's indirect part are added to the K of a's waits,
///                by their length
///   propagating  of a wait of a: its length times the largest share min(w, D + W) / (D + W) of the waits it helped to
///                cause
/// Waits are settled backwards in time (sweep.h), so that K is complete when it is used. The sum of
/// all costs is the sum over all waits of min(w, D + W), less the K of waits with D + W = 0: nobody is to blame for
/// those.
///
/// Phases, between them the carrier's exchange; every partition does all of them, only partition 0 does collect(),
/// sweep() and round_off():
///   send_waits -> take_waits -> (ask -> weigh -> collect)* -> sweep -> settle -> round_off
/// Questions go out in slices: how many at a time never shows in the result.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/causes/activity.h"
#include "analysis/causes/wait_list.h"
#include "analysis/engine/domain.h"
#include "analysis/engine/meetings.h"
#include "analysis/engine/scores.h"

namespace mora::analysis {

struct CollectedWaits;

/// A local location and what belongs to it.
struct CauseLocation {
  cube::LocationId location = 0;
  const LocalCallTree* tree = nullptr;
  Meetings* meetings = nullptr;  ///< of its rank
};

/// Not thread-safe; one per partition.
class PartitionCauses {
 public:
  /// `locals`: all locations of the partition that have a timeline. References outlive this object.
  PartitionCauses(const DomainContext& context, Scores& scores, std::vector<CauseLocation> locals);
  ~PartitionCauses();

  void send_waits(std::vector<Buffer>& outgoing);
  void take_waits(const std::vector<Buffer>& incoming);
  /// The next questions, about `most` of them; false: there are no more.
  bool ask(std::uint64_t most, std::vector<Buffer>& outgoing);
  void weigh(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_collect);
  /// After the last slice: what only questions needed is freed.
  void end_questions();
  void collect(const std::vector<Buffer>& incoming);
  void sweep(std::vector<Buffer>& answers);
  void settle(const std::vector<Buffer>& incoming, std::vector<Buffer>& to_round);
  void round_off(const std::vector<Buffer>& incoming);

 private:
  struct Local;
  struct Delays;
  Local* local(cube::LocationId location);
  std::uint32_t owner(cube::LocationId location) const {
    return context_.partition_of_rank[context_.definitions.locations[location].rank];
  }
  void charge_path(Local& local, Nanoseconds from, Nanoseconds to);

  const DomainContext& context_;
  Scores& scores_;
  std::vector<std::unique_ptr<Local>> locals_;
  std::unordered_map<cube::LocationId, Local*> by_location_;
  std::unique_ptr<Delays> delays_;
  std::unique_ptr<CollectedWaits> collected_;  ///< of partition 0
  std::size_t next_local_ = 0;                 ///< whose waits have not asked yet
  std::size_t next_wait_ = 0;
  bool introduced_ = false;  ///< partition 0 was told the locations' lifetimes
};

/// Completes a cube: sums of cause metrics into their parents; critical-path imbalance and performance impact, which
/// need the sums over all locations.
void add_cause_sums(cube::Cube& cube);
void add_path_metrics(cube::Cube& cube);

}  // namespace mora::analysis
