/// The version of Mora, from the project() line of CMakeLists.txt.
#pragma once

namespace mora {

/// For example "0.2.0".
const char* version();

}  // namespace mora
