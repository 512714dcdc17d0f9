/// Rules for communication that is not waiting: missing overlap (rule 7), many small messages and collectives made of
/// messages (rule 11), pure transfer (rule 12), polling, collectives in hot loops.
///
/// Sources: DVM analyser, 1, 2, 4.1 and 4.3; polling and collectives in hot loops are Mora's own (Mora's rule advice).
/// Cost: linear in the call paths of the interval times its processes; the search for collectives made of messages
/// looks at each call path twice. Limit: messages are known by number and bytes only, so a collective made of messages
/// is recognised by equal numbers, not by data.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analysis/efficiency/pop/pop.h"
#include "mpi/function.h"
#include "report/advice/gain.h"
#include "report/advice/rule.h"

namespace mora::report::advice {
namespace {

using analysis::Characteristic;

std::optional<Nanoseconds> ideal_gain(const Question& question) {
  if (!question.ledger.table().is_replayed) return std::nullopt;
  Nanoseconds ideal = 0;
  for (const auto& process : question.ledger.interval(question.interval).processes)
    ideal = std::max(ideal, process.ideal_time());
  if (ideal == 0) return std::nullopt;
  return question.value(Characteristic::execution_time) - ideal;
}

bool waits(std::string_view name) {
  const mpi::CallClass call = mpi::function(mpi::find(name)).call;
  return call == mpi::CallClass::wait_single || call == mpi::CallClass::wait_multiple;
}

bool starts(std::string_view name) {
  const mpi::Function& function = mpi::function(mpi::find(name));
  return mpi::starts_requests(function) || (mpi::polls_messages(function) && function.call != mpi::CallClass::test);
}

/// In point-to-point calls, without waiting and polling.
Nanoseconds message_time(const Question& question) {
  return question.ledger.metric(question.interval, {"point-to-point"}) -
         question.ledger.metric(question.interval, {"late-sender", "late-receiver", "polling"});
}

const Rule rule_7{
    "rule-7",
    7,
    "no overlap",
    {Loss::communication},
    "non-blocking operations are used, and one of three holds: (a) starting them takes at least `part` of "
    "communication; (b) completing them takes at least `part`, and computation covers at most `overlap` of them; (c) "
    "computation lies between start and completion, but completing them still takes at least `part` besides waiting",
    "Start operations earlier, and compute before completing them. If there already is computation between start and "
    "completion, MPI makes no progress during it: call MPI_Test now and then, or use the library's progress thread.",
    "DVM analyser, 2, 4.3",
    {Threshold::part, Threshold::overlap},
    [](const Question& question) -> std::optional<Conclusion> {
      const Nanoseconds start = question.value(Characteristic::start_time),
                        unhidden = question.value(Characteristic::unhidden);
      const Nanoseconds overlap = question.value(Characteristic::overlap);
      // Polling has a rule of its own.
      const Nanoseconds starting =
          std::max<Nanoseconds>(start - question.ledger.metric(question.interval, {"polling"}), 0);
      Nanoseconds completing = 0;
      for (const analysis::KindRow& row : question.ledger.interval(question.interval).kinds) {
        if (waits(row.name)) completing += row.sum.communication - row.sum.real_synchronization;
      }
      const double part = question.limit(Threshold::part);
      const bool is_hidden = ratio(overlap, overlap + unhidden) > question.limit(Threshold::overlap);
      Nanoseconds explained = starting;
      const char* what = "starting non-blocking operations takes as long as if they were blocking";
      if (!is_hidden && unhidden > explained) {
        explained = unhidden;
        what = "there is no computation between start and completion of non-blocking operations";
      } else if (is_hidden && completing > explained) {
        explained = completing;
        what = "there is computation between start and completion, but the transfer is done in MPI_Wait";
      }
      auto conclusion = conclusion_if(question, explained, ratio(explained, question.amount), part);
      if (!conclusion) return conclusion;
      conclusion->what = what;
      conclusion->evidence = {share_fact("start_time", "time of start", start, question.amount, "communication"),
                              share_fact("unhidden", "in completing calls", unhidden, question.amount, "communication"),
                              share_fact("overlap", "computation while an operation is pending", overlap,
                                         overlap + unhidden, "both together")};
      if (is_hidden) {
        conclusion->evidence.push_back(
            share_fact("completing", "in MPI_Wait* besides waiting", completing, question.amount, "communication"));
      }
      for (const cube::CallPathId c : question.ledger.paths(question.interval)) {
        const std::string& name = question.ledger.cube().call_paths[c].name;
        const bool fits = explained == starting ? starts(name) : waits(name);
        const Nanoseconds amount = fits ? question.ledger.metric_at(question.interval, {"mpi"}, c) : 0;
        if (amount > 0) conclusion->places.push_back(question.ledger.place(c, amount, "mpi"));
      }
      std::stable_sort(conclusion->places.begin(), conclusion->places.end(),
                       [](const Place& a, const Place& b) { return a.amount > b.amount; });
      if (conclusion->places.size() > 3) conclusion->places.resize(3);
      for (std::size_t p = 0; p < question.processes(); ++p) {
        const auto process = question.ledger.interval(question.interval).processes[p];
        if (process.value(Characteristic::start_time) + process.value(Characteristic::unhidden) > 0) {
          conclusion->ranks.push_back(process.rank);
        }
      }
      gain_of_time(question, explained, Work::stays, *conclusion);
      return conclusion;
    }};

/// Messages sent in the interval.
struct Messages {
  std::int64_t count = 0, bytes = 0;
};
Messages messages_of(const Question& question) {
  Messages messages;
  for (const cube::CallPathId c : question.ledger.paths(question.interval)) {
    const std::int64_t count = question.ledger.metric_at(question.interval, {"messages-sent"}, c);
    if (count == 0) continue;
    messages.count += count;
    messages.bytes += question.ledger.metric_at(question.interval, {"bytes-sent"}, c);
  }
  return messages;
}

const Rule rule_11{
    "rule-11",
    11,
    "many small messages",
    {Loss::communication},
    "on average each process sends at least `messages` messages, their mean size is at most `message-bytes` bytes, and "
    "point-to-point time without waiting is at least `part` of communication",
    "Send larger messages: pack data for the same rank into one message, use derived datatypes, exchange borders less "
    "often. Every message, however small, takes as long as thousands of instructions.",
    "DVM analyser, 2",
    {Threshold::messages, Threshold::message_bytes, Threshold::part},
    [](const Question& question) -> std::optional<Conclusion> {
      const Messages messages = messages_of(question);
      if (messages.count == 0) return std::nullopt;
      const double per_process = ratio(messages.count, static_cast<std::int64_t>(question.processes()));
      const double mean_bytes = ratio(messages.bytes, messages.count);
      if (per_process < question.limit(Threshold::messages) || mean_bytes > question.limit(Threshold::message_bytes))
        return std::nullopt;
      const Nanoseconds time = message_time(question);
      auto conclusion = conclusion_if(question, time, ratio(time, question.amount), question.limit(Threshold::part));
      if (!conclusion) return conclusion;
      conclusion->what = fmt::format("{} messages with a mean size of {:.4g} bytes", messages.count, mean_bytes);
      conclusion->evidence = {count_fact("messages-sent", messages.count,
                                         fmt::format("{} messages, {:.1f} per process", messages.count, per_process)),
                              {"bytes-sent", messages.bytes, cube::Unit::bytes,
                               fmt::format("{} in them, {:.4g} bytes per message",
                                           bytes_for_people(static_cast<std::uint64_t>(messages.bytes)), mean_bytes)},
                              share_fact("point-to-point", "in point-to-point calls besides waiting", time,
                                         question.amount, "communication")};
      for (Place& place : question.ledger.places(question.interval, {"messages-sent"}, 3))
        conclusion->places.push_back(std::move(place));
      conclusion->ranks = waiting_ranks(question, {"messages-sent"});
      gain_of_time(question, time, Work::stays, *conclusion);
      return conclusion;
    }};

/// A collective made of messages: one rank sends (or receives) at one call path as many messages as all others receive
/// (or send) together, and each of the others has the same number.
struct HandMade {
  cube::CallPathId at_one = cube::no_id;
  std::uint32_t rank = 0;
  std::int64_t count = 0;  ///< of each of the others
  bool one_sends = true;
};

std::optional<HandMade> hand_made_collective(const Question& question) {
  const auto& processes = question.ledger.interval(question.interval).processes;
  if (processes.size() < 4) return std::nullopt;
  const auto others = static_cast<std::int64_t>(processes.size()) - 1;
  for (const bool one_sends : {true, false}) {
    const char* const of_one = one_sends ? "messages-sent" : "messages-received";
    const auto answers =
        question.ledger.metric_by_process(question.interval, {one_sends ? "messages-received" : "messages-sent"});
    for (const cube::CallPathId c : question.ledger.paths(question.interval)) {
      const cube::MetricId metric = question.ledger.cube().find_metric(of_one);
      if (metric == cube::no_id) continue;
      std::size_t who = SIZE_MAX;
      bool is_one = true;
      for (std::size_t p = 0; p < processes.size(); ++p) {
        if (question.ledger.cube().get(metric, c, processes[p].location) == 0) continue;
        is_one = is_one && who == SIZE_MAX;
        who = p;
      }
      if (!is_one || who == SIZE_MAX) continue;
      const std::int64_t count = question.ledger.cube().get(metric, c, processes[who].location) / others;
      if (count == 0 || count * others != question.ledger.cube().get(metric, c, processes[who].location)) continue;
      bool all_alike = answers[who] == 0;
      for (std::size_t p = 0; p < processes.size() && all_alike; ++p) all_alike = p == who || answers[p] == count;
      if (all_alike) return HandMade{c, processes[who].rank, count, one_sends};
    }
  }
  return std::nullopt;
}

const Rule collective_by_messages{
    "rule-11-collective",
    11,
    "a collective made of messages",
    {Loss::communication},
    "one of at least four processes sends equally many messages to each of the others from one call path (or receives "
    "equally many from each), the others have no other messages in that direction, and point-to-point time without "
    "waiting is at least `part` of communication",
    "Use the collective operation instead (MPI_Bcast or MPI_Scatter; MPI_Reduce or MPI_Gather): MPI libraries need "
    "fewer steps for it than one message after another.",
    "DVM analyser, 2",
    {Threshold::part},
    [](const Question& question) -> std::optional<Conclusion> {
      const auto found = hand_made_collective(question);
      if (!found) return std::nullopt;
      const Nanoseconds time = message_time(question);
      auto conclusion = conclusion_if(question, time, ratio(time, question.amount), question.limit(Threshold::part));
      if (!conclusion) return conclusion;
      conclusion->what =
          fmt::format("rank {} {} all others one by one, {} time{}", found->rank,
                      found->one_sends ? "sends to" : "receives from", found->count, found->count == 1 ? "" : "s");
      const auto n = static_cast<std::int64_t>(question.processes());
      conclusion->evidence = {
          count_fact(found->one_sends ? "messages-sent" : "messages-received", found->count * (n - 1),
                     fmt::format("{} messages of rank {} at {}, {} with each of {} others", found->count * (n - 1),
                                 found->rank, question.ledger.place(found->at_one, 0, "").label, found->count, n - 1)),
          share_fact("point-to-point", "in point-to-point calls besides waiting", time, question.amount,
                     "communication")};
      conclusion->ranks = {found->rank};
      conclusion->places = {question.ledger.place(found->at_one, found->count * (n - 1),
                                                  found->one_sends ? "messages-sent" : "messages-received")};
      conclusion->places.front().rank = found->rank;
      gain_of_time(question, time, Work::stays, *conclusion);
      return conclusion;
    }};

const Rule rule_12{
    "rule-12",
    12,
    "pure transfer",
    {Loss::communication},
    "communication is a loss; waiting is less than `part` of it and is known for all partners; the rest, without "
    "polling, is at least 1 - `part`; and no other cause of at least medium confidence explains `dominant` of it",
    "Move less data: larger blocks per process have a smaller border, values may be packed or sent less often. Hide "
    "the rest: use non-blocking operations with computation between start and completion.",
    "DVM analyser, 1, 4.1",
    {Threshold::part, Threshold::dominant},
    [](const Question& question) -> std::optional<Conclusion> {
      const Nanoseconds waiting = question.value(Characteristic::real_synchronization),
                        polled = question.ledger.metric(question.interval, {"polling"}),
                        transfer = question.amount - waiting - polled;
      const double part = question.limit(Threshold::part);
      if (ratio(waiting, question.amount) >= part || !question.ledger.gaps_of_waiting().empty()) return std::nullopt;
      auto conclusion = conclusion_if(question, transfer, ratio(transfer, question.amount), 1 - part);
      if (!conclusion) return conclusion;
      conclusion->evidence = {
          share_fact("transfer",
                     polled > 0 ? "communication besides waiting and polling" : "communication besides waiting",
                     transfer, question.amount, "communication"),
          share_fact("real_synchronization", "waiting only", waiting, question.amount, "communication")};
      auto kinds = question.ledger.interval(question.interval).kinds;
      std::stable_sort(kinds.begin(), kinds.end(), [](const analysis::KindRow& a, const analysis::KindRow& b) {
        return a.sum.communication - a.sum.real_synchronization > b.sum.communication - b.sum.real_synchronization;
      });
      for (std::size_t i = 0; i < std::min<std::size_t>(kinds.size(), 3); ++i) {
        const Nanoseconds of_kind = kinds[i].sum.communication - kinds[i].sum.real_synchronization;
        if (of_kind <= 0) break;
        conclusion->evidence.push_back(share_fact(
            "transfer_" + kinds[i].name,
            fmt::format("{} ({} call{}):", kinds[i].name, kinds[i].sum.count, kinds[i].sum.count == 1 ? "" : "s"),
            of_kind, transfer, "the transfer"));
      }
      const std::int64_t bytes = question.ledger.metric(question.interval, {"bytes-sent"});
      conclusion->evidence.push_back(
          {"bytes-sent", bytes, cube::Unit::bytes,
           fmt::format("{} sent", bytes_for_people(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0))))});
      if (const auto ideal = ideal_gain(question)) {
        conclusion->evidence.push_back(
            time_fact("ideal_network_gain", *ideal,
                      fmt::format("on an ideal network it would take {} less (by replay)", time_for_people(*ideal))));
      }
      conclusion->places = question.ledger.places(question.interval, {"communication", "synchronization"}, 3);
      conclusion->what = kinds.empty()
                             ? "communication is mostly transfer, with little waiting"
                             : fmt::format("communication is mostly transfer, with little waiting; most of it in {}",
                                           kinds.front().name);
      for (const auto& process : question.ledger.interval(question.interval).processes) {
        if (process.value(Characteristic::communication) > 0) conclusion->ranks.push_back(process.rank);
      }
      gain_of_time(question, transfer, Work::stays, *conclusion);
      return conclusion;
    },
    true};

