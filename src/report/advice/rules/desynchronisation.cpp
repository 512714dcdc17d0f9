/// Rules for processes that arrive at different times: load imbalance (rule 3), time variation of collectives (rule 4),
/// imbalances of parts that cancel out or that lie before the interval (rule 5), and idle time at the end (rule 8).
///
/// Source: DVM analyser, 4.3. That text compares its estimates of synchronisation; Mora compares the sum of the wait
/// states (real synchronisation), because only of that time it is known that a process did nothing (Mora's rule
/// advice). At most one of rules 3, 4 and 5 fires: the one whose quantity is as large as the waiting.
///
/// Cost: linear in the call paths of the interval times its processes; rule 5 also that of delays_behind()
/// (delays.h).
#include <algorithm>

#include <fmt/format.h>

#include "base/text/rank_words.h"
#include "report/advice/delays.h"
#include "report/advice/gain.h"
#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

using analysis::Characteristic;

struct Desynchronisation {
  Nanoseconds waiting = 0, imbalance = 0, variation = 0;
  bool is_large = false;      ///< waiting ≈ communication
  bool is_imbalance = false;  ///< imbalance ≈ waiting
  bool is_variation = false;  ///< time variation ≈ waiting
};

Desynchronisation desynchronisation(const Question& question) {
  Desynchronisation d;
  d.waiting = question.value(Characteristic::real_synchronization);
  d.imbalance = question.value(Characteristic::load_imbalance);
  d.variation = question.value(Characteristic::time_variation);
  const double dominant = question.limit(Threshold::dominant);
  d.is_large = d.waiting > 0 && ratio(d.waiting, question.amount) >= dominant;
  d.is_imbalance = d.waiting > 0 && ratio(d.imbalance, d.waiting) >= dominant;
  d.is_variation = d.waiting > 0 && ratio(d.variation, d.waiting) >= dominant;
  return d;
}

void add_waiting(const Question& question, const Desynchronisation& d, Conclusion& conclusion) {
  conclusion.evidence.push_back(
      share_fact("real_synchronization", "waiting", d.waiting, question.amount, "communication"));
  conclusion.evidence.push_back(
      time_fact("potential_synchronization", question.value(Characteristic::potential_synchronization),
                fmt::format("potential synchronisation {}",
                            time_for_people(question.value(Characteristic::potential_synchronization)))));
}

/// True if the additional computation of a process (compared with the mean of the others), times the number of waiting
/// processes, is at least `dominant` of the waiting. Without this test every waiting would look like an imbalance,
/// since a process that waits computes less meanwhile.
bool computes_enough_more(const Question& question, const Load& load, Nanoseconds waiting) {
  const auto& processes = question.ledger.interval(question.interval).processes;
  if (processes.size() < 2) return false;
  const Nanoseconds others = question.value(Characteristic::time_outside_mpi) - load.computed;
  const Nanoseconds more = load.computed - others / static_cast<Nanoseconds>(processes.size() - 1);
  Nanoseconds waiting_processes = 0;
  for (const auto& process : processes) {
    waiting_processes += amount_of(process, Characteristic::real_synchronization) > 0 ? 1 : 0;
  }
  return more > 0 && ratio(more * waiting_processes, waiting) >= question.limit(Threshold::dominant);
}

/// The rank that has more than half of the delay costs of this waiting; if it is not known who ended the waiting, more
/// than half of all delay costs.
std::optional<Delayer> delayer_of(const Question& question) {
  const Delays found = delays_behind(question.ledger, question.interval);
  if (found.waited == 0 || found.shares.empty()) return main_delayer(question);
  const auto delayer = found.main_delayer();
  return delayer && delayer->amount > delayer->of - delayer->amount ? delayer : std::nullopt;
}

std::optional<Conclusion> load_imbalance(const Question& question) {
  const Desynchronisation d = desynchronisation(question);
  if (!d.is_large || !d.is_imbalance) return std::nullopt;
  auto load = question.ledger.most_loaded(question.interval);
  const auto over = question.ledger.ranks_by_load(question.interval, true);
  const auto under = question.ledger.ranks_by_load(question.interval, false);
  // The process that delayed the others most must also compute more; otherwise the imbalance is not why they wait.
  const auto delayer = delayer_of(question);
  if (delayer) {
    load = question.ledger.load_of(question.interval, delayer->rank);
    if (!computes_enough_more(question, *load, d.waiting)) return std::nullopt;
  }
  auto conclusion = conclusion_if(question, std::min(d.imbalance, d.waiting), ratio(d.imbalance, d.waiting),
                                  question.limit(Threshold::dominant));
  if (!conclusion || !load) return std::nullopt;
  add_waiting(question, d, *conclusion);
  conclusion->evidence.push_back(share_fact("load_imbalance", "load imbalance", d.imbalance, d.waiting, "the waiting"));
  conclusion->ranks = over;
  conclusion->evidence.push_back(
      count_fact("overloaded_ranks", static_cast<std::int64_t>(over.size()),
                 "above the mean of computation: " + ranks_in_words(over) + "; below: " + ranks_in_words(under)));
  add_load(question, *load, question.interval, *conclusion);
  if (delayer) add_delayer(question, *delayer, *conclusion);
  add_where_waited(question, *conclusion);
  conclusion->what = fmt::format("load imbalance: {}; {}", load_text(question.ledger, *load),
                                 delayer ? "the others wait for it" : "others wait");
  gain_of_balance(question, d.waiting, *conclusion);
  return conclusion;
}

