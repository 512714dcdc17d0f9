/// The words for causes of lost time, and the sentence that every report opens with.
///
/// Each kind of cause has one sentence: who, where, what it costs all ranks, why. The cause that costs most opens the
/// report; what happens before the start or behind the end of MPI does so only if it costs several times as much as all
/// else. Where clocks contradict each other that is said instead (Mora's rule losses). Cost: linear in the causes.
/// Limit: one cause opens; the others are in the section LOST TIME.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "analysis/efficiency/focus.h"
#include "base/table/wrapped.h"
#include "report/data/figures.h"
#include "report/losses/functions.h"
#include "report/losses/joining.h"
#include "report/losses/losses.h"
#include "report/losses/spread.h"
#include "report/losses/teams.h"

namespace mora::report {
namespace {

/// Delays before the start or the end of MPI are named first only if they cost so many times more than all else.
constexpr Nanoseconds outer_leads_from = 2;
constexpr std::size_t ranks_listed = 4;
constexpr std::int64_t large_message = 65536;  ///< bytes: what no MPI library sends at once
constexpr double little_until = 0.05;          ///< "That is little."

/// "compute MPI_A@x.c:1 -> MPI_B@x.c:9" as "between MPI_A (x.c:1) and MPI_B (x.c:9)"; other paths as "in solve".
std::string label_words(const std::string& label) {
  const auto stretch = cube::stretch(label);
  if (!stretch) return "in " + cube::in_brackets(label);
  const auto [from, to] = *stretch;
  return from == "start" && to == "end" ? "all the time"
         : from == "start"              ? "before " + cube::in_brackets(to)
         : to == "end"                  ? "after " + cube::in_brackets(from)
         : from == to                   ? "between two calls of " + cube::in_brackets(to)
                      : fmt::format("between {} and {}", cube::in_brackets(from), cube::in_brackets(to));
}

/// "MPI_Recv (ring.c:42) in relax, called from step"
std::string call_path_words(const std::vector<std::string>& path) {
  const std::string functions = functions_around(path);
  return cube::in_brackets(path.back()) + (functions.empty() ? "" : " in " + functions);
}

/// The calls of a cause whose first is that of `first`: "MPI_Send (a.c:1), MPI_Wait (a.c:9) and MPI_Irecv (a.c:4)";
/// where `first` names its functions, "MPI_Send (a.c:1) in swap, together with MPI_Wait (a.c:9)".
std::string with_words(const std::string& first, const LossCause& cause) {
  if (cause.with.empty()) return first;
  const bool is_in_functions = !functions_around(cause.call_path).empty();
  std::string text = first;
  for (std::size_t i = 0; i < cause.with.size(); ++i) {
    const bool is_last = i + 1 == cause.with.size();
    text += is_in_functions && i == 0 ? ", together with " : is_last ? " and " : ", ";
    text += cube::in_brackets(cause.with[i]);
  }
  return text;
}

/// The same of the cause's code, with the loop or function around it.
std::string code_words(const LossCause& cause) {
  const std::vector<std::string> path = cause.place();
  if (path.empty()) return "an unknown place";
  if (!cube::stretch(path.back())) return "in " + call_path_words(path);
  const std::string functions = functions_around(path);
  const std::string around = !functions.empty() ? functions
                             : path.size() > 2  ? cube::in_brackets(path[path.size() - 2])
                                                : "";
  return label_words(path.back()) + (around.empty() ? "" : " in " + around);
}

std::string ranks_words(const LossCause& cause) {
  if (cause.ranks.size() == 1) return fmt::format("Rank {}", cause.ranks[0]);
  if (cause.ranks.size() > ranks_listed) return fmt::format("{} ranks", cause.ranks.size());
  std::string text = "Ranks";
  for (std::size_t i = 0; i < cause.ranks.size(); ++i) {
    text += fmt::format("{} {}", i == 0 ? "" : i + 1 == cause.ranks.size() ? " and" : ",", cause.ranks[i]);
  }
  return text;
}

/// Of MPI, of OpenSHMEM, or of both: what the program communicates with.
std::string library_words(const ReportData& data) {
  return data.shmem_time() == 0 ? "MPI" : data.mpi_time() == 0 ? "OpenSHMEM" : "MPI and OpenSHMEM";
}

std::string costs_words(const ReportData& data, const LossCause& cause, bool is_outside) {
  const Losses& losses = data.losses;
  return fmt::format("{}, {} of all ranks' time{}", time_for_people(cause.amount),
                     share(cause.amount, is_outside ? losses.focus + losses.outside : losses.focus),
                     is_outside || losses.outside == 0 ? "" : " " + focus_words(data));
}

/// One rank that computes between two calls of the same receive, so that others wait.
bool is_taking_turns(const LossCause& cause) {
  if (cause.kind != "delay" || cause.ranks.size() != 1 || cause.call_path.empty()) return false;
  const auto stretch = cube::stretch(cause.call_path.back());
  if (!stretch || stretch->from != stretch->to) return false;
  if (!cause.waits_at.empty() && cause.waits_at.back() == stretch->to) return false;  // an exchange: others do the same
  const mpi::Function& call = analysis::called_function(stretch->to);
  return call.subject == mpi::Subject::point_to_point && (call.flow == mpi::Flow::in || call.flow == mpi::Flow::both);
}

bool is_message(const LossCause& cause) {
  return analysis::called_function(cause.call_path.back()).subject == mpi::Subject::point_to_point;
}

/// ", between MPI_A and MPI_B, in solve"
std::string places_words(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += ", " + label_words(label);
  return text;
}

/// " Part of it arises between MPI_A and MPI_B."
std::string also_words(const LossCause& cause) {
  const std::string places = places_words(cause.with);
  return places.empty() ? "" : " Part of it arises " + places.substr(2) + ".";
}

/// Large messages that could have moved during the computation before the call that completes them, and did not.
bool is_without_progress(const LossCause& cause) {
  return cause.calls > 0 && cause.bytes / cause.calls >= large_message &&
         2 * cause.overlappable >= cause.amount - cause.waiting;
}

std::string lower(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

/// What a cause counts for when the first one is chosen: of waiting all can be won, of the time in a call itself only a
/// part.
Nanoseconds weight(const LossCause& cause) { return cause.waiting + (cause.amount - cause.waiting) / 2; }

/// " (19000 calls of 8 B on average)"
std::string per_call(const LossCause& cause) {
  if (cause.calls <= 0) return "";
  const std::string each = cause.bytes >= cause.calls
                               ? " of " + amount_with_unit(cause.bytes / cause.calls, cube::Unit::bytes) + " on average"
                               : "";
  return fmt::format(" ({} call{}{})", cause.calls, cause.calls == 1 ? "" : "s", each);
}

bool is_outside(const Losses& losses, const LossCause& cause) {
  return &cause >= losses.start_and_end.data() && &cause < losses.start_and_end.data() + losses.start_and_end.size();
}

/// How a job ended that did not end by itself: the first sentences of it.
std::string ending_words(const ReportData& data) {
  const auto found = data.run.more.find("ending");
  if (found == data.run.more.end() || found->second.empty()) return "";
  constexpr std::size_t most = 3;
  std::size_t end = 0;
  for (std::size_t told = 0; told < most && end != std::string::npos; ++told) end = found->second.find(". ", end + 1);
  return fmt::format("The job did not end by itself. {}. {}", found->second.substr(0, end),
                     end == std::string::npos ? "" : "… ");
}

/// Of a delay of one rank whose executions are not alike.
std::string trend_text(const LossCause& cause, const std::string& who, const std::string& costs,
                       const std::string& where) {
  const LossTrend& trend = *cause.trend;
  const std::string from = time_for_people(trend.from), to = time_for_people(trend.to);
  if (trend.kind == "outlier") {
    return fmt::format(
        "{} makes others wait for {}: once, in execution {} of {}, it computes {} instead of {} {}.{} Find out what it "
        "does then.",
        who, costs, trend.number, trend.executions, to, from, code_words(cause), where);
  }
  if (trend.kind == "alternating") {
    return fmt::format(
        "{} makes others wait for {}: its computation {} alternates between {} and {}, in {} executions.{} Find out "
        "what "
        "it does in every second one, or do half of it each time.",
        who, costs, code_words(cause), from, to, trend.executions, where);
  }
  return fmt::format(
      "{} makes others wait for {}: its computation {} {}, from {} in the first to {} in the last of {} executions.{} "
      "Find out what changes there, or divide the work again while the program runs.",
      who, costs, code_words(cause), trend.kind == "growing" ? "grows" : "shrinks", from, to, trend.executions, where);
}

}  // namespace

std::string focus_words(const ReportData& data) {
  const bool is_shmem = data.shmem_time() > 0 && data.mpi_time() == 0;
  return is_shmem ? "between shmem_init and shmem_finalize" : "between MPI_Init and MPI_Finalize";
}

std::string loss_text(const ReportData& data, const LossCause& cause) {
  const std::string costs = costs_words(data, cause, is_outside(data.losses, cause));
  const bool is_one = cause.ranks.size() == 1;
  const std::string who = ranks_words(cause);
  const std::string makes = is_one ? "makes" : "make";
  const bool is_by_place = cause.kind == "delay" && !is_one && cause.longer == 0 && !cause.with.empty();
  std::string where = cause.kind == "delay" && !is_by_place ? also_words(cause) : "";
  where += cause.waits_at.empty()
               ? ""
               : fmt::format(" The waiting is mostly in {} ({}).", call_path_words(cause.waits_at), cause.symptom);
  const std::string longer =
      cause.longer > 0 ? fmt::format(" ({} more than the others' mean)", time_for_people(cause.longer)) : "";
  if (is_of_team(cause)) return team_text(cause, costs, code_words(cause), where);
  if (cause.kind == "serial") {
    return fmt::format(
        "{} work one after the other {}, which makes others wait for {}: while one works, others wait for it.{} "
        "Let "
        "them work at the same time, or make that part shorter.",
        who, code_words(cause), costs, where);
  }
  if (cause.kind == "lock") {
    const std::string window = cause.target ? fmt::format(" on the window of rank {}", *cause.target) : "";
    return fmt::format(
        "A lock{} makes ranks wait one after the other, for {}: it is held while computing {}.{} Hold it for less "
        "time, "
        "or divide what it protects.",
        window, costs, code_words(cause), where);
  }
  if (is_taking_turns(cause)) {
    return fmt::format(
        "{} takes one message after the other and makes others wait for {}: it computes {}.{} Compute after all of "
        "them "
        "are taken, or let several ranks take them.",
        who, costs, code_words(cause), where);
  }
  if (cause.kind == "delay" && cause.symptom.find("Lock") != std::string::npos) {
    return fmt::format(
        "{} {} others wait for a lock, for {}: the lock is held while computing {}.{} Hold it for less time, or divide "
        "what it protects.",
        who, makes, costs, code_words(cause), where);
  }
  if (is_by_place) {
    return fmt::format(
        "{} make others wait for {}: they compute longer than the others, each in another place: {}{}.{} Divide the "
        "work "
        "of each place evenly.",
        who, costs, code_words(cause), places_words(cause.with), where);
  }
  if (cause.kind == "delay" && is_one && cause.trend) return trend_text(cause, who, costs, where);
  if (cause.kind == "delay" && (is_one || cause.longer > 0)) {
    return fmt::format(
        "{} {} others wait for {}: {} longer than {} do {}{}.{} Give {} less work there, or find out why {} slower.",
        who, makes, costs, is_one ? "it computes" : "they compute", is_one ? "they" : "the others", code_words(cause),
        longer, where, is_one ? "it" : "them", is_one ? "it is" : "they are");
  }
  if (cause.kind == "delay") {
    return fmt::format(
        "Load imbalance {} makes ranks wait for {}: {} compute longer in turn.{} Divide that work evenly in every "
        "step, or "
        "let ranks run ahead of each other.",
        code_words(cause), costs, lower(who), where);
  }
  if (cause.kind == "delay-in-mpi") {
    return fmt::format(
        "{} {} others wait for {} while {} {}.{} Shorten that call, divide it among ranks, or do it when nobody waits.",
        who, makes, costs, is_one ? "it is" : "they are", code_words(cause), where);
  }
  if (cause.kind == "receive-order") {
    return fmt::format(
        "{} {} messages in the wrong order, which costs {}: in {} {} for one message while others are there, on which "
        "{} "
        "could work.{} Take messages in the order in which they come (MPI_ANY_SOURCE, or MPI_Irecv and MPI_Waitany).",
        who, is_one ? "takes" : "take", costs, code_words(cause).substr(3), is_one ? "it waits" : "they wait",
        is_one ? "it" : "they", where);
  }
  if (cause.kind == "late-start") {
    return fmt::format(
        "{} {} others wait for {}: {} {} late.{} Look at how processes are started, and at what they do before it.",
        who, makes, costs, is_one ? "it reaches" : "they reach",
        cause.waits_at.empty() ? "the first recorded call" : cube::in_brackets(cause.waits_at.back()), where);
  }
  if (cause.kind == "delay-by-measurement" || cause.kind == "measurement") {
    return fmt::format("The measurement itself costs {}. Record less, or give the recorder a larger buffer.", costs);
  }
  if (cause.kind == "delay-not-recorded" || cause.kind == "not-recorded") {
    return fmt::format("What was not recorded costs {}. Record it, to see why.", costs);
  }
  if (cause.kind.starts_with("device")) {
    const bool waits = cause.kind == "device-wait", moves = cause.kind == "device-transfer";
    return fmt::format("{} {} with {}{}: {}. {}", is_one ? who : "All ranks together",
                       waits   ? (is_one ? "waits for its device" : "wait for their devices")
                       : moves ? (is_one ? "moves data to or from its device" : "move data to or from their devices")
                               : (is_one ? "serves its device" : "serve their devices"),
                       call_path_words(cause.place()), per_call(cause), costs,
                       waits ? "Let the processor compute or communicate meanwhile, or make the device's work shorter."
                       : moves ? "Move less, or while the processor computes."
                               : "Make fewer, larger calls.");
  }
  const std::string call = cause.call_path.empty() ? "MPI" : call_path_words(cause.place());
  if (cause.kind == "partner-missing") {
    return fmt::format(
        "{} takes {}: how much of it is waiting, and for whom, cannot be told, because it did not return, or "
        "records of its partners are missing.",
        call, costs);
  }
  const bool is_several = !cause.with.empty();
  const std::string cost = is_several ? "cost" : "costs";
  const std::string waiting =
      cause.waiting == 0
          ? fmt::format(" {}, without waiting for others, {} {}", is_several ? "themselves" : "itself", cost, costs)
          : fmt::format(" {} {}: {} in the {}, without {} waiting, and {} of others' waiting for {}", cost, costs,
                        time_for_people(cause.amount - cause.waiting), is_several ? "calls themselves" : "call itself",
                        is_several ? "their" : "its", time_for_people(cause.waiting), is_several ? "them" : "it");
  const std::vector<std::uint32_t>& callers = cause.call_ranks.empty() ? cause.ranks : cause.call_ranks;
  const std::string by_rank = callers.size() == 1 ? fmt::format(" by rank {}", callers.front()) : "";
  if (cause.kind == "polling") {
    return fmt::format("Polling{} with {}{}{}. Wait instead, or compute between two polls.", by_rank, call,
                       per_call(cause), waiting);
  }
  if (cause.kind == "start-and-end" || cause.kind == "set-up") return fmt::format("{}{}.", call, waiting);
  if (cause.kind == "file-io") {
    return fmt::format("File access{} with {}{}{}. Write less often, in larger pieces, or by all ranks together.",
                       by_rank, call, per_call(cause), waiting);
  }
  const std::string calls = with_words(call, cause);
  if (!cause.call_path.empty() && is_set_up(cause.call_path.back()))
    return fmt::format("{}{}{}{}. Make once what is made there, and keep it.", calls, by_rank, per_call(cause),
                       waiting);
  if (is_small(cause)) {
    return fmt::format("Many small {}{}: {}{}{}. Combine them.", is_message(cause) ? "messages" : "calls", by_rank,
                       calls, per_call(cause), waiting);
  }
  if (is_without_progress(cause)) {
    return fmt::format(
        "No overlap: {}{}{}{}, although {} of computation lies between the start of these messages and it. Large "
        "messages "
        "move only while both sides are in MPI: test for them while computing, or let a thread progress them.",
        call, by_rank, per_call(cause), waiting, time_for_people(cause.overlappable));
  }
  const std::string messages = with_words(call + by_rank, cause);
  const char* remedy = cause.bytes == 0 ? "Call it less often" : "Send less";
  return fmt::format("{}{}{}. {}, or compute while it is under way.", messages, per_call(cause), waiting, remedy);
}

/// Where many of the calls that order processes contradict the clocks, times of different ranks say nothing together.
static std::string contradicting_clocks(const ReportData& data) {
  constexpr std::uint64_t least = 3, one_in_messages = 10, one_in_visits = 50;
  std::uint64_t violations = 0;
  for (const QualityRow& row : data.quality) violations += row.kind == "clock-violation" ? row.count : 0;
  const auto count = [&](const char* id) {
    const MetricRow* metric = data.find_metric(id);
    return metric == nullptr || metric->inclusive < 0 ? 0 : static_cast<std::uint64_t>(metric->inclusive);
  };
  if (violations < least || violations * one_in_messages < count("messages-received") ||
      violations * one_in_visits < count("visits"))
    return "";
  return fmt::format(
      "The clocks of the processes contradict each other: by them, {} end before their partners begin. Waiting and its "
      "causes cannot be told from such times; correct them: mora analyze --correct-clocks always.",
      counted(violations, "message or collective call"));
}

/// What the cause that opens a report counts for, and its words.
struct Opening {
  std::string text;
  Nanoseconds weight = 0;
};

/// What an amount that was given as a share of the focus is in the whole run, if that is little: of the share itself
/// "little" is said only if it is.
static std::string little_words(const Losses& losses, Nanoseconds amount) {
  const auto is_little = [&](Nanoseconds of) {
    return static_cast<double>(amount) < little_until * static_cast<double>(of);
  };
  const Nanoseconds whole = losses.focus + losses.outside;
  if (is_little(losses.focus)) return " That is little.";
  return is_little(whole) ? fmt::format(" Of the whole run it is {}.", share(amount, whole)) : "";
}

static Opening cause_or_none(const ReportData& data) {
  const Losses& losses = data.losses;
  const LossCause* first = nullptr;
  for (const LossCause& cause : losses.causes) {
    if (first == nullptr || weight(cause) > weight(*first)) first = &cause;
  }
  const double least_outside = little_until * static_cast<double>(losses.focus + losses.outside);
  for (const LossCause& cause : losses.start_and_end) {
    if (cause.kind == "start-and-end" || cause.kind == "set-up") continue;
    if (static_cast<double>(cause.amount) < least_outside) continue;
    if (first == nullptr || weight(cause) > outer_leads_from * weight(*first)) first = &cause;
  }
  const bool is_all_little = static_cast<double>(losses.lost) < little_until * static_cast<double>(losses.focus);
  if (first != nullptr) {
    const std::string cause = loss_text(data, *first) + function_words(*first) + core_words(*first);
    if (is_all_little && !is_outside(losses, *first)) {
      return {fmt::format("Little is lost{}, {} of all ranks' time. {}",
                          losses.outside == 0 ? "" : " " + focus_words(data), share(losses.lost, losses.focus), cause),
              weight(*first)};
    }
    if (is_outside(losses, *first)) return {cause, weight(*first)};
    const std::string spread = spread_words(data);
    return {spread + cause + (spread.empty() ? little_words(losses, first->amount) : ""), weight(*first)};
  }
  if (losses.focus == 0) return {};
  if (losses.outside == 0) return {"No cause costs 1 % of all ranks' time or more."};
  std::string text = "B" + focus_words(data).substr(1);
  if (losses.lost == 0) {
    text += " nothing is lost.";
  } else {
    text += fmt::format(" no cause costs 1 % of all ranks' time or more; together they cost {}.{}",
                        share(losses.lost, losses.focus), little_words(losses, losses.lost));
  }
  if (!losses.start_and_end.empty()) text += " " + loss_text(data, losses.start_and_end.front());
  return {text};
}

std::string main_cause(const ReportData& data) {
  if (std::string clocks = contradicting_clocks(data); !clocks.empty()) return clocks;
  const Opening cause = cause_or_none(data);
  const RunQueueWords core = run_queue_words(data);
  const std::string binding = binding_words(data);
  if (core.text.empty()) return cause.text + binding;
  return (core.harm > cause.weight ? core.text + " As it ran: " + cause.text : cause.text + " But: " + core.text) +
         binding;
}

std::string missing_sentence(const std::vector<QualityRow>& quality) {
  const std::string missing = missing_data(quality);
  return missing.empty() ? "" : fmt::format(" Data are missing: {}. All figures are of what was recorded.", missing);
}

/// Threads that have nothing to do wait outside of all calls: with them waiting may exceed the time in MPI.
std::string idle_words(const ReportData& data, Nanoseconds total) {
  const MetricRow* idle = data.find_metric("omp-idle-threads");
  return idle == nullptr || idle->inclusive == 0
             ? ""
             : fmt::format(" ({} in threads of OpenMP that have nothing to do)", share(idle->inclusive, total));
}

std::string verdict(const ReportData& data) {
  const Nanoseconds total = data.total_time();
  if (total == 0) return "The trace holds no time to judge.";
  std::string text = ending_words(data);
  text += main_cause(data);
  text += fmt::format("{}In the whole run, {} of all ranks' time is spent in {}", text.empty() ? "" : " ",
                      share(data.mpi_time() + data.shmem_time(), total), library_words(data));
  const std::string unknown = data.not_computable();
  const MetricRow* alone = data.find_metric("unknown-wait");
  const bool is_lower_bound = !unknown.empty() || (alone != nullptr && alone->inclusive > 0);
  if (!contradicting_clocks(data).empty())
    text += ".";
  else if (!data.findings.empty() || data.waiting() > 0)
    text += fmt::format(" and {}{} is waiting{}.", is_lower_bound ? "at least " : "", share(data.waiting(), total),
                        idle_words(data, total));
  else
    text += unknown.empty() ? "; no wait state was found." : ".";
  if (!unknown.empty()) text += fmt::format(" {}.", unknown);
  if (const MetricRow* device = data.find_metric("device"); device != nullptr && device->inclusive > 0) {
    const MetricRow* wait = data.find_metric("device-wait");
    text += fmt::format(" {} of all ranks' time is spent in calls of devices, {} in waiting for them.",
                        share(device->inclusive, total), share(wait == nullptr ? 0 : wait->inclusive, total));
  }
  return text + missing_sentence(data.quality);
}

void losses_section(const ReportData& data, TextPage& page) {
  const Losses& losses = data.losses;
  if (losses.focus == 0) return;
  page.banner("LOST TIME (every second of it belongs to one cause)");
  if (losses.lost == 0) page.line("No loss was found in calls of MPI or in what delays them.");
  const auto add = [&](const std::vector<LossCause>& causes, Nanoseconds whole) {
    page.table({number("lost/s", 14), number("% of time", 9), words("cause"), words("ranks"), cut_words("where")},
               causes, "causes", [&](const LossCause& cause) {
                 std::string ranks;
                 for (std::size_t i = 0; i < std::min<std::size_t>(cause.ranks.size(), ranks_listed); ++i) {
                   ranks += fmt::format("{}{}", i == 0 ? "" : ",", cause.ranks[i]);
                 }
                 if (cause.ranks.size() > ranks_listed) ranks += "…";
                 return Cells{seconds_column(cause.amount), share(cause.amount, whole), cause.kind, ranks,
                              joined_below_program(cause.place())};
               });
  };
  if (losses.lost > 0) {
    add(losses.causes, losses.focus);
    for (const LossCause& cause : losses.causes)
      if (const std::string words = function_words(cause); !words.empty()) page.line(wrapped(words.substr(1), 100, 0));
    if (losses.smaller > 0) {
      page.line(fmt::format("{} more in causes of less than 1 % each.", time_for_people(losses.smaller)));
    }
  }
  if (losses.start_and_end.empty()) return;
  page.line();
  page.line(fmt::format("To start and end {}, apart (% of all time):", library_words(data)));
  add(losses.start_and_end, losses.focus + losses.outside);
}

}  // namespace mora::report
