/// Words for time without a core and in the kernel (Mora's rule not-running): of the code that delays others, and of
/// the whole job.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "report/data/figures.h"
#include "report/losses/losses.h"

namespace mora::report {
namespace {

constexpr double worth_saying = 0.1;           ///< of the time in the code, or of all ranks' time
constexpr double all_along = 0.02;             ///< a smaller part: it had its core all the time
constexpr Nanoseconds longest_fault = 20'000;  ///< by page: a page of 4 KiB costs 0.1 to some 5 us

bool reaches(Nanoseconds amount, double part, Nanoseconds whole) {
  return static_cast<double>(amount) >= part * static_cast<double>(whole);
}

std::string running_words(const CoreUse& core, bool is_one) {
  const char* who = is_one ? "it" : "they";
  const std::string part = share(core.not_running, core.time);
  if (reaches(core.without_core, worth_saying, core.time)) {
    const std::string times = core.involuntary_switches == 0
                                  ? ""
                                  : fmt::format(", at least {} after a core was taken from {}",
                                                counted(static_cast<std::uint64_t>(core.involuntary_switches), "time"),
                                                is_one ? "it" : "them");
    return fmt::format(" In {} of that time {} had no core, because others ran on {} cores{}.",
                       share(core.without_core, core.time), who, is_one ? "its" : "their", times);
  }
  if (reaches(core.not_running, worth_saying, core.time)) {
    const std::string times =
        core.voluntary_switches == 0
            ? ""
            : ", at least " + counted(static_cast<std::uint64_t>(core.voluntary_switches), "time");
    return fmt::format(" In {} of that time {} did not run, but slept or waited (for a file, for memory){}.", part, who,
                       times);
  }
  if (!reaches(core.not_running, all_along, core.time))
    return is_one ? " It had its core all the time." : " They had their cores all the time.";
  return "";
}

std::string kernel_words(const CoreUse& core, bool is_one) {
  if (!reaches(core.in_kernel, worth_saying, core.time)) return "";
  const std::string part = fmt::format(" In {} of that time {} in the kernel", share(core.in_kernel, core.time),
                                       is_one ? "it was" : "they were");
  const std::string faults =
      core.page_faults == 0 ? "" : "at least " + counted(static_cast<std::uint64_t>(core.page_faults), "page fault");
  if (faults.empty() || core.in_kernel / core.page_faults > longest_fault)
    return fmt::format("{} (files, memory, other system calls{}).", part, faults.empty() ? "" : "; " + faults);
  return fmt::format("{}, with {}: {} memory for the first time, or again after it was given back. Allocate it once.",
                     part, faults, is_one ? "it touches" : "they touch");
}

constexpr const char* bind_alike = "Bind all alike, unless they have different work.";
constexpr const char* start_fewer = "Start fewer, bind each to as many as it has threads, or keep others off.";

/// A fact of the manifest, as sentences without the last full stop; else empty.
std::string fact(const ReportData& data, const char* name) {
  const auto known = data.run.more.find(name);
  std::string text = known == data.run.more.end() ? "" : known->second;
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

std::string core_words(const LossCause& cause) {
  if (!cause.core || cause.core->time == 0) return "";
  const bool is_one = cause.ranks.size() == 1;
  return running_words(*cause.core, is_one) + kernel_words(*cause.core, is_one);
}

std::string binding_words(const ReportData& data) {
  const std::string text = fact(data, "binding");
  return text.empty() ? "" : fmt::format(" {}. {}", text, bind_alike);
}

std::vector<ProcessorFinding> processor_findings(const ReportData& data) {
  std::vector<ProcessorFinding> found;
  const auto add = [&](const char* kind, const char* name, const std::string& text, const char* advice) {
    if (text.empty()) return;
    ProcessorFinding finding{kind, name, text + ".", 0, {}, advice};
    if (const MetricRow* readings = data.find_metric("core-readings"); readings != nullptr && readings->inclusive > 0) {
      if (const MetricRow* waited = data.find_metric("run-queue-wait"); waited != nullptr)
        finding.without_core = waited->inclusive, finding.by_rank = waited->by_rank;
    }
    found.push_back(std::move(finding));
  };
  add("shared-processors", "Processes Share Processors", fact(data, "processors"), start_fewer);
  add("different-binding", "Processes Are Bound Differently", fact(data, "binding"), bind_alike);
  return found;
}

void processors_section(const ReportData& data, TextPage& page) {
  const std::vector<ProcessorFinding> found = processor_findings(data);
  if (found.empty()) return;
  page.banner("PROCESSORS (what the processes may run on)");
  constexpr std::size_t indent = 6, ranks_named = 3;
  for (const ProcessorFinding& finding : found) {
    page.line(page.styled("1", finding.name));
    page.detail(indent, "", finding.summary);
    if (!finding.by_rank.empty()) {
      std::vector<std::uint32_t> ranks(finding.by_rank.size());
      std::iota(ranks.begin(), ranks.end(), 0U);
      std::stable_sort(ranks.begin(), ranks.end(),
                       [&](auto a, auto b) { return finding.by_rank[a] > finding.by_rank[b]; });
      std::string most;
      for (std::size_t i = 0; i < std::min(ranks.size(), ranks_named) && finding.by_rank[ranks[i]] > 0; ++i)
        most += fmt::format("{}rank {} {}", i == 0 ? " (" : ", ", ranks[i], time_for_people(finding.by_rank[ranks[i]]));
      page.detail(indent, "",
                  fmt::format("Without a core, in MPI, too: {}{}{}.", time_for_people(finding.without_core), most,
                              most.empty()                 ? ""
                              : ranks.size() > ranks_named ? ", …)"
                                                           : ")"));
    }
    page.detail(indent, "try: ", finding.advice);
  }
}

RunQueueWords run_queue_words(const ReportData& data) {
  const MetricRow* waited = data.find_metric("run-queue-wait");
  const Losses& losses = data.losses;
  if (waited == nullptr || losses.focus == 0) return {};
  const Nanoseconds harm = losses.without_core.value_or(waited->inclusive - data.waiting());
  if (!reaches(harm, worth_saying, losses.focus)) return {};
  // What shares them is known of recorded jobs, from what the processes were bound to.
  const std::string shared = fact(data, "processors");
  const std::string why = shared.empty()
                              ? ": more wants to run on their cores than these can take (processes of this job, other "
                                "programs, or a limit)."
                              : ". " + shared + ".";
  return {fmt::format("The processes had no core for {}, {} of all ranks' time{}{} {}",
                      time_for_people(waited->inclusive), share(waited->inclusive, losses.focus),
                      losses.outside == 0 ? "" : " " + focus_words(data), why, start_fewer),
          harm};
}

}  // namespace mora::report
