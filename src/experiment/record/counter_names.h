/// Names of counters (mora record --counters), as perf has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::experiment {

/// Known names, for help: not those with modifiers, and not raw ones.
const std::vector<std::string>& counter_names();

/// "cycles,page-faults:u,r1a2" as the recorder reads it (measure/counters/counter_set.h). A name may stand there once;
/// behind it ":u" or ":k": the program or the kernel alone. Errors (usage): a name that is not known, too many.
Result<std::string> read_counters(std::string_view list);

}  // namespace mora::experiment
