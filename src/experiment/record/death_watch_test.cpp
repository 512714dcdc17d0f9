/// Deaths of processes that have several journals, one for each thread.
#include "experiment/record/death_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "experiment/journal_files.h"
#include "journal/format.h"
#include "support/scratch_directory.h"

namespace mora::experiment {
namespace {

void write_header(const std::string& path, pid_t pid) {
  mora_file_header header{};
  header.pid = static_cast<std::uint32_t>(pid);
  gethostname(header.host, sizeof header.host - 1);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&header), sizeof header);
}

/// How many processes are watched.
std::size_t pidfds() {
  std::size_t count = 0;
  std::error_code gone;
  for (int file = 0; file < 256; ++file)
    count += std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), gone).string().find("pidfd") !=
             std::string::npos;
  return count;
}

bool becomes_true(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 1000 && !condition(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

TEST(DeathWatch, AProcessWithJournalsOfSeveralThreadsDiesOnce) {
  const ScratchDirectory scratch;
  std::filesystem::create_directory(journal_directory(scratch.path()));
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  for (const char* ending : {".journal", ".t1.journal", ".t2.journal"})
    write_header(journal_directory(scratch.path()) + "/1.0" + ending, child);
  const int lowest_before = open("/dev/null", O_RDONLY);
  close(lowest_before);

  DeathWatch watch(scratch.path());
  ASSERT_TRUE(becomes_true([] { return pidfds() == 1; })) << pidfds();
  kill(child, SIGKILL);
  ASSERT_TRUE(becomes_true([] { return pidfds() == 0; })) << pidfds();
  const auto deaths = watch.deaths();
  waitpid(child, nullptr, 0);
  ASSERT_EQ(deaths.size(), 1U);
  EXPECT_EQ(deaths.begin()->first, static_cast<std::uint32_t>(child));

  const int lowest_after = open("/dev/null", O_RDONLY);
  close(lowest_after);
  EXPECT_EQ(lowest_after, lowest_before) << "a descriptor was closed that is not the watch's";
}

}  // namespace
}  // namespace mora::experiment
