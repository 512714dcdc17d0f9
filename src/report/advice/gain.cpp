/// The bounds of gain.h. Each function sets the bound that is always valid and then lowers it by those valid for its
/// remedy; the text of the smallest one is kept with it.
#include "report/advice/gain.h"

#include <algorithm>

#include <fmt/format.h>

namespace mora::report::advice {

using analysis::Characteristic;

namespace {

Nanoseconds of_run(const Question& question, Characteristic c) { return question.ledger.value(0, c); }

std::size_t processes_of_run(const Question& question) { return question.ledger.interval(0).processes.size(); }

Nanoseconds waiting_and_idling(const Question& question) {
  return of_run(question, Characteristic::real_synchronization) + of_run(question, Characteristic::idle_time);
}

void set_shared(const Question& question, Nanoseconds all, std::string reason, Conclusion& conclusion) {
  conclusion.gain = ceil_share(all, processes_of_run(question));
  conclusion.gain_reason = fmt::format("{}, shared by {} processes", reason, processes_of_run(question));
}

void bound_by_lost(const Question& question, Conclusion& conclusion) {
  // MPI time that counts as productive (--rules productive=one-mpi) could be saved, too.
  const Nanoseconds lost = of_run(question, Characteristic::lost_time) + of_run(question, Characteristic::useful_mpi);
  bound_gain(ceil_share(lost, processes_of_run(question)),
             fmt::format("all lost time of the run, {}, shared by {} processes", time_for_people(lost),
                         processes_of_run(question)),
             conclusion);
}

void set_of_waiting(const Question& question, Nanoseconds waiting, Nanoseconds removed, Conclusion& conclusion) {
  const Nanoseconds all = std::max(waiting, waiting_and_idling(question));
  std::string reason =
      all == waiting ? fmt::format("these {}, which are all waiting and idle time of the run", time_for_people(waiting))
                     : fmt::format("these {} and the other waiting and idle time that may depend on it, {} in the run",
                                   time_for_people(waiting), time_for_people(all));
  if (removed > 0) reason += fmt::format(", and {} in MPI besides waiting", time_for_people(removed));
  set_shared(question, all + removed, std::move(reason), conclusion);
  bound_by_lost(question, conclusion);
}

void bound_by_own_work(const Question& question, Conclusion& conclusion) {
  Nanoseconds longest = 0;
  std::uint32_t rank = 0;
  for (const auto& process : question.ledger.interval(0).processes) {
    const Nanoseconds computed = amount_of(process, Characteristic::time_outside_mpi);
    if (computed > longest) longest = computed, rank = process.rank;
  }
  const Nanoseconds run = of_run(question, Characteristic::execution_time);
  bound_gain(run - longest,
             fmt::format("{}rank {} computes for {} of the {}, whatever the others do",
                         run > longest ? "" : "none: ", rank, time_for_people(longest), time_for_people(run)),
             conclusion);
}

}  // namespace

void bound_gain(Nanoseconds bound, std::string reason, Conclusion& conclusion) {
  if (bound >= conclusion.gain) return;
  conclusion.gain = bound;
  conclusion.gain_reason = std::move(reason);
}

void gain_of_everything(const Question& question, Conclusion& conclusion) {
  conclusion.gain = INT64_MAX;
  bound_by_lost(question, conclusion);
}

Nanoseconds besides_waiting(const Question& question, Ids metrics) {
  Nanoseconds sum = 0;
  for (const cube::CallPathId c : question.ledger.paths(question.interval)) {
    const Nanoseconds time = question.ledger.metric_at(question.interval, metrics, c);
    if (time > 0) sum += std::max<Nanoseconds>(time - waiting_at(question.ledger, question.interval, c), 0);
  }
  return sum;
}

void gain_of_waiting(const Question& question, Nanoseconds waiting, Nanoseconds removed, Conclusion& conclusion) {
  set_of_waiting(question, waiting, removed, conclusion);
}

void gain_of_balance(const Question& question, Nanoseconds waiting, Conclusion& conclusion) {
  set_of_waiting(question, waiting, 0, conclusion);
  // A critical path that does not reach from the beginning to the end of the run gives no bound.
  if (question.ledger.metric(0, {"critical-path"}) < of_run(question, Characteristic::execution_time)) return;
  const Nanoseconds path = question.ledger.metric(question.interval, {"critical-path"});
  bound_gain(
      path,
      fmt::format("the critical path spends {} in {}", time_for_people(path), question.ledger.name(question.interval)),
      conclusion);
}

void gain_of_order(const Question& question, Nanoseconds waiting, Nanoseconds removed, Conclusion& conclusion) {
  set_of_waiting(question, waiting, removed, conclusion);
  bound_by_own_work(question, conclusion);
  bound_gain(waiting + removed,
             removed == 0 ? fmt::format("these {} of waiting", time_for_people(waiting))
                          : fmt::format("these {} of waiting, and the other {} in these calls",
                                        time_for_people(waiting), time_for_people(removed)),
             conclusion);
}

void gain_of_time(const Question& question, Nanoseconds time, Work work, Conclusion& conclusion) {
  const Nanoseconds waiting = waiting_and_idling(question);
  set_shared(question, time + waiting,
             waiting == 0 ? fmt::format("these {}", time_for_people(time))
                          : fmt::format("these {} and the {} of waiting and idle time that may depend on it",
                                        time_for_people(time), time_for_people(waiting)),
             conclusion);
  if (work != Work::is_left_out) bound_by_lost(question, conclusion);
  if (work == Work::stays) bound_by_own_work(question, conclusion);
}

std::string bound_for_people(Nanoseconds bound) {
  // Three digits below a second, milliseconds above, as time_for_people shows it.
  Nanoseconds step = 1;
  if (bound >= 999'500'000) {
    step = 1'000'000;
  } else {
    for (Nanoseconds rest = bound; rest >= 1000; rest /= 10) step *= 10;
  }
  return time_for_people((bound + step - 1) / step * step);
}

std::string bound_percent_for_people(Nanoseconds bound, Nanoseconds whole) {
  if (whole <= 0) return "-";
  // Hundredths of a percent by long division: doubles would show 20.01 % for 20 %.
  Nanoseconds hundredths = bound / whole, rest = bound % whole;
  for (int digit = 0; digit < 4; ++digit) {
    hundredths = hundredths * 10 + rest * 10 / whole;
    rest = rest * 10 % whole;
  }
  if (rest != 0) ++hundredths;
  return fmt::format("{}.{:02} %", hundredths / 100, hundredths % 100);
}

}  // namespace mora::report::advice
