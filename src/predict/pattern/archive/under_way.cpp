#include "predict/pattern/archive/under_way.h"

#include <algorithm>

namespace mora::predict::archive {
namespace {

constexpr std::uint32_t most_age = 1u << 30;

/// Requests that are not completed yet, in the order in which they began.
class UnderWay {
 public:
  explicit UnderWay(const Definitions& definitions) : definitions_(&definitions) {}

  void begin(const Call& call) {
    if (starts_request(call.operation)) open_.push_back({begun_++, call});
  }

  void to_place(Completion& c) {
    if (c.age == no_id) return;
    const auto found = std::lower_bound(open_.begin(), open_.end(), begun_ - 1 - c.age,
                                        [](const Open& o, std::uint64_t ordinal) { return o.ordinal < ordinal; });
    if (c.age >= begun_ || found == open_.end() || found->ordinal != begun_ - 1 - c.age) {
      c.age = 2 * (static_cast<std::uint32_t>(open_.size()) + c.age);
      return;
    }
    const bool as_asked = c == as_asked_for(found->call, c.age);
    c = as_asked ? Completion{} : c;
    c.age = 2 * static_cast<std::uint32_t>(found - open_.begin()) + (as_asked ? 1 : 0);
    open_.erase(found);
  }

  void to_age(Completion& c) {
    if (c.age == no_id) return;
    const std::size_t place = c.age / 2;
    if (place >= open_.size()) {
      c.age = static_cast<std::uint32_t>(place - open_.size());
      return;
    }
    const auto found = open_.begin() + static_cast<std::ptrdiff_t>(place);
    const auto age = static_cast<std::uint32_t>(begun_ - 1 - found->ordinal);
    if (c.age % 2 == 1)
      c = as_asked_for(found->call, age);
    else
      c.age = age;
    open_.erase(found);
  }

 private:
  struct Open {
    std::uint64_t ordinal;
    Call call;
  };

  Completion as_asked_for(const Call& call, std::uint32_t age) const {
    Completion c;
    c.age = age;
    if (call.operation != Operation::irecv) return c;
    c.source = call.peer;
    c.tag = call.tag;
    c.bytes = bytes_of(call.received, *definitions_);
    return c;
  }

  const Definitions* definitions_;
  std::vector<Open> open_;
  std::uint64_t begun_ = 0;
};

template <class Change>
RankTrace rebuilt(const RankTrace& rank, const Definitions& definitions, const Change& change) {
  RankTraceBuilder builder(rank.rank);
  UnderWay requests(definitions);
  auto cursor = rank.order.cursor();
  for (std::uint32_t index = 0; cursor.next(index);) {
    Call call = rank.calls[index];
    if (call.sent_vector != no_id) call.sent_vector = builder.vector(rank.vectors[call.sent_vector]);
    if (call.received_vector != no_id) call.received_vector = builder.vector(rank.vectors[call.received_vector]);
    if (call.completions != no_id) {
      std::vector<Completion> list = rank.completions[call.completions];
      for (Completion& c : list) (requests.*change)(c);
      call.completions = builder.completions(std::move(list));
    }
    requests.begin(rank.calls[index]);
    builder.add(call);
  }
  RankTrace made = builder.finish();
  made.dropped_tests = rank.dropped_tests;
  made.complete = rank.complete;
  return made;
}

}  // namespace

std::optional<RankTrace> by_place(const RankTrace& rank, const Definitions& definitions) {
  const std::uint64_t calls = rank.order.size();
  if (calls > most_placed_calls || calls / 16 > rank.order.items.size() || rank.completions.empty())
    return std::nullopt;
  for (const auto& list : rank.completions)
    if (std::any_of(list.begin(), list.end(), [](const Completion& c) { return c.age != no_id && c.age > most_age; }))
      return std::nullopt;
  RankTrace placed = rebuilt(rank, definitions, &UnderWay::to_place);
  const RankTrace back = by_age(placed, definitions);
  const bool is_same = back.rank == rank.rank && back.calls == rank.calls && back.vectors == rank.vectors &&
                       back.completions == rank.completions && back.order == rank.order;
  return is_same ? std::optional(std::move(placed)) : std::nullopt;
}

RankTrace by_age(const RankTrace& rank, const Definitions& definitions) {
  return rebuilt(rank, definitions, &UnderWay::to_age);
}

}  // namespace mora::predict::archive
