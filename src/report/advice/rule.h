/// A rule of the advice: its condition, what it says when it fires, and the evidence for it.
///
/// Each rule is one declaration in a file of its kind (rules_*.cpp): id, number, condition in words, thresholds,
/// advice, source, and judge(), which examines one loss of one interval. judge() returns nothing, or a conclusion: the
/// cause in one sentence, evidence, how much of the loss it explains, the two numbers that were compared, and an upper
/// bound of the gain (gain.h). Pure functions of the question; as thread-safe as the ledger.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "report/advice/ledger.h"

namespace mora::report::advice {

/// The amount of one characteristic of one process.
inline Nanoseconds amount_of(const analysis::ProcessAmounts& process, analysis::Characteristic c) {
  return process.value(c);
}

/// What a rule is asked: the loss `loss` of interval `interval`.
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

/// One rule: texts, and the function that judges.
struct Rule {
  std::string_view id;  ///< "rule-3", "wrong-order"
  unsigned number;      ///< 1 … 12 follow the method of DVM analyser, 4.3; 0 = the rule has an id only
  std::string_view title;
  std::vector<Loss> losses;  ///< that it can explain
  std::string_view condition;
  std::string_view advice;
  std::string_view source;
  std::vector<Threshold> thresholds;
  std::optional<Conclusion> (*judge)(const Question&);
  /// It says what kind of loss there is rather than why: listed after causes of at least medium confidence.
  bool is_general = false;
  /// It does not depend on waiting, so it holds even where waiting could not be computed.
  bool is_without_waiting = false;
};

/// All rules: the numbered ones in order, then the others.
const std::vector<const Rule*>& all_rules();

/// The rules of each file (rules_*.cpp), in the order in which they are tried.
std::vector<const Rule*> parallelism_rules();
std::vector<const Rule*> desynchronisation_rules();
std::vector<const Rule*> dependency_rules();
std::vector<const Rule*> transfer_rules();
std::vector<const Rule*> wait_rules();
std::vector<const Rule*> one_sided_rules();
std::vector<const Rule*> figures_rules();

// ---- what judge() functions share ------------------------------------------------------------------------

/// Nothing unless measure >= threshold > 0 and explained > 0; then a conclusion with these numbers, whose texts and
/// evidence the rule fills in.
std::optional<Conclusion> conclusion_if(const Question& question, Nanoseconds explained, double measure,
                                        double threshold);

/// The ranks that wait in these metrics.
std::vector<std::uint32_t> waiting_ranks(const Question& question, Ids metrics);
/// Where waiting of these metrics is at least `part` of the loss, a communication: with its share, its three largest
/// places and the ranks that wait as evidence.
std::optional<Conclusion> conclusion_on_waiting(const Question& question, Ids metrics, const char* name);

/// A fact with an amount of nanoseconds; `text` is for people.
Fact time_fact(std::string key, Nanoseconds amount, std::string text);
/// "waiting 90 ns, 92.78 % of communication"
Fact share_fact(std::string key, std::string_view name, Nanoseconds amount, Nanoseconds of, std::string_view whole);
/// A fact with a number of occurrences.
Fact count_fact(std::string key, std::int64_t amount, std::string text);

/// Time that the interval's processes wait in MPI at one call path.
Nanoseconds waiting_at(const Ledger& ledger, std::size_t interval, cube::CallPathId call_path);

/// Adds a fact, a rank and a place: which rank computes more, and where.
void add_load(const Question& question, const Load& load, std::size_t interval, Conclusion& conclusion);
/// Adds a fact, a rank and a place: which rank delays the others, and where.
void add_delayer(const Question& question, const Delayer& delayer, Conclusion& conclusion);
/// The rank that has more than half of all delay costs of the program.
std::optional<Delayer> main_delayer(const Question& question);
void add_main_delayer(const Question& question, Conclusion& conclusion);
/// The largest finding of the interval.
void add_where_waited(const Question& question, Conclusion& conclusion);
/// "rank 3 computes 1.9 times the mean in solve (solve.c:88)"
std::string load_text(const Ledger& ledger, const Load& load);

}  // namespace mora::report::advice
