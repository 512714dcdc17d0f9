/// The HTML report: html/page.html with its style and script, and the data as JSON in a script element. The page makes
/// everything else from these data, so that text, JSON and page can never disagree.
#include <fmt/format.h>

#include "base/json_writer.h"
#include "report/report.h"

namespace mora::report {

extern const std::string_view page_head, page_tail;  // made by embed.py

namespace {

const char* kind_name(cube::CallPathKind kind) {
  switch (kind) {
    case cube::CallPathKind::program: return "program";
    case cube::CallPathKind::user: return "user";
    case cube::CallPathKind::mpi: return "mpi";
    case cube::CallPathKind::compute: return "compute";
  }
  return "";
}

/// Call paths and the non-zero rows of every metric. Times are integer nanoseconds here: a script's numbers are exact
/// to 2^53 ns, 104 days.
std::string tables_json(const ReportData& data, const cube::Cube& cube,
                        const std::vector<analysis::MetricInfo>& infos) {
  JsonWriter json;
  json.begin_object();
  json.key("verdict").string(verdict(data));
  json.key("waiting_ns").integer(data.waiting()).key("total_ns").integer(data.total_time());
  json.key("mpi_ns").integer(data.mpi_time());
  json.key("waiting_by_rank_ns").begin_line_array();
  for (const Nanoseconds t : data.waiting_by_rank()) json.integer(t);
  json.end_array();

  json.key("call_paths").begin_array();
  for (const cube::CallPath& path : cube.call_paths) {
    json.begin_line_object().key("label").string(label(path)).key("kind").string(kind_name(path.kind)).key("parent");
    if (path.parent == cube::no_id) {
      json.null();
    } else {
      json.unsigned_integer(path.parent);
    }
    json.key("file").string(path.file).key("line").unsigned_integer(path.line).end_object();
  }
  json.end_array();

  json.key("cells").begin_object();
  for (cube::MetricId m = 0; m < cube.metrics.size(); ++m) {
    json.key(cube.metrics[m].id).begin_object();
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const auto& row = cube.row(m, c);
      if (row.empty()) continue;
      json.key(std::to_string(c)).begin_line_array();
      for (const std::int64_t value : fold_threads(cube, row, data.run.ranks)) json.integer(value);
      json.end_array();
    }
    json.end_object();
  }
  json.end_object();

  json.key("glossary").begin_object();
  for (const analysis::MetricInfo& info : infos) {
    json.key(info.id).begin_object();
    json.key("summary").string(info.summary).key("formula").string(info.formula).key("source").string(info.source);
    json.key("diagnosis").string(info.diagnosis).key("advice").string(info.advice);
    json.key("wait_state").boolean(info.wait_state).end_object();
  }
  json.end_object().end_object();
  return json.str();
}

/// JSON inside <script>: "</" and "<!--" must not appear.
std::string script_safe(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string html_report(const ReportData& data, const cube::Cube& cube,
                        const std::vector<analysis::MetricInfo>& infos) {
  const std::string json = "{\"report\": " + findings_json(data) + ", \"tables\": " + tables_json(data, cube, infos) + "}";
  return std::string(page_head) + script_safe(json) + std::string(page_tail);
}

}  // namespace mora::report
