/// Raw records under KOJAK's and EARL's names: `P0 21 PUT_1TS @1 w0 rma1 sent 80` (docs/formats/trace-text.md; types of
/// Wolf 1998, 4.2, and Hermanns 2004, 5.4). One line is one event at its own time, also where a call as a whole could
/// not leave such a trace: this is how tests write damage. So nothing is completed or put in order here; what is wrong
/// in itself (an unknown window, a rank that is none) is an error at its column. O(words) per line.
#include <algorithm>

#include "trace/paradigm.h"
#include "trace/readers/text/parser.h"

namespace mora::trace::text {

namespace {

/// Of "main>step>MPI_Recv@solver.c:20".
std::string_view function_name(std::string_view region) {
  if (const auto path = region.rfind(">MPI_"); path != std::string_view::npos) region.remove_prefix(path + 1);
  return region.substr(0, region.find('@'));
}

}  // namespace

RegionId Parser::open_region(const Line& line) const {
  return line.stream.open.empty() ? no_id : line.stream.open.back().region;
}

Result<void> Parser::record(Line& line) {
  const Word& word = line.statement.words[line.name];
  const std::string_view type = word.text;
  if (type == "ENTER") return enter(line);
  if (type == "EXIT" || type == "MPICEXIT" || type == "MPIWCEXIT" || type == "MPIWEXIT" || type == "OMPCEXIT")
    return exit_record(line, type);
  if (type == "SEND" || type == "RECV") return message_record(line, type == "SEND");
  if (type == "POST" || type == "SENDEND" || type == "CANCEL") return request_record(line, type);
  if (type.substr(0, 4) == "PUT_" || type.substr(0, 4) == "GET_") return transfer_record(line, type);
  if (type == "WLOCK" || type == "WUNLOCK") return lock_record(line, type == "WLOCK");
  MORA_TRY(const bool done, more_record(line, type));
  if (done) return {};
  EventKind kind = EventKind::other;
  if (type == "RECORDING_OFF")
    kind = EventKind::recording_off;
  else if (type == "RECORDING_ON")
    kind = EventKind::recording_on;
  else if (type == "OVERHEAD_BEGIN")
    kind = EventKind::overhead_begin;
  else if (type == "OVERHEAD_END")
    kind = EventKind::overhead_end;
  else
    return wrong(word, "expected a record type (ENTER, EXIT, SEND, RECV, …), found '" + std::string(type) +
                           "'; a call is written with begin and end: 'P0 10-14 " + std::string(type) + "'");
  if (auto none = attributes(line, {}); !none) return tl::unexpected(none.error());
  builder_.emit(line.stream, event(line, kind, line.begin));
  return {};
}

Result<void> Parser::enter(Line& line) {
  const auto& words = line.statement.words;
  if (++line.name == words.size()) return wrong(line.statement.end, "expected the name of a region after ENTER");
  Event e = event(line, EventKind::enter, line.begin);
  e.region = builder_.region(words[line.name].text);
  MORA_TRY(e.tag, entered_number(line, builder_.region(e.region)));
  builder_.emit(line.stream, e);
  OpenRegion open;
  open.region = e.region;
  open.line = words[line.name].line;
  line.stream.open.push_back(open);
  const CallClass c = call_class(builder_.region(e.region));
  if (c == CallClass::collective) builder_.emit(line.stream, event(line, EventKind::collective_begin, line.begin));
  if (is_window_collective(c)) builder_.emit(line.stream, event(line, EventKind::rma_collective_begin, line.begin));
  return {};
}

Result<std::int32_t> Parser::entered_number(Line& line, const Region& region) {
  Keys keys;
  if (region.kind != RegionKind::mpi) keys = {region.role == RegionRole::interval ? Key::interval : Key::team};
  if (function_of(region).id == FunctionId::pcontrol) keys = {Key::level};
  if (mpi::polls_messages(function_of(region))) keys = {Key::polls};
  MORA_TRY(const Attributes given, attributes(line, keys));
  return given.interval.value_or(given.level.value_or(given.polls.value_or(given.team.value_or(0))));
}

Result<void> Parser::leave(Line& line, const std::vector<Event>& before) {
  OpenRegion& top = line.stream.open.back();
  if (top.end)
    return wrong(line.statement.words[line.name],
                 "the open region is the call of line " + std::to_string(top.line) + ", which ends by itself");
  top.end = line.begin;
  top.at_end = before;
  std::uint32_t opened = 0;
  // Only this region: an outer compact call that ends at the same time closes when the next statement comes.
  OpenRegion closing = std::move(top);
  line.stream.open.pop_back();
  for (const Event& e : closing.at_end) builder_.emit(line.stream, e);
  Event e = event(line, EventKind::leave, line.begin);
  e.region = closing.region;
  builder_.emit(line.stream, e);
  (void)opened;
  return {};
}

Result<void> Parser::exit_record(Line& line, std::string_view type) {
  const auto& words = line.statement.words;
  if (line.stream.open.empty()) return wrong(words[line.name], "no region is open on this location");
  const Region& region = builder_.region(open_region(line));
  const CallClass c = call_class(region);
  const auto unfit = [&] {
    return wrong(words[line.name], std::string(type) + " does not end a region " + region.name);
  };
  if (type == "EXIT") {
    if (line.name + 1 < words.size()) {
      ++line.name;
      if (function_name(words[line.name].text) != region.name)
        return wrong(words[line.name], "the open region is " + region.name);
    }
    if (auto none = attributes(line, {}); !none) return tl::unexpected(none.error());
    return leave(line, {});
  }
  if (type == "OMPCEXIT") {
    if (region.kind == RegionKind::mpi) return unfit();
    if (auto none = attributes(line, {}); !none) return tl::unexpected(none.error());
    return leave(line, {event(line, EventKind::team_collective_end, line.begin)});
  }
  Event e = event(line, EventKind::collective_end, line.begin);
  if (type == "MPICEXIT") {
    if (c != CallClass::collective) return unfit();
    MORA_TRY(const Attributes given,
             attributes(line, {Key::comm, Key::root, Key::sent, Key::recvd, Key::counts, Key::dests, Key::sources}));
    e.collective = function_of(region).collective;
    MORA_TRY(e.comm, comm(given));
    if (given.root && !builder_.note_rank(*given.root))
      return wrong(given.given.at(Key::root), "the root lies outside the world");
    if (given.root) e.root = static_cast<std::uint32_t>(*given.root);
    MORA_CHECK_OK(collective_vector(line, given, e));
    e.bytes = given.sent.value_or(e.bytes);
    e.received = given.recvd.value_or(e.received);
    return leave(line, {e});
  }
  e.rma_operation = function_of(region).rma;
  if (type == "MPIWCEXIT") {
    if (paradigm_of(region) == Paradigm::shmem) return shmem_collective_record(line, e);
    if (!is_window_collective(c)) return unfit();
    MORA_TRY(const Attributes given, attributes(line, {Key::window, Key::assertion}));
    e.kind = EventKind::rma_collective_end;
    MORA_TRY(e.window, window(line, given));
    e.assertion = static_cast<std::uint32_t>(given.assertion.value_or(0));
    if (c == CallClass::fence) return leave(line, {e});
    Event life =
        event(line, c == CallClass::window_create ? EventKind::window_create : EventKind::window_free, line.begin);
    life.window = e.window;
    return leave(line, {life, e});
  }
  if (c < CallClass::post || c > CallClass::test_epoch) return unfit();
  MORA_TRY(const Attributes given, attributes(line, {Key::window, Key::group, Key::synex, Key::assertion}));
  e.kind = EventKind::group_sync;
  MORA_TRY(e.window, window(line, given));
  MORA_TRY(e.group, group(line, given));
  e.assertion = static_cast<std::uint32_t>(given.assertion.value_or(0));
  e.epoch_closed = given.synex.value_or(0) == 1;
  return leave(line, {e});
}

Result<void> Parser::shmem_collective_record(Line& line, Event e) {
  MORA_TRY(const Attributes given, attributes(line, {Key::window, Key::root, Key::sent, Key::recvd}));
  e.kind = EventKind::rma_collective_end;
  MORA_TRY(e.window, window(line, given));
  if (given.root && !builder_.note_rank(*given.root))
    return wrong(given.given.at(Key::root), "the root lies outside the world");
  if (given.root) e.root = static_cast<std::uint32_t>(*given.root);
  e.bytes = given.sent.value_or(8);
  e.received = given.recvd.value_or(8);
  return leave(line, {e});
}

Result<void> Parser::message_record(Line& line, bool send) {
  MORA_TRY(const Attributes given,
           attributes(line, {send ? Key::to : Key::from, Key::bytes, Key::tag, Key::comm, Key::req}));
  Event e = event(line, send ? EventKind::send : EventKind::receive, line.begin);
  MORA_TRY(e.peer, peer(line.statement.end, send ? given.to : given.from, send ? "to" : "from"));
  if (e.peer == no_id) return wrong(line.statement.words[line.name], "nothing is recorded for MPI_PROC_NULL");
  e.bytes = given.bytes.value_or(8);
  e.tag = given.tag.value_or(0);
  MORA_TRY(e.comm, comm(given));
  if (!given.requests.empty()) {
    const Word& word = given.requests[0];
    if (send) {
      Request& made = line.stream.requests[std::string(word.text)];
      if (made.active) return wrong(word, "request '" + std::string(word.text) + "' is still in use");
      made = {};
      made.send = made.active = true;
      made.id = line.stream.next_request++;
      e.kind = EventKind::send_request;
      e.request = made.id;
    } else {
      MORA_TRY(Request* const posted, request(line, word, true));
      if (posted->completion) return wrong(word, "request '" + std::string(word.text) + "' is of no receive");
      posted->active = false;
      e.kind = EventKind::receive_complete;
      e.request = posted->id;
    }
  }
  builder_.emit(line.stream, e);
  return {};
}

Result<void> Parser::request_record(Line& line, std::string_view type) {
  MORA_TRY(const Attributes given, attributes(line, {Key::req}));
  if (given.requests.size() != 1) return wrong(line.statement.end, "expected 'req NAME'");
  const Word& word = given.requests[0];
  Event e = event(line, EventKind::receive_request, line.begin);
  if (type == "POST") {
    Request& made = line.stream.requests[std::string(word.text)];
    if (made.active) return wrong(word, "request '" + std::string(word.text) + "' is still in use");
    made = {};
    made.active = true;
    made.id = line.stream.next_request++;
    e.request = made.id;
  } else {
    MORA_TRY(Request* const done, request(line, word, true));
    if (done->completion) return wrong(word, "request '" + std::string(word.text) + "' is of no message");
    done->active = false;
    e.kind = type == "CANCEL" ? EventKind::cancelled : EventKind::send_complete;
    e.request = done->id;
  }
  builder_.emit(line.stream, e);
  return {};
}

Result<void> Parser::transfer_record(Line& line, std::string_view type) {
  const Word& word = line.statement.words[line.name];
  const bool put = type.substr(0, 4) == "PUT_";
  const bool start = type == "PUT_1TS" || type == "GET_1TS_REMOTE" || type == "GET_1TO";
  const bool end = type == "PUT_1TE_REMOTE" || type == "GET_1TE";
  const bool at_target = type == "PUT_1TE" || type == "GET_1TS";
  if (!start && !end && !at_target) return wrong(word, "unknown record type '" + std::string(type) + "'");
  const Key size = type == "PUT_1TS" || type.substr(0, 7) == "GET_1TS" ? Key::sent : Key::recvd;
  MORA_TRY(const Attributes given,
           attributes(line, start ? Keys{Key::to, Key::window, Key::id, size, Key::offset, Key::extent, Key::reduction}
                                  : Keys{at_target ? Key::from : Key::to, Key::window, Key::id, size}));
  if (!given.id) return wrong(line.statement.end, "expected the transfer's number (rma1)");
  Event e = event(line, put ? EventKind::put : EventKind::get, line.begin);
  e.request = *given.id;
  e.rma_operation = put ? RmaOperation::put : RmaOperation::get;
  if (type != "GET_1TO") {
    MORA_TRY(e.window, window(line, given));
    MORA_TRY(e.peer, peer(line.statement.end, at_target ? given.from : given.to, "@"));
  }
  const RegionId region = open_region(line);
  if (region != no_id && call_class(builder_.region(region)) == CallClass::accumulate)
    e.rma_operation = RmaOperation::accumulate;
  const auto twice = [&] {
    return wrong(word, "rma" + std::to_string(e.request) + " was used before on this location");
  };
  if (start) {
    e.bytes = given.sent.value_or(8);
    target_range(given, e);
    if (!builder_.transfer_start(line.key, e)) return twice();
    return {};
  }
  const Builder::Key origin = at_target ? Builder::Key{e.peer, 0} : line.key;
  if (type == "GET_1TS") {
    builder_.transfer_at_target(origin, e.request, given.sent.value_or(8));
    line.stream.last = line.begin;
    return {};
  }
  if (at_target) e.peer = line.key.first;
  e.received = given.recvd.value_or(8);
  line.stream.last = line.begin;
  if (!builder_.transfer_end(origin, e)) return twice();
  return {};
}

void Parser::target_range(const Attributes& given, Event& e) {
  e.reduction = given.reduction;
  if (!given.offset) return;
  e.target_offset = *given.offset;
  e.target_extent = given.extent.value_or(e.kind == EventKind::get ? e.bytes : std::max(e.bytes, e.received));
}

Result<void> Parser::lock_record(Line& line, bool request) {
  const Keys keys = request ? Keys{Key::to, Key::window, Key::lock, Key::assertion} : Keys{Key::to, Key::window};
  MORA_TRY(const Attributes given, attributes(line, keys));
  Event e = event(line, request ? EventKind::lock_request : EventKind::lock_release, line.begin);
  MORA_TRY(e.window, window(line, given));
  if (given.to) {  // else all targets: MPI_Win_lock_all
    MORA_TRY(e.peer, peer(line.statement.end, given.to, "@"));
  }
  e.lock_exclusive = request && given.exclusive && (given.to || given.given.count(Key::lock) != 0);
  e.assertion = static_cast<std::uint32_t>(given.assertion.value_or(0));
  builder_.emit(line.stream, e);
  return {};
}

}  // namespace mora::trace::text
