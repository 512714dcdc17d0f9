/// Which delays the waiting of one interval is owed to, and where they lie: in it, in an interval before it, or around
/// it.
///
/// Findings tell for whom the waits of the interval ended (rank, class of delay); delay costs tell where each rank
/// delayed others in that class, over the whole run. Together: a rank's short-term costs answer for the waits that it
/// ended, the nearest place first, up to what was waited, and of other places only what the waits there leave; the rest
/// was passed on by ranks that waited themselves, and long-term costs of any rank answer for it (Boehme et al., TOPC
/// 2016). A delay does not reach past the last
/// meeting of the two ranks, so a part that ends in a synchronisation has no costs left for later waits.
///
/// Pure functions; as thread-safe as the ledger.
#pragma once

#include <string>
#include <vector>

#include "report/advice/ledger.h"

namespace mora::report::advice {

/// Call paths that delays may lie in, nearest first.
struct Origin {
  enum class Where { here, preceding, outside } where = Where::here;
  std::size_t interval = 0;  ///< preceding: it; outside: around, without what is nested
  std::vector<cube::CallPathId> paths;
};

struct Share {
  std::uint32_t rank = 0;  ///< who delayed
  cube::CallPathId call_path = cube::no_id;
  Nanoseconds amount = 0;
  std::size_t origin = 0;
  bool is_passed_on = false;  ///< by ranks that waited themselves
};

struct Blame {
  std::vector<Origin> origins;
  std::vector<Share> shares;
  Nanoseconds waited = 0;  ///< of the interval's findings, as far as it is known who ended the waits

  Nanoseconds of_origin(std::size_t origin) const;
  /// Of the call paths that lie in `paths` (ascending).
  Nanoseconds of_paths(const std::vector<cube::CallPathId>& paths) const;
  /// Who has most of the shares, of `origin` or all; nullopt if nobody has any.
  std::optional<Culprit> main_culprit(std::size_t origin = SIZE_MAX) const;
};

/// Of waits of these metrics; none given: of all wait states of MPI, each nanosecond once.
Blame blame(const Ledger& ledger, std::size_t interval, Ids metrics = {});

}  // namespace mora::report::advice
