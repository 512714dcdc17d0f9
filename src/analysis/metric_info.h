/// The text side of a metric or wait state. Every metric is declared once, in the file that computes it; help, report,
/// viewer and docs take their text from here. A test checks that every metric has all texts and that its source is a
/// public one. Safe from any thread.
#pragma once

#include <string_view>
#include <vector>

#include "cube/cube.h"

namespace mora::analysis {

/// What kind of delay a wait state is caused by: its costs are added up under this name (causes/). Waits of a class
/// other than none enter the wait graph: they must be disjoint in time on a location, and name their cause.
enum class DelayClass : std::uint8_t {
  none,  ///< refines another wait state, has no cause, or is no wait state
  late_sender,
  late_receiver,
  barrier,
  n_to_n,
  one_to_n,
  n_to_one,
  prefix,       ///< scan, exscan
  nonblocking,  ///< non-blocking collectives
  window,       ///< fence, creation and freeing of windows
  active_target,
  passive_target,
  threads,
  io,
  start_and_end,  ///< MPI_Init, MPI_Finalize: apart, because they say little of the program between them
};
inline constexpr std::size_t delay_classes = 15;

/// What the rank named as the cause of a wait did in its call meanwhile.
enum class CauseDid : std::uint8_t {
  entered_late,       ///< its enter ended the wait
  held_lock,          ///< its leave, which gave a lock back, ended the wait
  came_for_progress,  ///< its enter let the library go on, whatever the call is
  stayed,             ///< it was still in the call
  worked,             ///< it worked in it
};

/// "late-sender", as in delay-costs-late-sender; "" of none.
std::string_view delay_class_id(DelayClass delay);

struct MetricInfo {
  std::string_view id;           ///< kebab-case, e.g. "late-sender" (docs/formats/metrics.md)
  std::string_view name;         ///< "Late Sender"
  std::string_view unique_name;  ///< .cubex unique name; Scalasca's where it means the same
  std::string_view parent;       ///< id of the parent metric; empty = root
  cube::Unit unit;
  bool wait_state;           ///< true: time lost by waiting; false: an amount
  std::string_view summary;  ///< one line
  std::string_view formula;  ///< exact rule, in the notation of docs/formats/metrics.md
  std::string_view source;   ///< "Key, chapter; Key, chapter; Mora's rule name": keys of docs/sources.md, docs/rules.md
  std::string_view diagnosis;  ///< what it means when it is large, and how to find the cause
  std::string_view advice;     ///< what to try
  DelayClass delay = DelayClass::none;
  CauseDid cause = CauseDid::entered_late;
};

/// All metrics, parents before children, in display order.
const std::vector<MetricInfo>& all_metrics();

/// Index in all_metrics() = MetricId in every cube of an analysis. The id must exist (checked by assert).
cube::MetricId metric_index(std::string_view id);

/// nullptr if there is none.
const MetricInfo* find_metric_info(std::string_view id);

/// Of a wait state; that of most of them for an unknown id.
CauseDid cause_did(std::string_view metric);

}  // namespace mora::analysis
