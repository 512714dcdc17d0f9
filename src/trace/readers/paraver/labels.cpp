#include "trace/readers/paraver/labels.h"

#include <algorithm>

#include "base/text/trimmed.h"
#include "trace/readers/paraver/extrae.h"
#include "trace/readers/paraver/syntax/numbers.h"

namespace mora::trace::paraver {
namespace {

constexpr std::string_view blanks = " \t";

/// Takes a number and the blanks behind it off the front.
bool take_number(std::string_view& text, std::uint64_t& value) {
  const std::size_t end = std::min(text.find_first_of(blanks), text.size());
  Number number;
  Fields fields(text.substr(0, end));
  if (!fields.take(number) || !fields.done()) return false;
  value = number.bits;
  text = trimmed(text.substr(end), blanks);
  return true;
}

bool is_heading(std::string_view line) {
  return !line.empty() && line[0] >= 'A' && line[0] <= 'Z' &&
         line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos;
}

}  // namespace

// A heading in capitals begins a section; VALUES belong to all types of the EVENT_TYPE block before it.
void Labels::read_pcf(LineReader& lines) {
  enum class Section { other, states, types, values } section = Section::other;
  values_.emplace_back();  // of types without VALUES
  std::vector<std::uint64_t> block;
  std::string_view raw;
  while (lines.next(raw)) {
    std::string_view line = trimmed(raw, blanks);
    if (is_heading(line)) {
      if (line == "STATES") {
        section = Section::states;
      } else if (line == "EVENT_TYPE") {
        section = Section::types;
        block.clear();
      } else if (line == "VALUES" && section == Section::types && !block.empty()) {
        section = Section::values;
        values_.emplace_back();
        for (const std::uint64_t type : block) types_.at(type).values = static_cast<std::uint32_t>(values_.size() - 1);
      } else {
        section = Section::other;
      }
      continue;
    }
    std::uint64_t first = 0, number = 0;
    if (section == Section::other || !take_number(line, first)) continue;
    if (section == Section::states) states_.try_emplace(first, line);
    if (section == Section::values) values_.back().try_emplace(first, line);
    if (section == Section::types && take_number(line, number) &&
        types_.try_emplace(number, Type{std::string(line), 0}).second)
      block.push_back(number);
  }
  mend_extrae();
}

/// Extrae has labelled MPI_Win_start and MPI_Win_complete the wrong way round; their numbers never changed.
void Labels::mend_extrae() {
  const auto at = types_.find(extrae::mpi_one_sided);
  if (at == types_.end() || at->second.values == 0) return;
  Names& names = values_[at->second.values];
  const auto start = names.find(extrae::win_start), complete = names.find(extrae::win_complete);
  if (start == names.end() || complete == names.end()) return;
  if (start->second == "MPI_Win_complete" && complete->second == "MPI_Win_start")
    std::swap(start->second, complete->second);
}

const std::string* Labels::type(std::uint64_t type) const {
  const auto at = types_.find(type);
  return at == types_.end() ? nullptr : &at->second.label;
}

const std::string* Labels::value(std::uint64_t type, std::uint64_t value) const {
  const auto at = types_.find(type);
  if (at == types_.end()) return nullptr;
  const Names& names = values_[at->second.values];
  const auto name = names.find(value);
  return name == names.end() || name->second.empty() ? nullptr : &name->second;
}

const std::string* Labels::state(std::uint64_t state) const {
  const auto at = states_.find(state);
  return at == states_.end() || at->second.empty() ? nullptr : &at->second;
}

bool parse_source_line(std::string_view label, std::uint32_t& line, std::string& file) {
  // A shortened file name is followed by the long form in brackets.
  if (const std::size_t longer = label.find(") ["); longer != std::string_view::npos && label.ends_with("]"))
    label = label.substr(longer + 3, label.size() - longer - 4);
  std::uint64_t number = 0;
  Fields fields(label);
  if (!fields.take(number, ' ') || number == 0 || number > UINT32_MAX) return false;
  std::string_view rest = fields.rest();
  if (rest.size() < 3 || rest.front() != '(' || rest.back() != ')') return false;
  rest = rest.substr(1, rest.size() - 2);
  rest = trimmed(rest.substr(0, rest.find(',')), blanks);
  if (rest.empty() || rest == "Unresolved" || rest == "_NOT_Found") return false;
  line = static_cast<std::uint32_t>(number);
  file = rest;
  return true;
}

std::vector<std::string> read_node_names(LineReader& lines, std::size_t most) {
  constexpr std::string_view level = "LEVEL ", node = "LEVEL NODE";
  std::vector<std::string> names;
  bool inside = false;
  std::string_view raw;
  while (lines.next(raw) && names.size() < most) {
    const std::string_view line = trimmed(raw, blanks);
    if (line.starts_with(level))
      inside = line.starts_with(node);
    else if (inside && !line.empty())
      names.emplace_back(line);
  }
  return names;
}

}  // namespace mora::trace::paraver
