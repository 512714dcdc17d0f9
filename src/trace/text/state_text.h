/// States of a view as text and JSON: region stacks and the message queue after an event (`mora print --at`).
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "base/numbers/rank_list.h"
#include "trace/view/view.h"

namespace mora::trace {

/// Which part of a state is shown.
struct StateQuery {
  Position at = 0;                           ///< state after this event; 0 = the empty one before the first
  std::optional<RankList> stacks;            ///< of these ranks; nullopt: none
  bool queue = false;                        ///< messages sent and not received …
  std::optional<std::uint32_t> destination;  ///< … to this rank
  std::optional<std::uint32_t> source;       ///< … and from this one
};

/// "all", "DEST" or "DEST,SRC" (EARL's order) into `query`. Errors: usage.
Result<void> parse_queue(const std::string& text, StateQuery& query);

/// Numbers of ENTERs and SENDs, youngest first, as EARL lists them. Errors (usage): no such rank, no such event.
Result<std::string> state_text(const View& view, const StateQuery& query);
Result<std::string> state_json(const View& view, const StateQuery& query);

}  // namespace mora::trace
