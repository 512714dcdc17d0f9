/// Bounds against quadratic cost, in processor time: a machine with other work gives as much of it as an idle one.
#pragma once

#include <ctime>

namespace mora {

/// Seconds that all threads of the process have used.
inline double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace mora
