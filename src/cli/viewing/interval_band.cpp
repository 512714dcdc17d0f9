#include "cli/viewing/interval_band.h"

#include <algorithm>

#include "base/json/json_writer.h"
#include "cli/options/clock_option.h"

namespace mora::cli {

IntervalBand::IntervalBand(std::string path, const analysis::IntervalTable& table, trace::IntervalOptions options)
    : path_(std::move(path)), table_(table), options_(std::move(options)) {}

Result<void> IntervalBand::read(std::uint32_t location) {
  if (location == location_) return {};
  if (marked_ == nullptr) {
    Arguments arguments;
    arguments.positionals = {path_};
    MORA_TRY(correction_, open_at_corrected_times(arguments, "auto"));
    MORA_TRY(marked_, trace::with_intervals(*correction_.source, options_));
  }
  class Reader : public trace::EventSink {
   public:
    Reader(const analysis::IntervalTable& table, const trace::Definitions& definitions, std::vector<Bar>& bars)
        : table_(table), definitions_(definitions), bars_(bars) {}
    void on_event(const trace::Event& event) override {
      if (event.interval == 0) return;
      if (event.kind == trace::EventKind::enter) {
        const std::size_t interval = child(event);
        open_.push_back(bars_.size());
        bars_.push_back(
            {static_cast<std::uint32_t>(interval), static_cast<std::uint32_t>(open_.size()), event.time, event.time});
      } else if (event.kind == trace::EventKind::leave && !open_.empty()) {
        bars_[open_.back()].end = event.time;
        open_.pop_back();
      }
    }

   private:
    /// That of the table which begins with this event; its size: none.
    std::size_t child(const trace::Event& event) const {
      const std::size_t parent = open_.empty() ? 0 : bars_[open_.back()].interval;
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
    std::vector<Bar>& bars_;
    std::vector<std::size_t> open_;
  };
  bars_.clear();
  location_ = trace::no_id;
  Reader reader(table_, marked_->definitions(), bars_);
  MORA_CHECK_OK(marked_->read_location(location, reader));
  std::erase_if(bars_, [&](const Bar& bar) { return bar.interval >= table_.intervals.size(); });
  location_ = location;
  return {};
}

Result<std::string> IntervalBand::json(const serve::Query& query) {
  constexpr auto longest = std::int64_t{1} << 62;
  MORA_TRY(const auto from, query.integer("from", 0, -longest, longest));
  MORA_TRY(const auto until, query.integer("until", longest, -longest, longest));
  MORA_TRY(const auto columns, query.integer("columns", 1000, 1, 8192));
  MORA_TRY(const auto location, query.integer("location", 0, 0, UINT32_MAX - 1));
  const std::lock_guard lock(guards_);
  struct Shown {
    Bar bar;
    std::uint64_t executions = 1;
  };
  std::vector<Shown> shown;
  std::uint64_t all = 0;
  if (table_.intervals.size() > 1) {
    MORA_CHECK_OK(read(static_cast<std::uint32_t>(location)));
    const Nanoseconds column = std::max<Nanoseconds>(1, (until - from) / columns);
    std::vector<std::size_t> last(table_.intervals.size(), SIZE_MAX);  // in `shown`, by interval
    for (const Bar& bar : bars_) {
      if (bar.begin >= until || bar.end <= from) continue;
      ++all;
      const std::size_t before = last[bar.interval];
      if (before != SIZE_MAX && bar.end - bar.begin < 3 * column && bar.begin - shown[before].bar.end < column) {
        shown[before].bar.end = bar.end;
        ++shown[before].executions;
        continue;
      }
      last[bar.interval] = shown.size();
      shown.push_back({bar, 1});
    }
  }
  constexpr std::size_t most = 600;
  if (shown.size() > most) {  // the outer ones
    std::stable_sort(shown.begin(), shown.end(),
                     [](const Shown& a, const Shown& b) { return a.bar.level < b.bar.level; });
    shown.resize(most);
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
  json.end_array().fields("all", all, "drawn", drawn).end_object();
  return json.take();
}

}  // namespace mora::cli
