/// How two traces of one program differ (`mora pattern dryrun --verify`). Pure functions, thread-safe.
#pragma once

#include <vector>

#include "predict/pattern/check/check.h"
#include "predict/pattern/trace.h"

namespace mora::predict {

/// Call by call, for every rank present in both: the first call that differs, with the call of each trace. Data that
/// a dry run cannot know (source of a wildcard receive, bytes that arrived, order of completions) is not compared.
std::vector<Disagreement> compare_patterns(const PatternTrace& real, const PatternTrace& dry);

}  // namespace mora::predict
