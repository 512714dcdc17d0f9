/// Interpreter: lines of a Pajé file to records with resolved types, containers and values.
///
/// Source: Pajé; the dialects of SimGrid, pajeng and EZTrace where they differ (docs/formats/paje.md).
/// The file is read twice (paje_source.cpp): the number of a container or type is its place among the definitions and
/// so the same both times. What cannot be interpreted is counted in `damage`, with the first line and the reason.
/// Cost: O(line + log names) per line. Memory: types, values and containers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_quality.h"
#include "base/time.h"
#include "trace/metrics/metric_value.h"
#include "trace/readers/paje/event_definitions.h"

namespace mora::trace::paje {

enum class TypeKind : std::uint8_t { container, state, event, variable, link };

struct Type {
  std::string name;
  TypeKind kind = TypeKind::container;
  bool is_message = true, is_transfer = false;
  std::map<std::string, std::string, std::less<>> values;  ///< alias -> name
};

struct Container {
  std::string name;
  std::uint32_t type = 0;
  std::uint32_t parent = 0;  ///< a smaller number; the root is its own parent
  bool is_destroyed = false;
};

/// One event line. Views live until the next line is fed.
struct Record {
  EventName name = EventName::unknown;
  std::uint64_t file_line = 0;
  Nanoseconds time = 0;
  std::uint32_t type = 0;       ///< of container, state, event, variable or link
  std::uint32_t container = 0;  ///< whose time line it is; links: the start or end container
  std::uint32_t owner = 0;      ///< links: the container that holds the link
  std::string_view value;       ///< name of the value
  MetricValue number;           ///< variables
  std::string_view key, file;
  std::optional<std::uint64_t> size, line;
  std::optional<std::int32_t> tag;
  bool is_message = true;    ///< links: not one that by its type is a migration or a one-sided transfer
  bool is_transfer = false;  ///< links: a Put or Get as Mora writes them (docs/formats/exports.md)
};

/// Receives the records in the order of the file.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void on_record(const Record& record) = 0;
};

/// Counts damage by kind, with the line and the reason of the first occurrence.
class Damage {
 public:
  void add(const char* kind, std::uint64_t line, const std::string& why);
  void report(DataQuality& quality) const;

 private:
  struct Entry {
    std::uint64_t count = 0;
    std::string first;
  };
  std::map<std::string, Entry> entries_;
};

/// Not thread-safe.
class Interpreter {
 public:
  explicit Interpreter(RecordSink& sink);
  /// The next line, without its end.
  void feed(std::string_view line);
  /// The next line was too long to be read: counted as damage.
  void feed_too_long();

  const std::vector<Type>& types() const { return types_; }
  const std::vector<Container>& containers() const { return containers_; }  ///< 0 is the root
  const EventDefinitions& definitions() const { return definitions_; }
  std::uint64_t lines() const { return line_; }
  Nanoseconds clock_origin() const { return clock_origin_; }  ///< what Mora's exports say of time 0
  Damage& damage() { return damage_; }

 private:
  using Words = std::string_view[field_count];
  void event(const EventDefinition& definition);
  bool has_all(const EventDefinition& definition, std::initializer_list<Field> needed);
  void define_type(EventName name);
  void define_value();
  void create_container();
  void destroy_container();
  void timed(EventName name);
  bool entity(EventName name, Record& record);

  std::optional<std::uint32_t> find_type(std::string_view word) const;
  std::optional<std::uint32_t> find_container(std::string_view word) const;
  std::string_view word(Field field) const { return words_by_field_[static_cast<std::size_t>(field)]; }
  bool has(Field field) const { return word(field).data() != nullptr; }
  void damaged(const std::string& why) { damage_.add("damaged-record", line_, why); }
  void undefined(const char* what, std::string_view word);

  RecordSink& sink_;
  EventDefinitions definitions_;
  std::vector<Type> types_;
  std::vector<Container> containers_;
  std::map<std::string, std::uint32_t, std::less<>> type_aliases_, type_names_;
  std::map<std::string, std::uint32_t, std::less<>> container_aliases_, container_names_;
  std::vector<std::string_view> words_;
  Words words_by_field_ = {};
  std::uint64_t line_ = 0;
  Nanoseconds clock_origin_ = 0;
  Damage damage_;
};

}  // namespace mora::trace::paje
