/// Names of metrics in the literature that differ from Mora's: what people who know KOJAK, Scalasca or the DVM analyser
/// may ask `mora explain` for. Read-only; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric_info.h"

namespace mora::analysis {

struct MetricAlias {
  std::string_view name;    ///< as printed there: "Late All Complete"
  std::string_view id;      ///< of the metric: "early-wait"
  std::string_view source;  ///< key of docs/sources.md
};
/// All of them, in the order of the table.
const std::vector<MetricAlias>& metric_aliases();

/// The metric of an id, a display name, an alias, or a title of Scalasca's documentation ("MPI Late Sender Time"), in
/// any case, with blanks, '-' or '_' between the words. nullptr if there is none.
const MetricInfo* find_metric_by_any_name(std::string_view name);

/// "Late All Complete (Hermanns 2004)", several separated by "; "; empty if the metric has no other name.
std::string other_names(const MetricInfo& info);

/// Lower case, with '-' in place of blanks and '_': the form in which names are compared.
std::string name_to_compare(std::string_view name);

}  // namespace mora::analysis
