#include "reference_active_target.h"

#include <algorithm>
#include <set>
#include <vector>

namespace mora::exhaustive {

using trace::Event;
using trace::EventKind;
using trace::RmaOperation;

namespace {

struct OneCall {
  std::string name, path;
  Nanoseconds enter = 0, leave = 0;
  std::uint32_t rank = 0;
  Event record;  ///< the one record in it
};

struct OneEpoch {
  const OneCall* open = nullptr;
  const OneCall* close = nullptr;  ///< nullptr: never
  std::set<std::uint32_t> group;
  std::vector<const OneCall*> data;  ///< access epochs: calls towards members of the group
};

bool is_data(const Event& e) {
  return e.kind == EventKind::put || e.kind == EventKind::get || e.kind == EventKind::atomic;
}

class Naive {
 public:
  explicit Naive(const trace::MemorySource& source) : source_(source) {
    for (std::uint32_t rank = 0; rank < source.events.size(); ++rank) read_calls(rank);
  }

  ActiveTargetReference run() {
    for (std::uint32_t window = 0; window < source_.defs.windows.size(); ++window) {
      for (std::uint32_t rank = 0; rank < source_.events.size(); ++rank) {
        for (const OneEpoch& epoch : epochs(rank, window, RmaOperation::start)) access_transaction(rank, window, epoch);
        for (const OneEpoch& epoch : epochs(rank, window, RmaOperation::post))
          exposure_transaction(rank, window, epoch);
      }
      fences(window);
    }
    return result_;
  }

 private:
  void read_calls(std::uint32_t rank) {
    OneCall call;
    for (const Event& e : source_.events[rank]) {
      const bool region_event = e.kind == EventKind::enter || e.kind == EventKind::leave;
      if (region_event && source_.defs.regions[e.region].kind != trace::RegionKind::mpi) continue;
      if (e.kind == EventKind::enter) {
        call = OneCall{source_.defs.regions[e.region].name,
                       "/main/" + source_.defs.regions[e.region].name,
                       e.time,
                       e.time,
                       rank,
                       Event{}};
      } else if (e.kind == EventKind::leave) {
        call.leave = e.time;
        calls_.push_back(call);
      } else if (e.kind != EventKind::rma_collective_begin) {
        call.record = e;
      }
    }
  }

  /// Access (opening = start) or exposure epochs (post) of a rank on a window, in order.
  std::vector<OneEpoch> epochs(std::uint32_t rank, std::uint32_t window, RmaOperation opening) const {
    std::vector<OneEpoch> found;
    for (const OneCall& call : calls_) {
      if (call.rank != rank || call.record.window != window) continue;
      const Event& e = call.record;
      if (e.kind == EventKind::group_sync && e.rma_operation == opening) {
        const auto& members = source_.defs.groups[e.group].members;
        found.push_back(OneEpoch{&call, nullptr, {members.begin(), members.end()}, {}});
        continue;
      }
      const bool is_open = !found.empty() && found.back().close == nullptr;
      if (e.kind == EventKind::group_sync && e.epoch_closed &&
          (e.rma_operation == RmaOperation::complete) == (opening == RmaOperation::start)) {
        if (!is_open) {  // its beginning was not recorded
          const auto& members = source_.defs.groups[e.group].members;
          found.push_back(OneEpoch{nullptr, nullptr, {members.begin(), members.end()}, {}});
        }
        found.back().close = &call;
      }
      if (!is_open) continue;
      if (opening == RmaOperation::start && is_data(e) && found.back().group.contains(e.peer)) {
        found.back().data.push_back(&call);
      }
    }
    return found;
  }

