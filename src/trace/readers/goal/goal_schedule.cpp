#include "trace/readers/goal/goal_schedule.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace mora::trace {

namespace {

/// Waits beyond a gap that are kept of an operation; with more, what joins that many branches counts as late.
constexpr std::size_t most_apart = 64;

using LeastFirst = std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>>;

class GoalOrdering {
 public:
  explicit GoalOrdering(const GoalSchedule& schedule) : s_(schedule), operations_(schedule.operations.size()) {
    const auto by = [&](std::uint32_t GoalRequirement::*end) {
      std::vector<std::vector<std::uint32_t>> lists(s_.operations.size());
      for (std::uint32_t r = 0; r < s_.requirements.size(); ++r) lists[s_.requirements[r].*end].push_back(r);
      return lists;
    };
    before_ = by(&GoalRequirement::later);
    behind_ = by(&GoalRequirement::earlier);
  }

  GoalOrder run() {
    for (std::uint32_t o = 0; o < operations_.size(); ++o) {
      operations_[o].open = before_[o].size();
      for (const std::uint32_t r : before_[o]) operations_[o].unwaited += is_wait(s_.requirements[r]) ? 1 : 0;
      if (operations_[o].open == 0) free_.push(o);
    }
    while (!free_.empty() || !waiting_.empty()) {
      LeastFirst& from = free_.empty() ? waiting_ : free_;
      const std::uint32_t o = from.top();
      from.pop();
      if (!operations_[o].begun) begin(o);
    }
    for (std::uint32_t o = 0; o < operations_.size(); ++o) {
      if (operations_[o].begun) continue;
      order_.circle = in_circle(o);
      return std::move(order_);
    }
    // What nothing requires is complete when the rank ends; the last one first, since that is where a rank is.
    for (auto step = order_.steps.size(); step-- > 0;) {
      const std::uint32_t o = order_.steps[step].operation;
      if (is_message(o) && operations_[o].waited == 0) wait(o);
    }
    return std::move(order_);
  }

 private:
  struct State {
    std::size_t open = 0;                  ///< requirements whose earlier operation has not begun
    std::size_t unwaited = 0;              ///< messages that it requires and that the rank has not waited for
    std::uint64_t waited = 0;              ///< which wait was for it, from 1; 0: none yet
    std::uint64_t prefix = 0;              ///< it requires this wait and all before it
    std::vector<std::uint64_t> more = {};  ///< … and these, ascending
    bool begun = false;
  };

  bool is_message(std::uint32_t o) const { return s_.operations[o].kind != GoalOperation::calc; }
  bool is_wait(const GoalRequirement& r) const { return r.complete && is_message(r.earlier); }

  void wait(std::uint32_t o) {
    operations_[o].waited = ++waits_;
    order_.steps.push_back({o, true});
    for (const std::uint32_t r : behind_[o]) {
      State& later = operations_[s_.requirements[r].later];
      if (!s_.requirements[r].complete) continue;
      if (--later.unwaited == 0 && later.open == 0) free_.push(s_.requirements[r].later);
    }
  }

  /// Which of the waits so far it requires, directly or through others; whether it requires all.
  bool requires_all_waits(std::uint32_t o) {
    State& state = operations_[o];
    std::vector<std::uint64_t>& more = state.more;
    for (const std::uint32_t r : before_[o]) {
      const State& earlier = operations_[s_.requirements[r].earlier];
      state.prefix = std::max(state.prefix, earlier.prefix);
      more.insert(more.end(), earlier.more.begin(), earlier.more.end());
      if (is_wait(s_.requirements[r]) && earlier.waited != 0) more.push_back(earlier.waited);
    }
    std::sort(more.begin(), more.end());
    more.erase(std::unique(more.begin(), more.end()), more.end());
    std::size_t known = 0;
    for (; known < more.size() && more[known] <= state.prefix + 1; ++known)
      state.prefix = std::max(state.prefix, more[known]);
    more.erase(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(known));
    if (more.size() > most_apart) more.resize(most_apart);
    return state.prefix == waits_;
  }

  void begin(std::uint32_t o) {
    std::vector<std::uint32_t> messages;
    for (const std::uint32_t r : before_[o]) {
      const GoalRequirement& requirement = s_.requirements[r];
      if (is_wait(requirement) && operations_[requirement.earlier].waited == 0) messages.push_back(requirement.earlier);
    }
    std::sort(messages.begin(), messages.end());
    messages.erase(std::unique(messages.begin(), messages.end()), messages.end());
    // What was begun just before is a blocking call, if it is waited for first.
    if (const auto last = std::find_if(
            messages.begin(), messages.end(),
            [&](std::uint32_t m) { return !order_.steps.back().waits && order_.steps.back().operation == m; });
        last != messages.end())
      std::rotate(messages.begin(), last, last + 1);
    State& state = operations_[o];
    state.begun = true;
    for (const std::uint32_t message : messages) wait(message);
    if (!requires_all_waits(o) && order_.late++ == 0) order_.first_late = o;
    order_.steps.push_back({o, false});
    for (const std::uint32_t r : behind_[o]) {
      const std::uint32_t next = s_.requirements[r].later;
      State& later = operations_[next];
      if (--later.open == 0) (later.unwaited == 0 ? free_ : waiting_).push(next);
    }
  }

  /// From an operation that never begins back through such that it requires, until one comes again.
  std::uint32_t in_circle(std::uint32_t o) const {
    std::vector<bool> seen(operations_.size());
    while (!seen[o]) {
      seen[o] = true;
      for (const std::uint32_t r : before_[o]) {
        const std::uint32_t earlier = s_.requirements[r].earlier;
        if (operations_[earlier].begun) continue;
        o = earlier;
        break;
      }
    }
    return o;
  }

  const GoalSchedule& s_;
  std::vector<State> operations_;
  std::vector<std::vector<std::uint32_t>> before_, behind_;  ///< requirements by their later and earlier operation
  LeastFirst free_, waiting_;                                ///< may begin at once; after waiting for messages
  std::uint64_t waits_ = 0;
  GoalOrder order_;
};

}  // namespace

GoalOrder order_of(const GoalSchedule& schedule) { return GoalOrdering(schedule).run(); }

}  // namespace mora::trace
