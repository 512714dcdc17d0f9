/// Every partition answers with the latest change of the place among its own locations; the asker takes the latest of
/// all.
#include "analysis/patterns/passive_target/retry_causes.h"

#include <algorithm>
#include <tuple>

namespace mora::analysis::passive {

void ask_who_changed(const LocationHalves& halves, std::vector<Buffer>& outgoing) {
  for (std::uint32_t loop = 0; loop < halves.loops.size(); ++loop) {
    const RetryQuestion question{halves.location, loop, halves.loops[loop].place, halves.loops[loop].success};
    for (Buffer& box : outgoing) {
      BufferWriter out(box);
      out.put(Message::retry);
      out.put(question);
    }
  }
}

void answer_who_changed(const std::vector<std::unique_ptr<LocationHalves>>& halves,
                        const std::vector<AskedRetry>& questions, const DomainContext& context,
                        std::vector<Buffer>& answers) {
  if (questions.empty()) return;
  struct Known {
    AtomicPlace place;
    Changer changer;
  };
  const auto order = [](const Known& a, const Known& b) {
    return std::tie(a.place, a.changer.time, b.changer.location) <
           std::tie(b.place, b.changer.time, a.changer.location);
  };
  std::vector<Known> changes;
  for (const auto& local : halves) {
    for (const Change& change : local->changes) {
      const Call& call = local->calls[change.call];
      if (call.is_retry) continue;
      changes.push_back({change.place, {call.enter, local->location, context.path(local->location, call.node)}});
    }
  }
  std::sort(changes.begin(), changes.end(), order);
  for (const auto& asked : questions) {
    const auto& question = asked.question;
    auto after = std::partition_point(changes.begin(), changes.end(), [&](const Known& known) {
      return std::tie(known.place, known.changer.time) < std::tie(question.place, question.before);
    });
    while (after != changes.begin() && std::prev(after)->place == question.place) {
      --after;
      if (after->changer.location == question.location) continue;
      BufferWriter out(answers[asked.source]);
      out.put(Message::retry);
      out.put(RetryAnswer{question.location, question.loop, after->changer});
      break;
    }
  }
}

void keep_latest(Changer& known, const Changer& other) {
  const auto rank = [](const Changer& c) { return std::tuple(-c.time, c.location, c.path); };
  if (known.location == cube::no_id || rank(other) < rank(known)) known = other;
}

}  // namespace mora::analysis::passive
