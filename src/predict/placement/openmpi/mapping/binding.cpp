/// A process that was mapped to an object of the kind that is bound to keeps it, unless as many as the object has cpus
/// are bound to it already: then it goes to the next of the kind with a free cpu, to the right first, then to the left.
/// All others go down or up from where they were mapped: to the least used object of the kind that overlaps with it,
/// and on to its neighbours until there are as many cpus as a rank is to have. More ranks than cpus on an object are an
/// error if binding was asked for; if not, all ranks of the node stay unbound. Rule `bindings` (docs/rules.md).
/// Source: Open MPI 4.1, mpirun(1) and orte/mca/rmaps/base/rmaps_base_binding.c. Cost: ranks × objects of a node.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "predict/placement/openmpi/mapping/cpu_list.h"
#include "predict/placement/openmpi/mapping/mapping.h"
#include "predict/placement/openmpi/words/refusal.h"

namespace mora::predict::openmpi {

namespace {

class Binder {
 public:
  Binder(Job& job, Level level, bool in_place)
      : job_(&job), level_(level), in_place_(in_place), used_(job.count(level), 0) {}

  void forget() { std::fill(used_.begin(), used_.end(), 0U); }

  /// False: too many ranks and no binding was asked for.
  Result<bool> bind_node(JobNode& node) {
    for (Process& process : node.processes) {
      MORA_TRY(const bool bound, in_place_ ? keep(node, process) : search(node, process));
      if (!bound) return false;
    }
    return true;
  }

 private:
  std::uint32_t cpus(std::uint32_t object) const { return job_->cpus({level_, object}); }

  Result<bool> overload(const JobNode& node) const {
    if (!job_->policies.binding.given) return false;
    return refuse(
        "binding overload",
        fmt::format("node {} would have more ranks bound to a {} than it has cpus", node.host.name, name_of(level_)),
        "--bind-to OBJECT:overload-allowed");
  }

  Result<bool> keep(const JobNode& node, Process& process) {
    std::uint32_t object = process.locale.index;
    const auto has_free_cpu = [&](std::uint32_t o) { return used_[o] < cpus(o); };
    if (cpus(object) == 0)
      return refuse("no cpus", fmt::format("node {} has a {} without cpus", node.host.name, name_of(level_)));
    if (!has_free_cpu(object)) {
      const auto objects = static_cast<std::uint32_t>(used_.size());
      std::uint32_t other = object + 1;
      while (other < objects && !has_free_cpu(other)) ++other;
      if (other == objects) {
        for (other = object; other > 0 && !has_free_cpu(other - 1);) --other;
        other = other > 0 ? other - 1 : objects;
      }
      if (other < objects) {
        object = other;
      } else if (!job_->policies.binding.overload) {
        return overload(node);
      }
    }
    ++used_[object];
    process.bound = job_->threads({level_, object});
    return true;
  }

  Result<bool> search(const JobNode& node, Process& process) {
    const auto objects = static_cast<std::uint32_t>(used_.size());
    std::uint32_t best = objects;
    for (std::uint32_t object = 0; object < objects; ++object) {
      if (!job_->threads(process.locale).meets(job_->threads({level_, object}))) continue;
      if (best == objects || used_[object] < used_[best]) best = object;
    }
    HwthreadSet bound;
    std::int64_t total = 0;
    do {
      if (best >= objects) return refuse("no cpus", fmt::format("node {} has too few cpus to bind to", node.host.name));
      ++used_[best];
      if (cpus(best) < used_[best] && !job_->policies.binding.overload) return overload(node);
      bound.add(job_->threads({level_, best}));
      total += cpus(best);
      ++best;
    } while (total < job_->policies.cpus_per_rank);
    process.bound = std::move(bound);
    return true;
  }

  Job* job_;
  Level level_;
  bool in_place_;
  std::vector<std::uint32_t> used_;
};

void unbind(JobNode& node) {
  for (Process& process : node.processes) process.bound.reset();
}

/// --cpu-list with --bind-to cpu-list: every rank to all of them, or one after the other.
Result<void> bind_to_list(Job& job) {
  const HwthreadSet available =
      job.policies.cpu_list ? available_cpus(job, *job.policies.cpu_list) : job.topology->whole();
  const std::vector<std::uint32_t> threads = available.members();
  for (const std::uint32_t n : job.map) {
    JobNode& node = job.nodes[n];
    std::vector<std::uint32_t> by_rank(node.processes.size());
    for (std::uint32_t p = 0; p < by_rank.size(); ++p) by_rank[p] = p;
    std::sort(by_rank.begin(), by_rank.end(),
              [&](std::uint32_t a, std::uint32_t b) { return node.processes[a].rank < node.processes[b].rank; });
    for (std::size_t local = 0; local < by_rank.size(); ++local) {
      Process& process = node.processes[by_rank[local]];
      if (!job.policies.binding.ordered) {
        process.bound = available;
      } else if (local < threads.size()) {
        process.bound = HwthreadSet();
        process.bound->add(threads[local]);
      } else {
        return refuse("no cpus", fmt::format("the list of cpus has {}, node {} has {} ranks", threads.size(),
                                             node.host.name, by_rank.size()));
      }
    }
  }
  return {};
}

}  // namespace

Result<void> bind(Job& job, bool one_process) {
  BindingPolicy& policy = job.policies.binding;
  const MappingPolicy& mapping = job.policies.mapping;
  if (mapping.way == Way::rankfile || job.topology == nullptr) return {};
  if (policy.to == BindingPolicy::To::cpu_list) return bind_to_list(job);
  if (policy.to != BindingPolicy::To::object) return {};
  bool in_place = mapping.way == Way::object && mapping.level == policy.level;
  if (mapping.way == Way::distance) {
    if (policy.level == Level::node) return {};
    in_place = policy.level == Level::numa;
  }
  if (job.count(policy.level) == 0) {
    // processes are bound where they were mapped: without cores they are on whole nodes, mapped by slot
    if (!policy.given && job.count(Level::core) == 0) return {};
    return refuse("no objects", fmt::format("the nodes have no {} to bind to", name_of(policy.level)));
  }
  if (!policy.given && job.count(Level::core) == 0) return {};
  Binder binder(job, policy.level, in_place);
  for (const std::uint32_t n : job.map) {
    if (!one_process || policy.level != Level::numa) binder.forget();
    JobNode& node = job.nodes[n];
    // as in mpirun: of a sequential map only the ranks on mpirun's own node are bound
    if (mapping.way == Way::sequence && !node.host.here) continue;
    MORA_TRY(const bool bound, binder.bind_node(node));
    if (bound) continue;
    unbind(node);
    if (!one_process) continue;
    // as in mpirun, one process that cannot be bound unbinds the whole job; binding to the mapped object then ends, the
    // other way goes on with the next node, as if no binding had been asked for
    for (const std::uint32_t other : job.map) unbind(job.nodes[other]);
    policy.to = BindingPolicy::To::none;
    if (in_place) return {};
    policy.given = true;
  }
  return {};
}

}  // namespace mora::predict::openmpi
