// What began before the cut is left out: calls, requests, epochs, locks. One-sided calls are told on windows that were
// made behind it, between fences and locks that are told; OpenSHMEM's collective calls and locks are enter and leave
// only.
#include "experiment/journals/tell_behind_cut.h"

#include <algorithm>
#include <iterator>

#include "experiment/journals/at_a_time.h"
#include "mpi/function.h"

namespace mora::experiment {

using journal::pair_high;
using journal::pair_low;
using journal::Record;

namespace {

/// All others are facts, which are true anywhere.
bool stands_at_a_time(unsigned shape) {
  return is_at_a_time(shape) || shape == MORA_SHAPE_SAMPLE || shape == MORA_SHAPE_COUNTERS || shape == MORA_SHAPE_ERROR;
}

constexpr std::uint64_t without_message = static_cast<std::uint32_t>(MORA_PEER_NONE);

}  // namespace

void TellBehindCut::only_call(Record& r) {
  r.shape = MORA_SHAPE_CALL;
  r.payload = {};
}

bool TellBehindCut::tells_send(std::uint32_t comm, std::uint64_t peer_tag) {
  const OwnChannel channel{comm, pair_low(peer_tag), pair_high(peer_tag)};
  const auto left_out = behind_.sends.find(channel);
  if (left_out == behind_.sends.end()) return !behind_.unknown_are_left_out;
  if (left_out->second == 0) return true;
  return sent_[channel]++ >= left_out->second;
}

bool TellBehindCut::tells_receive(std::uint32_t comm, std::uint64_t peer_tag) const {
  const OwnChannel channel{comm, pair_low(peer_tag), pair_high(peer_tag)};
  return !behind_.receives.contains(channel) && (!behind_.unknown_are_left_out || behind_.sends.contains(channel));
}

bool TellBehindCut::tells_next(const std::map<std::uint32_t, std::uint64_t>& left_out,
                               std::map<std::uint32_t, std::uint64_t>& seen, std::uint32_t object) {
  const auto it = left_out.find(object);
  if (it == left_out.end()) return !behind_.unknown_are_left_out;
  if (it->second == 0) return true;
  return seen[object]++ >= it->second;
}

bool TellBehindCut::take(std::size_t which, Record& r) {
  if (behind_.ticks == 0) return true;
  if (r.shape == MORA_SHAPE_CORE) return false;  // they count from the begin of the thread
  if (r.shape == MORA_SHAPE_NOTE && pair_low(r.payload[0]) == MORA_NOTE_NO_CORE) return false;  // of these
  if (r.shape == MORA_SHAPE_VECTOR) return !without_vectors_.contains(which);
  if (r.function == 0 && !stands_at_a_time(r.shape)) return true;
  const bool is_told = r.begin >= behind_.ticks;
  if (r.shape == MORA_SHAPE_COLLECTIVE) {
    without_vectors_.erase(which);
    if (!is_told) without_vectors_.insert(which);
  }
  if (!is_told) return false;
  if (r.shape == MORA_SHAPE_SYNC) {
    const auto lock = std::pair(which, r.payload[1] ^ static_cast<std::uint64_t>(pair_low(r.payload[0])) << 56);
    if (pair_high(r.payload[0]) == MORA_SYNC_ACQUIRED) thread_locks_.insert(lock);
    if (pair_high(r.payload[0]) == MORA_SYNC_RELEASED) return thread_locks_.erase(lock) != 0;
  }
  rewrite(which, r);
  return true;
}

void TellBehindCut::rewrite(std::size_t which, Record& r) {
  const auto& p = r.payload;
  const bool moved = (r.flags & (MORA_FLAG_FAILED | MORA_FLAG_NO_PEER)) == 0;
  switch (r.shape) {
    case MORA_SHAPE_SEND:
    case MORA_SHAPE_ISEND:
      if (moved && !tells_send(r.object, p[0])) {
        ++messages_;
        only_call(r);
      } else if (r.shape == MORA_SHAPE_ISEND) {
        begun_.insert(p[2]);
      }
      break;
    case MORA_SHAPE_IRECV:
      if (behind_.requests.contains(p[2]))
        only_call(r);
      else
        begun_.insert(p[2]);
      break;
    case MORA_SHAPE_RECV: {
      if (!moved) break;
      const std::uint64_t request = p.size() > 2 ? p[2] : 0;
      const bool is_begun = request == 0 ? !behind_.calls.contains({which, r.ordinal}) : begun_.erase(request) != 0;
      if (is_begun && tells_receive(r.object, p[0])) break;
      ++messages_;
      only_call(r);
      break;
    }
    case MORA_SHAPE_SENDRECV: {
      if (!moved) break;
      payload_.assign(p.begin(), p.end());
      if (pair_low(p[0]) >= 0 && !tells_send(r.object, p[0])) payload_[0] = without_message, ++messages_;
      if (pair_low(p[2]) >= 0 && (behind_.calls.contains({which, r.ordinal}) || !tells_receive(r.object, p[2])))
        payload_[2] = without_message, ++messages_;
      r.payload = payload_;
      break;
    }
    case MORA_SHAPE_START:
    case MORA_SHAPE_COMPLETE:
      rewrite_list(r);
      break;
    case MORA_SHAPE_COLLECTIVE:
      if ((r.flags & MORA_FLAG_FAILED) != 0) break;
      if (!tells_next(behind_.collectives, collectives_, r.object)) {
        without_vectors_.insert(which);
        only_call(r);
      } else if (p.size() > 3) {
        begun_.insert(p[3]);
      }
      break;
    case MORA_SHAPE_IO:
      begun_.insert(p[2]);
      break;
    case MORA_SHAPE_SHMEM_COLLECTIVE:
    case MORA_SHAPE_SHMEM_LOCK:
      only_call(r);
      break;
    default:
      rewrite_window(r);
      break;
  }
}

void TellBehindCut::rewrite_list(Record& r) {
  payload_.clear();
  const bool is_start = r.shape == MORA_SHAPE_START;
  for (std::size_t i = 0; i + 4 <= r.payload.size(); i += 4) {
    const auto* c = r.payload.data() + i;
    const auto comm = static_cast<std::uint32_t>(pair_low(c[3]));
    bool is_told = true;
    if (is_start) {
      const bool is_send = pair_high(c[3]) == MORA_COMPLETED_SEND && pair_low(c[1]) >= 0;
      is_told = is_send ? tells_send(comm, c[1]) : !behind_.requests.contains(c[0]);
      if (is_told) begun_.insert(c[0]);
    } else if (c[0] != 0) {
      const bool is_receive = pair_high(c[3]) == MORA_COMPLETED_RECV && pair_low(c[1]) >= 0;
      is_told = begun_.erase(c[0]) != 0 && (!is_receive || tells_receive(comm, c[1]));
      if (is_receive && !is_told) ++messages_;
    }
    if (is_told) payload_.insert(payload_.end(), c, c + 4);
  }
  r.payload = payload_;
}

void TellBehindCut::rewrite_window(Record& r) {
  const auto& p = r.payload;
  const mpi::Function& f = mpi::function(r.function);
  switch (r.shape) {
    case MORA_SHAPE_WIN_COLLECTIVE:
      if ((r.flags & MORA_FLAG_FAILED) != 0) break;
      if (!tells_next(behind_.windows, windows_seen_, r.object)) return only_call(r);
      windows_known_.insert(r.object);
      if (f.call != mpi::CallClass::fence && f.call != mpi::CallClass::window_free) windows_made_.insert(r.object);
      break;
    case MORA_SHAPE_WIN_GROUP:
      if (!windows_made_.contains(r.object)) only_call(r);
      break;
    case MORA_SHAPE_WIN_LOCK: {
      const auto lock = std::pair(r.object, std::max(pair_low(p[0]), -1));
      if (f.id == mpi::FunctionId::win_lock || f.id == mpi::FunctionId::win_lock_all)
        locks_.insert(lock);
      else if (locks_.erase(lock) == 0)
        only_call(r);
      break;
    }
    case MORA_SHAPE_WIN_FLUSH:
    case MORA_SHAPE_RMA: {
      const bool is_locked = locks_.contains({r.object, pair_low(p[0])}) || locks_.contains({r.object, -1}) ||
                             (pair_low(p[0]) < 0 && r.shape == MORA_SHAPE_WIN_FLUSH);
      if (!is_locked && !windows_known_.contains(r.object)) return only_call(r);
      if (r.shape == MORA_SHAPE_RMA && p.size() > 6) begun_.insert(p[6]);
      break;
    }
    default:
      break;
  }
}

}  // namespace mora::experiment
