/// Random correct programs whose dependencies are known by construction, a recording of each on a slow network, and a
/// naive solution of their equations: the reference of the replay.
///
/// Nothing here matches anything: a call *gives* numbered values and *takes* numbered values, put down when the program
/// is drawn. start = end of the call before + work; end = max(start, what it takes); a value is the start of the call
/// that gives it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace mora::replay_reference {

struct Call {
  std::string text;      ///< name and attributes
  Nanoseconds work = 0;  ///< before it
  Nanoseconds kept = 0;  ///< in it, whatever the network
  std::vector<int> gives, gives_at_end, takes;
  Nanoseconds enter = 0, leave = 0;  ///< as recorded
};

struct Program {
  std::string definitions;
  std::vector<std::vector<Call>> ranks;
  std::vector<Nanoseconds> last_work;  ///< after the last call
  int values = 0;
  bool has_locks = false;  ///< whose order is that of the recording
};

struct ProgramOptions {
  std::uint64_t seed = 1;
  std::uint32_t steps = 15;
  bool locks = true;
};
Program random_program(const ProgramOptions& options);

/// Start and end of each call; the end of each rank.
struct Solution {
  std::vector<std::vector<Nanoseconds>> starts, ends;
  std::vector<Nanoseconds> rank_ends;
};
/// Iterates the equations, from zero, until nothing changes.
Solution solve(const Program& program);

/// The recording; with a solution: as if it had been recorded so.
std::string trace_text(const Program& program, const Solution* solution = nullptr);

}  // namespace mora::replay_reference
