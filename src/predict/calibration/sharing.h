/// What pairs of ranks share that communicate at once: R_N of max-rate as time per byte (Gropp 2016).
///
/// k messages of n bytes that begin at once take T_k = T_1 + n max(0, k b - G), T_1 what one takes alone, G the time
/// per byte on the way that the machine model gives one message, b = 1 / R_N. So each size of each k that is slower
/// than one pair alone says b = (T_k - T_1 + n G) / (n k); the median of all stands (rate_quantity). A k is slower if
/// the intervals of T_k and T_1 are apart for more than a half of its sizes. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/calibration/quantity.h"
#include "predict/machine/message_model.h"

namespace mora::predict {

struct Sharing {
  std::optional<Quantity> ns_per_byte;  ///< nothing: it was not found
  std::string why_not;                  ///< … since
};

/// `what`: "memory", "connection". `processors`: of the node, which bound how many pairs can be measured; `each`: how
/// many of them a pair needs there (2 on one node, 1 across). `model`: of the class of the pairs.
Sharing sharing_of(const ClassSamples& samples, const MessageModel& model, std::uint32_t processors, std::uint32_t each,
                   const std::string& what);

}  // namespace mora::predict
