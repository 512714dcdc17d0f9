#include "base/version.h"

namespace mora {

const char* version() { return MORA_VERSION; }

}  // namespace mora
