/// From records of calls to Calls: messages, requests, one-sided calls, files (journal/format.h has the shapes).
/// Arguments come from the DATA record before a call; a journal of `mora record` has none, then only bytes are known.
/// Calls that failed without moving anything and tests that found nothing are counted and left out (rule
/// `what-a-pattern-holds`, docs/rules.md).
#include <string_view>

#include "predict/pattern/journals/reader.h"

namespace mora::predict {

Payload RankReader::payload(std::uint32_t type, std::int64_t n) {
  if (type == 0) return {};
  const auto at = types_.find(type);
  if (at == types_.end()) {
    count("unknown-datatype", Severity::loss, "calls with datatypes whose definition is missing",
          "the journal is damaged: copy it again, or record again");
    return {};
  }
  return {n, at->second};
}

Payload RankReader::bytes(std::uint64_t n) {
  count("call-without-data", Severity::warning, "calls whose datatypes are not known: they count as bytes",
        "record with mora pattern record");
  return {static_cast<std::int64_t>(n), intern({"MPI_BYTE", 1, 1, true, true, 6})};
}

void RankReader::fill_sent(Call& call, std::uint64_t n) { call.sent = data_.empty() ? bytes(n) : sent(data_.front()); }

void RankReader::fill_received(Call& call, std::uint64_t n) {
  call.received = data_.empty() ? bytes(n) : received(data_.front());
}

/// Wildcards as the program posted them.
void RankReader::fill_posted(Call& call) const {
  if (data_.empty() || !data_.front().has_word) return;
  call.posted_any_source = pair_low(data_.front().word) == MORA_PEER_ANY;
  call.posted_any_tag = pair_high(data_.front().word) == MORA_TAG_ANY;
}

void RankReader::start(const Call& call, std::uint64_t number) {
  calls_.add(call);
  ++started_;
  if (number != 0) requests_[number] = started_;
}

void RankReader::call(const Record& r) {
  if (r.function > mpi::function_count) {
    count("unknown-function", Severity::loss, "calls of a function this version does not know",
          "convert with the mora that recorded");
    return;
  }
  if (open_function_ == r.function && !(r.flags & MORA_FLAG_OPEN)) {  // announced at its Enter
    open_function_ = 0;
    return;
  }
  if (r.flags & MORA_FLAG_OPEN) open_function_ = r.function;
  if ((r.flags & MORA_FLAG_FAILED) && !moved_anything(r)) {
    count("failed-call", Severity::info,
          "MPI calls returned an error code and moved nothing: they are not in the trace");
    return;
  }
  Call call = begin(mpi::function(r.function).operation);
  const auto& p = r.payload;
  switch (r.shape) {
    case MORA_SHAPE_SEND:
    case MORA_SHAPE_ISEND:
      call.communicator = r.object;
      call.peer = pair_low(p[0]);
      call.tag = pair_high(p[0]);
      fill_sent(call, p[1]);
      if (r.shape == MORA_SHAPE_ISEND)
        start(call, p[2]);
      else
        calls_.add(call);
      break;
    case MORA_SHAPE_RECV:
      receive(r, call);
      break;
    case MORA_SHAPE_IRECV:
      posted(r, call);
      break;
    case MORA_SHAPE_SENDRECV:
      call.communicator = r.object;
      call.peer = pair_low(p[0]);
      call.tag = pair_high(p[0]);
      call.peer2 = pair_low(p[2]);
      call.tag2 = pair_high(p[2]);
      call.bytes_received = p[3];
      fill_sent(call, p[1]);
      fill_received(call, p[3]);
      fill_posted(call);
      calls_.add(call);
      break;
    case MORA_SHAPE_COMPLETE:
      complete(r, call);
      break;
    case MORA_SHAPE_START:
      starts(r);
      break;
    case MORA_SHAPE_COLLECTIVE:
      collective(r, call);
      break;
    case MORA_SHAPE_RMA:
      one_sided(r, call);
      break;
    case MORA_SHAPE_WIN_COLLECTIVE:
    case MORA_SHAPE_WIN_GROUP:
    case MORA_SHAPE_WIN_LOCK:
    case MORA_SHAPE_WIN_FLUSH:
      window(r, call);
      break;
    case MORA_SHAPE_IO:
      file(r, call);
      break;
    default:
      other(r, call);
      break;
  }
}

/// A failed call may have moved a message all the same (a truncated one, part of a list).
bool RankReader::moved_anything(const Record& r) {
  switch (r.shape) {
    case MORA_SHAPE_RECV:
      return pair_low(r.payload[0]) >= 0;
    case MORA_SHAPE_SENDRECV:
      return pair_low(r.payload[0]) >= 0 || pair_low(r.payload[2]) >= 0;
    case MORA_SHAPE_COMPLETE:
      return !r.payload.empty();
    default:
      return false;
  }
}

/// Blocking receives, MPI_Mrecv included: the status names the source.
void RankReader::receive(const Record& r, Call& call) {
  const auto& p = r.payload;
  call.communicator = r.object;
  call.peer = pair_low(p[0]);
  call.tag = pair_high(p[0]);
  call.bytes_received = p[1];
  fill_received(call, p[1]);
  if (call.operation == Operation::mrecv) {
    if (p.size() > 2) matched_.erase(p[2]);
  } else {
    fill_posted(call);
  }
  calls_.add(call);
}

/// MPI_Irecv, and probes that matched a message, whose number MPI_Mrecv or MPI_Imrecv will name.
void RankReader::posted(const Record& r, Call& call) {
  const auto& p = r.payload;
  call.communicator = r.object;
  call.peer = pair_low(p[0]);
  call.tag = pair_high(p[0]);
  if (call.operation != Operation::irecv) {
    matched_[p[2]] = {r.object, call.peer, call.tag};
    fill_posted(call);
    calls_.add(call);
    return;
  }
  fill_received(call, p[1]);
  resolve(call, p[2], p[0]);
  start(call, p[2]);
}

/// A wildcard receive gets the source that its completion names (WildcardSources).
void RankReader::resolve(Call& call, std::uint64_t request, std::uint64_t peer_tag) {
  if (!is_wildcard(peer_tag)) return;
  call.posted_any_source = pair_low(peer_tag) == MORA_PEER_ANY;
  call.posted_any_tag = pair_high(peer_tag) == MORA_TAG_ANY;
  const auto source = sources_.find(request);
  if (call.posted_any_source) call.peer = source.rank;
  if (call.posted_any_tag) call.tag = source.tag;
  if (call.peer == peer_any && !source.cancelled)
    count("receive-without-source", Severity::warning,
          "receives from MPI_ANY_SOURCE were never completed: their senders are not known",
          "complete every request; normal where the process was killed");
}

/// Waits, tests, MPI_Request_free: requests by age, so that iterations of a loop are equal. Requests of files are left
/// out.
void RankReader::complete(const Record& r, Call& call) {
  const auto& p = r.payload;
  if (p.empty() && (r.flags & MORA_FLAG_UNSUCCESSFUL)) {
    ++dropped_tests_;
    return;
  }
  std::vector<Completion> list;
  for (std::size_t i = 0; i + 4 <= p.size(); i += 4) {
    if (file_requests_.erase(p[i]) != 0) continue;
    Completion c;
    c.age = age_of(p[i]);
    const auto kind = pair_high(p[i + 3]);
    if (kind == MORA_COMPLETED_RECV) {
      c.source = pair_low(p[i + 1]);
      c.tag = pair_high(p[i + 1]);
      c.bytes = p[i + 2];
    } else if (kind == MORA_CANCELLED) {
      c.cancelled = true;
    }
    list.push_back(c);
  }
  if (call.operation == Operation::request_free) {
    if (!list.empty()) call.argument = list.front().age;
  } else if (!list.empty()) {
    call.completions = calls_.completions(std::move(list));
  }
  if (call.operation == Operation::other) call.argument = r.function;
  for (std::size_t i = 0; i + 4 <= p.size(); i += 4) requests_.erase(p[i]);
  calls_.add(call);
}

/// MPI_Start and MPI_Startall: each request is a call of its own, with the arguments of its MPI_…_init.
void RankReader::starts(const Record& r) {
  const auto& p = r.payload;
  const bool with_data = data_.size() == p.size() / 4;
  for (std::size_t i = 0; i + 4 <= p.size(); i += 4) {
    const auto kind = pair_high(p[i + 3]);
    Call call = begin(Operation::start_send);
    call.communicator = static_cast<std::uint32_t>(pair_low(p[i + 3]));
    call.peer = pair_low(p[i + 1]);
    call.tag = pair_high(p[i + 1]);
    if (kind == MORA_COMPLETED_SEND) {
      call.sent = with_data ? sent(data_[i / 4]) : bytes(p[i + 2]);
    } else if (kind == MORA_COMPLETED_RECV) {
      call.operation = Operation::start_recv;
      call.received = with_data ? received(data_[i / 4]) : bytes(p[i + 2]);
      resolve(call, p[i], p[i + 1]);
    } else {
      const auto persistent = persistent_.find(p[i + 2]);
      if (persistent == persistent_.end()) {
        call = begin(Operation::start_collective);
        count("unknown-request", Severity::warning, "requests were completed whose start was not recorded",
              "keep recording on from MPI_Init on");
      } else {
        const auto thread = call.thread;
        call = persistent->second;
        call.thread = thread;
      }
    }
    start(call, p[i]);
  }
}

void RankReader::one_sided(const Record& r, Call& call) {
  const auto& p = r.payload;
  call.argument = r.object;
  call.peer = pair_low(p[0]);
  Payload origin, target;
  if (data_.empty()) {
    origin = bytes(p[1]);
    target = bytes(p[2]);
  } else {
    origin = sent(data_.front());
    target = received(data_.front());
  }
  const mpi::Flow flow = mpi::function(call.operation).flow;
  if (flow != mpi::Flow::in) call.sent = origin;
  if (flow != mpi::Flow::out) call.received = flow == mpi::Flow::in ? origin : target;
  if (starts_request(call.operation))
    start(call, p.size() > 6 ? p[6] : 0);
  else
    calls_.add(call);
}

/// Window calls; an MPI_Win_test that found nothing is left out, as other tests.
void RankReader::window(const Record& r, Call& call) {
  if (call.operation == Operation::win_wait &&
      (r.flags & MORA_FLAG_UNSUCCESSFUL ||
       (mpi::function(r.function).id == mpi::FunctionId::win_test && !(r.flags & MORA_FLAG_EPOCH_CLOSED)))) {
    ++dropped_tests_;
    return;
  }
  call.argument = r.object;
  if (r.shape == MORA_SHAPE_WIN_LOCK || r.shape == MORA_SHAPE_WIN_FLUSH) call.peer = pair_low(r.payload[0]);
  calls_.add(call);
}

void RankReader::file(const Record& r, Call& call) {
  const auto at = files_.find(r.object);
  if (at == files_.end()) {
    count("unknown-file", Severity::loss,
          "files were read or written whose opening was not recorded: these calls are missing");
    return;
  }
  call.communicator = at->second;
  if (mpi::function(r.function).makes_request) file_requests_.insert(r.payload[2]);
  if (call.operation == Operation::file_read)
    fill_received(call, r.payload[0]);
  else
    fill_sent(call, r.payload[0]);
  calls_.add(call);
}

/// CALL records: probes, files, persistent initialisations; all else is Operation::other with the function's id.
void RankReader::other(const Record& r, Call& call) {
  switch (call.operation) {
    case Operation::iprobe:
    case Operation::improbe:
      if (r.flags & MORA_FLAG_UNSUCCESSFUL) {
        ++dropped_tests_;
        return;
      }
      [[fallthrough]];
    case Operation::probe:
      call.communicator = r.object;
      fill_posted(call);
      if (!data_.empty() && data_.front().has_word) {
        call.peer = pair_low(data_.front().word);
        call.tag = pair_high(data_.front().word);
      }
      break;
    case Operation::imrecv:
      imrecv(r, call);
      return;
    case Operation::file_open:
    case Operation::file_close:
      if (const auto at = files_.find(r.object); at != files_.end()) call.communicator = at->second;
      break;
    case Operation::send_init:
    case Operation::recv_init:
      call.communicator = r.object;
      if (!data_.empty()) {
        call.sent = sent(data_.front());
        call.received = received(data_.front());
      }
      break;
    case Operation::init:
    case Operation::finalize:
    case Operation::cancel:
    case Operation::request_free:
      break;
    default:
      call.operation = Operation::other;
      call.argument = r.function;
      break;
  }
  calls_.add(call);
}

void RankReader::imrecv(const Record& r, Call& call) {
  call.communicator = r.object;
  if (!data_.empty()) call.received = received(data_.front());
  const std::uint64_t number = !data_.empty() && data_.front().has_word ? data_.front().word : 0;
  if (const auto at = matched_.find(number); at != matched_.end()) {
    call.communicator = at->second.communicator;
    call.peer = at->second.source;
    call.tag = at->second.tag;
    matched_.erase(at);
  }
  start(call, number);
}

}  // namespace mora::predict
