/// Two steps (Slurm, cpu_management.html). Allocation: with whole nodes (exclusive), every CPU of them; else only the
/// CPUs that the tasks need, the first nodes first, but at least those of one task for each node (Example 6: 16 CPUs on
/// 3 nodes of 8 are 8, 6, 2). Distribution: how many tasks each node gets (evenly, as far as its CPUs go; packed with
/// Pack), and which: consecutive (block), in turn (cyclic), in turn by planes (plane, with cyclic's numbers). Cost:
/// linear in tasks and nodes. Limits: tasks of one job step; no memory, no generic resources, no partitions.
#include "predict/placement/slurm/slurm_placement.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text/rank_words.h"

namespace mora::predict::slurm {

namespace {

using Counts = std::vector<std::uint32_t>;

constexpr std::uint64_t most_tasks = std::uint64_t{1} << 24;

std::uint64_t sum(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

/// In turn, one each, as long as a node has free CPUs.
Counts evenly(const Counts& capacity, std::uint32_t tasks) {
  Counts counts(capacity.size(), 0);
  std::vector<std::size_t> free(capacity.size());  // nodes, in order
  std::iota(free.begin(), free.end(), std::size_t{0});
  while (tasks > 0) {
    std::erase_if(free, [&](std::size_t n) { return counts[n] == capacity[n]; });
    for (const std::size_t n : free) {
      if (tasks == 0) break;
      ++counts[n];
      --tasks;
    }
  }
  return counts;
}

/// The first nodes first; `least` for each of the others.
Counts filled(const Counts& capacity, std::uint32_t tasks, std::uint32_t least) {
  Counts counts(capacity.size(), 0);
  std::uint64_t others = std::uint64_t{least} * capacity.size();
  for (std::size_t n = 0; n < capacity.size(); ++n) {
    others -= least;
    counts[n] = static_cast<std::uint32_t>(std::min<std::uint64_t>(capacity[n], tasks > others ? tasks - others : 0));
    tasks -= counts[n];
  }
  return counts;
}

/// Node of each task, going round with `step` tasks at a time.
std::vector<std::uint32_t> in_turn(Counts counts, std::uint32_t step) {
  std::vector<std::uint32_t> node_of;
  std::vector<std::uint32_t> waiting(counts.size());  // nodes, in order
  std::iota(waiting.begin(), waiting.end(), 0u);
  while (!waiting.empty()) {
    for (const std::uint32_t n : waiting) {
      const std::uint32_t now = std::min(step, counts[n]);
      node_of.insert(node_of.end(), now, n);
      counts[n] -= now;
    }
    std::erase_if(waiting, [&](std::uint32_t n) { return counts[n] == 0; });
  }
  return node_of;
}

bool takes_whole_nodes(const SlurmRequest& request) {
  return request.exclusive || request.overcommit ||
         (request.distribution && request.distribution->nodes == AcrossNodes::arbitrary);
}

struct Plan {
  std::uint32_t tasks = 0, nodes = 0;
  Counts capacity;
};

Result<Plan> plan_of(const SlurmRequest& request, std::vector<std::string>& notes) {
  if (request.nodes.empty())
    return fail(ErrorKind::usage, "no node is given", "mora map --mode slurm", "",
                "give --nodelist, --hostfile or --nodes");
  Plan plan;
  const auto available = static_cast<std::uint32_t>(request.nodes.size());
  if (request.node_count && *request.node_count > available) {
    return fail(ErrorKind::usage, fmt::format("{} nodes are asked for", *request.node_count), "--nodes",
                fmt::format("there are {}", available));
  }
  const std::uint32_t wanted = request.node_count.value_or(request.all_nodes ? available : 0);
  const std::uint64_t tasks =
      request.tasks.value_or(std::uint64_t{std::max(wanted, 1u)} * request.tasks_per_node.value_or(1));
  if (tasks > most_tasks) {
    return fail(ErrorKind::usage, fmt::format("{} tasks are too many", tasks), "mora map --mode slurm",
                fmt::format("up to {} can be placed", most_tasks));
  }
  plan.tasks = static_cast<std::uint32_t>(tasks);
  const auto capacity_of = [&](const SlurmNode& node) {
    const std::uint32_t capacity = request.overcommit ? UINT32_MAX : node.cpus / request.cpus_per_task;
    return std::min(capacity, request.tasks_per_node.value_or(UINT32_MAX));
  };
  if (wanted > 0) {
    plan.nodes = std::min(wanted, plan.tasks);
    if (plan.nodes < wanted)
      notes.push_back(
          fmt::format("{} tasks need no more than {} nodes, {} were asked for", plan.tasks, plan.nodes, wanted));
  } else {
    for (std::uint64_t capacity = 0; plan.nodes < available && capacity < plan.tasks; ++plan.nodes)
      capacity += capacity_of(request.nodes[plan.nodes]);
  }
  for (std::uint32_t n = 0; n < plan.nodes; ++n) plan.capacity.push_back(capacity_of(request.nodes[n]));
  const std::uint64_t capacity = sum(plan.capacity);
  if (capacity < plan.tasks) {
    return fail(ErrorKind::usage, "the tasks do not fit", "mora map --mode slurm",
                fmt::format("{} tasks with {} CPU{} each{}, {} node{} with room for {}", plan.tasks,
                            request.cpus_per_task, request.cpus_per_task == 1 ? "" : "s",
                            request.tasks_per_node ? fmt::format(", at most {} a node", *request.tasks_per_node) : "",
                            plan.nodes, plan.nodes == 1 ? "" : "s", capacity),
                request.overcommit ? "" : "more nodes, or --overcommit");
  }
  const auto empty = std::find(plan.capacity.begin(), plan.capacity.end(), 0u);
  if (empty != plan.capacity.end()) {
    return fail(ErrorKind::usage,
                fmt::format("{} has no room for a task",
                            request.nodes[static_cast<std::size_t>(empty - plan.capacity.begin())].name),
                "mora map --mode slurm", fmt::format("a task needs {} CPUs", request.cpus_per_task));
  }
  return plan;
}

Result<std::vector<std::uint32_t>> listed(const SlurmRequest& request) {
  if (request.arbitrary.empty()) {
    return fail(ErrorKind::usage, "arbitrary needs the list of nodes", "--distribution", "",
                "set SLURM_HOSTFILE, or give the list with --hostfile");
  }
  const std::uint32_t tasks = request.tasks.value_or(static_cast<std::uint32_t>(request.arbitrary.size()));
  if (tasks > request.arbitrary.size()) {
    return fail(ErrorKind::usage, fmt::format("{} tasks, {} nodes in the list", tasks, request.arbitrary.size()),
                "--distribution arbitrary", "the list names the node of each task");
  }
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (std::uint32_t n = 0; n < request.nodes.size(); ++n) numbers.emplace(request.nodes[n].name, n);
  std::vector<std::uint32_t> node_of;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    const auto found = numbers.find(request.arbitrary[task]);
    if (found == numbers.end())
      return fail(ErrorKind::usage, fmt::format("no such node: {}", request.arbitrary[task]),
                  "--distribution arbitrary");
    node_of.push_back(found->second);
  }
  return node_of;
}

void place_tasks(const SlurmRequest& request, const Counts& allocated, SlurmPlacement& result) {
  Placement& placement = result.placement;
  Counts counts(placement.nodes.size(), 0);
  for (const std::uint32_t node : placement.node_of) {
    placement.slot.push_back(std::to_string(counts[node]));
    ++counts[node];
  }
  if (!request.inside) return;
  std::vector<std::vector<std::vector<std::uint32_t>>> cores;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    cores.push_back(task_cores(*request.inside, counts[n], request.cpus_per_task, allocated[n], result.distribution));
  }
  std::fill(counts.begin(), counts.end(), 0);
  for (const std::uint32_t node : placement.node_of) {
    auto& task = cores[node][counts[node]++];
    placement.core.push_back(task.empty() ? "" : std::to_string(task.front()));
    result.cores.push_back(std::move(task));
  }
}

}  // namespace

