/// Every verb of the `mora` command, in the order of `mora --help`.
/// A verb lives in its own file, src/cli/<family>/<verb>.cpp, which includes this header and defines
/// `const Verb verb_<verb> = {…};`. Adding one: the declaration here, a line in verbs.cpp, the file.
#pragma once

#include <string>
#include <vector>

#include "cli/command/verb.h"

namespace mora::cli {

extern const Verb verb_record;
extern const Verb verb_estimate;
extern const Verb verb_recover;
extern const Verb verb_doctor;
extern const Verb verb_info;
extern const Verb verb_print;
extern const Verb verb_convert;
extern const Verb verb_analyze;
extern const Verb verb_report;
extern const Verb verb_view;
extern const Verb verb_explain;
extern const Verb verb_advise;
extern const Verb verb_script;
extern const Verb verb_shell;
extern const Verb verb_compare;
extern const Verb verb_pattern_record;
extern const Verb verb_pattern_dryrun;
extern const Verb verb_pattern_parse;
extern const Verb verb_pattern_matrix;
extern const Verb verb_pattern_features;
extern const Verb verb_map;
extern const Verb verb_calibrate;
extern const Verb verb_predict;
extern const Verb verb_cube_info;
extern const Verb verb_cube_dump;
extern const Verb verb_cube_stat;
extern const Verb verb_cube_diff;
extern const Verb verb_cube_merge;
extern const Verb verb_cube_mean;
extern const Verb verb_cube_cut;
extern const Verb verb_man;         ///< hidden: writes the man pages
extern const Verb verb_completion;  ///< hidden: prints a shell's completion script

/// Verbs under one heading of `mora --help`.
struct VerbGroup {
  std::string title;  ///< "measure"; empty = hidden from help, man pages and completion
  std::vector<const Verb*> verbs;
};

/// The table behind --help, man pages and completion. Static; safe from any thread.
const std::vector<VerbGroup>& verb_groups();

/// nullptr if there is none of that full name ("cube info").
const Verb* find_verb(const std::string& name);

/// All names that users may see: "record", "cube info", …
std::vector<std::string> visible_verb_names();

/// True for "cube": the first word of verbs with a blank in their name.
bool is_verb_family(const std::string& word);

/// The verbs of a family, in order.
std::vector<const Verb*> verbs_of_family(const std::string& word);

}  // namespace mora::cli
