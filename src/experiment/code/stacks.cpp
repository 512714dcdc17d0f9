/// Which frames are the program's, and how they become a path (stacks.h).
#include "experiment/code/stacks.h"

#include "base/text/source_place.h"
#include "journal/openmp_libraries.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace mora::experiment {

namespace {

/// What calls main, and what every thread begins with.
bool is_outside(std::string_view function) {
  static constexpr std::string_view names[] = {
      "_start",  "__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "clone3",
      "__clone", "__clone3"};
  function = function.substr(0, function.find('@'));
  return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) {
    return function == name || (function.starts_with(name) && function.substr(name.size()).starts_with("_impl"));
  });
}

bool is_recorder(std::string_view module) { return module.starts_with("libmora_mpi-"); }

/// Threads of an OpenMP team begin their part there: in a function of the recorder that GCC's library calls, or in one
/// of a library that tells by itself (src/measure/openmp).
bool begins_part(std::string_view module) {
  static constexpr std::string_view names[] = {MORA_OPENMP_LIBRARIES};
  return is_recorder(module) || std::any_of(std::begin(names), std::end(names),
                                            [&](std::string_view name) { return module.starts_with(name); });
}

/// The same in LLVM's library where it is linked into the program, by its own names.
bool is_of_linked_runtime(std::string_view function) { return function.find("__kmp") != function.npos; }

/// GCC's and clang's names for what a parallel region does.
bool is_body_of_region(std::string_view function) {
  return function.find("._omp_fn.") != function.npos || function.find(".omp_outlined") != function.npos ||
         function.find("_omp_outlined") != function.npos;
}

bool is_libc(std::string_view module) { return module.starts_with("libc.so") || module.starts_with("libc-2"); }

/// What every program in a language calls without saying so; `[vdso]` is in no module.
bool is_of_language(std::string_view module) {
  static constexpr std::string_view names[] = {
      "ld-linux",  "libm.so", "libm-2",      "libmvec",     "libpthread", "libdl",   "librt",   "libgcc_",
      "libstdc++", "libc++",  "libgfortran", "libquadmath", "libgomp",    "libiomp", "libasan", "libubsan"};
  return module.empty() || is_libc(module) ||
         std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return module.starts_with(name); });
}

/// Fortran's and other languages' calls of MPI pass through libraries of MPI itself.
bool is_mpi(std::string_view module) {
  return module.starts_with("libmpi") || module.starts_with("libopen-") || module.starts_with("liboshmem") ||
         module.starts_with("libmora_mpi");
}

}  // namespace

bool is_of_recorder(const ModuleMap& modules, std::uint64_t return_address) {
  return is_recorder(base_name(modules.find(return_address - 1).module));
}

void StackTable::take(const journal::Record& r) {
  auto inner = static_cast<std::uint32_t>(journal::pair_low(r.payload[0]));
  const auto count = static_cast<std::uint32_t>(journal::pair_high(r.payload[0]));
  for (std::uint32_t i = 0; i < count; ++i) {
    if (inner >= r.object + i) return;  // damaged
    frames_.try_emplace(r.object + i, Frame{r.payload[1 + i], inner});
    inner = r.object + i;
  }
}

