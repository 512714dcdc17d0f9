/// The options of a verb are given to CLI11 from the verb's table. For a passthrough verb (record) the words are split
/// first: options before the first other word are ours, the rest belongs to the command that it runs.
#include "cli/command/command_line.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text/did_you_mean.h"
#include "base/version.h"
#include "cli/command/help.h"
#include "cli/command/verbs.h"
#include "launcher/options.h"

namespace mora::cli {
namespace {

using Words = std::vector<std::string>;

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

bool is_option_of_a_launcher(const std::string& word) {
  const std::string_view name = launcher::name_of_option(std::string_view(word).substr(0, word.find('=')));
  for (const auto kind : {launcher::LauncherKind::openmpi, launcher::LauncherKind::mpich, launcher::LauncherKind::srun})
    if (launcher::find_option(kind, name) != nullptr) return true;
  return false;
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

const Option* find_option(const Verb& verb, const std::string& spelling) {
  for (const Option& option : verb.options) {
    for (const std::string& flag : flag_spellings(option)) {
      if (flag == spelling) return &option;
    }
  }
  return nullptr;
}

/// `words`: the whole command line behind the verb.
tl::unexpected<Error> unknown_option(const Verb& verb, const std::string& word, const Words& words) {
  if (verb.passthrough && is_option_of_a_launcher(word)) {
    const auto rest = std::find(words.begin(), words.end(), word);
    return fail(ErrorKind::usage, fmt::format("the launcher is missing before {}", word), "mora " + verb.name,
                "this is an option of mpirun, mpiexec or srun, not of this verb",
                fmt::format("write: mora {} {}{}mpirun {}", verb.name, fmt::join(words.begin(), rest, " "),
                            rest == words.begin() ? "" : " ", fmt::join(rest, words.end(), " ")));
  }
  std::vector<std::string> known = {"--help"};
  for (const Option& option : verb.options) {
    for (const std::string& flag : flag_spellings(option)) {
      if (flag.rfind("--", 0) == 0) known.push_back(flag);
    }
  }
  const std::string name = word.substr(0, word.find('='));
  const std::string guess = did_you_mean(name, known);
  std::string help = guess.empty() ? "" : fmt::format("did you mean {}? ", guess);
  return fail(ErrorKind::usage, fmt::format("unknown option {}", name), "mora " + verb.name,
              "the verb has no such option", help + fmt::format("'mora {} --help' lists the options", verb.name));
}

tl::unexpected<Error> unknown_verb(const std::string& word) {
  std::vector<std::string> known = visible_verb_names();
  const std::string guess = did_you_mean(word, known);
  return fail(ErrorKind::usage, fmt::format("unknown verb '{}'", word), "", "",
              (guess.empty() ? "" : fmt::format("did you mean 'mora {}'? ", guess)) + "'mora --help' lists the verbs");
}

/// Splits the words of a passthrough verb: our options, and everything that belongs to the launcher.
/// Options end at "--", at the first word that is no option, or at "-" alone.
std::pair<Words, Words> split_passthrough(const Verb& verb, const Words& words) {
  std::size_t i = 0;
  while (i < words.size() && is_option(words[i]) && words[i] != "--") {
    const Option* option = find_option(verb, words[i]);
    const bool takes_next = option != nullptr && !option->argument.empty();
    i += takes_next ? 2 : 1;
  }
  i = std::min(i, words.size());
  const std::size_t rest = i < words.size() && words[i] == "--" ? i + 1 : i;
  return {Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i)),
          Words(words.begin() + static_cast<std::ptrdiff_t>(rest), words.end())};
}

std::string argument_name(const Option& option) {
  std::string name = long_flag(option);
  name.erase(0, name.find_first_not_of('-'));
  return name;
}

Result<void> check_positionals(const Verb& verb, const Words& given) {
  std::size_t least = 0;
  std::size_t most = 0;
  bool unlimited = false;
  for (const Positional& positional : verb.positionals) {
    if (positional.min > 0 && given.size() < least + static_cast<std::size_t>(positional.min)) {
      return fail(ErrorKind::usage, fmt::format("{} is missing", positional.name), "mora " + verb.name,
                  fmt::format("usage: {}", usage_line(verb)),
                  fmt::format("'mora {} --help' says what {} is", verb.name, positional.name));
    }
    least += static_cast<std::size_t>(positional.min);
    if (positional.max < 0) unlimited = true;
    most += static_cast<std::size_t>(std::max(positional.max, 0));
  }
  if (!unlimited && given.size() > most) {
    return fail(ErrorKind::usage, fmt::format("unexpected argument '{}'", given[most]), "mora " + verb.name,
                fmt::format("usage: {}", usage_line(verb)),
                fmt::format("'mora {} --help' says what it takes", verb.name));
  }
  return {};
}

}  // namespace

