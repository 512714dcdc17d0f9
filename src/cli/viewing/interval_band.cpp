#include "cli/viewing/interval_band.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/json/json_writer.h"

namespace mora::cli {

Result<void> IntervalBand::each(trace::MarkedSource& marked, std::uint32_t location,
                                const std::function<void(const Bar&)>& use) {
  if (location == location_) {
    for (const Bar& bar : bars_) use(bar);
    return {};
  }
  class Reader : public trace::EventSink {
   public:
    Reader(const analysis::IntervalTable& table, const trace::Definitions& definitions,
           const std::function<void(const Bar&)>& use)
        : table_(table), definitions_(definitions), use_(use) {}
    void on_event(const trace::Event& event) override {
      if (event.interval == 0) return;
      if (event.kind == trace::EventKind::enter) {
        const std::size_t interval = child(event);
        open_.push_back({static_cast<std::uint32_t>(interval), static_cast<std::uint32_t>(open_.size() + 1), event.time,
                         event.time});
      } else if (event.kind == trace::EventKind::leave && !open_.empty()) {
        open_.back().end = event.time;
        if (open_.back().interval < table_.intervals.size()) use_(open_.back());
        open_.pop_back();
      }
    }

   private:
    /// That of the table which begins with this event; its size: none.
    std::size_t child(const trace::Event& event) const {
      const std::size_t parent = open_.empty() ? 0 : open_.back().interval;
      const std::uint32_t id = (event.interval & ~trace::found_phase) - 1;
      for (std::size_t i = 1; i < table_.intervals.size(); ++i) {
        const analysis::Interval& one = table_.intervals[i];
        if (one.parent != parent || one.id != id || event.region >= definitions_.regions.size()) continue;
        const trace::Region& region = definitions_.regions[event.region];
        if (one.file == region.call_site_file && one.line == region.call_site_line) return i;
      }
      return table_.intervals.size();
    }
    const analysis::IntervalTable& table_;
    const trace::Definitions& definitions_;
    const std::function<void(const Bar&)>& use_;
    std::vector<Bar> open_;
  };
  bars_.clear();
  location_ = trace::no_id;
  bool is_kept = true;
  const std::function<void(const Bar&)> keep = [&](const Bar& bar) {
    if (bars_.size() < kept_at_most)
      bars_.push_back(bar);
    else
      is_kept = false;
    use(bar);
  };
  Reader reader(table_, marked.definitions(), keep);
  MORA_CHECK_OK(marked.read_location(location, reader));
  if (is_kept)
    location_ = location;
  else
    bars_ = {};
  return {};
}

Result<std::string> IntervalBand::json(trace::MarkedSource& marked, const serve::Query& query) {
  constexpr auto longest = std::int64_t{1} << 62;
  MORA_TRY(const auto from, query.integer("from", 0, -longest, longest));
  MORA_TRY(const auto until, query.integer("until", longest, -longest, longest));
  MORA_TRY(const auto columns, query.integer("columns", 1000, 1, 8192));
  MORA_TRY(const auto location, query.integer("location", 0, 0, UINT32_MAX - 1));
  MORA_TRY(const auto limit, query.integer("limit", 600, 1, 1 << 20));
  const std::lock_guard lock(guards_);
  struct Shown {
    Bar bar;
    std::uint64_t executions = 1;
  };
  std::vector<Shown> shown;
  std::uint64_t all = 0, in_run = 0;
  if (table_.intervals.size() > 1 && std::cmp_less(location, marked.definitions().locations.size())) {
    const Nanoseconds column = std::max<Nanoseconds>(1, (until - from) / columns);
    std::vector<std::size_t> last(table_.intervals.size(), SIZE_MAX);  // in `shown`, by interval
    MORA_CHECK_OK(each(marked, static_cast<std::uint32_t>(location), [&](const Bar& bar) {
      ++in_run;
      if (bar.begin >= until || bar.end <= from) return;
      ++all;
      const std::size_t before = last[bar.interval];
      if (before != SIZE_MAX && bar.end - bar.begin < 3 * column && bar.begin - shown[before].bar.end < column) {
        shown[before].bar.end = bar.end;
        ++shown[before].executions;
        return;
      }
      last[bar.interval] = shown.size();
      shown.push_back({bar, 1});
    }));
    std::stable_sort(shown.begin(), shown.end(), [](const Shown& a, const Shown& b) {
      return std::tuple(a.bar.begin, a.bar.level) < std::tuple(b.bar.begin, b.bar.level);
    });
  }
  if (std::cmp_greater(shown.size(), limit)) {  // the outer ones
    std::stable_sort(shown.begin(), shown.end(),
                     [](const Shown& a, const Shown& b) { return a.bar.level < b.bar.level; });
    shown.resize(static_cast<std::size_t>(limit));
  }
  std::uint64_t drawn = 0;
  JsonWriter json;
  json.begin_object().key("bars").begin_line_array();
  for (const auto& [bar, executions] : shown) {
    drawn += executions;
    json.begin_line_array().integer(bar.interval).integer(bar.level).integer(bar.begin).integer(bar.end);
    json.unsigned_integer(executions).end_array();
  }
  json.end_array().key("numbers").begin_line_array();
  for (std::size_t i = 0; i < table_.intervals.size(); ++i) json.string(table_.number(i));
  json.end_array().key("names").begin_line_array();
  for (const analysis::Interval& interval : table_.intervals) json.string(interval.name);
  json.end_array().fields("all", all, "drawn", drawn, "in_run", in_run).end_object();
  return json.take();
}

}  // namespace mora::cli
