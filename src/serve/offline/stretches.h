/// The timeline of a page without a server: the whole run in levels of detail, every call around chosen instances.
#pragma once

#include <string>
#include <vector>

#include "serve/timeline/timeline.h"

namespace mora::serve {

/// A wait whose surroundings are kept in full.
struct Surroundings {
  Nanoseconds begin = 0, end = 0;
  std::uint32_t rank = 0;
  std::uint32_t cause = 0;  ///< = rank: none
};

/// Fields of an object, without its braces: "stretches": [{"from", "until", "first", "count", "kind", "picture" (base64
/// of Timeline::picture), "messages", "collectives", and with windows "epochs" and "transfers": the messages in each
/// way} …]: first the whole run, then, if it is one of bins, parts of it with more
/// columns, then the surroundings; "call_details": {number of an ENTER: Timeline::call_json}, of at most some thousand
/// calls, those of the surroundings first. Empty if the trace has no events. Errors: those of the trace.
Result<std::string> stretches_json(const Timeline& timeline, const std::vector<Surroundings>& around);

}  // namespace mora::serve
