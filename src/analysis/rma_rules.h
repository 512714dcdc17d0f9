/// The rules of MPI's one-sided communication whose violation a trace can show, and what was found (Mora's rule
/// rma-rules).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "cube/cube.h"

namespace mora::analysis {

/// In the order of rma_rule_texts, where each has its text.
enum class RmaRule : std::uint8_t {
  access_outside_epoch,
  access_outside_group,
  request_outside_lock,
  access_without_exposure,
  exposure_without_access,
  access_epochs_ahead,
  mixed_epochs,
  double_start,
  double_post,
  double_lock,
  complete_without_start,
  wait_without_post,
  unlock_without_lock,
  flush_without_lock,
  unclosed_epoch,
  freed_with_open_epoch,
  noprecede_but_accessed,
  nosucceed_but_accessed,
  noput_but_put,
  conflicting_access,
  count
};

struct RmaRuleInfo {
  std::string_view id;    ///< "access-outside-epoch" (docs/formats/findings.md)
  std::string_view name;  ///< "Access outside of any epoch"
  std::string_view what;  ///< what was seen, one sentence
  std::string_view advice;
  std::string_view source;
};

/// A call, when, and by whom.
struct CheckedCall {
  cube::LocationId location = cube::no_id;
  cube::CallPathId call_path = cube::no_id;
  Nanoseconds begin = 0;
  Nanoseconds end = 0;
  bool operator==(const CheckedCall&) const = default;
};

/// One rule violated by one call path on one window, with one partner. Times in ns.
struct CheckFinding {
  RmaRule rule = RmaRule::count;
  std::uint32_t window = 0xFFFFFFFF;
  std::uint32_t partner_rank = 0xFFFFFFFF;  ///< world rank; 0xFFFFFFFF: no partner
  CheckedCall call;                         ///< who violated it: the first time
  CheckedCall partner;                      ///< location no_id: the partner did nothing
  std::uint64_t instances = 1;
};

enum class TransferKind : std::uint8_t { put, get, atomic };  ///< put: also accumulate; atomic: what fetches
inline constexpr std::string_view transfer_names[] = {"put", "get", "atomic"};

/// One cell of the matrix of one-sided transfers.
struct TransferCell {
  std::uint32_t origin = 0;  ///< world rank
  std::uint32_t target = 0;  ///< world rank
  TransferKind kind = TransferKind::put;
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;  ///< metric rma-bytes
};

}  // namespace mora::analysis
