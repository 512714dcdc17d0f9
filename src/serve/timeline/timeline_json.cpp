/// The answers of a timeline that are texts: what there is, messages, single calls, jumps. Calls are named by the
/// position of their ENTER in the view, so that an answer stays valid as long as the trace does. Cost: messages
/// O(events in the range of time), at most so many as can be drawn; a call O(events inside of it), with a bound; jumps
/// O(log events) and what is passed over.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/json/json_writer.h"
#include "serve/timeline/even_choice.h"
#include "serve/timeline/lines.h"
#include "serve/timeline/timeline.h"
#include "trace/text/event_text.h"

namespace mora::serve {

using trace::EarlType;
using trace::Position;

namespace {

Result<Position> asked_enter(const trace::View& view, const Query& query) {
  MORA_TRY(const auto at, query.integer("at", 0, 1, static_cast<std::int64_t>(view.size())));
  if (at == 0 || view.type(static_cast<Position>(at)) != EarlType::enter) {
    return fail(ErrorKind::usage, "'at' is not the number of an event that enters a region");
  }
  return static_cast<Position>(at);
}

std::string call_answer(Position call) {
  JsonWriter json;
  json.begin_line_object().key("call");
  call == 0 ? json.null() : json.unsigned_integer(call);
  json.end_object();
  return json.take();
}

}  // namespace

std::string Timeline::info_json() const {
  const trace::Definitions& all = view_.definitions();
  const bool is_ready = ready();  // asked once: until then another thread fills what is left out here
  JsonWriter json;
  json.begin_object().fields("state", is_ready ? "ready" : "preparing", "duration", duration_, "events", view_.size());
  json.key("categories").begin_array();
  for (const CategoryText& text : category_texts()) json.line("key", text.key, "name", text.name);
  json.end_array().key("locations").begin_array();
  for (std::size_t l = 0; l < all.locations.size(); ++l) {
    const trace::Location& location = all.locations[l];
    const Lifetime life = is_ready ? lifetimes_[l] : Lifetime{};
    json.line("rank", location.rank, "thread", location.thread, "node",
              location.node < all.nodes.size() ? all.nodes[location.node].name : "", "begin", life.begin, "end",
              life.end);
  }
  json.end_array().key("regions").begin_array();
  for (std::size_t r = 0; r < all.regions.size(); ++r) {
    json.line("name", all.regions[r].name, "file", all.regions[r].call_site_file, "line", all.regions[r].call_site_line,
              "category", static_cast<unsigned>(category_of_region_[r]), "longest", is_ready ? longest_[r].length : 0,
              "longest_call", is_ready ? longest_[r].enter : 0);
  }
  json.end_array().fields("samples", is_ready ? samples_ : 0, "one_sided", has_windows()).key("counters");
  counters_.write_names(json);
  json.end_object();
  return json.take();
}

Result<std::string> Timeline::messages_json(const Query& query) const {
  MORA_TRY(const Stretch s, stretch(query));
  return relations_.messages_json(s, query);
}

Result<std::string> Timeline::epochs_json(const Query& query) const {
  MORA_TRY(const Stretch s, stretch(query));
  return relations_.epochs_json(s, query);
}

Result<std::string> Timeline::collectives_json(const Query& query) const {
  MORA_TRY(const Stretch s, stretch(query));
  return relations_.collectives_json(s, query);
}

Result<std::string> Timeline::counters_json(const Query& query) const {
  MORA_TRY(const RowOrder::Order order, order_.order(query));
  return counters_.json(query, order.locations);
}

Result<std::string> Timeline::path_json(const cube::KeptPath& path, const Query& query) const {
  using cube::PathPiece;
  MORA_TRY(const Stretch s, stretch(query));
  MORA_TRY(const auto limit, query.integer("limit", 2000, 1, 20'000));
  std::vector<PathPiece> shown;
  std::uint64_t all = 0;
  PathPiece last;
  path.each(s.from, s.until, [&](const PathPiece& piece) {
    if (std::cmp_less_equal(++all, limit)) shown.push_back(piece);
    last = piece;
  });
  if (std::cmp_greater(all, limit)) {
    const PathPiece first = shown.front();
    shown.clear();
    const auto edge = [&](std::int64_t column) {
      return s.from + static_cast<Nanoseconds>(static_cast<__int128>(s.until - s.from) * column / limit);
    };
    std::unordered_map<std::uint32_t, Nanoseconds> time;  // of a column, by location
    std::int64_t column = 0;
    std::uint32_t most = trace::no_id;
    const auto end_column = [&] {
      const Nanoseconds begin = edge(column), end = edge(++column);
      if (most != trace::no_id && !shown.empty() && shown.back().location == most && shown.back().to == begin)
        shown.back().to = end;
      else if (most != trace::no_id)
        shown.push_back({most, begin, end});
      time.clear();
      most = trace::no_id;
    };
    path.each(s.from, s.until, [&](const PathPiece& piece) {
      while (column < limit && edge(column + 1) <= piece.from) end_column();
      for (; column < limit; end_column()) {
        const Nanoseconds end = edge(column + 1);
        const Nanoseconds now = time[piece.location] += std::min(piece.to, end) - std::max(piece.from, edge(column));
        if (most == trace::no_id || now > time[most]) most = piece.location;
        if (piece.to < end) break;
      }
    });
    if (column < limit) end_column();
    // Columns may begin before the run and end after it.
    shown.front().from = std::max(shown.front().from, first.from);
    shown.back().to = std::min(shown.back().to, last.to);
  }
  JsonWriter json;
  json.begin_object().key("pieces").begin_line_array();
  for (const PathPiece& p : shown)
    json.begin_line_array().integer(p.location).integer(p.from).integer(p.to).end_array();
  json.end_array().fields("state", "ready", "all", all, "in_all", path.size()).end_object();
  return json.take();
}

Result<std::string> Timeline::samples_json(const Query& query) const {
  MORA_TRY(const Stretch s, stretch(query));
  MORA_TRY(const auto limit, query.integer("limit", 5000, 1, 100'000));
  EvenChoice<Position> samples(static_cast<std::size_t>(limit));
  s.for_each_event([&](Position p) {
    if (view_.type(p) == EarlType::sample && s.shows(view_.location(p))) samples.add(p);
  });
  const trace::Definitions& d = view_.definitions();
  std::set<trace::CallerId> callers;
  JsonWriter json;
  json.begin_object().key("samples").begin_line_array();
  for (const Position p : samples.chosen()) {
    const trace::CallerId caller = view_.event(p).index;
    if (caller < d.callers.size()) callers.insert(caller);
    json.begin_line_array().integer(view_.location(p)).integer(view_.time(p)).integer(caller).end_array();
  }
  json.end_array().key("callers").begin_array();
  for (const trace::CallerId caller : callers) {
    json.begin_line_array().integer(caller).integer(d.callers[caller].region);
    json.string(trace::caller_text(d, d.callers[caller].parent)).end_array();
  }
  json.end_array().fields("all", samples.all(), "complete", s.is_all_looked_at()).end_object();
  MORA_CHECK_OK(view_.intact());
  return json.take();
}

Result<std::string> Timeline::call_json(const Query& query) const {
  if (!ready()) return fail(ErrorKind::system, "the timeline is still being prepared");
  MORA_TRY(const Position enter, asked_enter(view_, query));
  const trace::Definitions& all = view_.definitions();
  const trace::LocationId location = view_.location(enter);
  const Position exit = view_.forward(enter) == 0 ? view_.size() : view_.forward(enter);
  const trace::ViewEvent left = view_.event(exit);
  JsonWriter json;
  json.begin_object().fields("call", enter, "location", location, "rank", all.locations[location].rank, "thread",
                             all.locations[location].thread, "begin", view_.time(enter), "end", end_of(enter), "region",
                             view_.region(enter));
  json.key("path").begin_line_array();
  for (const trace::RegionId region : view_.call_path(enter)) json.unsigned_integer(region);
  json.end_array();
  if (left.comm != trace::no_id && left.comm < all.communicators.size()) {
    const trace::Communicator& comm = all.communicators[left.comm];
    json.fields("communicator", comm.name, "members", comm.self ? 1 : comm.members.size(), "sent", left.bytes,
                "received", left.received);
    if (left.root != trace::no_id) json.fields("root", left.root);
  }
  json.key("transfers").begin_array();
  constexpr std::uint64_t most = 20;
  std::uint64_t count = 0;
  constexpr Position looked_at = 1'000'000;
  for (Position p = enter + 1; p < exit && p < enter + looked_at; ++p) {
    const EarlType type = view_.type(p);
    const bool is_operation = type == EarlType::nbc_start || type == EarlType::nbc_end;  // its partner: where it ends
    if (view_.location(p) != location || !(starts_line(type) || ends_line(type) || is_operation)) continue;
    if (view_.enter(p) != enter || ++count > most) continue;
    const trace::ViewEvent event = view_.event(p);
    const bool is_start = starts_line(type) || type == EarlType::nbc_start;
    const Position other = is_start ? event.forward : event.link;
    json.begin_line_object().fields("type", trace::to_string(event.type), "time", event.time, "bytes", event.bytes,
                                    "tag", event.tag);
    json.key("partner");
    event.peer == trace::no_id || is_operation ? json.null() : json.unsigned_integer(event.peer);
    if (other != 0) {
      json.fields("partner_time", view_.time(other), "partner_location", view_.location(other), "partner_call",
                  view_.enter(other));
    }
    json.end_object();
  }
  json.end_array().fields("transfers_in_all", count).end_object();
  MORA_CHECK_OK(view_.intact());
  return json.take();
}

Position Timeline::innermost(std::uint32_t location, Position at) const {
  const auto open = view_.stack(location, at);
  return open.empty() ? 0 : open.front();
}

Position Timeline::neighbour(Position enter, int step) const {
  const trace::LocationId location = view_.location(enter);
  std::uint64_t low = 0, high = view_.count_on(location);
  while (low + 1 < high) {
    const std::uint64_t middle = (low + high) / 2;
    (view_.nth_on(location, middle) <= enter ? low : high) = middle;
  }
  const std::uint64_t count = view_.count_on(location);
  for (std::uint64_t n = low + static_cast<std::uint64_t>(step); n < count; n += static_cast<std::uint64_t>(step)) {
    const Position p = view_.nth_on(location, n);
    if (view_.type(p) == EarlType::enter) return p;
  }
  return 0;
}

Result<std::string> Timeline::find_json(const Query& query) const {
  if (!ready()) return fail(ErrorKind::system, "the timeline is still being prepared");
  if (!query.text("at").empty()) {
    MORA_TRY(const Position enter, asked_enter(view_, query));
    MORA_TRY(const auto step, query.integer("step", 1, -1, 1));
    return call_answer(step == 0 ? enter : neighbour(enter, static_cast<int>(step)));
  }
  const std::int64_t rows = rows_;
  MORA_TRY(const auto location, query.integer("location", -1, -1, rows - 1));
  if (!query.text("region").empty()) {
    MORA_TRY(const auto region,
             query.integer("region", 0, 0, static_cast<std::int64_t>(category_of_region_.size()) - 1));
    MORA_TRY(const auto after, query.integer("after", -1, -1, INT64_MAX));
    for (Position p = after < 0 ? 1 : view_.at_time(after) + 1; p <= view_.size(); ++p) {
      if (view_.type(p) == EarlType::enter && view_.region(p) == region &&
          (location < 0 || view_.location(p) == location)) {
        return call_answer(p);
      }
    }
    return call_answer(0);
  }
  if (location < 0) return fail(ErrorKind::usage, "'location' is missing");
  MORA_TRY(const auto time, query.integer("time", 0, 0, INT64_MAX));
  return call_answer(innermost(static_cast<std::uint32_t>(location), view_.at_time(time)));
}

}  // namespace mora::serve
