/// Members of communicators and pending collectives. A rootless collective is identified by (communicator, operation,
/// number): MinI numbers the calls of each communicator from 1, so the number alone, which MinI Parser takes (Kotomatas
/// 2018, 4.3.3), is not enough. It is written when as many records have come as the communicator has members in the
/// trace. Members stand in the order of (key, world rank). Memory: the collectives that lack records.
#include "predict/pattern/parse/communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "predict/pattern/text/record.h"

namespace mora::predict {

namespace {}

ParseCommunicators::ParseCommunicators(StepSource& source, ParseResult& result)
    : source_(&source),
      result_(&result),
      known_(source.known()),
      some_missing_(source.streams() != source.world_size()) {
  for (const auto& c : known_) known_by_name_.try_emplace(c.name, &c);
  for (std::size_t i = 0; i < source.streams(); ++i) streams_.push_back(source.rank(i));
  std::sort(streams_.begin(), streams_.end());
  order_.push_back(source.names().number(world_name));
  meet(order_[0]);
}

Result<void> ParseCommunicators::count_present() {
  if (!some_missing_ || !known_.empty()) return {};
  constexpr std::size_t part = 4096;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < source_->streams(); ++i) {
    do {
      steps.clear();
      MORA_CHECK_OK(source_->read(i, part, steps));
      for (const Step& step : steps)
        if (step.kind == StepKind::member) ++present_[step.name];
    } while (!steps.empty());
  }
  source_->rewind();
  return {};
}

void ParseCommunicators::meet(std::uint32_t name) {
  if (name >= states_.size()) states_.resize(name + std::size_t{16});
  State& s = states_[name];
  s.seen = true;
  const std::string& text = source_->names().text(name);
  s.tail[0] = fmt::format(" no_contig {})\n", text);
  s.tail[1] = fmt::format(" contig {})\n", text);
  if (text == "MPI_COMM_SELF") {
    s.self = true;
    s.size = s.needed = 1;
  } else if (text == world_name) {
    s.size = source_->world_size();
    s.needed = source_->streams();
    s.listed = true;
  } else if (const auto at = known_by_name_.find(text); at != known_by_name_.end()) {
    s.known = at->second;
    s.size = s.known->members.size() + s.known->remote.size();
    for (const auto* side : {&s.known->members, &s.known->remote})
      for (const auto rank : *side) s.needed += std::binary_search(streams_.begin(), streams_.end(), rank) ? 1 : 0;
  }
}

void ParseCommunicators::add_member(std::uint32_t rank, const Step& step) {
  State& s = state(step.name);
  if (s.self || step.name == order_[0]) return;
  if (!s.listed) order_.push_back(step.name);
  s.listed = true;
  if (s.known != nullptr) return;
  if (s.members.empty()) {
    s.size = static_cast<std::uint64_t>(step.max);
    s.needed = some_missing_ ? std::min(s.size, present_[step.name]) : s.size;
  } else if (s.size != static_cast<std::uint64_t>(step.max)) {
    result_->quality.add("pattern-communicator-size", Severity::warning, source_->names().text(step.name), 1,
                         "the members of the communicator disagree about its size",
                         "the name may stand for several communicators");
  }
  s.members.push_back({step.median_twice, step.min, rank});
}

const PendingCollective* ParseCommunicators::add_collective(std::uint32_t rank, std::uint32_t node, const Step& step) {
  State& s = state(step.name);
  PendingCollective* p = s.last;
  if (s.self) {
    p = &done_;
    *p = PendingCollective{};
  } else if (p == nullptr || p->id != step.id || p->operation != step.operation) {
    p = &pending_[Key{step.name, step.operation, step.id}];
  }
  if (p->count++ == 0) {
    p->id = step.id;
    p->operation = step.operation;
    p->rank = rank;
    p->node = node;
    p->contiguous = step.contiguous;
    p->vector = step.vector;
    p->min = step.min;
    p->max = step.max;
    p->median_twice = step.median_twice;
  } else {
    if (rank < p->rank) {
      p->rank = rank;
      p->node = node;
    }
    p->contiguous &= step.contiguous;
    p->uneven |= !step.vector && step.max != p->max;
    if (!p->medians.empty() || step.median_twice != p->median_twice) {
      p->medians.resize(p->count - 1, p->median_twice);
      p->medians.push_back(step.median_twice);
    }
    p->vector |= step.vector;
    p->min = std::min(p->min, step.min);
    p->max = std::max(p->max, step.max);
  }
  if (s.needed == 0 || p->count < s.needed) {
    s.last = p;
    return nullptr;
  }
  if (!s.self) {
    const auto at = pending_.find(Key{step.name, step.operation, step.id});
    done_ = std::move(at->second);
    pending_.erase(at);
    s.last = nullptr;
  }
  if (done_.uneven && info(done_.operation).kind != OperationClass::neighborhood) {
    result_->quality.add("pattern-uneven-collective", Severity::warning, source_->names().text(step.name), 1,
                         "the processes of a collective give different payloads: the greatest is written", {});
  }
  if (!done_.medians.empty()) {  // the middle one, the lower of two
    const auto middle = done_.medians.begin() + static_cast<std::ptrdiff_t>((done_.medians.size() - 1) / 2);
    std::nth_element(done_.medians.begin(), middle, done_.medians.end());
    done_.median_twice = *middle;
  }
  return &done_;
}

