/// Rules from wait states and their causes: input and output by one rank (rule 6), late senders with one cause,
/// messages received in the wrong order, late receivers, late roots. Sources: Scalasca 2.6 (wait states), Böhme 2016
/// (delay costs), DVM analyser, 4.3 (rule 6). Cost: linear in call paths times processes; rule 6 looks at the whole
/// program.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text/rank_words.h"
#include "report/advice/delays.h"
#include "report/advice/gain.h"
#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

using analysis::Characteristic;

/// Computes at least 5 % more than the mean; smaller differences are taken as usual variation.
bool is_overloaded(const Load& load) { return load.computed - load.mean > load.mean / 20; }

/// The common part of all rules of one wait state: amount, places, waiting ranks, gain. `work`: whether the remedy
/// moves computation to other processes.
std::optional<Conclusion> of_wait_state(const Question& question, Ids metrics, const char* name, Work work) {
  auto conclusion = conclusion_on_waiting(question, metrics, name);
  if (!conclusion) return conclusion;
  const Nanoseconds waiting = question.ledger.metric(question.interval, metrics);
  // Calls that become non-blocking or find their message there may take no time at all.
  const Nanoseconds removed = besides_waiting(question, {"point-to-point", "collective"});
  work == Work::stays ? gain_of_order(question, waiting, removed, *conclusion)
                      : gain_of_waiting(question, waiting, removed, *conclusion);
  return conclusion;
}

const Rule late_sender_chain{
    "late-sender-chain",
    0,
    "late senders with one cause",
    {Loss::communication},
    "waiting for late senders is at least `part` of communication, and one rank has at least `single-rank` of its "
    "delay costs",
    "Make this rank faster at the named place, or let it send before it computes. The waiting that other ranks pass on "
    "along the chain ends with it.",
    "Scalasca 2.6, MPI Late Sender Time; Böhme 2016, delay costs",
    {Threshold::part, Threshold::single_rank},
    [](const Question& question) -> std::optional<Conclusion> {
      auto delayer = question.ledger.by_delay_costs({"delay-costs-late-sender"});
      if (!delayer) delayer = question.ledger.by_causes(question.interval, {"late-sender"});
      if (!delayer || ratio(delayer->amount, delayer->of) < question.limit(Threshold::single_rank)) return std::nullopt;
      auto conclusion = of_wait_state(question, {"late-sender"}, "waiting for late senders", Work::moves);
      if (!conclusion) return conclusion;
      conclusion->explained = std::min(conclusion->explained, delayer->amount);
      add_delayer(question, *delayer, *conclusion);
      const Nanoseconds indirect = question.ledger.metric(question.interval, {"indirect-waits-late-sender"});
      conclusion->evidence.push_back(share_fact("indirect-waits-late-sender", "passed on along chains:", indirect,
                                                question.ledger.metric(question.interval, {"late-sender"}),
                                                "the late-sender waiting"));
      const Load load = question.ledger.load_of(0, delayer->rank);
      if (is_overloaded(load)) add_load(question, load, 0, *conclusion);
      const std::string place =
          delayer->call_path == cube::no_id ? "" : " in " + question.ledger.place(delayer->call_path, 0, "").label;
      conclusion->what = fmt::format("receivers wait for late senders, {} because of rank {}{}",
                                     percent_for_people(delayer->amount, delayer->of), delayer->rank, place);
      if (is_overloaded(load)) conclusion->what += "; " + load_text(question.ledger, load);
      return conclusion;
    }};

const Rule wrong_order{
    "wrong-order",
    0,
    "messages in wrong order",
    {Loss::communication},
    "waiting for a late message, while the receiver could have taken another one and worked on it, is at least `part` "
    "of communication",
    "Receive messages in the order in which they arrive: use MPI_ANY_SOURCE, or post all receives with MPI_Irecv and "
    "complete them with MPI_Waitany.",
    "Scalasca 2.6, MPI Late Sender, Wrong Order Time",
    {Threshold::part},
    [](const Question& question) -> std::optional<Conclusion> {
      // What is claimed is what could have been avoided; what can be won is at most all waiting in wrong order.
      auto conclusion = conclusion_on_waiting(question, {"late-sender-avoidable"},
                                              "late senders while other messages could be taken");
      if (!conclusion) return conclusion;
      gain_of_order(question, question.ledger.metric(question.interval, {"late-sender-wrong-order"}),
                    besides_waiting(question, {"point-to-point", "collective"}), *conclusion);
      conclusion->ranks = waiting_ranks(question, {"late-sender-avoidable"});
      if (const auto delayer = question.ledger.by_causes(question.interval, {"late-sender-wrong-order"}))
        add_delayer(question, *delayer, *conclusion);
      conclusion->what =
          fmt::format("{} in {} for a message although another one has arrived",
                      ranks_wait(waiting_ranks(question, {"late-sender-avoidable"})), conclusion->places.front().label);
      return conclusion;
    }};