  /// Partner's epoch of the same number; false: not recorded.
  bool partner_epoch(std::uint32_t own_rank, std::uint32_t partner, std::uint32_t window, const OneEpoch& own,
                     RmaOperation own_opening, OneEpoch& found) const {
    std::size_t number = 0;
    for (const OneEpoch& e : epochs(own_rank, window, own_opening)) {
      if (e.open == own.open) break;
      number += e.group.contains(partner) ? 1 : 0;
    }
    const RmaOperation other = own_opening == RmaOperation::start ? RmaOperation::post : RmaOperation::start;
    if (partner >= source_.events.size()) return false;
    for (const OneEpoch& e : epochs(partner, window, other)) {
      if (!e.group.contains(own_rank)) continue;
      if (number-- == 0) {
        found = e;
        return e.open != nullptr;
      }
    }
    return false;
  }

  void charge(const char* metric, const OneCall& call, std::int64_t amount, std::uint32_t cause) {
    if (amount <= 0) return;
    result_.cells[{metric, call.path, call.rank}] += amount;
    result_.causes[{metric, call.path, cause}] += amount;
  }
  void count(const char* metric, const OneCall& call, std::int64_t amount) {
    if (amount > 0) result_.cells[{metric, call.path, call.rank}] += amount;
  }

  void access_transaction(std::uint32_t origin, std::uint32_t window, const OneEpoch& epoch) {
    if (epoch.open == nullptr) {
      ++result_.unopened;
      return;
    }
    std::map<std::uint32_t, OneEpoch> exposures;
    bool complete = true;
    for (const std::uint32_t target : epoch.group) {
      OneEpoch exposure;
      if (partner_epoch(origin, target, window, epoch, RmaOperation::start, exposure)) {
        exposures[target] = exposure;
      } else {
        complete = false;
      }
    }
    result_.unmatched += complete ? 0 : 1;
    if (epoch.close == nullptr) {
      ++result_.unclosed;
      return;
    }
    for (const auto& [target, exposure] : exposures) {
      if (target == origin) continue;
      bool accessed = false;
      for (const OneCall* o : epoch.data) accessed = accessed || o->record.peer == target;
      count("pairwise-synchronizations", *epoch.close, 1);
      if (!accessed) count("pairwise-synchronizations-unneeded", *epoch.close, 1);
    }
    if (!complete || exposures.empty()) return;
    bool has_waited = false;
    const bool ran_ahead = std::any_of(exposures.begin(), exposures.end(),
                                       [&](const auto& one) { return one.second.open->enter >= epoch.close->leave; });
    for (const OneCall* call : {epoch.close, epoch.open}) {
      Nanoseconds post = INT64_MIN;
      std::uint32_t latest = 0;
      for (const auto& [target, exposure] : exposures) {  // ascending ranks: ties go to the smallest
        if (exposure.open->enter > post && exposure.open->enter < call->leave) {
          post = exposure.open->enter;
          latest = target;
        }
      }
      if (ran_ahead || post <= call->enter) continue;
      has_waited = true;
      charge("late-post", *call, post - call->enter, latest);
    }
    if (has_waited) return;
    for (const OneCall* o : epoch.data) {
      const Nanoseconds own = exposures[o->record.peer].open->enter;
      if (o->enter < own && own < o->leave) charge("early-transfer", *o, own - o->enter, o->record.peer);
    }
  }

  void exposure_transaction(std::uint32_t target, std::uint32_t window, const OneEpoch& epoch) {
    if (epoch.open == nullptr) {
      ++result_.unopened;
      return;
    }
    std::map<std::uint32_t, OneEpoch> accesses;
    bool complete = true;
    bool all_closed = true;
    for (const std::uint32_t origin : epoch.group) {
      OneEpoch access;
      if (partner_epoch(target, origin, window, epoch, RmaOperation::post, access)) {
        accesses[origin] = access;
        all_closed = all_closed && access.close != nullptr;
      } else {
        complete = false;
      }
    }
    result_.unmatched += complete ? 0 : 1;
    if (epoch.close == nullptr) {
      ++result_.unclosed;
      return;
    }
    Nanoseconds last_access = INT64_MIN;
    for (const auto& [origin, access] : accesses) {
      bool accessed = false;
      for (const OneCall* o : access.data) {
        if (o->record.peer != target) continue;
        accessed = true;
        last_access = std::max(last_access, o->leave);
      }
      if (origin == target) continue;
      count("pairwise-synchronizations", *epoch.close, 1);
      if (!accessed && access.close != nullptr) count("pairwise-synchronizations-unneeded", *epoch.close, 1);
    }
    if (!complete || !all_closed || accesses.empty()) return;
    const OneCall& wait = *epoch.close;
    if (wait.name == "MPI_Win_test") return;
    Nanoseconds completion = INT64_MIN;
    std::uint32_t latest = 0;
    for (const auto& [origin, access] : accesses) {
      if (access.close->enter > completion) {
        completion = access.close->enter;
        latest = origin;
      }
    }
    if (completion > wait.leave) ++result_.clock_violations;
    const Nanoseconds until = std::min(completion, wait.leave);
    if (until <= wait.enter) return;
    charge("early-wait", wait, until - wait.enter, latest);
    if (last_access != INT64_MIN) {
      charge("late-complete", wait, until - std::max(last_access, wait.enter), latest);
    }
  }