const Rule polling{
    "polling",
    0,
    "polling",
    {Loss::communication},
    "tests and probes that found nothing take at least `part` of communication",
    "Compute between two tests, or call the blocking MPI_Wait or MPI_Recv when nothing is left to compute.",
    "Mora's rule polling",
    {Threshold::part},
    [](const Question& question) -> std::optional<Conclusion> {
      const Nanoseconds time = question.ledger.metric(question.interval, {"polling"});
      auto conclusion = conclusion_if(question, time, ratio(time, question.amount), question.limit(Threshold::part));
      if (!conclusion) return conclusion;
      const std::int64_t calls = question.ledger.metric(question.interval, {"polling-calls"});
      conclusion->what = fmt::format("{} tests or probes found nothing", calls);
      conclusion->evidence = {share_fact("polling", "polling", time, question.amount, "communication"),
                              count_fact("polling-calls", calls, fmt::format("{} calls found nothing", calls))};
      conclusion->places = question.ledger.places(question.interval, {"polling"}, 3);
      conclusion->ranks = waiting_ranks(question, {"polling"});
      gain_of_time(question, time, Work::stays, *conclusion);
      return conclusion;
    },
    false,
    true};

const Rule collectives_in_loops{
    "collectives-in-loops",
    0,
    "collectives in a hot loop",
    {Loss::communication},
    "every process of the program calls a collective at one call path at least `collective-calls` times, and its time "
    "besides waiting is at least `part` of communication",
    "Call it less often (for example, test for convergence only every k iterations), combine several collectives into "
    "one, start it as a non-blocking collective and complete it one iteration later, or use a smaller communicator.",
    "DVM analyser, 2; Mora's rule advice",
    {Threshold::collective_calls, Threshold::part},
    [](const Question& question) -> std::optional<Conclusion> {
      const Ledger& ledger = question.ledger;
      cube::CallPathId worst = cube::no_id;
      Nanoseconds most = 0, in_all = 0;
      std::int64_t least_calls = 0;
      const cube::MetricId visits = ledger.cube().find_metric("visits");
      if (visits == cube::no_id || ledger.interval(0).processes.size() != question.processes()) return std::nullopt;
      for (const cube::CallPathId c : ledger.paths(question.interval)) {
        const Nanoseconds all = ledger.metric_at(question.interval, {"collective", "synchronization-collective"}, c);
        const Nanoseconds time = all - waiting_at(ledger, question.interval, c);  // waiting has causes of its own
        if (time <= most) continue;
        std::int64_t calls = INT64_MAX;
        for (const auto& process : ledger.interval(question.interval).processes) {
          calls = std::min(calls, ledger.cube().get(visits, c, process.location));
        }
        if (static_cast<double>(calls) < question.limit(Threshold::collective_calls)) continue;
        most = time, in_all = all, worst = c, least_calls = calls;
      }
      auto conclusion = conclusion_if(question, most, ratio(most, question.amount), question.limit(Threshold::part));
      if (!conclusion) return conclusion;
      const Place place = ledger.place(worst, most, "collective");
      conclusion->what =
          fmt::format("all {} processes call {} {} times", question.processes(), place.label, least_calls);
      conclusion->evidence = {
          count_fact("visits", least_calls, fmt::format("{} calls per process at {}", least_calls, place.label)),
          share_fact("collective", "time in it besides waiting", most, question.amount, "communication"),
          share_fact("waiting", "waiting in it", in_all - most, in_all, "all time in it")};
      conclusion->places = {place};
      for (const auto& process : ledger.interval(question.interval).processes)
        conclusion->ranks.push_back(process.rank);
      gain_of_time(question, most, Work::stays, *conclusion);
      return conclusion;
    }};

}  // namespace

std::vector<const Rule*> transfer_rules() {
  return {&rule_7, &rule_11, &collective_by_messages, &rule_12, &polling, &collectives_in_loops};
}

}  // namespace mora::report::advice