Result<SlurmPlacement> place_slurm(const SlurmRequest& request) {
  SlurmPlacement result;
  result.distribution = request.distribution.value_or(Distribution{});
  const Distribution& how = result.distribution;
  Counts allocated;
  if (how.nodes == AcrossNodes::arbitrary) {
    MORA_TRY(result.placement.node_of, listed(request));
    for (const SlurmNode& node : request.nodes) {
      result.placement.nodes.push_back(node.name);
      result.slots.push_back(std::max(node.cpus / request.cpus_per_task, 1u));
      allocated.push_back(node.cpus);
    }
  } else {
    MORA_TRY(const Plan plan, plan_of(request, result.notes));
    const bool whole = takes_whole_nodes(request);
    const Counts capacity = whole ? plan.capacity : filled(plan.capacity, plan.tasks, 1);
    const Counts counts = how.pack ? filled(capacity, plan.tasks, 0) : evenly(capacity, plan.tasks);
    const std::uint32_t step = how.nodes == AcrossNodes::block    ? UINT32_MAX
                               : how.nodes == AcrossNodes::cyclic ? 1
                                                                  : how.plane_size;
    result.placement.node_of = in_turn(counts, step);
    for (std::uint32_t n = 0; n < plan.nodes; ++n) {
      const SlurmNode& node = request.nodes[n];
      result.placement.nodes.push_back(node.name);
      result.slots.push_back(request.overcommit ? counts[n] : plan.capacity[n]);
      allocated.push_back(whole ? node.cpus : counts[n] * request.cpus_per_task);
    }
  }
  place_tasks(request, allocated, result);
  return result;
}

std::vector<std::vector<std::uint32_t>> cores_on_node(const SlurmRequest& request, std::uint32_t cpus,
                                                      std::uint32_t tasks) {
  if (!request.inside) return {};
  const std::uint32_t allocated = takes_whole_nodes(request) ? cpus : tasks * request.cpus_per_task;
  return task_cores(*request.inside, tasks, request.cpus_per_task, allocated,
                    request.distribution.value_or(Distribution{}));
}

std::string rankfile_slot(const SlurmRequest& request, const std::vector<std::uint32_t>& cores,
                          std::uint32_t position) {
  std::vector<std::uint32_t> numbers = cores;
  if (cores.empty()) {
    numbers.resize(request.cpus_per_task);
    std::iota(numbers.begin(), numbers.end(), position * request.cpus_per_task);
  }
  std::sort(numbers.begin(), numbers.end());
  return ranges_text(numbers);
}

}  // namespace mora::predict::slurm
