/// Rows of the data-quality table name a location, a place in a file, or nothing. A note goes to the intervals that the
/// named rank executed, to the interval of the named place, or to all.
#include "report/intervals/quality_notes.h"

#include "base/text/source_place.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace mora::report {
namespace {

/// A location's name, or "rank 3 …". nullopt: the row names none.
std::optional<std::uint32_t> rank_of(const std::string& where, const cube::Cube& cube) {
  for (const cube::Location& location : cube.locations) {
    const std::string rank = fmt::format("rank {}", location.rank);
    if (where == location.name || where == rank || where.starts_with(rank + " ") || where.starts_with(rank + ","))
      return location.rank;
  }
  return std::nullopt;
}

bool was_executed_by(const analysis::Interval& interval, std::uint32_t rank) {
  return std::any_of(interval.processes.begin(), interval.processes.end(),
                     [rank](const analysis::ProcessAmounts& p) { return p.rank == rank; });
}

/// A damaged mark ("rank 0, a.c:25") touches the program and the interval of that place.
bool is_elsewhere(const QualityRow& row, const analysis::Interval& interval) {
  const std::size_t comma = row.where.find(", ");
  if (comma == std::string::npos || !row.kind.starts_with("interval-") || interval.level == 0) return false;
  const std::string place = source_place(interval.file, interval.line);
  return row.where.substr(comma + 2) != place;
}

struct Damage {
  std::string what;
  std::uint64_t count = 0;
  std::vector<std::string> places;
};

}  // namespace

void add_quality_notes(const std::vector<QualityRow>& rows, const cube::Cube& cube, analysis::IntervalTable& table) {
  std::vector<std::pair<const QualityRow*, std::optional<std::uint32_t>>> placed;
  for (const QualityRow& row : rows) {
    if (row.severity != Severity::info || row.kind == "clock-corrected" || row.kind == "interval-unknown-site")
      placed.emplace_back(&row, rank_of(row.where, cube));
  }
  for (analysis::Interval& interval : table.intervals) {
    std::map<std::string, Damage> kinds;
    for (const auto& [row, rank] : placed) {
      if ((rank && !was_executed_by(interval, *rank)) || is_elsewhere(*row, interval)) continue;
      Damage& damage = kinds[row->kind];
      damage.what = row->what;
      damage.count += row->count;
      if (!row->where.empty()) damage.places.push_back(row->where);
    }
    for (const auto& [kind, damage] : kinds) {
      constexpr std::size_t named = 4;
      std::string places;
      for (std::size_t i = 0; i < std::min(named, damage.places.size()); ++i) {
        places += (i == 0 ? ", " : " and ") + damage.places[i];
      }
      if (damage.places.size() > named) places += fmt::format(" and {} more", damage.places.size() - named);
      interval.notes.push_back(fmt::format("{} ({}: {}{})", damage.what, kind, damage.count, places));
    }
  }
}

}  // namespace mora::report
