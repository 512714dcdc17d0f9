#include "cli/map/words.h"

#include <gtest/gtest.h>

#include "cli/command/help.h"
#include "cli/command/verbs.h"

namespace mora::cli {
namespace {

using Words = std::vector<std::string>;

Error error_of(const Words& words) {
  auto read = read_map_words(words);
  return read ? Error{} : read.error();
}

TEST(MapWords, ModeIsWhatIsSaidOrTheLauncherOrOpenMpi) {
  const auto mode = [](const Words& words) { return read_map_words(words).value().mode; };
  EXPECT_EQ(mode({"-np", "4", "./app"}), MapMode::openmpi);
  EXPECT_EQ(mode({"-np", "4", "--mode", "kotomatas"}), MapMode::kotomatas);
  EXPECT_EQ(mode({"-mode=slurm", "-n4"}), MapMode::slurm);
  EXPECT_EQ(mode({"srun", "-n", "4", "./app", "--mode", "kotomatas"}), MapMode::slurm);
  EXPECT_EQ(mode({"--topology", "pack:1", "/usr/bin/mpirun.openmpi", "-np", "2", "srun"}), MapMode::openmpi);
  EXPECT_EQ(mode({"-np", "4", "--", "--mode", "kotomatas"}), MapMode::openmpi);
  EXPECT_EQ(mode({"-np", "4", "./app", "--mode", "fast"}), MapMode::openmpi);  // the application's
  EXPECT_EQ(error_of({"--mode", "fast"}).what, "unknown mode 'fast'");
}

TEST(MapWords, LaunchersByTheirNames) {
  const auto mode = [](const char* word) { return read_map_words({word, "-n", "4", "./app"}).value().mode; };
  for (const char* word : {"mpirun.mpich", "/usr/bin/mpiexec.hydra", "mpiexec.mpich", "mpiexec-mpich-mp"})
    EXPECT_EQ(mode(word), MapMode::hydra) << word;
  for (const char* word :
       {"mpirun", "mpiexec", "orterun", "mpiexec.openmpi", "/opt/mpirun-4.1/bin/mpirun", "mpirun-4.1.4"})
    EXPECT_EQ(mode(word), MapMode::openmpi) << word;
  for (const char* word : {"jsrun", "aprun", "prterun", "prun", "ibrun", "mpiexec.mpt", "mpirun_rsh", "mpiexec.lsf"})
    EXPECT_EQ(error_of({word, "-n", "4", "./app"}).what, "the rules of " + std::string(word) + " are not known");
  EXPECT_EQ(read_map_words({"--mode", "hydra", "jsrun", "-n", "4"}).value().application, (Words{"jsrun", "-n", "4"}));
  const MapWords read = read_map_words({"mpirun.mpich", "-genv", "A", "1", "-l", "-f", "F", "-order-nodes", "asc", "-n",
                                        "2", "./a", "-f"})
                            .value();
  EXPECT_EQ(read.get("f"), "F");
  EXPECT_EQ(read.ignored, (Words{"-order-nodes"}));
  EXPECT_EQ(read.application, (Words{"./a", "-f"}));
}

TEST(MapWords, OlderNameOfAModeIsAccepted) {
  const MapWords read = read_map_words({"--mode", "thesis", "-np", "4"}).value();
  EXPECT_EQ(read.mode, MapMode::kotomatas);
  EXPECT_STREQ(name_of(read.mode), "kotomatas");
  EXPECT_EQ(read_map_words({"--mode=thesis"}).value().mode, MapMode::kotomatas);
}

TEST(MapWords, SynonymsOfFigure51) {
  for (const char* option : {"-np", "--np", "-n", "--n", "-c", "--c"}) {
    EXPECT_EQ(read_map_words({"--mode", "kotomatas", option, "7"}).value().get("np"), "7") << option;
  }
  for (const char* option : {"-hostfile", "--hostfile", "-machinefile", "--machinefile"}) {
    EXPECT_EQ(read_map_words({"--mode", "kotomatas", option, "F"}).value().get("hostfile"), "F") << option;
  }
  for (const char* option : {"-rf", "--rf", "-rankfile", "--rankfile"}) {
    EXPECT_EQ(read_map_words({"--mode", "kotomatas", option, "F"}).value().get("rankfile"), "F") << option;
  }
  for (const char* option : {"-h", "-help", "--help"}) EXPECT_TRUE(read_map_words({option}).value().help) << option;
}

TEST(MapWords, HostsUpToTheNextOptionOrAPath) {
  const auto hosts = [](const Words& words) { return read_map_words(words).value(); };
  MapWords read = hosts({"--mode", "kotomatas", "-host", "a", "b,c", "-np", "2", "app", "x"});
  EXPECT_EQ(read.options["host"], (Words{"a", "b,c"}));
  EXPECT_EQ(read.application, (Words{"app", "x"}));
  read = hosts({"-H", "a", "b", "./app", "-v", "--mode", "x"});
  EXPECT_EQ(read.mode, MapMode::openmpi);
  EXPECT_EQ(read.launcher, (Words{"-H", "a"}));  // mpirun's --host takes one word
  read = hosts({"--mode", "kotomatas", "-H", "a", "b", "./app", "-v"});
  EXPECT_EQ(read.options["host"], (Words{"a", "b"}));
  EXPECT_FALSE(read.has("verbose"));
}

TEST(MapWords, MpirunsWordsStayAsTheyAre) {
  const MapWords read = read_map_words({"mpirun", "--mca", "a", "b", "-np", "4", "--topology", "T", "-x", "V=1",
                                        "--bynode", "-v", "app", "-np", "9"})
                            .value();
  EXPECT_EQ(read.launcher, (Words{"--mca", "a", "b", "-np", "4", "-x", "V=1", "--bynode"}));
  EXPECT_EQ(read.get("topology"), "T");
  EXPECT_TRUE(read.has("verbose"));
  EXPECT_EQ(read.application, (Words{"app", "-np", "9"}));
  EXPECT_EQ(launcher_without(read.launcher, "np bynode x"), (Words{"--mca", "a", "b"}));
}

TEST(MapWords, OutputFileMayStandAloneAndShortOptionsOfSrunMayBeAttached) {
  EXPECT_EQ(read_map_words({"-o", "-v"}).value().get("outfile"), "");
  EXPECT_EQ(read_map_words({"-o", "F", "-v"}).value().get("outfile"), "F");
  EXPECT_EQ(read_map_words({"-o", "-"}).value().get("outfile"), "-");
  const MapWords read = read_map_words({"srun", "-N2", "-n8", "-mplane=2"}).value();
  EXPECT_EQ(read.get("nodes"), "2");
  EXPECT_EQ(read.get("ntasks"), "8");
  EXPECT_EQ(read.get("distribution"), "plane=2");
}

TEST(MapWords, MpirunsTableSaysWhatBelongsToAnOption) {
  MapWords read = read_map_words({"--xml-file", "f", "-np", "2", "./app"}).value();
  EXPECT_EQ(read.launcher, (Words{"--xml-file", "f", "-np", "2"}));
  EXPECT_EQ(read.application, (Words{"./app"}));
  read = read_map_words({"--slot-list", "0", "-np", "2"}).value();  // mpirun 4.1 has none: the placement refuses it
  EXPECT_EQ(read.launcher, (Words{"--slot-list"}));
  EXPECT_EQ(error_of({"--mode", "kotomatas", "--tag-output"}).help, "it is an option of --mode openmpi");
}

TEST(MapWords, SrunsOtherOptionsAreSkippedAndThoseAboutPlacementNoted) {
  const MapWords read = read_map_words({"srun", "-p", "debug", "-t10", "--mpi=pmix", "--pty", "-l", "--cpu-bind=cores",
                                        "-x", "n3", "-n", "4", "./app", "-x"})
                            .value();
  EXPECT_EQ(read.get("ntasks"), "4");
  EXPECT_EQ(read.ignored, (Words{"--cpu-bind", "-x"}));
  EXPECT_EQ(read.application, (Words{"./app", "-x"}));
  EXPECT_EQ(error_of({"srun", "--cpubind=cores"}).what, "unknown option --cpubind");
  EXPECT_EQ(error_of({"srun", "-p"}).what, "-p needs an argument");
}

TEST(MapWords, WrongWordsAreNamed) {
  EXPECT_EQ(error_of({"--mode", "kotomatas", "--map-bye", "node"}).help,
            "did you mean --map-by? 'mora map --help' lists the options");
  EXPECT_EQ(error_of({"--core", "3"}).help, "it is an option of --mode kotomatas");
  EXPECT_EQ(error_of({"--mode", "kotomatas", "--distribution", "block"}).help, "it is an option of --mode slurm");
  EXPECT_EQ(error_of({"--mode", "slurm", "--rank-by", "node"}).help,
            "it is an option of --mode openmpi and of --mode kotomatas");
  EXPECT_EQ(error_of({"--mode", "kotomatas", "-np", "-v"}).what, "-np needs an argument");
  EXPECT_EQ(error_of({"--json=1"}).what, "--json takes no argument");
  const auto number = [](const char* text) {
    return number_option(read_map_words({"--mode", "kotomatas", "-np", text}).value(), "np", 1);
  };
  EXPECT_EQ(number("16777216").value(), 16777216u);
  EXPECT_EQ(number("16777217").error().what, "'16777217' is too many");
  EXPECT_EQ(number("99999999999").error().what, "'99999999999' is too many");
  EXPECT_EQ(number("2x").error().what, "'2x' is not a number of at least 1");
}

TEST(MapWords, EverythingThatHelpListsIsRead) {
  for (const Option& option : verb_map.options) {
    for (const std::string& flag : flag_spellings(option)) {
      bool known = false;
      for (const char* mode : {"kotomatas", "openmpi", "slurm", "hydra"}) {
        Words words = {"--mode", mode, flag};
        if (!option.argument.empty()) words.emplace_back(option.argument == "MODE" ? mode : "1");
        const auto read = read_map_words(words);
        known = known || (read && read->application.empty() && (read->options.size() > 1 || flag == "--mode"));
      }
      EXPECT_TRUE(known) << flag;
    }
  }
}

}  // namespace
}  // namespace mora::cli
