#include "serve/timeline/counters.h"

#include <algorithm>
#include <cmath>
namespace mora::serve {
namespace {

constexpr std::uint64_t readings_at_most = 8'000'000;

}  // namespace

Counters::Counters(const std::vector<trace::Metric>& metrics, std::uint32_t locations)
    : metrics_(metrics), locations_(locations), counters_(metrics.size()) {}

double Counters::amount(std::uint32_t metric, const Reading& before, const Reading& now) const {
  return metrics_[metric].is_difference ? now.value : now.value - before.value;
}

void Counters::add(std::uint32_t metric, std::uint32_t location, Nanoseconds time, const trace::MetricValue& value) {
  if (metric >= counters_.size() || location >= locations_ || !std::isfinite(value.number())) return;
  if (kept_ == readings_at_most) {
    ++left_out_;
    return;
  }
  ++kept_;
  Counter& counter = counters_[metric];
  if (counter.of.empty()) {
    counter.of.resize(locations_);
    counter.first.resize(locations_);
  }
  auto& readings = counter.of[location];
  if (readings.empty()) counter.first[location] = value;
  const Reading now{time, metrics_[metric].is_difference ? value.number() : gained(counter.first[location], value)};
  if (!readings.empty() && time > readings.back().time) {
    const double rate = amount(metric, readings.back(), now) / static_cast<double>(time - readings.back().time);
    counter.largest = std::max(counter.largest, rate);
  }
  readings.push_back(now);
  ++counter.readings;
}

void Counters::keep(KeptBytes& bytes) {
  for (Counter& counter : counters_) {
    bytes(counter.of);
    bytes(counter.readings);
    bytes(counter.largest);
  }
  bytes(kept_);
  bytes(left_out_);
}

void Counters::write_names(JsonWriter& json) const {
  json.begin_array();
  for (std::size_t m = 0; m < counters_.size(); ++m) {
    if (counters_[m].readings == 0)
      json.null();
    else
      json.line("name", metrics_[m].name, "unit", metrics_[m].unit, "readings", counters_[m].readings);
  }
  json.end_array();
}

Result<std::string> Counters::json(const Query& query, const std::vector<std::uint32_t>& rows) const {
  const auto metrics = static_cast<std::int64_t>(counters_.size());
  if (metrics == 0) return fail(ErrorKind::usage, "the trace has no counters");
  constexpr auto longest = std::int64_t{1} << 62;
  MORA_TRY(const auto asked, query.integer("metric", 0, 0, metrics - 1));
  MORA_TRY(const auto from, query.integer("from", 0, -longest, longest));
  MORA_TRY(const auto until, query.integer("until", longest, -longest, longest));
  MORA_TRY(const auto first, query.integer("first", 0, 0, UINT32_MAX));
  MORA_TRY(const auto count, query.integer("count", UINT32_MAX, 0, UINT32_MAX));
  MORA_TRY(const auto limit, query.integer("limit", 5000, 0, 100'000));
  const auto metric = static_cast<std::uint32_t>(asked);
  const Counter& counter = counters_[metric];
  std::uint64_t all = 0;
  JsonWriter json;
  json.begin_object().key("stretches").begin_line_array();
  const auto end =
      std::min<std::int64_t>(counter.of.empty() ? 0 : static_cast<std::int64_t>(rows.size()), first + count);
  for (std::int64_t row = first; row < end; ++row) {
    const std::uint32_t l = rows[static_cast<std::size_t>(row)];
    const auto& readings = counter.of[l];
    const auto begins_after = [](Nanoseconds time, const Reading& reading) { return time < reading.time; };
    auto now = std::upper_bound(readings.begin(), readings.end(), from, begins_after);
    if (now == readings.begin() && now != readings.end()) ++now;
    for (; now != readings.end() && (now - 1)->time < until; ++now) {
      const Reading& before = *(now - 1);
      if (now->time <= before.time) continue;
      if (all++ >= static_cast<std::uint64_t>(limit)) continue;
      const double counted = amount(metric, before, *now);
      json.begin_line_array().integer(l).integer(before.time).integer(now->time).number(counted);
      json.number(counted / static_cast<double>(now->time - before.time)).end_array();
    }
  }
  json.end_array().fields("all", all).key("largest").number(counter.largest);
  json.fields("left_out", left_out_).end_object();
  return json.take();
}

}  // namespace mora::serve
