// Halves of messages: where they belong among the other records of their location (pending.h), and what they are there.
//
// The order at equal time: a reception stands before the end of the call or state that waited for it, a send behind the
// beginning of the call that sends. So whatever is earlier than a record goes out before it (advance), and what is at
// its very time waits, unless the call that ends there is of the half's kind (settle).
#include "trace/readers/paraver/kinds.h"
#include "trace/readers/paraver/translator.h"

namespace mora::trace::paraver {
namespace {

bool sends(CallClass c) {
  return c == CallClass::send || c == CallClass::send_receive || c == CallClass::send_start || c == CallClass::start;
}

bool receives(CallClass c) { return c == CallClass::receive || c == CallClass::send_receive || completes_requests(c); }

}  // namespace

void Translator::message(const Record& record, std::uint64_t line) {
  const std::uint32_t source = rank_of(record.object), destination = rank_of(record.receiver);
  if (source == no_id || destination == no_id) return damage_.add(mora::trace::damage::partner, "line", line);
  // Data passed between threads of one process is no message of MPI.
  if (source == destination && record.object.thread != record.receiver.thread)
    return damage_.add(mora::trace::damage::uninterpreted, "line", line);
  Half half;
  half.order = ++order_;
  half.bytes = record.bytes;
  half.tag = record.tag;
  if (Place* sender = place(record.object, line); sender != nullptr) {
    half.time = record.time;
    half.peer = destination;
    sender->sends.add(half);
  }
  if (Place* receiver = place(record.receiver, line); receiver != nullptr) {
    half.time = record.end;
    half.posted = record.posted;
    half.peer = source;
    receiver->receives.add(half);
  }
  last_ = std::max({last_, record.time, record.end});
}

/// Everything that lies before `time` goes out: at equal times receptions, the end of a state, sends. The state that
/// ends at `time` itself ends here, too.
void Translator::advance(Place& p, Nanoseconds time) {
  const bool to_the_end = time == INT64_MAX;
  while (true) {
    const Nanoseconds receive = p.receives.empty() ? INT64_MAX : p.receives.first().time;
    const Nanoseconds send = p.sends.empty() ? INT64_MAX : p.sends.first().time;
    if (p.state != no_id && p.state_end <= time && receive > p.state_end && send >= p.state_end) {
      end_state(p);
    } else if (!p.receives.empty() && receive <= send &&
               (receive < time || to_the_end || (p.state != no_id && receive == time))) {
      emit_receive(p, p.receives.take());
    } else if (!p.sends.empty() && (send < time || to_the_end)) {
      emit_send(p, p.sends.take());
    } else {
      return;
    }
  }
}

/// An MPI call ends at `time`: halves of its kind at that very time are its own.
void Translator::settle(Place& p, Nanoseconds time) {
  advance(p, time);
  if (sends(p.function->call)) {
    while (!p.sends.empty() && p.sends.first().time <= time) emit_send(p, p.sends.take());
  }
  if (receives(p.function->call)) {
    while (!p.receives.empty() && p.receives.first().time <= time) emit_receive(p, p.receives.take());
  }
}

void Translator::emit_send(Place& p, const Half& half) {
  const CallClass c = p.mpi_type == 0 ? CallClass::none : p.function->call;
  Event e;
  e.kind = EventKind::send;
  if (c == CallClass::send_start || c == CallClass::start) {
    e.kind = EventKind::send_request;
    e.request = ++p.requests;  // its completion is not in the file
  }
  e.time = half.time;
  e.peer = half.peer;
  e.tag = half.tag;
  e.bytes = half.bytes;
  e.comm = message_comm();
  builder_.append(p.location, e);
}

void Translator::emit_receive(Place& p, const Half& half) {
  const bool completes = p.mpi_type != 0 && completes_requests(p.function->call);
  Event e;
  e.kind = completes ? EventKind::receive_complete : EventKind::receive;
  e.time = half.time;
  e.peer = half.peer;
  e.tag = half.tag;
  e.bytes = half.bytes;
  e.comm = message_comm();
  if (completes) {
    // Extrae's logical receive is the end of the MPI_Irecv that posted it.
    const auto posting = p.postings.find(half.posted);
    if (posting == p.postings.end()) {
      e.request = ++p.requests;
    } else {
      e.request = posting->second;
      p.postings.erase(posting);
    }
  }
  builder_.append(p.location, e);
}

}  // namespace mora::trace::paraver
