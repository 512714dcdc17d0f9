/// Requests of two runs by the numbers of their starts (request_choices.h).
#include "predict/pattern/compare/request_choices.h"

#include <algorithm>
#include <iterator>

namespace mora::predict {

bool depends_on_time(Operation operation) {
  const mpi::Function& f = mpi::function(operation);
  return mpi::polls_messages(f) || f.completes == mpi::Completes::some;
}

bool is_choice(const Call& call) {
  return call.completions != no_id && (depends_on_time(call.operation) || call.operation == Operation::waitany);
}

void RequestChoices::meet(Run run, const Call& call) {
  if (!is_choice(call)) return;
  candidates_ = started_;
  auto& chosen = chosen_[run];
  for (const auto& c : ranks_[run]->completions[call.completions]) {
    ++chosen.count;
    chosen.hash = (chosen.hash ^ number_of(c.age)) * 0x9e3779b97f4a7c15U;
  }
}

bool RequestChoices::same(const Call& real_call, const Call& dry_call) {
  bool good = true;
  if (real_call.operation == Operation::request_free || real_call.operation == Operation::cancel)
    good = real_call.argument == dry_call.argument ||
           (may_differ(number_of(real_call.argument)) && may_differ(number_of(dry_call.argument)));
  if (real_call.completions != no_id || dry_call.completions != no_id) {
    const auto x = completed(real, real_call), y = completed(dry, dry_call);
    Completed only_one;
    std::set_symmetric_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(only_one));
    good = good && std::all_of(only_one.begin(), only_one.end(), [&](const auto& c) { return may_differ(c.first); });
  }
  if (starts_request(real_call.operation)) ++started_;
  return good;
}

RequestChoices::Completed RequestChoices::completed(Run run, const Call& call) const {
  Completed numbers;
  if (call.completions != no_id)
    for (const auto& c : ranks_[run]->completions[call.completions])
      numbers.emplace_back(number_of(c.age), c.cancelled);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace mora::predict
