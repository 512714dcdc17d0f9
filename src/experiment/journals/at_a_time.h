/// Which records that are no calls have a time of their own. Pure; safe from any thread.
#pragma once

#include "journal/format.h"

namespace mora::experiment {

/// Begins and ends of regions, marks and teams, and what the recorder did meanwhile. All others are facts (definitions,
/// notes), or tell of the record next to them.
inline bool is_at_a_time(unsigned shape) {
  switch (shape) {
    case MORA_SHAPE_OVERHEAD:
    case MORA_SHAPE_RECORDING:
    case MORA_SHAPE_FUNCTION_BEGIN:
    case MORA_SHAPE_FUNCTION_END:
    case MORA_SHAPE_MARK_BEGIN:
    case MORA_SHAPE_MARK_END:
    case MORA_SHAPE_TEAM:
    case MORA_SHAPE_SYNC:
      return true;
    default:
      return false;
  }
}

}  // namespace mora::experiment
