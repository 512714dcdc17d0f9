#include "serve/timeline/timeline.h"

#include <algorithm>
#include <utility>

#include "base/json/json_writer.h"
#include "serve/timeline/wire.h"
#include "trace/metrics/metric_value.h"

namespace mora::serve {

using trace::EarlType;
using trace::Position;

namespace {

constexpr std::size_t calls_at_most = 8000;   ///< of a picture that is answered call by call
constexpr Position scan_at_most = 2'000'000;  ///< events, for bins filled from the index
constexpr std::int64_t scanned_bins_at_most = 20'000'000;
constexpr std::int64_t columns_at_most = 8192, rows_at_most = 8192;
constexpr auto longest = std::int64_t{1} << 62;

/// The locations in at most `rows` groups of equal size.
std::vector<std::vector<std::uint32_t>> groups_of(const std::vector<std::uint32_t>& shown, std::uint32_t rows) {
  const auto count = static_cast<std::uint32_t>(shown.size());
  const std::uint32_t size = std::max(1U, (count + rows - 1) / std::max(1U, rows));
  std::vector<std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < count; i += size) {
    auto& group = groups.emplace_back();
    for (std::uint32_t k = i; k < std::min(count, i + size); ++k) group.push_back(shown[k]);
  }
  return groups;
}

/// The open calls of a location while its events pass by, as categories.
struct Row {
  std::vector<Category> open;
  Nanoseconds since = 0;
  bool begun = false;
  Category now() const { return open.empty() ? Category::user : open.back(); }
};

/// One event of a row: fills what was before it.
void pass(Row& row, BinFiller& filler, EarlType type, Nanoseconds time, Category category) {
  if (row.begun) filler.add(row.now(), row.since, time);
  row.begun = true;
  row.since = time;
  if (type == EarlType::enter)
    row.open.push_back(category);
  else if (trace::is_exit(type) && !row.open.empty())
    row.open.pop_back();
}

}  // namespace

Timeline::Timeline(const trace::View& view)
    : view_(view),
      rows_(static_cast<std::uint32_t>(view.definitions().locations.size())),
      duration_(view.measured().end()),
      levels_(rows_, duration_, view.size()),
      traffic_(view.definitions(), duration_),
      order_(view.definitions()),
      relations_(view),
      counters_(view.definitions().metrics, rows_),
      lifetimes_(rows_),
      longest_(view.definitions().regions.size()) {
  for (const trace::Region& region : view.definitions().regions) category_of_region_.push_back(category_of(region));
}

Category Timeline::category(trace::RegionId region) const {
  return region < category_of_region_.size() ? category_of_region_[region] : Category::other;
}

void Timeline::prepare(std::atomic<std::uint64_t>& done) {
  const trace::EventColumns& events = view_.columns();
  struct Open {
    Position enter = 0;
    Nanoseconds begin = 0;
    trace::RegionId region = 0;
  };
  std::vector<std::vector<Open>> open(rows_);
  const auto ended = [&](const Open& call, Nanoseconds end) {
    if (call.region < longest_.size()) longest_[call.region].meet(call.enter, end - call.begin);
  };
  std::vector<Row> rows(rows_);
  std::vector<BinFiller> fillers;
  for (std::uint32_t row = 0; row < rows_; ++row) fillers.push_back(levels_.filler(row));
  for (std::uint64_t i = 0; i < events.size; ++i) {
    if (i % (1 << 16) == 0) {
      done = i;
      view_.forget_before(i + 1);
    }
    const std::uint32_t row = events.location[i];
    const EarlType type = events.type[i];
    const bool is_enter = type == EarlType::enter;
    traffic_.pass(events, i);
    relations_.pass(events, i);
    if (is_enter || trace::is_exit(type)) {
      if (!rows[row].begun) lifetimes_[row].begin = events.time[i];
      lifetimes_[row].end = events.time[i];
      if (rows[row].begun) order_.add(row, rows[row].now(), events.time[i] - rows[row].since);
      const trace::RegionId region = is_enter ? events.region(i) : trace::RegionId{0};
      pass(rows[row], fillers[row], type, events.time[i], is_enter ? category(region) : Category::user);
      if (is_enter) {
        open[row].push_back({i + 1, events.time[i], region});
      } else if (!open[row].empty()) {
        ended(open[row].back(), events.time[i]);
        open[row].pop_back();
      }
    } else if (type == EarlType::sample) {
      ++samples_;
    } else if (type == EarlType::metric) {
      const trace::EventDetail detail = events.detail_of(i);
      counters_.add(detail.kind, row, events.time[i], trace::metric_value_of(detail));
    }
  }
  for (const auto& calls : open)
    for (const Open& call : calls) ended(call, duration_);
  for (BinFiller& filler : fillers) filler.finish();
  levels_.finish();
  done = events.size;
  ready_.store(true, std::memory_order_release);
}

Result<std::string> Timeline::traffic_json(const Query& query, const Executions* executions) const {
  if (!ready()) return fail(ErrorKind::system, "the timeline is still being prepared");
  MORA_TRY(TrafficChoice choice, asked_traffic(query, category_of_region_.size()));
  choice.executions = executions;
  if (choice.is_all()) return traffic_.json(query);
  Traffic chosen(view_.definitions(), duration_, choice);
  chosen.read(view_);
  MORA_CHECK_OK(view_.intact());
  return chosen.json(query);
}

