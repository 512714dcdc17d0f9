/// The browser application, built from viewer/ and compiled in (viewer/CMakeLists.txt).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mora::serve {

struct Asset {
  std::string name;  ///< in the URL; "" is the page
  std::string type;
  std::string_view text;
};

/// Empty if it could not be built: then why_no_assets() says why. Thread-safe.
const std::vector<Asset>& assets();
const std::string& why_no_assets();

}  // namespace mora::serve