const Rule rule_3{
    "rule-3",
    3,
    "load imbalance",
    {Loss::communication},
    "waiting is at least `dominant` of communication, and load imbalance is at least `dominant` of the waiting. If one "
    "rank has more than half of all delay costs, its additional computation (compared with the mean of the others), "
    "times the number of waiting processes, must also be at least `dominant` of the waiting",
    "Give the overloaded ranks less to compute: distribute data by the work it causes instead of by its amount, use "
    "smaller blocks, or move work at run time.",
    "DVM analyser, 4.3; Mora's rule advice",
    {Threshold::dominant},
    load_imbalance};

const Rule rule_4{
    "rule-4",
    4,
    "time variation of collectives",
    {Loss::communication},
    "waiting is at least `dominant` of communication; of the waiting, load imbalance is less than `dominant` and time "
    "variation is at least `dominant`",
    "Processes leave the collective at different times: try another algorithm of the MPI library for it, place "
    "neighbouring ranks on neighbouring nodes, and look for ranks with a special task (I/O, root of reductions).",
    "DVM analyser, 4.1, 4.3",
    {Threshold::dominant},
    [](const Question& question) -> std::optional<Conclusion> {
      const Desynchronisation d = desynchronisation(question);
      if (!d.is_large || d.is_imbalance || !d.is_variation) return std::nullopt;
      auto conclusion = conclusion_if(question, std::min(d.variation, d.waiting), ratio(d.variation, d.waiting),
                                      question.limit(Threshold::dominant));
      if (!conclusion) return conclusion;
      add_waiting(question, d, *conclusion);
      conclusion->evidence.push_back(
          share_fact("load_imbalance", "load imbalance only", d.imbalance, d.waiting, "the waiting"));
      conclusion->evidence.push_back(
          share_fact("time_variation", "time variation", d.variation, d.waiting, "the waiting"));
      const analysis::Comparison early =
          question.ledger.interval(question.interval).compare(Characteristic::time_variation);
      conclusion->ranks = {early.minimum_rank, early.maximum_rank};
      conclusion->evidence.push_back(
          time_fact("time_variation_maximum", early.maximum,
                    fmt::format("rank {} leaves first (variation {}), rank {} last ({})", early.maximum_rank,
                                time_for_people(early.maximum), early.minimum_rank, time_for_people(early.minimum))));
      conclusion->places = question.ledger.places(question.interval, {"time-variation"}, 3);
      conclusion->what = conclusion->places.empty() ? "collectives end at different times on different ranks"
                                                    : fmt::format("{} ends at different times on different ranks",
                                                                  conclusion->places.front().label);
      gain_of_waiting(question, d.waiting, besides_waiting(question, {"collective", "synchronization-collective"}),
                      *conclusion);
      return conclusion;
    }};

/// Rule 5: a part of the program that may have an imbalance which this level does not show.
struct Candidate {
  std::string what;
  Nanoseconds amount = 0;                    ///< load imbalance of a part of the interval; else delay costs
  std::size_t interval = SIZE_MAX;           ///< or
  cube::CallPathId call_path = cube::no_id;  ///< a call path of the interval itself
  Delayer delayer;                           ///< of preceding and outside ones

  bool is_inside() const { return what == "nested" || what == "call path"; }
};

/// Load imbalance of one call path. Computation between two calls is comparable only if all processes make these calls;
/// a region that some processes never enter is imbalanced as it is.
Nanoseconds imbalance_at(const Question& question, cube::CallPathId call_path) {
  const cube::MetricId computation = question.ledger.cube().find_metric("computation");
  if (computation == cube::no_id) return 0;
  const bool is_between_calls = question.ledger.cube().call_paths[call_path].kind == cube::CallPathKind::compute;
  Nanoseconds most = 0, sum = 0;
  for (const auto& process : question.ledger.interval(question.interval).processes) {
    const Nanoseconds amount = question.ledger.cube().get(computation, call_path, process.location);
    if (amount == 0 && is_between_calls) return 0;
    most = std::max(most, amount), sum += amount;
  }
  return most * static_cast<Nanoseconds>(question.processes()) - sum;
}

