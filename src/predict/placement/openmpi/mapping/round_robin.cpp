/// By slot: node after node, as many as it has slots. By node: evenly; what a node cannot take goes to the others. By
/// objects: node after node again, but the processes of a node go to its objects in turn; with `span` all objects of
/// all nodes are filled evenly instead, whatever the slots. Ranks beyond the slots are mapped in a further round where
/// that is allowed. `-npernode N` beside such a mapping changes how many a node takes at a visit. Source: Open MPI 4.1,
/// mpirun(1) and orte/mca/rmaps/round_robin. Cost: linear in ranks and objects.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "predict/placement/openmpi/mapping/mapping.h"
#include "predict/placement/openmpi/words/refusal.h"

namespace mora::predict::openmpi {

namespace {

/// What -pernode, -npernode and -npersocket make a node take, if they are given; nothing where a node has no packages.
std::optional<std::int64_t> asked_per_visit(const Job& job) {
  const Policies& policies = job.policies;
  if (policies.per_node) return 1;
  if (policies.n_per_node > 0) return policies.n_per_node;
  if (policies.n_per_socket > 0) return policies.n_per_socket * job.count(Level::package);
  return std::nullopt;
}

/// `count` more, spread over `nodes` nodes: the first get one more than the others.
class EvenShare {
 public:
  EvenShare(std::int64_t count, std::int64_t nodes)
      : share_(std::max<std::int64_t>(count, 0) / nodes), longer_(std::max<std::int64_t>(count, 0) % nodes) {}
  std::int64_t next() {
    if (longer_ == 0) return share_;
    --longer_;
    return share_ + 1;
  }

