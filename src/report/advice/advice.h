/// Advice: the step-by-step method of efficiency debugging (spec/003 2.9) done by the machine.
///
/// It starts at level 0, splits the lost time, and walks from every loss that counts, the largest first, down into the
/// interval that has most of it (D-7) and to its most probable causes by rules. A rule (rule.h) looks at intervals,
/// wait states and their causes; what it concludes has evidence, a confidence, and the gain to expect at most. No rule
/// that fires: no advice. docs/formats/advice.md has the formulas.
///
/// Pure functions of their input; safe from any thread. Amounts are ns; doubles are ratios of them, made last.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "analysis/efficiency/one_process.h"
#include "report/advice/thresholds.h"
#include "report/report.h"
#include "report/report_data.h"

namespace mora::report::advice {

/// Parts of the lost time; `figures`: nothing is lost, but the figures are not to be trusted.
enum class Loss : std::uint8_t { insufficient_parallelism, system, communication, idle, measurement, figures };
inline constexpr std::size_t losses = 6;
std::string_view key_of(Loss loss);   ///< "insufficient_parallelism"
std::string_view name_of(Loss loss);  ///< "insufficient parallelism"

/// A part of the program that a conclusion points at.
struct Place {
  std::string label;  ///< "MPI_Recv@ring.c:42", "compute MPI_Send@a.c:12 -> MPI_Recv@a.c:20", "main > solve"
  CallSite site;
  std::optional<std::uint32_t> rank;
  Nanoseconds amount = 0;
  std::string of;  ///< what the amount is of: a characteristic or metric
};

/// One number that a conclusion rests on.
struct Fact {
  std::string key;  ///< characteristic, metric id, or a name of docs/formats/advice.md
  std::int64_t amount = 0;
  cube::Unit unit = cube::Unit::seconds;
  std::string text;  ///< for people
};

struct Conclusion {
  std::string rule;     ///< "rule-3", "late-sender-chain"
  unsigned number = 0;  ///< in the thesis's table; 0 = not there
  std::string title;
  Loss loss = Loss::communication;
  std::size_t interval = 0;  ///< index in the table
  std::string what;          ///< one sentence: the cause
  std::vector<Fact> evidence;
  std::vector<std::uint32_t> ranks;  ///< whom to look at
  std::vector<Place> places;
  Nanoseconds loss_amount = 0;  ///< of that loss in the interval
  Nanoseconds explained = 0;    ///< the part of it that this cause explains, at most loss_amount (figures: what is off)
  double measure = 0, threshold = 0;  ///< what the rule compared
  double confidence = 0;              ///< explained / loss_amount x min(1, measure / (2 threshold))
  Nanoseconds gain = 0;               ///< of run time, at most
  std::string gain_reason;
  std::string advice, source;
};
std::string_view confidence_word(double confidence);  ///< high from 0.6, medium from 0.3, else low

/// One step of a walk.
struct Step {
  std::string kind;  ///< "loss", "interval", "cancels", "spread" … (docs/formats/advice.md)
  std::size_t interval = 0;
  std::string subject;  ///< key of what the amount is of
  Nanoseconds amount = 0;
  Nanoseconds of = 0;  ///< the whole that it is a share of
  std::string text;
};

struct Walk {
  Loss loss = Loss::communication;
  std::vector<Step> steps;
  std::vector<std::size_t> conclusions;  ///< indices, most probable first
};

struct Advice {
  std::string program;
  std::uint32_t processes = 0;
  Nanoseconds execution = 0, total = 0, productive = 0, lost = 0;
  double efficiency = 1;
  bool nothing_to_gain = false;            ///< the efficiency is above the threshold, or the run time is enough
  std::optional<Nanoseconds> enough_time;  ///< as asked for
  bool is_time_enough = false;
  std::string verdict;
  std::vector<std::string> caveats;
  std::vector<std::pair<Loss, Nanoseconds>> split;  ///< of level 0, largest first, zeros left out
  std::vector<Walk> walks;
  std::vector<Conclusion> conclusions;                     ///< in order of the walks, most probable first
  std::vector<std::pair<std::string, std::string>> rules;  ///< names() of the table's rules
  Thresholds thresholds;
  const analysis::IntervalTable* table = nullptr;
};

struct Input {
  const ReportData& data;  ///< findings of the same analysis; may be empty
  const cube::Cube& cube;
  const analysis::IntervalTable& table;
  const analysis::OneProcessComparison* one_process = nullptr;  ///< with a run of one process (rule 10)
  /// The goal is a run time (D-0): a run that takes no longer needs no advice. nullopt: the goal is efficiency.
  std::optional<Nanoseconds> enough_time;
  std::string left_out;  ///< of the table, in words; empty: nothing
};

/// `input` outlives the result.
Advice advise(const Input& input, const Thresholds& thresholds);

std::string advice_text(const Advice& advice, const TextOptions& options);
/// docs/formats/advice.md
std::string advice_json(const Advice& advice);
std::string advice_markdown(const Advice& advice, unsigned top = 10);

/// All rules: condition, advice, source, thresholds in force.
std::string rules_text(const Thresholds& thresholds, unsigned width);
std::string rules_json(const Thresholds& thresholds);

}  // namespace mora::report::advice
