/// General rules of dependencies between processes: imbalance on the critical path, and serialisation (POP).
///
/// Sources: Böhme 2012 (critical path), POP metrics (serialisation). Both are general: they tell what kind of loss
/// there is rather than why, so they are listed after causes of at least medium confidence. Cost: linear in the call
/// paths of the interval times its processes.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analysis/efficiency/pop/pop.h"
#include "report/advice/gain.h"
#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

using analysis::Characteristic;

/// What the critical path computes in a region, compared with the mean of all processes there. Computation between two
/// calls is added to its region, because ranks that make other calls in the region have other call paths for the same
/// work.
struct OnPath {
  cube::CallPathId region = cube::no_id, largest = cube::no_id;
  Nanoseconds on_path = 0, computed = 0, most = 0;
  Nanoseconds imbalance = 0;
};

std::vector<OnPath> critical_regions(const Question& question) {
  const cube::Cube& cube = question.ledger.cube();
  std::map<cube::CallPathId, OnPath> regions;
  for (const cube::CallPathId c : question.ledger.paths(question.interval)) {
    const cube::CallPath& path = cube.call_paths[c];
    if (path.kind == cube::CallPathKind::mpi) continue;
    const cube::CallPathId region = path.kind == cube::CallPathKind::compute ? path.parent : c;
    OnPath& one = regions[region];
    one.region = region;
    const Nanoseconds here = question.ledger.metric_at(question.interval, {"critical-path"}, c);
    one.on_path += here;
    one.computed += question.ledger.metric_at(question.interval, {"computation"}, c);
    if (here > one.most) one.most = here, one.largest = c;
  }
  std::vector<OnPath> found;
  for (auto& [region, one] : regions) {
    one.imbalance = one.on_path - one.computed / static_cast<Nanoseconds>(question.processes());
    if (one.imbalance > 0 && one.largest != cube::no_id) found.push_back(one);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const OnPath& a, const OnPath& b) { return a.imbalance > b.imbalance; });
  return found;
}

const Rule critical_path{
    "critical-path",
    0,
    "imbalance on the critical path",
    {Loss::communication},
    "in some regions of the interval the critical path computes more than the mean of all processes; the sum of this "
    "is at least `loss` of the run time, and, times the number of processes, at least `dominant` of the loss",
    "Make this call path shorter on the ranks that are on the critical path; work saved elsewhere does not shorten the "
    "run.",
    "Böhme 2012; Scalasca 2.6, Critical-Path Imbalance",
    {Threshold::loss, Threshold::dominant},
    [](const Question& question) -> std::optional<Conclusion> {
      const std::vector<OnPath> regions = critical_regions(question);
      Nanoseconds imbalance = 0;
      for (const OnPath& one : regions) imbalance += one.imbalance;
      const Nanoseconds run = question.ledger.value(0, Characteristic::execution_time);
      if (ratio(imbalance, run) < question.limit(Threshold::loss)) return std::nullopt;
      const Nanoseconds of_all = imbalance * static_cast<Nanoseconds>(question.processes());
      auto conclusion =
          conclusion_if(question, of_all, ratio(of_all, question.amount), question.limit(Threshold::dominant));
      if (!conclusion) return conclusion;
      const auto& processes = question.ledger.interval(question.interval).processes;
      for (std::size_t i = 0; i < std::min<std::size_t>(regions.size(), 3); ++i) {
        const OnPath& one = regions[i];
        const std::string region = question.ledger.place(one.region, 0, "").label;
        conclusion->evidence.push_back(
            time_fact("critical_path_above_mean", one.imbalance,
                      fmt::format("the critical path computes {} in {}, the mean is {}", time_for_people(one.on_path),
                                  region, time_for_people(one.computed / static_cast<Nanoseconds>(processes.size())))));
        Place place = question.ledger.place(one.largest, one.most, "critical-path");
        Nanoseconds most = 0;
        for (const auto& process : processes) {
          const Nanoseconds here = question.ledger.cube().get(question.ledger.cube().find_metric("critical-path"),
                                                              one.largest, process.location);
          if (here > most) most = here, place.rank = process.rank;
        }
        if (place.rank) conclusion->ranks.push_back(*place.rank);
        conclusion->places.push_back(std::move(place));
      }
      std::sort(conclusion->ranks.begin(), conclusion->ranks.end());
      conclusion->ranks.erase(std::unique(conclusion->ranks.begin(), conclusion->ranks.end()), conclusion->ranks.end());
      const Place& first = conclusion->places.front();
      conclusion->what = fmt::format("the critical path computes {} more than the mean, most of it in {}",
                                     time_for_people(imbalance), first.label);
      if (first.rank) conclusion->what += fmt::format(" on rank {}", *first.rank);
      // The path's own imbalance is no upper bound of the gain: moving work may shorten another path as well, or remove
      // waiting from it.
      gain_of_waiting(question, question.value(Characteristic::real_synchronization), 0, *conclusion);
      return conclusion;
    },
    true};

