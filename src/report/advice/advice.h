/// Advice: the step-by-step method of finding the cause of lost time (DVM analyser, 4.3), done by the program.
///
/// It starts at level 0, splits the lost time, and follows every part that is large enough, the largest first, down to
/// the interval that has most of it (a walk); rules name the most probable causes there. A rule (rule.h) examines
/// intervals, wait states and their causes; its conclusion has evidence, a confidence, and an upper bound of the gain.
/// If no rule fires there is no advice. Formulas: docs/formats/advice.md; Mora's rules advice and confidence-and-gain.
///
/// Pure functions of their input; safe from any thread. Amounts are nanoseconds; ratios are doubles computed last.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/efficiency/interval_table.h"
#include "base/table/text_page.h"
#include "report/advice/thresholds.h"
#include "report/data/report_data.h"
#include "report/one_process/one_process.h"

namespace mora::report::advice {

/// Parts of the lost time; `figures`: nothing is lost, but the figures are not reliable.
enum class Loss : std::uint8_t { insufficient_parallelism, system, communication, device, idle, measurement, figures };
inline constexpr std::size_t losses = 7;
std::string_view key_of(Loss loss);   ///< "insufficient_parallelism"
std::string_view name_of(Loss loss);  ///< "repeated computation"

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

/// What a rule says about one loss of one interval.
struct Conclusion {
  std::string rule;     ///< "rule-3", "late-sender-chain"
  unsigned number = 0;  ///< of the rule (rule 1 … 12 follow DVM analyser, 4.3); 0 = it has an id only
  std::string title;
  Loss loss = Loss::communication;
  std::size_t interval = 0;  ///< index in the table
  std::string what;          ///< one sentence: the cause
  std::vector<Fact> evidence;
  std::vector<std::uint32_t> ranks;  ///< ranks to look at first
  std::vector<Place> places;
  Nanoseconds loss_amount = 0;  ///< of that loss in the interval
  Nanoseconds explained = 0;    ///< the part of it that this cause explains, at most loss_amount (figures: the error)
  double measure = 0, threshold = 0;  ///< the two numbers that the rule compared
  double confidence = 0;              ///< explained / loss_amount x min(1, measure / (2 threshold))
  Nanoseconds gain = 0;               ///< upper bound, in run time
  std::string gain_reason;
  std::string advice, source;
};
std::string_view confidence_word(double confidence);  ///< high from 0.6, medium from 0.3, else low

/// One step of a walk: which part of the loss is where, or which rule fired.
struct Step {
  std::string kind;  ///< "loss", "interval", "cancels", "spread" … (docs/formats/advice.md)
  std::size_t interval = 0;
  std::string subject;  ///< key of what the amount is of
  Nanoseconds amount = 0;
  Nanoseconds of = 0;  ///< the whole that it is a share of
  std::string text;
};

/// The way from one part of the lost time to the interval that has most of it, and to its causes.
struct Walk {
  Loss loss = Loss::communication;
  std::vector<Step> steps;
  std::vector<std::size_t> conclusions;  ///< indices, most probable first
};

/// The result of the method: split, walks and conclusions of the program.
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

/// What the method reads. All references must outlive the advice.
struct Input {
  const ReportData& data;  ///< findings of the same analysis; may be empty
  const cube::Cube& cube;
  const analysis::IntervalTable& table;
  const OneProcessComparison* one_process = nullptr;  ///< with a run of one process (rule 10)
  /// The goal is a run time: a run that takes no longer gets no advice. nullopt: the goal is efficiency.
  std::optional<Nanoseconds> enough_time;
  std::string left_out;  ///< intervals that were left out of the table, in words; empty: none
};

/// The whole method. The result points into `input`, which must outlive it.
Advice advise(const Input& input, const Thresholds& thresholds);

/// For a terminal: verdict, caveats, steps, conclusions.
std::string advice_text(const Advice& advice, const TextOptions& options);
/// docs/formats/advice.md
std::string advice_json(const Advice& advice, const std::vector<QualityRow>& quality);
/// For tickets: at most `top` conclusions, 0 = all.
std::string advice_markdown(const Advice& advice, unsigned top = 10);

/// `mora advise --list-rules`: condition, advice and source of every rule; the thresholds in force.
std::string rules_text(const Thresholds& thresholds, unsigned width);
std::string rules_json(const Thresholds& thresholds);

}  // namespace mora::report::advice
