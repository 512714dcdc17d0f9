#include "trace/readers/paje/interpreter.h"

#include <cmath>

#include "base/numbers/read_number.h"
#include "trace/readers/building/decimal_time.h"
#include "trace/readers/paje/paje_source.h"

namespace mora::trace::paje {
namespace {

TypeKind kind_of(EventName name) {
  switch (name) {
    case EventName::define_container_type:
    case EventName::create_container:
    case EventName::destroy_container:
      return TypeKind::container;
    case EventName::define_event_type:
    case EventName::new_event:
      return TypeKind::event;
    case EventName::define_variable_type:
    case EventName::set_variable:
    case EventName::add_variable:
    case EventName::sub_variable:
      return TypeKind::variable;
    case EventName::define_link_type:
    case EventName::start_link:
    case EventName::end_link:
      return TypeKind::link;
    default:
      return TypeKind::state;
  }
}

const char* text(TypeKind kind) {
  constexpr const char* names[] = {"container", "state", "event", "variable", "link"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_link(EventName name) { return name == EventName::start_link || name == EventName::end_link; }

/// Sizes are written as integers or as doubles ("1024.000000").
std::optional<std::uint64_t> whole_number(std::string_view word) {
  const auto point = word.find('.');
  if (point != std::string_view::npos && word.find_first_not_of('0', point + 1) == std::string_view::npos)
    word = word.substr(0, point);
  return number_in<std::uint64_t>(word);
}

/// SimGrid's keys are SOURCE_DESTINATION_TAG_NUMBER.
std::optional<std::int32_t> tag_of_key(std::string_view key) {
  std::optional<std::int32_t> parts[4];
  for (int i = 0; i < 4; ++i) {
    const auto end = key.find('_');
    if ((end == std::string_view::npos) != (i == 3)) return std::nullopt;
    const std::string_view part = key.substr(0, end);
    parts[i] = i == 3 && number_in<std::uint64_t>(part) ? 0 : number_in<std::int32_t>(part);
    if (!parts[i]) return std::nullopt;
    key.remove_prefix(i == 3 ? key.size() : end + 1);
  }
  return parts[2];
}

std::string quoted(std::string_view word) {
  return "'" + std::string(word.substr(0, 60)) + (word.size() > 60 ? "…'" : "'");
}

}  // namespace

void Damage::add(const char* kind, std::uint64_t line, const std::string& why) {
  Entry& entry = entries_[kind];
  if (entry.count++ == 0) entry.first = "first: line " + std::to_string(line) + ": " + why;
}

void Damage::report(DataQuality& quality) const {
  const auto row = [&](const char* kind, Severity severity, const char* what, const char* remedy) {
    const auto found = entries_.find(kind);
    if (found == entries_.end()) return;
    quality.add(kind, severity, "", found->second.count, std::string(what) + "; " + found->second.first, remedy);
  };
  row("damaged-record", Severity::loss, "lines cannot be read and are left out",
      "the file is damaged (copy it again), or the program that wrote it is wrong: `pj_dump` names the line too");
  row("undefined-reference", Severity::loss,
      "records refer to types or containers that are not defined and are left out",
      "the file is incomplete (copy it again), or the program that wrote it is wrong");
  row("uninterpreted-event", Severity::info, "records of kinds that Mora does not interpret", "");
  row("unmatched-send", Severity::warning,
      "messages are sent but their reception is not in the trace; they are left out",
      "expected if the program was stopped early or not all ranks were recorded; else record again");
  row("unmatched-receive", Severity::warning,
      "messages are received but their sending is not in the trace; they are left out",
      "expected if recording was switched on late or not all ranks were recorded; else record again");
  row("rounded-time", Severity::info, "times finer than a nanosecond are rounded to the nearest", "");
  row("skipped-location", Severity::info, "records of containers that are no processes or threads are not read", "");
}

Interpreter::Interpreter(RecordSink& sink) : sink_(sink) {
  types_.push_back({"0", TypeKind::container, false, false, {}});
  containers_.push_back({"0", 0, 0, false});
  type_names_["0"] = 0;
  container_names_["0"] = 0;
}

void Interpreter::undefined(const char* what, std::string_view word) {
  damage_.add("undefined-reference", line_, std::string("there is no ") + what + " " + quoted(word));
}

void Interpreter::feed_too_long() {
  ++line_;
  damaged("the line is longer than a mebibyte");
}

void Interpreter::feed(std::string_view line) {
  ++line_;
  split_line(line, words_);
  if (words_.empty()) return;
  if (!words_[0].empty() && words_[0][0] == '%') {
    const std::string why = definitions_.add_line(words_);
    if (!why.empty()) damaged(why);
    return;
  }
  const EventDefinition* definition = definitions_.find(words_[0]);
  if (definition == nullptr) {
    damaged("there is no definition of event " + quoted(words_[0]));
    return;
  }
  for (std::string_view& each : words_by_field_) each = {};
  // Words may be missing at the end (SimGrid leaves out sizes); what an event needs is checked below.
  for (std::size_t i = 0; i < definition->fields.size() && i + 1 < words_.size(); ++i)
    words_by_field_[static_cast<std::size_t>(definition->fields[i])] = words_[i + 1];
  event(*definition);
}

bool Interpreter::has_all(const EventDefinition& definition, std::initializer_list<Field> needed) {
  for (const Field field : needed) {
    if (has(field)) continue;
    damaged(definition.text + " lacks a word that it needs");
    return false;
  }
  return true;
}

void Interpreter::event(const EventDefinition& definition) {
  const bool is_definition = definition.name <= EventName::create_container;
  if (is_definition && !has(Field::name) && !has(Field::alias)) return damaged(definition.text + " names nothing");
  switch (definition.name) {
    case EventName::define_container_type:
    case EventName::define_state_type:
    case EventName::define_event_type:
    case EventName::define_variable_type:
    case EventName::define_link_type:
      return define_type(definition.name);
    case EventName::define_entity_value:
      if (has_all(definition, {Field::type})) define_value();
      return;
    case EventName::create_container:
      if (has_all(definition, {Field::time, Field::type})) create_container();
      return;
    case EventName::destroy_container:
      destroy_container();
      return;
    case EventName::set_state:
    case EventName::push_state:
    case EventName::new_event:
    case EventName::set_variable:
    case EventName::add_variable:
    case EventName::sub_variable:
      if (has_all(definition, {Field::time, Field::type, Field::container, Field::value})) timed(definition.name);
      return;
    case EventName::pop_state:
    case EventName::reset_state:
      if (has_all(definition, {Field::time, Field::type, Field::container})) timed(definition.name);
      return;
    case EventName::start_link:
      if (has_all(definition, {Field::time, Field::type, Field::start_container, Field::key})) timed(definition.name);
      return;
    case EventName::end_link:
      if (has_all(definition, {Field::time, Field::type, Field::end_container, Field::key})) timed(definition.name);
      return;
    case EventName::unknown:
      damage_.add("uninterpreted-event", line_, definition.text);
  }
}

void Interpreter::define_type(EventName name) {
  const std::string_view alias = has(Field::alias) ? word(Field::alias) : word(Field::name);
  const std::string_view shown = has(Field::name) ? word(Field::name) : alias;
  if (has(Field::type) && !find_type(word(Field::type))) undefined("type", word(Field::type));
  if (!type_aliases_.try_emplace(std::string(alias), static_cast<std::uint32_t>(types_.size())).second)
    return damaged("type " + quoted(alias) + " is defined twice");
  type_names_.try_emplace(std::string(shown), static_cast<std::uint32_t>(types_.size()));
  // SimGrid's MIGRATE_LINK, Mora's Transfer.
  const bool is_message = shown.find("MIGRATE") == std::string_view::npos && shown != "Transfer";
  types_.push_back({std::string(shown), kind_of(name), is_message, shown == "Transfer", {}});
}

void Interpreter::define_value() {
  const auto type = find_type(word(Field::type));
  if (!type) return undefined("type", word(Field::type));
  const std::string_view alias = has(Field::alias) ? word(Field::alias) : word(Field::name);
  const std::string_view name = has(Field::name) ? word(Field::name) : alias;
  types_[*type].values[std::string(alias)] = name;
  if (name.starts_with(paje_clock_origin))
    clock_origin_ = number_in<Nanoseconds>(name.substr(paje_clock_origin.size())).value_or(0);
}

void Interpreter::create_container() {
  const auto type = find_type(word(Field::type));
  if (!type || types_[*type].kind != TypeKind::container) return undefined("container type", word(Field::type));
  std::uint32_t parent = 0;
  if (has(Field::container)) {
    const auto found = find_container(word(Field::container));
    if (found) parent = *found;
    if (!found) undefined("container", word(Field::container));
  }
  const std::string_view alias = has(Field::alias) ? word(Field::alias) : word(Field::name);
  const std::string_view name = has(Field::name) ? word(Field::name) : alias;
  const auto id = static_cast<std::uint32_t>(containers_.size());
  const auto [at, is_new] = container_aliases_.try_emplace(std::string(alias), id);
  if (!is_new && !containers_[at->second].is_destroyed)
    return damaged("container " + quoted(alias) + " is created twice");
  at->second = id;
  const auto [named, first] = container_names_.try_emplace(std::string(name), id);
  if (!first && containers_[named->second].is_destroyed) named->second = id;
  containers_.push_back({std::string(name), *type, parent, false});
  if (has(Field::file))
    damage_.add("uninterpreted-event", line_, "events in another file, " + quoted(word(Field::file)));
  timed(EventName::create_container);
}

/// The end of a container is no loss, however it is named: as a name, an alias, a container, twice, or not at all.
void Interpreter::destroy_container() {
  for (const Field other : {Field::alias, Field::container}) {
    const auto known = find_container(word(Field::name));
    if (!known || containers_[*known].is_destroyed)
      words_by_field_[static_cast<std::size_t>(Field::name)] = word(other);
  }
  const auto container = find_container(word(Field::name));
  if (!has(Field::time) || !container || containers_[*container].is_destroyed)
    return damage_.add("uninterpreted-event", line_, "PajeDestroyContainer of no container that exists");
  timed(EventName::destroy_container);
}

void Interpreter::timed(EventName name) {
  Record record;
  record.name = name;
  record.file_line = line_;
  const auto time = decimal_time(word(Field::time), 9);
  if (!time) return damaged("the time " + quoted(word(Field::time)) + " is no number of seconds within 73 years");
  record.time = time->time;
  if (name == EventName::create_container) {
    record.container = static_cast<std::uint32_t>(containers_.size()) - 1;
  } else if (!entity(name, record)) {
    return;
  }
  if (time->rounded) damage_.add("rounded-time", line_, std::string(word(Field::time).substr(0, 60)));
  sink_.on_record(record);
  if (name == EventName::destroy_container) containers_[record.container].is_destroyed = true;
}

bool Interpreter::entity(EventName name, Record& record) {
  const std::string_view place = word(name == EventName::destroy_container ? Field::name
                                      : name == EventName::start_link      ? Field::start_container
                                      : name == EventName::end_link        ? Field::end_container
                                                                           : Field::container);
  const auto container = find_container(place);
  if (!container || containers_[*container].is_destroyed) {
    undefined("container", place);
    return false;
  }
  record.container = *container;
  if (name == EventName::destroy_container) return true;
  const auto type = find_type(word(Field::type));
  if (!type || types_[*type].kind != kind_of(name)) {
    undefined((std::string(text(kind_of(name))) + " type").c_str(), word(Field::type));
    return false;
  }
  record.type = *type;
  record.value = word(Field::value);
  if (const auto value = types_[*type].values.find(record.value); value != types_[*type].values.end())
    record.value = value->second;
  if (kind_of(name) == TypeKind::variable) {
    const auto value = read_metric_value(word(Field::value));
    if (!value || !std::isfinite(value->number())) {
      damaged("the value " + quoted(word(Field::value)) + " is no number");
      return false;
    }
    record.number = *value;
  }
  record.size = whole_number(word(Field::size));
  record.tag = number_in<std::int32_t>(word(Field::tag));
  record.file = word(Field::file);
  record.line = number_in<std::uint64_t>(word(Field::line));
  if (is_link(name)) {
    record.key = word(Field::key);
    record.is_message = types_[*type].is_message;
    record.is_transfer = types_[*type].is_transfer && (record.value == "put" || record.value == "get");
    if (!record.tag) record.tag = tag_of_key(record.key);
    if (has(Field::container)) {
      const auto owner = find_container(word(Field::container));
      if (owner) record.owner = *owner;
    }
  }
  return true;
}

std::optional<std::uint32_t> Interpreter::find_type(std::string_view word) const {
  auto found = type_aliases_.find(word);
  if (found != type_aliases_.end()) return found->second;
  found = type_names_.find(word);
  if (found != type_names_.end()) return found->second;
  return std::nullopt;
}

std::optional<std::uint32_t> Interpreter::find_container(std::string_view word) const {
  auto found = container_aliases_.find(word);
  if (found != container_aliases_.end()) return found->second;
  found = container_names_.find(word);
  if (found != container_names_.end()) return found->second;
  return std::nullopt;
}

}  // namespace mora::trace::paje