const Rule late_receiver{"late-receiver",
                         0,
                         "late receivers",
                         {Loss::communication},
                         "waiting of senders for late receivers is at least `part` of communication",
                         "Post the receive earlier with MPI_Irecv, or send with MPI_Isend and complete the send later.",
                         "Scalasca 2.6, MPI Late Receiver Time",
                         {Threshold::part},
                         [](const Question& question) {
                           auto conclusion =
                               of_wait_state(question, {"late-receiver"}, "senders waiting for receivers", Work::stays);
                           if (!conclusion) return conclusion;
                           conclusion->what = fmt::format("{} cannot send in {} before the receive is posted",
                                                          ranks_in_words(waiting_ranks(question, {"late-receiver"})),
                                                          conclusion->places.front().label);
                           if (const auto delayer = question.ledger.by_causes(question.interval, {"late-receiver"}))
                             add_delayer(question, *delayer, *conclusion);
                           if (conclusion->ranks.empty())
                             conclusion->ranks = waiting_ranks(question, {"late-receiver"});
                           return conclusion;
                         }};

/// The rank that makes the root late: it has more than half of the delays behind the waiting for the root.
std::optional<Delayer> behind_root(const Question& question, Ids metrics, std::uint32_t root) {
  const auto delayer = delays_behind(question.ledger, question.interval, metrics).main_delayer();
  if (!delayer || delayer->rank == root || delayer->amount <= delayer->of - delayer->amount) return std::nullopt;
  return delayer;
}

void name_delayer_of_root(const Question& question, const Delayer& root, const Delayer& behind,
                          Conclusion& conclusion) {
  add_delayer(question, behind, conclusion);
  std::rotate(conclusion.ranks.begin(), std::find(conclusion.ranks.begin(), conclusion.ranks.end(), behind.rank),
              conclusion.ranks.end());
  const std::string at =
      behind.call_path == cube::no_id ? "" : " in " + question.ledger.place(behind.call_path, 0, "").label;
  conclusion.what = fmt::format("the others wait in {} for its root, rank {}, which itself waits for rank {}{}",
                                conclusion.places.front().label, root.rank, behind.rank, at);
  conclusion.advice = fmt::format(
      "The root is late because it waits for rank {}: give that rank less to do at the named place, or let the root "
      "broadcast before it waits.",
      behind.rank);
}

const Rule late_root{"late-root",
                     0,
                     "late root of a broadcast",
                     {Loss::communication},
                     "waiting for the root of broadcasts and scatters is at least `part` of communication",
                     "Let the root broadcast as soon as the data is ready, before its other work; or give the root "
                     "less other work; or start MPI_Ibcast early on the other ranks.",
                     "Scalasca 2.6, MPI Late Broadcast Time",
                     {Threshold::part},
                     [](const Question& question) {
                       const auto metrics = {"late-broadcast", "nonblocking-late-broadcast"};
                       auto conclusion = of_wait_state(question, metrics, "waiting for the root", Work::moves);
                       if (!conclusion) return conclusion;
                       if (const auto delayer = question.ledger.by_causes(question.interval, metrics)) {
                         add_delayer(question, *delayer, *conclusion);
                         if (const auto behind = behind_root(question, metrics, delayer->rank)) {
                           name_delayer_of_root(question, *delayer, *behind, *conclusion);
                           return conclusion;
                         }
                         const Load load = question.ledger.load_of(0, delayer->rank);
                         if (is_overloaded(load)) add_load(question, load, 0, *conclusion);
                         conclusion->what = fmt::format("the others wait in {} for its root, rank {}",
                                                        conclusion->places.front().label, delayer->rank);
                       } else {
                         conclusion->what =
                             fmt::format("processes wait in {} for its root", conclusion->places.front().label);
                         conclusion->ranks = waiting_ranks(question, metrics);
                       }
                       return conclusion;
                     }};

/// Whether the name of a user region or interval contains a word of input or output as a whole word: "write_field",
/// "Checkpoint".
bool sounds_like_io(const std::string& name) {
  std::string word;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && std::isalpha(static_cast<unsigned char>(name[i]))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
      continue;
    }
    for (const char* io : {"io", "read", "write", "input", "output", "checkpoint", "dump", "restart", "fread", "fwrite",
                           "fprintf", "fopen", "fsync"}) {
      if (word == io) return true;
    }
    word.clear();
  }
  return false;
}

