/// How people name intervals: by number "0.2.1", by place "solve.c:20" or "solve.c:20#3", by name "solve" or
/// "interval#3".
#include <algorithm>

#include "analysis/efficiency/interval_table.h"
#include "base/numbers/read_number.h"
#include "base/text/source_place.h"

namespace mora::analysis {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

std::string IntervalTable::number(std::size_t interval) const {
  if (interval >= intervals.size()) return {};
  const std::size_t parent = intervals[interval].parent;
  if (parent == SIZE_MAX) return "0";
  const auto before = std::count_if(intervals.begin(), intervals.begin() + static_cast<std::ptrdiff_t>(interval),
                                    [&](const Interval& other) { return other.parent == parent; });
  return number(parent) + '.' + std::to_string(before + 1);
}

std::size_t IntervalTable::find(std::string_view text, std::string* why) const {
  const auto refuse = [&](std::string reason) {
    if (why != nullptr) *why = std::move(reason);
    return SIZE_MAX;
  };
  std::vector<std::size_t> matches;
  if (is_number(text)) {
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      if (number(i) == text) return i;
    }
    return refuse("there is no interval number " + std::string(text));
  }
  std::string_view place = text;
  std::uint32_t id = 0;
  bool has_id = false;
  if (const std::size_t hash = text.rfind('#'); hash != std::string_view::npos) {
    has_id = read_number(text.substr(hash + 1), id);
    if (has_id) place = text.substr(0, hash);
  }
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const Interval& interval = intervals[i];
    if (has_id && interval.id != id) continue;
    const std::string line = ':' + std::to_string(interval.line);
    if (place == interval.name || place == interval.file + line ||
        place == std::string(base_name(interval.file)) + line) {
      matches.push_back(i);
    }
  }
  // The program's place is that of its first call, which an interval may begin with: the interval is meant.
  if (matches.size() > 1 && matches.front() == 0) matches.erase(matches.begin());
  if (matches.size() == 1) return matches.front();
  if (matches.empty()) return refuse("there is no interval '" + std::string(text) + "'");
  std::string several = "'" + std::string(text) + "' is the name of several intervals:";
  for (const std::size_t i : matches) several += ' ' + number(i);
  return refuse(std::move(several));
}

}  // namespace mora::analysis
