/// What numbers of a Paraver trace mean: the .pcf file beside it, else what Extrae is known to write (extrae.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/readers/paraver/syntax/line_reader.h"

namespace mora::trace::paraver {

/// Labels of event types, values and states. Thread safety: const members from any thread once it is read.
class Labels {
 public:
  /// Reads STATES, EVENT_TYPE and VALUES sections; everything else (colours, options) is passed over. Of two labels for
  /// one number the first stays. Nothing in a .pcf makes a trace unreadable.
  void read_pcf(LineReader& lines);

  // Labels by number; nullptr: there is none.
  const std::string* type(std::uint64_t type) const;
  const std::string* value(std::uint64_t type, std::uint64_t value) const;
  const std::string* state(std::uint64_t state) const;
  bool empty() const { return types_.empty() && states_.empty(); }

 private:
  struct Type {
    std::string label;
    std::uint32_t values = 0;  ///< index in values_
  };
  using Names = std::unordered_map<std::uint64_t, std::string>;
  void mend_extrae();

  std::unordered_map<std::uint64_t, Type> types_;
  std::vector<Names> values_;  ///< types of one EVENT_TYPE block share their values
  Names states_;
};

/// "75 (jacobi.c, /path/a.out)" and "75 (jac...) [75 (jacobi.c)]", as Extrae labels source lines. False: it is none.
bool parse_source_line(std::string_view label, std::uint32_t& line, std::string& file);

/// The names behind "LEVEL NODE SIZE n" of a .row file, at most `most`; fewer if the file is cut.
std::vector<std::string> read_node_names(LineReader& lines, std::size_t most);

}  // namespace mora::trace::paraver
