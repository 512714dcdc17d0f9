/// Writes findings.json (docs/formats/findings.md). Times are written as exact decimal seconds from integer
/// nanoseconds.
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "report/report.h"
#include "report/statistics.h"

namespace mora::report {
namespace {

const char* json_unit(cube::Unit unit) {
  switch (unit) {
    case cube::Unit::seconds:
      return "s";
    case cube::Unit::occurrences:
      return "occ";
    case cube::Unit::bytes:
      return "bytes";
  }
  return "";
}

void amount(JsonWriter& json, std::int64_t value, cube::Unit unit) {
  if (unit == cube::Unit::seconds) {
    json.seconds(value);
  } else {
    json.integer(value);
  }
}

void amounts(JsonWriter& json, const std::vector<std::int64_t>& values, cube::Unit unit) {
  json.begin_line_array();
  for (const std::int64_t value : values) amount(json, value, unit);
  json.end_array();
}

/// Six significant digits: enough for a share, the same on every machine.
double six_digits(double value) { return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr); }

void labels(JsonWriter& json, const std::vector<std::string>& path) {
  json.begin_line_array();
  for (const std::string& text : path) json.string(text);
  json.end_array();
}

void call_site(JsonWriter& json, const CallSite& site) {
  if (site.file.empty()) {
    json.null();
    return;
  }
  json.begin_line_object().key("file").string(site.file).key("line");
  if (site.line == 0) {
    json.null();
  } else {
    json.unsigned_integer(site.line);
  }
  json.end_object();
}

void labels_or_null(JsonWriter& json, const std::vector<std::string>& path) {
  if (path.empty()) {
    json.null();
  } else {
    labels(json, path);
  }
}

void instance(JsonWriter& json, const Instance& worst) {
  json.begin_object();
  json.key("begin_s").seconds(worst.begin).key("end_s").seconds(worst.end);
  json.key("rank").unsigned_integer(worst.rank).key("thread").unsigned_integer(worst.thread);
  if (!worst.call_path.empty()) {
    json.key("call_path");
    labels(json, worst.call_path);
  }
  json.key("cause_rank");
  if (worst.cause_rank) {
    json.unsigned_integer(*worst.cause_rank);
  } else {
    json.null();
  }
  json.key("cause_call_path");
  labels_or_null(json, worst.cause_call_path);
  json.key("cause_call_site");
  call_site(json, worst.cause_call_site);
  json.end_object();
}

void statistics_and_instances(JsonWriter& json, const analysis::WaitStatistics& waits,
                              const std::vector<Instance>& most_severe) {
  json.key("statistics");
  write_statistics(json, waits);
  json.key("most_severe");
  write_instances(json, most_severe);
}

}  // namespace

void write_instances(JsonWriter& json, const std::vector<Instance>& instances) {
  json.begin_array();
  for (const Instance& one : instances) instance(json, one);
  json.end_array();
}

void write_statistics(JsonWriter& json, const analysis::WaitStatistics& waits) {
  if (waits.count == 0) {
    json.null();
    return;
  }
  json.begin_line_object().key("count").unsigned_integer(waits.count).key("sum_s").seconds(waits.sum);
  json.key("min_s").seconds(waits.min).key("q1_s").seconds(waits.lower_quartile).key("median_s").seconds(waits.median);
  json.key("q3_s").seconds(waits.upper_quartile).key("max_s").seconds(waits.max).key("mean_s").seconds(mean_of(waits));
  json.end_object();
}

namespace {

void finding_object(JsonWriter& json, const Finding& f) {
  json.begin_object();
  json.key("id").string(f.id).key("metric").string(f.metric).key("name").string(f.name);
  json.key("severity_s").seconds(f.severity).key("percent_of_time").number(six_digits(f.percent_of_time));
  json.key("instances").unsigned_integer(f.instances);
  json.key("call_path");
  labels(json, f.call_path);
  json.key("call_site");
  call_site(json, f.call_site);
  json.key("by_rank");
  amounts(json, f.by_rank, cube::Unit::seconds);
  json.key("worst_rank").unsigned_integer(f.worst_rank);
  json.key("causes").begin_array();
  for (const Cause& cause : f.causes) {
    json.begin_line_object().key("rank").unsigned_integer(cause.rank).key("severity_s").seconds(cause.severity);
    json.end_object();
  }
  json.end_array().key("cause_calls").begin_array();
  for (const CauseCall& cause : f.cause_calls) {
    json.begin_object().key("rank").unsigned_integer(cause.rank).key("call_path");
    labels_or_null(json, cause.call_path);
    json.key("call_site");
    call_site(json, cause.call_site);
    json.key("severity_s").seconds(cause.severity).end_object();
  }
  json.end_array().key("worst_instance");
  instance(json, f.worst);
  statistics_and_instances(json, f.statistics, f.most_severe);
  json.key("summary").string(f.summary).key("diagnosis").string(f.diagnosis).key("advice").string(f.advice);
  json.end_object();
}

}  // namespace

std::string findings_json(const ReportData& data) {
  JsonWriter json;
  json.begin_object();
  json.key("schema").string("mora-report").key("schema_version").integer(1).key("creator").string(data.creator);

  json.key("run").begin_object();
  json.key("program").string(data.run.program).key("trace").string(data.run.trace);
  json.key("trace_format").string(data.run.trace_format).key("ranks").unsigned_integer(data.run.ranks);
  json.key("locations").unsigned_integer(data.run.locations).key("nodes").unsigned_integer(data.run.nodes);
  json.key("events").unsigned_integer(data.run.events).key("wall_s").seconds(data.run.wall).key("mpi_share");
  if (data.total_time() > 0) {
    json.number(six_digits(static_cast<double>(data.mpi_time()) / static_cast<double>(data.total_time())));
  } else {
    json.null();
  }
  for (const auto& [key, value] : data.run.more) json.key(key).string(value);
  json.end_object();

  json.key("metrics").begin_array();
  for (const MetricRow& m : data.metrics) {
    json.begin_object().key("id").string(m.id).key("name").string(m.name).key("parent");
    if (m.parent.empty()) {
      json.null();
    } else {
      json.string(m.parent);
    }
    json.key("unit").string(json_unit(m.unit)).key("inclusive");
    amount(json, m.inclusive, m.unit);
    json.key("exclusive");
    amount(json, m.exclusive, m.unit);
    json.key("by_rank");
    amounts(json, m.by_rank, m.unit);
    if (m.statistics.count > 0) statistics_and_instances(json, m.statistics, m.most_severe);
    json.end_object();
  }
  json.end_array();

  json.key("findings").begin_array();
  for (const Finding& f : data.findings) finding_object(json, f);
  json.end_array();

  json.key("checks");
  write_checks(json, data.checks);
  json.key("transfers");
  write_transfers(json, data.transfers);

  json.key("data_quality").begin_array();
  for (const QualityRow& row : data.quality) {
    json.begin_object().key("kind").string(row.kind).key("severity").string(to_string(row.severity));
    json.key("where").string(row.where).key("count").unsigned_integer(row.count).key("what").string(row.what);
    json.key("remedy").string(row.remedy).end_object();
  }
  json.end_array().end_object();
  return json.str() + "\n";
}

}  // namespace mora::report
