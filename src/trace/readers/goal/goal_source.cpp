/// Source: Hoefler 2009; the grammar is that of LogGOPSim's txt2bin.
/// Idea: a schedule says what requires what, a trace what follows what. So messages are begun and waited for
/// (goal_schedule.h), each rank between MPI_Init and MPI_Finalize. Cost: (operations + requirements) x log. Memory: the
/// file, the schedule of one rank, and the events (event_spool.h).
#include "trace/readers/goal/goal_source.h"

#include <fmt/format.h>

#include "base/file.h"
#include "trace/readers/building/reading_damage.h"
#include "trace/readers/building/untimed_calls.h"
#include "trace/readers/goal/goal_text.h"

namespace mora::trace {

namespace {

class GoalReader {
 public:
  explicit GoalReader(const std::string& name) : name_(name) {}

  Result<std::unique_ptr<Source>> read(std::string_view content) {
    MORA_CHECK_OK(parse_goal(
        content, name_, believable_processes(content.size()),
        [&](std::uint32_t ranks) {
          for (ranks_ = 0; ranks_ < ranks; ++ranks_) calls_.call(ranks_, "MPI_Init");
        },
        [&](std::uint32_t rank, const GoalSchedule& schedule) { return add(rank, schedule); }));
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) calls_.call(rank, "MPI_Finalize");
    if (late_ != 0)
      calls_.builder().quality().add(
          "operations-in-order", Severity::warning, "", late_,
          fmt::format("operations of a GOAL schedule begin behind a message that they do not require, since a rank "
                      "waits for one message at a time (first: line {})",
                      first_late_),
          "let them require it, if the program does wait for it there");
    calls_.builder().quality().add(
        "ranks-without-operations", Severity::warning, "", ranks_ - given_,
        fmt::format("of {} ranks of a GOAL schedule there is no block of operations: they do nothing", ranks_),
        "nothing, if they do nothing; else the file is cut");
    MORA_TRY(auto source, calls_.builder().finish());
    return std::unique_ptr<Source>(std::move(source));
  }

 private:
  Result<void> add(std::uint32_t rank, const GoalSchedule& schedule) {
    ++given_;
    const GoalOrder order = order_of(schedule);
    if (order.circle) {
      const GoalOperation& o = schedule.operations[*order.circle];
      return goal_error(name_, o.line, fmt::format("{} requires itself, through others", o.label));
    }
    if (order.late != 0) {
      if (late_ == 0) first_late_ = schedule.operations[order.first_late].line;
      late_ += order.late;
    }
    std::vector<UntimedCalls::Request> requests(schedule.operations.size());
    for (std::size_t i = 0; i < order.steps.size(); ++i) {
      const auto [at, waits] = order.steps[i];
      const GoalOperation& o = schedule.operations[at];
      const bool sends = o.kind == GoalOperation::send;
      if (waits) {
        calls_.call(rank, "MPI_Wait", {UntimedCalls::completion(requests[at])});
      } else if (o.kind == GoalOperation::calc) {
        if (o.amount != 0 && !calls_.compute(rank, static_cast<Nanoseconds>(o.amount)))
          return goal_error(name_, o.line, "the times are too large");
      } else {
        Event message;
        message.peer = o.peer;
        message.tag = o.tag;
        message.bytes = o.amount;
        if (i + 1 < order.steps.size() && order.steps[i + 1].operation == at) {  // it waits at once
          calls_.transfer(rank, sends, message);
          ++i;
        } else {
          requests[at] = calls_.begin(rank, sends, message);
        }
      }
    }
    return {};
  }

  const std::string& name_;
  UntimedCalls calls_{"GOAL schedule"};
  std::uint32_t ranks_ = 0, given_ = 0;
  std::uint64_t late_ = 0, first_late_ = 0;
};

}  // namespace

bool is_goal(std::string_view start) { return begins_as_goal(start); }

Result<std::unique_ptr<Source>> read_goal(std::string_view content, const std::string& name) {
  return GoalReader(name).read(content);
}

Result<std::unique_ptr<Source>> open_goal(const std::string& path) {
  MORA_TRY(const std::string content, read_file(path));
  return read_goal(content, path);
}

}  // namespace mora::trace
