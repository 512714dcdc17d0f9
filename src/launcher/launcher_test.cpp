// Command lines of launchers, and their options.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <thread>

#include "launcher/launch.h"
#include "launcher/process.h"
#include "support/scratch_directory.h"

namespace mora::launcher {
namespace {

std::string program_of(const std::vector<std::string>& command) {
  const auto launch = take_apart(command);
  return launch.program < command.size() ? command[launch.program] : "?";
}

TEST(Launch, FindsTheProgramBehindOptionsOfEveryLauncher) {
  EXPECT_EQ(program_of({"/bin/true"}), "/bin/true");
  EXPECT_EQ(program_of({"mpirun.openmpi", "-n", "4", "--mca", "btl", "self,vader", "-x", "A=1", "--bind-to", "none",
                        "./app", "-n", "9"}),
            "./app");
  EXPECT_EQ(program_of({"mpirun.mpich", "-genv", "A", "1", "-n", "2", "-ppn", "1", "./app"}), "./app");
  EXPECT_EQ(program_of({"env", "A=1", "timeout", "-k", "1", "10", "mpirun.openmpi", "-np", "2", "--oversubscribe",
                        "./app", "x"}),
            "./app");
  EXPECT_EQ(program_of({"srun", "-N2", "--ntasks=8", "-p", "debug", "./app"}), "./app");
  EXPECT_EQ(program_of({"mpirun.openmpi", "-n", "2", "env", "B=2", "./app"}), "./app");
  EXPECT_EQ(program_of({"mpirun.openmpi", "--unheard-of", "nonsense-value", "/bin/true"}), "/bin/true");
  EXPECT_EQ(program_of({"mpirun.openmpi", "-n", "4"}), "?");
}

TEST(Launch, CountsRanksOverApplicationContexts) {
  EXPECT_EQ(take_apart({"mpirun.openmpi", "-n", "4", "./app"}).ranks, 4u);
  EXPECT_EQ(take_apart({"mpirun.openmpi", "-n", "1", "./a", ":", "-n", "3", "./b"}).ranks, 4u);
  EXPECT_EQ(take_apart({"mpirun.openmpi", "./app"}).ranks, 0u);
  EXPECT_EQ(take_apart({"srun", "--ntasks=8", "./app"}).ranks, 8u);
  EXPECT_EQ(take_apart({"srun", "-n8", "./app"}).ranks, 8u);
}

TEST(Launch, ForwardsVariablesInTheLaunchersWay) {
  const std::vector<std::pair<std::string, std::string>> variables{{"LD_PRELOAD", "/x.so"}, {"MORA_DIR", "/d"}};
  EXPECT_EQ(
      with_forwarded_variables(take_apart({"mpirun.openmpi", "-n", "1", "./a", ":", "-n", "1", "./b"}), variables),
      (std::vector<std::string>{"mpirun.openmpi", "-x", "LD_PRELOAD", "-x", "MORA_DIR", "-n", "1", "./a", ":", "-x",
                                "LD_PRELOAD", "-x", "MORA_DIR", "-n", "1", "./b"}));
  EXPECT_EQ(with_forwarded_variables(take_apart({"mpirun.mpich", "-n", "1", "./a"}), variables),
            (std::vector<std::string>{"mpirun.mpich", "-n", "1", "./a"}));
  EXPECT_EQ(with_forwarded_variables(take_apart({"mpirun.mpich", "-genvnone", "-n", "1", "./a"}), variables),
            (std::vector<std::string>{"mpirun.mpich", "-env", "LD_PRELOAD", "/x.so", "-env", "MORA_DIR", "/d",
                                      "-genvnone", "-n", "1", "./a"}));
}

TEST(Launch, MergesListsThatTheUserSetsForTheRanks) {
  const auto words = [](const std::vector<std::string>& command) {
    return with_forwarded_variables(take_apart(command), {{"LD_PRELOAD", "/x.so"}, {"MORA_DIR", "/d"}});
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words({"mpirun.openmpi", "-x", "LD_PRELOAD=/y.so", "./a", "LD_PRELOAD=/z"}),
            (Words{"mpirun.openmpi", "-x", "MORA_DIR", "-x", "LD_PRELOAD=/x.so:/y.so", "./a", "LD_PRELOAD=/z"}));
  EXPECT_EQ(words({"mpirun.openmpi", "-n", "1", "./a", ":", "-x", "LD_PRELOAD=/y.so", "./b"}),
            (Words{"mpirun.openmpi", "-x", "LD_PRELOAD", "-x", "MORA_DIR", "-n", "1", "./a", ":", "-x", "MORA_DIR",
                   "-x", "LD_PRELOAD=/x.so:/y.so", "./b"}));
  EXPECT_EQ(words({"mpirun.openmpi", "-x", "LD_PRELOAD", "./a"}),
            (Words{"mpirun.openmpi", "-x", "LD_PRELOAD", "-x", "MORA_DIR", "-x", "LD_PRELOAD", "./a"}));
  EXPECT_EQ(words({"mpirun.mpich", "-genv", "LD_PRELOAD", "/y.so", "./a"}),
            (Words{"mpirun.mpich", "-genv", "LD_PRELOAD", "/x.so:/y.so", "./a"}));
  EXPECT_EQ(words({"srun", "--export=ALL,LD_PRELOAD=/y.so,A=1", "./a"}),
            (Words{"srun", "--export=ALL,LD_PRELOAD=/x.so:/y.so,A=1", "./a"}));
  EXPECT_EQ(words({"mpirun.openmpi", "--mca", "mca_base_env_list", "A=1;LD_PRELOAD=/y.so", "./a"}),
            (Words{"mpirun.openmpi", "--mca", "mca_base_env_list", "A=1;LD_PRELOAD=/x.so:/y.so", "./a"}));
  EXPECT_EQ(words({"env", "LD_PRELOAD=/y.so", "./a"}), (Words{"env", "LD_PRELOAD=/x.so:/y.so", "./a"}));
}

TEST(Launch, AnOptionMeansWhatItsLauncherSays) {
  // -c is the number of processes for mpirun, and of CPUs per task for srun.
  EXPECT_EQ(take_apart({"mpirun.openmpi", "-c", "4", "./app"}).ranks, 4u);
  EXPECT_EQ(take_apart({"srun", "-n", "8", "-c", "4", "./app"}).ranks, 8u);
  EXPECT_EQ(take_apart({"srun", "-c4", "-n8", "./app"}).ranks, 8u);
  EXPECT_EQ(take_apart({"mpirun.mpich", "-np=3", "./app"}).ranks, 3u);
  EXPECT_EQ(take_apart({"jsrun", "-n", "3", "./app"}).ranks, 3u);
  EXPECT_EQ(take_apart({"mpirun.openmpi", "-npernode", "2", "./app"}).ranks, 0u);
  // Options of other versions and other launchers still have their arguments.
  EXPECT_EQ(program_of({"mpirun.openmpi", "--output-directory", "/", "-n", "2", "./app"}), "./app");
  EXPECT_EQ(take_apart({"prun", "--prtemca", "a", "b", "-n", "2", "./app"}).ranks, 2u);
}

TEST(Options, HowManyWordsFollow) {
  using enum LauncherKind;
  EXPECT_EQ(words_behind(openmpi, "--mca"), 2u);
  EXPECT_EQ(words_behind(openmpi, "-map-by"), 1u);
  EXPECT_EQ(words_behind(openmpi, "--map-by=node"), 0u);
  EXPECT_EQ(words_behind(openmpi, "-q"), 0u);
  EXPECT_EQ(words_behind(openmpi, "-D"), 0u);
  EXPECT_EQ(words_behind(srun, "-D"), 1u);
  EXPECT_EQ(words_behind(srun, "-q"), 1u);
  EXPECT_EQ(words_behind(srun, "--overcommit"), 0u);
  EXPECT_EQ(words_behind(mpich, "-genv"), 2u);
  EXPECT_EQ(words_behind(mpich, "-f"), 1u);
  EXPECT_EQ(words_behind(openmpi, "--ppn"), 1u) << "another launcher's";
  EXPECT_EQ(words_behind(other, "-p"), 1u) << "of whichever launcher";
  EXPECT_EQ(words_behind(openmpi, "--unheard-of"), 0u);
  EXPECT_EQ(words_behind(none, "-"), 0u);
}

TEST(Options, NamesStandOnceInATable) {
  for (const auto kind : {LauncherKind::openmpi, LauncherKind::mpich, LauncherKind::srun, LauncherKind::other}) {
    std::set<std::string> seen;
    for (const std::string& name : option_names(kind, false)) {
      EXPECT_TRUE(seen.insert(name).second) << name;
      EXPECT_NE(find_option(kind, name), nullptr) << name;
    }
    EXPECT_FALSE(seen.empty());
  }
  EXPECT_EQ(find_option(LauncherKind::srun, "N")->names, "nodes N");
  EXPECT_EQ(find_option(LauncherKind::srun, "hint")->role, Role::unread);
  EXPECT_EQ(find_option(LauncherKind::openmpi, "nodelist"), nullptr);
  EXPECT_EQ(find_option(LauncherKind::openmpi, ""), nullptr);
  const auto of_ranks = option_names(LauncherKind::srun, true);
  EXPECT_EQ(std::set<std::string>(of_ranks.begin(), of_ranks.end()),
            (std::set<std::string>{"ntasks", "n", "nodes", "N", "ntasks-per-node", "cpus-per-task", "c", "distribution",
                                   "m", "nodelist", "w", "overcommit", "O", "exclusive"}));
}

TEST(Options, WordsThatAreLaunchers) {
  EXPECT_EQ(launcher_name("/usr/bin/mpirun.openmpi"), "mpirun");
  EXPECT_EQ(launcher_name("srun"), "srun");
  EXPECT_EQ(launcher_name("mpiexec-hydra"), "mpiexec");
  EXPECT_EQ(launcher_name("./app"), std::nullopt);
  EXPECT_EQ(launcher_name("mpirunner"), std::nullopt);
}

/// What becomes of a shell script that is told to end when it has told that it is there, by a file "there".
Outcome told_to_end(const ScratchDirectory& directory, const std::string& script, int patience) {
  std::thread telling([&] {
    while (access(directory.path("there").c_str(), F_OK) != 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(getpid(), SIGTERM);
  });
  const auto outcome = run_in_foreground({"sh", "-c", "cd " + directory.path() + "; " + script}, {}, -1, patience);
  telling.join();
  return outcome.value_or(Outcome{});
}

TEST(Foreground, AJobThatDoesNotEndWhenItsProcessesHaveIsKilled) {
  const ScratchDirectory directory;
  ASSERT_EQ(mkfifo(directory.path("never_written").c_str(), 0600), 0);
  const auto outcome =
      told_to_end(directory, "trap '' TERM; (touch there; exec sleep 5) & wait; read x < never_written", 1);
  EXPECT_TRUE(outcome.was_stuck);
  EXPECT_EQ(outcome.stopped_by, SIGTERM);
  EXPECT_EQ(outcome.exit_code, 128 + SIGTERM);
}

TEST(Foreground, AJobWithProcessesMayTakeItsTimeToEnd) {
  const ScratchDirectory directory;
  const auto outcome = told_to_end(directory, "trap '' TERM; touch there; sleep 4.5; exit 7", 1);
  EXPECT_FALSE(outcome.was_stuck);
  EXPECT_EQ(outcome.stopped_by, SIGTERM);
  EXPECT_EQ(outcome.exit_code, 7);
}

}  // namespace
}  // namespace mora::launcher
