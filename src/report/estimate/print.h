/// An estimate, and what it proposes, as text and JSON. Pure functions.
#pragma once

#include <string>

#include "base/table/text_page.h"
#include "report/estimate/estimate.h"
#include "report/estimate/proposal.h"

namespace mora::report {

/// What is printed of one run. `proposal`: nothing without a budget; `filter_file`: that of `-o`, or a usual name.
struct PrintedEstimate {
  const Estimate& estimate;
  const RecordedFacts& facts;
  std::string name;
  const Proposal* proposal = nullptr;
  std::string filter_file = {};
};

/// Sections for people; lists are cut to `options.top` rows.
std::string estimate_text(const PrintedEstimate& printed, const TextOptions& options);
/// docs/user/estimate.md; all rows.
std::string estimate_json(const PrintedEstimate& printed);

}  // namespace mora::report
