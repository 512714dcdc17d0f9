#include "report/advice/rule.h"

#include <algorithm>

#include <fmt/format.h>

namespace mora::report::advice {

using analysis::Characteristic;

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

Fact time_fact(std::string key, Nanoseconds amount, std::string text) {
  return {std::move(key), amount, cube::Unit::seconds, std::move(text)};
}

Fact share_fact(std::string key, std::string_view name, Nanoseconds amount, Nanoseconds of, std::string_view whole) {
  return time_fact(
      std::move(key), amount,
      fmt::format("{} {}, {} of {}", name, time_for_people(amount), percent_for_people(amount, of), whole));
}

Fact count_fact(std::string key, std::int64_t amount, std::string text) {
  return {std::move(key), amount, cube::Unit::occurrences, std::move(text)};
}

/// Without the lost time the processes would share the productive time evenly: no gain is larger.
void set_gain(const Question& question, Nanoseconds gain, std::string reason, Conclusion& conclusion) {
  const Nanoseconds all = ceil_share(question.value(Characteristic::lost_time), question.processes());
  if (gain > all) {
    gain = all;
    reason = fmt::format("all that the interval loses, {}, shared by {} processes",
                         time_for_people(question.value(Characteristic::lost_time)), question.processes());
  }
  conclusion.gain = gain;
  conclusion.gain_reason = std::move(reason);
}

void gain_of_waiting(const Question& question, Nanoseconds waiting, Conclusion& conclusion) {
  set_gain(
      question, ceil_share(waiting, question.processes()),
      fmt::format(
          "if nobody waited these {} and all else took as long as now, {} processes would each end {} / {} earlier",
          time_for_people(waiting), question.processes(), time_for_people(waiting), question.processes()),
      conclusion);
}

void gain_of_time(const Question& question, Nanoseconds time, std::optional<Nanoseconds> best, Conclusion& conclusion) {
  const Nanoseconds waiting =
      question.value(Characteristic::real_synchronization) + question.value(Characteristic::idle_time);
  const Nanoseconds shared = ceil_share(time + waiting, question.processes());
  Nanoseconds gain = std::min(time, shared);
  std::string reason =
      time <= shared
          ? fmt::format("it takes {} in all", time_for_people(time))
          : fmt::format("{} and the {} of waiting and idling that it may be the cause of, shared by {} processes",
                        time_for_people(time), time_for_people(waiting), question.processes());
  if (best && *best < gain) {
    gain = std::max<Nanoseconds>(*best, 0);
    reason = "on a network that takes no time the interval would end that much earlier (replayed)";
  }
  set_gain(question, gain, std::move(reason), conclusion);
}

std::string load_text(const Ledger& ledger, const Load& load) {
  const auto times = [](Nanoseconds a, Nanoseconds b) {
    return b == 0 ? "computes" : fmt::format("computes {:.2f} times the mean", ratio(a, b));
  };
  std::string text = fmt::format("rank {} {}", load.rank, times(load.computed, load.mean));
  if (load.call_path == cube::no_id) return text;
  return text + fmt::format(", {} more than the mean in {}", time_for_people(load.there - load.mean_there),
                            ledger.place(load.call_path, 0, "").label);
}

void add_load(const Question& question, const Load& load, std::size_t interval, Conclusion& conclusion) {
  std::string text = fmt::format("{}: computation {}, mean {}", load_text(question.ledger, load),
                                 time_for_people(load.computed), time_for_people(load.mean));
  if (interval != question.interval) text += ", in " + question.ledger.name(interval);
  conclusion.evidence.push_back(time_fact("computation_above_mean", load.computed - load.mean, std::move(text)));
  if (std::find(conclusion.ranks.begin(), conclusion.ranks.end(), load.rank) == conclusion.ranks.end()) {
    conclusion.ranks.insert(conclusion.ranks.begin(), load.rank);
  }
  if (load.call_path == cube::no_id) return;
  Place place = question.ledger.place(load.call_path, load.there - load.mean_there, "computation_above_mean");
  place.rank = load.rank;
  conclusion.places.push_back(std::move(place));
}

void add_culprit(const Question& question, const Culprit& culprit, Conclusion& conclusion) {
  std::string text =
      fmt::format("rank {} is the cause of {} of {} ({}, {})", culprit.rank, time_for_people(culprit.amount),
                  time_for_people(culprit.of), percent_for_people(culprit.amount, culprit.of), culprit.key);
  if (culprit.call_path != cube::no_id) {
    Place place = question.ledger.place(culprit.call_path, culprit.there, culprit.key);
    place.rank = culprit.rank;
    text += ", most of it in " + place.label;
    conclusion.places.push_back(std::move(place));
  }
  conclusion.evidence.push_back(time_fact(culprit.key + "_of_rank", culprit.amount, std::move(text)));
  if (std::find(conclusion.ranks.begin(), conclusion.ranks.end(), culprit.rank) == conclusion.ranks.end()) {
    conclusion.ranks.push_back(culprit.rank);
  }
}

std::optional<Culprit> main_culprit(const Question& question) {
  auto culprit = question.ledger.by_delay_costs({"delay-costs"});
  if (culprit && culprit->amount <= culprit->of - culprit->amount) culprit.reset();
  return culprit;
}

void add_main_culprit(const Question& question, Conclusion& conclusion) {
  if (const auto culprit = main_culprit(question)) add_culprit(question, *culprit, conclusion);
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
