/// Directories of text traces for tests, deleted at the end.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "support/scratch_directory.h"

namespace mora::predict {

class TextTraceDirectory {
 public:
  void put(const std::string& name, const std::string& text) const { scratch_.write(name, text); }
  const std::string& path() const { return scratch_.path(); }

 private:
  const ScratchDirectory scratch_;
};

/// A program with most shapes of records, on four ranks.
inline void write_program(const TextTraceDirectory& d) {
  for (int p = 0; p < 4; ++p) {
    const int right = (p + 1) % 4, left = (p + 3) % 4, color = p % 2, key = -p, local = p < 2 ? 1 : 0;
    std::string text = fmt::format("{} init 1\n{} Comm split. color={}, key={}.New comm mini_comm_0_{} of size 2\n", p,
                                   p, color, key, color);
    for (int i = 1; i <= 5; ++i) {
      text += fmt::format(
          "Phase step start.\n{0} Irecv {1} 10 (of 8 bytes) 0 on comm MPI_COMM_WORLD\n{0} Isend {2} 10 (of 8 bytes) 0 "
          "on comm MPI_COMM_WORLD\n{0} waitall\n",
          p, left, right);
      text += fmt::format(
          "{0} Sendrecv(s) {1} 2 (of 40 bytes) 100 on comm MPI_COMM_WORLD\n{0} Sendrecv(r) {2} 2 (of 40 bytes) 100 on "
          "comm MPI_COMM_WORLD\n",
          p, right, left);
      text += fmt::format("{} allReduce 1 (of 4 bytes) of type 1 on comm mini_comm_0_{} {}\n", p, color, 3 * i - 2);
      text += fmt::format("{} alltoAllv min=1 median=2.500000 max=4 (of 4 bytes) of type 1 on comm MPI_COMM_WORLD {}\n",
                          p, i);
      text += fmt::format("{} allGather 2 (of 4 bytes) of types 1, 6 8 (of 1 bytes) on comm mini_comm_0_{} {}\n", p,
                          color, 3 * i - 1);
      text += fmt::format("{} bcast 3 (of 12 bytes) 1 of type 101 on comm mini_comm_0_{} {}\n", p, color, local);
      text +=
          fmt::format("{} reduceScatter min=1 median=2.000000 max=3 (of 4 bytes) of type 1 on comm mini_comm_0_{} {}\n",
                      p, color, 3 * i);
      text += fmt::format(
          "{} Put {} 4 (of 8 bytes) 0 on comm MPI_COMM_WORLD\n{} Win_fence on comm MPI_COMM_WORLD\n{} barrier on comm "
          "MPI_COMM_WORLD\n",
          p, right, p, p);
      text += "Phase step end.\n";
    }
    text += fmt::format("Comm mini_comm_0_{} free.\n{} finalize\n", color, p);
    d.put(fmt::format("ti_trace{}.txt", p), text);
  }
}

}  // namespace mora::predict
