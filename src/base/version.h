/// The version of Mora, from the project() line of CMakeLists.txt.
#pragma once

namespace mora {

/// "0.1.0"
const char* version();

}  // namespace mora