/// Candidates, largest first: parts of the interval by their imbalance, as far as delays in them are the cause of this
/// waiting; parts before and around it by these delays alone, because processes may have waited for an imbalance there
/// long before.
std::vector<Candidate> hidden_imbalances(const Question& question, const Delays& delays) {
  std::vector<Candidate> found;
  const auto inside = [&](Candidate candidate, const std::vector<cube::CallPathId>& paths) {
    if (delays.waited > 0) candidate.amount = std::min(candidate.amount, delays.of_paths(paths));
    found.push_back(std::move(candidate));
  };
  const auto children = question.ledger.children(question.interval);
  for (const std::size_t child : children) {
    inside({"nested", question.ledger.value(child, Characteristic::load_imbalance), child, cube::no_id, {}},
           question.ledger.paths(child));
  }
  if (children.empty()) {
    for (const cube::CallPathId c : question.ledger.paths(question.interval))
      inside({"call path", imbalance_at(question, c), SIZE_MAX, c, {}}, {c});
  }
  for (std::size_t o = 0; o < delays.origins.size(); ++o) {
    const Origin& origin = delays.origins[o];
    if (origin.where == Origin::Where::here || delays.of_origin(o) == 0) continue;
    found.push_back({origin.where == Origin::Where::preceding ? "preceding" : "outside", delays.of_origin(o),
                     origin.interval, cube::no_id, delays.main_delayer(o).value_or(Delayer{})});
  }
  std::erase_if(found, [](const Candidate& c) { return c.amount <= 0; });
  std::stable_sort(found.begin(), found.end(),
                   [](const Candidate& a, const Candidate& b) { return a.amount > b.amount; });
  return found;
}

std::string label_of(const Question& question, const Candidate& candidate) {
  if (candidate.interval == SIZE_MAX) return question.ledger.place(candidate.call_path, 0, "").label;
  const std::string name = question.ledger.name(candidate.interval);
  return candidate.what == "outside" ? name + " outside its intervals" : name;
}

void add_candidate(const Question& question, const Candidate& candidate, Nanoseconds waiting, Conclusion& conclusion) {
  const std::string label = label_of(question, candidate);
  if (!candidate.is_inside()) {
    conclusion.evidence.push_back(share_fact("delay_costs_" + candidate.what,
                                             fmt::format("{}: delays in {} are the cause of", candidate.what, label),
                                             candidate.amount, waiting, "the waiting"));
    add_delayer(question, candidate.delayer, conclusion);
    return;
  }
  conclusion.evidence.push_back(share_fact(
      "load_imbalance_" + std::string(candidate.what == "call path" ? "call_path" : candidate.what),
      fmt::format("{}: {}, load imbalance", candidate.what, label), candidate.amount, waiting, "the waiting"));
  if (candidate.interval == SIZE_MAX) {
    conclusion.places.push_back(question.ledger.place(candidate.call_path, candidate.amount, "load_imbalance"));
    return;
  }
  const auto& there = question.ledger.interval(candidate.interval);
  conclusion.places.push_back({label, {there.file, there.line}, std::nullopt, candidate.amount, "load_imbalance"});
  if (const auto load = question.ledger.most_loaded(candidate.interval))
    add_load(question, *load, candidate.interval, conclusion);
}

/// Which rank delays the others before the interval, and where.
std::string before_text(const Question& question, const Candidate& candidate) {
  const std::string where = label_of(question, candidate);
  const Delayer& delayer = candidate.delayer;
  const bool is_whole = delayer.call_path == cube::no_id ||
                        question.ledger.cube().call_paths[delayer.call_path].kind == cube::CallPathKind::interval;
  const std::string at = is_whole ? "" : question.ledger.place(delayer.call_path, 0, "").label;
  return fmt::format("the delay is earlier: rank {} delays the others in {}{}, which causes {} of waiting here",
                     delayer.rank, where, at.empty() ? "" : " (" + at + ")", time_for_people(candidate.amount));
}

