/// The tree of POP metrics of one interval as text: first the tree with one definition of serialisation and transfer,
/// then all published definitions side by side (POP metrics; docs/formats/pop.md).
#include "report/pop/pop_text.h"

#include <fmt/format.h>

#include "report/intervals/seconds_format.h"
#include "report/pop/efficiency_figures.h"

namespace mora::report {

namespace {

using analysis::PopMetrics;
using analysis::Serialisation;

class PopPage {
 public:
  PopPage(const PopMetrics& pop, const PopTextOptions& options, SecondsFormat& seconds)
      : pop_(pop), options_(options), seconds_(seconds), page_(options) {}

  std::string render(const std::string& title) {
    page_.banner("POP metrics: " + title);
    tree();
    variants();
    threads();
    times();
    if (options_.explain) explanations();
    return page_.take();
  }

 private:
  void efficiency(unsigned depth, const std::string& name, double multiplicative, double additive,
                  const std::string& formula) {
    page_.line(fmt::format("{:<32}{}{}  {}", std::string(std::size_t{2} * depth, ' ') + name,
                           efficiency_cell(multiplicative, options_), efficiency_cell(additive, options_), formula));
  }

  void tree() {
    page_.line(fmt::format("{:<32}{:>{}}  {:>{}}", "", "product", efficiency_width, "additive", efficiency_width));
    efficiency(0, "Parallel efficiency", pop_.parallel_efficiency, pop_.parallel_efficiency, "mean(useful) / T");
    efficiency(1, "Load balance", pop_.load_balance, pop_.additive_load_balance, "mean(useful) / max(useful)");
    const Serialisation* headline = pop_.headline();
    const bool is_own = headline != nullptr && headline->definition == analysis::IdealTime::replay_outside;
    efficiency(1, "Communication efficiency", pop_.communication_efficiency, pop_.additive_communication_efficiency,
               "max(useful) / T");
    if (headline == nullptr || is_own) {
      page_.line("    Serialisation, Transfer       not known: see below");
      return;
    }
    const std::string name = fmt::format("by {}", headline->name);
    efficiency(2, "Serialisation", headline->serialisation, headline->additive_serialisation, name);
    efficiency(2, "Transfer", headline->transfer, headline->additive_transfer, name);
  }

  void variants() {
    page_.line();
    page_.line(
        "Serialisation and transfer by all published definitions (they differ: compare values of one definition only)");
    page_.line(fmt::format("{:<42}{:>14} {:>{}}  {:>{}}", "", "T_ideal s", "serialis.", efficiency_width, "transfer",
                           efficiency_width));
    for (const Serialisation& s : pop_.serialisations) {
      const std::string name = fmt::format("{} {:<39}", &s == pop_.headline() ? "*" : " ", s.name);
      if (!s.ideal_time) {
        page_.line(fmt::format("{:<42}not known: {}", name, s.why_not));
        continue;
      }
      page_.line(
          trimmed(fmt::format("{:<42}{:>14} {}{}", name, seconds_(*s.ideal_time),
                              efficiency_cell(s.serialisation, options_), efficiency_cell(s.transfer, options_))));
    }
  }

  void threads() {
    if (!pop_.hybrid) return;
    const analysis::HybridMetrics& h = *pop_.hybrid;
    page_.line();
    page_.line(fmt::format("Processes and threads: {} {} of {} {}", h.threads, h.threads == 1 ? "thread" : "threads",
                           pop_.processes, pop_.processes == 1 ? "process" : "processes"));
    efficiency(0, "Parallel efficiency, threads", h.parallel_efficiency, h.parallel_efficiency,
               "mean over threads(useful) / T");
    efficiency(1, "Process level", h.process_efficiency, h.process_efficiency, "mean(outside MPI) / T");
    efficiency(2, "Load balance", h.load_balance, h.additive_load_balance, "mean(outside MPI) / max(outside MPI)");
    efficiency(2, "Communication efficiency", h.communication_efficiency, h.communication_efficiency,
               "max(outside MPI) / T");
    efficiency(1, "Thread level", h.thread_efficiency, h.additive_thread_efficiency,
               "mean over threads(useful) / mean(outside MPI)");
  }

  void times() {
    page_.line();
    const auto time = [&](const char* name, std::int64_t amount, const char* what) {
      page_.line(trimmed(fmt::format("{:<32}{:>16} s  {}", name, seconds_(amount), what)));
    };
    page_.line(fmt::format("{:<32}{:>16}", "Processes", pop_.processes));
    time("Run time T", pop_.run_time, "of the process that takes longest");
    time("Useful computation", pop_.useful_sum, "sum over processes");
    time("  of the busiest process", pop_.useful_max, "");
    time("Waiting in MPI", pop_.waiting, "sum over processes");
    if (pop_.rma_waiting > 0) time("  in one-sided communication", pop_.rma_waiting, "");
    if (pop_.start_and_end > 0)
      time("Starting and ending MPI", pop_.start_and_end, "sum over processes, in no figure here");
    if (pop_.measurement > 0) time("Measurement", pop_.measurement, "recorder's time and what was not recorded");
    if (pop_.instructions > 0) page_.line(fmt::format("{:<32}{:>16}", "Useful instructions", pop_.instructions));
    if (pop_.cycles > 0) page_.line(fmt::format("{:<32}{:>16}", "Useful cycles", pop_.cycles));
    if (pop_.instructions > 0 && pop_.cycles > 0) {
      page_.line(fmt::format("{:<32}{:>16.3f}", "Instructions per cycle",
                             static_cast<double>(pop_.instructions) / static_cast<double>(pop_.cycles)));
    }
  }

  void explanations() {
    page_.line();
    const auto say = [&](const std::string& text) { page_.paragraph(text, 2); };
    if (const Serialisation* headline = pop_.headline()) {
      say(fmt::format("* the definition in the tree: {} ({})", headline->formula, headline->source));
    }
    say(fmt::format("{} an efficiency below {:.0f} % needs attention", options_.colour ? "red:" : "!",
                    100 * analysis::attention_threshold));
    say("product: an efficiency is the product of those below it; additive: its difference to 100 % is the sum of the "
        "differences below it");
    for (const std::string& note : pop_.notes) say("note: " + note);
  }

  const PopMetrics& pop_;
  const PopTextOptions& options_;
  SecondsFormat& seconds_;
  TextPage page_;
};

}  // namespace

std::string pop_text(const PopMetrics& pop, const std::string& title, const PopTextOptions& options) {
  return with_enough_digits([&](SecondsFormat& seconds) { return PopPage(pop, options, seconds).render(title); });
}

}  // namespace mora::report
