/// What `mora record` and `mora recover` say about the experiment they made.
#pragma once

#include <string>
#include <vector>

#include "experiment/manifest.h"

namespace mora::experiment {

/// Lines for people, each ended by a newline.
std::string experiment_banner(const Manifest& manifest);

/// One line of JSON: a list with one object per experiment.
std::string experiments_json(const std::vector<Manifest>& manifests, int launcher_exit);

}  // namespace mora::experiment
