/// Counting over loops, by three kinds of loops. Without phases and without completions: how often the loop runs in
/// each phase is added up and passed to its body at the end (bodies refer to earlier loops only). With completions: a
/// completion names its request by age, so its meaning is the same in all iterations but the first few, until as many
/// requests were started as the largest age. Those are visited one by one, the rest once with their number. With phases
/// that it does not close itself: one by one, until the open phases are the same as an iteration before.
/// Cost: the length of the folded sequence times the number of phases it runs in. Limit: ages above 4096.
#include "predict/pattern/matrix/walk.h"

#include <algorithm>
#include <unordered_map>

namespace mora::predict {
namespace {

constexpr std::size_t deepest_phase = 64;
constexpr std::uint32_t oldest_exact = 4096;  ///< ages up to this are distinguished in every iteration of a loop

struct LoopFacts {
  bool phases = false, balanced = true, completions = false;
  std::vector<std::uint64_t> starts;  ///< requests started before each item of the body, and by the whole body
};

class Walk {
 public:
  Walk(const RankTrace& rank, PhasePaths& paths) : rank_(rank), paths_(paths) {
    for (const Call& call : rank.calls) {
      starts_.push_back(starts_request(call.operation));
      phase_.push_back(info(call.operation).kind == OperationClass::phase);
      bool dated = false;
      if (call.completions < rank.completions.size())
        for (const Completion& c : rank.completions[call.completions]) {
          dated = true;
          if (c.age != no_id) oldest_ = std::max(oldest_, std::min(c.age, oldest_exact));
        }
      dated_.push_back(dated);
    }
    for (const auto& loop : rank.order.loops) loops_.push_back(facts_of(loop.body));
    top_ = facts_of(rank.order.items);
  }

