/// Reads findings.json and facts of manifest.json; the only unit that includes nlohmann-json.
/// Numbers are long double (64 bits of mantissa on x86), so seconds come back as the exact nanoseconds they were.
#include <cmath>
#include <ctime>

#include <nlohmann/json.hpp>

#include "base/json_number.h"
#include "report/report.h"

namespace mora::report {
namespace {

using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;

// Exceptions of the library (missing key, wrong type) end in read_findings().

template <typename T>
T whole_or_zero(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? T{0} : whole_number<T>(*found);
}

std::int64_t amount(const Json& value, cube::Unit unit) {
  if (value.is_null()) return 0;
  if (unit != cube::Unit::seconds) return whole_number<std::int64_t>(value);
  const long double scaled = value.get<long double>() * 1e9L;
  if (!(std::fabs(scaled) < 9.2e18L)) throw std::out_of_range("a time is beyond 292 years");
  return std::llround(scaled);
}

std::vector<std::int64_t> amounts(const Json& values, cube::Unit unit) {
  std::vector<std::int64_t> out;
  for (const Json& value : values) out.push_back(amount(value, unit));
  return out;
}

std::string text_or_empty(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? "" : found->template get<std::string>();
}

CallSite call_site(const Json& value) {
  CallSite site;
  if (value.is_null()) return site;
  site.file = value.at("file").get<std::string>();
  if (!value.at("line").is_null()) site.line = whole_number<std::uint32_t>(value.at("line"));
  return site;
}

cube::Unit unit_named(const std::string& name) {
  if (name == "s") return cube::Unit::seconds;
  if (name == "occ") return cube::Unit::occurrences;
  if (name == "bytes") return cube::Unit::bytes;
  throw std::out_of_range("\"" + name + "\" is not a unit");
}

Instance instance_of(const Json& json) {
  Instance one;
  one.begin = amount(json.at("begin_s"), cube::Unit::seconds);
  one.end = amount(json.at("end_s"), cube::Unit::seconds);
  one.rank = whole_number<std::uint32_t>(json.at("rank"));
  one.thread = whole_or_zero<std::uint32_t>(json, "thread");
  if (json.contains("call_path")) one.call_path = json.at("call_path").get<std::vector<std::string>>();
  if (!json.at("cause_rank").is_null()) one.cause_rank = whole_number<std::uint32_t>(json.at("cause_rank"));
  if (!json.at("cause_call_path").is_null()) {
    one.cause_call_path = json.at("cause_call_path").get<std::vector<std::string>>();
  }
  one.cause_call_site = call_site(json.at("cause_call_site"));
  return one;
}

/// Files of older versions of Mora have neither.
void read_statistics(const Json& json, analysis::WaitStatistics& waits, std::vector<Instance>& most_severe) {
  if (!json.contains("statistics") || json.at("statistics").is_null()) return;
  const Json& from = json.at("statistics");
  const auto time = [&](const char* key) { return amount(from.at(key), cube::Unit::seconds); };
  waits = {whole_number<std::uint64_t>(from.at("count")),
           time("sum_s"),
           time("min_s"),
           time("q1_s"),
           time("median_s"),
           time("q3_s"),
           time("max_s")};
  for (const Json& one : json.at("most_severe")) most_severe.push_back(instance_of(one));
}

Finding finding_of(const Json& json) {
  Finding f;
  f.id = json.at("id").get<std::string>();
  f.metric = json.at("metric").get<std::string>();
  f.name = json.at("name").get<std::string>();
  f.severity = amount(json.at("severity_s"), cube::Unit::seconds);
  f.percent_of_time = static_cast<double>(json.at("percent_of_time").get<long double>());
  f.instances = whole_number<std::uint64_t>(json.at("instances"));
  f.call_path = json.at("call_path").get<std::vector<std::string>>();
  f.call_site = call_site(json.at("call_site"));
  f.by_rank = amounts(json.at("by_rank"), cube::Unit::seconds);
  f.worst_rank = whole_number<std::uint32_t>(json.at("worst_rank"));
  for (const Json& cause : json.at("causes")) {
    f.causes.push_back(
        {whole_number<std::uint32_t>(cause.at("rank")), amount(cause.at("severity_s"), cube::Unit::seconds)});
  }
  if (json.contains("cause_calls")) {
    for (const Json& cause : json.at("cause_calls")) {
      CauseCall call;
      call.rank = whole_number<std::uint32_t>(cause.at("rank"));
      if (!cause.at("call_path").is_null()) call.call_path = cause.at("call_path").get<std::vector<std::string>>();
      call.call_site = call_site(cause.at("call_site"));
      call.severity = amount(cause.at("severity_s"), cube::Unit::seconds);
      f.cause_calls.push_back(std::move(call));
    }
  }
  f.worst = instance_of(json.at("worst_instance"));
  read_statistics(json, f.statistics, f.most_severe);
  f.summary = text_or_empty(json, "summary");
  f.diagnosis = text_or_empty(json, "diagnosis");
  f.advice = text_or_empty(json, "advice");
  return f;
}

RunSummary run_of(const Json& json) {
  RunSummary run;
  run.program = text_or_empty(json, "program");
  run.trace = text_or_empty(json, "trace");
  run.trace_format = text_or_empty(json, "trace_format");
  run.ranks = whole_number<std::uint32_t>(json.at("ranks"));
  run.locations = whole_number<std::uint32_t>(json.at("locations"));
  run.nodes = whole_or_zero<std::uint32_t>(json, "nodes");
  run.events = whole_or_zero<std::uint64_t>(json, "events");
  run.wall = amount(json.at("wall_s"), cube::Unit::seconds);
  for (const auto& [key, value] : json.items()) {
    const bool known = key == "program" || key == "trace" || key == "trace_format";
    if (!known && value.is_string()) run.more[key] = value.get<std::string>();
  }
  return run;
}

QualityRow quality_of(const Json& json) {
  QualityRow row;
  row.kind = json.at("kind").get<std::string>();
  const std::string severity = json.at("severity").get<std::string>();
  row.severity = severity == "info" ? Severity::info : severity == "loss" ? Severity::loss : Severity::warning;
  row.where = text_or_empty(json, "where");
  row.count = whole_number<std::uint64_t>(json.at("count"));
  row.what = text_or_empty(json, "what");
  row.remedy = text_or_empty(json, "remedy");
  return row;
}

CheckedCall checked_call(const Json& json, const std::string& prefix, std::uint32_t rank) {
  CheckedCall call;
  call.rank = rank;
  call.call_path = json.at(prefix + "call_path").get<std::vector<std::string>>();
  const CallSite site = call_site(json.at(prefix + "call_site"));
  call.file = site.file;
  call.line = site.line;
  call.begin = amount(json.at(prefix + "begin_s"), cube::Unit::seconds);
  call.end = amount(json.at(prefix + "end_s"), cube::Unit::seconds);
  return call;
}

Check check_of(const Json& json) {
  Check check;
  check.rule = json.at("rule").get<std::string>();
  check.name = text_or_empty(json, "name");
  check.window = text_or_empty(json, "window");
  check.instances = whole_number<std::uint64_t>(json.at("instances"));
  check.call = checked_call(json, "", whole_number<std::uint32_t>(json.at("rank")));
  if (!json.at("partner_rank").is_null()) check.partner_rank = whole_number<std::uint32_t>(json.at("partner_rank"));
  if (check.partner_rank && json.contains("partner_call_path")) {
    check.partner = checked_call(json, "partner_", *check.partner_rank);
  }
  check.what = text_or_empty(json, "what");
  check.advice = text_or_empty(json, "advice");
  check.source = text_or_empty(json, "source");
  return check;
}

Transfer transfer_of(const Json& json) {
  return {whole_number<std::uint32_t>(json.at("origin")), whole_number<std::uint32_t>(json.at("target")),
          json.at("kind").get<std::string>(), whole_number<std::uint64_t>(json.at("operations")),
          whole_number<std::uint64_t>(json.at("bytes"))};
}

ReportData data_of(const Json& json) {
  ReportData data;
  if (json.at("schema").get<std::string>() != "mora-report") throw std::out_of_range("its schema is not mora-report");
  if (whole_number<int>(json.at("schema_version")) != 1) throw std::out_of_range("only schema version 1 is known");
  data.creator = text_or_empty(json, "creator");
  data.run = run_of(json.at("run"));
  for (const Json& metric : json.at("metrics")) {
    MetricRow row;
    row.id = metric.at("id").get<std::string>();
    row.name = metric.at("name").get<std::string>();
    row.parent = text_or_empty(metric, "parent");
    row.unit = unit_named(metric.at("unit").get<std::string>());
    row.inclusive = amount(metric.at("inclusive"), row.unit);
    row.exclusive = amount(metric.at("exclusive"), row.unit);
    if (!metric.at("by_rank").is_null()) row.by_rank = amounts(metric.at("by_rank"), row.unit);
    read_statistics(metric, row.statistics, row.most_severe);
    data.metrics.push_back(std::move(row));
  }
  for (const Json& finding : json.at("findings")) data.findings.push_back(finding_of(finding));
  if (json.contains("checks")) {  // absent in what an older Mora wrote
    for (const Json& check : json.at("checks")) data.checks.push_back(check_of(check));
  }
  if (json.contains("transfers")) {
    for (const Json& transfer : json.at("transfers")) data.transfers.push_back(transfer_of(transfer));
  }
  for (const Json& row : json.at("data_quality")) data.quality.push_back(quality_of(row));
  return data;
}

}  // namespace

namespace {

/// The library's message about a missing field or a wrong type in Mora's words; the library names the field as in "key
/// 'run' not found".
std::string field_in_words(const Json::exception& reason) {
  const std::string text = reason.what();
  const std::size_t begin = text.find('\''), end = text.rfind('\'');
  constexpr int missing_key = 403;
  if (reason.id == missing_key && begin < end)
    return "the field \"" + text.substr(begin + 1, end - begin - 1) + "\" is missing";
  return "a field has a value of another type than findings.json has there";
}

}  // namespace

Result<ReportData> read_findings(const std::string& json, const std::string& name) {
  const auto unreadable = [&](const std::string& why) {
    return fail(ErrorKind::unreadable, "cannot read the findings", name, why,
                "run `mora analyze` on the experiment again");
  };
  try {
    return data_of(Json::parse(json));
  } catch (const Json::parse_error& reason) {
    if (json.find_first_not_of(" \n\t\r") == std::string::npos) return unreadable("the file is empty");
    return unreadable(reason.byte > json.size() ? "the file ends too early"
                                                : "it is not JSON from byte " + std::to_string(reason.byte) + " on");
  } catch (const Json::exception& reason) {
    return unreadable(field_in_words(reason));
  } catch (const std::exception& reason) {
    return unreadable(reason.what());
  }
}

std::map<std::string, std::string> manifest_facts(const std::string& json) {
  std::map<std::string, std::string> facts;
  const Json manifest = Json::parse(json, nullptr, false);
  if (!manifest.is_object()) return facts;
  const auto words = [](const Json& value) -> std::string {
    if (value.is_string()) return value.get<std::string>();
    std::string out;
    if (value.is_array()) {
      for (const Json& word : value) {
        if (word.is_string()) out += (out.empty() ? "" : " ") + word.get<std::string>();
      }
    }
    if (value.is_object()) {
      for (const char* key : {"name", "version", "library"}) {  // a library's own text goes on after a comma
        if (const auto found = value.find(key); found != value.end() && found->is_string()) {
          const std::string text = found->get<std::string>();
          out += (out.empty() ? "" : " ") + text.substr(0, text.find(','));
        }
      }
    }
    return out;
  };
  for (const auto& [fact, keys] :
       std::map<std::string, std::vector<const char*>>{{"command", {"command"}},
                                                       {"mpi", {"mpi", "mpi_library"}},
                                                       {"date", {"date", "started", "start", "begin"}}}) {
    for (const char* key : keys) {
      const auto found = manifest.find(key);
      if (found == manifest.end() || facts.count(fact) != 0) continue;
      if (std::string text = words(*found); !text.empty()) facts[fact] = text;
    }
  }
  if (const auto start = manifest.find("started_realtime_ns"); start != manifest.end() && start->is_number_integer()) {
    const std::time_t seconds = static_cast<std::time_t>(start->get<std::int64_t>() / 1'000'000'000);
    char text[32];
    std::tm broken_down{};
    if (gmtime_r(&seconds, &broken_down) != nullptr &&
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &broken_down) > 0) {
      facts["date"] = text;
    }
  }
  return facts;
}

std::vector<QualityRow> manifest_quality(const std::string& json) {
  std::vector<QualityRow> rows;
  const Json manifest = Json::parse(json, nullptr, false);
  if (!manifest.is_object() || !manifest.contains("data_quality") || !manifest.at("data_quality").is_array())
    return rows;
  for (const Json& row : manifest.at("data_quality")) {
    try {
      rows.push_back(quality_of(row));
    } catch (const std::exception&) {
      // A row of another shape says nothing that could be shown.
    }
  }
  return rows;
}

}  // namespace mora::report
