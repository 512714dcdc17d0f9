/// From argv to a verb and its arguments. The only unit that includes CLI11.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command/verb.h"

namespace mora::cli {

/// What the command line asks for: a text to print (help, version), or a verb to run.
struct Request {
  std::string text;            ///< not empty: print it on stdout and exit 0
  const Verb* verb = nullptr;  ///< else run this
  Arguments arguments;
};

/// `words` is argv without the program's name. Errors are of kind usage.
Result<Request> parse_command_line(const std::vector<std::string>& words);

/// The part after the verb's name. Errors likewise.
Result<Request> parse_verb(const Verb& verb, const std::vector<std::string>& words);

}  // namespace mora::cli
