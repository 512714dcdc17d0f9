/// The source text that a call path names, with what each of its lines costs.
#pragma once

#include <string>

#include "cube/cube.h"
#include "serve/site.h"

namespace mora::serve {

/// Query: `path` (index), `metric`, `own` as paths_json. {"file", "line", "text": lines or null, "why": why there is no
/// text, "costs": [[line, value] …]}: the values of all call paths that name this file, those of one line added up.
/// Only files that call paths name are read. Errors (usage): no such call path or metric.
Result<std::string> source_json(const cube::Cube& cube, const Query& query);

}  // namespace mora::serve
