/// A verb of the `mora` command: its name, help, options and function. One file per verb; verbs.cpp lists them.
/// The parser (CLI11), --help, man pages and shell completion are all made from this table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"

namespace mora::cli {

/// An option of a verb, as the parser, help, man page and completion need it.
struct Option {
  std::string flags;     ///< "-o,--output" or "--json"
  std::string argument;  ///< "DIR", "N"; empty = a switch
  std::string help;
  std::string default_text;  ///< shown in help; empty = none
};

/// An argument without a dash, with how often it may or must occur.
struct Positional {
  std::string name;  ///< "TRACE"
  std::string help;
  int min = 1;
  int max = 1;  ///< -1 = any number
};

/// The parsed command line. Options are named by their long name without dashes: "--rma-model" is "rma-model".
struct Arguments {
  std::map<std::string, std::vector<std::string>> options;
  std::vector<std::string> positionals;
  bool has(const std::string& name) const { return options.count(name) != 0; }
  std::string get(const std::string& name, const std::string& fallback = {}) const {
    auto it = options.find(name);
    return it == options.end() || it->second.empty() ? fallback : it->second.back();
  }
};

/// All that there is to know about a verb. One constant per verb; never changed.
struct Verb {
  std::string name;         ///< "record"; a verb of a group has a blank: "cube info"
  std::string summary;      ///< one line
  std::string description;  ///< paragraphs for --help and the man page
  std::vector<Positional> positionals;
  std::vector<Option> options;
  std::vector<std::pair<std::string, std::string>> examples;  ///< command, what it does
  bool passthrough = false;  ///< all words from the first positional (or --) on belong to the command it runs (record)
  /// Returns the exit code (0 fine, 1 finding or threshold); an Error is printed by main in one place.
  Result<int> (*run)(const Arguments&);
  /// run() gets all words (also --help) unparsed as positionals, because it parses options itself: long ones with one
  /// dash (map). The options above then serve help, man page and completion only.
  bool raw = false;
  std::string check_failed = {};  ///< when the exit code is 1; empty = never
};

}  // namespace mora::cli
