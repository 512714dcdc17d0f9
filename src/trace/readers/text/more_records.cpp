// Raw records of what came after KOJAK: non-blocking collectives, atomics, flushes, threads, input and output,
// counters.

#include "base/numbers/read_number.h"
#include "trace/metrics/metric_value.h"
#include "trace/readers/text/parser.h"

namespace mora::trace::text {

Result<bool> Parser::more_record(Line& line, std::string_view type) {
  Result<void> done;
  if (type == "NBC_START" || type == "NBC_END") {
    done = collective_record(line, type == "NBC_START");
  } else if (type == "ATOMIC_1TS" || type == "ATOMIC_1TE") {
    done = atomic_record(line, type == "ATOMIC_1TS");
  } else if (type == "WFLUSH") {
    done = flush_record(line);
  } else if (type == "IO_START" || type == "IO_END") {
    done = io_record(line, type == "IO_START");
  } else if (type == "METRIC") {
    done = metric_record(line);
  } else if (type == "SAMPLE") {
    done = sample_record(line);
  } else if (type == "USER") {
    done = user_record(line);
  } else if (type == "FORK" || type == "JOIN" || type == "ALOCK" || type == "RLOCK") {
    const bool team = type == "FORK" || type == "JOIN";
    MORA_TRY(const Attributes given, attributes(line, type == "FORK"   ? Keys{Key::threads, Key::id}
                                                      : type == "JOIN" ? Keys{Key::id}
                                                                       : Keys{Key::id}));
    if (!team && !given.id) return tl::unexpected(wrong(line.statement.end, "expected 'id N', the lock").error());
    Event e = event(line,
                    type == "FORK"    ? EventKind::fork
                    : type == "JOIN"  ? EventKind::join
                    : type == "ALOCK" ? EventKind::acquire
                                      : EventKind::release,
                    line.begin);
    if (given.threads && *given.threads >= no_id)
      return tl::unexpected(wrong(given.given.at(Key::threads), "expected a number of threads").error());
    if (given.threads) e.peer = static_cast<std::uint32_t>(*given.threads);
    e.request = given.id.value_or(0);
    builder_.emit(line.stream, e);
  } else {
    return false;
  }
  if (!done) return tl::unexpected(done.error());
  return true;
}

Result<void> Parser::collective_record(Line& line, bool start) {
  MORA_TRY(const Attributes given, attributes(line, {Key::req, Key::comm, Key::root, Key::sent, Key::recvd, Key::counts,
                                                     Key::dests, Key::sources, Key::operation}));
  if (given.root && !builder_.note_rank(*given.root))
    return wrong(given.given.at(Key::root), "the root lies outside the world");
  Event e = event(line, EventKind::collective_request, line.begin);
  Request* of = nullptr;
  if (start) {
    const RegionId region = open_region(line);
    if (region != no_id) e.collective = started_collective(function_of(builder_.region(region)));
    if (given.operation) {  // a persistent one, in MPI_Start
      const mpi::Function& function = mpi::function(mpi::find(given.operation->text));
      e.collective = function.form == mpi::Form::blocking ? function.collective : Collective::none;
      if (e.collective == Collective::none) return wrong(*given.operation, "expected a collective, as MPI_Barrier");
    }
    MORA_TRY(of, new_request(line, given));
    MORA_TRY(e.comm, comm(given));
  } else {
    if (given.requests.size() != 1) return wrong(line.statement.end, "expected 'req NAME'");
    MORA_TRY(of, request(line, given.requests[0], true));
    if (!of->completion || of->completion->kind == EventKind::rma_complete)
      return wrong(given.requests[0], "request '" + std::string(given.requests[0].text) + "' is of no collective");
    e = *of->completion;  // what the start said, unless it is said anew
    e.kind = EventKind::collective_complete;
    e.time = line.begin;
    of->active = false;
    if (given.comm) {
      MORA_TRY(e.comm, comm(given));
    }
  }
  e.request = of->id;
  if (given.root) e.root = static_cast<std::uint32_t>(*given.root);
  MORA_CHECK_OK(collective_vector(line, given, e));
  if (given.sent) e.bytes = *given.sent;
  if (given.recvd) e.received = *given.recvd;
  if (start) {
    of->completion = e;
    of->completion->kind = EventKind::collective_complete;
  }
  builder_.emit(line.stream, e);
  return {};
}

Result<void> Parser::atomic_record(Line& line, bool start) {
  const Word& word = line.statement.words[line.name];
  MORA_TRY(const Attributes given, attributes(line, start ? Keys{Key::to, Key::window, Key::id, Key::sent, Key::offset,
                                                                 Key::extent, Key::reduction}
                                                          : Keys{Key::to, Key::window, Key::id, Key::recvd}));
  if (!given.id) return wrong(line.statement.end, "expected the transfer's number (rma1)");
  Event e = event(line, EventKind::atomic, line.begin);
  e.request = *given.id;
  MORA_TRY(e.window, window(line, given));
  MORA_TRY(e.peer, peer(line.statement.end, given.to, "@"));
  if (e.peer == no_id) return wrong(word, "nothing is recorded for MPI_PROC_NULL");
  const RegionId region = open_region(line);
  if (region != no_id) e.rma_operation = fetching_operation(function_of(builder_.region(region)));
  if (e.rma_operation == RmaOperation::none) e.rma_operation = RmaOperation::get_accumulate;
  e.bytes = given.sent.value_or(8);
  e.received = given.recvd.value_or(8);
  target_range(given, e);
  line.stream.last = line.begin;
  if (start ? builder_.transfer_start(line.key, e) : builder_.transfer_end(line.key, e)) return {};
  return wrong(word, "rma" + std::to_string(e.request) + " was used before on this location");
}

Result<void> Parser::flush_record(Line& line) {
  MORA_TRY(const Attributes given, attributes(line, {Key::to, Key::window, Key::local}));
  Event e = event(line, EventKind::flush, line.begin);
  MORA_TRY(e.window, window(line, given));
  if (given.to) {
    MORA_TRY(e.peer, peer(line.statement.end, given.to, "@"));
  }
  e.rma_operation = given.local ? RmaOperation::flush_local : RmaOperation::flush;
  builder_.emit(line.stream, e);
  return {};
}

Result<void> Parser::io_record(Line& line, bool start) {
  MORA_TRY(const Attributes given, attributes(line, {Key::file, Key::bytes, Key::id, Key::comm, Key::collective}));
  if (!given.file) return wrong(line.statement.end, "expected 'file NAME'");
  Event e = event(line, start ? EventKind::io_begin : EventKind::io_end, line.begin);
  e.file = builder_.file(given.file->text);
  if (given.comm) {
    MORA_TRY(e.comm, comm(given));
  }
  e.bytes = given.bytes.value_or(0);
  e.request = given.id.value_or(0);
  e.collective_io = given.collective;
  builder_.emit(line.stream, e);
  return {};
}

Result<void> Parser::metric_record(Line& line) {
  const auto& words = line.statement.words;
  if (line.name + 3 != words.size()) return wrong(line.statement.end, "expected 'METRIC NAME VALUE'");
  const std::string_view number = words[line.name + 2].text;
  const auto value = read_metric_value(number);
  if (!value) return wrong(words[line.name + 2], "expected a number, found '" + std::string(number) + "'");
  Event e = event(line, EventKind::metric, line.begin);
  e.vector = builder_.metric(words[line.name + 1].text);
  set_metric_value(e, *value);
  builder_.emit(line.stream, e);
  return {};
}

Result<void> Parser::sample_record(Line& line) {
  const auto& words = line.statement.words;
  if (line.name + 2 != words.size()) return wrong(line.statement.end, "expected 'SAMPLE FUNCTION>FUNCTION'");
  Event e = event(line, EventKind::sample, line.begin);
  e.vector = builder_.caller(words[line.name + 1].text);
  builder_.emit(line.stream, e);
  return {};
}

Result<void> Parser::user_record(Line& line) {
  const auto& words = line.statement.words;
  if (line.name + 1 == words.size()) return wrong(line.statement.end, "expected 'USER TYPE' and perhaps data");
  Event e = event(line, EventKind::user, line.begin);
  e.vector = builder_.user_type(words[line.name + 1].text);
  std::string data;
  for (std::size_t i = line.name + 2; i < words.size(); ++i) {
    if (!data.empty()) data += ' ';
    data += words[i].text;
  }
  e.request = builder_.string(data);
  builder_.emit(line.stream, e);
  return {};
}

}  // namespace mora::trace::text
