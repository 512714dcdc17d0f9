#include "trace/readers/paraver/translator.h"

#include <algorithm>

#include "trace/readers/paraver/extrae.h"
#include "trace/readers/paraver/kinds.h"

namespace mora::trace::paraver {
namespace {

/// The source lines that stand in an event line beside the calls that they belong to.
struct Sites {
  CallSite call, function;
};

Sites sites(const Record& record) {
  Sites found;
  for (const Record::Pair& pair : record.pairs) {
    const bool level = pair.type > extrae::caller_line && pair.type < extrae::caller_line + extrae::most_callers;
    if (level && (found.call.type == 0 || pair.type < found.call.type)) found.call = {pair.type, pair.value.bits};
    if (pair.type == extrae::user_function_line) found.function = {pair.type, pair.value.bits};
  }
  return found;
}

}  // namespace

Translator::Translator(const Header& header, const Labels& labels, TraceBuilder& builder, bool states_are_regions)
    : header_(header),
      labels_(labels),
      builder_(builder),
      regions_(labels, builder),
      states_are_regions_(states_are_regions) {
  std::uint32_t rank = 0;
  for (std::size_t a = 0; a < header.applications.size(); ++a) {
    first_rank_.push_back(rank);
    for (std::size_t task = 1; task <= header.applications[a].size(); ++task, ++rank) {
      first_threads_.push_back(static_cast<std::uint32_t>(places_.size()));
      Place& place = places_.emplace_back();
      place.location = builder.location(rank);
      place.rank = rank;
      place.application = a + 1;
      const std::uint64_t node = header.applications[a][task - 1].node;
      Definitions& d = builder.definitions();
      if (node > 0 && node <= d.nodes.size()) d.locations[place.location].node = static_cast<std::uint32_t>(node - 1);
    }
  }
}

/// no_id: there is no such task.
std::uint32_t Translator::rank_of(const Object& object) const {
  if (object.application == 0 || object.application > header_.applications.size()) return no_id;
  const auto& tasks = header_.applications[object.application - 1];
  if (object.task == 0 || object.task > tasks.size()) return no_id;
  if (object.thread == 0 || object.thread > std::max<std::uint64_t>(tasks[object.task - 1].threads, 1)) return no_id;
  return first_rank_[object.application - 1] + static_cast<std::uint32_t>(object.task - 1);
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
  switch (record.kind) {
    case Record::Kind::nothing:
      return;
    case Record::Kind::state:
      return state(record, line);
    case Record::Kind::events:
      return events(record, line);
    case Record::Kind::message:
      return message(record, line);
    case Record::Kind::communicator:
      return communicator(record, line);
    case Record::Kind::intercommunicator:
      return intercommunicator(record, line);
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
  advance(*p, record.time);
  const Sites where = sites(record);
  for (const Record::Pair& each : record.pairs)
    pair(*p, record, each, each.type == extrae::user_function ? where.function : where.call, line);
}

void Translator::pair(Place& place, const Record& record, const Record::Pair& pair, const CallSite& site,
                      std::uint64_t line) {
  if (extrae::is_mpi(pair.type)) return mpi_event(place, record, pair, site, line);
  if (pair.type == extrae::user_function) return function_event(place, record, pair, site, line);
  if (pair.type >= extrae::send_size && pair.type <= extrae::communicator)
    return collective_value(place, record, pair, line);
  // Source lines belong to the call beside them; of the rest of the call stack nothing is kept.
  if (pair.type == extrae::user_function_line || extrae::is_caller(pair.type)) return;
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
  builder_.enter(place.location, record.time, place.mpi_region);
}

void Translator::leave_mpi(Place& place, Nanoseconds time) {
  while (!place.functions.empty() && place.functions.back().depth > place.mpi_depth) place.functions.pop_back();
  settle(place, time);
  if (place.function->call == CallClass::receive_start) {
    Event posted;
    posted.kind = EventKind::receive_request;
    posted.time = time;
    posted.request = ++place.requests;
    place.postings.emplace(time, posted.request);
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
  if (!states_are_regions_) return;
  Place* p = place(record.object, line);
  if (p == nullptr) return;
  last_ = std::max({last_, record.time, record.end});
  advance(*p, record.time);
  if (p->state != no_id) {
    if (p->state_end > record.time) {
      damage_.add(paraver_damage::overlap, "line", line);
      p->state_end = record.time;
    }
    end_state(*p);
  }
  if (record.end <= record.time) return;  // a moment, not a stretch of time
  p->state = regions_.state(record.state);
  p->state_end = record.end;
  builder_.enter(p->location, record.time, p->state);
}

void Translator::end_state(Place& place) {
  builder_.leave(place.location, place.state_end, place.state);
  place.state = no_id;
}

void Translator::finish() {
  for (Place& p : places_) advance(p, INT64_MAX);
  report_uninterpreted();
  damage_.report(builder_.quality());
}

}  // namespace mora::trace::paraver
