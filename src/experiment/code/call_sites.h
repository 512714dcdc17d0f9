/// From the return address of a call to file and line, after the run.
///
/// Each process left a copy of /proc/self/maps (further copies follow when modules appeared later). An address is
/// turned into (module file, offset in that file), which is the same for all processes, and looked up once per job with
/// elfutils at "return address - 1", which is inside the call instruction. Works for PIE, shared libraries, ASLR and
/// Fortran; separate debug files are found as usual. Without line information the answer is the
/// function's name and the offset in it; where no symbol covers it (stripped), module+offset.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace mora::experiment {

/// Executable mappings of one process.
class ModuleMap {
 public:
  /// Text of the copies of /proc/PID/maps, separated by lines "--- <ticks>". Lines it does not understand are skipped.
  static ModuleMap parse(std::string_view text);

  struct Place {
    std::string module;        ///< path of the file; empty = in no mapping
    std::uint64_t offset = 0;  ///< in that file
  };
  /// O(mappings).
  Place find(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t begin, end, offset;
    std::string path;
  };
  std::vector<Range> ranges_;  ///< later copies behind earlier ones
};

struct CallSite {
  std::string file;  ///< absolute where the debug information says so; empty = unknown
  std::uint32_t line = 0;
  std::string
      symbol;  ///< "ring::step(int) + 0x3a" or "libx.so+0x12ab", set where file is empty (and the module is known)
};

/// A function of the program that was on a stack: where it is defined, as far as known.
struct CodeFunction {
  std::string name;  ///< demangled; "module+0x12ab" where no symbol covers it
  std::string file;
  std::uint32_t line = 0;
  /// No part of what tells functions apart: where it ends, as far as its code here shows; the line of `file` that the
  /// address stands for (of an inlined call: the call). 0: unknown.
  std::uint32_t last_line = 0, at_line = 0;
  auto operator<=>(const CodeFunction& other) const {
    return std::tie(name, file, line) <=> std::tie(other.name, other.file, other.line);
  }
  bool operator==(const CodeFunction& other) const { return (*this <=> other) == 0; }
};

/// Thread-safe.
class CallSiteResolver {
 public:
  CallSiteResolver();
  ~CallSiteResolver();
  CallSite resolve(const ModuleMap& modules, std::uint64_t return_address);
  /// The functions that hold the call, innermost first: those that were inlined there, then the one with code of its
  /// own. Empty: the address is in no module.
  std::vector<CodeFunction> functions(const ModuleMap& modules, std::uint64_t return_address);

  /// Modules that were asked for but cannot be opened or changed after `run_start_ns` (CLOCK_REALTIME).
  std::vector<std::string> missing_modules() const;
  /// Of modules built with -gsplit-dwarf: files with what is known of functions that cannot be read, as far as they
  /// were asked for.
  std::map<std::string, std::set<std::string>> missing_parts() const;
  /// Likewise, of modules of which dwz has moved a part to a file that several have in common.
  std::map<std::string, std::string> missing_shared_files() const;
  std::vector<std::string> changed_modules(std::uint64_t run_start_ns) const;

 private:
  struct Module;
  /// Asks elfutils; the caller holds the lock.
  CallSite look_up(const std::string& module, std::uint64_t offset);
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Module>> modules_;
  std::map<std::pair<std::string, std::uint64_t>, CallSite> known_;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<CodeFunction>> functions_;
};

}  // namespace mora::experiment
