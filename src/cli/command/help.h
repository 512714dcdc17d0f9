/// Help texts, man pages and completion scripts: strings, all made from the verb table. Pure functions; safe from any
/// thread.
#pragma once

#include <string>
#include <vector>

#include "cli/command/verb.h"

namespace mora::cli {

/// `mora --help`: verbs by group.
std::string overview();

/// `mora VERB --help`, 80 columns wide.
std::string verb_help(const Verb& verb);

/// `mora cube --help`.
std::string family_help(const std::string& family);

/// "mora print [options] TRACE".
std::string usage_line(const Verb& verb);

/// roff text (man macros) of mora-VERB.1, and of mora.1.
std::string man_page(const Verb& verb);
std::string man_overview();

/// Completion script for "bash", "zsh" or "fish"; empty for any other shell.
std::string completion_script(const std::string& shell);

/// Exit codes with what they mean.
using ExitCodes = std::vector<std::pair<int, std::string>>;

/// All exit codes of Mora.
const ExitCodes& exit_codes();

/// Those that this verb can end with; of a verb that runs a command only Mora's own.
ExitCodes exit_codes(const Verb& verb);

/// "--output" of "-o,--output"; "-v" if there is no long form.
std::string long_flag(const Option& option);

/// Every spelling: {"-o", "--output"}.
std::vector<std::string> flag_spellings(const Option& option);

}  // namespace mora::cli
