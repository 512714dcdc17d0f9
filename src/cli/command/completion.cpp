/// Shell completion from the verb table. The hidden verb _completion prints the script of one shell.
/// Words that are neither verb nor option complete as file names, which is what traces and experiments are.
#include <fmt/format.h>
#include <cstdio>
#include <map>

#include "cli/command/help.h"
#include "cli/command/verbs.h"

namespace mora::cli {
namespace {

/// First words after "mora", with the text that explains them.
std::vector<std::pair<std::string, std::string>> first_words() {
  std::vector<std::pair<std::string, std::string>> words;
  std::map<std::string, bool> seen;
  for (const std::string& name : visible_verb_names()) {
    const std::string first = name.substr(0, name.find(' '));
    if (seen[first]) continue;
    seen[first] = true;
    words.emplace_back(first, first == name ? find_verb(name)->summary : "work on " + first + " files");
  }
  return words;
}

std::string option_words(const Verb& verb) {
  std::string words;
  for (const Option& option : verb.options) {
    for (const std::string& flag : flag_spellings(option)) words += flag + ' ';
  }
  return words + "--help";
}

std::string second_words(const std::string& family) {
  std::string words;
  for (const Verb* verb : verbs_of_family(family)) {
    words += (words.empty() ? "" : " ") + verb->name.substr(family.size() + 1);
  }
  return words;
}

std::string joined_first_words() {
  std::string words;
  for (const auto& [word, summary] : first_words()) words += word + ' ';
  return words + "--help --version";
}

std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// bash, and zsh through its bashcompinit: after a launcher's name, completion is that command's own.
std::string bash_script() {
  std::string out = "# bash completion for mora; generated from the verb table, do not edit\n_mora() {\n";
  out += "  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=''\n";
  out += "  COMPREPLY=()\n";
  out += fmt::format("  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words={}\n  else\n    case $verb in\n",
                     single_quoted(joined_first_words()));
  for (const auto& [word, summary] : first_words()) {
    if (!is_verb_family(word)) {
      out += fmt::format("      {}) words={} ;;\n", word, single_quoted(option_words(*find_verb(word))));
      continue;
    }
    out += fmt::format(
        "      {})\n        if [ \"$COMP_CWORD\" -eq 2 ]; then words={}\n        else case ${{COMP_WORDS[2]}} in\n",
        word, single_quoted(second_words(word)));
    for (const Verb* verb : verbs_of_family(word)) {
      out += fmt::format("          {}) words={} ;;\n", verb->name.substr(word.size() + 1),
                         single_quoted(option_words(*verb)));
    }
    out += "        esac; fi ;;\n";
  }
  out +=
      "    esac\n"
      "    case $word in -*) ;; *) [ \"$COMP_CWORD\" -gt 2 ] && words='' ;; esac\n"
      "  fi\n"
      "  [ -n \"$words\" ] && COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  return 0\n}\n"
      "complete -o default -o bashdefault -F _mora mora\n";
  return out;
}

std::string zsh_script() {
  return "#compdef mora\n# zsh completion for mora; generated from the verb table, do not edit\n"
         "autoload -Uz bashcompinit && bashcompinit\n" +
         bash_script();
}

std::string fish_script() {
  std::string out = "# fish completion for mora; generated from the verb table, do not edit\n";
  for (const auto& [word, summary] : first_words()) {
    out += fmt::format("complete -c mora -n __fish_use_subcommand -f -a {} -d {}\n", word, single_quoted(summary));
  }
  for (const std::string& name : visible_verb_names()) {
    const std::string first = name.substr(0, name.find(' '));
    const bool in_family = first != name;
    std::string condition = "__fish_seen_subcommand_from " + first;
    if (in_family) {
      const std::string second = name.substr(first.size() + 1);
      out += fmt::format(
          "complete -c mora -n {} -f -a {} -d {}\n",
          single_quoted(fmt::format("{}; and not __fish_seen_subcommand_from {}", condition, second_words(first))),
          second, single_quoted(find_verb(name)->summary));
      condition += "; and __fish_seen_subcommand_from " + second;
    }
    for (const Option& option : find_verb(name)->options) {
      out += fmt::format("complete -c mora -n {}", single_quoted(condition));
      for (const std::string& flag : flag_spellings(option)) {
        // fish: -l --long, -s -x, -o -long
        const char* kind = flag.rfind("--", 0) == 0 ? " -l " : flag.size() > 2 ? " -o " : " -s ";
        out += kind + flag.substr(flag.find_first_not_of('-'));
      }
      out += fmt::format("{} -d {}\n", option.argument.empty() ? "" : " -r", single_quoted(option.help));
    }
  }
  return out;
}

Result<int> print_completion(const Arguments& arguments) {
  const std::string script = completion_script(arguments.positionals[0]);
  if (script.empty()) {
    return fail(ErrorKind::usage, "no completion for this shell", arguments.positionals[0], "",
                "bash, zsh and fish are known");
  }
  std::fputs(script.c_str(), stdout);
  return 0;
}

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  return {};
}

const Verb verb_completion = {
    .name = "_completion",
    .summary = "print the completion script of a shell",
    .description = "Used by the build; eval \"$(mora _completion bash)\" works too.",
    .positionals = {{"SHELL", "bash, zsh or fish"}},
    .options = {},
    .examples = {},
    .run = print_completion,
};

}  // namespace mora::cli
