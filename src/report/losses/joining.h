/// Joining: what of the division of lost time has one remedy becomes one cause.
///
/// Rules, in this order:
///   serial    code in which a rank makes at least half of the others, or one, wait all the time, by messages at least
///             in part; at least half of the ranks do so. Delays in MPI calls of that function belong to it, too, and
///             those of other ranks in other stretches of it (the last of a chain goes another way)
///   lock      delays in one function that others wait for at a lock, if no rank has most of them
///   places    delays of single ranks in one function, each a different rank's, that cost about the same
///   first     a delay of a rank in a function around that of a larger one of the same rank: what a function computes
///             before its first call is charged to the function that calls it
///   busy      a delay in an MPI call belongs to the same rank's computation if that costs more, else to the call
///   small     calls of one function that carry little and are many
///   messages  blocking sends, receives and waits of one function: the same messages move in them
/// Source: Mora's rule losses (docs/rules/waits.md). Cost: O(n log n) for n causes. Pure functions; safe from any
/// thread.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "cube/cube.h"
#include "report/data/report_data.h"

namespace mora::report {

using ByRank = std::vector<Nanoseconds>;

/// What the kernel counted of the ranks in some code; all of it empty: not known.
struct CoreByRank {
  ByRank not_running, without_core, in_kernel, page_faults, voluntary, involuntary;
  void add(const CoreByRank& other);
};

/// A cause before it is joined with others.
struct Candidate {
  LossCause cause;
  cube::CallPathId function = cube::no_id;    ///< around its code
  ByRank costs;                               ///< that sum to cause.amount; empty: not by rank
  ByRank spent;                               ///< time in its code
  CoreByRank core = {};                       ///< of `spent`
  Nanoseconds by_message = 0;                 ///< of a delay: waiting for messages
  bool is_for_lock = false;                   ///< of a delay: mostly waiting for a lock
  std::vector<cube::CallPathId> paths = {};   ///< of a delay: its code
  std::set<cube::CallPathId> instances = {};  ///< numbered instances of marked intervals that it is in
};

Nanoseconds sum(const ByRank& amounts);
/// Element by element; a `to` that is shorter becomes as long.
void add(ByRank& to, const ByRank& amounts);

/// The rank that has at least six tenths, and twice as much as any other.
std::optional<std::uint32_t> dominating(const ByRank& amounts);
/// Those that have more than three quarters of the way from the least to the most time in some code, if the sums over
/// the run explain `amount` of waiting and they are two or more, but not most: the last to come is charged with all
/// waiting, though others may be nearly as late. Else none.
std::vector<std::uint32_t> late_by_time(Nanoseconds amount, const ByRank& spent);

/// Ranks that together have at least nine tenths, largest first; one that is dominating alone. Sets `share_of_first`.
void name_ranks(const ByRank& costs, LossCause& cause);

/// The causes, the largest first, with the ranks of delays named by their time in the code (rule losses).
/// `cube` tells which functions the ranks of a delay spend longer in.
std::vector<LossCause> joined_causes(std::vector<Candidate> candidates, const cube::Cube& cube);

/// `call` (a function or its label) makes or frees communicators, windows, files and the like.
bool is_set_up(const std::string& call);
/// Calls that each carry little, and so many that their number counts.
bool is_small(const LossCause& cause);

}  // namespace mora::report
