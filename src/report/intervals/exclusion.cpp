/// Two steps: choose the intervals (mark), then copy the cube without their call paths and everything below them.
/// Without a place, the search goes down from the program and stops at the first interval of a place that has the id,
/// so that first executions inside later iterations are kept. Cost: one pass over the intervals for each exclusion, one
/// over the cells.
#include "report/intervals/exclusion.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "analysis/efficiency/interval_table.h"
#include "base/numbers/read_number.h"
#include "base/text/source_place.h"
#include "cube/algebra.h"

namespace mora::report {
namespace {

using analysis::Interval;
using analysis::IntervalTable;

std::optional<Exclusion> exclusion_of(const std::string& item) {
  const std::size_t hash = item.rfind('#');
  std::uint32_t id = 0;
  if (!read_number(std::string_view(item).substr(hash == std::string::npos ? 0 : hash + 1), id) || hash == 0)
    return std::nullopt;
  return Exclusion{hash == std::string::npos ? "" : item.substr(0, hash), id};
}

/// As IntervalTable::find.
bool is_at(const Interval& interval, const std::string& place) {
  const std::string line = ':' + std::to_string(interval.line);
  return place == interval.name || place == interval.file + line || place == source_place(interval.file, interval.line);
}

/// Indices of the intervals with all in them that go; false: none.
bool mark(const IntervalTable& table, const Exclusion& exclusion, std::set<std::size_t>& out) {
  const auto& intervals = table.intervals;
  std::set<std::size_t> chosen;
  if (!exclusion.place.empty()) {
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      if (intervals[i].id == exclusion.id && is_at(intervals[i], exclusion.place)) chosen.insert(i);
    }
  } else {
    using Place = std::tuple<std::size_t, std::string, std::string, std::uint32_t>;
    const auto place_of = [](const Interval& interval) {
      return Place{interval.parent, interval.name, interval.file, interval.line};
    };
    std::set<Place> having;
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      if (intervals[i].id == exclusion.id) having.insert(place_of(intervals[i]));
    }
    std::vector<bool> is_below(
        intervals.size());  // something above, or the interval itself, is of a place that has the id
    for (std::size_t i = 1; i < intervals.size(); ++i) {
      const bool has_id = having.contains(place_of(intervals[i]));
      if (has_id && !is_below[intervals[i].parent] && intervals[i].id == exclusion.id) chosen.insert(i);
      is_below[i] = has_id || is_below[intervals[i].parent];
    }
  }
  out.insert(chosen.begin(), chosen.end());
  return !chosen.empty();
}

/// The cube without these call paths and all below them.
cube::Cube without_call_paths(const cube::Cube& cube, const std::set<cube::CallPathId>& out) {
  std::vector<bool> kept(cube.call_paths.size());
  for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
    const cube::CallPathId parent = cube.call_paths[c].parent;
    kept[c] = !out.contains(c) && (parent == cube::no_id || kept[parent]);
  }
  return cube::subset(cube, kept);
}

}  // namespace

std::string Exclusion::text() const { return (place.empty() ? "" : place + '#') + std::to_string(id); }

Result<std::vector<Exclusion>> parse_exclusions(const std::string& text) {
  std::vector<Exclusion> exclusions;
  for (std::size_t at = 0; at <= text.size();) {
    // An item ends at the first comma that leaves it an id: names may hold commas.
    std::size_t comma = at;
    std::optional<Exclusion> item;
    do {
      comma = std::min(text.find(',', comma), text.size());
      item = exclusion_of(text.substr(at, comma - at));
    } while (!item && comma++ < text.size());
    if (!item) {
      return fail(ErrorKind::usage, "'" + text.substr(at) + "' has no id", "--without-id " + text,
                  "ids are whole numbers, alone or behind PLACE#, with commas between them: 1,solve.c:20#2");
    }
    exclusions.push_back(std::move(*item));
    at = comma + 1;
  }
  return exclusions;
}

Result<cube::Cube> without_intervals(const cube::Cube& cube, const std::vector<Exclusion>& exclusions,
                                     std::size_t* left_out) {
  const IntervalTable table = analysis::interval_table(cube);
  std::set<std::size_t> chosen;
  for (const Exclusion& exclusion : exclusions) {
    if (mark(table, exclusion, chosen)) continue;
    return fail(ErrorKind::usage,
                exclusion.place.empty() ? "no interval has such an id"
                                        : "no interval at '" + exclusion.place + "' has such an id",
                "--without-id " + exclusion.text(), "", "`mora report --intervals` lists intervals and ids");
  }
  std::set<cube::CallPathId> out;
  std::size_t count = 0;
  std::vector<bool> is_out(table.intervals.size());
  for (std::size_t i = 1; i < table.intervals.size(); ++i) {
    const bool is_in_one = is_out[table.intervals[i].parent];
    is_out[i] = is_in_one || chosen.contains(i);
    if (is_in_one || !is_out[i]) continue;
    ++count;
    out.insert(table.intervals[i].roots.begin(), table.intervals[i].roots.end());
  }
  if (left_out != nullptr) *left_out = count;
  return without_call_paths(cube, out);
}

std::string exclusion_words(const std::vector<Exclusion>& exclusions) {
  std::string words;
  for (const Exclusion& exclusion : exclusions) {
    const std::string place = exclusion.place.empty() ? "" : exclusion.place + " ";
    words += fmt::format("{}intervals {}with id {}", words.empty() ? "" : ", ", place, exclusion.id);
  }
  return words + " and all in them";
}

}  // namespace mora::report
