#include "trace/clock/forward_sweep.h"

#include <set>
#include <unordered_map>

namespace mora::trace {

namespace {

class Sweep {
 public:
  Sweep(const ClockOptions& options, const Spool<Link>& links, Junctions& junctions, std::size_t locations,
        Spool<Jump>& jumps)
      : junctions_(junctions), jumps_(jumps) {
    runners_.reserve(locations);
    for (std::uint32_t l = 0; l < locations; ++l)
      runners_.push_back({links.cursor(l), ForwardClock(options.loss_numerator, options.loss_denominator)});
  }

  Result<SweepResult> run() {
    for (std::uint32_t j = 0; j + 1 < junctions_.size(); ++j) {
      if (junctions_.at(j).pending == 0 && junctions_.at(j + 1).follows) --junctions_.at(j + 1).pending;
    }
    for (std::uint32_t l = static_cast<std::uint32_t>(runners_.size()); l-- > 0;) ready_.push_back(l);
    for (;;) {
      while (!ready_.empty()) {
        const std::uint32_t location = ready_.back();
        ready_.pop_back();
        MORA_CHECK_OK(advance(location));
      }
      if (blocked_.empty()) return result_;
      const std::uint32_t location = blocked_.begin()->second;
      blocked_.erase(blocked_.begin());
      runners_[location].given_up = true;
      ++result_.circular;
      ready_.push_back(location);
    }
  }

 private:
  struct Runner {
    Spool<Link>::Cursor links;
    ForwardClock clock;
    const Link* link = nullptr;  ///< the link at which it stopped
    Nanoseconds time = 0, free = 0, reading = 0;
    std::uint64_t ordinal = UINT64_MAX;
    bool given_up = false;
  };

  /// The event is complete: all its sinks are known.
  Result<void> settle(std::uint32_t location, Runner& r) {
    if (r.reading <= r.free) return {};
    r.clock.jump(r.time, r.reading);
    r.free = r.reading;
    ++result_.jumps;
    return jumps_.append(location, Jump{r.ordinal, r.reading});
  }

  Result<void> advance(std::uint32_t location) {
    Runner& r = runners_[location];
    for (;;) {
      if (r.link == nullptr) r.link = r.links.next();
      if (r.link == nullptr) {
        if (r.links.failed()) return unreadable_spool();
        return settle(location, r);
      }
      const Link& link = *r.link;
      if (link.ordinal != r.ordinal) {
        MORA_CHECK_OK(settle(location, r));
        r.ordinal = link.ordinal;
        r.time = link.time;
        r.free = r.reading = r.clock.advance(link.time, link.gap == 1);
      }
      const EdgeEnd end = junctions_.end(location, link);
      if (end.junction != no_id && end.sink) {
        Junction& j = junctions_.at(end.junction);
        if (j.pending > 0 && !r.given_up) {
          j.awaited = true;
          waiting_[end.junction].push_back(location);
          blocked_.emplace(link.time, location);
          return {};
        }
        const Nanoseconds value = j.value_for(location);
        if (!r.given_up && value != Junction::nothing)
          r.reading = std::max(r.reading, later(value, junctions_.latency(j)));
        r.given_up = false;
      } else if (end.junction != no_id) {
        MORA_CHECK_OK(settle(location, r));
        deliver(end.junction, r.reading, location);
      }
      r.link = nullptr;
    }
  }

  /// A source of a junction is known. The junctions that follow it in a chain (scans) get the value too, once all their
  /// own sources are known.
  void deliver(std::uint32_t number, Nanoseconds value, std::uint32_t location) {
    for (;; ++number) {
      Junction& j = junctions_.at(number);
      if (value != Junction::nothing) j.offer(value, location);
      if (--j.pending > 0) return;
      if (j.awaited) wake(number);
      if (number + 1 == junctions_.size() || !junctions_.at(number + 1).follows) return;
      value = j.first;
      location = j.location;
    }
  }

  /// Makes the locations ready that are blocked at this junction.
  void wake(std::uint32_t junction) {
    const auto at = waiting_.find(junction);
    if (at == waiting_.end()) return;
    for (const std::uint32_t location : at->second) {
      // Not those that gave up and went on.
      const Runner& r = runners_[location];
      if (r.link == nullptr || blocked_.erase({r.link->time, location}) == 0) continue;
      if (junctions_.end(location, *r.link).junction == junction)
        ready_.push_back(location);
      else
        blocked_.emplace(r.link->time, location);
    }
    waiting_.erase(at);
  }

  Junctions& junctions_;
  Spool<Jump>& jumps_;
  std::vector<Runner> runners_;
  std::vector<std::uint32_t> ready_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> waiting_;  ///< per junction
  std::set<std::pair<Nanoseconds, std::uint32_t>> blocked_;
  SweepResult result_;
};

}  // namespace

Result<SweepResult> sweep_forward(const ClockOptions& options, const Spool<Link>& links, Junctions& junctions,
                                  std::size_t locations, Spool<Jump>& jumps) {
  return Sweep(options, links, junctions, locations, jumps).run();
}

}  // namespace mora::trace
