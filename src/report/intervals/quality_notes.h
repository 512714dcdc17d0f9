/// Damage is stated beside the numbers it touches: rows of the data-quality table as notes of intervals.
#pragma once

#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "base/data_quality.h"

namespace mora::report {

/// Adds a note per kind of damage to each interval that the rank concerned executed - to all, if a row names no rank.
/// Rows of severity info are left out: figures are right.
void add_quality_notes(const std::vector<QualityRow>& rows, const cube::Cube& cube, analysis::IntervalTable& table);

}  // namespace mora::report
