/// Whether a correction, a run and a machine model belong together. Pure functions, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/definitions.h"

namespace mora::predict {

/// Of what a machine model says of costs: the same for files that differ only in layout, `name` and `calibration`. 16
/// hexadecimal digits. `text` is JSON.
std::string machine_digest(std::string_view text);

/// The host that `mora calibrate` measured; empty: the model does not say.
std::string measured_host(std::string_view text);

/// Whether one of the nodes may be of the machine that `host` is of: domains and numbers at the end of names do not
/// count. True where either is not known.
bool may_be_of(const std::string& host, const std::vector<trace::Node>& nodes);

}  // namespace mora::predict
