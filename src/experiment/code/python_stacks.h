/// Functions of Python on a stack: which of its frames they are, and for which of the interpreter's they stand.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>

#include "experiment/code/call_sites.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

/// The places in Python functions that one thread defined. Filled by one thread.
class PythonPlaces {
 public:
  /// Of a DEFINE_PLACE record.
  void take(const journal::Record& record);
  /// The function, with the line at which it is in `at_line`; nullptr: not defined.
  const CodeFunction* find(std::uint64_t frame) const;

 private:
  std::unordered_map<std::uint64_t, CodeFunction> places_;
};

/// A stack's frames, innermost first. Functions of C that stand between two stretches of Python are in no part: which
/// of the functions of Python they stand between is not known.
struct PythonStack {
  /// What the interpreter called, and called MPI: without the bindings of Python to MPI or C.
  std::span<const std::uint64_t> inside;
  bool calls_from_python = false;          ///< nothing but bindings is there
  std::span<const std::uint64_t> python;   ///< of these the last may be an enum mora_stack_end
  std::span<const std::uint64_t> outside;  ///< what called the interpreter
};

bool is_interpreter(std::string_view module);
/// `frames` as StackTable::addresses has them. Without functions of Python all is outside.
PythonStack python_stack(const ModuleMap& modules, std::span<const std::uint64_t> frames);
/// What no user wrote: the interpreter's own way to import and run modules.
bool is_of_interpreter(const CodeFunction& function);

}  // namespace mora::experiment
