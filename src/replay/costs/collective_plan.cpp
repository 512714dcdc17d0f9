/// Steps from messages; and the steps run from a common start, each member until it needs what is not there yet.
#include "replay/costs/collective_plan.h"

#include <algorithm>

#include "replay/costs/message_clock.h"
#include "trace/collective_share.h"

namespace mora::replay {

namespace {

using mpi::Collective;

/// One member's steps of a round, appended when the round is over for it.
struct Round {
  std::uint32_t number = 0;
  std::vector<Step> sends, receives;
};

void close(Round& round, std::vector<Step>& steps) {
  const auto append = [&](const std::vector<Step>& from, Step::Kind kind) {
    for (Step step : from) {
      step.kind = kind;
      steps.push_back(step);
    }
  };
  append(round.receives, Step::post);
  append(round.sends, Step::send);
  append(round.receives, Step::receive);
  append(round.sends, Step::complete);
  round.sends.clear();
  round.receives.clear();
}

}  // namespace

std::optional<mpi::schedule::CollectiveCase> case_of(const Detail& call, const trace::Communicator& comm,
                                                     std::uint32_t own_rank, const std::vector<std::uint64_t>& counts) {
  mpi::schedule::CollectiveCase c;
  c.collective = call.collective;
  c.ranks = static_cast<std::uint32_t>(comm.members.size());
  switch (call.collective) {
    case Collective::barrier:
      return c;
    case Collective::bcast:
    case Collective::reduce:
    case Collective::gather:
    case Collective::scatter: {
      const auto root = std::find(comm.members.begin(), comm.members.end(), call.peer);
      if (root == comm.members.end()) return {};
      c.root = static_cast<std::uint32_t>(root - comm.members.begin());
      break;
    }
    case Collective::allgather:
    case Collective::alltoall:
    case Collective::allreduce:
    case Collective::reduce_scatter_block:
    case Collective::scan:
    case Collective::exscan:
      break;
    case Collective::allgatherv:
    case Collective::reduce_scatter:
      if (counts.size() < c.ranks) return {};
      c.blocks.assign(counts.begin(), counts.begin() + c.ranks);
      break;
    default:
      return {};
  }
  trace::Event event;
  event.bytes = call.bytes;
  event.received = call.received;
  const std::uint64_t bytes =
      c.blocks.empty() ? trace::collective_share(call.collective, event, c.ranks, call.peer == own_rank).bytes : 0;
  const auto fits = [&](std::uint64_t element) {
    return bytes % element == 0 &&
           std::all_of(c.blocks.begin(), c.blocks.end(), [&](std::uint64_t block) { return block % element == 0; });
  };
  for (c.element = 8; !fits(c.element);) c.element /= 2;
  c.count = bytes / c.element;
  return c;
}

CollectivePlan plan_of(const mpi::schedule::Algorithm& algorithm, std::uint32_t ranks) {
  CollectivePlan plan;
  plan.algorithm = algorithm.name;
  plan.steps.resize(ranks);
  std::vector<Round> rounds(ranks);
  std::uint32_t number = 0;
  const auto at = [&](std::uint32_t rank, std::uint32_t round) -> Round& {
    Round& r = rounds[rank];
    if (r.number != round) close(r, plan.steps[rank]);
    r.number = round;
    return r;
  };
  if (algorithm.run) {
    algorithm.run([&](const mpi::schedule::Message& m) {
      at(m.from, m.round).sends.push_back({Step::send, m.to, number, m.bytes});
      at(m.to, m.round).receives.push_back({Step::receive, m.from, number, m.bytes});
      ++number;
    });
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) close(rounds[rank], plan.steps[rank]);
  return plan;
}

std::optional<std::vector<Step>> straight_steps(const Detail& call, std::uint32_t ranks, std::uint32_t position,
                                                std::optional<std::uint32_t> root,
                                                const std::vector<std::uint64_t>& counts) {
  Round round;
  // A pair has at most one message in each direction; its number is that of the pair.
  const auto send = [&](std::uint32_t to, std::uint64_t bytes) {
    if (to != position) round.sends.push_back({Step::send, to, position * ranks + to, bytes});
  };
  const auto receive = [&](std::uint32_t from, std::uint64_t bytes) {
    if (from != position) round.receives.push_back({Step::receive, from, from * ranks + position, bytes});
  };
  switch (call.collective) {
    case Collective::alltoallv:
    case Collective::alltoallw:
      if (counts.size() != std::size_t{2} * ranks) return {};
      // Each begins with the member behind it, as both libraries do.
      for (std::uint32_t i = 1; i < ranks; ++i) {
        const std::uint32_t to = (position + i) % ranks, from = (position + ranks - i) % ranks;
        if (counts[to] > 0) send(to, counts[to]);
        if (counts[ranks + from] > 0) receive(from, counts[ranks + from]);
      }
      break;
    case Collective::gatherv:
    case Collective::scatterv: {
      if (!root) return {};
      const bool gathers = call.collective == Collective::gatherv;
      if (position != *root) {
        gathers ? send(*root, call.bytes) : receive(*root, call.received);
        break;
      }
      // Without counts (other recorders') the blocks are taken as equal; also an empty one is a message here, since a
      // member knows its own only.
      const std::uint64_t equal = (gathers ? call.received : call.bytes) / ranks;
      for (std::uint32_t i = 0; i < ranks; ++i) {
        const std::uint64_t bytes = counts.size() == ranks ? counts[i] : equal;
        gathers ? receive(i, bytes) : send(i, bytes);
      }
      break;
    }
    default:
      return {};
  }
  std::vector<Step> steps;
  close(round, steps);
  return steps;
}

std::vector<Nanoseconds> synchronous_times(const CollectivePlan& plan, std::span<const std::uint32_t> rank_of,
                                           const Network& network) {
  struct Member {
    std::size_t next = 0;
    Nanoseconds now = 0, posted = 0;
    MessageClock clock;
  };
  const auto n = static_cast<std::uint32_t>(plan.steps.size());
  std::vector<Member> members(n);
  constexpr Nanoseconds unknown = -1;
  std::vector<Nanoseconds> handed, posted;
  const auto known = [&](std::vector<Nanoseconds>& times, std::uint32_t message) -> Nanoseconds& {
    if (message >= times.size()) times.resize(message + 1, unknown);
    return times[message];
  };
  // Whoever can go on does; each pass does at least one step, since messages depend on earlier rounds only.
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::uint32_t i = 0; i < n; ++i) {
      Member& m = members[i];
      for (; m.next < plan.steps[i].size(); ++m.next, goes_on = true) {
        const Step& s = plan.steps[i][m.next];
        const bool sends = s.kind == Step::send || s.kind == Step::complete;
        const MessageCost cost = sends ? network.message(rank_of[i], rank_of[s.peer], s.bytes)
                                       : network.message(rank_of[s.peer], rank_of[i], s.bytes);
        if (s.kind == Step::post) {
          known(posted, s.message) = m.now;
        } else if (s.kind == Step::send) {
          known(handed, s.message) = m.clock.hand_over(m.now, cost);
        } else if (s.kind == Step::receive) {
          const Nanoseconds sent = known(handed, s.message);
          if (sent == unknown) break;
          m.now = std::max(m.now, m.clock.arrive(sent, known(posted, s.message), cost).time) + cost.receive_overhead;
        } else if (cost.rendezvous) {
          const Nanoseconds there = known(posted, s.message);
          if (there == unknown) break;
          m.now = std::max(m.now, MessageClock::sent(known(handed, s.message), there, cost).time);
        }
      }
    }
  }
  std::vector<Nanoseconds> times;
  for (const Member& m : members) times.push_back(m.now);
  return times;
}

}  // namespace mora::replay
