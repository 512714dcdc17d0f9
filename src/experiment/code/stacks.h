/// Call paths of one job: from the stacks of its journals (DEFINE_STACK) to functions of the program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/definitions.h"
#include "base/data_quality.h"
#include "experiment/code/call_sites.h"
#include "experiment/code/python_stacks.h"
#include "journal/journal_reader.h"

namespace mora::experiment {

inline bool is_stack(std::uint64_t site) { return (site & MORA_SITE_STACK) != 0; }

/// Whether the recorder called: what called MPI, or waits for a team, was the last thing that a function did which the
/// recorder had called, and a jump (rule call-in-last-place).
bool is_of_recorder(const ModuleMap& modules, std::uint64_t return_address);

/// The stacks that one process defined. Filled by one thread.
class StackTable {
 public:
  /// Of a DEFINE_STACK record. Frames that contradict each other are left out.
  void take(const journal::Record& record);
  /// Return addresses, innermost (the call's) first, then places of Python; the last of each may be an enum
  /// mora_stack_end. Empty: not defined.
  std::vector<std::uint64_t> addresses(std::uint64_t site) const;

 private:
  struct Frame {
    std::uint64_t address = 0;
    std::uint32_t inner = 0;
  };
  std::unordered_map<std::uint32_t, Frame> frames_;
};

/// Where in a Python program MPI was called; nothing if it was not called from Python.
std::optional<CallSite> python_site(const ModuleMap& modules, const PythonPlaces& places,
                                    const std::vector<std::uint64_t>& addresses);

/// Functions and paths of all processes, numbered in the order in which they are asked for. Not thread-safe.
class CallPaths {
 public:
  explicit CallPaths(CallSiteResolver& resolver) : resolver_(resolver) {}

  /// Number of the caller, archive::no_id if nothing is known of it. Left out: what is outside of main, the MPI
  /// library. Functions of Python stand for the interpreter's frames, of which those in a row are one, "python", where
  /// they are not known. A function that calls itself, directly or through others, is one node, as in EXPERT (Wolf
  /// 2003): the path is that of its first call.
  /// `has_teams`: parallel regions of the thread were recorded, and stand for what is outside of OpenMP's library.
  std::uint32_t caller(const ModuleMap& modules, const PythonPlaces& places,
                       const std::vector<std::uint64_t>& addresses, bool has_teams);

  /// The caller of a sample: `address` of its instruction, then the return addresses around it. Time in the libraries
  /// of languages (libc, libm, …) belongs to the function that called them. Functions are told apart by where they are
  /// called, too.
  std::uint32_t sampled(const ModuleMap& modules, const PythonPlaces& places, std::uint64_t address,
                        const std::vector<std::uint64_t>& around, bool has_teams);

  /// Appends the functions to the regions of `out`, and fills its callers and call places.
  void finish(archive::Definitions& out) const;
  void report(DataQuality& quality) const;

 private:
  struct Node {
    std::uint32_t parent = archive::no_id, function = 0, place = archive::no_id;
    auto operator<=>(const Node&) const = default;
  };
  /// The program's functions on a stack, outermost first.
  std::vector<CodeFunction> functions_on(const ModuleMap& modules, const PythonPlaces& places,
                                         const std::vector<std::uint64_t>& addresses, bool has_teams);
  /// Of addresses, innermost first.
  void append(std::vector<CodeFunction>& path, const ModuleMap& modules, std::span<const std::uint64_t> addresses,
              bool has_teams);
  std::uint32_t child(std::uint32_t parent, const CodeFunction& function, std::uint32_t place);
  /// Where `caller` calls the next one.
  std::uint32_t place_in(const CodeFunction& caller);

  CallSiteResolver& resolver_;
  std::vector<Node> callers_;
  std::map<Node, std::uint32_t> numbers_;
  std::map<CodeFunction, std::uint32_t> functions_;
  std::map<SourcePlace, std::uint32_t> places_;
  std::vector<std::uint32_t> last_lines_;  ///< by function
  std::uint64_t cut_[7] = {};              ///< stacks by enum mora_stack_end
};

}  // namespace mora::experiment
