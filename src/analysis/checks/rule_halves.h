/// What the RMA checker keeps of a location.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analysis/rma_access.h"
#include "analysis/rma_rules.h"
#include "base/time.h"
#include "trace/definitions.h"

namespace mora::analysis::checks {

using trace::no_id;

/// A call of the location; `node` is of its local call tree.
struct LocalCall {
  std::uint32_t node = 0;
  Nanoseconds enter = 0;
  Nanoseconds leave = 0;
};

struct LocalViolation {
  RmaRule rule = RmaRule::count;
  trace::WindowId window = no_id;
  std::uint32_t partner = no_id;  ///< world rank
  std::uint32_t call = 0;         ///< index of RuleHalves::calls
};

/// The k-th access epoch to `target`, as its origin saw it.
struct AccessEpoch {
  trace::WindowId window = no_id;
  std::uint32_t target = 0;
  std::uint32_t number = 0;        ///< k, from 1
  std::uint32_t start = 0;         ///< call; `complete` if it was not recorded: the epoch only takes its number
  std::uint32_t complete = no_id;  ///< call; no_id: never closed
  std::uint32_t put = no_id;       ///< first call that puts into the target
};

/// The k-th exposure epoch for `origin`.
struct ExposureEpoch {
  std::uint32_t number = 0;   ///< k, from 1
  std::uint32_t ordinal = 0;  ///< of the exposure epoch on the window
  std::uint32_t post = 0;     ///< call
  bool noput = false;
  bool is_unseen = false;  ///< the post was not recorded (`post` is the end): the epoch only takes its number
};

/// The first put into `target` after so many fences.
struct FencePut {
  trace::WindowId window = no_id;
  std::uint32_t target = 0;
  std::uint32_t fences = 0;
  std::uint32_t call = 0;
  std::uint32_t all_fences = no_id;  ///< as RangeAccess::all_fences
};

/// All of one location; epochs and accesses with partners are sent to the targets (rule_domain.cpp).
struct RuleHalves {
  cube::LocationId location = 0;
  std::uint32_t rank = 0;
  bool has_windows = false;   ///< there was any record of a window
  std::uint32_t records = 0;  ///< of all kinds that the rules look at
  bool is_lost = false;       ///< recording was off, or nothing could be read: later records are not judged
  std::vector<LocalCall> calls;
  std::vector<LocalViolation> violations;
  std::vector<AccessEpoch> accesses;
  std::map<std::pair<trace::WindowId, std::uint32_t>, std::vector<ExposureEpoch>> exposures;  ///< by window, origin
  std::set<std::pair<trace::WindowId, std::uint32_t>> closed_exposures;                       ///< window, ordinal
  std::vector<FencePut> fence_puts;
  std::map<std::pair<trace::WindowId, std::uint32_t>, std::uint32_t> noput_fences;  ///< window, fences so far -> call
  std::map<trace::WindowId, std::uint32_t> all_fences;                              ///< of windows that were freed
  std::vector<RangeAccess> ranges;
  std::map<std::pair<std::uint32_t, TransferKind>, std::pair<std::uint64_t, std::uint64_t>>
      transfers;  ///< operations, bytes
};

}  // namespace mora::analysis::checks
