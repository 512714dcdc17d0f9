/// The parser's result as one JSON document (docs/formats/pattern-parse.md).
#include "base/json_writer.h"
#include "base/quality_json.h"
#include "predict/pattern/parse.h"

namespace mora::predict {
namespace {

void communicators(const ParseResult& result, JsonWriter& json) {
  json.key("communicators").begin_array();
  for (const auto& communicator : result.communicators) {
    json.begin_line_object().key("name").string(communicator.name).key("size").unsigned_integer(communicator.size);
    json.key("members").begin_line_array();
    for (const auto rank : communicator.members) json.unsigned_integer(rank);
    json.end_array().end_object();
  }
  json.end_array();
}

void phase(const ParseResult& result, const std::vector<std::vector<std::size_t>>& children, std::size_t index,
           JsonWriter& json) {
  const auto& p = result.phases[index];
  json.begin_object();
  json.key("name").string(p.name);
  json.key("file").string(p.file);
  json.key("visits").unsigned_integer(p.visits);
  json.key("records_written").unsigned_integer(p.written);
  json.key("messages").unsigned_integer(p.messages);
  json.key("message_bytes").unsigned_integer(p.bytes);
  json.key("records").begin_array();
  for (const auto& [record, times] : p.records)
    json.begin_line_object().key("record").string(record).key("times").unsigned_integer(times).end_object();
  json.end_array();
  json.key("phases").begin_array();
  for (const auto child : children[index]) phase(result, children, child, json);
  json.end_array();
  json.end_object();
}

}  // namespace

std::string parse_result_json(const ParseResult& result, const std::string& input) {
  JsonWriter json;
  json.begin_object();
  json.key("input").string(input);
  json.key("world_size").unsigned_integer(result.world_size);
  json.key("records_read").unsigned_integer(result.records_read);
  json.key("records_written").unsigned_integer(result.records_written);
  json.key("ignored").unsigned_integer(result.ignored);
  json.key("to_proc_null").unsigned_integer(result.to_nobody);
  json.key("bytes_read").unsigned_integer(result.bytes_read);
  json.key("bytes_written").unsigned_integer(result.bytes_written);
  communicators(result, json);
  std::vector<std::vector<std::size_t>> children(result.phases.size());
  for (std::size_t i = 1; i < result.phases.size(); ++i) children[result.phases[i].parent].push_back(i);
  json.key("pattern");
  phase(result, children, 0, json);
  json.key("phase_violation_count").unsigned_integer(result.violation_count);
  json.key("phase_violations").begin_array();
  for (const auto& text : result.violations) json.string(text);
  json.end_array();
  json.key("data_quality");
  write_quality(json, result.quality.rows());
  json.end_object();
  return json.str() + "\n";
}

}  // namespace mora::predict
