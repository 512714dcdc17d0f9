/// One self-contained page: the application of `mora view` with its answers inside (docs/formats/timeline.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace mora::serve {

/// What the page holds besides its script and style. All texts are JSON.
struct PageContent {
  std::vector<std::pair<std::string, std::string>> answers;  ///< by the name that a server has them under
  std::string store;                                         ///< store_json
  std::string stretches;                                     ///< stretches_json; empty: no timeline
};

/// Text of the file. Errors (system): Mora was built without its viewer; no memory.
Result<std::string> offline_page(const PageContent& content);

}  // namespace mora::serve
