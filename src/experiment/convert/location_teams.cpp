// Teams of OpenMP become what tools that rewrite the source record: a fork on the thread that makes the team, on each
// of its threads a parallel region with a barrier at its end, and a join. A thread of the runtime does not say when it
// leaves that barrier: all do when the maker goes on. Waits are regions inside; a critical section lasts from the wish
// to enter until it is left, and holds its lock in between. Tasks stand where they are executed, mostly in such a wait.
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "experiment/convert/translator.h"

namespace mora::experiment {

void Translator::enter_construct(std::uint64_t time, std::uint32_t region, std::int32_t team) {
  if (region == no_id) return;
  if (team != 0)
    out_.enter(time, region, team);
  else
    out_.enter(time, region);
  open_marks_.push_back({nullptr, 0, region});
}

void Translator::leave_construct(std::uint64_t time, std::uint32_t region) {
  const auto begun = std::find_if(open_marks_.rbegin(), open_marks_.rend(),
                                  [&](const OpenMark& open) { return open.mark == nullptr && open.region == region; });
  if (begun == open_marks_.rend()) return;
  close_marks_above(*begun, time);
  close_mark(time);
}

/// Where one team follows another, time tells whose a worker's part is. Of teams that work at the same time at most one
/// goes without a number: the first.
std::int32_t Translator::number_of_team() {
  if (state_.teams.empty()) return 0;
  state_.teams_told = state_.teams_told == std::numeric_limits<std::int32_t>::max() ? 1 : state_.teams_told + 1;
  return state_.teams_told;
}

/// A thread that takes part in what another one makes has left the barrier at the end of its last team's region, whose
/// maker may not go on yet (nested parallelism). What it makes itself may be a task's, in that barrier.
void Translator::leave_ended_team(std::uint64_t time) {
  const auto ended = state_.teams.find(std::exchange(ended_, 0));
  if (ended == state_.teams.end() || std::erase(ended->second.members, this) == 0) return;
  leave_construct(time, ended->second.parallel);
}

void Translator::team(const Record& r) {
  const auto time = monotone(clock_.stamp(r.begin));
  const std::uint64_t number = r.payload[1];
  if (pair_low(r.payload[0]) == MORA_TEAM_FORK) {
    out_.thread_fork(time, static_cast<std::uint32_t>(std::max(pair_high(r.payload[0]), 0)));
    const std::int32_t told = number_of_team();
    state_.teams[number] = {region_of(construct_parallel, r.site), region_of(construct_end_of_parallel, r.site), told};
    return;
  }
  const auto found = state_.teams.find(number);
  if (found == state_.teams.end()) return;  // its fork was lost
  OpenTeam& team = found->second;
  switch (pair_low(r.payload[0])) {
    case MORA_TEAM_BEGIN:
      if (thread_of_team(number) != thread_.number) leave_ended_team(time);
      enter_construct(time, team.parallel, team.number);
      team.members.push_back(this);
      break;
    case MORA_TEAM_END:
      enter_construct(time, team.end);
      ended_ = number;
      break;
    case MORA_TEAM_JOIN:
      for (Translator* member : team.members) member->leave_construct(member->monotone(time), team.parallel);
      out_.thread_join(time);
      state_.teams.erase(found);
      break;
    default:
      break;
  }
}

/// The end of one has no site; they are nested, so it is that of the innermost.
static bool is_workshare(std::int32_t kind) { return kind >= MORA_SYNC_TASKLOOP; }

std::uint32_t Translator::give_up(std::int32_t kind) {
  const auto taken = std::find_if(held_.rbegin(), held_.rend(), [&](const auto& held) {
    return held.first == kind || (is_workshare(kind) && is_workshare(held.first));
  });
  if (taken == held_.rend()) return no_id;
  const auto region = taken->second;
  held_.erase(std::next(taken).base());
  return region;
}

std::uint32_t Translator::number_of_lock(std::uint64_t address) {
  return state_.locks.try_emplace(address, static_cast<std::uint32_t>(state_.locks.size())).first->second;
}

void Translator::sync(const Record& r) {
  const auto kind = pair_low(r.payload[0]), step = pair_high(r.payload[0]);
  const bool is_call = kind == MORA_SYNC_LOCK;  // the region does not last while the lock is held
  const auto time = monotone(clock_.stamp(r.begin));
  const bool has_no_site = (step == MORA_SYNC_RELEASED && !is_call) || (step == MORA_SYNC_END && r.site == 0);
  const auto region = has_no_site ? give_up(kind) : region_of(construct_of(r), r.site);
  if (region == no_id) return;
  const bool has_lock = kind == MORA_SYNC_CRITICAL || is_call;
  const auto lock = [&] { return number_of_lock(r.payload[1]); };
  switch (step) {
    case MORA_SYNC_BEGIN:
      enter_construct(time, region);
      if (is_workshare(kind)) held_.emplace_back(kind, region);
      break;
    case MORA_SYNC_END:
      leave_construct(time, region);
      if (r.payload[1] != 0) leave_construct(time, give_up(MORA_SYNC_LOOP));
      break;
    case MORA_SYNC_ACQUIRED: {
      enter_construct(time, region);
      const auto acquired = monotone(clock_.stamp(r.end()));
      if (has_lock) out_.thread_acquire(acquired, lock());
      if (is_call)
        leave_construct(acquired, region);
      else
        held_.emplace_back(kind, region);
      break;
    }
    case MORA_SYNC_RELEASED:
      if (is_call) enter_construct(time, region);
      if (has_lock) out_.thread_release(time, lock());
      leave_construct(time, region);
      break;
    default:
      break;
  }
}

/// A mutex, or what else threads wait for, is recorded where a thread has waited for it: whoever gives it up then had
/// taken it unrecorded, and has it for no time. So a chain of holders says until when each waited, and for whom.
void Translator::thread_lock(const Record& r, std::uint64_t enter, std::uint64_t leave) {
  const std::uint64_t mutex = r.payload[0];
  const auto lock = number_of_lock(mutex);
  if ((r.payload[1] & MORA_LOCK_GIVEN_UP) != 0) {
    if (mutexes_.erase(mutex) == 0) out_.thread_acquire(enter, lock, OTF2_PARADIGM_PTHREAD);
    out_.thread_release(enter, lock, OTF2_PARADIGM_PTHREAD);
  }
  if ((r.payload[1] & MORA_LOCK_TAKEN) != 0) {
    out_.thread_acquire(leave, lock, OTF2_PARADIGM_PTHREAD);
    mutexes_.insert(mutex);
  }
  if ((r.payload[1] & MORA_LOCK_PASSED) != 0) {
    out_.thread_acquire(leave, lock, OTF2_PARADIGM_PTHREAD);
    out_.thread_release(leave, lock, OTF2_PARADIGM_PTHREAD);
  }
}

}  // namespace mora::experiment
