#include "experiment/ending/open_calls.h"

#include <algorithm>

#include "mpi/function.h"

namespace mora::experiment {
namespace {

using archive::no_id;
using journal::pair_high;
using journal::pair_low;

constexpr std::uint32_t comm_world = 0;  ///< MPI_COMM_WORLD, as each process numbers its communicators

/// Ranks of communicators as world ranks, for one process.
class Ranks {
 public:
  Ranks(const EndedJob& job, std::uint32_t own) : job_(job), own_(own) {}

  std::uint32_t comm(std::uint32_t local) const { return job_.processes[own_].communicator(local); }
  std::int32_t world(std::uint32_t comm, std::int32_t rank) const {
    if (rank < 0 || comm >= job_.definitions->communicators.size()) return rank;
    const auto& c = job_.definitions->communicators[comm];
    if (c.group == no_id) return static_cast<std::int32_t>(own_);
    const auto* group = &job_.definitions->groups[c.group];
    if (c.remote_group != no_id && std::find(group->begin(), group->end(), own_) != group->end())
      group = &job_.definitions->groups[c.remote_group];
    return static_cast<std::size_t>(rank) < group->size()
               ? static_cast<std::int32_t>((*group)[static_cast<std::size_t>(rank)])
               : rank;
  }
  /// Peers and tags that MPI refuses.
  bool is_bad(std::uint32_t comm, std::uint64_t peer_tag) const {
    const auto& comms = job_.definitions->communicators;
    if (comm >= comms.size()) return true;
    const auto size = [&](std::uint32_t group) { return group == no_id ? 1 : job_.definitions->groups[group].size(); };
    auto most = size(comms[comm].group);
    if (comms[comm].remote_group != no_id) most = std::max(most, size(comms[comm].remote_group));
    return pair_low(peer_tag) < MORA_PEER_ANY || pair_high(peer_tag) < MORA_TAG_ANY ||
           (pair_low(peer_tag) >= 0 && static_cast<std::size_t>(pair_low(peer_tag)) >= most);
  }
  WantedMessage wanted(bool is_send, std::uint32_t local_comm, std::uint64_t peer_tag) const {
    const auto c = comm(local_comm);
    return {is_send, c, world(c, pair_low(peer_tag)), pair_high(peer_tag), 0, 0};
  }

 private:
  const EndedJob& job_;
  std::uint32_t own_;
};

Traffic::Channel channel(const WantedMessage& m) { return {m.comm, m.peer, m.tag}; }

void take(const journal::Record& r, const Ranks& ranks, Traffic& traffic) {
  const auto& p = r.payload;
  if (r.flags & (MORA_FLAG_FAILED | MORA_FLAG_OPEN)) return;
  const auto count = [&](bool is_send, std::uint64_t peer_tag) {
    const auto message = ranks.wanted(is_send, r.object, peer_tag);
    if (message.peer >= 0) ++(is_send ? traffic.sent : traffic.received)[channel(message)];
  };
  switch (r.shape) {
    case MORA_SHAPE_SEND:
      count(true, p[0]);
      break;
    case MORA_SHAPE_RECV:
      count(false, p[0]);
      break;
    case MORA_SHAPE_SENDRECV:
      count(true, p[0]);
      count(false, p[2]);
      break;
    case MORA_SHAPE_ISEND:
    case MORA_SHAPE_IRECV: {
      if (r.flags & (MORA_FLAG_NO_PEER | MORA_FLAG_UNSUCCESSFUL)) break;
      auto message = ranks.wanted(r.shape == MORA_SHAPE_ISEND, r.object, p[0]);
      if (message.is_send) count(true, p[0]);
      message.function = r.function;
      message.site = r.site;
      traffic.pending[p[2]] = message;
      break;
    }
    case MORA_SHAPE_START:
    case MORA_SHAPE_COMPLETE:
      for (std::size_t i = 0; i + 3 < p.size(); i += 4) {
        const auto kind = pair_high(p[i + 3]);
        const auto message =
            ranks.wanted(kind == MORA_COMPLETED_SEND, static_cast<std::uint32_t>(pair_low(p[i + 3])), p[i + 1]);
        if (r.shape == MORA_SHAPE_START) {
          if (kind == MORA_COMPLETED_SEND && message.peer >= 0) ++traffic.sent[channel(message)];
          if (kind == MORA_COMPLETED_SEND || kind == MORA_COMPLETED_RECV) {
            auto& started = traffic.pending[p[i]] = message;
            started.function = r.function;
            started.site = r.site;
          }
          continue;
        }
        if (kind == MORA_COMPLETED_RECV && message.peer >= 0) ++traffic.received[channel(message)];
        traffic.pending.erase(p[i]);
      }
      break;
    case MORA_SHAPE_COLLECTIVE: {
      Collectives& there = traffic.collectives[ranks.comm(r.object)];
      there = {there.calls + 1, r.function, r.site};
      break;
    }
    default:
      break;
  }
}

/// Calls in a row, from one place, that found nothing: the last calls of a process.
class Polls {
 public:
  void take(const journal::Record& r) {
    const bool has_found = r.shape == MORA_SHAPE_COMPLETE && !r.payload.empty();
    const bool is_poll =
        kinds_of(r.function) != 0 && !has_found && (r.flags & (MORA_FLAG_FAILED | MORA_FLAG_OPEN)) == 0;
    if (is_poll && count_ != 0 && r.function == function_ && r.site == site_) {
      ++count_;
    } else {
      count_ = is_poll ? 1 : 0;
      begin_ = r.begin;
    }
    if (r.shape == MORA_SHAPE_POLLS && is_poll) ++count_;
    function_ = r.function;
    site_ = r.site;
    end_ = r.end();
  }

