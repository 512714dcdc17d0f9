/// The calls in the trace behind one number of the interval report.
///
/// One pass over the stream of the process, along the call tree of the cube. Where the characteristic is a sum of times
/// of calls, a call contributes its own time; where it depends on other processes, the formula of the characteristic
/// with the times of the partners (partners.h); computation is the time between calls. The sum is compared with the
/// number and a difference is printed, so whatever this simple reading cannot see (requests that the engine splits,
/// damage) is visible. Cost: one pass over the location; for amounts that depend on partners, one over all locations.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include <fmt/format.h>

#include "report/intervals/why/partners.h"
#include "report/intervals/why/why.h"
#include "trace/intervals/interval_source.h"

namespace mora::report {
namespace {

using analysis::Characteristic;
using analysis::Interval;
using analysis::IntervalTable;
using trace::Event;
using trace::EventKind;

enum class Kind : std::uint8_t { time_in_calls, computation, exchange, none };

Kind kind_of(Characteristic c) {
  switch (c) {
    case Characteristic::efficiency:
    case Characteristic::productive_time:
    case Characteristic::time_outside_mpi:
      return Kind::computation;
    case Characteristic::potential_synchronization:
    case Characteristic::time_variation:
    case Characteristic::start_delay:
    case Characteristic::message_lifetime:
      return Kind::exchange;
    case Characteristic::real_synchronization:  // waits_behind()
      return Kind::none;
    case Characteristic::processors:
    case Characteristic::execution_time:
    case Characteristic::total_time:
    case Characteristic::idle_time:
    case Characteristic::load_imbalance:
    case Characteristic::user_insufficient_parallelism:
    case Characteristic::measurement:
    case Characteristic::device_time:
    case Characteristic::cpu_time:
    case Characteristic::run_queue_wait:
    case Characteristic::page_faults:
    case Characteristic::voluntary_switches:
    case Characteristic::involuntary_switches:
    case Characteristic::overlap:
    case Characteristic::first_execution:
      return Kind::none;
    default:
      return Kind::time_in_calls;
  }
}

/// Child of a call path by what an enter event says.
class CallTree {
 public:
  CallTree(const cube::Cube& cube, const trace::Definitions& definitions) : definitions_(definitions) {
    for (cube::CallPathId c = 0; c < cube.call_paths.size(); ++c) {
      const cube::CallPath& path = cube.call_paths[c];
      if (path.kind == cube::CallPathKind::compute || path.kind == cube::CallPathKind::program) continue;
      const bool is_interval = path.kind == cube::CallPathKind::interval;
      children_.try_emplace(
          {path.parent, is_interval ? path.id + 1 : 0, is_interval ? "" : path.name, path.file, path.line}, c);
    }
  }

  cube::CallPathId child(cube::CallPathId parent, const Event& event) const {
    if (event.region >= definitions_.regions.size()) return cube::no_id;
    const trace::Region& region = definitions_.regions[event.region];
    const auto found =
        children_.find({parent, event.interval & ~trace::found_phase, event.interval != 0 ? "" : region.name,
                        region.call_site_file, region.call_site_line});
    if (found != children_.end()) return found->second;
    return event.interval != 0 ? parent : cube::no_id;  // an interval that the analysis did not have
  }

 private:
  using Key = std::tuple<cube::CallPathId, std::uint32_t, std::string, std::string, std::uint32_t>;
  const trace::Definitions& definitions_;
  std::map<Key, cube::CallPathId> children_;
};

/// A receive that a call completes.
struct Reception {
  Partners::MessageKey message;
  std::uint64_t posted = 0;  ///< order of posting
  std::size_t call = 0;
};

class Walk : public trace::EventSink {
 public:
  Walk(const cube::Cube& cube, const trace::Definitions& definitions, const std::set<cube::CallPathId>& wanted,
       Kind kind)
      : definitions_(definitions), tree_(cube, definitions), wanted_(wanted), kind_(kind) {
    open_.push_back({0, 0, 0, cube.call_paths.empty() ? cube::no_id : 0, SIZE_MAX, false});
  }

  void on_event(const Event& event) override {
    pass(event.time);
    switch (event.kind) {
      case EventKind::enter:
        enter(event);
        break;
      case EventKind::leave:
        leave(event);
        break;
      case EventKind::overhead_begin:
      case EventKind::recording_off:
        ++away_;
        break;
      case EventKind::overhead_end:
      case EventKind::recording_on:
        away_ -= away_ > 0;
        break;
      default:
        record(event);
        break;
    }
  }

  std::vector<CallBehind> calls;
  std::vector<Reception> receptions;
  std::vector<std::pair<std::size_t, std::pair<trace::CommId, std::size_t>>> collectives;  ///< call, instance

