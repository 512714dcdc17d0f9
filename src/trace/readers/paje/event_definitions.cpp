#include "trace/readers/paje/event_definitions.h"

#include <array>
#include <utility>

namespace mora::trace::paje {
namespace {

constexpr std::array<std::pair<std::string_view, EventName>, 18> event_names{{
    {"PajeDefineContainerType", EventName::define_container_type},
    {"PajeDefineStateType", EventName::define_state_type},
    {"PajeDefineEventType", EventName::define_event_type},
    {"PajeDefineVariableType", EventName::define_variable_type},
    {"PajeDefineLinkType", EventName::define_link_type},
    {"PajeDefineEntityValue", EventName::define_entity_value},
    {"PajeCreateContainer", EventName::create_container},
    {"PajeDestroyContainer", EventName::destroy_container},
    {"PajeSetState", EventName::set_state},
    {"PajePushState", EventName::push_state},
    {"PajePopState", EventName::pop_state},
    {"PajeResetState", EventName::reset_state},
    {"PajeNewEvent", EventName::new_event},
    {"PajeSetVariable", EventName::set_variable},
    {"PajeAddVariable", EventName::add_variable},
    {"PajeSubVariable", EventName::sub_variable},
    {"PajeStartLink", EventName::start_link},
    {"PajeEndLink", EventName::end_link},
}};

constexpr std::array<std::pair<std::string_view, Field>, 28> field_names{{
    {"Time", Field::time},
    {"Name", Field::name},
    {"Type", Field::type},
    {"ContainerType", Field::type},
    {"EntityType", Field::type},
    {"Container", Field::container},
    {"StartContainerType", Field::start_container_type},
    {"SourceContainerType", Field::start_container_type},
    {"EndContainerType", Field::end_container_type},
    {"DestContainerType", Field::end_container_type},
    {"StartContainer", Field::start_container},
    {"SourceContainer", Field::start_container},
    {"EndContainer", Field::end_container},
    {"DestContainer", Field::end_container},
    {"Value", Field::value},
    {"Key", Field::key},
    {"Alias", Field::alias},
    {"Size", Field::size},
    {"Bytes", Field::size},
    {"Tag", Field::tag},
    {"File", Field::file},
    {"FileName", Field::file},
    {"Filename", Field::file},
    {"Fname", Field::file},
    {"Line", Field::line},
    {"LineNumber", Field::line},
    {"Linenumber", Field::line},
    {"Lnumber", Field::line},
}};

template <class Table, class Value>
Value look_up(const Table& table, std::string_view name, Value otherwise) {
  for (const auto& [key, value] : table) {
    if (key == name) return value;
  }
  return otherwise;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\n'; }

}  // namespace

std::string EventDefinitions::add_line(const std::vector<std::string_view>& words) {
  std::size_t at = 0;
  std::string_view first = words[0].substr(1);
  if (first.empty() && words.size() > 1) first = words[++at];
  if (first == "EventDef") {
    if (words.size() < at + 3) return "expected '%EventDef NAME NUMBER'";
    const bool was_open = std::exchange(open_, true);
    current_ = {};
    current_.text = words[at + 1];
    current_.name = look_up(event_names, words[at + 1], EventName::unknown);
    number_ = words[at + 2];
    return was_open ? "the definition before has no %EndEventDef and is left out" : "";
  }
  if (!open_) return "expected '%EventDef'";
  if (first == "EndEventDef") {
    open_ = false;
    definitions_[number_] = std::move(current_);
    return {};
  }
  if (words.size() < at + 2) return "expected the name and the type of a field";
  current_.fields.push_back(look_up(field_names, first, Field::other));
  return {};
}

const EventDefinition* EventDefinitions::find(std::string_view number) const {
  const auto found = definitions_.find(number);
  return found == definitions_.end() ? nullptr : &found->second;
}

void split_line(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size() || line[at] == '#') return;
    std::size_t end = at;
    if (line[at] == '"') {
      end = line.find('"', ++at);
      if (end == std::string_view::npos) end = line.size();
      words.push_back(line.substr(at, end - at));
      at = end + (end < line.size() ? 1 : 0);
      continue;
    }
    while (end < line.size() && !is_blank(line[end]) && line[end] != '#') ++end;
    words.push_back(line.substr(at, end - at));
    at = end;
  }
}

}  // namespace mora::trace::paje
