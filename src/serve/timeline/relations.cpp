#include "serve/timeline/relations.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "serve/timeline/even_choice.h"
#include "serve/timeline/lines.h"
#include "trace/mpi_function.h"
#include "trace/rma/epoch_kinds.h"
#include "trace/rma/lock_epochs.h"

namespace mora::serve {

using exports::Dependency;
using exports::DependencyKind;
using mpi::CallClass;
using trace::EarlType;
using trace::Position;

namespace {

constexpr std::uint32_t lanes_at_most = 3;

enum Kind : std::uint32_t { fence, access, exposure, shared_lock, exclusive_lock, kinds };
constexpr const char* kind_names[kinds] = {"fence epoch", "access epoch", "exposure epoch", "shared lock",
                                           "exclusive lock"};

const char* kind_of_line(EarlType start) {
  return start == EarlType::send      ? "message"
         : start == EarlType::put_1ts ? "put"
         : start == EarlType::get_1ts ? "get"
                                      : "atomic";
}

std::string window_name(const trace::Definitions& d, trace::WindowId window) {
  return window < d.windows.size() && !d.windows[window].name.empty() ? d.windows[window].name
                                                                      : "window" + std::to_string(window);
}

/// One line as it is drawn; made of a message or transfer, or of a dependency.
struct Drawn {
  const char* kind = "";
  std::uint32_t from = 0, to = 0;
  Nanoseconds begin = 0, end = 0;
  std::uint64_t bytes = 0;
  std::int32_t tag = 0;
  Position from_call = 0, to_call = 0;
  trace::WindowId window = trace::no_id;

