// Groups of functions: every function has its place, and lists are read from left to right.
#include "mpi/groups.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace mora::mpi {
namespace {

std::string left_out(std::string_view text) {
  const auto read = read_groups(text);
  if (!read) return "error: " + read.error().help;
  std::string out;
  for (const auto group : read->groups) out += (out.empty() ? "" : " ") + std::string(group);
  return out;
}

TEST(Groups, HoldFunctionsByWhatTheStandardSaysOfThem) {
  const std::map<std::string_view, std::string_view> wanted = {{"MPI_Send", "point-to-point"},
                                                               {"MPI_Iprobe", "point-to-point"},
                                                               {"MPI_Startall", "point-to-point"},
                                                               {"MPI_Send_init", "point-to-point"},
                                                               {"MPI_Waitany", "requests"},
                                                               {"MPI_Testsome", "requests"},
                                                               {"MPI_Cancel", "requests"},
                                                               {"MPI_Request_get_status", "requests"},
                                                               {"MPI_Ibcast", "collectives"},
                                                               {"MPI_Barrier_init", "collectives"},
                                                               {"MPI_Win_create", "one-sided"},
                                                               {"MPI_Rput", "one-sided"},
                                                               {"MPI_Win_flush", "one-sided"},
                                                               {"MPI_Comm_split", "communicators"},
                                                               {"MPI_Group_incl", "communicators"},
                                                               {"MPI_File_open", "files"},
                                                               {"MPI_File_iwrite_at", "files"},
                                                               {"MPI_Type_commit", "others"},
                                                               {"MPI_Init", ""},
                                                               {"MPI_Finalize", ""},
                                                               {"MPI_Abort", ""},
                                                               {"MPI_Pcontrol", ""},
                                                               {"MPI_Comm_rank", ""}};
  for (const auto& [name, group] : wanted) EXPECT_EQ(group_of(function(find_exactly(name))), group) << name;
}

TEST(Groups, ListsAreReadFromLeftToRight) {
  EXPECT_EQ(left_out("all"), "");
  EXPECT_EQ(left_out("all,-polls"), "polls");
  EXPECT_EQ(left_out("-files,-polls"), "polls files");
  EXPECT_EQ(left_out("point-to-point,requests"), "collectives one-sided communicators files others");
  EXPECT_EQ(left_out("-files,files"), "");
  EXPECT_EQ(left_out("files,-all,collectives"), "point-to-point requests polls one-sided communicators files others");
}

TEST(Groups, UnknownNamesGetASuggestion) {
  EXPECT_EQ(left_out("all,-pols").substr(0, 28), "error: did you mean polls? t");
  EXPECT_EQ(left_out("collective").substr(0, 33), "error: did you mean collectives? ");
  for (const char* text : {"", "all,", "-", "xyz", "Files"}) EXPECT_FALSE(read_groups(text)) << text;
}

TEST(Groups, RangesAreWhatTheRecorderReads) {
  EXPECT_EQ(to_ranges({}), "");
  EXPECT_EQ(to_ranges({3}), "3");
  EXPECT_EQ(to_ranges({1, 2, 3, 7, 9, 10}), "1-3,7,9-10");
  const auto files = read_groups("-files");
  ASSERT_TRUE(files);
  for (const unsigned id : files->functions) EXPECT_EQ(group_of(function(id)), "files");
  EXPECT_GT(files->functions.size(), 50U);
  EXPECT_FALSE(files->polls);
}

}  // namespace
}  // namespace mora::mpi
