/// docs/formats/metrics.md, made from the texts beside the code. A test compares the file with it.
#pragma once

#include <string>

namespace mora::analysis {

std::string metrics_page();

}  // namespace mora::analysis
