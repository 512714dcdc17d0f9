/// Which delays cause the waiting of one interval, and where they are: in the interval, in one before it, or around it.
///
/// Idea. Two results of the analysis are combined. Findings say which rank ended each wait of the interval by arriving
/// late, with its class of delay; delay costs say at which call paths each rank delayed others in that class, over the
/// whole run. First, the short-term delay costs of a rank are assigned to the waits that it ended: those in the
/// interval first, then those of other places, the nearest first; no more than the waiting, and from another place only
/// what the waits of that place leave. What remains was passed on by ranks that waited themselves; long-term delay
/// costs of any rank are assigned to it.
///
/// Source: Böhme 2016 (delay costs); the assignment is Mora's (Mora's rule advice). Cost: for each class of delay and
/// rank that ended a wait, the call paths of all places once. Limits: findings and costs are sums, so single waits are
/// not followed; a delay has no costs beyond the last synchronisation of the two ranks, so a part of the program that
/// ends in a synchronisation is never named as the cause of later waits.
///
/// Pure functions; as thread-safe as the ledger.
#pragma once

#include <string>
#include <vector>

#include "report/advice/ledger.h"

namespace mora::report::advice {

/// A place where delays may be: the interval itself, one before it, or what is around it.
struct Origin {
  enum class Where { here, preceding, outside } where = Where::here;
  std::size_t interval = 0;  ///< preceding: that interval; outside: the one around, without its nested intervals
  std::vector<cube::CallPathId> paths;
};

/// The part of the waiting that the delays of one rank at one call path cause.
struct Share {
  std::uint32_t rank = 0;  ///< that delayed the others
  cube::CallPathId call_path = cube::no_id;
  Nanoseconds amount = 0;
  std::size_t origin = 0;
};

struct Delays {
  std::vector<Origin> origins;  ///< nearest first
  std::vector<Share> shares;
  Nanoseconds waited = 0;  ///< waiting of the interval for which it is known which rank ended it

  /// Sum of the shares at this place (index in `origins`).
  Nanoseconds of_origin(std::size_t origin) const;
  /// Sum of the shares at these call paths (ascending).
  Nanoseconds of_paths(const std::vector<cube::CallPathId>& paths) const;
  /// The rank with the largest shares, at one place or at all; nullopt without shares.
  std::optional<Delayer> main_delayer(std::size_t origin = SIZE_MAX) const;
};

/// For waits of these metrics; with none given: of all wait states of MPI, each nanosecond counted once.
Delays delays_behind(const Ledger& ledger, std::size_t interval, Ids metrics = {});

}  // namespace mora::report::advice
