/// When each event of a trace happens in a replay: its place among the actions of its location, and when these were
/// over. Sixteen bytes for each event and eight for each action; what does not fit in `memory` is on disk.
#pragma once

#include "replay/actions/action.h"

namespace mora::replay {

struct ReplayedTimes {
  ReplayedTimes(std::size_t locations, std::size_t memory) : places(locations, memory), ends(locations, memory) {}
  Spool<EventPlace> places;         ///< of each event
  Spool<Nanoseconds> ends;          ///< of each action
  std::vector<Nanoseconds> begins;  ///< by location
};

}  // namespace mora::replay
