#include "base/quality_json.h"

namespace mora {

void write_quality(JsonWriter& json, const std::vector<QualityRow>& rows) {
  json.begin_array();
  for (const QualityRow& row : rows) {
    json.begin_line_object();
    json.key("kind").string(row.kind);
    json.key("severity").string(to_string(row.severity));
    json.key("where").string(row.where);
    json.key("count").unsigned_integer(row.count);
    json.key("what").string(row.what);
    json.key("remedy").string(row.remedy);
    json.end_object();
  }
  json.end_array();
}

}  // namespace mora