  RankCounts run() {
    visit(rank_.order.items, 1);
    result_.open_phases = open_.size();
    hand_down();
    for (const auto& [key, times] : calls_)
      result_.calls.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), times});
    std::sort(result_.calls.begin(), result_.calls.end(),
              [](const auto& a, const auto& b) { return std::pair(a.path, a.call) < std::pair(b.path, b.call); });
    for (const auto& [key, times] : receives_)
      result_.receives.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), times});
    return std::move(result_);
  }

 private:
  using Items = std::vector<Sequence::Item>;

  LoopFacts facts_of(const Items& body) const {
    LoopFacts f;
    f.starts.push_back(0);
    std::vector<std::uint32_t> open;
    for (const auto& item : body) {
      std::uint64_t starts = 0;
      if (item.is_loop) {
        const LoopFacts& inner = loops_[item.index];
        f.phases |= inner.phases;
        f.balanced &= inner.balanced;
        f.completions |= inner.completions;
        starts = inner.starts.back();
      } else {
        f.completions |= dated_[item.index];
        starts = starts_[item.index] ? 1 : 0;
        if (phase_[item.index]) {
          f.phases = true;
          const Call& call = rank_.calls[item.index];
          if (call.operation == Operation::phase_begin && item.times == 1) {
            open.push_back(call.argument);
          } else if (item.times == 1 && !open.empty() && (call.argument == no_id || call.argument == open.back())) {
            open.pop_back();
          } else {
            f.balanced = false;
          }
        }
      }
      f.starts.push_back(f.starts.back() + starts * item.times);
    }
    f.balanced &= open.empty();
    return f;
  }

  /// Call that started the n-th request of this rank.
  std::uint32_t starter(std::uint64_t n) const {
    const Items* body = &rank_.order.items;
    const LoopFacts* f = &top_;
    for (;;) {
      const auto at = std::upper_bound(f->starts.begin(), f->starts.end(), n) - f->starts.begin() - 1;
      const auto& item = (*body)[static_cast<std::size_t>(at)];
      if (!item.is_loop) return item.index;
      n -= f->starts[static_cast<std::size_t>(at)];
      f = &loops_[item.index];
      n %= f->starts.back();
      body = &rank_.order.loops[item.index].body;
    }
  }

  std::uint32_t path() const { return open_.empty() ? 0 : open_.back().path; }

  void visit(const Items& items, std::uint64_t weight) {
    for (const auto& item : items) {
      if (item.is_loop)
        visit_loop(item, weight);
      else
        visit_call(item, weight);
    }
  }

  void visit_loop(const Sequence::Item& item, std::uint64_t weight) {
    const LoopFacts& f = loops_[item.index];
    const auto& body = rank_.order.loops[item.index].body;
    const std::uint64_t per_time = f.starts.back();
    if (!f.phases && !f.completions) {
      plain_[path()][item.index] += weight * item.times;
      started_ += per_time * item.times;
      return;
    }
    std::uint64_t done = 0;
    if (!f.balanced) {
      for (; done < item.times; ++done) {
        const auto before = open_;
        visit(body, weight);
        if (open_ == before && !f.completions) {
          // It will be so in all iterations to come.
          if (++done == item.times) return;
          visit(body, weight * (item.times - done));
          started_ += per_time * (item.times - done - 1);
          return;
        }
      }
      return;
    }
    if (f.completions && per_time > 0)
      for (const auto warm = oldest_ / per_time + 1; done < warm && done + 1 < item.times; ++done) visit(body, weight);
    visit(body, weight * (item.times - done));
    started_ += per_time * (item.times - done - 1);
  }

  void visit_call(const Sequence::Item& item, std::uint64_t weight) {
    const Call& call = rank_.calls[item.index];
    if (phase_[item.index]) {
      for (std::uint64_t i = 0; i < item.times; ++i) {
        if (change_phase(call, weight)) continue;
        if (call.operation == Operation::phase_end) result_.ends_without_begin += weight * (item.times - i - 1);
        break;
      }
      calls_[std::uint64_t{path()} << 32 | item.index] += weight * item.times;
      return;
    }
    calls_[std::uint64_t{path()} << 32 | item.index] += weight * item.times;
    if (dated_[item.index]) complete(call, weight * item.times);
    if (starts_[item.index]) started_ += item.times;
  }

  /// False if nothing changed.
  bool change_phase(const Call& call, std::uint64_t weight) {
    if (call.operation == Operation::phase_begin) {
      const auto inside = open_.size() < deepest_phase ? paths_.inside(path(), call.argument) : path();
      result_.visits[inside] += weight;
      if (open_.size() >= 2 * deepest_phase) return false;
      open_.push_back({inside, call.argument});
      return true;
    }
    auto at = open_.size();
    while (at > 0 && call.argument != no_id && open_[at - 1].phase != call.argument) --at;
    if (at == 0) {
      result_.ends_without_begin += weight;
      return false;
    }
    result_.crossings += (open_.size() - at) * weight;
    open_.resize(at - 1);
    return true;
  }

  void complete(const Call& call, std::uint64_t times) {
    for (const Completion& c : rank_.completions[call.completions]) {
      if (c.age == no_id || c.age >= started_) {
        result_.unknown_completions += times;
        continue;
      }
      const auto begun = starter(started_ - 1 - c.age);
      const auto kind = info(rank_.calls[begun].operation).kind;
      if (kind == OperationClass::send && c.cancelled) result_.cancelled_sends += times;
      if (kind == OperationClass::receive && !c.cancelled) receives_[{begun, c.source, c.bytes}] += times;
    }
  }

  void hand_down() {
    for (auto& [path, weights] : plain_) {
      std::vector<std::uint64_t> times(rank_.order.loops.size());
      for (const auto& [loop, weight] : weights) times[loop] += weight;
      for (std::size_t loop = times.size(); loop-- > 0;) {
        if (times[loop] == 0) continue;
        for (const auto& item : rank_.order.loops[loop].body) {
          if (item.is_loop)
            times[item.index] += times[loop] * item.times;
          else
            calls_[std::uint64_t{path} << 32 | item.index] += times[loop] * item.times;
        }
      }
    }
  }

  struct Open {
    std::uint32_t path, phase;
    bool operator==(const Open&) const = default;
  };

  const RankTrace& rank_;
  PhasePaths& paths_;
  std::vector<bool> starts_, phase_, dated_;
  std::uint32_t oldest_ = 0;
  std::vector<LoopFacts> loops_;
  LoopFacts top_;

  RankCounts result_;
  std::vector<Open> open_;
  std::uint64_t started_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> calls_;                           ///< path, call → times
  std::map<std::uint32_t, std::unordered_map<std::uint32_t, std::uint64_t>> plain_;  ///< path → loop → times
  std::map<std::tuple<std::uint32_t, std::int32_t, std::uint64_t>, std::uint64_t> receives_;
};

}  // namespace

std::uint32_t PhasePaths::inside(std::uint32_t path, std::uint32_t phase) {
  const auto [at, added] = ids_.try_emplace({path, phase}, size());
  if (added) paths_.push_back({path, phase});
  return at->second;
}

std::string PhasePaths::name(std::uint32_t path, const Definitions& definitions) const {
  if (path == 0) return "global";
  std::string name;
  for (; path != 0; path = paths_[path].parent) {
    const auto phase = paths_[path].phase;
    std::string own = phase < definitions.phases.size() ? definitions.phases[phase] : "?";
    name = name.empty() ? own : own + "/" + name;
  }
  return name;
}

RankCounts count_calls(const RankTrace& rank, PhasePaths& paths) { return Walk(rank, paths).run(); }

}  // namespace mora::predict
