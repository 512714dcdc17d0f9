/// Replacing the process by Python: shared by `mora script` and `mora shell`.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace mora::cli {

/// Replaces this process by `python3 -m mora.scripting WORDS…` with the `mora` package of this build or installation;
/// so the exit code is Python's. Returns only on failure. Errors: system, if there is no Python (MORA_PYTHON chooses
/// another than /usr/bin/python3), no package, or no extension for this Python.
Result<int> become_python(const std::vector<std::string>& words);

}  // namespace mora::cli
