/// One rank's schedule in GOAL, operation by operation, and the order in which one thread of a rank carries it out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mora::trace {

struct GoalOperation {
  enum Kind : std::uint8_t { calc, send, receive } kind = calc;
  std::uint32_t peer = 0;    ///< rank; not of calc
  std::int32_t tag = 0;      ///< not of calc
  std::uint64_t amount = 0;  ///< ns of calc, bytes of a message
  std::uint64_t line = 0;    ///< of the file, from 1
  std::string label;         ///< empty: it has none
};

/// That `later` begins when `earlier` is complete (requires), or has begun (irequires). Indices of operations.
struct GoalRequirement {
  std::uint32_t later = 0, earlier = 0;
  bool complete = true;
};

struct GoalSchedule {
  std::vector<GoalOperation> operations;
  std::vector<GoalRequirement> requirements;
};

/// What a rank does, one after the other: begins an operation, or waits for a message that it began.
struct GoalStep {
  std::uint32_t operation = 0;
  bool waits = false;
};

struct GoalOrder {
  std::vector<GoalStep> steps;
  /// Operations that begin behind a wait for a message that they do not require, directly or through others, and the
  /// first one's index.
  std::uint64_t late = 0;
  std::uint32_t first_late = 0;
  std::optional<std::uint32_t> circle;  ///< an operation that requires itself, through others: then nothing else counts
};

/// Idea: a message is waited for where the first operation that requires it would begin, and nothing that may begin
/// before is left behind that. Of operations that may begin the one that stands first in the file begins. The order is
/// the schedule itself where each operation requires, directly or through others, all that its rank waited for before;
/// the others are counted. Cost: (operations + requirements) x log.
GoalOrder order_of(const GoalSchedule& schedule);

}  // namespace mora::trace