std::vector<std::pair<ParseCommunicators::Key, PendingCollective>> ParseCommunicators::take_sorted() {
  std::vector<std::pair<Key, PendingCollective>> all;
  for (auto& [key, pending] : pending_) all.emplace_back(key, std::move(pending));
  pending_.clear();
  for (State& s : states_) s.last = nullptr;
  const auto& names = source_->names();
  std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return std::tie(names.text(a.first.name), a.first.id, a.first.operation) <
           std::tie(names.text(b.first.name), b.first.id, b.first.operation);
  });
  return all;
}

void ParseCommunicators::note_incomplete(std::uint32_t name, const PendingCollective& pending) {
  const State& s = state(name);
  const auto& text = source_->names().text(name);
  const std::string first = fmt::format("{} number {} has records of {} of {} processes",
                                        info(pending.operation).spelling, pending.id, pending.count, s.needed);
  if (s.needed == 0)
    result_->quality.add(
        "pattern-unknown-communicator", Severity::loss, text, 1,
        "collectives on a communicator that no record makes: its members are not known, nothing was written",
        "record with `mora pattern record`, which knows all ways to make communicators");
  else
    result_->quality.add("pattern-incomplete-collective", Severity::loss, text, 1,
                         "collectives that not all processes took part in: " + first,
                         "the trace is cut, or the program was killed");
}

void ParseCommunicators::finish() {
  auto& names = source_->names();
  for (const auto& c : known_) {  // used, but made by no record
    const std::uint32_t name = names.number(c.name);
    if (name >= states_.size() || !states_[name].seen || states_[name].listed) continue;
    states_[name].listed = true;
    order_.push_back(name);
  }
  for (const std::uint32_t name : order_) {
    State& s = state(name);
    ParsedCommunicator c;
    c.name = names.text(name);
    c.size = s.size;
    c.made = name != order_[0];
    if (!c.made) {
      for (std::uint32_t rank = 0; rank < s.size; ++rank) c.members.push_back(rank);
    } else if (s.known != nullptr) {
      c.members = s.known->members;
      c.members.insert(c.members.end(), s.known->remote.begin(), s.known->remote.end());
    } else {
      // One colour in all members, except in an inter-communicator, where it is the side.
      std::sort(s.members.begin(), s.members.end(), [](const auto& a, const auto& b) {
        return std::tie(a.color, a.key, a.rank) < std::tie(b.color, b.key, b.rank);
      });
      for (const auto& member : s.members) c.members.push_back(member.rank);
      if (c.members.size() > s.size)
        result_->quality.add(
            "pattern-shared-name", Severity::warning, c.name, 1,
            "several communicators have this name: their members are mixed",
            "the recorder numbered communicators in each process by itself; record with `mora pattern record`");
      else if (c.members.size() < s.size && !some_missing_)
        result_->quality.add("pattern-members-missing", Severity::loss, c.name, s.size - c.members.size(),
                             "processes of the communicator have no record of it", "the trace is cut");
    }
    result_->communicators.push_back(std::move(c));
  }
  for (std::uint32_t name = 0; name < states_.size(); ++name) {
    const State& s = states_[name];
    if (!s.seen) continue;
    if ((s.sends < s.receives || s.sends > s.receives + s.vague) && !some_missing_)
      result_->quality.add(
          "pattern-unmatched-messages", Severity::warning, names.text(name),
          s.sends > s.receives ? s.sends - s.receives : s.receives - s.sends,
          s.sends > s.receives ? "more sends than receives are recorded" : "more receives than sends are recorded",
          "the trace is cut, or requests were never completed; `mora pattern matrix` names the pairs of ranks");
    const bool inter = s.known != nullptr ? !s.known->remote.empty()
                                          : std::any_of(s.members.begin(), s.members.end(),
                                                        [&](const auto& m) { return m.color != s.members[0].color; });
    if (s.needed != 0 && !inter && s.rooted != s.roots * s.needed && !some_missing_)
      result_->quality.add("pattern-incomplete-collective", Severity::loss, names.text(name), 1,
                           fmt::format("rooted collectives have {} records, but {} processes and {} records of roots",
                                       s.rooted, s.needed, s.roots),
                           "the trace is cut, or the program was killed");
  }
}

}  // namespace mora::predict
