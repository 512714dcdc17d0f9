#include "experiment/processors/processors.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/text/rank_words.h"

namespace mora::experiment {
namespace {

constexpr std::uint32_t thousandths = 1000;
constexpr std::size_t most_sentences = 4;
constexpr std::uint64_t least_stop = 10'000'000;  ///< ns worth a word

/// Processes of one host that may use common processors.
struct Group {
  std::vector<std::uint32_t> ranks, processors;
  std::size_t threads = 0;         ///< that compute at once
  std::uint32_t limit = 0;         ///< the smallest, in thousandths; 0 = none
  std::uint64_t throttled_ns = 0;  ///< the most
};

std::vector<std::uint32_t> united(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

bool have_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  return united(a, b).size() < a.size() + b.size();
}

void join(Group& group, const Group& other) {
  group.ranks = united(group.ranks, other.ranks);
  group.processors = united(group.processors, other.processors);
  group.threads += other.threads;
  if (other.limit != 0) group.limit = group.limit == 0 ? other.limit : std::min(group.limit, other.limit);
  group.throttled_ns = std::max(group.throttled_ns, other.throttled_ns);
}

/// In order of the lowest rank.
std::vector<Group> groups_of(const std::vector<RankFacts>& all, const std::vector<std::uint32_t>& ranks) {
  std::map<std::vector<std::uint32_t>, Group> bindings;  // most processes have one of a few
  for (const std::uint32_t rank : ranks) {
    const RankFacts& facts = all[rank];
    join(bindings[facts.processors], {{rank},
                                      facts.processors,
                                      std::max<std::size_t>(facts.team_threads, 1),
                                      facts.processor_limit,
                                      facts.usage ? facts.usage->throttled_ns : 0});
  }
  std::vector<Group> groups;
  for (auto& [processors, binding] : bindings) {
    Group joined = std::move(binding);
    std::erase_if(groups, [&](const Group& group) {
      const bool is_one = have_common(group.processors, joined.processors);
      if (is_one) join(joined, group);
      return is_one;
    });
    groups.push_back(std::move(joined));
  }
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.ranks < b.ranks; });
  return groups;
}

std::string sharing(const Group& group, const std::string& host, bool is_whole_host) {
  const std::string who = fmt::format("{} processes{}", group.ranks.size(),
                                      is_whole_host ? "" : fmt::format(" ({})", ranks_in_words(group.ranks)));
  if (group.limit != 0 && group.limit < group.processors.size() * thousandths) {
    const bool was_stopped = group.throttled_ns >= least_stop;
    if (group.ranks.size() * thousandths <= group.limit && !was_stopped) return "";
    return fmt::format(
        "{} of {} may use {:g} of {} processors at a time, a limit of their control group{}", who, host,
        static_cast<double>(group.limit) / thousandths, group.processors.size(),
        was_stopped ? fmt::format(", which stopped it for {:.2g} s", static_cast<double>(group.throttled_ns) * 1e-9)
                    : "");
  }
  const std::string of_host =
      fmt::format("{} of {}",
                  group.processors.size() == 1 ? numbers_in_words("processor", group.processors)
                                               : fmt::format("{} processors", group.processors.size()),
                  host);
  if (group.ranks.size() > group.processors.size()) return fmt::format("{} share {}", who, of_host);
  if (group.threads <= group.processors.size()) return "";
  return fmt::format("{} threads of {} share {}, the only {} that they may use", group.threads,
                     group.ranks.size() == 1 ? ranks_in_words(group.ranks) : who, of_host,
                     group.processors.size() == 1 ? "one" : "ones");
}

std::string differing(const std::vector<RankFacts>& all, const std::vector<std::uint32_t>& ranks,
                      const std::string& host) {
  std::map<std::size_t, std::vector<std::uint32_t>, std::greater<>> by_number;
  for (const std::uint32_t rank : ranks) by_number[all[rank].processors.size()].push_back(rank);
  if (by_number.size() < 2) return "";
  std::string text = fmt::format("the processes of {} are bound to different numbers of processors:", host);
  for (const auto& [number, of] : by_number)
    text += fmt::format("{} {} to {}{}", text.back() == ':' ? "" : ",", ranks_in_words(of), number,
                        of.size() == 1 ? "" : " each");
  return text;
}

/// Of what may have been corrected downwards meanwhile.
std::uint64_t since(std::uint64_t now, std::uint64_t before) { return now - std::min(now, before); }

}  // namespace

bool ProcessorUse::take(const journal::Record& r) {
  const auto& p = r.payload;
  if (r.shape == MORA_SHAPE_PROCESSORS) {
    constexpr std::uint32_t bits = 64;
    limit_ = static_cast<std::uint32_t>(journal::pair_high(p[0]));
    std::vector<std::uint32_t> of_thread;
    for (std::uint32_t i = 0; i < (p.size() - 1) * bits; ++i)
      if ((p[1 + i / bits] >> i % bits & 1) != 0) of_thread.push_back(i);
    processors_ = united(processors_, of_thread);
    return true;
  }
  if (r.shape != MORA_SHAPE_USAGE) return false;
  last_ = ProcessUsage{p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], static_cast<std::uint32_t>(p[8]), {}};
  if (p.size() > 12) last_->io = ProcessIo{p[9], p[10], p[11], p[12]};
  if (!first_) first_ = last_;
  return true;
}

void ProcessorUse::tell(RankFacts& facts) const {
  facts.processors = processors_;
  facts.processor_limit = limit_;
  if (!last_ || last_->user_ns < first_->user_ns) return;
  facts.usage = ProcessUsage{last_->user_ns - first_->user_ns,
                             last_->system_ns - first_->system_ns,
                             last_->page_faults - first_->page_faults,
                             last_->input_page_faults - first_->input_page_faults,
                             last_->voluntary_switches - first_->voluntary_switches,
                             last_->involuntary_switches - first_->involuntary_switches,
                             last_->resident_bytes,
                             since(last_->throttled_ns, first_->throttled_ns),
                             last_->core_khz,
                             {}};
  if (last_->io && first_->io)
    facts.usage->io =
        ProcessIo{last_->io->read - first_->io->read, since(last_->io->written, first_->io->written),
                  last_->io->from_storage - first_->io->from_storage, last_->io->to_storage - first_->io->to_storage};
}

namespace {

void cut(std::vector<std::string>& sentences) {
  if (sentences.size() <= most_sentences) return;
  const auto rest = sentences.size() - most_sentences;
  sentences.resize(most_sentences);
  sentences.push_back(fmt::format("{} more of this kind", rest));
}

}  // namespace

ProcessorSentences processor_sentences(const std::vector<RankFacts>& all) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::uint32_t>> by_host;
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].processors.empty()) continue;
    auto& ranks = by_host[all[rank].host];
    if (ranks.empty()) order.push_back(all[rank].host);
    ranks.push_back(rank);
  }
  ProcessorSentences found;
  const auto add = [](std::vector<std::string>& to, std::string text) {
    if (!text.empty()) to.push_back(std::move(text));
  };
  for (const std::string& host : order) {
    const auto& ranks = by_host[host];
    for (const Group& group : groups_of(all, ranks))
      add(found.sharing, sharing(group, host, group.ranks.size() == ranks.size()));
    add(found.binding, differing(all, ranks, host));
  }
  cut(found.sharing);
  cut(found.binding);
  return found;
}

}  // namespace mora::experiment
