/// The browser application, built from viewer/ and compiled in (viewer/CMakeLists.txt).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::serve {

struct Asset {
  std::string name;  ///< in the URL; "" is the page
  std::string type;
  std::string_view text;
};

/// Empty if it could not be built: then why_no_assets() says why. Thread-safe.
const std::vector<Asset>& assets();
const std::string& why_no_assets();

/// The error that says so.
inline tl::unexpected<Error> no_viewer() {
  return fail(ErrorKind::system, "this Mora was built without its viewer", "", why_no_assets(),
              "install npm, then build again with `make`; until then `mora report` prints the results as text");
}

/// The same application as one page, with its data (gzip as base64) between the two parts.
struct OfflineShell {
  std::string_view head, tail;
};
const OfflineShell& offline_shell();

}  // namespace mora::serve
