/// When ranks waited, as the page Matrix draws it: what the analysis kept, in bars. Pure function; thread-safe.
#pragma once

#include <string>

#include "cube/cube.h"
#include "cube/kept/waiting_over_time.h"
#include "serve/site.h"

namespace mora::serve {

/// Query: `from`, `until` (ns; default: all), `bars` at most (240). {"from": begin of the first bar, "length": of a
/// bar, "waits": [{"metric", "name", "all": ns in the run, "ns": by bar} …]}: wait states that do not overlap, the
/// largest first. Bars are whole parts of those that were kept, so the first and last may reach out of the stretch, and
/// there are fewer than asked for where these are longer. `kept` nullptr: "waits" is null. Errors (usage).
Result<std::string> waiting_json(const cube::Cube& cube, const cube::WaitingOverTime* kept, const Query& query);

}  // namespace mora::serve