  /// Whether a process that has called MPI no more until its end still polls: not for as long as it did before.
  bool go_on(const EndedProcess& process) const {
    const std::uint64_t begin = process.stamp(begin_), end = process.stamp(end_);
    return count_ >= 2 && process.end < end + (end - begin);
  }
  bool are(unsigned function, std::uint64_t site) const {
    return count_ >= 2 && function == function_ && site == site_;
  }
  std::uint64_t begin() const { return begin_; }

  /// What the process's state tells of such a call (enum mora_state_of); 0: it is no poll.
  static unsigned kinds_of(unsigned function) {
    switch (mpi::function(function).id) {
      case mpi::FunctionId::iprobe:
      case mpi::FunctionId::improbe:
        return MORA_STATE_SOURCE;
      case mpi::FunctionId::test:
      case mpi::FunctionId::testall:
      case mpi::FunctionId::testany:
      case mpi::FunctionId::testsome:
        return MORA_STATE_REQUESTS;
      default:
        return 0;
    }
  }

 private:
  unsigned function_ = 0;
  std::uint64_t site_ = 0, begin_ = 0, end_ = 0, count_ = 0;
};

/// `kinds`: what `state` tells of the call, enum mora_state_of.
OpenCall open_call(unsigned function, unsigned kinds, const mora_state& state, const Ranks& ranks,
                   const EndedProcess& process, const Traffic& traffic) {
  OpenCall open;
  open.is_open = true;
  open.function = function;
  open.words = process.call(open.function, state.site & 0xffff'ffff'ffffu);
  open.since = process.stamp(state.begin);
  const auto comm_plus_1 = static_cast<std::uint32_t>(state.object);
  const auto local = comm_plus_1 - 1;
  const auto& f = mpi::function(open.function);
  open.is_collective = f.collective != mpi::Collective::none && f.form == mpi::Form::blocking;
  if (kinds & MORA_STATE_WINDOW) {
    const auto window = traffic.windows.windows.find(local);
    if (window != traffic.windows.windows.end()) open.window = window->second;
    if (open.window) open.comm = open.window->first;
    open.is_exclusive = pair_high(state.target) == 1;
  } else if (f.collective == mpi::Collective::init || f.collective == mpi::Collective::finalize) {
    open.comm = ranks.comm(comm_world);  // no argument: the state still holds that of an earlier call
  } else if (comm_plus_1 != 0 && (kinds & MORA_STATE_REQUESTS) == 0) {
    open.comm = ranks.comm(local);
  }
  if (kinds & MORA_STATE_GROUP) {
    const auto group = traffic.windows.groups.find(static_cast<std::uint32_t>(state.source));
    if (group != traffic.windows.groups.end()) open.group = group->second;
  }
  if (kinds & MORA_STATE_ROOT) open.root = ranks.world(open.comm, pair_low(state.target));
  open.has_bad_argument = ((kinds & MORA_STATE_SOURCE) != 0 && ranks.is_bad(open.comm, state.source)) ||
                          ((kinds & (MORA_STATE_DEST | MORA_STATE_ROOT)) != 0 && ranks.is_bad(open.comm, state.target));
  if (kinds & MORA_STATE_SOURCE) open.messages.push_back(ranks.wanted(false, local, state.source));
  if (kinds & MORA_STATE_DEST) open.messages.push_back(ranks.wanted(true, local, state.target));
  if (kinds & MORA_STATE_REQUESTS) {
    open.requests = static_cast<std::uint32_t>(pair_high(state.object));
    if (const auto one = traffic.pending.find(state.source); one != traffic.pending.end())
      open.messages.push_back(one->second);
    else if (open.requests > 1)
      for (const auto& [number, message] : traffic.pending) open.messages.push_back(message);
  }
  return open;
}

}  // namespace

Traffic traffic_of(const EndedJob& job, std::uint32_t rank) {
  Traffic traffic;
  const EndedProcess& process = job.processes[rank];
  if (process.journal == nullptr) return traffic;
  const Ranks ranks(job, rank);
  for (const mora_ring_entry& e : process.journal->before_ring()) {
    const auto own = static_cast<std::uint32_t>(pair_low(e.object_peer));
    const Traffic::Channel of{ranks.comm(own), ranks.world(ranks.comm(own), pair_high(e.object_peer)),
                              pair_low(e.tag_kind)};
    if (pair_high(e.tag_kind) == MORA_RING_COLLECTIVES) traffic.collectives[ranks.comm(own)].calls = e.first;
    if (pair_high(e.tag_kind) != MORA_RING_CHANNEL) continue;
    traffic.sent[of] = static_cast<std::int64_t>(e.first);
    traffic.received[of] = static_cast<std::int64_t>(e.second);
  }
  auto cursor = process.journal->records();
  journal::Record r;
  journal::Record last;
  Polls polls;
  const WindowNames names{[&](std::uint32_t own) { return ranks.comm(own); },
                          [&](std::uint32_t comm, std::int32_t of) { return ranks.world(comm, of); }};
  while (cursor.next(r)) {
    take_window(r, names, traffic.windows);
    const bool is_mpi = r.function <= mpi::function_count;
    if (r.function == 0 || (!is_mpi && !journal::is_of_library(r.function))) continue;
    if (is_mpi) {
      take(r, ranks, traffic);
      polls.take(r);
    }
    last = r;
  }
  if (last.function != 0) {
    traffic.open.function = last.function;
    traffic.open.words = process.call(last.function, last.site);
    traffic.open.since = process.stamp(last.end());
  }
  const mora_state& state = process.journal->state();
  const auto function = static_cast<unsigned>(state.call & 0xffff);
  const bool has_returned =  // killed right behind its record
      function == last.function && state.begin == last.begin && !(last.flags & MORA_FLAG_OPEN);
  if (function != 0 && function <= mpi::function_count && !has_returned) {
    traffic.open = open_call(function, static_cast<unsigned>(state.call >> 16), state, ranks, process, traffic);
    if (polls.are(function, state.site & 0xffff'ffff'ffffu)) traffic.open.polled_since = process.stamp(polls.begin());
  } else if (journal::is_of_library(function) && !has_returned) {
    traffic.open = {};
    traffic.open.is_open = true;
    traffic.open.function = function;
    traffic.open.words = process.call(function, state.site & 0xffff'ffff'ffffu);
    traffic.open.since = process.stamp(state.begin);
  } else if (last.function != 0 && last.function <= mpi::function_count && polls.go_on(process)) {
    const OpenCall left = std::move(traffic.open);
    traffic.open = open_call(last.function, Polls::kinds_of(last.function), state, ranks, process, traffic);
    traffic.open.is_open = false;
    traffic.open.words = left.words;
    traffic.open.since = left.since;
    traffic.open.polled_since = process.stamp(polls.begin());
  }
  return traffic;
}

std::vector<std::uint32_t> members_of(const archive::Definitions& definitions, std::uint32_t comm, std::uint32_t own) {
  if (comm >= definitions.communicators.size()) return {};
  const auto& c = definitions.communicators[comm];
  if (c.group == no_id) return {own};
  auto members = definitions.groups[c.group];
  if (c.remote_group != no_id)
    members.insert(members.end(), definitions.groups[c.remote_group].begin(), definitions.groups[c.remote_group].end());
  std::sort(members.begin(), members.end());
  return members;
}

}  // namespace mora::experiment
