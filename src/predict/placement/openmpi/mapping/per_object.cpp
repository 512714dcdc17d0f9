/// `ppr:N:OBJECT`: N processes at each object of a kind, node after node. mpirun's syntax does not allow a pattern of
/// several kinds. Source: Open MPI 4.1, mpirun(1) and orte/mca/rmaps/ppr. Cost: linear in ranks and objects.
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "predict/placement/openmpi/mapping/mapping.h"
#include "predict/placement/openmpi/words/refusal.h"
#include "predict/placement/openmpi/words/spelling.h"

namespace mora::predict::openmpi {

namespace {

struct Pattern {
  std::int64_t count = 0;
  Level level = Level::node;
};

Result<Pattern> read_pattern(const std::string& text) {
  Pattern pattern;
  bool any = false;
  for (const std::string& piece : split(text, ',')) {
    const std::vector<std::string> words = split(piece, ':');
    if (words.size() != 2)
      return refuse("wrong pattern", fmt::format("'{}' is not a number of ranks, ':' and an object", text));
    struct Object {
      std::string_view word;
      Level level;
    };
    constexpr Object objects[] = {{"node", Level::node},       {"hwthread", Level::hwthread},
                                  {"thread", Level::hwthread}, {"core", Level::core},
                                  {"socket", Level::package},  {"skt", Level::package},
                                  {"l1cache", Level::l1cache}, {"l2cache", Level::l2cache},
                                  {"l3cache", Level::l3cache}, {"numa", Level::numa}};
    bool known = false;
    for (const Object& object : objects) {
      if (!begins(words[1], object.word)) continue;
      pattern = {leading_number(words[0]), object.level};
      known = true;
      break;
    }
    if (!known) {
      return refuse("wrong pattern", fmt::format("ranks per '{}' are not known", words[1]),
                    "known are node, numa, socket, l3cache, l2cache, l1cache, core, hwthread");
    }
    if (any) return refuse("wrong pattern", fmt::format("'{}' has several kinds of objects", text));
    any = true;
  }
  if (!any) return refuse("wrong pattern", "the pattern of ranks per object is empty");
  return pattern;
}

}  // namespace

Result<void> map_per_object(Job& job) {
  MORA_TRY(const Pattern pattern, read_pattern(job.policies.mapping.ppr));
  if (pattern.level != Level::node && job.topology == nullptr) {
    return refuse("no topology", fmt::format("mapping by {} needs the topology of the nodes", name_of(pattern.level)),
                  "give the topology");
  }
  job.policies.mapping.way = Way::object;
  job.policies.mapping.level = pattern.level;
  const std::uint64_t most = job.ranks > 0 ? job.ranks : most_ranks + 1;
  const std::uint32_t objects = job.count(pattern.level);
  if (job.ranks == 0 && pattern.count > 0) {
    const std::uint64_t per_count = std::uint64_t{objects} * job.nodes.size();
    std::uint64_t planned = 0;
    if (__builtin_mul_overflow(per_count, static_cast<std::uint64_t>(pattern.count), &planned) || planned > most_ranks)
      return too_many_ranks(planned);
  }
  std::uint64_t placed = 0;
  for (std::uint32_t n = 0; n < job.nodes.size() && placed < most; ++n) {
    JobNode& node = job.nodes[n];
    job.take_up(n);
    for (std::uint32_t object = 0; object < objects; ++object) {
      for (std::int64_t k = 0; k < pattern.count && placed < most; ++k, ++placed) {
        Process process;
        process.locale = {pattern.level, object};
        node.processes.push_back(std::move(process));
      }
    }
    MORA_CHECK_OK(admit(job, node, true));
  }
  if (placed > most_ranks) return too_many_ranks(placed);
  if (job.ranks > 0 && placed < job.ranks) {
    return refuse("too many ranks for the pattern", fmt::format("{} ranks are more than '{}' gives on these nodes ({})",
                                                                job.ranks, job.policies.mapping.ppr, placed));
  }
  job.ranks = placed;
  return {};
}

bool counts_objects(const MappingPolicy& mapping) {
  return mapping.way == Way::per_object &&
         (mapping.ppr.find("node") != std::string::npos || mapping.ppr.find("socket") != std::string::npos);
}

Result<std::uint64_t> ranks_of_slots(const Job& job, const Allocation& allocation) {
  const std::string& pattern = job.policies.mapping.ppr;
  if (counts_objects(job.policies.mapping)) {
    const auto each = static_cast<std::uint64_t>(std::max<std::int64_t>(leading_number(pattern), 0));
    const bool per_node = pattern.find("node") != std::string::npos;
    if (!per_node && job.topology == nullptr)
      return refuse("no topology", "mapping by package needs the topology of the nodes", "give the topology");
    return each * allocation.counted.size() * (per_node ? 1 : job.count(Level::package));
  }
  std::int64_t slots = 0;
  for (const std::uint32_t node : allocation.counted) slots += allocation.pool[node].slots;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(slots, 0));
}

}  // namespace mora::predict::openmpi
