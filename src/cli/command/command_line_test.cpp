#include "cli/command/command_line.h"

#include <gtest/gtest.h>

#include "base/text/did_you_mean.h"
#include "cli/command/help.h"

namespace mora::cli {
namespace {

Result<int> nothing(const Arguments&) { return 0; }

const Verb k_plain = {
    .name = "frob",
    .summary = "frobnicate a trace",
    .description = "First paragraph.\n\nSecond one.",
    .positionals = {{"TRACE", "what to frob"}, {"RANK", "which ranks", 0, -1}},
    .options = {{"-o,--output", "DIR", "where to write", "."}, {"--json", "", "print JSON", ""}},
    .examples = {{"mora frob t.otf2", "frobs it"}},
    .run = nothing,
};

const Verb k_passing = {
    .name = "record",
    .summary = "run",
    .description = "",
    .positionals = {{"COMMAND", "launcher and program", 1, -1}},
    .options = {{"-o,--output", "DIR", "experiment", ""}, {"--stacks", "", "call stacks", ""}},
    .examples = {},
    .passthrough = true,
    .run = nothing,
};

using Words = std::vector<std::string>;

TEST(CommandLine, LongNamesAreKeysAndRepeatedOptionsKeepAllValues) {
  auto request = parse_verb(k_plain, {"-o", "a", "t.otf2", "--output=b", "3", "4"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->arguments.options.at("output"), (Words{"a", "b"}));
  EXPECT_EQ(request->arguments.get("output"), "b");
  EXPECT_FALSE(request->arguments.has("json"));
  EXPECT_EQ(request->arguments.positionals, (Words{"t.otf2", "3", "4"}));
}

TEST(CommandLine, SwitchesTakeNoValue) {
  auto request = parse_verb(k_plain, {"--json", "t.otf2"});
  ASSERT_TRUE(request);
  EXPECT_TRUE(request->arguments.has("json"));
  EXPECT_EQ(request->arguments.positionals, Words{"t.otf2"});
}

TEST(CommandLine, HelpNeedsNoPositionals) {
  auto request = parse_verb(k_plain, {"--help"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->verb, nullptr);
  EXPECT_EQ(request->text, verb_help(k_plain));
}

TEST(CommandLine, MissingAndSuperfluousArguments) {
  auto missing = parse_verb(k_plain, {"--json"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::usage);
  EXPECT_NE(missing.error().what.find("TRACE"), std::string::npos);
  auto superfluous = parse_command_line({"_completion", "bash", "zsh"});
  ASSERT_FALSE(superfluous);
  EXPECT_NE(superfluous.error().what.find("zsh"), std::string::npos);
}

TEST(CommandLine, UnknownOptionSuggestsTheNearest) {
  auto request = parse_verb(k_plain, {"t.otf2", "--ouptut=x"});
  ASSERT_FALSE(request);
  EXPECT_NE(request.error().help.find("did you mean --output"), std::string::npos);
}

TEST(CommandLine, OptionWithoutItsValueIsAUsageError) {
  auto request = parse_verb(k_plain, {"t.otf2", "--output"});
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().kind, ErrorKind::usage);
}

TEST(CommandLine, EverythingFromTheLauncherOnIsPassedVerbatim) {
  const Words command = {"mpirun", "-n", "4", "--oversubscribe", "./app", "-x", "--", "--help"};
  Words words = {"--stacks", "-o", "D"};
  words.insert(words.end(), command.begin(), command.end());
  auto request = parse_verb(k_passing, words);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->arguments.get("output"), "D");
  EXPECT_TRUE(request->arguments.has("stacks"));
  EXPECT_EQ(request->arguments.positionals, command);
}

TEST(CommandLine, DoubleDashEndsOurOptions) {
  auto request = parse_verb(k_passing, {"--output=D", "--", "-odd-program", "--stacks"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->arguments.positionals, (Words{"-odd-program", "--stacks"}));
  EXPECT_FALSE(request->arguments.has("stacks"));
}

TEST(CommandLine, PassthroughStillRefusesWhatIsNotOurs) {
  auto request = parse_verb(k_passing, {"--stakcs", "mpirun", "./app"});
  ASSERT_FALSE(request);
  EXPECT_NE(request.error().help.find("--stacks"), std::string::npos);
  EXPECT_FALSE(parse_verb(k_passing, {"-o", "D"}));
}

TEST(CommandLine, UnknownVerbAndNoVerb) {
  auto unknown = parse_command_line({"frobnicate"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(exit_code(unknown.error().kind), 2);
  EXPECT_FALSE(parse_command_line({}));
  EXPECT_FALSE(parse_command_line({"--verison"}));
}

TEST(CommandLine, VersionAndOverview) {
  EXPECT_EQ(parse_command_line({"--version"})->text.rfind("mora ", 0), 0U);
  EXPECT_EQ(parse_command_line({"--help"})->text, overview());
  EXPECT_EQ(parse_command_line({"help"})->text, overview());
}

TEST(Help, NamesEverythingOfTheTable) {
  const std::string text = verb_help(k_plain);
  for (const char* part : {"usage: mora frob [options] TRACE [RANK...]", "-o, --output DIR", "(default: .)", "--json",
                           "mora frob t.otf2", "exit codes"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Help, ListsTheExitCodesOfTheVerb) {
  Verb verb = k_plain;
  EXPECT_EQ(verb_help(verb).find("\n  1  "), std::string::npos);
  verb.check_failed = "there is a warning";
  EXPECT_NE(verb_help(verb).find("\n  0  success\n  1  there is a warning\n  2  "), std::string::npos)
      << verb_help(verb);
  verb.passthrough = true;
  EXPECT_EQ(verb_help(verb).find("success"), std::string::npos);
}

TEST(Help, NoLineIsWiderThanATerminal) {
  Verb wide = k_plain;
  wide.description =
      std::string("word ") + std::string(70, 'x') + " word word word word word word word word word word word";
  const std::string text = verb_help(wide);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Help, ManPageEscapesRoff) {
  Verb verb = k_plain;
  verb.description = ".starts with a dot\nback\\slash";
  const std::string page = man_page(verb);
  EXPECT_NE(page.find("\\&.starts"), std::string::npos);
  EXPECT_NE(page.find("back\\eslash"), std::string::npos);
  EXPECT_NE(page.find(".TH MORA-FROB 1"), std::string::npos);
}

TEST(Help, CompletionForThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) EXPECT_FALSE(completion_script(shell).empty()) << shell;
  EXPECT_TRUE(completion_script("tcsh").empty());
}

TEST(DidYouMean, OnlyNearWords) {
  EXPECT_EQ(did_you_mean("reprot", {"record", "report"}), "report");
  EXPECT_EQ(did_you_mean("anaylze", {"analyze", "explain"}), "analyze");
  EXPECT_EQ(did_you_mean("xyzzy", {"record", "report"}), "");
  EXPECT_EQ(did_you_mean("--jsno", {"--json", "--help"}), "--json");
}

}  // namespace
}  // namespace mora::cli
