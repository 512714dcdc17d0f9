#include "serve/source.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/json/json_writer.h"
#include "serve/cells.h"

namespace mora::serve {
namespace {

constexpr std::uintmax_t text_at_most = 4 << 20;

/// The text of a source file, or why it is not shown.
std::string text_of(const std::string& file, std::string& why) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || !std::filesystem::is_regular_file(file, error)) {
    why = "the file is not on this machine, or not where it was when the program was compiled";
    return {};
  }
  if (size > text_at_most) {
    why = "the file is larger than 4 MiB";
    return {};
  }
  auto text = read_file(file);
  if (!text) why = text.error().text();
  return text ? std::move(*text) : std::string();
}

}  // namespace

Result<std::string> source_json(const cube::Cube& cube, const Query& query) {
  MORA_TRY(const ChosenMetric chosen, asked_metric(cube, query));
  MORA_TRY(const auto index, query.integer("path", 0, 0, static_cast<std::int64_t>(cube.call_paths.size()) - 1));
  const cube::CallPath& path = cube.call_paths[static_cast<std::size_t>(index)];
  std::map<std::uint32_t, std::int64_t> costs;
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const cube::CallPath& other = cube.call_paths[c];
    if (path.file.empty() || other.file != path.file || other.line == 0) continue;
    costs[other.line] += path_value(cube, chosen, c);
  }
  std::string why = path.file.empty() ? "the call path names no file" : "";
  const std::string text = path.file.empty() ? "" : text_of(path.file, why);
  JsonWriter json;
  json.begin_object().fields("file", path.file, "line", path.line, "why", why).key("text");
  if (!why.empty()) {
    json.null();
  } else {
    json.begin_array();
    for (std::size_t from = 0; from < text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      json.string(std::string_view(text).substr(from, end - from));
      from = end + 1;
    }
    json.end_array();
  }
  json.key("costs").begin_line_array();
  for (const auto& [line, value] : costs) {
    if (value == 0) continue;
    json.begin_line_array().unsigned_integer(line).integer(value).end_array();
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace mora::serve