const Rule serialisation{
    "serialisation",
    0,
    "serialisation",
    {Loss::communication},
    "POP's serialisation efficiency is below `pop` and not above the transfer efficiency; waiting in MPI_Init and "
    "MPI_Finalize is not larger than all other waiting; a nested interval counts only if at least `part` of its total "
    "time is productive",
    "The run time on an ideal network minus the longest computation is due to dependencies between processes (the rest "
    "is transfer). Look for ranks that compute one after the other, in chains of messages or between synchronisations, "
    "and do computation first that does not depend on other ranks.",
    "POP metrics, serialisation efficiency",
    {Threshold::pop, Threshold::part},
    [](const Question& question) -> std::optional<Conclusion> {
      // An interval that only communicates has no computation to compare with.
      const Nanoseconds productive = question.value(Characteristic::productive_time);
      if (question.interval != 0 &&
          ratio(productive, question.value(Characteristic::total_time)) < question.limit(Threshold::part)) {
        return std::nullopt;
      }
      const analysis::PopMetrics pop =
          analysis::pop_metrics(question.ledger.cube(), question.ledger.table(), question.interval);
      const analysis::Serialisation* headline = pop.headline();
      if (headline == nullptr || headline->serialisation > headline->transfer) return std::nullopt;
      // In processor time: the ideal run time less the longest useful computation, for every process.
      const Nanoseconds lost =
          (*headline->ideal_time - pop.useful_max) * static_cast<Nanoseconds>(question.processes());
      const double limit = 1 - question.limit(Threshold::pop);
      // Of communication it is waiting for each other: not in MPI_Init and MPI_Finalize, where processes start and end.
      const Nanoseconds skewed = question.ledger.metric(question.interval, {"wait-at-init", "wait-at-finalize"});
      const Nanoseconds waiting = question.value(Characteristic::real_synchronization) - skewed;
      if (skewed > waiting) return std::nullopt;
      auto conclusion = conclusion_if(question, std::min(lost, waiting), 1 - headline->serialisation, limit);
      if (!conclusion) return conclusion;
      conclusion->evidence.push_back(time_fact(
          "ideal_time", *headline->ideal_time,
          fmt::format("serialisation efficiency {:.4f} ({}): {} on an ideal network, {} of computation at most",
                      headline->serialisation, headline->name, time_for_people(*headline->ideal_time),
                      time_for_people(pop.useful_max))));
      conclusion->evidence.push_back(time_fact(
          "run_time", pop.run_time,
          fmt::format("transfer efficiency {:.4f}: {} as it is", headline->transfer, time_for_people(pop.run_time))));
      conclusion->evidence.push_back(
          share_fact("waiting", "waiting for each other", waiting, question.amount, "communication"));
      add_main_delayer(question, *conclusion);
      const Finding* largest = question.ledger.largest_finding(question.interval);
      if (largest != nullptr && largest->metric != "wait-at-init" && largest->metric != "wait-at-finalize")
        add_where_waited(question, *conclusion);
      conclusion->what = fmt::format(
          "processes wait for each other even on an ideal network: {} more there than the longest computation ({})",
          time_for_people(*headline->ideal_time - pop.useful_max), time_for_people(pop.useful_max));
      const analysis::PopMetrics run =
          question.interval == 0 ? pop : analysis::pop_metrics(question.ledger.cube(), question.ledger.table(), 0);
      gain_of_everything(question, *conclusion);
      bound_gain(run.run_time - run.useful_max, "down to the longest computation of one process", *conclusion);
      return conclusion;
    },
    true};

}  // namespace

std::vector<const Rule*> dependency_rules() { return {&critical_path, &serialisation}; }

}  // namespace mora::report::advice