  void fences(std::uint32_t window) {
    const auto ranks = static_cast<std::uint32_t>(source_.events.size());
    std::vector<std::vector<const OneCall*>> fence(ranks);
    // towards[q][n][p]: leaves of data calls of q towards p between its fences n - 1 and n
    std::vector<std::vector<std::map<std::uint32_t, Nanoseconds>>> towards(ranks);
    for (std::uint32_t q = 0; q < ranks; ++q) {
      std::map<std::uint32_t, Nanoseconds> now;
      std::set<std::uint32_t> group;  // of the open access epoch
      for (const OneCall& call : calls_) {
        if (call.rank != q || call.record.window != window) continue;
        const Event& e = call.record;
        if (e.kind == EventKind::group_sync && e.rma_operation == RmaOperation::start) {
          const auto& members = source_.defs.groups[e.group].members;
          group = {members.begin(), members.end()};
        }
        if (e.kind == EventKind::group_sync && e.rma_operation == RmaOperation::complete) group.clear();
        if (is_data(e) && !group.contains(e.peer) && !fence[q].empty()) {
          now[e.peer] = std::max(now.contains(e.peer) ? now[e.peer] : INT64_MIN, call.leave);
        }
        if (e.kind == EventKind::rma_collective_end) {
          fence[q].push_back(&call);
          towards[q].push_back(now);
          now.clear();
        }
      }
    }
    if (ranks < 2) return;
    for (std::size_t n = 0;; ++n) {
      for (std::uint32_t q = 0; q < ranks; ++q) {
        if (fence[q].size() <= n) return;
      }
      Nanoseconds max_b = INT64_MIN, min_x = INT64_MAX;
      for (std::uint32_t q = 0; q < ranks; ++q) {
        max_b = std::max(max_b, fence[q][n]->enter);
        min_x = std::min(min_x, fence[q][n]->leave);
      }
      for (std::uint32_t p = 0; p < ranks; ++p) {
        const OneCall& mine = *fence[p][n];
        Nanoseconds last = INT64_MIN;
        std::uint32_t by = 0;
        for (std::uint32_t q = 0; q < ranks; ++q) {
          if (q == p) continue;
          const bool to_me = towards[q][n].contains(p);
          count("pairwise-synchronizations", mine, 1);
          if (!to_me && !towards[p][n].contains(q)) count("pairwise-synchronizations-unneeded", mine, 1);
          if (to_me && towards[q][n][p] > last) {
            last = towards[q][n][p];
            by = q;
          }
        }
        if (min_x <= max_b || last == INT64_MIN || last <= mine.enter || last > mine.leave) continue;
        charge("early-fence", mine, std::min(last, max_b) - mine.enter, by);
      }
    }
  }

  const trace::MemorySource& source_;
  std::vector<OneCall> calls_;
  ActiveTargetReference result_;
};

}  // namespace

ActiveTargetReference analyse_active_target_naively(const trace::MemorySource& source) { return Naive(source).run(); }

}  // namespace mora::exhaustive
