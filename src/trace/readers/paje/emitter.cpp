#include "trace/readers/paje/emitter.h"

#include <cmath>

#include "trace/metrics/metric_name.h"
#include "trace/mpi_function.h"

namespace mora::trace::paje {
namespace {

std::string known_name(std::string_view name) {
  const mpi::Function& function = mpi::function(mpi::find(name));
  return function.call == CallClass::none || function.call == CallClass::other ? std::string()
                                                                               : std::string(function.name);
}

}  // namespace

std::string mpi_name(std::string_view value, std::string_view state_type) {
  if (mpi::find(value) != FunctionId::none) {
    if (std::string known = known_name(value); !known.empty()) return known;
    if (value[0] == 'P' || value[0] == 'p') value.remove_prefix(1);
    return std::string(value);
  }
  constexpr std::string_view action = "action_";
  if (value.substr(0, action.size()) == action) {
    value.remove_prefix(action.size());
  } else if (state_type.find("MPI") == std::string_view::npos && state_type.find("mpi") == std::string_view::npos) {
    return {};
  }
  // SimGrid's own spellings.
  if (value == "reducescatter" || value == "reduceScatter" || value == "reduce-scatter") value = "reduce_scatter";
  return known_name("MPI_" + std::string(value));
}

Emitter::Emitter(const Interpreter& all, const Survey& survey, TraceBuilder& builder, Damage& damage)
    : all_(all), survey_(survey), builder_(builder), damage_(damage), halves_(survey.messages().halves()) {
  for (const TimeLine& line : survey.time_lines()) {
    Open& open = lines_.emplace_back();
    if (line.rank == no_id) continue;
    // The container's own name where it says more than the rank.
    const Container& container = all.containers()[line.container];
    const bool is_first = survey.first_line(line.container) + 1 == lines_.size();
    open.location = builder.location(line.rank, line.thread);
    const auto place = place_in_name(container.name);
    if (!is_first || !place || place->rank != line.rank || place->thread != line.thread) {
      std::string name = builder.definitions().locations[open.location].name + " (" + container.name;
      if (!is_first && line.type != no_id) name += ", " + all.types()[line.type].name;
      builder.location(line.rank, line.thread, name + ")");
    }
    lines_of_[line.container].push_back(static_cast<std::uint32_t>(lines_.size()) - 1);
  }
}

void Emitter::skip(const Record& record, const char* what) { damage_.add("skipped-location", record.file_line, what); }

void Emitter::on_record(const Record& record) {
  // Only if the file has grown between the two readings.
  if (record.type >= all_.types().size() || record.container >= all_.containers().size()) return;
  switch (record.name) {
    case EventName::create_container:
    case EventName::destroy_container:
      return life(record);
    case EventName::set_state:
    case EventName::push_state:
    case EventName::pop_state:
    case EventName::reset_state:
      return state(record);
    case EventName::start_link:
    case EventName::end_link:
      return link(record);
    case EventName::new_event: {
      Event event;
      event.kind = EventKind::user;
      event.vector = builder_.user_type(all_.types()[record.type].name);
      event.request = builder_.string(record.value);
      return simple(record, event);
    }
    case EventName::set_variable:
    case EventName::add_variable:
    case EventName::sub_variable:
      return variable(record);
    default:
      return;
  }
}

void Emitter::simple(const Record& record, Event event) {
  const std::uint32_t line = survey_.first_line(record.container);
  if (line == no_id) return skip(record, "an event or variable of a container without states");
  event.time = record.time;
  builder_.append(lines_[line].location, event);
}

void Emitter::life(const Record& record) {
  const auto found = lines_of_.find(record.container);
  if (found == lines_of_.end()) return;
  for (const std::uint32_t line : found->second) {
    Event event;
    event.time = record.time;
    event.kind = record.name == EventName::create_container ? EventKind::program_begin : EventKind::program_end;
    if (event.kind == EventKind::program_end) end_states(lines_[line], record.time);
    builder_.append(lines_[line].location, event);
  }
}

/// How Pajé ends what is pushed: no damage.
void Emitter::end_states(const Open& line, Nanoseconds time) { builder_.close(line.location, time, 0); }

void Emitter::enter(Open& line, const Record& record) {
  const std::string& type = all_.types()[record.type].name;
  const std::string mpi = mpi_name(record.value, type);
  const auto number = record.line && *record.line <= UINT32_MAX ? static_cast<std::uint32_t>(*record.line) : 0;
  const std::string_view file = number != 0 ? record.file : std::string_view{};
  const RegionId region =
      mpi.empty() ? builder_.region(record.value, type, file, number) : builder_.region(mpi, "MPI", file, number);
  builder_.enter(line.location, record.time, region);
}

void Emitter::state(const Record& record) {
  const std::uint32_t number = survey_.time_line(record.container, record.type);
  // A state that is never set or pushed: its pops and resets have nothing to end.
  if (number == no_id || lines_[number].location == no_id) {
    if (record.name == EventName::pop_state) skip(record, "PajePopState of a state that the container never has");
    return;
  }
  Open& line = lines_[number];
  switch (record.name) {
    case EventName::set_state:
      end_states(line, record.time);
      enter(line, record);
      line.set = true;
      return;
    case EventName::push_state:
      if (builder_.depth(line.location) == 0) line.set = false;
      return enter(line, record);
    case EventName::pop_state:
      return builder_.leave(line.location, record.time);  // the builder counts a pop without a push
    default:
      return end_states(line, record.time);
  }
}

// The link's halves were numbered in the order of the file, so the next one of halves_ is this record's.
void Emitter::link(const Record& record) {
  if (record.is_transfer) return transfer(record);
  if (!record.is_message) return damage_.add("uninterpreted-event", record.file_line, "a link that is no message");
  const LinkedMessages::Half* next = halves_.next();
  const std::uint32_t line = survey_.first_line(record.container);
  if (next == nullptr || line == no_id) return skip(record, "a link");
  const LinkedMessages::Half& half = *next;
  const LocationId location = lines_[line].location;
  // A link without its other end does not tell its partner.
  if (half.partner == no_id)
    return damage_.add(half.is_send ? "unmatched-send" : "unmatched-receive", record.file_line,
                       std::string(record.key));
  const std::uint32_t other = survey_.first_line(half.partner_place);
  if (other != line && survey_.time_lines()[other].rank == survey_.time_lines()[line].rank)
    return damage_.add("uninterpreted-event", record.file_line, "a link between threads of one process");
  const RegionId inside = builder_.open_region(location);
  const CallClass c = inside == no_id ? CallClass::none : call_class(builder_.definitions().regions[inside]);
  if (requests_.size() <= location) requests_.resize(location + 1);
  Event event = message_event(half, c, requests_[location]);
  event.comm = builder_.world();
  event.time = record.time;
  builder_.append(location, event);
}

// A transfer is one event of its origin: of a put where it starts, of a get where it ends. Windows and numbers of
// transfers are not in the file.
void Emitter::transfer(const Record& record) {
  if (record.name == EventName::end_link) return;
  const Survey::Transfer& t = survey_.transfers()[next_transfer_++];
  if (!t.has_end) return damage_.add("uninterpreted-event", record.file_line, "a transfer without an end");
  const std::uint32_t origin = survey_.first_line(t.gets ? t.to : t.from);
  const std::uint32_t target = survey_.first_line(t.gets ? t.from : t.to);
  if (origin == no_id || target == no_id) return skip(record, "a transfer");
  Event event;
  event.kind = t.gets ? EventKind::get : EventKind::put;
  event.time = record.time;
  event.end_time = t.end;
  event.peer = survey_.time_lines()[target].rank;
  event.bytes = event.received = t.bytes;
  event.request = next_transfer_;
  builder_.append(lines_[origin].location, event);
}

void Emitter::variable(const Record& record) {
  MetricValue& value = values_[{record.container, record.type}];
  if (record.name == EventName::set_variable) value = record.number;
  if (record.name == EventName::add_variable) value = changed(value, record.number, 1);
  if (record.name == EventName::sub_variable) value = changed(value, record.number, -1);
  auto& metrics = builder_.definitions().metrics;
  const auto [at, is_new] = metrics_.try_emplace(record.type, static_cast<std::uint32_t>(metrics.size()));
  if (is_new) metrics.push_back(metric_named(all_.types()[record.type].name));
  Event event;
  event.kind = EventKind::metric;
  event.vector = at->second;
  set_metric_value(event, value);
  simple(record, event);
}

void Emitter::finish() {
  for (Open& line : lines_) {
    if (line.location != no_id && line.set && builder_.depth(line.location) == 1) end_states(line, survey_.last());
  }
}

}  // namespace mora::trace::paje