Result<std::string> Timeline::activity_json(const Query& query) const {
  MORA_TRY(const Stretch s, stretch(query));
  std::vector<std::uint8_t> share;
  for (const Bin bin : levels_.picture(groups_of(s.shown, 1), s.from, s.until, Traffic::time_bins)) {
    share.push_back(bin.category == static_cast<std::uint8_t>(Category::nothing) ? 0 : bin.share);
  }
  JsonWriter json;
  json.line("from", s.from, "until", s.until, "share", share);
  return json.take();
}

Result<Stretch> Timeline::stretch(const Query& query) const {
  if (!ready()) return fail(ErrorKind::system, "the timeline is still being prepared");
  Stretch s;
  MORA_TRY(s.from, query.integer("from", 0, -longest, longest));
  MORA_TRY(s.until, query.integer("until", duration_, -longest, longest));
  if (s.until <= s.from) return fail(ErrorKind::usage, "the time has no length: 'until' must be later than 'from'");
  MORA_TRY(const RowOrder::Order order, order_.order(query));
  const auto rows = static_cast<std::int64_t>(order.locations.size());
  MORA_TRY(const auto first, query.integer("first", 0, 0, std::max<std::int64_t>(0, rows - 1)));
  MORA_TRY(const auto count, query.integer("count", rows, 0, UINT32_MAX));
  s.shown.assign(order.locations.begin() + first, order.locations.begin() + first + std::min(count, rows - first));
  s.row_of.assign(rows_, trace::no_id);
  for (std::uint32_t row = 0; row < s.shown.size(); ++row) s.row_of[s.shown[row]] = row;
  s.before = s.from <= 0 ? 0 : view_.at_time(s.from - 1);
  s.last = s.until <= 0 ? 0 : view_.at_time(s.until - 1);
  return s;
}

Nanoseconds Timeline::end_of(Position enter) const {
  const Position end = view_.forward(enter);
  return end == 0 ? duration_ : view_.time(end);
}

std::optional<std::vector<Timeline::Call>> Timeline::calls(const Stretch& s, std::size_t at_most) const {
  if (s.last - s.before > scan_at_most) return {};
  std::size_t entered = 0;  // looked at first: what is open costs more
  for (Position p = s.before + 1; p <= s.last && entered <= at_most; ++p)
    entered += view_.type(p) == EarlType::enter && s.row_of[view_.location(p)] != trace::no_id ? 1 : 0;
  if (entered > at_most) return {};
  std::vector<Call> found;
  std::vector<std::uint32_t> depth(s.shown.size());
  const auto add = [&](Position enter, std::uint32_t location, std::uint32_t level) {
    found.push_back({enter, view_.time(enter), end_of(enter), view_.region(enter), location, level});
  };
  for (std::uint32_t i = 0; i < s.shown.size() && found.size() <= at_most; ++i) {
    auto open = view_.stack(s.shown[i], s.before);
    std::reverse(open.begin(), open.end());
    for (const Position enter : open) add(enter, s.shown[i], depth[i]++);
  }
  for (Position p = s.before + 1; p <= s.last; ++p) {
    const std::uint32_t row = s.row_of[view_.location(p)];
    if (row == trace::no_id) continue;
    const EarlType type = view_.type(p);
    if (type == EarlType::enter) {
      add(p, s.shown[row], depth[row]++);
      if (found.size() > at_most) return {};
    } else if (trace::is_exit(type) && depth[row] > 0) {
      --depth[row];
    }
  }
  if (found.size() > at_most) return {};
  return found;
}

// The events of all rows lie in one order of time. Sorted by row first, a row's calls and its bins fit the cache.
std::vector<Bin> Timeline::scanned(const Stretch& s, const std::vector<std::vector<std::uint32_t>>& groups,
                                   std::size_t columns, Nanoseconds width) const {
  struct Step {
    Nanoseconds time = 0;
    std::uint32_t row = 0;
    Category category = Category::user;
    EarlType type = EarlType::enter;
  };
  std::vector<Step> passed;
  passed.reserve(s.last - s.before);
  std::vector<std::size_t> end_of_row(s.shown.size() + 1);
  for (Position p = s.before + 1; p <= s.last; ++p) {
    const EarlType type = view_.type(p);
    const bool is_enter = type == EarlType::enter;
    if (!is_enter && !trace::is_exit(type)) continue;
    const std::uint32_t row = s.row_of[view_.location(p)];
    if (row == trace::no_id) continue;
    passed.push_back({view_.time(p), row, is_enter ? category(view_.region(p)) : Category::user, type});
    ++end_of_row[row + 1];
  }
  for (std::size_t row = 0; row < s.shown.size(); ++row) end_of_row[row + 1] += end_of_row[row];
  std::vector<Step> steps(passed.size());
  for (const Step& step : passed) steps[end_of_row[step.row]++] = step;  // from here on the end of each row
  passed = {};

  std::vector<Bin> fine(columns), picture(groups.size() * columns);
  std::vector<BinMean> means(columns);
  auto step = steps.begin();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::fill(means.begin(), means.end(), BinMean());
    for (const std::uint32_t location : groups[g]) {
      BinFiller filler(fine.data(), columns, s.from, width);
      Row row;
      const auto open = view_.stack(location, s.before);
      for (auto enter = open.rbegin(); enter != open.rend(); ++enter)
        row.open.push_back(category(view_.region(*enter)));
      row.begun = lifetimes_[location].begin < s.from;
      row.since = s.from;
      const auto end = steps.begin() + static_cast<std::ptrdiff_t>(end_of_row[s.row_of[location]]);
      for (; step != end; ++step) pass(row, filler, step->type, step->time, step->category);
      const Nanoseconds until = std::min(s.until, lifetimes_[location].end);
      if (row.begun && row.since < until) filler.add(row.now(), row.since, until);
      filler.finish();
      for (std::size_t c = 0; c < columns; ++c) means[c].add(fine[c]);
    }
    for (std::size_t c = 0; c < columns; ++c) picture[g * columns + c] = means[c].mean();
  }
  return picture;
}

