#include "trace/text/state_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json/json_document.h"
#include "base/numbers/read_number.h"
#include "trace/readers/text/lexer.h"
#include "trace/text/event_text.h"

namespace mora::trace {
namespace {

Result<void> check_rank(const View& view, std::uint32_t rank) {
  const std::uint32_t size = view.definitions().world_size;
  if (rank < size) return {};
  return fail(ErrorKind::usage, fmt::format("there is no rank {}", rank), "",
              size == 0 ? "the trace has none" : fmt::format("the trace has the ranks 0 to {}", size - 1));
}

Result<void> check(const View& view, const StateQuery& query) {
  if (query.at > view.size())
    return fail(ErrorKind::usage, fmt::format("there is no event {}", query.at), "",
                fmt::format("the view has {} events", view.size()));
  if (query.stacks && !query.stacks->is_all()) MORA_CHECK_OK(check_rank(view, query.stacks->highest()));
  if (query.destination) MORA_CHECK_OK(check_rank(view, *query.destination));
  if (query.source) MORA_CHECK_OK(check_rank(view, *query.source));
  return {};
}

/// Calls act(location, stack) for every location of the ranks.
template <class Act>
void each_stack(const View& view, const StateQuery& query, const Act& act) {
  const auto& locations = view.definitions().locations;
  for (LocationId l = 0; l < locations.size(); ++l) {
    if (query.stacks && query.stacks->holds(locations[l].rank)) act(locations[l], view.stack(l, query.at));
  }
}

std::vector<std::string> region_names(const View& view, const std::vector<Position>& enters) {
  std::vector<std::string> names;
  for (const Position p : enters) names.push_back(view.definitions().regions[view.region(p)].name);
  return names;
}

}  // namespace

Result<void> parse_queue(const std::string& text, StateQuery& query) {
  query.queue = true;
  if (text == "all") return {};
  const auto comma = text.find(',');
  std::uint64_t destination = 0, source = 0;
  const bool sound = read_number(std::string_view(text).substr(0, comma), destination) &&
                     (comma == std::string::npos || read_number(std::string_view(text).substr(comma + 1), source));
  if (!sound || destination > UINT32_MAX || source > UINT32_MAX)
    return fail(ErrorKind::usage, "cannot understand whose message queue is meant", text, "",
                "write all, a destination, or destination,source: --queue 1,0");
  query.destination = static_cast<std::uint32_t>(destination);
  if (comma != std::string::npos) query.source = static_cast<std::uint32_t>(source);
  return {};
}

Result<std::string> state_text(const View& view, const StateQuery& query) {
  MORA_CHECK_OK(check(view, query));
  std::string text;
  each_stack(view, query, [&](const Location& location, const std::vector<Position>& stack) {
    text += fmt::format("stack {} after {}:", location_name(location), query.at);
    text += stack.empty() ? std::string(" empty\n")
                          : fmt::format(" {} ({})\n", fmt::join(stack, " "), fmt::join(region_names(view, stack), " "));
  });
  if (!query.queue) return text;
  const auto queue = view.queue(query.at, query.destination, query.source);
  text += "queue";
  if (query.destination) text += fmt::format(" to P{}", *query.destination);
  if (query.source) text += fmt::format(" from P{}", *query.source);
  text += fmt::format(" after {}: {}\n", query.at, queue.empty() ? "empty" : fmt::format("{}", fmt::join(queue, " ")));
  return text;
}

Result<std::string> state_json(const View& view, const StateQuery& query) {
  MORA_CHECK_OK(check(view, query));
  JsonDocument json("mora-state");
  json.fields("at", query.at).key("stacks").begin_array();
  each_stack(view, query, [&](const Location& location, const std::vector<Position>& stack) {
    json.line("location", location_name(location), "enters", stack, "regions", region_names(view, stack));
  });
  json.end_array();
  if (query.queue) json.fields("queue", view.queue(query.at, query.destination, query.source));
  return json.finish(view.quality().rows());
}

}  // namespace mora::trace