Result<Request> parse_verb(const Verb& verb, const Words& all_words) {
  if (verb.raw) return Request{{}, &verb, {{}, all_words}};
  Words words = all_words;
  Words passed_on;
  if (verb.passthrough) std::tie(words, passed_on) = split_passthrough(verb, all_words);

  CLI::App app(verb.summary, "mora " + verb.name);
  app.set_help_flag("-h,--help");
  app.allow_extras();
  struct Bound {
    const Option* option;
    CLI::Option* parsed;
    Words values;
  };
  std::vector<Bound> bound(verb.options.size());
  for (std::size_t i = 0; i < verb.options.size(); ++i) {
    const Option& option = verb.options[i];
    bound[i].option = &option;
    std::string flags;
    for (const std::string& flag : flag_spellings(option)) flags += (flags.empty() ? "" : ",") + flag;
    bound[i].parsed = option.argument.empty()
                          ? app.add_flag(flags, option.help)
                          : app.add_option(flags, bound[i].values, option.help)->allow_extra_args(false)->take_all();
  }
  Words positionals;
  if (!verb.passthrough) app.add_option("positionals", positionals)->expected(0, 1 << 20);

  try {
    app.parse(Words(words.rbegin(), words.rend()));  // CLI11 wants the last word first
  } catch (const CLI::CallForHelp&) {
    return Request{verb_help(verb), nullptr, {}};
  } catch (const CLI::ParseError& e) {
    return fail(ErrorKind::usage, "the command line cannot be understood", "mora " + verb.name, e.what(),
                fmt::format("'mora {} --help' lists the options", verb.name));
  }
  for (const std::string& word : app.remaining()) {
    if (is_option(word) && word != "--") return unknown_option(verb, word, all_words);
  }
  Request request;
  request.verb = &verb;
  for (const Bound& b : bound) {
    if (b.parsed->count() > 0) request.arguments.options[argument_name(*b.option)] = b.values;
  }
  request.arguments.positionals = verb.passthrough ? passed_on : positionals;
  MORA_CHECK_OK(check_positionals(verb, request.arguments.positionals));
  return request;
}

Result<Request> parse_command_line(const Words& words) {
  if (words.empty()) {
    return fail(ErrorKind::usage, "no verb given", "", "", "'mora --help' lists the verbs");
  }
  const std::string& first = words[0];
  if (asks_for_help(first)) return Request{overview(), nullptr, {}};
  if (first == "--version") return Request{std::string("mora ") + version() + "\n", nullptr, {}};
  if (first == "help") {  // "mora help record" is "mora record --help"
    if (words.size() == 1) return Request{overview(), nullptr, {}};
    Words turned(words.begin() + 1, words.end());
    turned.push_back("--help");
    return parse_command_line(turned);
  }
  if (is_option(first)) {
    const std::string guess = did_you_mean(first, {"--help", "--version"});
    return fail(ErrorKind::usage, fmt::format("unknown option {}", first), "mora",
                "options of a verb come after the verb",
                guess.empty() ? "'mora --help' lists the verbs" : fmt::format("did you mean {}?", guess));
  }
  if (is_verb_family(first)) {
    if (words.size() == 1) {
      return fail(ErrorKind::usage, fmt::format("'mora {}' needs a verb", first), "", "",
                  fmt::format("'mora {} --help' lists them", first));
    }
    if (asks_for_help(words[1])) return Request{family_help(first), nullptr, {}};
    const Verb* verb = find_verb(first + ' ' + words[1]);
    if (verb == nullptr) return unknown_verb(first + ' ' + words[1]);
    return parse_verb(*verb, Words(words.begin() + 2, words.end()));
  }
  const Verb* verb = find_verb(first);
  if (verb == nullptr) return unknown_verb(first);
  return parse_verb(*verb, Words(words.begin() + 1, words.end()));
}

}  // namespace mora::cli
