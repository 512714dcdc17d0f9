/// What the rows of one kind in a table of data quality say.
#pragma once

#include <string>

#include "base/data_quality.h"

namespace mora::predict {

inline std::uint64_t quality_count(const DataQuality& quality, const std::string& kind) {
  std::uint64_t count = 0;
  for (const auto& row : quality.rows())
    if (row.kind == kind) count += row.count;
  return count;
}

inline std::string quality_text(const DataQuality& quality, const std::string& kind) {
  for (const auto& row : quality.rows())
    if (row.kind == kind) return row.what;
  return {};
}

}  // namespace mora::predict
