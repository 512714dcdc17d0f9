/// The first part of a Pajé file: which number means which event, and what its words are.
/// Source: Pajé, header of a trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mora::trace::paje {

enum class EventName : std::uint8_t {
  define_container_type,
  define_state_type,
  define_event_type,
  define_variable_type,
  define_link_type,
  define_entity_value,
  create_container,
  destroy_container,
  set_state,
  push_state,
  pop_state,
  reset_state,
  new_event,
  set_variable,
  add_variable,
  sub_variable,
  start_link,
  end_link,
  unknown,  ///< a name that the format does not have, or PajeTraceFile: not interpreted
};

/// What a word of an event line is. Old field names mean the same as their successors.
enum class Field : std::uint8_t {
  time,
  name,
  type,
  container,
  start_container_type,
  end_container_type,
  start_container,
  end_container,
  value,
  key,
  alias,
  size,
  tag,
  file,
  line,
  other,
  count
};
inline constexpr std::size_t field_count = static_cast<std::size_t>(Field::count);

struct EventDefinition {
  EventName name = EventName::unknown;
  std::vector<Field> fields;  ///< of the words behind the number
  std::string text;           ///< the name in the file
};

/// Not thread-safe.
class EventDefinitions {
 public:
  /// A line that starts with '%', split into words. Empty if it was understood, else the reason why not.
  std::string add_line(const std::vector<std::string_view>& words);
  /// Definition of the event number (any word); null if there is none or its definition was not ended.
  const EventDefinition* find(std::string_view number) const;
  bool empty() const { return definitions_.empty(); }
  bool is_open() const { return open_; }  ///< between %EventDef and %EndEventDef

 private:
  std::map<std::string, EventDefinition, std::less<>> definitions_;
  std::string number_;
  EventDefinition current_;
  bool open_ = false;
};

/// Words of a line: separated by blanks, strings in double quotes, '#' starts a comment. No escapes.
void split_line(std::string_view line, std::vector<std::string_view>& words);

}  // namespace mora::trace::paje
