/// Words for time without a core (Mora's rule not-running): of the code that delays others, and of the whole job.
#include <fmt/format.h>

#include <cctype>

#include "report/data/figures.h"
#include "report/losses/losses.h"

namespace mora::report {
namespace {

constexpr double worth_saying = 0.1;  ///< of the time in the code, or of all ranks' time
constexpr double all_along = 0.02;    ///< a smaller part: it had its core all the time

bool reaches(Nanoseconds amount, double part, Nanoseconds whole) {
  return static_cast<double>(amount) >= part * static_cast<double>(whole);
}

}  // namespace

std::string core_words(const LossCause& cause) {
  if (!cause.core || cause.core->time == 0) return "";
  const CoreUse& core = *cause.core;
  const char* who = cause.ranks.size() == 1 ? "it" : "they";
  const std::string part = share(core.not_running, core.time);
  if (reaches(core.without_core, worth_saying, core.time))
    return fmt::format(" In {} of that time {} had no core, because others ran on {} cores.",
                       share(core.without_core, core.time), who, cause.ranks.size() == 1 ? "its" : "their");
  if (reaches(core.not_running, worth_saying, core.time))
    return fmt::format(" In {} of that time {} did not run, but slept or waited (for a file, for memory).", part, who);
  if (!reaches(core.not_running, all_along, core.time))
    return cause.ranks.size() == 1 ? " It had its core all the time." : " They had their cores all the time.";
  return "";
}

std::string binding_words(const ReportData& data) {
  const auto known = data.run.more.find("binding");
  if (known == data.run.more.end() || known->second.empty()) return "";
  std::string text = known->second;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return " " + text + ". Bind all alike, unless they have different work.";
}

RunQueueWords run_queue_words(const ReportData& data) {
  const MetricRow* waited = data.find_metric("run-queue-wait");
  const Losses& losses = data.losses;
  if (waited == nullptr || losses.focus == 0) return {};
  // In a call that waits for another rank a core would have been of no use: all waiting may be of that kind.
  const Nanoseconds harm = waited->inclusive - data.waiting();
  if (!reaches(harm, worth_saying, losses.focus)) return {};
  // What shares them is known of recorded jobs, from what the processes were bound to.
  const auto known = data.run.more.find("processors");
  const std::string why = known == data.run.more.end() || known->second.empty()
                              ? ": more wants to run on their cores than these can take (processes of this job, other "
                                "programs, or a limit)."
                              : ". " + known->second + ".";
  return {fmt::format(
              "The processes had no core for {}, {} of all ranks' time{}{} Start fewer, bind them, or keep others off.",
              time_for_people(waited->inclusive), share(waited->inclusive, losses.focus),
              losses.outside == 0 ? "" : " " + focus_words(data), why),
          harm};
}

}  // namespace mora::report
