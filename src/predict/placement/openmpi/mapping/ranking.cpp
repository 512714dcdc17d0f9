/// Ranks by object: in turn one process of each object of a node, node after node; `span`: in turn over the objects of
/// all nodes; `fill`: all of an object before the next. A process belongs to every object that its own object overlaps
/// with. By node: in turn over nodes. By slot: node after node. Source: Open MPI 4.1, mpirun(1) and
/// orte/mca/rmaps/base/rmaps_base_ranking.c. Cost: linear in ranks and objects.
#include <fmt/format.h>

#include "predict/placement/openmpi/mapping/mapping.h"
#include "predict/placement/openmpi/words/refusal.h"

namespace mora::predict::openmpi {

namespace {

/// For each object of a level, the processes of a node that may be ranked on it, and how far one has come.
class Queues {
 public:
  Queues(const Job& job, std::uint32_t node, Level level)
      : job_(&job), node_(node), level_(level), next_(job.count(level), 0) {}

  /// The first unranked process of the object; null if it has none.
  Process* first(Job& job, std::uint32_t object) {
    std::vector<Process>& processes = job.nodes[node_].processes;
    std::size_t& at = next_[object];
    for (; at < processes.size(); ++at) {
      if (processes[at].rank == unranked && processes[at].has_locale &&
          job_->threads(processes[at].locale).meets(job_->threads({level_, object}))) {
        return &processes[at];
      }
    }
    return nullptr;
  }

 private:
  const Job* job_;
  std::uint32_t node_;
  Level level_;
  std::vector<std::size_t> next_;
};

void rank_by_slot(Job& job) {
  std::int64_t rank = 0;
  for (const std::uint32_t n : job.map) {
    for (Process& process : job.nodes[n].processes) process.rank = rank++;
  }
}

void rank_by_node(Job& job) {
  std::int64_t rank = 0;
  for (std::size_t round = 0, found = 1; found > 0; ++round) {
    found = 0;
    for (const std::uint32_t n : job.map) {
      if (round >= job.nodes[n].processes.size()) continue;
      job.nodes[n].processes[round].rank = rank++;
      ++found;
    }
  }
}

/// How many got a rank.
std::uint64_t rank_by_object(Job& job, Level level, RankingPolicy::Order order) {
  const std::uint32_t objects = job.count(level);
  std::int64_t rank = 0;
  std::vector<Queues> queues;
  for (const std::uint32_t n : job.map) queues.emplace_back(job, n, level);
  const auto give = [&](std::size_t position, std::uint32_t object) {
    Process* const process = queues[position].first(job, object);
    if (process != nullptr) process->rank = rank++;
    return process != nullptr;
  };
  if (order == RankingPolicy::Order::span) {
    for (bool gave = true; gave;) {
      gave = false;
      for (std::size_t position = 0; position < queues.size(); ++position) {
        for (std::uint32_t object = 0; object < objects; ++object) gave = give(position, object) || gave;
      }
    }
    return static_cast<std::uint64_t>(rank);
  }
  for (std::size_t position = 0; position < queues.size(); ++position) {
    if (order == RankingPolicy::Order::fill) {
      for (std::uint32_t object = 0; object < objects; ++object) {
        while (give(position, object)) {
        }
      }
      continue;
    }
    for (bool gave = true; gave;) {
      gave = false;
      for (std::uint32_t object = 0; object < objects; ++object) gave = give(position, object) || gave;
    }
  }
  return static_cast<std::uint64_t>(rank);
}

}  // namespace

Result<void> give_ranks(Job& job) {
  RankingPolicy& policy = job.policies.ranking;
  if (!policy.by_object) {
    rank_by_slot(job);
    return {};
  }
  if (policy.level == Level::node) {
    rank_by_node(job);
    return {};
  }
  if (job.topology == nullptr)
    return refuse("no topology", fmt::format("ranking by {} needs the topology of the nodes", name_of(policy.level)),
                  "give the topology");
  if (job.count(policy.level) == 0) {
    if (policy.given)
      return refuse("no objects", fmt::format("the nodes have no {} to rank by", name_of(policy.level)));
    policy = {};
    rank_by_slot(job);
    return {};
  }
  const std::uint64_t ranked = rank_by_object(job, policy.level, policy.order);
  if (ranked < job.ranks) {
    return refuse(
        "ranks left over",
        fmt::format(
            "{} of {} ranks cannot be given by {}: the processes of a node are not distributed evenly over its objects",
            job.ranks - ranked, job.ranks, name_of(policy.level)));
  }
  return {};
}

}  // namespace mora::predict::openmpi
