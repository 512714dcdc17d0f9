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
  const bool is_received_here = !is_elsewhere(record.receiver);
  if (is_elsewhere(record.object) && !is_received_here) return;
  if (is_elsewhere(record.object) || !is_received_here)  // between applications
    return damage_.add(mora::trace::damage::uninterpreted, "line", line);
  const std::uint32_t source = rank_of(record.object), destination = rank_of(record.receiver);
  if (source == no_id || destination == no_id) return damage_.add(mora::trace::damage::partner, "line", line);
  // Data passed between threads of one process is no message of MPI.
  if (source == destination && record.object.thread != record.receiver.thread)
    return damage_.add(mora::trace::damage::uninterpreted, "line", line);
  Half half;
  half.order = ++order_;
  half.bytes = record.bytes;
  half.tag = record.tag;
  half.time = record.time;
  half.peer = destination;
  add_half(record.object, half, true, line);
  half.time = record.end;
  half.posted = record.posted;
  half.peer = source;
  add_half(record.receiver, half, false, line);
  last_ = std::max({last_, record.time, record.end});
}

void Translator::add_half(const Object& object, const Half& half, bool is_send, std::uint64_t line) {
  if (late_ != nullptr && late_->has(half, is_send)) return;  // it comes when it is time
  Place* p = place(object, line);
  if (p == nullptr) return;
  if (late_ == nullptr && (pending_ >= most_pending_ || is_late(*p, half, is_send))) {
    found_late_.add({half, object, is_send});
    Ended& ended = is_send ? p->last_send : p->last_receive;
    if (ended.time == half.time) ended.takes_more = ended.takes_several;
  } else {
    (is_send ? p->sends : p->receives).add(half);
    ++pending_;
  }
}

/// What an earlier pass found waits from now on, as far as its place in the stream may be near.
void Translator::bring_late(Nanoseconds until) {
  for (; first_late_ != nullptr && first_late_->half.time <= until; first_late_ = next_late_->next()) {
    Place* p = place(first_late_->place, 0);
    if (p == nullptr) continue;
    (first_late_->is_send ? p->sends : p->receives).add(first_late_->half);
    ++pending_;
  }
}

/// The stream is beyond the half's time; or at it, and the call that ended there can have it.
bool Translator::is_late(const Place& p, const Half& half, bool is_send) const {
  if (half.time != p.now) return half.time < p.now;
  const Ended& ended = is_send ? p.last_send : p.last_receive;
  if (ended.time != half.time || !ended.takes_more) return false;
  const bool has_another = is_send && p.mpi_type != 0 && sends(p.function->call);
  return ended.begin == half.time || !has_another;
}

/// A send stands at the beginning of its call, a reception at the end of its own.
void Translator::note_end(Place& p, Nanoseconds time) {
  const CallClass call = p.function->call;
  const bool starts = call == CallClass::start, completes = completes_requests(call);
  if (sends(call)) p.last_send = {p.mpi_begin, time, p.sent == 0 || starts, starts};
  if (receives(call)) p.last_receive = {p.mpi_begin, time, p.received == 0 || completes, completes};
}

/// Everything that lies before `time` goes out: at equal times receptions, the end of a state, sends. The state that
/// ends at `time` itself ends here, too.
void Translator::advance(Place& p, Nanoseconds time) {
  const bool to_the_end = time == INT64_MAX;
  while (true) {
    const Nanoseconds receive = p.receives.empty() ? INT64_MAX : p.receives.first().time;
    const Nanoseconds send = p.sends.empty() ? INT64_MAX : p.sends.first().time;
    const Nanoseconds next = std::min({time, receive, send});
    if (p.state != no_id && next > p.state_begin && p.state_end > p.state_begin) begin_state(p);
    if (p.state != no_id && p.state_end <= time && receive > p.state_end && send >= p.state_end) {
      end_state(p);
    } else if (!p.receives.empty() && receive <= send &&
               (receive < time || to_the_end || (states_are_regions_ && p.state != no_id && receive == time))) {
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
  // Most calls send or receive one message: a second one at this time is that of a call that follows.
  if (sends(p.function->call)) {
    while (!p.sends.empty() && p.sends.first().time <= time && (p.sent == 0 || p.function->call == CallClass::start))
      emit_send(p, p.sends.take());
  }
  if (receives(p.function->call)) {
    while (!p.receives.empty() && p.receives.first().time <= time &&
           (p.received == 0 || completes_requests(p.function->call)))
      emit_receive(p, p.receives.take());
  }
}

void Translator::emit_send(Place& p, const Half& half) {
  ++p.sent;
  --pending_;
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
  ++p.received;
  --pending_;
  const bool completes = p.mpi_type != 0 && completes_requests(p.function->call);
  Event e;
  e.kind = completes ? EventKind::receive_complete : EventKind::receive;
  e.time = half.time;
  e.peer = half.peer;
  e.tag = half.tag;
  e.bytes = half.bytes;
  e.comm = message_comm();
  if (completes) e.request = take_posting(p, half.posted);
  builder_.append(p.location, e);
}

/// Of more than may be kept, places with more than their share forget their oldest: most of those are of receives whose
/// message is not in the file, or has another time of posting.
void Translator::add_posting(Place& p, Nanoseconds time) {
  p.postings.emplace(time, p.requests);
  if (++postings_ <= most_postings_ || p.postings.size() <= most_postings_ / places_.size() + 1) return;
  p.forgotten_until = std::max(p.forgotten_until, p.postings.begin()->first);
  p.postings.erase(p.postings.begin());
  --postings_;
}

/// Extrae's logical receive is the end of the MPI_Irecv that posted it.
std::uint64_t Translator::take_posting(Place& p, Nanoseconds time) {
  const auto posting = p.postings.find(time);
  if (posting == p.postings.end()) {
    if (time <= p.forgotten_until) damage_.add(paraver_damage::forgotten_posting);
    return ++p.requests;
  }
  const std::uint64_t request = posting->second;
  p.postings.erase(posting);
  --postings_;
  return request;
}

}  // namespace mora::trace::paraver
