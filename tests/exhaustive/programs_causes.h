/// Random programs for the test of causes: functions, computation between them, messages that block or not, barriers,
/// gathers, broadcasts, ranks that start late; in half of them one rank receives all messages and works on each.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "base/time.h"

namespace mora::exhaustive {

struct Segment {
  Nanoseconds begin, end;
  std::string path;
};
enum class Kind { message, barrier, gather, broadcast };
struct Operation {  ///< message: two members, sender first; else all
  Kind kind;
  std::size_t root = 0;
  bool is_message() const { return kind == Kind::message; }
  std::vector<int> ranks;
  std::vector<Nanoseconds> enter, leave;
};
struct Program {
  std::vector<std::vector<Segment>> segments;
  std::vector<std::vector<std::string>> names;  ///< of call paths, by rank, in order of appearance
  std::vector<Operation> operations;
  std::string text;
  Nanoseconds start = 0, end = 0;  ///< of the first and last rank
};

inline const std::string stretch = "compute ";  ///< what the names of computation between calls begin with

Program random_program(std::mt19937& random);

}  // namespace mora::exhaustive