const Rule rule_5{
    "rule-5",
    5,
    "imbalance elsewhere",
    {Loss::communication},
    "waiting is at least `dominant` of communication; load imbalance and time variation of this interval are both less "
    "than `dominant` of the waiting; and two causes together are at least `dominant` of it: imbalances of nested "
    "intervals (if there are none: of regions, and of computation between calls that all processes make), and delays "
    "before the interval that cause its waiting (delay costs)",
    "Imbalances of single parts may cancel out over the whole, or lie before this interval; processes still wait at "
    "every synchronisation. Balance each part by itself, or remove the synchronisation between the parts.",
    "DVM analyser, 4.3; Böhme 2016, delay costs; Mora's rule advice",
    {Threshold::dominant},
    [](const Question& question) -> std::optional<Conclusion> {
      const Desynchronisation d = desynchronisation(question);
      if (!d.is_large || d.is_imbalance || d.is_variation) return std::nullopt;
      const std::vector<Candidate> found =
          hidden_imbalances(question, delays_behind(question.ledger, question.interval));
      Nanoseconds sum = 0;
      for (const Candidate& candidate : found) sum += candidate.amount;
      sum = std::min(sum, d.waiting);
      auto conclusion = conclusion_if(question, sum, ratio(sum, d.waiting), question.limit(Threshold::dominant));
      if (!conclusion) return conclusion;
      add_waiting(question, d, *conclusion);
      conclusion->evidence.push_back(
          share_fact("load_imbalance", "load imbalance at this level only", d.imbalance, d.waiting, "the waiting"));
      for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 4); ++i)
        add_candidate(question, found[i], d.waiting, *conclusion);
      add_where_waited(question, *conclusion);
      const Candidate& worst = found.front();
      conclusion->what =
          worst.is_inside()
              ? fmt::format("imbalances cancel out over the whole interval but not in its parts: {} has {}",
                            label_of(question, worst), time_for_people(worst.amount))
              : before_text(question, worst);
      gain_of_waiting(question, d.waiting, besides_waiting(question, {"collective", "synchronization-collective"}),
                      *conclusion);
      return conclusion;
    }};

analysis::ProcessAmounts last_to_end(const Question& question) {
  const auto& processes = question.ledger.interval(question.interval).processes;
  return *std::max_element(processes.begin(), processes.end(), [](const auto& a, const auto& b) {
    return amount_of(a, Characteristic::execution_time) < amount_of(b, Characteristic::execution_time);
  });
}

/// The part of the imbalance that did not already make the others wait in MPI: only this part can leave them idle at
/// the end.
Nanoseconds imbalance_not_waited_for(const Question& question, const analysis::ProcessAmounts& last) {
  Nanoseconds sum = 0;
  for (const auto& process : question.ledger.interval(question.interval).processes) {
    const Nanoseconds less =
        amount_of(last, Characteristic::time_outside_mpi) - amount_of(process, Characteristic::time_outside_mpi);
    const Nanoseconds waited = amount_of(process, Characteristic::real_synchronization) -
                               amount_of(last, Characteristic::real_synchronization);
    sum += std::max<Nanoseconds>(less - std::max<Nanoseconds>(waited, 0), 0);
  }
  return sum;
}

const Rule rule_8{
    "rule-8",
    8,
    "final imbalance",
    {Loss::idle},
    "idle time is a loss, and the additional computation of the process that ends last, minus the additional time that "
    "the others wait in MPI, is at least `part` of it",
    "The processes end at different times: give less work to those that end last. A small idle time does not mean that "
    "the load is balanced: time that processes wait for each other earlier counts as communication.",
    "DVM analyser, 4.1; Mora's rule advice",
    {Threshold::part},
    [](const Question& question) -> std::optional<Conclusion> {
      const analysis::ProcessAmounts last = last_to_end(question);
      const Nanoseconds imbalance = imbalance_not_waited_for(question, last);
      auto conclusion = conclusion_if(question, std::min(imbalance, question.amount), ratio(imbalance, question.amount),
                                      question.limit(Threshold::part));
      if (!conclusion) return conclusion;
      const Load load = question.ledger.load_of(question.interval, last.rank);
      const analysis::Comparison ends =
          question.ledger.interval(question.interval).compare(Characteristic::execution_time);
      conclusion->evidence.push_back(share_fact("idle_time", "idle", question.amount,
                                                question.value(Characteristic::total_time), "the total time"));
      conclusion->evidence.push_back(
          time_fact("execution_time_range", ends.maximum - ends.minimum,
                    fmt::format("rank {} takes {}, rank {} only {}", ends.maximum_rank, time_for_people(ends.maximum),
                                ends.minimum_rank, time_for_people(ends.minimum))));
      conclusion->evidence.push_back(share_fact("imbalance_not_waited_for",
                                                "computation that the others neither did nor waited for", imbalance,
                                                question.amount, "the idle time"));
      add_load(question, load, question.interval, *conclusion);
      conclusion->what = fmt::format("processes end at different times: {}", load_text(question.ledger, load));
      gain_of_waiting(question, question.amount, 0, *conclusion);
      return conclusion;
    }};

}  // namespace

std::vector<const Rule*> desynchronisation_rules() { return {&rule_3, &rule_4, &rule_5, &rule_8}; }

}  // namespace mora::report::advice
