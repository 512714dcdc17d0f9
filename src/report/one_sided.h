/// One-sided communication beyond times: rules of MPI that were broken, and who transferred how much to whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/time.h"

namespace mora::analysis {
struct AnalysisResult;
}

namespace mora::report {

struct ReportData;
class TextPage;

/// The call of a rank that broke the rule, or that of its partner, at the first occurrence.
struct CheckedCall {
  std::uint32_t rank = 0;
  std::vector<std::string> call_path;  ///< labels from the root
  std::string file;                    ///< call site; empty = unknown
  std::uint32_t line = 0;
  Nanoseconds begin = 0, end = 0;
};

/// A rule of MPI that was broken on a window: how often, and the first time.
struct Check {
  std::string rule, name;  ///< "double-lock", "Target locked twice"
  std::string window;
  std::uint64_t instances = 0;
  CheckedCall call;
  std::optional<std::uint32_t> partner_rank;
  std::optional<CheckedCall> partner;  ///< its call, if it did anything
  std::string what, advice, source;
};

/// All transfers of one kind from one origin to one target (ranks of MPI_COMM_WORLD).
struct Transfer {
  std::uint32_t origin = 0, target = 0;
  std::string kind;  ///< "put", "get", "atomic"
  std::uint64_t operations = 0, bytes = 0;
};

/// The broken rules and the transfers of an analysis, in the order in which it has them.
std::vector<Check> checks_of(const analysis::AnalysisResult& result);
std::vector<Transfer> transfers_of(const analysis::AnalysisResult& result);

/// The values of "checks" and "transfers" in findings.json.
void write_checks(JsonWriter& json, const std::vector<Check>& checks);
void write_transfers(JsonWriter& json, const std::vector<Transfer>& transfers);

/// `mora report --transfers`: origin,target,kind,operations,bytes.
std::string transfers_csv(const ReportData& data);
std::string transfers_json(const ReportData& data);
/// A table for people.
std::string transfers_text(const ReportData& data, unsigned top);

/// Section of the text report: nothing if no rule was broken.
void checks_section(const ReportData& data, TextPage& page);

}  // namespace mora::report
