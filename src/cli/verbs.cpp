#include "cli/verbs.h"

namespace mora::cli {

const std::vector<VerbGroup>& verb_groups() {
  // A verb is listed when its file is in the build (MORA_VERB_…, set by CMakeLists.txt).
  static const std::vector<VerbGroup> groups = {
      {"measure",
       {
#ifdef MORA_VERB_record
           &verb_record,
#endif
#ifdef MORA_VERB_recover
           &verb_recover,
#endif
#ifdef MORA_VERB_doctor
           &verb_doctor,
#endif
       }},
      {"look at a trace",
       {
#ifdef MORA_VERB_info
           &verb_info,
#endif
#ifdef MORA_VERB_print
           &verb_print,
#endif
       }},
      {"find where time is lost",
       {
#ifdef MORA_VERB_analyze
           &verb_analyze,
#endif
#ifdef MORA_VERB_report
           &verb_report,
#endif
#ifdef MORA_VERB_explain
           &verb_explain,
#endif
       }},
      {"results",
       {
#ifdef MORA_VERB_cube_info
           &verb_cube_info,
#endif
#ifdef MORA_VERB_cube_dump
           &verb_cube_dump,
#endif
#ifdef MORA_VERB_cube_stat
           &verb_cube_stat,
#endif
       }},
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
