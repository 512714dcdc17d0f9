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
  /// Metrics below each other, those that they are made of further to the right.
  Table tree_of(const std::string& product, const std::string& additive) const {
    return Table({words("", 32), efficiency_column(product), efficiency_column(additive), words("")});
  }
  void efficiency(Table& to, unsigned depth, const std::string& name, double multiplicative, double additive,
                  const std::string& formula) const {
    to.add({std::string(std::size_t{2} * depth, ' ') + name, cell(multiplicative), cell(additive), formula});
  }
  Cell cell(std::optional<double> efficiency) const { return efficiency_cell(efficiency, options_.colour); }

  void tree() {
    Table table = tree_of("product", "additive");
    efficiency(table, 0, "Parallel efficiency", pop_.parallel_efficiency, pop_.parallel_efficiency, "mean(useful) / T");
    efficiency(table, 1, "Load balance", pop_.load_balance, pop_.additive_load_balance, "mean(useful) / max(useful)");
    efficiency(table, 1, "Communication efficiency", pop_.communication_efficiency,
               pop_.additive_communication_efficiency, "max(useful) / T");
    const Serialisation* headline = pop_.headline();
    if (headline == nullptr || headline->definition == analysis::IdealTime::replay_outside) {
      table.add({"    Serialisation, Transfer", "not known: see below"});
    } else {
      const std::string name = fmt::format("by {}", headline->name);
      efficiency(table, 2, "Serialisation", headline->serialisation, headline->additive_serialisation, name);
      efficiency(table, 2, "Transfer", headline->transfer, headline->additive_transfer, name);
    }
    page_.table(table);
  }

  void variants() {
    page_.line();
    page_.line(
        "Serialisation and transfer by all published definitions (they differ: compare values of one definition only)");
    Table table(
        {words("", 42), {"T_ideal s", 14, 0}, efficiency_column("serialis.", 1), efficiency_column("transfer")});
    for (const Serialisation& s : pop_.serialisations) {
      std::string name = fmt::format("{} {}", &s == pop_.headline() ? "*" : " ", s.name);
      if (s.ideal_time) {
        table.add({std::move(name), seconds_(*s.ideal_time), cell(s.serialisation), cell(s.transfer)});
      } else {
        table.add({std::move(name), "not known: " + s.why_not});
      }
    }
    page_.table(table);
  }

  void threads() {
    if (!pop_.hybrid) return;
    const analysis::HybridMetrics& h = *pop_.hybrid;
    page_.line();
    page_.line(fmt::format("Processes and threads: {} {} of {} {}", h.threads, h.threads == 1 ? "thread" : "threads",
                           pop_.processes, pop_.processes == 1 ? "process" : "processes"));
    Table table = tree_of("", "");
    efficiency(table, 0, "Parallel efficiency, threads", h.parallel_efficiency, h.parallel_efficiency,
               "mean over threads(useful) / T");
    efficiency(table, 1, "Process level", h.process_efficiency, h.process_efficiency, "mean(outside MPI) / T");
    efficiency(table, 2, "Load balance", h.load_balance, h.additive_load_balance,
               "mean(outside MPI) / max(outside MPI)");
    efficiency(table, 2, "Communication efficiency", h.communication_efficiency, h.communication_efficiency,
               "max(outside MPI) / T");
    efficiency(table, 1, "Thread level", h.thread_efficiency, h.additive_thread_efficiency,
               "mean over threads(useful) / mean(outside MPI)");
    page_.table(table, {.has_heading = false});
  }

  void times() {
    page_.line();
    Table table({words("", 32), {"", 18, 0}, words("")});
    const auto count = [&](const char* name, const auto& amount) {
      table.add({name, fmt::format("{}  ", amount), ""});
    };
    const auto time = [&](const char* name, std::int64_t amount, const char* what) {
      table.add({name, seconds_(amount) + " s", what});
    };
    count("Processes", pop_.processes);
    time("Run time T", pop_.run_time, "of the process that takes longest");
    time("Useful computation", pop_.useful_sum, "sum over processes");
    time("  of the busiest process", pop_.useful_max, "");
    time("Waiting in MPI", pop_.waiting, "sum over processes");
    if (pop_.rma_waiting > 0) time("  in one-sided communication", pop_.rma_waiting, "");
    if (pop_.start_and_end > 0)
      time("Starting and ending MPI", pop_.start_and_end, "sum over processes, in no figure here");
    if (pop_.measurement > 0) time("Measurement", pop_.measurement, "recorder's time and what was not recorded");
    if (pop_.instructions > 0) count("Useful instructions", pop_.instructions);
    if (pop_.cycles > 0) count("Useful cycles", pop_.cycles);
    if (pop_.instructions > 0 && pop_.cycles > 0) {
      const double ratio = static_cast<double>(pop_.instructions) / static_cast<double>(pop_.cycles);
      count("Instructions per cycle", fmt::format("{:.3f}", ratio));
    }
    page_.table(table, {.has_heading = false});
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