 private:
  struct Open {
    Nanoseconds enter, own;
    std::uint64_t ordinal;
    cube::CallPathId path;
    std::size_t call;  ///< index in calls; SIZE_MAX = not wanted
    bool is_mpi;
  };

  /// The time since the last event belongs to the innermost region.
  void pass(Nanoseconds time) {
    if (!has_begun_) last_ = time;
    has_begun_ = true;
    const Nanoseconds length = time - last_;
    const Nanoseconds begin = last_;
    last_ = time;
    if (length <= 0 || away_ > 0 || open_.empty()) return;
    Open& top = open_.back();
    if (top.call != SIZE_MAX) calls[top.call].amount += length;
    if (kind_ == Kind::computation && !top.is_mpi && depth_in_mpi_ == 0 && wanted_.contains(top.path)) {
      if (!calls.empty() && calls.back().leave == begin && calls.back().call_path == top.path && is_in_stretch_) {
        calls.back().leave = time;
        calls.back().amount += length;
      } else {
        calls.push_back({begin, time, length, top.path, "computation"});
      }
      is_in_stretch_ = true;
    }
  }

  void enter(const Event& event) {
    is_in_stretch_ = false;
    const cube::CallPathId path = tree_.child(open_.back().path, event);
    const bool is_mpi = event.interval == 0 && event.region < definitions_.regions.size() &&
                        definitions_.regions[event.region].kind == trace::RegionKind::mpi;
    depth_in_mpi_ += is_mpi;
    std::size_t call = SIZE_MAX;
    if (kind_ != Kind::computation && is_mpi && wanted_.contains(path)) {
      call = calls.size();
      calls.push_back({event.time, event.time, 0, path, ""});
    }
    open_.push_back({event.time, 0, 0, path, call, is_mpi});
  }

  void leave(const Event& event) {
    is_in_stretch_ = false;
    if (open_.size() < 2) return;
    const Open top = open_.back();
    open_.pop_back();
    depth_in_mpi_ -= top.is_mpi;
    if (top.call != SIZE_MAX) calls[top.call].leave = event.time;
  }

  void say(const std::string& what) {
    if (open_.back().call == SIZE_MAX) return;
    std::string& text = calls[open_.back().call].what;
    if (text.size() < 60) text += (text.empty() ? "" : ", ") + what;
  }

  void record(const Event& event) {
    switch (event.kind) {
      case EventKind::send:
      case EventKind::send_request:
        say(fmt::format("to rank {}, {} bytes", event.peer, event.bytes));
        return;
      case EventKind::receive_request:
        posted_[event.request] = ++posts_;
        return;
      case EventKind::receive:
      case EventKind::receive_complete: {
        say(fmt::format("from rank {}, {} bytes", event.peer, event.bytes));
        Reception reception{{event.comm, event.peer, event.tag}, ++posts_, open_.back().call};
        if (event.kind == EventKind::receive_complete) {
          if (const auto posted = posted_.find(event.request); posted != posted_.end())
            reception.posted = posted->second;
        }
        receptions.push_back(reception);
        return;
      }
      case EventKind::put:
      case EventKind::get:
      case EventKind::atomic:
        say(fmt::format("rank {}, {} bytes", event.peer, event.bytes));
        return;
      default:
        break;
    }
    const trace::CommId comm = collective_comm(event, definitions_);
    if (comm == trace::no_id) return;
    const std::size_t index = next_[comm]++;
    if (open_.back().call == SIZE_MAX) return;
    collectives.push_back({open_.back().call, {comm, index}});
    if (event.root != trace::no_id) say(fmt::format("root {}", event.root));
  }

