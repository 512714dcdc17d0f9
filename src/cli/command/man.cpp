/// Man pages from the verb table: mora.1 and mora-VERB.1. The hidden verb _man writes them into a directory.
#include <fmt/format.h>
#include <algorithm>
#include <sstream>

#include "base/file.h"
#include "base/version.h"
#include "cli/command/help.h"
#include "cli/command/verbs.h"

namespace mora::cli {
namespace {

/// Text for roff: backslashes, minus signs and control characters at the start of a line.
std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string hyphenated(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string page_name(const Verb& verb) { return "mora-" + hyphenated(verb.name); }

/// Paragraphs; a line that begins with a blank is shown as it is.
std::string paragraphs(const std::string& text) {
  std::string out;
  bool literal = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool as_is = !line.empty() && line[0] == ' ';
    if (as_is != literal) out += as_is ? ".nf\n" : ".fi\n";
    literal = as_is;
    out += line.empty() ? ".PP\n" : roff(line) + '\n';
  }
  return literal ? out + ".fi\n" : out;
}

std::string term(const std::string& bold, const std::string& italic, const std::string& text) {
  std::string out = ".TP\n\\fB" + roff(bold) + "\\fR";
  if (!italic.empty()) out += " \\fI" + roff(italic) + "\\fR";
  return out + '\n' + roff(text) + '\n';
}

std::string exit_status(const ExitCodes& codes, bool passthrough = false) {
  std::string out = ".SH EXIT STATUS\n";
  if (passthrough) out += "That of the command; if Mora itself fails, one of these:\n";
  for (const auto& [code, meaning] : codes) out += term(std::to_string(code), "", meaning);
  return out;
}

std::string heading(const std::string& name, const std::string& summary) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH {} 1 \"\" \"mora {}\" \"Mora\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", upper, version(),
                     roff(name), roff(summary));
}

Result<int> write_man_pages(const Arguments& arguments) {
  const std::string directory = arguments.positionals[0];
  MORA_CHECK_OK(make_directories(directory));
  MORA_CHECK_OK(write_file_atomically(directory + "/mora.1", man_overview()));
  for (const std::string& name : visible_verb_names()) {
    const Verb& verb = *find_verb(name);
    MORA_CHECK_OK(write_file_atomically(directory + "/" + page_name(verb) + ".1", man_page(verb)));
  }
  return 0;
}

}  // namespace

std::string man_page(const Verb& verb) {
  std::string out = heading(page_name(verb), verb.summary);
  out += "\\fB" + roff(usage_line(verb)) + "\\fR\n";
  if (!verb.description.empty()) out += ".SH DESCRIPTION\n" + paragraphs(verb.description);
  if (!verb.positionals.empty()) {
    out += ".SH ARGUMENTS\n";
    for (const Positional& positional : verb.positionals) out += term("", positional.name, positional.help);
  }
  out += ".SH OPTIONS\n";
  for (const Option& option : verb.options) {
    std::string flags;
    for (const std::string& flag : flag_spellings(option)) flags += (flags.empty() ? "" : ", ") + flag;
    const std::string fallback = option.default_text.empty() ? "" : " (default: " + option.default_text + ")";
    out += term(flags, option.argument, option.help + fallback);
  }
  out += term("-h, --help", "", "print a help text");
  if (!verb.examples.empty()) {
    out += ".SH EXAMPLES\n";
    for (const auto& [command, meaning] : verb.examples) out += term(command, "", meaning);
  }
  return out + exit_status(exit_codes(verb), verb.passthrough) + ".SH SEE ALSO\n\\fBmora\\fR(1)\n";
}

std::string man_overview() {
  std::string out = heading("mora", "measures MPI programs and explains where their time is lost");
  out += "\\fBmora\\fR \\fIVERB\\fR [options] ...\n.SH DESCRIPTION\n";
  for (const VerbGroup& group : verb_groups()) {
    if (group.title.empty() || group.verbs.empty()) continue;
    out += ".SS " + roff(group.title) + '\n';
    for (const Verb* verb : group.verbs) out += term(page_name(*verb) + "(1)", "", verb->summary);
  }
  return out + exit_status(exit_codes());
}

const Verb verb_man = {
    .name = "_man",
    .summary = "write the man pages",
    .description = "Writes mora.1 and mora-VERB.1 for every verb. Used by the build.",
    .positionals = {{"DIR", "where to write; made if missing"}},
    .options = {},
    .examples = {},
    .run = write_man_pages,
};

}  // namespace mora::cli
