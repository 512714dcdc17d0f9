/// A rule of the advice: when it fires, what it then says, and why that is to be believed.
///
/// Each rule is one declaration in a file of its kind (rules_*.cpp): id, number, condition in words, thresholds,
/// advice, source, and judge(), which looks at one loss of one interval. judge() returns nothing, or a conclusion with
/// the cause in one sentence, evidence, how much of the loss it explains, what was compared with which threshold, and
/// the most to gain (gain.h).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "report/advice/ledger.h"

namespace mora::report::advice {

inline Nanoseconds amount_of(const analysis::ProcessAmounts& process, analysis::Characteristic c) {
  return process.amounts[static_cast<std::size_t>(c)];
}

struct Question {
  const Ledger& ledger;
  const Thresholds& limits;
  std::size_t interval = 0;
  Loss loss = Loss::communication;
  Nanoseconds amount = 0;  ///< of that loss in the interval; > 0 unless Loss::figures

  double limit(Threshold threshold) const { return limits[threshold]; }
  Nanoseconds value(analysis::Characteristic c) const { return ledger.value(interval, c); }
  std::size_t processes() const { return ledger.interval(interval).processes.size(); }
};

struct Rule {
  std::string_view id;  ///< "rule-3", "wrong-order"
  unsigned number;      ///< in the thesis's table (spec/003 D-10); 0 = not there
  std::string_view title;
  std::vector<Loss> losses;  ///< it explains
  std::string_view condition;
  std::string_view advice;
  std::string_view source;
  std::vector<Threshold> thresholds;
  std::optional<Conclusion> (*judge)(const Question&);
  /// It says what kind of loss there is rather than why: told after the causes that are at least medium sure.
  bool is_general = false;
  /// It holds even where waiting could not be computed.
  bool is_without_waiting = false;
};

/// All rules: the thesis's in order, then the others.
const std::vector<const Rule*>& all_rules();

std::vector<const Rule*> parallelism_rules();
std::vector<const Rule*> desynchronisation_rules();
std::vector<const Rule*> dependency_rules();
std::vector<const Rule*> transfer_rules();
std::vector<const Rule*> wait_rules();
std::vector<const Rule*> one_sided_rules();
std::vector<const Rule*> figures_rules();

// ---- what judges share -----------------------------------------------------------------------------------

/// Nothing unless measure >= threshold > 0 and something is explained; then a conclusion with these, all else to be
/// filled in.
std::optional<Conclusion> conclusion_if(const Question& question, Nanoseconds explained, double measure,
                                        double threshold);

Fact time_fact(std::string key, Nanoseconds amount, std::string text);
/// "waiting 90 ns, 92.78 % of communication"
Fact share_fact(std::string key, std::string_view name, Nanoseconds amount, Nanoseconds of, std::string_view whole);
Fact count_fact(std::string key, std::int64_t amount, std::string text);

/// What the interval's processes wait in one call path, in MPI.
Nanoseconds waiting_at(const Ledger& ledger, std::size_t interval, cube::CallPathId call_path);

/// Who computes more and where, as a fact, a rank and a place.
void add_load(const Question& question, const Load& load, std::size_t interval, Conclusion& conclusion);
/// Who is to blame and where, likewise.
void add_culprit(const Question& question, const Culprit& culprit, Conclusion& conclusion);
/// Who has more than half of all delay costs.
std::optional<Culprit> main_culprit(const Question& question);
void add_main_culprit(const Question& question, Conclusion& conclusion);
/// The largest finding of the interval.
void add_where_waited(const Question& question, Conclusion& conclusion);
/// "rank 3 computes 1.9 times the mean in solve (solve.c:88)"
std::string load_text(const Ledger& ledger, const Load& load);

}  // namespace mora::report::advice
