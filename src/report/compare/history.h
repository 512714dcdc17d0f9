/// Key figures of many runs in order: a table and a picture. Rows are the configurations of a comparison; each column
/// is a figure of an interval. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "report/compare/compare_report.h"

namespace mora::compare {

/// A figure of an interval with its values in the order of the runs.
struct HistoryColumn {
  std::size_t interval = 0;
  std::string label;           ///< "Execution Time", "Lost Time @ 0.1 solve.c:20"
  std::vector<Spread> values;  ///< by configuration
  FigureUnit unit = FigureUnit::seconds;
  std::string key;
};

/// The table of `--history`.
struct History {
  std::vector<std::string> labels, dates;  ///< by configuration
  std::vector<std::uint32_t> processes, runs;
  std::vector<HistoryColumn> columns;
  std::vector<std::pair<std::string, std::string>> rules;  ///< rules_of()
  std::vector<std::string> without_ids;                    ///< what was left out
  std::vector<std::string> definitions;                    ///< the same in words
};

/// `figures`: "NAME" or "NAME @ INTERVAL"; none: execution time, efficiency, parallel efficiency with load balance and
/// communication efficiency, lost, communication and idle time. Errors: usage: an unknown figure or interval.
Result<History> make_history(const Comparison& comparison, const std::vector<std::string>& figures);

/// One function per format.
std::string history_text(const History& history, const Beside& beside, const CompareTextOptions& options);
std::string history_json(const History& history, const Beside& beside);
std::string history_csv(const History& history);
std::string history_markdown(const History& history, const Beside& beside);

/// One self-contained SVG, legible on light and on dark: a panel for each unit, a line with points for each figure, a
/// bar from least to most where several runs are one point.
std::string history_picture(const History& history);

}  // namespace mora::compare
