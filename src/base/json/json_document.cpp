#include "base/json/json_document.h"

#include "base/version.h"

namespace mora {

JsonDocument::JsonDocument(std::string_view schema, Form form, const std::string& creator) {
  form == Form::one_line ? begin_line_object() : begin_object();
  fields("schema", schema, "schema_version", 1);
  fields("creator", creator.empty() ? std::string("mora ") + version() : creator);
}

std::string JsonDocument::finish(const std::vector<QualityRow>& quality) {
  fields("data_quality", quality).end_object();
  return take() + "\n";
}

void write_json(JsonWriter& json, const QualityRow& row) {
  json.line("kind", row.kind, "severity", to_string(row.severity), "where", row.where, "count", row.count, "what",
            row.what, "remedy", row.remedy);
}

}  // namespace mora
