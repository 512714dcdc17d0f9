#include "cli/command/verbs.h"

namespace mora::cli {

const std::vector<VerbGroup>& verb_groups() {
  static const std::vector<VerbGroup> groups = {
      {"record", {&verb_record, &verb_estimate, &verb_recover, &verb_doctor}},
      {"inspect a trace", {&verb_info, &verb_print, &verb_convert}},
      {"find where time is lost", {&verb_analyze, &verb_report, &verb_view, &verb_advise, &verb_explain}},
      {"write your own analysis in Python", {&verb_script, &verb_shell}},
      {"communication patterns, placement and prediction",
       {&verb_pattern_record, &verb_pattern_dryrun, &verb_pattern_parse, &verb_pattern_matrix, &verb_pattern_features,
        &verb_map, &verb_calibrate, &verb_predict}},
      {"compare and combine results",
       {&verb_compare, &verb_cube_info, &verb_cube_dump, &verb_cube_stat, &verb_cube_diff, &verb_cube_merge,
        &verb_cube_mean, &verb_cube_cut}},
      {"", {&verb_man, &verb_completion}},
  };
  return groups;
}

const Verb* find_verb(const std::string& name) {
  for (const VerbGroup& group : verb_groups()) {
    for (const Verb* verb : group.verbs) {
      if (verb->name == name) return verb;
    }
  }
  return nullptr;
}

std::vector<std::string> visible_verb_names() {
  std::vector<std::string> names;
  for (const VerbGroup& group : verb_groups()) {
    if (group.title.empty()) continue;
    for (const Verb* verb : group.verbs) names.push_back(verb->name);
  }
  return names;
}

bool is_verb_family(const std::string& word) { return !verbs_of_family(word).empty(); }

std::vector<const Verb*> verbs_of_family(const std::string& word) {
  std::vector<const Verb*> family;
  for (const VerbGroup& group : verb_groups()) {
    for (const Verb* verb : group.verbs) {
      if (verb->name.rfind(word + ' ', 0) == 0) family.push_back(verb);
    }
  }
  return family;
}

}  // namespace mora::cli
