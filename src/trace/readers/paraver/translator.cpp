#include "trace/readers/paraver/translator.h"

#include <algorithm>

#include "trace/readers/paraver/extrae.h"
#include "trace/readers/paraver/kinds.h"

namespace mora::trace::paraver {
namespace {

/// A node of Place::postings as the allocator gives it.
constexpr std::size_t bytes_of_posting = 64;

/// The source lines that stand in an event line beside the calls that they belong to.
struct Sites {
  CallSite call, function;
};

Sites sites(const Record& record) {
  Sites found;
  for (const Record::Pair& pair : record.pairs) {
    const bool level = pair.type > extrae::caller_line && pair.type < extrae::caller_line + extrae::most_callers;
    if (level && (found.call.type == 0 || pair.type < found.call.type)) found.call = {pair.type, pair.value.bits};
    if (extrae::is_function_line(pair.type)) found.function = {pair.type, pair.value.bits};
  }
  return found;
}

}  // namespace

Translator::Translator(const Header& header, const Labels& labels, TraceBuilder& builder, std::uint64_t application,
                       bool states_are_regions, const LateHalves* late, std::size_t memory)
    : header_(header),
      labels_(labels),
      builder_(builder),
      regions_(labels, builder),
      states_are_regions_(states_are_regions),
      late_(late),
      found_late_(memory / 2),
      most_pending_(memory / 2 / sizeof(Half)),
      most_postings_(memory / bytes_of_posting),
      application_(application) {
  std::uint32_t rank = 0;
  for (const auto& task : header.applications[application - 1]) {
    first_threads_.push_back(static_cast<std::uint32_t>(places_.size()));
    Place& place = places_.emplace_back();
    place.location = builder.location(rank);
    place.rank = rank++;
    place.application = application;
    Definitions& d = builder.definitions();
    if (task.node > 0 && task.node <= d.nodes.size())
      d.locations[place.location].node = static_cast<std::uint32_t>(task.node - 1);
  }
  if (late_ == nullptr) return;
  next_late_.emplace(late_->cursor());
  first_late_ = next_late_->next();
}

/// no_id: there is no such task.
std::uint32_t Translator::rank_of(const Object& object) const {
  if (object.application != application_) return no_id;
  const auto& tasks = header_.applications[application_ - 1];
  if (object.task == 0 || object.task > tasks.size()) return no_id;
  if (object.thread == 0 || object.thread > std::max<std::uint64_t>(tasks[object.task - 1].threads, 1)) return no_id;
  return static_cast<std::uint32_t>(object.task - 1);
}

/// Valid until the next call: a new thread may move all places. nullptr: counted as damage.
Translator::Place* Translator::place(const Object& object, std::uint64_t line) {
  const std::uint32_t rank = rank_of(object);
  if (rank == no_id || object.thread > UINT32_MAX) {
    damage_.add(paraver_damage::object, "line", line);
    return nullptr;
  }
  if (object.thread == 1) return &places_[first_threads_[rank]];
  const auto [at, made] = more_threads_.try_emplace({rank, object.thread}, static_cast<std::uint32_t>(places_.size()));
  if (made) {
    Place& place = places_.emplace_back();
    place.location = builder_.location(rank, static_cast<std::uint32_t>(object.thread - 1));
    place.rank = rank;
    place.application = object.application;
    Definitions& d = builder_.definitions();
    d.locations[place.location].node = d.locations[places_[first_threads_[rank]].location].node;
  }
  return &places_[at->second];
}

void Translator::record(const Record& record, std::uint64_t line) {
  if (first_late_ != nullptr) bring_late(record.time);
  switch (record.kind) {
    case Record::Kind::nothing:
      return;
    case Record::Kind::state:
      return is_elsewhere(record.object) ? pass_over(record) : state(record, line);
    case Record::Kind::events:
      return is_elsewhere(record.object) ? pass_over(record) : events(record, line);
    case Record::Kind::message:
      return message(record, line);
    case Record::Kind::communicator:
      return is_elsewhere(record.object) ? void() : communicator(record, line);
    case Record::Kind::intercommunicator:
      return is_elsewhere(record.object) ? void() : intercommunicator(record, line);
    case Record::Kind::unknown:
      return damage_.add(mora::trace::damage::uninterpreted, "line", line);
    case Record::Kind::damaged:
      return damage_.add(mora::trace::damage::record, "line", line);
  }
}

void Translator::events(const Record& record, std::uint64_t line) {
  Place* p = place(record.object, line);
  if (p == nullptr) return;
  last_ = std::max(last_, record.time);
  p->now = std::max(p->now, record.time);
  advance(*p, record.time);
  const Sites where = sites(record);
  // Beside a call of POSIX threads stands what the thread that it makes will run.
  const bool makes_thread = std::any_of(record.pairs.begin(), record.pairs.end(),
                                        [](const Record::Pair& each) { return each.type == extrae::pthread_call; });
  for (const Record::Pair& each : record.pairs)
    if (!makes_thread || each.type != extrae::thread_function)
      pair(*p, record, each, extrae::is_program_function(each.type) ? where.function : where.call, line);
}

void Translator::pair(Place& place, const Record& record, const Record::Pair& pair, const CallSite& site,
                      std::uint64_t line) {
  if (extrae::is_mpi(pair.type) || extrae::is_function(pair.type)) {
    const Interrupted state = interrupt_state(place, record.time);
    extrae::is_mpi(pair.type) ? mpi_event(place, record, pair, site, line)
                              : function_event(place, record, pair, site, line);
    return resume_state(place, record.time, state);
  }
  if (pair.type >= extrae::send_size && pair.type <= extrae::communicator)
    return collective_value(place, record, pair, line);
  // Source lines belong to the call beside them; of the rest of the call stack nothing is kept.
  if (extrae::is_function_line(pair.type) || extrae::is_caller(pair.type)) return;
  if (marker(place, record.time, pair)) return;
  value(place, record.time, pair, line);
}

void Translator::mpi_event(Place& place, const Record& record, const Record::Pair& pair, const CallSite& site,
                           std::uint64_t line) {
  if (pair.value.bits == 0) {
    if (place.mpi_type != pair.type) return damage_.add(paraver_damage::stray, "line", line);
    return leave_mpi(place, record.time);
  }
  if (place.mpi_type != 0) {
    damage_.add(paraver_damage::open_call, "line", line);
    leave_mpi(place, record.time);
  }
  any_region_ = true;
  place.mpi_depth = builder_.depth(place.location);
  place.mpi_region = regions_.mpi(pair.type, pair.value.bits, site);
  place.mpi_type = pair.type;
  place.function = &function_of(builder_.definitions().regions[place.mpi_region]);
  place.collective = {};
  place.mpi_begin = record.time;
  place.sent = place.received = 0;
  builder_.enter(place.location, record.time, place.mpi_region);
}

void Translator::leave_mpi(Place& place, Nanoseconds time) {
  while (!place.functions.empty() && place.functions.back().depth > place.mpi_depth) place.functions.pop_back();
  settle(place, time);
  note_end(place, time);
  if (place.function->call == CallClass::receive_start) {
    Event posted;
    posted.kind = EventKind::receive_request;
    posted.time = time;
    posted.request = ++place.requests;
    add_posting(place, time);
    builder_.append(place.location, posted);
  }
  if (place.function->call == CallClass::collective) end_collective(place, time);
  builder_.leave(place.location, time, place.mpi_region);
  place.mpi_type = 0;
}

void Translator::function_event(Place& place, const Record& record, const Record::Pair& pair, const CallSite& site,
                                std::uint64_t line) {
  if (pair.value.bits != 0) {
    any_region_ = true;
    place.functions.push_back({regions_.function(pair.type, pair.value.bits, site), builder_.depth(place.location)});
    return builder_.enter(place.location, record.time, place.functions.back().region);
  }
  if (place.functions.empty()) return damage_.add(paraver_damage::stray, "line", line);
  const Function function = place.functions.back();
  if (place.mpi_type != 0 && place.mpi_depth > function.depth) {
    damage_.add(paraver_damage::open_call, "line", line);
    leave_mpi(place, record.time);
  }
  place.functions.pop_back();
  builder_.leave(place.location, record.time, function.region);
}

void Translator::state(const Record& record, std::uint64_t line) {
  ++states_;
  Place* p = place(record.object, line);
  if (p == nullptr) return;
  last_ = std::max({last_, record.time, record.end});
  p->now = std::max(p->now, record.time);
  advance(*p, record.time);
  if (p->state != no_id) {
    if (p->state_end > record.time) {
      damage_.add(paraver_damage::overlap, "line", line);
      p->state_end = record.time;
    }
    end_state(*p);
  }
  if (record.end <= record.time) return;  // a moment, not a stretch of time
  if (!states_are_regions_) {
    if (record.object.thread > 1) {
      if (!p->is_seen) simple(*p, record.time, EventKind::program_begin);
      p->is_seen = true;
      p->seen_until = std::max(p->seen_until, record.end);
    }
    if (!regions_.is_idle(record.state) || in_library(*p)) return;
    ++idle_states_;
  }
  p->state = regions_.state(record.state);
  p->state_begin = record.time;
  p->state_end = record.end;
  if (states_are_regions_) begin_state(*p);
}

void Translator::begin_state(Place& place) {
  if (place.state_begun) return;
  builder_.enter(place.location, place.state_begin, place.state);
  place.state_begun = true;
}

/// What a thread waits for in a call is said by the call.
bool Translator::in_library(const Place& place) const {
  return place.mpi_type != 0 ||
         (!place.functions.empty() &&
          builder_.definitions().regions[place.functions.back().region].paradigm != Paradigm::unknown);
}

/// A call or function begins or ends while a thread is idle by its states: the state gives way for it.
Translator::Interrupted Translator::interrupt_state(Place& place, Nanoseconds time) {
  if (states_are_regions_ || place.state == no_id) return {};
  const Interrupted state{place.state, place.state_end};
  place.state_end = time;
  end_state(place);
  return state;
}

void Translator::resume_state(Place& place, Nanoseconds time, const Interrupted& state) {
  if (state.region == no_id || state.end <= time || in_library(place)) return;
  place.state = state.region;
  place.state_begin = time;
  place.state_end = state.end;
}

/// A state that a call or function took the place of when it began was none.
void Translator::end_state(Place& place) {
  if (place.state_end > place.state_begin) begin_state(place);
  if (place.state_begun) builder_.leave(place.location, place.state_end, place.state);
  place.state = no_id;
  place.state_begun = false;
}

void Translator::finish() {
  while (first_late_ != nullptr) {
    if (Place* p = place(first_late_->place, 0)) advance(*p, first_late_->half.time - 1);
    bring_late(first_late_->half.time);
  }
  for (Place& p : places_) {
    advance(p, INT64_MAX);
    if (p.is_seen) simple(p, p.seen_until, EventKind::program_end);
  }
  report_uninterpreted();
  damage_.report(builder_.quality());
}

}  // namespace mora::trace::paraver
