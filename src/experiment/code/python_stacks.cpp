#include "experiment/code/python_stacks.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/text/source_place.h"

namespace mora::experiment {

namespace {

/// Modules that pass a call on from Python, mpi4py's and those for any function of C.
bool is_binding(std::string_view module) {
  static constexpr std::string_view names[] = {"MPI.cpython-", "MPI.abi3.", "_ctypes.", "_cffi_backend.",
                                               "libffi.so",    "libmpi",    "libopen-", "libmora_mpi"};
  return module.empty() || std::any_of(std::begin(names), std::end(names),
                                       [&](std::string_view name) { return module.starts_with(name); });
}

}  // namespace

void PythonPlaces::take(const journal::Record& r) {
  const auto number = [](std::int32_t line) { return static_cast<std::uint32_t>(std::max(line, 0)); };
  const auto file_bytes = static_cast<std::uint32_t>(journal::pair_low(r.payload[1]));
  const auto name_bytes = static_cast<std::uint32_t>(journal::pair_high(r.payload[1]));
  const auto* text = reinterpret_cast<const char*>(r.payload.data() + 3);
  CodeFunction function;
  function.file.assign(text, file_bytes);
  function.name.assign(text + (std::size_t{file_bytes} + 7) / 8 * 8, name_bytes);
  function.at_line = number(journal::pair_low(r.payload[0]));
  function.line = number(journal::pair_high(r.payload[0]));
  function.last_line = number(journal::pair_low(r.payload[2]));
  places_.try_emplace(MORA_STACK_PYTHON + r.object, std::move(function));
}

const CodeFunction* PythonPlaces::find(std::uint64_t frame) const {
  const auto found = places_.find(frame);
  return found == places_.end() ? nullptr : &found->second;
}

bool is_interpreter(std::string_view module) {
  return module.starts_with("python3") || module.starts_with("libpython3");
}

bool is_of_interpreter(const CodeFunction& function) { return function.file.starts_with("<frozen "); }

PythonStack python_stack(const ModuleMap& modules, std::span<const std::uint64_t> frames) {
  const auto module_of = [&](std::uint64_t address) { return modules.find(address - 1).module; };
  const auto calls_interpreter = [&](std::uint64_t address) { return is_interpreter(base_name(module_of(address))); };
  const auto begin =
      std::find_if(frames.begin(), frames.end(), [](std::uint64_t frame) { return (frame & MORA_STACK_PYTHON) != 0; });
  PythonStack stack;
  if (begin == frames.end()) {
    stack.outside = frames;
    return stack;
  }
  const std::span<const std::uint64_t> native(frames.begin(), begin);
  stack.python = {begin, frames.end()};
  const auto innermost = std::find_if(native.begin(), native.end(), calls_interpreter);
  const auto outermost = std::find_if(native.rbegin(), native.rend(), calls_interpreter);
  if (innermost == native.end()) {  // linked into the program, under another name
    stack.calls_from_python = true;
    return stack;
  }
  stack.inside = {native.begin(), innermost};
  while (!stack.inside.empty() && is_binding(base_name(module_of(stack.inside.back()))))
    stack.inside = stack.inside.first(stack.inside.size() - 1);
  stack.calls_from_python = stack.inside.empty();
  stack.outside = {outermost.base(), native.end()};
  return stack;
}

}  // namespace mora::experiment
