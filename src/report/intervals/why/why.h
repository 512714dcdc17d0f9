/// `mora report --why`: the explanation of one number. It holds the formula of the characteristic and its source, the
/// operands down to metrics of the cube, the call paths that contribute, and the calls in the trace behind them (wanted
/// by DVM analyser, 5.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/efficiency/interval_table.h"
#include "base/error.h"
#include "trace/source.h"

namespace mora::report {

/// Which number.
struct Question {
  std::size_t interval = 0;
  analysis::Characteristic characteristic = analysis::Characteristic::lost_time;
  std::optional<std::size_t> process;  ///< index in the interval's processes; nullopt = the interval's value
};

/// "0.1/idle_time/3", "solve.c:20#2/lost_time", "efficiency" (of the program). Names of characteristics as in JSON or
/// as in the text report. Errors: usage, with what there is.
Result<Question> parse_question(const std::string& text, const analysis::IntervalTable& table);

/// The explanation of a POP metric ("0.1/load_balance") or of an amount per function ("0/MPI_Recv/communication/3"),
/// without calls; nullopt if the text asks for neither, or what it names is not there.
std::optional<std::string> why_figure(const cube::Cube& cube, const analysis::IntervalTable& table,
                                      const std::string& text);

/// A term of a formula.
struct Operand {
  std::string name;
  Nanoseconds value = 0;
  bool is_subtracted = false;
  bool is_count = false;  ///< `value` is a number, not a time
  std::string remark;     ///< "of rank 2, the longest"
  std::vector<Operand> operands;
};
/// The number as a tree of sums; the root's value is the number's. Efficiency is a quotient: its two operands.
Operand operands_of(const analysis::IntervalTable& table, const Question& question);

/// What one call path adds to the number.
struct Contribution {
  cube::CallPathId call_path = 0;
  Nanoseconds amount = 0;
  std::int64_t visits = 0;
  std::vector<std::string> metrics;  ///< ids, of which the amount is a sum
};
/// Largest first. Their sum is the number - but for what no call path has: idle time, repeated computation, the
/// compensation of useful MPI time. Of idle time and load imbalance: what the process with the maximum has more than
/// this one.
std::vector<Contribution> contributions_of(const cube::Cube& cube, const analysis::IntervalTable& table,
                                           const Question& question);

/// One call, or one stretch of computation, in the trace.
struct CallBehind {
  Nanoseconds enter = 0, leave = 0;
  Nanoseconds amount = 0;  ///< its own time, without calls in it
  cube::CallPathId call_path = cube::no_id;
  std::string what;  ///< "to rank 1, 8 bytes"
};
/// The calls, largest first, their sum, and remarks about what the sum does not contain.
struct CallsBehind {
  std::uint32_t rank = 0;
  std::vector<CallBehind> calls;  ///< largest first
  Nanoseconds sum = 0;            ///< of all of them
  std::vector<std::string> remarks;
};
/// The calls of the process (of the one with the largest value if the question is about all) on call paths that
/// contribute, inside the interval. `source` is the trace with its intervals, as it was analysed (trace/intervals/).
/// Errors: of reading it.
Result<CallsBehind> calls_behind(trace::Source& source, const cube::Cube& cube, const analysis::IntervalTable& table,
                                 const Question& question);

/// The same of real_synchronization, exactly: every single wait. `source` is the trace as it is; `options` those of its
/// analysis. Reads it once per wait state and call path, at most four times. Errors: as of analyze(); unreadable, if
/// the trace has other call paths.
Result<CallsBehind> waits_behind(trace::Source& source, const std::string& trace_path, analysis::AnalyzeOptions options,
                                 const cube::Cube& cube, const analysis::IntervalTable& table,
                                 const Question& question);

/// Index of the process that has most of it. Precondition: the interval has processes.
std::size_t largest_process(const analysis::Interval& interval, analysis::Characteristic characteristic);

/// Width in columns; `limit` calls and call paths are listed, 0 = all.
struct WhyOptions {
  std::size_t limit = 10;  ///< calls and call paths listed; 0 = all
  unsigned width = 100;
};
/// `behind` null: no trace was found, or it cannot tell; `why_no_calls` says so.
std::string why_text(const cube::Cube& cube, const analysis::IntervalTable& table, const Question& question,
                     const CallsBehind* behind, const std::string& why_no_calls, const WhyOptions& options);

}  // namespace mora::report
