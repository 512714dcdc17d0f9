#include "base/storage/room.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/storage/spool.h"

namespace mora {
namespace {

struct Opened {
  int file;
  explicit Opened(int opened) : file(opened) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (file >= 0) ::close(file);
  }
};

/// Whether the system can say that there is no room at a file's place.
bool knows_room(int file) {
  return ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 4096) == 0 || (errno != EOPNOTSUPP && errno != ENOSYS);
}

TEST(Room, IsWhatTheFileSystemHas) {
  const Opened file(open_temporary());
  ASSERT_GE(file.file, 0);
  struct statfs place {};
  ASSERT_EQ(::fstatfs(file.file, &place), 0);
  if (place.f_blocks == 0) GTEST_SKIP() << "the place of temporary files has no limit";  // memory: it would be taken
  EXPECT_TRUE(has_room(file.file, 0));
  EXPECT_TRUE(has_room(file.file, 4096));
  EXPECT_TRUE(SpoolFile::has_room(4096));
  EXPECT_FALSE(has_room(file.file, UINT64_MAX));
  if (knows_room(file.file)) {
    EXPECT_FALSE(has_room(file.file, std::uint64_t{1} << 60));
    EXPECT_FALSE(SpoolFile::has_room(std::uint64_t{1} << 60));
  }
  struct stat status {};
  ASSERT_EQ(::fstat(file.file, &status), 0);
  EXPECT_EQ(status.st_size, 0);  // nothing was written
}

// Files that know no fallocate: one of /proc (EOPNOTSUPP), a device (ENODEV), a pipe (ESPIPE).
TEST(Room, IsThereWhereTheSystemCannotSay) {
  const Opened process(::open("/proc/self/comm", O_RDWR | O_CLOEXEC)), device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ASSERT_GE(process.file, 0);
  EXPECT_TRUE(has_room(process.file, 4096));
  ASSERT_GE(device.file, 0);
  EXPECT_TRUE(has_room(device.file, 4096));
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Opened out(ends[0]), in(ends[1]);
  EXPECT_TRUE(has_room(in.file, 4096));
}

}  // namespace
}  // namespace mora