  const trace::Definitions& definitions_;
  const CallTree tree_;
  const std::set<cube::CallPathId>& wanted_;
  const Kind kind_;
  std::vector<Open> open_;
  Nanoseconds last_ = 0;
  std::uint64_t away_ = 0, depth_in_mpi_ = 0, posts_ = 0;
  bool is_in_stretch_ = false, has_begun_ = false;
  std::map<std::uint64_t, std::uint64_t> posted_;
  std::map<trace::CommId, std::size_t> next_;
};

/// Replaces the calls' own times by their parts of the characteristic.
void apply_formula(Characteristic c, const analysis::EfficiencyRules& rules, const Partners& partners, Walk& walk) {
  for (CallBehind& call : walk.calls) call.amount = 0;
  std::stable_sort(walk.receptions.begin(), walk.receptions.end(),
                   [](const Reception& a, const Reception& b) { return a.posted < b.posted; });
  std::map<Partners::MessageKey, std::size_t> taken;
  for (const Reception& reception : walk.receptions) {
    const auto sends = partners.sends.find(reception.message);
    const std::size_t index = taken[reception.message]++;
    if (reception.call == SIZE_MAX || sends == partners.sends.end() || index >= sends->second.size()) continue;
    CallBehind& call = walk.calls[reception.call];
    const Nanoseconds sent = sends->second[index];
    const Nanoseconds late = std::min(sent, call.leave) - call.enter;
    if (c == Characteristic::potential_synchronization && late > 0) call.amount += late;
    if (c == Characteristic::message_lifetime && sent < call.leave) call.amount += call.leave - sent;
    call.what += fmt::format(", sent at {} ns", sent);
  }
  for (const auto& [index, instance] : walk.collectives) {
    const auto found = partners.collectives.find(instance.first);
    if (found == partners.collectives.end() || instance.second >= found->second.size()) continue;
    const CollectiveTimes& times = found->second[instance.second];
    CallBehind& call = walk.calls[index];
    const bool lateness =
        c == Characteristic::start_delay || rules.synchronization == analysis::SynchronizationRule::lateness;
    if (times.members < 2) continue;
    if (c == Characteristic::time_variation) {
      call.amount += times.last_leave - call.leave;
      call.what += fmt::format("{}the last left at {} ns", call.what.empty() ? "" : ", ", times.last_leave);
    } else if (c != Characteristic::message_lifetime && lateness) {
      call.amount += call.enter - times.first_enter;
      call.what += fmt::format("{}the first came at {} ns", call.what.empty() ? "" : ", ", times.first_enter);
    } else if (c != Characteristic::message_lifetime) {
      call.amount += times.last_enter - call.enter;
      call.what += fmt::format("{}rank {} came last, at {} ns", call.what.empty() ? "" : ", ", times.last_rank,
                               times.last_enter);
    }
  }
  std::erase_if(walk.calls, [](const CallBehind& call) { return call.amount == 0; });
}

}  // namespace

std::size_t largest_process(const Interval& interval, Characteristic c) {
  std::size_t largest = 0;
  const auto amount = [&](std::size_t p) { return interval.processes[p].value(c); };
  for (std::size_t p = 1; p < interval.processes.size(); ++p) {
    if (amount(p) > amount(largest)) largest = p;
  }
  return largest;
}

Result<CallsBehind> calls_behind(trace::Source& source, const cube::Cube& cube, const IntervalTable& table,
                                 const Question& question) {
  const Interval& interval = table.intervals[question.interval];
  const Kind kind = kind_of(question.characteristic);
  if (interval.processes.empty()) return fail(ErrorKind::usage, "no process executed the interval");
  if (kind == Kind::none) {
    return fail(ErrorKind::usage, "it is not a sum over calls; its operands and call paths are listed instead");
  }
  Question of_process = question;
  if (!question.process) of_process.process = largest_process(interval, question.characteristic);
  const analysis::ProcessAmounts process = interval.processes[*of_process.process];
  if (process.location >= source.definitions().locations.size()) {
    return fail(ErrorKind::unreadable, "the trace has other processes than its analysis; `mora analyze` it again");
  }
  std::set<cube::CallPathId> wanted;
  std::map<cube::CallPathId, Nanoseconds> of_one_call;  // what a call path has that was visited once
  if (kind == Kind::computation) {
    const std::vector<cube::CallPathId> paths = analysis::call_paths_of(cube, interval);
    wanted.insert(paths.begin(), paths.end());
  } else {
    for (const Contribution& c : contributions_of(cube, table, of_process)) {
      wanted.insert(c.call_path);
      if (c.visits == 1) of_one_call[c.call_path] = c.amount;
    }
  }
  Walk walk(cube, source.definitions(), wanted, kind);
  MORA_CHECK_OK(source.read_location(process.location, walk));
  CallsBehind behind;
  behind.rank = process.rank;
  if (kind == Kind::exchange) {
    MORA_TRY(const Partners partners, partners_of(source, process.rank));
    apply_formula(question.characteristic, table.rules, partners, walk);
  }
  behind.calls = std::move(walk.calls);
  if (kind == Kind::time_in_calls) {
    // Only the waiting in MPI_Init and MPI_Finalize is communication.
    for (CallBehind& call : behind.calls) {
      const auto found = of_one_call.find(call.call_path);
      if (found == of_one_call.end() || found->second == call.amount) continue;
      call.what += fmt::format("{}of its {} ns", call.what.empty() ? "" : ", ", call.amount);
      call.amount = found->second;
    }
  }
  for (const CallBehind& call : behind.calls) behind.sum += call.amount;
  std::stable_sort(behind.calls.begin(), behind.calls.end(),
                   [](const CallBehind& a, const CallBehind& b) { return a.amount > b.amount; });
  return behind;
}

}  // namespace mora::report
