#include "measure/counters/proc_counts.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace {

TEST(ProcCounts, AreReadFromTheKernelsText) {
  std::uint64_t counts[MORA_PROC_COUNTS] = {};
  ASSERT_TRUE(
      mora_proc_io_parse("rchar: 11\nwchar: 22\nsyscr: 3\nsyscw: 4\nread_bytes: 55\nwrite_bytes: 66\n"
                         "cancelled_write_bytes: 7\n",
                         counts));
  EXPECT_EQ(counts[MORA_PROC_READ], 11u);
  EXPECT_EQ(counts[MORA_PROC_WRITTEN], 22u);
  EXPECT_EQ(counts[MORA_PROC_DISK_READ], 55u);
  EXPECT_EQ(counts[MORA_PROC_DISK_WRITTEN], 66u);
  EXPECT_FALSE(mora_proc_io_parse("rchar: 11\n", counts));
  EXPECT_FALSE(mora_proc_io_parse("", counts));
}

void write_to_nobody(std::size_t bytes) {
  const int nobody = open("/dev/null", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(nobody, 0);
  const std::string text(bytes, 'x');
  ASSERT_EQ(write(nobody, text.data(), text.size()), static_cast<ssize_t>(bytes));
  close(nobody);
}

TEST(ProcCounts, OfAThreadAreItsOwn) {
  mora_proc_io io = {-1, 0};
  if (mora_proc_io_open(&io) != 0) GTEST_SKIP() << "this system does not tell it";
  std::uint64_t before[MORA_PROC_COUNTS] = {}, after[MORA_PROC_COUNTS] = {};
  ASSERT_TRUE(mora_proc_io_read(&io, before));
  write_to_nobody(100'000);
  std::thread(write_to_nobody, 1'000'000).join();
  ASSERT_TRUE(mora_proc_io_read(&io, after));
  EXPECT_EQ(after[MORA_PROC_WRITTEN] - before[MORA_PROC_WRITTEN], 100'000u);
  EXPECT_EQ(after[MORA_PROC_READ], before[MORA_PROC_READ]) << "what was read from /proc is not counted";
  close(io.file);
}

TEST(ProcCounts, AFileThatTheProgramTookIsOpenedAgainAndLeftAlone) {
  mora_proc_io io = {-1, 0};
  if (mora_proc_io_open(&io) != 0) GTEST_SKIP() << "this system does not tell it";
  std::uint64_t before[MORA_PROC_COUNTS] = {}, after[MORA_PROC_COUNTS] = {};
  ASSERT_TRUE(mora_proc_io_read(&io, before));
  const int own = open("/dev/zero", O_RDONLY | O_CLOEXEC), taken = io.file;
  ASSERT_EQ(dup2(own, taken), taken);
  write_to_nobody(100'000);
  ASSERT_TRUE(mora_proc_io_read(&io, after));
  EXPECT_EQ(after[MORA_PROC_WRITTEN] - before[MORA_PROC_WRITTEN], 100'000u);
  EXPECT_EQ(after[MORA_PROC_READ], before[MORA_PROC_READ]);
  EXPECT_NE(io.file, taken);
  EXPECT_EQ(dup2(own, io.file), io.file);
  const int taken_too = io.file;
  mora_proc_io_close(&io);
  for (const int number : {taken, taken_too, own}) EXPECT_EQ(close(number), 0);
}

TEST(ProcCounts, WhatIsReadToLookAtTheMemoryIsNotCounted) {
  mora_proc_io io{-1, 0};
  ASSERT_EQ(mora_proc_io_open(&io), 0);
  std::uint64_t before[MORA_PROC_COUNTS] = {}, after[MORA_PROC_COUNTS] = {};
  ASSERT_TRUE(mora_proc_io_read(&io, before));
  constexpr std::size_t bytes = 1 << 20;
  const std::uint64_t of_itself = io.own_read;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  static_cast<volatile char*>(memory)[0] = 1;  // a page fault: without one it does not look
  mora_proc_memory_growth(&io.own_read);
  EXPECT_GT(io.own_read, of_itself);
  ASSERT_TRUE(mora_proc_io_read(&io, after));
  EXPECT_EQ(after[MORA_PROC_READ], before[MORA_PROC_READ]);
  munmap(memory, bytes);
  close(io.file);
}

TEST(ProcCounts, MemoryIsChargedOnceAndOnlyWhereItGrows) {
  std::uint64_t own_read = 0;
  mora_proc_memory_growth(&own_read);
  constexpr std::size_t bytes = 256 << 20;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto touch = [&] {
    for (std::size_t at = 0; at < bytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
  };
  touch();
  std::uint64_t grown = 0;
  std::thread([&] { grown += mora_proc_memory_growth(&own_read); }).join();
  grown += mora_proc_memory_growth(&own_read);
  EXPECT_NEAR(static_cast<double>(grown), bytes, 0.02 * bytes);
  madvise(memory, bytes, MADV_DONTNEED);
  touch();  // again, but no more than before
  EXPECT_LT(mora_proc_memory_growth(&own_read), bytes / 50);
  munmap(memory, bytes);
}

}  // namespace