  bool is_in(const Stretch& s) const {
    return s.overlaps(std::min(begin, end), std::max(begin, end) + 1) && (s.shows(from) || s.shows(to));
  }
  void write(const trace::Definitions& d, JsonWriter& json) const {
    json.begin_line_object().fields("kind", kind, "from", from, "to", to, "begin", begin, "end", end, "bytes", bytes,
                                    "tag", tag, "from_call", from_call, "to_call", to_call);
    if (window != trace::no_id) json.fields("window", window_name(d, window));
    json.end_object();
  }
};

Position call_at(const trace::View& view, Position event) {
  return view.type(event) == EarlType::enter ? event : view.enter(event);
}

Drawn drawn(const trace::View& view, Position start, Position end) {
  const trace::ViewEvent from = view.event(start);
  return {kind_of_line(from.type), view.location(start), view.location(end), from.time,
          view.time(end),          from.bytes,           from.tag,           from.enter,
          view.enter(end),         from.window};
}

}  // namespace

const std::vector<Dependency>& Relations::dependencies() const {
  std::call_once(made_dependencies_, [&] {
    if (!view_.definitions().windows.empty()) dependencies_ = exports::dependencies(view_);
  });
  return dependencies_;
}

std::vector<Relations::Point> Relations::points_of(const Stretch& s, const std::vector<Position>& members,
                                                   std::size_t at_most) const {
  std::vector<std::pair<std::uint32_t, Position>> by_row;
  for (const Position p : members) {
    if (s.shows(view_.location(p))) by_row.emplace_back(s.row_of[view_.location(p)], p);
  }
  std::sort(by_row.begin(), by_row.end());
  const std::size_t group = std::max<std::size_t>(1, (by_row.size() + at_most - 1) / at_most);
  std::vector<Point> points;
  for (std::size_t i = 0; i < by_row.size(); ++i) {
    const Point here{view_.location(by_row[i].second), view_.time(by_row[i].second)};
    if (i % group == 0)
      points.push_back(here);
    else if (here.second > points.back().second)
      points.back() = here;
  }
  return points;
}

void Relations::write_points(const std::vector<Point>& points, JsonWriter& json) const {
  json.key("points").begin_line_array();
  for (const auto& [location, time] : points) json.begin_line_array().integer(location).integer(time).end_array();
  json.end_array();
}

void Relations::pass(const trace::EventColumns& events, std::uint64_t i) {
  constexpr std::size_t most = 1 << 20;
  if (!ends_line(events.type[i]) && events.type[i] != EarlType::get_1ts) return;
  const Position start = events.detail_of(i).link, end = i + 1;
  if (start == 0 || end - start < long_from_) return;
  long_lines_.push_back({start, end});
  if (long_lines_.size() < most) return;
  long_from_ *= 2;  // looked for among so many events instead
  std::erase_if(long_lines_, [&](const auto& line) { return line.end - line.start < long_from_; });
}

std::vector<Position> Relations::crossing(const Stretch& s) const {
  std::vector<Position> starts;
  const Position far = std::min<Position>(long_from_, Stretch::looked_at), near = s.before > far ? s.before - far : 0;
  auto line =
      std::partition_point(long_lines_.begin(), long_lines_.end(), [&](const auto& one) { return one.end <= s.last; });
  for (; line != long_lines_.end(); ++line) {
    if (line->start <= near) starts.push_back(line->start);
  }
  for (Position p = near + 1; p <= s.before; ++p) {
    const EarlType type = view_.type(p);
    if ((starts_line(type) || type == EarlType::get_1to) && view_.forward(p) > s.last) starts.push_back(p);
  }
  return starts;
}

Result<std::string> Relations::messages_json(const Stretch& s, const Query& query) const {
  MORA_TRY(const auto limit, query.integer("limit", 500, 1, 10'000));
  const std::string how = query.text("transfers");
  if (!how.empty() && how != "closed" && how != "logical" && how != "dependencies")
    return fail(ErrorKind::usage, "transfers are drawn closed, logical or as dependencies", how);
  const bool is_closed = how == "closed", is_logical = how == "logical", by_dependencies = how == "dependencies";
  if (is_logical) {
    std::call_once(made_logical_, [&] {
      exports::ArrowOptions options;
      options.show = exports::ShowTransfers::logical;
      logical_ = std::make_unique<exports::Arrows>(view_, options);
    });
  }
  EvenChoice<Drawn> lines(static_cast<std::size_t>(limit));
  const auto put = [&](const Drawn& line) {
    if (line.is_in(s)) lines.add(line);
  };
  const auto put_from = [&](Position p, EarlType type) {
    if (!(starts_line(type) || (is_closed && type == EarlType::get_1to)) || view_.forward(p) == 0) return;
    Drawn line = drawn(view_, p, view_.forward(p));
    if (type == EarlType::get_1to) line.kind = "get request", line.bytes = 0;
    if (is_logical && type == EarlType::get_1ts) {
      if (const auto moved = logical_->starting_at(p)) line.begin = moved->start, line.end = moved->end;
    }
    if (!by_dependencies || type == EarlType::send) put(line);
  };
  for (const Position start : crossing(s)) put_from(start, view_.type(start));
  s.for_each_event([&](Position p) {
    const EarlType type = view_.type(p);
    const bool ends = ends_line(type) || (is_closed && type == EarlType::get_1ts);
    if (ends && view_.link(p) != 0 && view_.link(p) <= s.before) {
      Drawn line = drawn(view_, view_.link(p), p);
      if (view_.type(view_.link(p)) == EarlType::get_1to) line.kind = "get request", line.bytes = 0;
      if (is_logical && type == EarlType::get_1te) {
        if (const auto moved = logical_->ending_at(p)) line.begin = moved->start, line.end = moved->end;
      }
      if (!by_dependencies || type == EarlType::recv) put(line);
    }
    put_from(p, type);
  });
  EvenChoice<const Dependency*> fences(static_cast<std::size_t>(limit / 8));  // each has many points
  if (by_dependencies) {
    for (const Dependency& one : dependencies()) {
      if (one.kind == DependencyKind::fence) {
        if (s.overlaps(view_.time(one.collective.front()), view_.time(one.collective.back()) + 1)) fences.add(&one);
        continue;
      }
      put({exports::to_string(one.kind), view_.location(one.from), view_.location(one.to), view_.time(one.from),
           view_.time(one.to), 0, 0, call_at(view_, one.from), call_at(view_, one.to), one.window});
    }
  }
  const trace::Definitions& d = view_.definitions();
  JsonWriter json;
  json.begin_object().key("lines").begin_array();
  for (const Drawn& line : lines.chosen()) line.write(d, json);
  json.end_array().key("joined").begin_array();
  for (const Dependency* fence : fences.chosen()) {
    json.begin_object().fields("kind", "fence", "window", window_name(d, fence->window), "members",
                               fence->collective.size());
    write_points(points_of(s, fence->collective, 512), json);
    json.end_object();
  }
  json.end_array()
      .fields("all", lines.all() + fences.all(), "complete", s.is_all_looked_at() && long_from_ <= Stretch::looked_at)
      .end_object();
  MORA_CHECK_OK(view_.intact());
  return json.take();
}

void Relations::add_epochs(std::vector<Bar>& bars) const {
  const auto call_of = [&](Position p) {
    const Position enter = view_.enter(p);
    return enter == 0 ? CallClass::none : trace::call_class(view_.definitions().regions[view_.region(enter)]);
  };
  for (const trace::WindowEpoch& epoch : trace::window_epochs(view_)) {
    const CallClass opened = call_of(epoch.begin);
    std::uint32_t kind = kinds;
    if (opened == CallClass::fence)
      kind = fence;
    else if (opened == CallClass::post)
      kind = exposure;
    else if (opened == CallClass::start)
      kind = access;
    else if (epoch.kind == trace::WindowEpochKind::rma && opened != CallClass::lock)
      kind = epoch.decided == epoch.begin ? exposure : access;
    if (kind == kinds) continue;
    Bar bar;
    bar.location = epoch.location, bar.kind = kind, bar.window = epoch.window;
    bar.begin = bar.queued = view_.time(epoch.begin);
    bar.is_open = epoch.end == 0;
    bar.end = bar.is_open ? view_.measured().end() : view_.time(epoch.end);
    bar.call = view_.enter(epoch.begin);
    bars.push_back(bar);
  }
}

// A lock call that lasts is not a queue: only if another epoch that excludes this one was released inside of it.
void Relations::add_locks(std::vector<Bar>& bars) const {
  const std::vector<trace::LockEpoch> all = trace::lock_order(view_);
  const auto since = [&](std::size_t i) {
    const trace::LockEpoch& epoch = all[i];
    const Nanoseconds granted = epoch.granted, asked = std::min(granted, view_.time(view_.enter(epoch.request)));
    for (std::size_t k = i; k-- > 0 && all[k].window == epoch.window && all[k].target == epoch.target;) {
      const trace::LockEpoch& other = all[k];
      if (other.release == 0) continue;
      const Nanoseconds released = view_.time(other.release);
      if (released <= asked) break;
      if (released <= granted && other.origin != epoch.origin && (other.exclusive || epoch.exclusive)) return asked;
    }
    return std::min(granted, view_.time(epoch.request));
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const trace::LockEpoch& epoch = all[i];
    Bar bar;
    bar.location = view_.location(epoch.request), bar.window = epoch.window, bar.target = epoch.target;
    bar.kind = epoch.exclusive ? exclusive_lock : shared_lock;
    bar.queued = view_.enter(epoch.request) == 0 ? epoch.granted : since(i);
    bar.begin = epoch.granted;
    bar.is_open = epoch.release == 0;
    bar.end = bar.is_open ? view_.measured().end() : view_.time(epoch.release);
    bar.call = view_.enter(epoch.request);
    bars.push_back(bar);
  }
}

const std::vector<Relations::Bar>& Relations::bars() const {
  std::call_once(made_bars_, [&] {
    if (view_.definitions().windows.empty()) return;
    add_epochs(bars_);
    add_locks(bars_);
    std::sort(bars_.begin(), bars_.end(), [](const Bar& a, const Bar& b) {
      return std::tuple(a.queued, a.location, a.kind, a.window, a.target) <
             std::tuple(b.queued, b.location, b.kind, b.window, b.target);
    });
    std::vector<std::array<Nanoseconds, lanes_at_most>> free(view_.definitions().locations.size());
    for (Bar& bar : bars_) {  // the first lane that is free; if none is, the one that is so first
      auto& lanes = free[bar.location];
      const auto at = std::find_if(lanes.begin(), lanes.end(), [&](Nanoseconds end) { return end <= bar.queued; });
      const auto lane = at != lanes.end() ? at : std::min_element(lanes.begin(), lanes.end());
      bar.lane = static_cast<std::uint32_t>(lane - lanes.begin());
      *lane = std::max(*lane, bar.end);
    }
  });
  return bars_;
}

Result<std::string> Relations::epochs_json(const Stretch& s, const Query& query) const {
  MORA_TRY(const auto limit, query.integer("limit", 700, 0, 10'000));
  const trace::Definitions& d = view_.definitions();
  std::uint64_t seen = 0;
  JsonWriter json;
  json.begin_object().key("bars").begin_line_array();
  const auto is_shown = [&](const Bar& bar) { return s.shows(bar.location) && s.overlaps(bar.queued, bar.end + 1); };
  const std::vector<Bar>& all = bars();
  const auto first_behind =
      std::partition_point(all.begin(), all.end(), [&](const Bar& b) { return b.queued < s.until; });
  std::vector<const Bar*> shown;
  for (auto bar = all.begin(); bar != first_behind; ++bar) {
    if (is_shown(*bar)) shown.push_back(&*bar), ++seen;
  }
  if (std::cmp_greater(shown.size(), limit)) {  // the longest
    std::nth_element(shown.begin(), shown.begin() + limit, shown.end(), [](const Bar* a, const Bar* b) {
      return std::tuple(b->end - b->queued, a) < std::tuple(a->end - a->queued, b);
    });
    shown.resize(static_cast<std::size_t>(limit));
    std::sort(shown.begin(), shown.end());
  }
  for (const Bar* bar : shown) {
    json.begin_line_array().integer(bar->location).integer(bar->lane).integer(bar->begin).integer(bar->end);
    json.integer(bar->kind).integer(bar->window);
    bar->target == trace::no_id ? json.null() : json.unsigned_integer(bar->target);
    json.integer(bar->queued).unsigned_integer(bar->call).boolean(bar->is_open).end_array();
  }
  json.end_array().key("kinds").begin_line_array();
  for (const char* name : kind_names) json.string(name);
  json.end_array().key("windows").begin_line_array();
  for (trace::WindowId w = 0; w < d.windows.size(); ++w) json.string(window_name(d, w));
  json.end_array().fields("all", seen).end_object();
  MORA_CHECK_OK(view_.intact());
  return json.take();
}

const std::vector<Relations::Operation>& Relations::operations() const {
  std::call_once(made_operations_, [&] {
    for (trace::NonblockingInstance& instance : trace::nonblocking_instances(view_)) {
      Operation operation;
      operation.begin = view_.time(call_at(view_, instance.starts.front()));
      operation.end = view_.time(instance.starts.back());
      for (const Position start : instance.starts) {
        operation.begin = std::min(operation.begin, view_.time(call_at(view_, start)));
        const Position completed = view_.forward(start);
        operation.end = std::max(operation.end, completed == 0 ? view_.measured().end() : view_.time(completed));
      }
      operation.instance = std::move(instance);
      operations_.push_back(std::move(operation));
    }
    std::sort(operations_.begin(), operations_.end(), [](const Operation& a, const Operation& b) {
      return std::tuple(a.begin, a.instance.starts[0]) < std::tuple(b.begin, b.instance.starts[0]);
    });
  });
  return operations_;
}

void Relations::write_operation(const Stretch& s, const Operation& operation, std::size_t at_most,
                                JsonWriter& json) const {
  const trace::Definitions& d = view_.definitions();
  const std::vector<Position>& starts = operation.instance.starts;
  const trace::ViewEvent first = view_.event(starts.front());
  const trace::RegionId region = first.enter == 0 ? trace::no_id : view_.region(first.enter);
  json.begin_object().fields("name", region < d.regions.size() ? d.regions[region].name : "");
  json.fields("communicator", first.comm < d.communicators.size() ? d.communicators[first.comm].name : "", "begin",
              operation.begin, "end", operation.end, "members", starts.size(), "nonblocking", true);
  json.key("root");
  first.root == trace::no_id ? json.null() : json.unsigned_integer(first.root);
  std::vector<Position> calls;
  std::size_t shown = 0;
  for (const Position start : starts) {
    calls.push_back(call_at(view_, start));
    shown += s.shows(view_.location(start)) ? 1 : 0;
  }
  write_points(points_of(s, calls, at_most), json);
  if (shown <= at_most) {
    json.key("completions").begin_line_array();
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::uint32_t location = view_.location(starts[i]);
      if (!s.shows(location)) continue;
      const Position completed = view_.forward(starts[i]);
      json.begin_line_array().integer(location).integer(view_.time(calls[i]));
      completed == 0 ? json.null() : json.integer(view_.time(completed));
      json.unsigned_integer(calls[i]);
      json.unsigned_integer(completed == 0 ? 0 : call_at(view_, completed)).end_array();
    }
    json.end_array();
  }
  json.end_object();
}

Result<std::string> Relations::collectives_json(const Stretch& s, const Query& query) const {
  MORA_TRY(const auto limit, query.integer("limit", 60, 0, 1'000));
  MORA_TRY(const auto most, query.integer("points", 256, 2, 4'096));
  const trace::Definitions& d = view_.definitions();
  std::unordered_set<Position> passed;  // exits of instances that were looked at
  std::uint64_t seen = 0;
  std::vector<Position> members;
  JsonWriter json;
  json.begin_object().key("instances").begin_array();
  const auto take = [&](Position exit) {
    Position first = exit;
    while (view_.link(first) != 0) first = view_.link(first);
    members.clear();
    Nanoseconds begin = INT64_MAX, end = 0;
    for (Position p = first; p != 0; p = view_.forward(p)) {
      passed.insert(p);
      const Position enter = view_.enter(p);
      if (enter == 0) continue;
      members.push_back(enter);
      begin = std::min(begin, view_.time(enter));
      end = std::max(end, view_.time(p));
    }
    if (members.size() < 2 || seen++ >= static_cast<std::uint64_t>(limit)) return;
    const trace::ViewEvent event = view_.event(first);
    const trace::RegionId region = view_.region(members.front());
    json.begin_object().fields("name", region < d.regions.size() ? d.regions[region].name : "");
    json.fields("communicator", event.comm < d.communicators.size() ? d.communicators[event.comm].name : "", "begin",
                begin, "end", end, "members", members.size());
    json.key("root");
    event.root == trace::no_id ? json.null() : json.unsigned_integer(event.root);
    write_points(points_of(s, members, static_cast<std::size_t>(most)), json);
    json.end_object();
  };
  const auto is_collective = [&](Position p) {
    return p != 0 && (view_.type(p) == EarlType::mpicexit || view_.type(p) == EarlType::mpiwcexit);
  };
  for (const std::uint32_t location : s.shown) {  // under way when the stretch begins
    for (const Position enter : view_.stack(location, s.before)) {
      if (const Position exit = view_.forward(enter); is_collective(exit) && !passed.contains(exit)) take(exit);
    }
  }
  s.for_each_event([&](Position p) {
    if (!s.shows(view_.location(p))) return;
    const Position exit = view_.type(p) == EarlType::enter ? view_.forward(p) : p;  // it may end behind the stretch
    if (is_collective(exit) && !passed.contains(exit)) take(exit);
  });
  EvenChoice<const Operation*> chosen(static_cast<std::size_t>(limit));
  for (const Operation& operation : operations()) {
    if (operation.begin >= s.until) break;
    const std::vector<Position>& starts = operation.instance.starts;
    if (s.overlaps(operation.begin, operation.end + 1) &&
        std::any_of(starts.begin(), starts.end(), [&](Position start) { return s.shows(view_.location(start)); }))
      chosen.add(&operation);
  }
  if (limit > 0) {
    for (const Operation* operation : chosen.chosen())
      write_operation(s, *operation, static_cast<std::size_t>(most), json);
  }
  seen += chosen.all();
  json.end_array().fields("all", seen, "complete", s.is_all_looked_at()).end_object();
  MORA_CHECK_OK(view_.intact());
  return json.take();
}

}  // namespace mora::serve
