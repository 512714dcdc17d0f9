/// Rows of the data-quality table as people read them: one per kind and cause, not one per rank.
#pragma once

#include <vector>

#include "base/data_quality.h"

namespace mora {

/// Rows that say the same of different places as one, at the place of the first: counts are added, places are listed
/// ("rank 0, rank 1 and 3 more"), and what it means for the numbers stands behind the sentence where that does not tell
/// it (rows of severity info leave them right). JSON keeps the rows as they are. Pure; O(rows log rows).
std::vector<QualityRow> by_cause(const std::vector<QualityRow>& rows);

}  // namespace mora
