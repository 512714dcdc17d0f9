#include "measure/recorder/cgroup_limit.h"
#include "measure/recorder/core_frequency.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/scratch_directory.h"

namespace mora {
namespace {

/// A tree of control groups as below /sys/fs/cgroup.
class ControlGroups : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_.path() + "/" + path).parent_path());
    std::ofstream(root_.path() + "/" + path) << text << "\n";
  }
  std::uint32_t limit(const std::string& groups) const {
    write("own", groups);
    return mora_cgroup_limit((root_.path() + "/own").c_str(), root_.path().c_str());
  }
  std::uint64_t throttled(const std::string& groups) const {
    write("own", groups);
    return mora_cgroup_throttled((root_.path() + "/own").c_str(), root_.path().c_str());
  }
  const ScratchDirectory root_;
};

TEST_F(ControlGroups, TheSmallestLimitUpToTheRootCounts) {
  write("job/cpu.max", "150000 100000");
  write("job/step/cpu.max", "max 100000");
  EXPECT_EQ(limit("0::/job/step"), 1500u);
  write("job/step/cpu.max", "25000 100000");
  EXPECT_EQ(limit("0::/job/step"), 250u);
  EXPECT_EQ(limit("0::/job"), 1500u);
  EXPECT_EQ(limit("0::/"), 0u);
  EXPECT_EQ(limit("0::/elsewhere"), 0u);
  write("cpu.max", "50000 100000");  // as a container sees its own group
  EXPECT_EQ(limit("0::/"), 500u);
  EXPECT_EQ(limit("0::/elsewhere"), 500u);
}

TEST_F(ControlGroups, VersionOne) {
  write("cpu,cpuacct/batch/cpu.cfs_quota_us", "200000");
  write("cpu,cpuacct/batch/cpu.cfs_period_us", "100000");
  write("cpu,cpuacct/free/cpu.cfs_quota_us", "-1");
  write("cpu,cpuacct/free/cpu.cfs_period_us", "100000");
  EXPECT_EQ(limit("5:memory:/batch\n4:cpu,cpuacct:/batch"), 2000u);
  EXPECT_EQ(limit("4:cpu,cpuacct:/free"), 0u);
  EXPECT_EQ(limit("4:cpuset:/batch"), 0u);
}

TEST_F(ControlGroups, HowLongItWasStopped) {
  write("job/cpu.stat", "usage_usec 900\nnr_periods 5\nnr_throttled 3\nthrottled_usec 1500\nnr_bursts 0");
  write("job/step/cpu.stat", "usage_usec 900\nnr_throttled 0\nthrottled_usec 0");
  write("cpu,cpuacct/batch/cpu.stat", "nr_periods 7\nnr_throttled 2\nthrottled_time 2500000");
  EXPECT_EQ(throttled("0::/job/step"), 1'500'000u);
  EXPECT_EQ(throttled("4:cpu,cpuacct:/batch"), 2'500'000u);
  EXPECT_EQ(throttled("4:cpu,cpuacct:/batch\n0::/job"), 2'500'000u);
  write("job/cpu.stat", "throttled_usec -4\nnonsense");
  EXPECT_EQ(throttled("0::/job"), 0u);
}

TEST_F(ControlGroups, NothingToRead) {
  EXPECT_EQ(throttled("0::/none"), 0u);
  EXPECT_EQ(mora_cgroup_limit((root_.path() + "/none").c_str(), root_.path().c_str()), 0u);
  EXPECT_EQ(limit("nonsense\n::\n0:"), 0u);
}

TEST_F(ControlGroups, FrequencyOfACore) {
  write("cpu3/cpufreq/scaling_cur_freq", "2600000");
  write("cpu4/cpufreq/scaling_cur_freq", "unknown");
  EXPECT_EQ(mora_core_khz(root_.path().c_str(), 3), 2'600'000u);
  EXPECT_EQ(mora_core_khz(root_.path().c_str(), 4), 0u);
  EXPECT_EQ(mora_core_khz(root_.path().c_str(), 5), 0u);
  EXPECT_EQ(mora_core_khz(root_.path().c_str(), -1), 0u);
}

}  // namespace
}  // namespace mora
