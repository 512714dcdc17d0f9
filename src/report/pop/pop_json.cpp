/// POP metrics, scaling tables and one-process comparisons as JSON values (docs/formats/pop.md).
#include "report/pop/pop_json.h"

#include <cmath>

#include "base/names.h"
#include "report/pop/efficiency_figures.h"

namespace mora::report {
namespace {

using analysis::Extrapolated;
using analysis::FactorFit;
using analysis::Serialisation;

/// Nine digits; null where it is not known.
std::optional<double> ratio_value(std::optional<double> value) {
  return value ? std::optional(nine_digits(*value)) : std::nullopt;
}

void write_variant(JsonWriter& json, const Serialisation& s) {
  const auto known = [&](double value) { return s.ideal_time ? ratio_value(value) : std::nullopt; };
  const auto ideal = s.ideal_time ? std::optional(Seconds{*s.ideal_time}) : std::nullopt;
  json.begin_object().fields("definition", s.key, "name", s.name, "formula", s.formula, "source", s.source,
                             "ideal_time_s", ideal, "communication_efficiency", known(s.communication_efficiency),
                             "serialisation", known(s.serialisation), "transfer", known(s.transfer),
                             "additive_serialisation", known(s.additive_serialisation), "additive_transfer",
                             known(s.additive_transfer));
  if (!s.ideal_time) json.fields("why_not", s.why_not);
  json.end_object();
}

void write_threads(JsonWriter& json, const std::optional<analysis::HybridMetrics>& hybrid) {
  if (!hybrid) return void(json.null());
  const auto& h = *hybrid;
  json.object("count", h.threads, "useful_computation_s", Seconds{h.useful_sum}, "parallel_efficiency",
              ratio_value(h.parallel_efficiency), "process_efficiency", ratio_value(h.process_efficiency),
              "load_balance", ratio_value(h.load_balance), "communication_efficiency",
              ratio_value(h.communication_efficiency), "thread_efficiency", ratio_value(h.thread_efficiency),
              "additive_load_balance", ratio_value(h.additive_load_balance), "additive_thread_efficiency",
              ratio_value(h.additive_thread_efficiency));
}

constexpr const char* bounds[] = {"none", "constant", "steepest"};

/// Values with their interval, by number of processes.
auto extrapolated(JsonWriter& json, const std::vector<Extrapolated>& values, double scale = 1) {
  return list(values, [&json, scale](const Extrapolated& at) {
    json.line("processes", at.processes, "value", nine_digits(at.value * scale), "lower", nine_digits(at.lower * scale),
              "upper", nine_digits(at.upper * scale), "far", at.is_far);
  });
}

void write_extrapolation(JsonWriter& json, const analysis::Extrapolation& e) {
  if (e.processes.empty()) return void(json.null());
  json.object("why_not", if_any(e.why_not), "confidence", nine_digits(e.confidence), "factors",
              list(e.factors,
                   [&](const FactorFit& fit) {
                     json.object("factor", fit.key, "form",
                                 fit.form == analysis::ScalingForm::amdahl ? "amdahl" : "pipeline", "bound",
                                 name_in(bounds, fit.bound), "x0", nine_digits(fit.x0), "f", nine_digits(fit.f),
                                 "residual", nine_digits(fit.residual), "leave_one_out", nine_digits(fit.leave_one_out),
                                 "at", extrapolated(json, fit.at));
                   }),
              "parallel_efficiency", extrapolated(json, e.parallel_efficiency), "global_efficiency",
              extrapolated(json, e.global_efficiency), "speed_up", extrapolated(json, e.speed_up), "run_time_s",
              extrapolated(json, e.run_time, 1e-9));
}

constexpr const char* one_process_causes[] = {"agrees",
                                              "compensated",
                                              "negligible",
                                              "missing",
                                              "not-comparable",
                                              "cache",
                                              "frequency",
                                              "more-work",
                                              "mpi-calls",
                                              "contention",
                                              "unmarked-duplication",
                                              "unexplained",
                                              "unaccounted-overhead"};

void write_place(JsonWriter& json, const analysis::IntervalTable& table, std::size_t index) {
  const analysis::Interval& interval = table.intervals[index];
  json.fields("interval", table.number(index), "name", interval.name, "file", interval.file, "line", interval.line,
              "id", interval.id, "level", interval.level);
}

auto places(JsonWriter& json, const analysis::IntervalTable& table, const std::vector<std::size_t>& intervals) {
  return list(intervals, [&](std::size_t i) {
    json.begin_line_object();
    write_place(json, table, i);
    json.end_object();
  });
}

}  // namespace

void pop_fields(JsonWriter& json, const analysis::PopMetrics& pop) {
  const Serialisation* headline = pop.headline();
  const auto of_headline = [&](double Serialisation::*member) {
    return headline == nullptr ? std::nullopt : std::optional(nine_digits(headline->*member));
  };
  const auto counter = [](std::int64_t value) { return value > 0 ? std::optional(value) : std::nullopt; };
  json.fields("processes", pop.processes, "run_time_s", Seconds{pop.run_time}, "useful_computation_s",
              Seconds{pop.useful_sum}, "useful_computation_max_s", Seconds{pop.useful_max}, "outside_mpi_s",
              Seconds{pop.outside_sum}, "outside_mpi_max_s", Seconds{pop.outside_max}, "waiting_s",
              Seconds{pop.waiting}, "one_sided_waiting_s", Seconds{pop.rma_waiting}, "measurement_s",
              Seconds{pop.measurement}, "start_and_end_s", Seconds{pop.start_and_end}, "definition",
              headline == nullptr ? std::nullopt : std::optional(headline->key), "parallel_efficiency",
              nine_digits(pop.parallel_efficiency));
  json.key("multiplicative")
      .object("load_balance", nine_digits(pop.load_balance), "communication_efficiency",
              nine_digits(pop.communication_efficiency), "serialisation", of_headline(&Serialisation::serialisation),
              "transfer", of_headline(&Serialisation::transfer));
  json.key("additive")
      .object("load_balance", nine_digits(pop.additive_load_balance), "communication_efficiency",
              nine_digits(pop.additive_communication_efficiency), "serialisation",
              of_headline(&Serialisation::additive_serialisation), "transfer",
              of_headline(&Serialisation::additive_transfer));
  json.fields(
      "serialisations", list(pop.serialisations, [&](const Serialisation& s) { write_variant(json, s); }), "threads",
      [&] { write_threads(json, pop.hybrid); }, "instructions", counter(pop.instructions), "cycles",
      counter(pop.cycles), "notes", list(pop.notes));
}

void one_process_json(JsonWriter& json, const OneProcessComparison& comparison, const analysis::IntervalTable& run,
                      const analysis::IntervalTable& one) {
  json.begin_object().fields("processes", comparison.processes, "why_not", if_any(comparison.why_not), "tolerance",
                             nine_digits(comparison.tolerance), "rules", analysis::names(run.rules));
  json.fields("intervals", list(comparison.rows, [&](const OneProcessRow& row) {
                const bool has_ratio = row.predicted != 0 || row.measured == 0;
                json.begin_object();
                write_place(json, run, row.interval);
                json.fields("predicted_s", Seconds{row.predicted}, "measured_s", Seconds{row.measured}, "difference_s",
                            Seconds{row.difference}, "own_difference_s", Seconds{row.own_difference},
                            "missing_difference_s", Seconds{row.missing_difference}, "measured_mpi_s",
                            Seconds{row.measured_mpi}, "counted_mpi_s", Seconds{row.counted_mpi}, "counted_once_s",
                            Seconds{row.counted_once}, "ratio", has_ratio ? ratio_value(row.ratio) : std::nullopt,
                            "efficiency", nine_digits(row.efficiency), "efficiency_measured",
                            nine_digits(row.efficiency_measured), "nested", row.is_nested);
                json.fields("findings", list(row.findings, [&](const OneProcessFinding& finding) {
                              json.object("cause", name_in(one_process_causes, finding.cause), "amount_s",
                                          finding.amount == 0 ? std::nullopt : std::optional(Seconds{finding.amount}),
                                          "certain", finding.is_certain, "text", finding.text);
                            }));
                json.end_object();
              }));
  json.fields("unmatched", places(json, run, comparison.unmatched), "unmatched_measured",
              places(json, one, comparison.unmatched_measured));
  json.end_object();
}

}  // namespace mora::report

namespace mora {

void write_json(JsonWriter& json, const analysis::ScalingTable& table) {
  json.begin_object();
  json.fields("scaling", table.scaling == analysis::Scaling::strong ? "strong" : "weak", "runs",
              list(table.runs, [&](const analysis::ScalingRun& run) {
                json.line("label", run.label, "processes", run.pop.processes);
              }));
  json.key("definition");
  table.serialisation ? json.string(table.runs.front().pop.of(*table.serialisation).key) : json.null();
  json.fields("metrics", list(table.rows, [&](const analysis::ScalingRow& row) {
                const bool is_time = row.unit == analysis::ScalingUnit::nanoseconds;
                json.begin_object().fields("metric", std::string(row.key) + (is_time ? "_s" : ""), "depth", row.depth);
                json.key("values").begin_line_array();
                for (const std::optional<double>& value : row.values) {
                  if (value && is_time) {
                    json.seconds(std::llround(*value));
                  } else {
                    json.value(report::ratio_value(value));
                  }
                }
                json.end_array().end_object();
              }));
  json.fields(
      "extrapolation", [&] { report::write_extrapolation(json, table.extrapolation); }, "notes", list(table.notes));
  json.end_object();
}

}  // namespace mora
