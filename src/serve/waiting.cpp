#include "serve/waiting.h"

#include <algorithm>
#include <numeric>

#include "base/json/json_writer.h"

namespace mora::serve {

Result<std::string> waiting_json(const cube::Cube& cube, const cube::WaitingOverTime* kept, const Query& query) {
  constexpr auto farthest = std::int64_t{1} << 62;
  MORA_TRY(const auto bars_at_most, query.integer("bars", 240, 1, 4096));
  MORA_TRY(const auto from, query.integer("from", 0, -farthest, farthest));
  JsonWriter json;
  if (kept == nullptr) {
    json.begin_object().key("waits").null().end_object();
    return json.take();
  }
  std::int64_t parts = 1;
  for (const auto& row : kept->rows()) parts = std::max(parts, static_cast<std::int64_t>(row.parts.size()));
  MORA_TRY(const auto until, query.integer("until", parts * kept->length(), -farthest, farthest));
  if (until <= from) return fail(ErrorKind::usage, "the time has no length: 'until' must be later than 'from'");
  const std::int64_t first_part = std::clamp<std::int64_t>(from / kept->length(), 0, parts);
  const std::int64_t end_part = std::clamp<std::int64_t>((until - 1) / kept->length() + 1, first_part, parts);
  std::int64_t group = 1;
  const auto bars_of = [&] { return (end_part + group - 1) / group - first_part / group; };
  while (bars_of() > bars_at_most) group *= 2;
  const std::int64_t first = first_part / group, bars = bars_of();

  struct Shown {
    cube::MetricId metric = 0;
    std::int64_t all = 0;
    std::vector<std::int64_t> bars;
  };
  std::vector<Shown> shown;
  for (const auto& row : kept->rows()) {
    if (row.metric >= cube.metrics.size()) continue;
    Shown one{row.metric, std::accumulate(row.parts.begin(), row.parts.end(), std::int64_t{0}), {}};
    one.bars.resize(static_cast<std::size_t>(bars));
    for (std::int64_t b = 0; b < bars; ++b) {
      const auto begin = static_cast<std::size_t>((first + b) * group);
      for (std::size_t p = begin; p < std::min(begin + static_cast<std::size_t>(group), row.parts.size()); ++p)
        one.bars[static_cast<std::size_t>(b)] += row.parts[p];
    }
    shown.push_back(std::move(one));
  }
  std::stable_sort(shown.begin(), shown.end(), [](const Shown& a, const Shown& b) { return a.all > b.all; });
  json.begin_object().fields("from", first * group * kept->length(), "length", group * kept->length());
  json.key("waits").begin_array();
  for (const Shown& one : shown) {
    json.line("metric", cube.metrics[one.metric].id, "name", cube.metrics[one.metric].name, "all", one.all, "ns",
              one.bars);
  }
  json.end_array().end_object();
  return json.take();
}

}  // namespace mora::serve
