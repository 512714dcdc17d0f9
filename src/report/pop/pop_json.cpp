/// POP metrics, scaling tables and one-process comparisons as JSON values (docs/formats/pop.md).
#include "report/pop/pop_json.h"

#include <cmath>

#include "report/pop/efficiency_figures.h"

namespace mora::report {

namespace {

using analysis::Extrapolated;
using analysis::Extrapolation;
using analysis::FactorFit;
using analysis::PopMetrics;
using analysis::Serialisation;

void number(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.key(key);
  value ? json.number(nine_digits(*value)) : json.null();
}

void time(JsonWriter& json, std::string_view key, std::int64_t nanoseconds) { json.key(key).seconds(nanoseconds); }

void count(JsonWriter& json, std::string_view key, std::int64_t value) {
  json.key(key);
  value > 0 ? json.integer(value) : json.null();
}

void strings(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.string(text);
  json.end_array();
}

void variant(JsonWriter& json, const Serialisation& s) {
  json.begin_object();
  json.key("definition").string(s.key).key("name").string(s.name);
  json.key("formula").string(s.formula).key("source").string(s.source);
  json.key("ideal_time_s");
  s.ideal_time ? json.seconds(*s.ideal_time) : json.null();
  const auto known = [&](double value) { return s.ideal_time ? std::optional<double>(value) : std::nullopt; };
  number(json, "communication_efficiency", known(s.communication_efficiency));
  number(json, "serialisation", known(s.serialisation));
  number(json, "transfer", known(s.transfer));
  number(json, "additive_serialisation", known(s.additive_serialisation));
  number(json, "additive_transfer", known(s.additive_transfer));
  if (!s.ideal_time) json.key("why_not").string(s.why_not);
  json.end_object();
}

void threads(JsonWriter& json, const std::optional<analysis::HybridMetrics>& hybrid) {
  json.key("threads");
  if (!hybrid) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("count").unsigned_integer(hybrid->threads);
  time(json, "useful_computation_s", hybrid->useful_sum);
  number(json, "parallel_efficiency", hybrid->parallel_efficiency);
  number(json, "process_efficiency", hybrid->process_efficiency);
  number(json, "load_balance", hybrid->load_balance);
  number(json, "communication_efficiency", hybrid->communication_efficiency);
  number(json, "thread_efficiency", hybrid->thread_efficiency);
  number(json, "additive_load_balance", hybrid->additive_load_balance);
  number(json, "additive_thread_efficiency", hybrid->additive_thread_efficiency);
  json.end_object();
}

std::string_view name_of(analysis::ScalingForm form) {
  return form == analysis::ScalingForm::amdahl ? "amdahl" : "pipeline";
}

std::string_view name_of(analysis::FitBound bound) {
  switch (bound) {
    case analysis::FitBound::none:
      return "none";
    case analysis::FitBound::constant:
      return "constant";
    case analysis::FitBound::steepest:
      return "steepest";
  }
  return "";
}

void extrapolated(JsonWriter& json, std::string_view key, const std::vector<Extrapolated>& values, double scale = 1) {
  json.key(key).begin_array();
  for (const Extrapolated& at : values) {
    json.begin_line_object().key("processes").unsigned_integer(at.processes);
    number(json, "value", at.value * scale);
    number(json, "lower", at.lower * scale);
    number(json, "upper", at.upper * scale);
    json.key("far").boolean(at.is_far).end_object();
  }
  json.end_array();
}

void extrapolation(JsonWriter& json, const Extrapolation& e) {
  json.key("extrapolation");
  if (e.processes.empty()) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("why_not");
  e.why_not.empty() ? json.null() : json.string(e.why_not);
  number(json, "confidence", e.confidence);
  json.key("factors").begin_array();
  for (const FactorFit& fit : e.factors) {
    json.begin_object();
    json.key("factor").string(fit.key).key("form").string(name_of(fit.form)).key("bound").string(name_of(fit.bound));
    number(json, "x0", fit.x0);
    number(json, "f", fit.f);
    number(json, "residual", fit.residual);
    number(json, "leave_one_out", fit.leave_one_out);
    extrapolated(json, "at", fit.at);
    json.end_object();
  }
  json.end_array();
  extrapolated(json, "parallel_efficiency", e.parallel_efficiency);
  extrapolated(json, "global_efficiency", e.global_efficiency);
  extrapolated(json, "speed_up", e.speed_up);
  extrapolated(json, "run_time_s", e.run_time, 1e-9);
  json.end_object();
}

std::string_view name_of(analysis::OneProcessCause cause) {
  using enum analysis::OneProcessCause;
  switch (cause) {
    case agrees:
      return "agrees";
    case compensated:
      return "compensated";
    case negligible:
      return "negligible";
    case missing:
      return "missing";
    case not_comparable:
      return "not-comparable";
    case cache:
      return "cache";
    case frequency:
      return "frequency";
    case more_work:
      return "more-work";
    case mpi_calls:
      return "mpi-calls";
    case contention:
      return "contention";
    case unmarked_duplication:
      return "unmarked-duplication";
    case unexplained:
      return "unexplained";
    case unaccounted_overhead:
      return "unaccounted-overhead";
  }
  return "";
}

void place(JsonWriter& json, const analysis::IntervalTable& table, std::size_t index) {
  const analysis::Interval& interval = table.intervals[index];
  json.key("interval").string(table.number(index)).key("name").string(interval.name);
  json.key("file").string(interval.file).key("line").unsigned_integer(interval.line);
  json.key("id").unsigned_integer(interval.id).key("level").unsigned_integer(interval.level);
}

void places(JsonWriter& json, std::string_view key, const analysis::IntervalTable& table,
            const std::vector<std::size_t>& intervals) {
  json.key(key).begin_array();
  for (const std::size_t i : intervals) {
    json.begin_line_object();
    place(json, table, i);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void pop_json(JsonWriter& json, const PopMetrics& pop) {
  const Serialisation* headline = pop.headline();
  const auto of_headline = [&](double Serialisation::*member) {
    return headline != nullptr ? std::optional<double>(headline->*member) : std::nullopt;
  };
  json.begin_object();
  json.key("processes").unsigned_integer(pop.processes);
  time(json, "run_time_s", pop.run_time);
  time(json, "useful_computation_s", pop.useful_sum);
  time(json, "useful_computation_max_s", pop.useful_max);
  time(json, "outside_mpi_s", pop.outside_sum);
  time(json, "outside_mpi_max_s", pop.outside_max);
  time(json, "waiting_s", pop.waiting);
  time(json, "one_sided_waiting_s", pop.rma_waiting);
  time(json, "measurement_s", pop.measurement);
  json.key("definition");
  headline != nullptr ? json.string(headline->key) : json.null();
  number(json, "parallel_efficiency", pop.parallel_efficiency);
  json.key("multiplicative").begin_object();
  number(json, "load_balance", pop.load_balance);
  number(json, "communication_efficiency", pop.communication_efficiency);
  number(json, "serialisation", of_headline(&Serialisation::serialisation));
  number(json, "transfer", of_headline(&Serialisation::transfer));
  json.end_object();
  json.key("additive").begin_object();
  number(json, "load_balance", pop.additive_load_balance);
  number(json, "communication_efficiency", pop.additive_communication_efficiency);
  number(json, "serialisation", of_headline(&Serialisation::additive_serialisation));
  number(json, "transfer", of_headline(&Serialisation::additive_transfer));
  json.end_object();
  json.key("serialisations").begin_array();
  for (const Serialisation& s : pop.serialisations) variant(json, s);
  json.end_array();
  threads(json, pop.hybrid);
  count(json, "instructions", pop.instructions);
  count(json, "cycles", pop.cycles);
  strings(json, "notes", pop.notes);
  json.end_object();
}

void scaling_json(JsonWriter& json, const analysis::ScalingTable& table) {
  json.begin_object();
  json.key("scaling").string(table.scaling == analysis::Scaling::strong ? "strong" : "weak");
  json.key("runs").begin_array();
  for (const analysis::ScalingRun& run : table.runs) {
    json.begin_line_object()
        .key("label")
        .string(run.label)
        .key("processes")
        .unsigned_integer(run.pop.processes)
        .end_object();
  }
  json.end_array();
  json.key("definition");
  table.serialisation ? json.string(table.runs.front().pop.of(*table.serialisation).key) : json.null();
  json.key("metrics").begin_array();
  for (const analysis::ScalingRow& row : table.rows) {
    const bool is_time = row.unit == analysis::ScalingUnit::nanoseconds;
    json.begin_object();
    json.key("metric").string(std::string(row.key) + (is_time ? "_s" : "")).key("depth").unsigned_integer(row.depth);
    json.key("values").begin_line_array();
    for (const std::optional<double>& value : row.values) {
      if (!value) {
        json.null();
      } else if (is_time) {
        json.seconds(std::llround(*value));
      } else {
        json.number(nine_digits(*value));
      }
    }
    json.end_array().end_object();
  }
  json.end_array();
  extrapolation(json, table.extrapolation);
  strings(json, "notes", table.notes);
  json.end_object();
}

void one_process_json(JsonWriter& json, const analysis::OneProcessComparison& comparison,
                      const analysis::IntervalTable& run, const analysis::IntervalTable& one) {
  json.begin_object();
  json.key("processes").unsigned_integer(comparison.processes);
  json.key("why_not");
  comparison.why_not.empty() ? json.null() : json.string(comparison.why_not);
  number(json, "tolerance", comparison.tolerance);
  json.key("rules").begin_object();
  for (const auto& [rule, value] : analysis::names(run.rules)) json.key(rule).string(value);
  json.end_object();
  json.key("intervals").begin_array();
  for (const analysis::OneProcessRow& row : comparison.rows) {
    json.begin_object();
    place(json, run, row.interval);
    time(json, "predicted_s", row.predicted);
    time(json, "measured_s", row.measured);
    time(json, "difference_s", row.difference);
    time(json, "own_difference_s", row.own_difference);
    time(json, "missing_difference_s", row.missing_difference);
    time(json, "measured_mpi_s", row.measured_mpi);
    time(json, "counted_mpi_s", row.counted_mpi);
    time(json, "counted_once_s", row.counted_once);
    number(json, "ratio", row.predicted == 0 && row.measured != 0 ? std::nullopt : std::optional<double>(row.ratio));
    number(json, "efficiency", row.efficiency);
    number(json, "efficiency_measured", row.efficiency_measured);
    json.key("nested").boolean(row.is_nested);
    json.key("findings").begin_array();
    for (const analysis::OneProcessFinding& finding : row.findings) {
      json.begin_object();
      json.key("cause").string(name_of(finding.cause));
      json.key("amount_s");
      finding.amount != 0 ? json.seconds(finding.amount) : json.null();
      json.key("certain").boolean(finding.is_certain).key("text").string(finding.text);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
  places(json, "unmatched", run, comparison.unmatched);
  places(json, "unmatched_measured", one, comparison.unmatched_measured);
  json.end_object();
}

}  // namespace mora::report
