/// The envelope of everything that Mora writes as JSON: which schema (docs/formats/schema/), which version of it, who
/// wrote it; at the end the data-quality table. A verb's own keys stand between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/data_quality.h"
#include "base/json/json_writer.h"

namespace mora {

/// {"schema": "mora-…", "schema_version": 1, "creator": "mora 0.2.0", …, "data_quality": [...]}. Not thread-safe.
class JsonDocument : public JsonWriter {
 public:
  enum class Form : std::uint8_t { lines, one_line };
  /// An empty `creator` is this version of Mora.
  explicit JsonDocument(std::string_view schema, Form form = Form::lines, const std::string& creator = {});
  /// Writes the end; the text since the last take(), with a line feed.
  std::string finish(const std::vector<QualityRow>& quality = {});
};

/// An object on one line: kind, severity, where, count, what, remedy.
void write_json(JsonWriter& json, const QualityRow& row);

}  // namespace mora
