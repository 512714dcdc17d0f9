#include "trace/view/nonblocking_instances.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "support/scratch_directory.h"
#include "trace/readers/open_trace.h"

namespace mora::trace {
namespace {

/// By instance: the members, in the order of their starts, "!" behind those that are not whole.
std::vector<std::string> instances_of(const std::string& text) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/t.trace";
  EXPECT_TRUE(write_file_atomically(path, "mora-trace 1\n" + text).has_value());
  const auto source = std::move(*open_trace(path));
  const auto view = std::move(*View::make(*source, RmaModel::extended));
  std::vector<std::string> found;
  for (const NonblockingInstance& instance : nonblocking_instances(*view)) {
    std::string words;
    for (const Position start : instance.starts) {
      EXPECT_EQ(view->type(start), EarlType::nbc_start);
      words += "P" + std::to_string(view->location(start)) + "@" + std::to_string(view->time(start)) + " ";
    }
    found.push_back(words + (instance.is_whole ? "" : "!"));
  }
  return found;
}

TEST(NonblockingInstances, TheNthStartsOfAllMembersBelongTogetherWheneverTheyAre) {
  EXPECT_EQ(instances_of("comm half = 0,1\n"
                         "P0 1-2 MPI_Ibarrier req a; 3-4 MPI_Ibarrier req b comm half; 50-60 MPI_Waitall req a,b; "
                         "70-71 MPI_Iallreduce req a; 90-95 MPI_Wait req a\n"
                         "P1 20-21 MPI_Ibarrier req b comm half; 30-31 MPI_Ibarrier req a; 50-60 MPI_Waitall req a,b; "
                         "80-81 MPI_Iallreduce req c; 90-96 MPI_Wait req c\n"
                         "P2 5-6 MPI_Ibarrier req a; 40-41 MPI_Iallreduce req b; 60-97 MPI_Waitall req a,b\n"),
            (std::vector<std::string>{"P0@0 P2@4 P1@29 ", "P0@2 P1@19 ", "P2@39 P0@69 P1@79 "}));
}

TEST(NonblockingInstances, OneWithoutPartnersStandsAlone) {
  EXPECT_EQ(instances_of("P0 1-2 MPI_Ibarrier req a; 3-4 MPI_Ibarrier req b; 50-60 MPI_Waitall req a,b\n"
                         "P1 1-2 MPI_Ibarrier req a; 50-60 MPI_Wait req a\n"),
            (std::vector<std::string>{"P0@0 P1@0 ", "P0@2 !"}));
  EXPECT_EQ(instances_of("P0 1-2 MPI_Ibcast root 0 req a; 50-60 MPI_Wait req a\n"
                         "P1 1-2 MPI_Ibarrier req a; 50-60 MPI_Wait req a\n"),
            (std::vector<std::string>{"P0@0 !", "P1@0 !"}));
  EXPECT_TRUE(instances_of("P0 1-2 MPI_Barrier\nP1 1-2 MPI_Barrier\n").empty());
}

}  // namespace
}  // namespace mora::trace
