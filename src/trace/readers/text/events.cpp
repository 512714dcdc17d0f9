/// The event lines of the trace text (docs/formats/trace-text.md, Events): location, time and statement. A location or
/// a time that is left out is the one of the line before.
#include "trace/readers/text/parser.h"

#include "base/numbers/read_number.h"

namespace mora::trace::text {

bool parse_location(std::string_view text, std::uint64_t& rank, std::uint64_t& thread) {
  thread = 0;
  if (text.size() < 2 || text.front() != 'P') return false;
  text.remove_prefix(1);
  const auto point = text.find('.');
  if (!read_number(text.substr(0, point), rank)) return false;
  return point == std::string_view::npos || (read_number(text.substr(point + 1), thread) && thread < 100000);
}

Result<void> Parser::event_line(const Statement& statement) {
  const auto& words = statement.words;
  std::size_t at = 0;
  std::uint64_t rank = 0;
  std::uint64_t thread = 0;
  if (parse_location(words[0].text, rank, thread)) {
    if (rank >= 1000000 || !builder_.note_rank(rank))
      return wrong(words[0], "rank " + std::to_string(rank) + " lies outside the world");
    current_ = {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(thread)};
    have_current_ = true;
    if (++at == words.size()) return wrong(statement.end, "expected a time after '" + std::string(words[0].text) + "'");
  } else if (!have_current_) {
    return wrong(words[0],
                 "expected a definition or a location (P0, P1, …), found '" + std::string(words[0].text) + "'");
  }

  Line line{statement, at + 1, 0, 0, false, builder_.stream(current_), current_};
  const Word& span = words[at];
  const auto dash = span.text.find('-', 1);
  std::string why;
  if (!parse_time(span.text.substr(0, dash), unit_, line.begin, why))
    return wrong(span, at == 0 ? "expected a definition, a location (P0, P1, …) or a time, found '" +
                                     std::string(span.text) + "'"
                               : why);
  line.end = line.begin;
  if (dash != std::string_view::npos) {
    line.call = true;
    if (!parse_time(span.text.substr(dash + 1), unit_, line.end, why)) return wrong(span, why);
    if (line.end < line.begin) return wrong(span, "the call ends before it begins");
  }
  if (line.name == words.size())
    return wrong(statement.end,
                 line.call ? "expected the name of a function" : "expected a record type (ENTER, EXIT, SEND, …)");
  MORA_CHECK_OK(place(line));
  return line.call ? call(line) : record(line);
}

Result<void> Parser::place(Line& line) {
  const Word& word = line.statement.words[line.name - 1];
  std::uint32_t opened = 0;
  if (!builder_.advance(line.stream, line.begin, opened))
    return wrong(word,
                 "an inner region is open although its call (line " + std::to_string(opened) + ") ends before this");
  if (line.stream.last && line.begin < *line.stream.last)
    return wrong(word, "the time goes backwards on this location");
  if (line.call) {
    for (const OpenRegion& open : line.stream.open) {
      if (open.end && *open.end < line.end)
        return wrong(word, "the call overlaps that of line " + std::to_string(open.line) + ", which ends inside it");
    }
  }
  return {};
}

Event Parser::event(const Line& line, EventKind kind, Nanoseconds time) const {
  (void)line;
  Event e;
  e.kind = kind;
  e.time = time;
  return e;
}

Result<std::uint32_t> Parser::peer(const Word& at, const std::optional<Partner>& partner, const char* key) {
  if (!partner) return tl::unexpected(wrong(at, std::string("expected '") + key + " RANK'").error());
  if (partner->null) return no_id;
  if (!builder_.note_rank(partner->rank))
    return tl::unexpected(wrong(at, "rank " + std::to_string(partner->rank) + " lies outside the world").error());
  return partner->rank;
}

Result<CommId> Parser::comm(const Attributes& given) {
  if (!given.comm) return CommId{0};
  const auto id = builder_.communicator(given.comm->text);
  if (!id)
    return tl::unexpected(wrong(*given.comm, "unknown communicator '" + std::string(given.comm->text) + "'").error());
  return *id;
}

Result<WindowId> Parser::window(const Line& line, const Attributes& given) {
  if (!given.window) return tl::unexpected(wrong(line.statement.end, "expected a window (w0)").error());
  const auto id = builder_.window(given.window->text);
  if (!id)
    return tl::unexpected(wrong(*given.window, "unknown window '" + std::string(given.window->text) + "'").error());
  return *id;
}

Result<GroupId> Parser::group(const Line& line, const Attributes& given) {
  if (!given.group) return tl::unexpected(wrong(line.statement.end, "expected 'group R,R…'").error());
  if (const auto named = builder_.group(given.group->text)) return *named;
  MORA_TRY(const auto members, rank_list(*given.group));
  return builder_.group(members);
}

Result<Request*> Parser::request(const Line& line, const Word& name, bool active) {
  const auto found = line.stream.requests.find(name.text);
  if (found == line.stream.requests.end())
    return tl::unexpected(wrong(name, "unknown request '" + std::string(name.text) + "'").error());
  if (found->second.active != active)
    return tl::unexpected(
        wrong(name, "request '" + std::string(name.text) + (active ? "' is not active" : "' is active already"))
            .error());
  return &found->second;
}

}  // namespace mora::trace::text
