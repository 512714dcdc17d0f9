/// Each record is added to the log; nothing is matched yet (process_threads.cpp).
#include "analysis/patterns/threads/thread_log.h"

#include "analysis/storage/gallop.h"

namespace mora::analysis {

using trace::Event;
using trace::EventKind;

namespace {

bool is_omp_barrier(Account account) {
  return account == Account::omp_explicit_barrier || account == Account::omp_implicit_barrier;
}

}  // namespace

void ThreadCollector::on_first(Nanoseconds first) {
  log_.has_events = true;
  log_.first = log_.last = first;
}

void ThreadCollector::on_event(const Event& event, const OpenCall& call) {
  switch (event.kind) {
    case EventKind::fork:
      if (call.traits.account == Account::pthread_management) return;  // one thread, not a team
      open_forks_.push_back(log_.forks.size());
      log_.forks.push_back(ThreadFork{event.time, INT64_MAX, call.node, event.request});
      break;
    case EventKind::join:
      for (std::size_t i = open_forks_.size(); i-- > 0;) {
        ThreadFork& fork = log_.forks[open_forks_[i]];
        if (fork.id != event.request) continue;
        fork.join = event.time;
        open_forks_.erase(open_forks_.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
      break;
    case EventKind::acquire:
      acquire(event, call);
      break;
    case EventKind::release:
      release(event, call);
      break;
    case EventKind::recording_off:
      change_interruption(event.time, Interruption::unrecorded);
      break;
    case EventKind::overhead_begin:
      flushed_call_ = call.number;
      if (call.depth == 0) change_interruption(event.time, Interruption::overhead);
      break;
    case EventKind::recording_on:
    case EventKind::overhead_end:
      change_interruption(event.time, Interruption::none);
      break;
    default:
      break;
  }
}

/// As the matcher accounts them: a flush within a stretch without recording is part of it.
void ThreadCollector::change_interruption(Nanoseconds time, Interruption kind) {
  if (kind != Interruption::none && interruption_ == Interruption::unrecorded) return;
  if (interruption_ != Interruption::none && time > interruption_begin_) {
    log_.interruptions.push_back(TimeInterval{interruption_begin_, time});
  }
  interruption_ = kind;
  interruption_begin_ = time;
}

void ThreadCollector::acquire(const Event& event, const OpenCall& call) {
  ThreadHold hold;
  switch (call.traits.account) {
    case Account::omp_critical:
      hold.key.family = LockFamily::omp_critical;
      break;
    case Account::omp_lock_api:
      hold.key.family = LockFamily::omp_api;
      break;
    case Account::pthread_condition:
    case Account::pthread_barrier:
    case Account::pthread_mutex:
      hold.key.family = LockFamily::pthread;
      break;
    default:
      // Ordered regions take turns, they do not contend; elsewhere it is not known when the waiting began.
      if (call.traits.account == Account::computation) ++log_.locks_outside_calls;
      return;
  }
  hold.account = call.traits.account;
  hold.key.id = event.request;
  const auto held = held_.find(hold.key);
  if (held != held_.end()) {  // its holder takes it once more
    ++log_.holds[held->second].nested;
    return;
  }
  hold.enter = call.enter;
  hold.acquired = event.time;
  hold.node = hold.release_node = call.node;
  hold.never_waits = call.traits.is_test;
  hold.shared = call.traits.is_shared_lock && event.time > call.enter;  // at its begin: others get it from there
  hold.broken = call.is_broken || flushed_call_ == call.number;
  held_[hold.key] = log_.holds.size();
  log_.holds.push_back(hold);
}

void ThreadCollector::release(const Event& event, const OpenCall& call) {
  const LockFamily order[] = {LockFamily::omp_critical, LockFamily::omp_api, LockFamily::pthread};
  const Account account = call.traits.account;
  const bool knows = account == Account::omp_critical || account == Account::omp_lock_api ||
                     account == Account::pthread_mutex || account == Account::pthread_condition ||
                     account == Account::pthread_barrier;
  const LockFamily wanted = account == Account::omp_critical   ? LockFamily::omp_critical
                            : account == Account::omp_lock_api ? LockFamily::omp_api
                                                               : LockFamily::pthread;
  for (const LockFamily family : order) {
    if (knows && family != wanted) continue;
    const auto held = held_.find(LockKey{family, event.request});
    if (held == held_.end()) continue;
    ThreadHold& hold = log_.holds[held->second];
    if (hold.nested > 0) {
      --hold.nested;
      return;
    }
    hold.released = event.time;
    hold.release_node = call.node;
    held_.erase(held);
    return;
  }
}

/// What is inside an inner barrier is gone when a call around that one is left: numbers ascend.
void ThreadCollector::add_work(const ThreadWork& work) {
  if (open_works_ == open_work_.size())
    open_work_.push_back(work);
  else
    open_work_[open_works_] = work;
  ++open_works_;
}

void ThreadCollector::on_leave(const OpenCall& call, Nanoseconds leave) {
  const Account account = call.traits.account;
  if (call.depth == 1 && !call.traits.is_parallel) log_.has_other_outermost = true;
  const bool is_barrier = is_omp_barrier(account);
  const bool is_end = account == Account::init_finalize;
  const bool is_work = is_omp_barrier(call.around);
  const ThreadWork work{call.enter, leave, call.number, call.node};
  if (!is_barrier && is_work) add_work(work);
  if (!is_barrier && !is_end && !call.traits.is_parallel) return;
  ThreadVisit visit{call.enter,    leave,       call.own,   call.number,
                    call.node,     call.region, call.depth, call.traits.is_parallel ? call.argument : 0,
                    call.is_broken};
  if (is_barrier) {
    const std::size_t first =
        gallop(open_works_, open_works_, [&](std::size_t i) { return open_work_[i].number < call.number; });
    visit.first_work = log_.work.size();
    for (std::size_t i = first; i < open_works_; ++i) log_.work.push_back(open_work_[i]);
    visit.end_work = log_.work.size();
    open_works_ = first;
    if (is_work) add_work(work);  // it is none of its own
  }
  (is_barrier ? log_.barriers : is_end ? log_.ends : log_.parallels).push_back(visit);
}

void ThreadCollector::finish(Nanoseconds last) {
  if (!log_.has_events) return;
  change_interruption(last, Interruption::none);
  log_.last = last;
}

}  // namespace mora::analysis
