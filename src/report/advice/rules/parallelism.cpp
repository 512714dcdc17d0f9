/// Rules for computation that several processes repeat, for MPI without communication, and for the cost of recording.
///
/// Sources: repeated computation DVM analyser, 4.3; management DVM analyser, 5.2; measurement DVM analyser, 3.1. Each
/// judgement looks once at the intervals or call paths below the interval in question.
#include <algorithm>

#include <fmt/format.h>

#include "report/advice/gain.h"
#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

using analysis::Characteristic;

/// Repeated computation of the interval and of those in it, by the mark that says so.
struct Repeated {
  Nanoseconds sequential = 0, replicated = 0;
  std::size_t heaviest_sequential = SIZE_MAX, heaviest_replicated = SIZE_MAX;
  Nanoseconds most_sequential = 0, most_replicated = 0;
};

Repeated repeated(const Question& question) {
  const Ledger& ledger = question.ledger;
  Repeated result;
  for (std::size_t i = question.interval; i < ledger.table().intervals.size(); ++i) {
    if (!ledger.is_inside(i, question.interval)) continue;
    Nanoseconds own = ledger.loss(i, Loss::insufficient_parallelism);
    for (const std::size_t child : ledger.children(i)) own -= ledger.loss(child, Loss::insufficient_parallelism);
    if (own <= 0) continue;
    // The mark is the interval's own, or that of the nearest marked one around it.
    std::size_t marked = i;
    while (ledger.interval(marked).replication == 1 &&
           ledger.interval(marked).parent < ledger.table().intervals.size()) {
      marked = ledger.interval(marked).parent;
    }
    const bool sequential = ledger.interval(marked).replication == cube::all_processes;
    (sequential ? result.sequential : result.replicated) += own;
    Nanoseconds& most = sequential ? result.most_sequential : result.most_replicated;
    if (own > most) most = own, (sequential ? result.heaviest_sequential : result.heaviest_replicated) = i;
  }
  return result;
}

std::optional<Conclusion> repeated_computation(const Question& question, bool sequential) {
  const Repeated found = repeated(question);
  const Nanoseconds amount = sequential ? found.sequential : found.replicated;
  auto conclusion =
      conclusion_if(question, amount, ratio(amount, question.amount), question.limit(Threshold::dominant));
  if (!conclusion) return std::nullopt;
  const std::size_t heaviest = sequential ? found.heaviest_sequential : found.heaviest_replicated;
  const Nanoseconds most = sequential ? found.most_sequential : found.most_replicated;
  const analysis::Interval& interval = question.ledger.interval(heaviest);
  conclusion->what =
      sequential ? fmt::format("all {} processes compute the sequential section {} alike", interval.processes.size(),
                               question.ledger.name(heaviest))
                 : fmt::format("iterations of {} are repeated on several processes", question.ledger.name(heaviest));
  conclusion->evidence.push_back(
      share_fact(sequential ? "insufficient_parallelism_sequential" : "insufficient_parallelism_replicated",
                 sequential ? "copies of sequential sections" : "copies of replicated iterations", amount,
                 question.amount, "repeated computation"));
  conclusion->evidence.push_back(share_fact(
      "user_insufficient_parallelism", "the heaviest: " + question.ledger.name(heaviest) + ",", most, amount, "that"));
  for (const auto& process : interval.processes) conclusion->ranks.push_back(process.rank);
  conclusion->places.push_back({question.ledger.name(heaviest),
                                {interval.file, interval.line},
                                std::nullopt,
                                most,
                                "user_insufficient_parallelism"});
  gain_of_time(question, amount, Work::moves, *conclusion);
  return conclusion;
}

const Rule sequential_sections{
    "rule-1",
    1,
    "sequential sections",
    {Loss::insufficient_parallelism},
    "repeated computation is a loss, and at least `dominant` of it is in sections that are marked as sequential",
    "Parallelise the section, or make it shorter: distribute its loop, compute it on one process while the others do "
    "something else, or compute it once and keep the result.",
    "DVM analyser, 4.3",
    {Threshold::dominant},
    [](const Question& question) { return repeated_computation(question, true); }};

const Rule replication{
    "rule-2",
    2,
    "replicated iterations",
    {Loss::insufficient_parallelism},
    "repeated computation is a loss, and at least `dominant` of it is in parallel parts that are marked as "
    "replicated",
    "Check the process grid that the program was started with, and how data and computation are distributed over it: "
    "along a dimension that is not distributed the processes repeat the same work.",
    "DVM analyser, 4.3",
    {Threshold::dominant},
    [](const Question& question) { return repeated_computation(question, false); }};

/// Of calls that every process makes once: the longest of each, added up.
Nanoseconds longest_calls(const Question& question, const char* metric_id) {
  const cube::Cube& cube = question.ledger.cube();
  const cube::MetricId metric = cube.find_metric(metric_id);
  Nanoseconds sum = 0;
  if (metric == cube::no_id) return sum;
  for (const cube::CallPathId c : question.ledger.paths(question.interval)) {
    const std::vector<std::int64_t>& row = cube.row(metric, c);
    if (!row.empty()) sum += *std::max_element(row.begin(), row.end());
  }
  return sum;
}

