/// What a view of a small trace must hold, written from the rules as plainly as possible. Tests only.
///
/// One list of all events in the view's order, with the links that follow from the program (posting order of receives,
/// identity of transfers), but without enter pointers and chains: naive_model.h adds those. Quadratic on purpose:
/// nothing is shared with the code under test. Rules: view/view.h, index/item_merge.h (order), links/channel.h and
/// links/transfers.h (matching).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/memory_source.h"
#include "trace/view/view.h"

namespace mora::trace::naive {

struct Merged {
  std::vector<ViewEvent> events;  ///< event i at index i - 1; link as in a view; enter and, but for early receives and
                                  ///< their sends, forward 0
  std::map<std::string, std::uint64_t> damage;  ///< counts by kind of data-quality row
};

Merged merge(const MemorySource& trace, RmaModel model);

}  // namespace mora::trace::naive