const Rule rule_6{
    "rule-6",
    6,
    "input and output",
    {Loss::communication},
    "input and output take at least `dominant` of communication; or waiting is at least `dominant` of communication, "
    "and at least `dominant` of the waiting is due to delays of one rank in MPI I/O calls, or in a region with a name "
    "of input or output (then only half of it counts)",
    "One rank does input or output while the others wait: write in parallel (MPI_File_write_all), let the others "
    "continue (non-blocking output, or one rank for output only), or write less often.",
    "DVM analyser, 4.3",
    {Threshold::dominant},
    [](const Question& question) -> std::optional<Conclusion> {
      const Ledger& ledger = question.ledger;
      const double dominant = question.limit(Threshold::dominant);
      const Nanoseconds io = question.value(Characteristic::io);
      const Nanoseconds waiting = question.value(Characteristic::real_synchronization);
      const auto finish = [&](Conclusion& conclusion) {
        conclusion.evidence.push_back(
            share_fact("io", "input and output through MPI", io, question.amount, "communication"));
        conclusion.evidence.push_back(
            share_fact("real_synchronization", "waiting", waiting, question.amount, "communication"));
      };
      if (auto conclusion = conclusion_if(question, io, ratio(io, question.amount), dominant)) {
        finish(*conclusion);
        conclusion->places = ledger.places(question.interval, {"mpi-io", "mpi-file"}, 3);
        conclusion->ranks = waiting_ranks(question, {"mpi-io", "mpi-file"});
        conclusion->what = fmt::format("input and output through MPI take {}", time_for_people(io));
        gain_of_time(question, io, Work::moves, *conclusion);
        return conclusion;
      }
      if (ratio(waiting, question.amount) < dominant) return std::nullopt;
      // The delays of every rank in input and output, anywhere: the cause may precede the interval.
      const cube::MetricId costs = ledger.cube().find_metric("delay-costs");
      if (costs == cube::no_id) return std::nullopt;
      struct InputOutput {
        cube::CallPathId call_path;
        bool is_call;
      };
      std::vector<InputOutput> in_io;
      Nanoseconds time_of_io = 0;  // of all processes, besides waiting: with less to write it goes, too
      for (const cube::CallPathId c : ledger.paths(0)) {
        const bool is_call = ledger.metric_at(0, {"mpi-io", "mpi-file"}, c) > 0;
        bool is_named = false;
        for (cube::CallPathId up = c; up != cube::no_id && !is_named; up = ledger.cube().call_paths[up].parent) {
          const cube::CallPath& path = ledger.cube().call_paths[up];
          is_named = (path.kind == cube::CallPathKind::user || path.kind == cube::CallPathKind::interval) &&
                     sounds_like_io(path.name);
        }
        if (!is_call && !is_named) continue;
        in_io.push_back({c, is_call});
        time_of_io += ledger.metric_at(0, {"computation", "mpi"}, c) - waiting_at(ledger, 0, c);
      }
      Delayer best;
      Nanoseconds by_calls = 0;
      for (const auto& process : ledger.interval(0).processes) {
        Delayer one;
        one.rank = process.rank, one.key = "delay-costs";
        Nanoseconds calls = 0;
        for (const cube::CallPathId c : ledger.paths(0)) {
          const Nanoseconds amount = ledger.cube().get(costs, c, process.location);
          if (amount > 0) one.of += amount;
        }
        for (const auto& [c, is_call] : in_io) {
          const Nanoseconds amount = ledger.cube().get(costs, c, process.location);
          if (amount <= 0) continue;
          one.amount += amount;
          if (is_call) calls += amount;
          if (amount > one.there) one.there = amount, one.call_path = c;
        }
        if (one.amount > best.amount) best = one, by_calls = calls;
      }
      auto conclusion = conclusion_if(question, std::min(best.amount, waiting), ratio(best.amount, waiting), dominant);
      if (!conclusion) return conclusion;
      const bool only_named = by_calls < best.amount - by_calls;
      if (only_named) conclusion->explained /= 2;
      finish(*conclusion);
      add_delayer(question, best, *conclusion);
      if (only_named)
        conclusion->evidence.push_back(time_fact(
            "by_name", best.amount - by_calls, "that this is input or output is known only from the name of a region"));
      conclusion->what = fmt::format("the others wait while rank {} does input or output in {}", best.rank,
                                     ledger.place(best.call_path, 0, "").label);
      gain_of_time(question, std::max<Nanoseconds>(time_of_io, 0), Work::is_left_out, *conclusion);
      return conclusion;
    }};

}  // namespace

std::vector<const Rule*> wait_rules() {
  return {&rule_6, &late_sender_chain, &wrong_order, &late_receiver, &late_root};
}

}  // namespace mora::report::advice
