/// A report that opens with a cause of 3 % where 48 % are lost says nothing of the other 45. Then it says first how
/// much is lost, how many causes there are, in which part of the program most of them are (the innermost part of the
/// call tree that holds three quarters of what the listed causes cost), and whether one rank is behind half of it. The
/// thresholds choose words only. Cost: linear in the causes and their depth.
#include "report/losses/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cube/labels.h"
#include "report/data/figures.h"
#include "report/losses/losses.h"

namespace mora::report {
namespace {

constexpr Nanoseconds stands_out = 5;    ///< a cause that has this part of what is lost: a fifth
constexpr Nanoseconds little_part = 20;  ///< of the focus: not worth these sentences

Nanoseconds sum_of(const std::vector<const LossCause*>& causes) {
  Nanoseconds sum = 0;
  for (const LossCause* cause : causes) sum += cause->amount;
  return sum;
}

/// The innermost common part of the call tree of causes that cost three quarters of the listed ones; none: the program.
std::vector<std::string> common_part(const Losses& losses, Nanoseconds listed, Nanoseconds& amount) {
  std::vector<const LossCause*> inside;
  for (const LossCause& cause : losses.causes) inside.push_back(&cause);
  amount = listed;
  for (std::size_t depth = 0;; ++depth) {
    std::map<std::string, std::vector<const LossCause*>> parts;
    for (const LossCause* cause : inside)
      if (cause->call_path.size() > depth + 1)  // its last is a place
        parts[cube::without_instance(cause->call_path[depth])].push_back(cause);
    const std::vector<const LossCause*>* most = nullptr;
    for (const auto& [label, causes] : parts)
      if (4 * sum_of(causes) >= 3 * listed) most = &causes;
    if (most == nullptr) {
      if (depth == 0) return {};
      std::vector<std::string> path = inside.front()->call_path;
      for (std::string& label : path) label = cube::without_instance(label);
      return {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth)};
    }
    amount = sum_of(*most);
    inside = std::vector<const LossCause*>(*most);
  }
}

}  // namespace

std::string spread_words(const ReportData& data) {
  const Losses& losses = data.losses;
  if (losses.causes.size() < 2 || losses.lost < losses.focus / little_part) return "";
  if (std::any_of(losses.causes.begin(), losses.causes.end(),
                  [&](const LossCause& cause) { return cause.amount * stands_out >= losses.lost; }))
    return "";
  const auto part = [&](Nanoseconds amount) { return share(amount, losses.focus); };
  std::string text =
      fmt::format("{} of all ranks' time{} is lost, and it is spread: {} causes cost 1 % or more each, {} in all",
                  part(losses.lost), losses.outside == 0 ? "" : " " + focus_words(data), losses.causes.size(),
                  part(losses.lost - losses.smaller));
  text += losses.smaller > 0 ? fmt::format(", smaller ones {} together. ", part(losses.smaller)) : ". ";
  Nanoseconds inside = 0, by_others = 0;
  const std::vector<std::string> common = common_part(losses, losses.lost - losses.smaller, inside);
  if (common.size() > 2 || (common.size() == 2 && inside < losses.lost - losses.smaller))
    text += fmt::format("Of them, {} are in {}. ", part(inside), cube::in_brackets(common.back()));
  std::map<std::uint32_t, Nanoseconds> by_rank;
  for (const LossCause& cause : losses.causes) {
    by_others += cause.waiting;
    if (!cause.ranks.empty()) by_rank[cause.ranks.front()] += cause.share_of_first;
  }
  const auto most = std::max_element(by_rank.begin(), by_rank.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != by_rank.end() && 2 * most->second >= losses.lost - losses.smaller)
    text += fmt::format("Rank {} is behind {}. ", most->first, part(most->second));
  else
    text += "No rank is behind half of it. ";
  if (by_others > 0) text += fmt::format("{} of all ranks' time is waiting that they cause. ", part(by_others));
  return text + "The first to look at: ";
}

}  // namespace mora::report
