/// The list of all rules, and what judge() functions share: making a conclusion, and facts in words.
#include "report/advice/rule.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/efficiency/pop/pop.h"
#include "base/text/rank_words.h"

namespace mora::report::advice {

const std::vector<const Rule*>& all_rules() {
  static const std::vector<const Rule*> rules = [] {
    std::vector<const Rule*> all;
    for (const auto& some : {parallelism_rules(), desynchronisation_rules(), dependency_rules(), transfer_rules(),
                             wait_rules(), one_sided_rules(), figures_rules()}) {
      all.insert(all.end(), some.begin(), some.end());
    }
    std::stable_sort(all.begin(), all.end(), [](const Rule* a, const Rule* b) {
      return (a->number == 0 ? UINT32_MAX : a->number) < (b->number == 0 ? UINT32_MAX : b->number);
    });
    return all;
  }();
  return rules;
}

std::optional<Conclusion> conclusion_if(const Question& question, Nanoseconds explained, double measure,
                                        double threshold) {
  if (explained <= 0 || measure < threshold || measure <= 0) return std::nullopt;
  Conclusion conclusion;
  conclusion.loss = question.loss;
  conclusion.interval = question.interval;
  conclusion.loss_amount = question.amount;
  conclusion.explained = question.loss == Loss::figures ? explained : std::min(explained, question.amount);
  conclusion.measure = measure;
  conclusion.threshold = threshold;
  return conclusion;
}

std::vector<std::uint32_t> waiting_ranks(const Question& question, Ids metrics) {
  std::vector<std::uint32_t> ranks;
  const auto by_process = question.ledger.metric_by_process(question.interval, metrics);
  for (std::size_t p = 0; p < by_process.size(); ++p) {
    if (by_process[p] > 0) ranks.push_back(question.ledger.interval(question.interval).processes[p].rank);
  }
  return ranks;
}

std::optional<Conclusion> conclusion_on_waiting(const Question& question, Ids metrics, const char* name) {
  const Nanoseconds waiting = question.ledger.metric(question.interval, metrics);
  auto conclusion = conclusion_if(question, waiting, ratio(waiting, question.amount), question.limit(Threshold::part));
  if (!conclusion) return conclusion;
  conclusion->evidence.push_back(share_fact(*metrics.begin(), name, waiting, question.amount, "communication"));
  conclusion->places = question.ledger.places(question.interval, metrics, 3);
  for (const Place& place : conclusion->places) {
    conclusion->evidence.push_back(time_fact(std::string(*metrics.begin()) + "_at", place.amount,
                                             fmt::format("{} in {}", time_for_people(place.amount), place.label)));
  }
  const auto ranks = waiting_ranks(question, metrics);
  conclusion->evidence.push_back(
      count_fact("waiting_ranks", static_cast<std::int64_t>(ranks.size()), ranks_in_words(ranks) + " waiting"));
  return conclusion;
}

Fact time_fact(std::string key, Nanoseconds amount, std::string text) {
  return {std::move(key), amount, cube::Unit::seconds, std::move(text)};
}

Fact share_fact(std::string key, std::string_view name, Nanoseconds amount, Nanoseconds of, std::string_view whole) {
  const std::string share = of > 0 && amount > of ? fmt::format("more than {} ({})", whole, time_for_people(of))
                                                  : fmt::format("{} of {}", percent_for_people(amount, of), whole);
  return time_fact(std::move(key), amount, fmt::format("{} {}, {}", name, time_for_people(amount), share));
}

Fact count_fact(std::string key, std::int64_t amount, std::string text) {
  return {std::move(key), amount, cube::Unit::occurrences, std::move(text)};
}

Nanoseconds waiting_at(const Ledger& ledger, std::size_t interval, cube::CallPathId call_path) {
  Nanoseconds sum = 0;
  for (const analysis::MpiWait& wait : analysis::mpi_waits(ledger.cube())) {
    for (const auto& process : ledger.interval(interval).processes)
      sum += ledger.cube().get(wait.metric, call_path, process.location);
  }
  return sum;
}

std::string load_text(const Ledger& ledger, const Load& load) {
  const auto times = [](Nanoseconds a, Nanoseconds b) {
    return b == 0 ? "computes" : fmt::format("computes {:.2f} times the mean", ratio(a, b));
  };
  std::string text = fmt::format("rank {} {}", load.rank, times(load.computed, load.mean));
  if (load.call_path == cube::no_id) return text;
  return text + fmt::format(", and exceeds it most in {}", ledger.place(load.call_path, 0, "").label);
}

void add_load(const Question& question, const Load& load, std::size_t interval, Conclusion& conclusion) {
  std::string text = fmt::format("rank {} computes {} in {}, the mean is {}", load.rank, time_for_people(load.computed),
                                 question.ledger.name(interval), time_for_people(load.mean));
  if (load.call_path != cube::no_id) {
    text += fmt::format("; {} in {}, the mean there is {}", time_for_people(load.there),
                        question.ledger.place(load.call_path, 0, "").label, time_for_people(load.mean_there));
  }
  conclusion.evidence.push_back(time_fact("computation_above_mean", load.computed - load.mean, std::move(text)));
  if (std::find(conclusion.ranks.begin(), conclusion.ranks.end(), load.rank) == conclusion.ranks.end()) {
    conclusion.ranks.insert(conclusion.ranks.begin(), load.rank);
  }
  if (load.call_path == cube::no_id) return;
  Place place = question.ledger.place(load.call_path, load.there - load.mean_there, "computation_above_mean");
  place.rank = load.rank;
  conclusion.places.push_back(std::move(place));
}

void add_delayer(const Question& question, const Delayer& delayer, Conclusion& conclusion) {
  std::string text =
      fmt::format("rank {} is the cause of {} of {} ({}, {})", delayer.rank, time_for_people(delayer.amount),
                  time_for_people(delayer.of), percent_for_people(delayer.amount, delayer.of), delayer.key);
  if (delayer.call_path != cube::no_id) {
    Place place = question.ledger.place(delayer.call_path, delayer.there, delayer.key);
    place.rank = delayer.rank;
    text += ", most of it in " + place.label;
    conclusion.places.push_back(std::move(place));
  }
  conclusion.evidence.push_back(time_fact(delayer.key + "_of_rank", delayer.amount, std::move(text)));
  if (std::find(conclusion.ranks.begin(), conclusion.ranks.end(), delayer.rank) == conclusion.ranks.end()) {
    conclusion.ranks.push_back(delayer.rank);
  }
}

std::optional<Delayer> main_delayer(const Question& question) {
  auto delayer = question.ledger.by_delay_costs({"delay-costs"});
  if (delayer && delayer->amount <= delayer->of - delayer->amount) delayer.reset();
  return delayer;
}

void add_main_delayer(const Question& question, Conclusion& conclusion) {
  if (const auto delayer = main_delayer(question)) add_delayer(question, *delayer, conclusion);
}

void add_where_waited(const Question& question, Conclusion& conclusion) {
  const Finding* finding = question.ledger.largest_finding(question.interval);
  if (finding == nullptr) return;
  conclusion.evidence.push_back(time_fact(
      finding->metric, finding->severity,
      fmt::format("most of the waiting: {} ({}), {} at {}", finding->name, finding->id,
                  time_for_people(finding->severity), finding->call_path.empty() ? "?" : finding->call_path.back())));
  conclusion.places.push_back({finding->call_path.empty() ? "?" : finding->call_path.back(), finding->call_site,
                               finding->worst_rank, finding->severity, finding->metric});
}

}  // namespace mora::report::advice
