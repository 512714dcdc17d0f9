/// What `mora info` says about a trace. gather_info() reads every event once: numbers of records in definitions are
/// hints that damaged traces do not keep. Locations that cannot be read are counted. O(events). promised_info() reads
/// none, for traces with many. The texts are O(definitions).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/measured_time.h"
#include "trace/source.h"

namespace mora::trace {

/// Counts over all events of a trace. Lengths in bytes.
struct TraceInfo {
  static constexpr std::size_t kinds = static_cast<std::size_t>(EventKind::other) + 1;
  std::array<std::uint64_t, kinds> by_kind{};
  std::string programs;  ///< of a job of several programs: each with its ranks; the caller's, empty if not known
  std::uint64_t events = 0;
  std::uint64_t messages = 0, message_bytes = 0;
  MeasuredTime measured;
  std::size_t unreadable_locations = 0;
  /// false: no event was read; `events` and the time are what the definitions say, all other counts are 0.
  bool is_counted = true;
  std::vector<std::uint64_t> by_user_type;  ///< events of kind user, per Definitions::user_types
  std::vector<std::uint64_t> by_metric;     ///< events of kind metric, per Definitions::metrics
};

/// Reads the whole trace once. A location that cannot be read is counted, also in the source's data quality; error
/// (unreadable) only if no location can be read.
Result<TraceInfo> gather_info(Source& source);
/// What the definitions say of the events. O(locations).
TraceInfo promised_info(const Source& source);
/// Whether reading all events takes a moment only: up to a million, or how many is not known.
bool counts_quickly(const Source& source);
/// For people; of long lists only the first 20 entries.
std::string info_text(const std::string& path, Source& source, const TraceInfo& info);
/// JSON, schema mora-info: exact numbers; communicators, windows, metrics and groups in full.
std::string info_json(const std::string& path, Source& source, const TraceInfo& info);

/// What `mora info --formats` writes: a line or object per format.
std::string formats_text();
std::string formats_json();

}  // namespace mora::trace
