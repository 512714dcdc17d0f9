/// Placements that are listed rank by rank: sequential hostfiles, rankfiles, and --cpu-list, which binds every rank to
/// the same cpus.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "predict/placement/openmpi/mapping/cpu_list.h"
#include "predict/placement/openmpi/mapping/mapping.h"
#include "predict/placement/openmpi/words/host_tokens.h"
#include "predict/placement/openmpi/words/refusal.h"
#include "predict/placement/openmpi/words/spelling.h"

namespace mora::predict::openmpi {

namespace {

struct RankLine {
  std::string node, cpus;
  HostToken rank_token, node_token, cpus_token;  ///< for messages
};

std::string place_of(const std::string& file, const HostToken& token) {
  return fmt::format("{}:{}:{}", file, token.line, token.column);
}

class RankfileReader {
 public:
  RankfileReader(std::string_view text, std::string file)
      : tokens_(host_tokens(text, HostText::rankfile)), file_(std::move(file)) {}

  Result<std::map<std::int64_t, RankLine>> read() {
    std::optional<std::int64_t> rank;
    bool node_told = false;
    for (; now().kind != Kind::end; ++at_) {
      const HostToken& token = now();
      if (token.kind == Kind::newline) {
        rank.reset();
        node_told = false;
      } else if (token.kind == Kind::word && token.text == "rank") {
        ++at_;
        if (now().kind != Kind::number) return bad_token(file_, now(), "expected the number of a rank");
        rank = leading_number(now().text);
        lines_[*rank] = {{}, {}, token, token, token};
      } else if (token.kind == Kind::equals) {
        if (!rank) return bad_token(file_, token, "expected rank N=NODE slot=CPUS");
        ++at_;
        if (now().kind == Kind::end) break;
        const bool name = now().kind == Kind::word || now().kind == Kind::number || now().kind == Kind::relative;
        if (!name) continue;
        const std::vector<std::string> parts = split(now().text, '@');
        if (parts.empty() || parts.size() > 2) return bad_token(file_, now(), "expected the name of a node");
        lines_[*rank].node = short_name(parts.back());
        lines_[*rank].node_token = now();
        node_told = true;
      } else if (token.kind == Kind::word && (token.text == "slot" || token.text == "slots")) {
        if (!rank || !node_told) return bad_token(file_, token, "expected rank N=NODE before slot=CPUS");
        ++at_;
        if (now().kind != Kind::equals) return bad_token(file_, now(), "expected '='");
        ++at_;
        if (now().kind != Kind::word && now().kind != Kind::number)
          return bad_token(file_, now(), "expected cpus: 2, 0-3, 1:0-2, 0:*");
        if (*rank == 0 && any_cpus_) {
          return refuse("rank given twice",
                        "rank 0 stands behind another rank, and mpirun takes that for a second rank 0", "rank 0 first",
                        place_of(file_, token));
        }
        any_cpus_ = true;
        lines_[*rank].cpus_token = now();
        std::string& cpus = lines_[*rank].cpus;  // given again on the line: overwrites the beginning, as in mpirun
        cpus = cpus.size() > now().text.size() ? now().text + cpus.substr(now().text.size()) : now().text;
      } else if (token.kind == Kind::error || token.kind == Kind::quoted ||
                 (token.kind == Kind::word && token.text.starts_with("user"))) {
        return bad_token(file_, token, "expected rank N=NODE slot=CPUS");
      }
    }
    return std::move(lines_);
  }

 private:
  using Kind = HostToken::Kind;
  const HostToken& now() const { return tokens_[at_]; }

