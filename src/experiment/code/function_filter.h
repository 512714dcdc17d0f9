/// Which functions of a program that was built with -finstrument-functions are kept (`mora record --functions FILE`).
///
/// A file of rules, one per line: `include PATTERN` or `exclude PATTERN`; `#` begins a comment. A pattern is that of
/// file names (* any text, ? one character, [abc] one of these) and fits the demangled name of a function, with or
/// without its arguments. Of the rules that fit the last one counts; functions that none fits are kept.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace mora::experiment {

class FunctionFilter {
 public:
  /// Errors (usage): a line that is no rule; `name` is that of the file, for the message.
  static Result<FunctionFilter> parse(std::string_view text, const std::string& name);
  /// Without the file: keeps everything. Errors: as parse(); system: cannot read it.
  static Result<FunctionFilter> read(const std::string& path);

  /// O(rules).
  bool includes(const std::string& function) const;

 private:
  struct Rule {
    bool is_include;
    std::string pattern;
  };
  std::vector<Rule> rules_;
};

}  // namespace mora::experiment
