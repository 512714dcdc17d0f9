// Compact calls: `P0 10-14 MPI_Send to 1`. All records of the call are added: what starts has the time of its begin,
// what ends that of its end (docs/formats/otf2.md).
#include <optional>

#include "trace/readers/text/parser.h"

namespace mora::trace::text {
Result<void> Parser::call(Line& line) {
  const Word& name = line.statement.words[line.name];
  const RegionId region = builder_.region(name.text);
  const mpi::Function& info = function_of(builder_.region(region));
  Event enter = event(line, EventKind::enter, line.begin);
  enter.region = region;
  builder_.emit(line.stream, enter);
  OpenRegion open;
  open.region = region;
  open.line = name.line;
  open.end = line.end;
  line.stream.open.push_back(open);

  std::vector<Event> at_end;
  Result<void> done;
  switch (info.call) {
    case CallClass::send:
    case CallClass::receive:
    case CallClass::send_receive:
      done = message_call(line, info.call, at_end);
      break;
    case CallClass::send_start:
    case CallClass::receive_start:
    case CallClass::matched_probe:
    case CallClass::request_setup:
    case CallClass::start:
      done = request_call(line, info.call, at_end);
      break;
    case CallClass::wait_single:
    case CallClass::wait_multiple:
    case CallClass::test:
      done = completing_call(line, info.call, at_end);
      break;
    case CallClass::collective:
      done = collective_call(line, info.collective, at_end);
      break;
    case CallClass::passive_other:
      done = passive_call(line, at_end);
      break;
    case CallClass::collective_start:
      done = collective_start_call(line);
      break;
    case CallClass::cancel:
    case CallClass::request_free: {
      MORA_TRY(const Attributes given, attributes(line, {Key::req}));
      if (info.call == CallClass::request_free) {
        for (const Word& word : given.requests) {
          const auto found = line.stream.requests.find(word.text);
          if (found == line.stream.requests.end())
            return wrong(word, "unknown request '" + std::string(word.text) + "'");
          line.stream.requests.erase(found);
        }
      }
      break;
    }
    default: {
      if (mpi::is_rma_transfer(info.call)) {
        done = transfer_call(line, info.call);
        break;
      }
      if (mpi::works_through_window(info)) {
        done = window_call(line, info.call, at_end);
        break;
      }
      MORA_TRY(const std::int32_t number, entered_number(line, builder_.region(region)));
      line.stream.events.back().tag = number;
    }
  }
  if (!done) return done;
  line.stream.open.back().at_end = std::move(at_end);
  return {};
}

Result<void> Parser::message_call(Line& line, CallClass c, std::vector<Event>& at_end) {
  Keys keys = {Key::bytes, Key::tag, Key::comm};
  if (c != CallClass::receive) keys.push_back(Key::to);
  if (c != CallClass::send) keys.push_back(Key::from);
  if (c == CallClass::send_receive) keys.insert(keys.end(), {Key::recvd, Key::rtag});
  if (c == CallClass::receive) keys.push_back(Key::req);
  MORA_TRY(const Attributes given, attributes(line, keys));
  if (c == CallClass::receive && !given.requests.empty()) {  // MPI_Mrecv of a matched message
    MORA_TRY(Request* const posted, request(line, given.requests[0], true));
    Event e = event(line, EventKind::receive_complete, line.end);
    e.request = posted->id;
    e.peer = posted->peer;
    e.bytes = posted->bytes;
    e.tag = posted->tag;
    e.comm = posted->comm;
    posted->active = false;
    at_end.push_back(e);
    return {};
  }
  MORA_TRY(const CommId comm_id, comm(given));
  if (c != CallClass::receive) {
    Event e = event(line, EventKind::send, line.begin);
    MORA_TRY(e.peer, peer(line.statement.end, given.to, "to"));
    e.bytes = given.bytes.value_or(8);
    e.tag = given.tag.value_or(0);
    e.comm = comm_id;
    if (e.peer != no_id) builder_.emit(line.stream, e);
  }
  if (c != CallClass::send) {
    Event e = event(line, EventKind::receive, line.end);
    MORA_TRY(e.peer, peer(line.statement.end, given.from, "from"));
    e.bytes = given.recvd.value_or(given.bytes.value_or(8));
    e.tag = given.rtag.value_or(given.tag.value_or(0));
    e.comm = comm_id;
    if (e.peer != no_id) at_end.push_back(e);
  }
  return {};
}

void Parser::start_request(const Line& line, Request& request) {
  request.active = true;
  request.id = line.stream.next_request++;
  if (request.peer == no_id) return;
  Event e = event(line, request.send ? EventKind::send_request : EventKind::receive_request, line.begin);
  e.request = request.id;
  if (request.send) {
    e.peer = request.peer;
    e.bytes = request.bytes;
    e.tag = request.tag;
    e.comm = request.comm;
  }
  builder_.emit(line.stream, e);
}

Result<void> Parser::request_call(Line& line, CallClass c, std::vector<Event>&) {
  const mpi::Function& function = function_of(builder_.region(line.stream.open.back().region));
  if (c == CallClass::start || function.id == FunctionId::imrecv) {
    MORA_TRY(const Attributes given, attributes(line, {Key::req}));
    for (const Word& word : given.requests) {
      MORA_TRY(Request* const request_, request(line, word, c != CallClass::start));
      if (c == CallClass::start) start_request(line, *request_);
    }
    if (given.requests.empty()) return wrong(line.statement.end, "expected 'req NAME'");
    return {};
  }
  const bool send = mpi::function(function.blocking).flow == mpi::Flow::out;
  MORA_TRY(const Attributes given,
           attributes(line, {send ? Key::to : Key::from, Key::bytes, Key::tag, Key::comm, Key::req}));
  if (given.requests.empty() && c == CallClass::matched_probe) return {};  // nothing found
  if (given.requests.size() != 1) return wrong(line.statement.end, "expected 'req NAME'");
  Request made;
  made.send = send;
  made.persistent = c == CallClass::request_setup;
  MORA_TRY(made.peer, peer(line.statement.end, send ? given.to : given.from, send ? "to" : "from"));
  made.bytes = given.bytes.value_or(8);
  made.tag = given.tag.value_or(0);
  MORA_TRY(made.comm, comm(given));
  const Word& word = given.requests[0];
  const auto found = line.stream.requests.find(word.text);
  if (found != line.stream.requests.end() && (found->second.active || found->second.persistent))
    return wrong(word, "request '" + std::string(word.text) + "' is still in use");
  Request& kept = line.stream.requests[std::string(word.text)] = made;
  if (!made.persistent) start_request(line, kept);
  return {};
}

Result<void> Parser::completing_call(Line& line, CallClass, std::vector<Event>& at_end) {
  Keys keys = {Key::req, Key::cancelled};
  if (mpi::polls_messages(function_of(builder_.region(line.stream.open.back().region)))) keys.push_back(Key::polls);
  MORA_TRY(const Attributes given, attributes(line, keys));
  if (given.polls) {
    if (!given.requests.empty()) return wrong(given.requests[0], "only the last poll of a row completes something");
    line.stream.events.back().tag = *given.polls;
  }
  for (const Word& word : given.requests) {
    MORA_TRY(Request* const done, request(line, word, true));
    Event e = event(line, done->send ? EventKind::send_complete : EventKind::receive_complete, line.end);
    e.request = done->id;
    if (done->completion) {
      const Nanoseconds time = e.time;
      e = *done->completion;
      e.time = time;
      if (e.kind == EventKind::collective_complete) e.request = done->id;
    } else if (given.cancelled) {
      e.kind = EventKind::cancelled;
    } else if (!done->send) {
      e.peer = done->peer;
      e.bytes = done->bytes;
      e.tag = done->tag;
      e.comm = done->comm;
    }
    if (done->peer != no_id || done->completion) at_end.push_back(e);
    done->active = false;
    if (!done->persistent) line.stream.requests.erase(line.stream.requests.find(word.text));
  }
  return {};
}

Result<void> Parser::collective_call(Line& line, Collective collective, std::vector<Event>& at_end) {
  MORA_TRY(const Attributes given, attributes(line, {Key::comm, Key::root, Key::bytes, Key::sent, Key::recvd,
                                                     Key::counts, Key::dests, Key::sources}));
  builder_.emit(line.stream, event(line, EventKind::collective_begin, line.begin));
  Event e = event(line, EventKind::collective_end, line.end);
  e.collective = collective;
  MORA_CHECK_OK(collective_values(line, given, e));
  at_end.push_back(e);
  return {};
}

/// Communicator, root and sizes; what is not given follows from the collective and `bytes`.
Result<void> Parser::collective_values(const Line& line, const Attributes& given, Event& e) {
  MORA_TRY(e.comm, comm(given));
  if (is_rooted(e.collective) || given.root) {
    if (given.root && !builder_.note_rank(*given.root))
      return wrong(given.given.at(Key::root), "the root lies outside the world");
    e.root = static_cast<std::uint32_t>(given.root.value_or(0));
  }
  const std::uint64_t block = given.bytes.value_or(8);
  const std::uint64_t all = block * builder_.comm_size(e.comm);
  const bool root_here = e.root == line.key.first;
  switch (shape(e.collective)) {
    case CollectiveShape::one_to_all:
      e.bytes = root_here ? all : 0;
      e.received = block;
      break;
    case CollectiveShape::all_to_one:
      e.bytes = block;
      e.received = root_here ? all : 0;
      break;
    case CollectiveShape::all_to_all:
      e.bytes = e.received = all;
      break;
    case CollectiveShape::prefix:
      e.bytes = e.received = block;
      break;
    default:
      break;
  }
  MORA_CHECK_OK(collective_vector(line, given, e));
  if (given.sent) e.bytes = *given.sent;
  if (given.recvd) e.received = *given.recvd;
  return {};
}

Result<void> Parser::collective_vector(const Line& line, const Attributes& given, Event& e) {
  const bool neighbors = given.given.contains(Key::dests) || given.given.contains(Key::sources);
  if (!neighbors && given.counts.empty()) return {};
  std::vector<std::uint64_t> vector = given.counts;
  if (neighbors) {
    vector.clear();
    for (const Key key : {Key::dests, Key::sources}) {
      const auto& list = key == Key::dests ? given.dests : given.sources;
      vector.push_back(list.size());
      std::uint64_t& sum = key == Key::dests ? e.bytes : e.received;
      sum = 0;
      for (const auto& [rank, bytes] : list) {
        const std::optional<std::uint32_t> member =
            builder_.note_rank(rank) ? builder_.comm_rank(e.comm, static_cast<std::uint32_t>(rank)) : std::nullopt;
        if (!member) return wrong(given.given.at(key), "rank " + std::to_string(rank) + " is not in the communicator");
        vector.push_back(*member);
        vector.push_back(bytes);
        sum += bytes;
      }
    }
  }
  e.vector = static_cast<std::uint32_t>(line.stream.vectors.size());
  line.stream.vectors.push_back(std::move(vector));
  return {};
}

Result<Request*> Parser::new_request(const Line& line, const Attributes& given) {
  if (given.requests.size() != 1) return tl::unexpected(wrong(line.statement.end, "expected 'req NAME'").error());
  const Word& word = given.requests[0];
  Request& made = line.stream.requests[std::string(word.text)];
  if (made.active || made.persistent)
    return tl::unexpected(wrong(word, "request '" + std::string(word.text) + "' is still in use").error());
  made = {};
  made.active = true;
  made.id = line.stream.next_request++;
  return &made;
}

Result<void> Parser::collective_start_call(Line& line) {
  const mpi::Function& function = function_of(builder_.region(line.stream.open.back().region));
  const bool plain = line.name + 1 == line.statement.words.size();  // enter and leave only
  const Collective collective = started_collective(function);
  if (plain || collective == Collective::none) {
    if (auto none = attributes(line, {}); !none) return tl::unexpected(none.error());
    return {};
  }
  MORA_TRY(const Attributes given, attributes(line, {Key::comm, Key::root, Key::bytes, Key::sent, Key::recvd,
                                                     Key::counts, Key::dests, Key::sources, Key::req}));
  Event e = event(line, EventKind::collective_request, line.begin);
  e.collective = collective;
  MORA_CHECK_OK(collective_values(line, given, e));
  MORA_TRY(Request* const made, new_request(line, given));
  e.request = made->id;
  builder_.emit(line.stream, e);
  e.kind = EventKind::collective_complete;
  made->completion = e;
  return {};
}

/// MPI_Win_lock_all, _unlock_all, _flush…, _sync: without a window enter and leave only.
Result<void> Parser::passive_call(Line& line, std::vector<Event>& at_end) {
  const mpi::Function& function = function_of(builder_.region(line.stream.open.back().region));
  const bool lock = function.rma == RmaOperation::lock;
  const bool unlock = function.rma == RmaOperation::unlock;
  const bool one = function.id == FunctionId::win_flush || function.id == FunctionId::win_flush_local;
  if (line.name + 1 == line.statement.words.size() || function.rma == RmaOperation::none) {
    if (auto none = attributes(line, {}); !none) return tl::unexpected(none.error());
    return {};
  }
  Keys keys = {Key::window};
  if (lock) keys.push_back(Key::assertion);
  if (one) keys.push_back(Key::to);
  MORA_TRY(const Attributes given, attributes(line, keys));
  Event e = event(line, lock ? EventKind::lock_request : unlock ? EventKind::lock_release : EventKind::flush, line.end);
  MORA_TRY(e.window, window(line, given));
  e.assertion = static_cast<std::uint32_t>(given.assertion.value_or(0));
  if (one) {
    MORA_TRY(e.peer, peer(line.statement.end, given.to, "to"));
    if (e.peer == no_id) return {};
  }
  if (!lock && !unlock) e.rma_operation = function.rma;
  at_end.push_back(e);
  return {};
}

Result<void> Parser::window_call(Line& line, CallClass c, std::vector<Event>& at_end) {
  Keys keys = {Key::window, Key::assertion};
  if (c == CallClass::post || c == CallClass::start_epoch) keys.push_back(Key::group);
  if (c == CallClass::test_epoch) keys.push_back(Key::synex);
  if (c == CallClass::lock || c == CallClass::unlock) keys.push_back(Key::to);
  if (c == CallClass::lock) keys.push_back(Key::lock);
  MORA_TRY(const Attributes given, attributes(line, keys));
  MORA_TRY(const WindowId window_id, window(line, given));
  Event e = event(line, EventKind::group_sync, line.end);
  e.window = window_id;
  e.assertion = static_cast<std::uint32_t>(given.assertion.value_or(0));
  e.rma_operation = function_of(builder_.region(line.stream.open.back().region)).rma;
  Stream& stream = line.stream;
  switch (c) {
    case CallClass::window_create:
    case CallClass::window_free:
    case CallClass::fence: {
      builder_.emit(stream, event(line, EventKind::rma_collective_begin, line.begin));
      Event life =
          event(line, c == CallClass::window_create ? EventKind::window_create : EventKind::window_free, line.end);
      life.window = window_id;
      if (c != CallClass::fence) at_end.push_back(life);
      e.kind = EventKind::rma_collective_end;
      break;
    }
    case CallClass::post:
    case CallClass::start_epoch: {
      MORA_TRY(e.group, group(line, given));
      (c == CallClass::post ? stream.exposure : stream.access)[window_id] = e.group;
      break;
    }
    case CallClass::complete:
    case CallClass::wait_epoch:
    case CallClass::test_epoch: {
      auto& open = c == CallClass::complete ? stream.access : stream.exposure;
      const auto found = open.find(window_id);
      if (found == open.end())
        return wrong(line.statement.words[line.name], c == CallClass::complete
                                                          ? "no MPI_Win_start is open on this window"
                                                          : "no MPI_Win_post is open on this window");
      e.group = found->second;
      e.epoch_closed = c != CallClass::test_epoch || given.synex.value_or(0) == 1;
      if (e.epoch_closed) open.erase(found);
      break;
    }
    default: {
      MORA_TRY(e.peer, peer(line.statement.end, given.to, "to"));
      e.kind = c == CallClass::lock ? EventKind::lock_request : EventKind::lock_release;
      e.lock_exclusive = c == CallClass::lock && given.exclusive;
      e.rma_operation = RmaOperation::none;
    }
  }
  at_end.push_back(e);
  return {};
}

Result<void> Parser::transfer_call(Line& line, CallClass c) {
  const mpi::Function& function = function_of(builder_.region(line.stream.open.back().region));
  Keys keys = {Key::window, Key::to, Key::bytes, Key::sent, Key::recvd, Key::id, Key::end, Key::offset, Key::extent};
  if (c == CallClass::accumulate) keys.push_back(Key::reduction);
  if (is_request_based(function)) keys.push_back(Key::req);
  MORA_TRY(const Attributes given, attributes(line, keys));
  Event e = event(line,
                  fetching_operation(function) != RmaOperation::none ? EventKind::atomic
                  : c == CallClass::get                              ? EventKind::get
                                                                     : EventKind::put,
                  line.begin);
  MORA_TRY(e.window, window(line, given));
  MORA_TRY(e.peer, peer(line.statement.end, given.to, "to"));
  if (e.peer == no_id) return {};
  e.bytes = given.sent.value_or(given.bytes.value_or(8));
  e.received = given.recvd.value_or(e.bytes);
  e.rma_operation = function.rma;
  target_range(given, e);
  e.request = given.id.value_or(line.stream.next_transfer);
  line.stream.next_transfer = e.request + 1;
  if (!builder_.transfer_start(line.key, e))
    return wrong(line.statement.words[line.name],
                 "rma" + std::to_string(e.request) + " was used before on this location");
  e.time = given.end.value_or(line.end);
  if (e.time < line.begin) return wrong(given.given.at(Key::end), "the transfer ends before it starts");
  builder_.transfer_end(line.key, e);
  if (given.requests.empty()) return {};
  MORA_TRY(Request* const made, new_request(line, given));
  made->completion = event(line, EventKind::rma_complete, line.end);
  made->completion->window = e.window;
  made->completion->request = e.request;
  return {};
}

}  // namespace mora::trace::text
