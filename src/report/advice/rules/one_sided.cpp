/// Rules for one-sided communication: contention for locks, fences that synchronise too many ranks, late epochs,
/// missing progress. Each fires if its wait states are at least `part` of communication. Source of the wait states:
/// Scalasca 2.6; locks also Mora's rule lock-contention.
#include <algorithm>

#include <fmt/format.h>

#include "report/advice/gain.h"
#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

/// Amount, share, places, waiting ranks and gain of waiting of these metrics; `what` follows "ranks 1, 2 wait".
std::optional<Conclusion> of_waiting(const Question& question, Ids metrics, const char* name, const char* what) {
  auto conclusion = conclusion_on_waiting(question, metrics, name);
  if (!conclusion) return conclusion;
  const auto ranks = waiting_ranks(question, metrics);
  conclusion->what = ranks_wait(ranks) + " " + what;
  if (const auto delayer = question.ledger.by_causes(question.interval, metrics))
    add_delayer(question, *delayer, *conclusion);
  if (conclusion->ranks.empty()) conclusion->ranks = ranks;
  gain_of_order(question, question.ledger.metric(question.interval, metrics),
                besides_waiting(question, {"one-sided", "synchronization-one-sided"}), *conclusion);
  return conclusion;
}

const Rule lock_contention{
    "lock-contention",
    0,
    "contention for window locks",
    {Loss::communication},
    "waiting for a lock that another rank holds is at least `part` of communication",
    "Hold locks for a shorter time (unlock directly after the last operation), spread data that many ranks use over "
    "several targets, use shared locks where all operations are atomic, or use one MPI_Win_lock_all epoch with "
    "flushes.",
    "Scalasca 2.6, MPI Lock Contention Time in Synchronizations; Mora's rule lock-contention",
    {Threshold::part},
    [](const Question& question) {
      auto conclusion = of_waiting(question, {"lock-contention", "lock-contention-comm"}, "lock contention",
                                   "for a lock that another rank holds");
      if (!conclusion) return conclusion;
      const Nanoseconds kept = question.ledger.metric(question.interval, {"late-unlock", "late-unlock-comm"});
      conclusion->evidence.push_back(
          share_fact("late-unlock", "the holder kept the lock without using it for", kept,
                     question.ledger.metric(question.interval, {"lock-contention", "lock-contention-comm"}), "that"));
      return conclusion;
    }};

const Rule fences{
    "rma-fences",
    0,
    "fences that synchronise too many ranks",
    {Loss::communication},
    "waiting at fences is at least `part` of communication, and at least `unneeded-pairs` of the pairs "
    "of ranks that they synchronise exchanged nothing",
    "Synchronise only ranks that exchange data: use MPI_Win_post, start, complete and wait with groups "
    "of neighbours, or locks.",
    "Scalasca 2.6, MPI Wait at Fence Time; Scalasca 2.6, Unneeded Pair-wise MPI One-sided Synchronizations",
    {Threshold::part, Threshold::unneeded_pairs},
    [](const Question& question) -> std::optional<Conclusion> {
      const std::int64_t pairs = question.ledger.metric(question.interval, {"pairwise-synchronizations"});
      const std::int64_t unneeded = question.ledger.metric(question.interval, {"pairwise-synchronizations-unneeded"});
      if (pairs == 0 || ratio(unneeded, pairs) < question.limit(Threshold::unneeded_pairs)) return std::nullopt;
      auto conclusion = of_waiting(question, {"wait-at-fence"}, "waiting at fences",
                                   "at fences, mostly for ranks that they exchange nothing with");
      if (!conclusion) return conclusion;
      conclusion->evidence.push_back(
          count_fact("pairwise-synchronizations-unneeded", unneeded,
                     fmt::format("{} of {} pairs that were synchronised exchanged nothing", unneeded, pairs)));
      return conclusion;
    }};

const Rule epochs{
    "rma-epochs",
    0,
    "late epochs",
    {Loss::communication},
    "waiting for MPI_Win_post or MPI_Win_complete of the other side is at least `part` of communication",
    "Post exposure epochs earlier, complete access epochs directly after the last access, and compute in between.",
    "Scalasca 2.6, MPI Late Post Time in Synchronizations; Scalasca 2.6, MPI Late Post Time in Communications; "
    "Scalasca 2.6, MPI Early Wait Time",
    {Threshold::part},
    [](const Question& question) {
      auto conclusion = of_waiting(question, {"late-post", "early-wait", "early-transfer"}, "waiting for epochs",
                                   "for the other side's post or complete");
      if (!conclusion) return conclusion;
      for (const auto& [id, text] :
           {std::pair{"late-post", "origins waiting for MPI_Win_post"},
            std::pair{"early-wait", "targets waiting for MPI_Win_complete"},
            std::pair{"late-complete", "of that, between the last transfer and MPI_Win_complete"},
            std::pair{"early-transfer", "transfers waiting for MPI_Win_post"}}) {
        const Nanoseconds amount = question.ledger.metric(question.interval, {id});
        if (amount > 0)
          conclusion->evidence.push_back(
              time_fact(std::string(id) + "_part", amount, fmt::format("{} {}", text, time_for_people(amount))));
      }
      return conclusion;
    }};

const Rule progress{
    "rma-progress",
    0,
    "no progress at targets",
    {Loss::communication},
    "waiting until a target enters MPI is at least `part` of communication",
    "Here one-sided operations complete only when the target enters MPI: let the target call MPI now and then, use the "
    "library's progress thread, or use memory that the network adapter can access directly.",
    "Scalasca 2.6, MPI Wait for Progress Time in Communications",
    {Threshold::part},
    [](const Question& question) {
      return of_waiting(question, {"wait-for-progress", "flush-wait", "wait-for-progress-comm", "request-completion"},
                        "waiting for progress", "until the target of a one-sided operation enters MPI");
    }};

}  // namespace

std::vector<const Rule*> one_sided_rules() { return {&lock_contention, &fences, &epochs, &progress}; }

}  // namespace mora::report::advice