std::vector<std::uint64_t> StackTable::addresses(std::uint64_t site) const {
  std::vector<std::uint64_t> found;
  auto number = static_cast<std::uint32_t>(site & ~MORA_SITE_STACK);
  while (number != 0) {
    const auto frame = frames_.find(number);
    if (frame == frames_.end()) return {};
    found.push_back(frame->second.address);
    number = frame->second.inner;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::uint32_t CallPaths::place_in(const CodeFunction& caller) {
  if (caller.at_line == 0) return archive::no_id;
  const SourcePlace place{caller.file, caller.at_line};
  return places_.try_emplace(place, static_cast<std::uint32_t>(places_.size())).first->second;
}

std::uint32_t CallPaths::child(std::uint32_t parent, const CodeFunction& function, std::uint32_t place) {
  const auto named = functions_.try_emplace(function, static_cast<std::uint32_t>(functions_.size())).first->second;
  if (named == last_lines_.size()) last_lines_.push_back(0);
  last_lines_[named] = std::max(last_lines_[named], function.last_line);
  // A function that is on the path already: back to there.
  for (auto at = parent; at != archive::no_id; at = callers_[at].parent)
    if (callers_[at].function == named) return at;
  const Node node{parent, named, place};
  const auto [known, is_new] = numbers_.try_emplace(node, static_cast<std::uint32_t>(callers_.size()));
  if (is_new) callers_.push_back(node);
  return known->second;
}

void CallPaths::append(std::vector<CodeFunction>& path, const ModuleMap& modules,
                       std::span<const std::uint64_t> addresses, bool has_teams) {
  for (auto address = addresses.rbegin(); address != addresses.rend(); ++address) {
    if (*address < std::size(cut_)) {
      ++cut_[*address];
      path.push_back({"(outer functions not known)", "", 0});
      continue;
    }
    const std::string module = modules.find(*address - 1).module;
    const auto name = base_name(module);
    if (has_teams && begins_part(name)) {
      path.clear();
      continue;
    }
    if (is_mpi(name) || is_recorder(name)) continue;
    if (is_interpreter(name)) {
      if (path.empty() || path.back().name != "python") path.push_back({"python", "", 0});
      continue;
    }
    auto functions = resolver_.functions(modules, *address);
    const bool in_libc = is_libc(name);
    for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
      if (is_outside(function->name) || (has_teams && is_of_linked_runtime(function->name))) {
        path.clear();  // what is outside of it, too: _start, which has no name where symbols were stripped
        continue;
      }
      if (in_libc && path.empty()) continue;
      if (function->name == "MAIN__" && !path.empty() && path.back().name == "main") path.pop_back();
      if (in_libc && function->name.starts_with("__GI_")) function->name.erase(0, 5);  // libc's own name for it
      path.push_back(std::move(*function));
    }
  }
}

std::vector<CodeFunction> CallPaths::functions_on(const ModuleMap& modules, const PythonPlaces& places,
                                                  const std::vector<std::uint64_t>& addresses, bool has_teams) {
  const auto stack = python_stack(modules, addresses);
  std::vector<CodeFunction> path;
  append(path, modules, stack.outside, has_teams);
  for (auto frame = stack.python.rbegin(); frame != stack.python.rend(); ++frame) {
    const CodeFunction* function = places.find(*frame);
    if (*frame < std::size(cut_))
      append(path, modules, {&*frame, 1}, has_teams);
    else if (function != nullptr && !is_of_interpreter(*function))
      path.push_back(*function);
  }
  append(path, modules, stack.inside, has_teams);
  return path;
}

std::optional<CallSite> python_site(const ModuleMap& modules, const PythonPlaces& places,
                                    const std::vector<std::uint64_t>& addresses) {
  const auto stack = python_stack(modules, addresses);
  if (!stack.calls_from_python) return std::nullopt;
  for (const auto frame : stack.python) {
    const CodeFunction* function = places.find(frame);
    if (function != nullptr && !is_of_interpreter(*function) && function->at_line != 0)
      return CallSite{function->file, function->at_line, ""};
  }
  return std::nullopt;
}

std::uint32_t CallPaths::caller(const ModuleMap& modules, const PythonPlaces& places,
                                const std::vector<std::uint64_t>& addresses, bool has_teams) {
  std::uint32_t caller = archive::no_id;
  for (const auto& function : functions_on(modules, places, addresses, has_teams)) {
    const bool is_body = caller == archive::no_id && is_body_of_region(function.name);
    if (!is_body) caller = child(caller, function, archive::no_id);
  }
  return caller;
}

std::uint32_t CallPaths::sampled(const ModuleMap& modules, const PythonPlaces& places, std::uint64_t address,
                                 const std::vector<std::uint64_t>& around, bool has_teams) {
  std::vector<std::uint64_t> addresses{address + 1};  // looked up as if it were in front of a return address
  addresses.insert(addresses.end(), around.begin(), around.end());
  const auto is_own = [&](std::uint64_t one) {
    return one >= std::size(cut_) && !is_of_language(base_name(modules.find(one - 1).module));
  };
  if (const auto own = std::find_if(addresses.begin(), addresses.end(), is_own); own != addresses.end())
    addresses.erase(addresses.begin(), own);
  const auto path = functions_on(modules, places, addresses, has_teams);
  std::uint32_t caller = archive::no_id;
  for (std::size_t i = 0; i < path.size(); ++i)
    caller = child(caller, path[i], i == 0 ? archive::no_id : place_in(path[i - 1]));
  return caller;
}

void CallPaths::finish(archive::Definitions& out) const {
  auto& regions = out.regions;
  const auto first = static_cast<std::uint32_t>(regions.size());
  regions.resize(first + functions_.size());
  for (const auto& [function, number] : functions_) {
    archive::Region& region = regions[first + number];
    region.function = function.name;
    region.file = function.file;
    region.line = function.line;
    region.last_line = last_lines_[number];
    region.kind = archive::RegionKind::user;
  }
  for (const Node& node : callers_) out.callers.push_back({node.parent, first + node.function, node.place});
  out.call_places.resize(places_.size());
  for (const auto& [place, number] : places_) out.call_places[number] = place;
}

void CallPaths::report(DataQuality& quality) const {
  static constexpr const char* why[] = {"",
                                        "more functions than --stack allows",
                                        "code without unwind tables (generated code, hand-written assembly)",
                                        "a frame whose unwind table is of an unusual kind",
                                        "a signal handler",
                                        "another stack than the thread's own (coroutine, alternate signal stack)",
                                        "a frame that does not fit its unwind table"};
  const auto remedy = [](std::size_t reason) {
    return reason == MORA_STACK_TOO_DEEP   ? "record with a larger --stack"
           : reason == MORA_STACK_NO_TABLE ? "compile with -fasynchronous-unwind-tables, the default on x86-64"
                                           : "";
  };
  for (std::size_t reason = 1; reason < std::size(cut_); ++reason)
    if (cut_[reason] != 0)
      quality.add("call-path-cut", Severity::info, why[reason], cut_[reason],
                  "call paths whose outer functions are not known: they begin at \"(outer functions not known)\"",
                  remedy(reason));
}

}  // namespace mora::experiment