std::optional<Conclusion> share_of_system(const Question& question, Ids ids, const char* name) {
  const Nanoseconds amount = question.ledger.metric(question.interval, ids);
  // Waiting in MPI_Init and MPI_Finalize is counted as communication (Mora's rule startup-is-nobodys-fault).
  const Nanoseconds waiting = question.ledger.metric(question.interval, {"wait-at-init", "wait-at-finalize"});
  const bool is_setup = std::string_view(*ids.begin()) == "init-finalize";
  const Nanoseconds lost = is_setup ? amount - waiting : amount;
  auto conclusion = conclusion_if(question, lost, ratio(lost, question.amount), question.limit(Threshold::dominant));
  if (!conclusion) return std::nullopt;
  conclusion->evidence.push_back(share_fact(*ids.begin(), name, lost, question.amount, "MPI without communication"));
  conclusion->places = question.ledger.places(question.interval, ids, 3);
  for (const Place& place : conclusion->places) {
    conclusion->evidence.push_back(
        time_fact(place.of, place.amount, fmt::format("{} in {}", time_for_people(place.amount), place.label)));
  }
  gain_of_time(question, lost, Work::stays, *conclusion);
  if (is_setup) {
    const Nanoseconds longest = longest_calls(question, *ids.begin());
    bound_gain(longest, "every process starts and ends MPI once: the longest time that any of them takes for each",
               *conclusion);
  }
  return conclusion;
}

const Rule start_up{
    "start-up",
    0,
    "start-up and end of MPI",
    {Loss::system},
    "MPI without communication is a loss, and at least `dominant` of it is spent in MPI_Init and MPI_Finalize without "
    "waiting",
    "This time is spent once per run; in a longer run it matters less. To see the program itself, mark its main loop "
    "as an interval and look at that. In a shortened run the time before the first and after the last iteration says "
    "little.",
    "DVM analyser, 4.3; Mora's rule startup-is-nobodys-fault",
    {Threshold::dominant},
    [](const Question& question) {
      auto conclusion = share_of_system(question, {"init-finalize"}, "MPI_Init and MPI_Finalize");
      if (conclusion) {
        conclusion->what = fmt::format("starting and ending MPI takes {}, not waiting for others",
                                       time_for_people(conclusion->explained));
      }
      return conclusion;
    }};

const Rule management{
    "communicators",
    0,
    "creating communicators",
    {Loss::system},
    "MPI without communication is a loss, and at least `dominant` of it creates communicators, groups and topologies",
    "Create communicators, groups and topologies once, before the loop, and keep them.",
    "DVM analyser, 5.2; Mora's rule advice",
    {Threshold::dominant},
    [](const Question& question) {
      auto conclusion = share_of_system(question, {"mpi-communicator"}, "calls on communicators");
      if (!conclusion) return conclusion;
      std::int64_t calls = 0;
      for (const cube::CallPathId c : question.ledger.paths(question.interval)) {
        if (question.ledger.metric_at(question.interval, {"mpi-communicator"}, c) > 0) {
          calls += question.ledger.metric_at(question.interval, {"visits"}, c);
        }
      }
      conclusion->evidence.push_back(
          count_fact("visits", calls, fmt::format("{} calls on {} processes", calls, question.processes())));
      conclusion->what = fmt::format("{} calls create communicators, groups or topologies", calls);
      return conclusion;
    }};

const Rule recording_cost{
    "recording",
    0,
    "cost of recording",
    {Loss::measurement},
    "the recorder's own time and time that was not recorded are at least `loss` of the total time",
    "Record less: fewer marks and user regions in hot loops. The other figures of this run are less reliable.",
    "DVM analyser, 3.1",
    {Threshold::loss},
    [](const Question& question) {
      const Nanoseconds total = question.ledger.value(0, Characteristic::total_time);
      auto conclusion =
          conclusion_if(question, question.amount, ratio(question.amount, total), question.limit(Threshold::loss));
      if (!conclusion) return conclusion;
      const Nanoseconds off = question.ledger.metric(question.interval, {"unrecorded"});
      conclusion->what =
          fmt::format("{} are the recorder's own time or were not recorded", time_for_people(question.amount));
      conclusion->evidence.push_back(
          share_fact("measurement", "measurement", question.amount, total, "the total time"));
      conclusion->evidence.push_back(share_fact("unrecorded", "not recorded:", off, question.amount, "that"));
      for (const auto& process : question.ledger.interval(question.interval).processes) {
        if (process.value(Characteristic::measurement) > 0) conclusion->ranks.push_back(process.rank);
      }
      conclusion->gain = 0;
      conclusion->gain_reason = "the program itself does not spend it";
      return conclusion;
    }};

const Rule devices{
    "devices",
    0,
    "calls of devices",
    {Loss::device},
    "calls of an accelerator's library are at least `loss` of the total time",
    "Let the processor compute or communicate while the device works: launch kernels and copies asynchronously, and "
    "synchronise where their results are needed. Fewer, larger kernels and copies cost fewer calls.",
    "Mora's rule devices",
    {Threshold::loss},
    [](const Question& question) {
      const Nanoseconds waiting = question.ledger.metric(question.interval, {"device-wait"});
      const Nanoseconds total = question.ledger.value(0, Characteristic::total_time);
      auto conclusion =
          conclusion_if(question, question.amount, ratio(question.amount, total), question.limit(Threshold::loss));
      if (!conclusion) return conclusion;
      conclusion->what = fmt::format("processors spend {} in calls of devices", time_for_people(question.amount));
      conclusion->evidence.push_back(
          share_fact("device-wait", "waiting for devices:", waiting, question.amount, "these calls"));
      conclusion->places = question.ledger.places(question.interval, {"device"}, 3);
      for (const Place& place : conclusion->places) {
        conclusion->evidence.push_back(
            time_fact(place.of, place.amount, fmt::format("{} in {}", time_for_people(place.amount), place.label)));
      }
      gain_of_time(question, question.amount, Work::stays, *conclusion);
      return conclusion;
    }};

}  // namespace

std::vector<const Rule*> parallelism_rules() {
  return {&sequential_sections, &replication, &start_up, &management, &devices, &recording_cost};
}

}  // namespace mora::report::advice
