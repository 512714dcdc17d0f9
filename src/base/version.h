/// The version of Mora, from the project() line of CMakeLists.txt.
#pragma once

namespace mora {

/// "MAJOR.MINOR.PATCH", e.g. "0.2.0"; static storage.
const char* version();

}  // namespace mora