  std::vector<HostToken> tokens_;
  std::string file_;
  std::size_t at_ = 0;
  bool any_cpus_ = false;
  std::map<std::int64_t, RankLine> lines_;
};

Process bound_process(std::int64_t rank, std::optional<HwthreadSet> cpus) {
  Process process;
  process.rank = rank;
  process.has_locale = !cpus.has_value();
  process.bound = std::move(cpus);
  return process;
}

/// The nodes of a job by name; of equal names the first.
class NodeNumbers {
 public:
  explicit NodeNumbers(const Job& job) {
    for (std::uint32_t n = 0; n < job.nodes.size(); ++n) numbers_.emplace(job.nodes[n].host.name, n);
  }
  std::optional<std::uint32_t> operator()(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// A list of hardware threads, without packages and cores; any other text binds nothing.
HwthreadSet plain_threads(const Job& job, const std::string& list) {
  HwthreadSet threads;
  if (list.find_first_not_of("0123456789,-") != std::string::npos) return threads;
  each_listed(list, job.count(Level::hwthread),
              [&](unsigned long thread) { threads.add(static_cast<std::uint32_t>(thread)); });
  return threads;
}

}  // namespace

Result<void> map_sequence(Job& job, const Allocation& allocation, const std::vector<SequenceEntry>& all) {
  std::vector<const SequenceEntry*> entries;
  for (const SequenceEntry& entry : all) {
    if (!job.policies.mapping.no_local || entry.name != allocation.pool.front().name) entries.push_back(&entry);
  }
  if (entries.empty()) return refuse("no hosts", "no node is named");
  if (job.ranks == 0) job.ranks = entries.size();
  if (entries.size() < job.ranks) {
    return refuse("too few entries",
                  fmt::format("a sequential map of {} ranks has {} entries", job.ranks, entries.size()));
  }
  const NodeNumbers node_named(job);
  const BindingPolicy& asked = job.policies.binding;
  const bool binds_threads = asked.to == BindingPolicy::To::object && asked.level == Level::hwthread;
  const bool threads_as_written = job.policies.hwthread_cpus && (!asked.given || binds_threads);
  for (std::uint64_t rank = 0; rank < job.ranks; ++rank) {
    const SequenceEntry& entry = *entries[rank];
    // unlike elsewhere, the machine that mpirun runs on is known by its own name only
    const auto node = node_named(entry.name);
    if (!node || (!entry.where.empty() && is_here(entry.name, {})))
      return refuse("no hosts", fmt::format("there is no node {}", entry.name), {}, entry.where);
    job.take_up(*node);
    std::optional<HwthreadSet> cpus;
    if (!entry.cpus.empty()) {
      if (threads_as_written) {
        cpus = plain_threads(job, entry.cpus);
      } else {
        MORA_TRY(cpus, cpus_of_list(job, entry.cpus, false, entry.where));
      }
      job.policies.binding.to = BindingPolicy::To::cpu_list;
      job.policies.mapping.way = Way::rankfile;
    }
    job.nodes[*node].processes.push_back(bound_process(static_cast<std::int64_t>(rank), std::move(cpus)));
    MORA_CHECK_OK(admit(job, job.nodes[*node], true));
  }
  return {};
}

Result<void> map_rankfile(Job& job, const Command& command, const std::string& text, std::string_view head_node) {
  std::map<std::int64_t, RankLine> lines;
  const std::string file = command.rankfile.value_or("");
  const NodeNumbers node_named(job);
  if (command.rankfile) {
    MORA_TRY(lines, RankfileReader(text, file).read());
    if (job.ranks == 0) job.ranks = lines.size();
  }
  for (std::uint64_t rank = 0; rank < job.ranks; ++rank) {
    const auto line = lines.find(static_cast<std::int64_t>(rank));
    std::string list;
    std::string where;
    std::optional<std::uint32_t> node;
    if (line == lines.end()) {
      if (!command.cpu_list)
        return refuse("missing rank", fmt::format("the rankfile has no line for rank {}", rank), {}, file);
      list = *command.cpu_list;
      for (std::uint32_t n = 0; n < job.nodes.size() && !node; ++n) {
        if (job.nodes[n].free_slots() > 0) node = n;
      }
      if (!node) return too_few_slots(job.ranks, 0);
    } else {
      list = line->second.cpus;
      where = place_of(file, line->second.cpus_token);
      const std::string& name = line->second.node;
      if (list.empty())
        return refuse("missing cpus", fmt::format("rank {} has no slot=CPUS", rank), {},
                      place_of(file, line->second.rank_token));
      node = node_named(is_here(name, head_node) ? std::string(head_node) : name);
      if (!node && lower(name).starts_with("+n")) {
        const std::uint64_t index = std::strtoul(name.c_str() + 2, nullptr, 10);
        if (index < job.nodes.size()) node = static_cast<std::uint32_t>(index);
      }
      if (!node)
        return refuse("no hosts", fmt::format("there is no node {}", name), {},
                      place_of(file, line->second.node_token));
    }
    job.take_up(*node);
    if (!job.policies.binding.given) job.policies.binding.to = BindingPolicy::To::cpu_list;
    std::optional<HwthreadSet> cpus = HwthreadSet();
    if (job.topology != nullptr) {
      MORA_TRY(cpus, cpus_of_list(job, list, command.rankfile_physical, where));
    }
    job.nodes[*node].processes.push_back(bound_process(static_cast<std::int64_t>(rank), std::move(cpus)));
    MORA_CHECK_OK(admit(job, job.nodes[*node], true));
  }
  return {};
}

}  // namespace mora::predict::openmpi
