/// Help texts from the verb table, 80 columns wide.
#include "cli/command/help.h"

#include <fmt/format.h>
#include <algorithm>
#include <sstream>

#include "cli/command/verbs.h"

namespace mora::cli {
namespace {

constexpr std::size_t k_width = 80;

/// Wraps paragraphs at the width. An empty line ends a paragraph; lines that begin with a blank (tables, commands) are
/// kept as they are.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = k_width) {
  std::string out;
  const std::string margin(indent, ' ');
  std::string current;
  const auto end_line = [&] {
    if (!current.empty()) out += margin + current + '\n';
    current.clear();
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == ' ') {
      end_line();
      out += line.empty() ? "\n" : margin + line + '\n';
      continue;
    }
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (!current.empty() && indent + current.size() + 1 + word.size() > width) end_line();
      current += (current.empty() ? "" : " ") + word;
    }
  }
  end_line();
  return out;
}

/// Two columns: terms, and texts hanging beside them.
std::string definition_list(const std::vector<std::pair<std::string, std::string>>& items) {
  std::size_t column = 0;
  for (const auto& [term, text] : items) {
    if (term.size() <= 26) column = std::max(column, term.size());
  }
  column += 4;
  std::string out;
  for (const auto& [term, text] : items) {
    std::string body = wrapped(text, column);
    if (term.size() + 4 <= column) {
      body.replace(0, std::min(column, body.size()), "  " + term + std::string(column - term.size() - 2, ' '));
      out += body;
    } else {
      out += "  " + term + '\n' + body;
    }
  }
  return out;
}

std::string option_term(const Option& option) {
  std::string term;
  for (const std::string& flag : flag_spellings(option)) term += (term.empty() ? "" : ", ") + flag;
  if (!option.argument.empty()) term += ' ' + option.argument;
  return term;
}

std::string option_text(const Option& option) {
  return option.default_text.empty() ? option.help : option.help + " (default: " + option.default_text + ")";
}

std::string exit_code_list(const ExitCodes& codes) {
  std::vector<std::pair<std::string, std::string>> items;
  for (const auto& [code, meaning] : codes) items.emplace_back(std::to_string(code), meaning);
  return definition_list(items);
}

}  // namespace

const ExitCodes& exit_codes() {
  static const ExitCodes codes = {
      {0, "success"},
      {1, "a check failed: for example, a --fail-if condition holds, or doctor has a warning"},
      {2, "the command line is wrong"},
      {3, "an input cannot be read, or the system refused (disk full, permission)"},
      {4, "a defect of Mora"},
  };
  return codes;
}

ExitCodes exit_codes(const Verb& verb) {
  ExitCodes codes;
  for (const auto& [code, meaning] : exit_codes()) {
    if (code == 1 && !verb.check_failed.empty()) codes.emplace_back(code, verb.check_failed);
    if (code > 1 || (code == 0 && !verb.passthrough)) codes.emplace_back(code, meaning);
  }
  return codes;
}

std::vector<std::string> flag_spellings(const Option& option) {
  std::vector<std::string> spellings;
  std::istringstream parts(option.flags);
  for (std::string part; std::getline(parts, part, ',');) {
    part.erase(std::remove(part.begin(), part.end(), ' '), part.end());
    if (!part.empty()) spellings.push_back(part);
  }
  return spellings;
}

std::string long_flag(const Option& option) {
  std::string best;
  for (const std::string& flag : flag_spellings(option)) {
    if (best.empty() || flag.rfind("--", 0) == 0) best = flag;
  }
  return best;
}

std::string usage_line(const Verb& verb) {
  std::string line = "mora " + verb.name + " [options]";
  if (verb.passthrough) line += " [--]";
  for (const Positional& positional : verb.positionals) {
    std::string name = positional.name;
    if (positional.max < 0 || positional.max > 1) name += "...";
    line += positional.min == 0 ? " [" + name + "]" : " " + name;
  }
  return line;
}

std::string verb_help(const Verb& verb) {
  std::string out = fmt::format("mora {} - {}\n\nusage: {}\n", verb.name, verb.summary, usage_line(verb));
  if (!verb.description.empty()) out += '\n' + wrapped(verb.description, 0);
  if (!verb.positionals.empty()) {
    std::vector<std::pair<std::string, std::string>> items;
    for (const Positional& positional : verb.positionals) items.emplace_back(positional.name, positional.help);
    out += "\narguments:\n" + definition_list(items);
  }
  std::vector<std::pair<std::string, std::string>> items;
  for (const Option& option : verb.options) items.emplace_back(option_term(option), option_text(option));
  items.emplace_back("-h, --help", "print this text");
  out += "\noptions:\n" + definition_list(items);
  if (!verb.examples.empty()) {
    out += "\nexamples:\n";
    for (const auto& [command, meaning] : verb.examples) out += "  " + command + '\n' + wrapped(meaning, 6);
  }
  out +=
      verb.passthrough ? "\nexit code: that of the command; if Mora itself fails, one of these:\n" : "\nexit codes:\n";
  out += exit_code_list(exit_codes(verb));
  return out;
}

std::string family_help(const std::string& family) {
  std::vector<std::pair<std::string, std::string>> items;
  for (const Verb* verb : verbs_of_family(family)) items.emplace_back(verb->name, verb->summary);
  return fmt::format(
      "usage: mora {} VERB [options] ...\n\n{}\n'mora {} VERB --help' explains a verb and all its options.\n", family,
      definition_list(items), family);
}

std::string overview() {
  std::string out = "mora - measures MPI programs and explains where their time is lost\n\n";
  out += "usage: mora VERB [options] ...\n";
  std::size_t column = 0;
  for (const std::string& name : visible_verb_names()) column = std::max(column, name.size());
  for (const VerbGroup& group : verb_groups()) {
    if (group.title.empty() || group.verbs.empty()) continue;
    out += '\n' + group.title + ":\n";
    for (const Verb* verb : group.verbs) {
      std::string body = wrapped(verb->summary, column + 4);
      body.replace(0, column + 4, fmt::format("  {:<{}}  ", verb->name, column));
      out += body;
    }
  }
  out +=
      "\nThe usual way:\n  mora record mpirun -n 4 ./app    runs the program; leaves mora-app-4/\n  mora analyze "
      "mora-app-4          finds where ranks waited, and for whom\n  mora report mora-app-4           shows the "
      "results\n  mora advise mora-app-4           names probable causes, and what to try\n\nexit codes:\n" +
      exit_code_list(exit_codes()) +
      "\n'mora VERB --help' explains a verb and all its options; 'mora explain' lists all\nwait states and metrics; "
      "'mora --version' prints the version.\n";
  return out;
}

}  // namespace mora::cli