 private:
  std::int64_t share_, longer_;
};

/// Puts up to `count` processes onto the node as a whole.
void put(Job& job, JobNode& node, std::int64_t count, std::uint64_t& placed) {
  for (; count > 0 && placed < job.ranks; --count, ++placed) node.processes.push_back({});
}

Result<void> map_by_slot(Job& job) {
  std::uint64_t placed = 0;
  const std::optional<std::int64_t> asked = asked_per_visit(job);
  for (std::uint32_t n = 0; n < job.nodes.size(); ++n) {
    JobNode& node = job.nodes[n];
    const std::int64_t count = asked.value_or(node.free_slots());
    if (node.free_slots() <= 0 || count <= 0 || placed == job.ranks) continue;
    job.take_up(n);
    put(job, node, count, placed);
  }
  if (placed == job.ranks) return {};
  EvenShare share(static_cast<std::int64_t>(job.ranks - placed), static_cast<std::int64_t>(job.nodes.size()));
  for (std::uint32_t n = 0; n < job.nodes.size() && placed < job.ranks; ++n) {
    JobNode& node = job.nodes[n];
    job.take_up(n);
    const std::int64_t more = share.next();
    put(job, node, std::max<std::int64_t>(node.free_slots(), 0) + more, placed);
    MORA_CHECK_OK(admit(job, node, false));
  }
  return {};
}

Result<void> map_by_node(Job& job, std::int64_t slots) {
  std::uint64_t placed = 0;
  const std::optional<std::int64_t> asked = asked_per_visit(job);
  const bool oversubscribed = slots < static_cast<std::int64_t>(job.ranks);
  auto takers = static_cast<std::int64_t>(job.nodes.size());
  do {
    const auto rest = static_cast<std::int64_t>(job.ranks - placed);
    const std::int64_t average = std::max<std::int64_t>(rest / takers, 1);
    EvenShare more(rest - average * takers, takers);
    takers = 0;
    for (std::uint32_t n = 0; n < job.nodes.size() && placed < job.ranks; ++n) {
      JobNode& node = job.nodes[n];
      job.take_up(n);
      std::int64_t count = asked.value_or(0);
      if (!asked) {
        if (!oversubscribed && node.free_slots() <= 0) continue;
        count = average + more.next();
        if (!oversubscribed) count = std::min(count, node.free_slots());
      }
      ++takers;
      put(job, node, count, placed);
      MORA_CHECK_OK(admit(job, node, false));
    }
  } while (placed < job.ranks && takers > 0);
  while (placed < job.ranks) {
    for (JobNode& node : job.nodes) {
      put(job, node, 1, placed);
      if (node.free_slots() < 0) node.oversubscribed = job.oversubscribed = true;
    }
  }
  return {};
}

tl::unexpected<Error> too_low(const Job& job, std::int64_t cpus) {
  return refuse("mapping too low",
                fmt::format("{} cpus for a rank are more than the {} of an object that ranks are mapped to",
                            job.policies.cpus_per_rank, cpus));
}

Result<void> put_on_object(Job& job, JobNode& node, const Locale& locale, std::uint64_t& placed) {
  if (job.policies.cpus_per_rank > static_cast<std::int64_t>(job.cpus(locale))) return too_low(job, job.cpus(locale));
  Process process;
  process.locale = locale;
  node.processes.push_back(std::move(process));
  ++placed;
  return {};
}

Result<void> map_by_objects(Job& job, Level level) {
  const std::uint32_t objects = job.count(level);
  const std::optional<std::int64_t> asked = asked_per_visit(job);
  std::uint64_t placed = 0;
  for (bool again = false, took = true; took && placed < job.ranks; again = true) {
    took = false;
    for (std::uint32_t n = 0; n < job.nodes.size() && placed < job.ranks; ++n) {
      JobNode& node = job.nodes[n];
      std::int64_t count = asked.value_or(node.free_slots());
      std::uint32_t first = 0;
      if (count < 1) {
        if (!again) continue;
        count = 1;
        first = static_cast<std::uint32_t>(node.processes.size()) % objects;
      }
      job.take_up(n);
      for (std::int64_t mapped = 0; mapped < count && placed < job.ranks; ++mapped) {
        const auto object = static_cast<std::uint32_t>(mapped % objects + first) % objects;
        MORA_CHECK_OK(put_on_object(job, node, {level, object}, placed));
      }
      took = true;
      MORA_CHECK_OK(admit(job, node, false));
    }
  }
  if (placed > 0) return {};
  job.policies.mapping.way = Way::slot;  // no object takes anything
  return map_by_slot(job);
}

Result<void> map_spanning(Job& job, Level level) {
  const std::uint32_t objects = job.count(level);
  const std::uint64_t all = static_cast<std::uint64_t>(objects) * job.nodes.size();
  const std::uint64_t average = std::max<std::uint64_t>(job.ranks / all, 1);
  std::uint64_t longer = job.ranks > average * all ? job.ranks - average * all : 0;
  const std::optional<std::int64_t> asked = asked_per_visit(job);
  std::uint64_t placed = 0;
  for (std::uint32_t n = 0; n < job.nodes.size() && placed < job.ranks; ++n) {
    JobNode& node = job.nodes[n];
    job.take_up(n);
    for (std::uint32_t object = 0; object < objects && placed < job.ranks; ++object) {
      auto count = asked ? static_cast<std::uint64_t>(*asked) : average;
      if (longer > 0) {
        ++count;
        --longer;
      }
      for (; count > 0 && placed < job.ranks; --count) MORA_CHECK_OK(put_on_object(job, node, {level, object}, placed));
    }
    if (node.free_slots() < 0) node.oversubscribed = job.oversubscribed = true;
  }
  if (placed < job.ranks) return refuse("failed map", "some ranks cannot be mapped: every object has its share");
  return {};
}

}  // namespace

tl::unexpected<Error> too_few_slots(std::uint64_t ranks, std::int64_t slots) {
  return refuse("not enough slots", fmt::format("there are not enough slots for {} ranks ({} free)", ranks, slots),
                "--oversubscribe lets nodes take more ranks than slots");
}

tl::unexpected<Error> too_many_ranks(std::uint64_t ranks) {
  return fail(ErrorKind::usage, fmt::format("{} ranks are too many", ranks), {},
              fmt::format("up to {} can be placed", most_ranks));
}

Result<void> admit(Job& job, JobNode& node, bool also_max_slots) {
  const bool above_most = also_max_slots && node.host.max_slots > 0 && node.host.max_slots < node.taken();
  if (node.free_slots() >= 0 && !above_most) return {};
  if (!job.policies.mapping.oversubscribe) {
    return refuse(
        above_most ? "max slots" : "not enough slots",
        fmt::format("node {} would have {} ranks and has {} slots", node.host.name, node.taken(), node.host.slots),
        "--oversubscribe lets nodes take more ranks than slots");
  }
  node.oversubscribed = job.oversubscribed = true;
  return {};
}

Result<void> map_round_robin(Job& job) {
  MappingPolicy& mapping = job.policies.mapping;
  if (mapping.way == Way::board) return refuse("unknown policy", "no mapper maps by board");
  const std::int64_t slots = job.slots();
  if (slots < static_cast<std::int64_t>(job.ranks) && !mapping.oversubscribe) return too_few_slots(job.ranks, slots);
  if (job.ranks == 0) job.ranks = static_cast<std::uint64_t>(std::max<std::int64_t>(slots, 1));
  if (job.ranks > most_ranks) return too_many_ranks(job.ranks);
  if (mapping.way == Way::object && mapping.level != Level::node && job.count(mapping.level) == 0)
    mapping.way = Way::slot;
  if (mapping.way == Way::slot) return map_by_slot(job);
  if (mapping.level == Level::node) return map_by_node(job, slots);
  if (mapping.span) return map_spanning(job, mapping.level);
  return map_by_objects(job, mapping.level);
}

Result<void> spread_over_objects(Job& job) {
  const MappingPolicy& mapping = job.policies.mapping;
  const bool whole_node = mapping.way == Way::slot || mapping.level == Level::node;
  const std::uint32_t objects = whole_node ? 1 : job.count(mapping.level);
  for (const std::uint32_t n : job.map) {
    std::uint32_t position = 0;
    for (Process& process : job.nodes[n].processes) {
      process.locale = whole_node ? Locale{} : Locale{mapping.level, position++ % objects};
      if (!whole_node && job.policies.cpus_per_rank > static_cast<std::int64_t>(job.cpus(process.locale)))
        return too_low(job, job.cpus(process.locale));
    }
  }
  return {};
}

}  // namespace mora::predict::openmpi
