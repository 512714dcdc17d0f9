/// The parser's result as one JSON document (docs/formats/pattern-parse.md).
#include "base/json/json_document.h"
#include "predict/pattern/parse/parse.h"

namespace mora::predict {
namespace {

void write_phase(const ParseResult& result, const std::vector<std::vector<std::size_t>>& children, std::size_t index,
                 JsonWriter& json) {
  const auto& p = result.phases[index];
  json.object("name", p.name, "file", p.file, "visits", p.visits, "records_written", p.written, "messages", p.messages,
              "message_bytes", p.bytes, "records",
              list(p.records, [&](const auto& r) { json.line("record", r.first, "times", r.second); }), "phases",
              list(children[index], [&](std::size_t child) { write_phase(result, children, child, json); }));
}

}  // namespace

std::string parse_result_json(const ParseResult& result, const std::string& input) {
  std::vector<std::vector<std::size_t>> children(result.phases.size());
  for (std::size_t i = 1; i < result.phases.size(); ++i) children[result.phases[i].parent].push_back(i);
  JsonDocument json("mora-pattern-parse");
  json.fields("input", input, "world_size", result.world_size, "records_read", result.records_read, "records_written",
              result.records_written, "ignored", result.ignored, "to_proc_null", result.to_nobody, "bytes_read",
              result.bytes_read, "bytes_written", result.bytes_written);
  json.fields("communicators", list(result.communicators, [&](const auto& communicator) {
                json.line("name", communicator.name, "size", communicator.size, "members", communicator.members);
              }));
  json.fields(
      "pattern", [&] { write_phase(result, children, 0, json); }, "phase_violation_count", result.violation_count,
      "phase_violations", list(result.violations));
  return json.finish(result.quality.rows());
}

}  // namespace mora::predict