Result<std::optional<std::vector<Position>>> Timeline::shown_calls(const Query& query) const {
  MORA_TRY(const Stretch s, stretch(query));
  MORA_TRY(const auto rows, query.integer("rows", 500, 1, rows_at_most));
  const auto found = std::cmp_less_equal(s.shown.size(), rows) ? calls(s, calls_at_most) : std::nullopt;
  if (!found) return std::nullopt;
  std::vector<Position> enters;
  for (const Call& call : *found) enters.push_back(call.enter);
  return enters;
}

std::uint32_t Timeline::row_of(std::uint32_t rank) const {
  const auto& locations = view_.definitions().locations;
  for (std::uint32_t l = 0; l < rows_; ++l) {
    if (locations[l].rank == rank) return l;
  }
  return 0;
}

Result<std::string> Timeline::picture(const Query& query) const {
  MORA_TRY(const Stretch s, stretch(query));
  MORA_TRY(const auto columns, query.integer("columns", 1000, 1, columns_at_most));
  MORA_TRY(const auto rows, query.integer("rows", 500, 1, rows_at_most));
  MORA_TRY(const auto most, query.integer("calls", calls_at_most, 1, calls_at_most));
  MORA_TRY(const auto first, query.integer("first", 0, 0, UINT32_MAX));
  if (std::cmp_less_equal(s.shown.size(), rows)) {
    if (const auto found = calls(s, static_cast<std::size_t>(most))) {
      JsonWriter json;
      json.line("from", s.from, "until", s.until, "first", first, "count", s.shown.size(), "events", s.last - s.before,
                "kind", "calls", "calls", found->size());
      std::vector<double> begin, end, enter;
      std::vector<std::uint32_t> region, location, depth;
      for (const Call& call : *found) {
        begin.push_back(static_cast<double>(call.begin));
        end.push_back(static_cast<double>(call.end));
        enter.push_back(static_cast<double>(call.enter));
        region.push_back(call.region);
        location.push_back(call.location);
        depth.push_back(call.depth);
      }
      std::string out = wire_header(json.str());
      for (const auto* array : {&begin, &end, &enter}) append_array(out, *array);
      for (const auto* array : {&region, &location, &depth}) append_array(out, *array);
      MORA_CHECK_OK(view_.intact());
      return out;
    }
  }
  const auto groups = groups_of(s.shown, static_cast<std::uint32_t>(rows));
  const bool is_fine = s.last - s.before <= scan_at_most &&
                       static_cast<std::int64_t>(s.shown.size()) * columns <= scanned_bins_at_most &&
                       levels_.finest() * columns > 2 * (s.until - s.from);
  auto width = static_cast<std::size_t>(columns);
  Nanoseconds until = s.until;
  std::vector<Bin> bins;
  if (is_fine) {  // whole nanoseconds: a bin may be wider than a column, and the last one may reach over the end
    const Nanoseconds bin = (s.until - s.from + columns - 1) / columns;
    width = static_cast<std::size_t>((s.until - s.from + bin - 1) / bin);
    until = s.from + static_cast<Nanoseconds>(width) * bin;
    bins = scanned(s, groups, width, bin);
  } else {
    bins = levels_.picture(groups, s.from, s.until, width);
  }
  JsonWriter json;
  json.begin_line_object().fields("from", s.from, "until", until, "first", first, "count", s.shown.size(), "events",
                                  s.last - s.before, "kind", "bins", "rows", groups.size(), "columns", width, "group",
                                  groups.empty() ? 1 : groups.front().size());
  json.end_object();
  std::vector<std::uint8_t> category(bins.size()), share(bins.size());
  for (std::size_t i = 0; i < bins.size(); ++i) category[i] = bins[i].category, share[i] = bins[i].share;
  std::string out = wire_header(json.str());
  append_array(out, category);
  append_array(out, share);
  MORA_CHECK_OK(view_.intact());
  return out;
}

}  // namespace mora::serve
