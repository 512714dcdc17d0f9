// Idea: the parts that can be left out are few (seven at most that have an option of their own), so all sets of them
// are looked at; functions of the program are many and are taken one by one, those first whose visits cost most for
// what they tell.
//
// Messages of point-to-point calls and the calls that complete their requests are one part: with one of them alone,
// every message would have lost one of its events.
//
// Source: Score-P 8, Score-P Score (filters are made of functions with many visits and little time in each). Cost:
// O(2^parts + functions log functions). Limits: what a part is worth is the time in it, whatever the user looks for.
#include "report/estimate/proposal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mpi/groups.h"
#include "report/data/figures.h"
#include "report/estimate/parts.h"

namespace mora::report {
namespace {

using experiment::RecordedSize;

/// Groups that are left out together.
struct LeftOutTogether {
  std::vector<std::string> names;
  Nanoseconds time = 0;
};

using Kept = std::vector<bool>;  // by the second index of Estimate::by_location

const EstimatedPart* group_named(const Estimate& e, const std::string& name) {
  const auto found = std::find_if(e.groups.begin(), e.groups.end(), [&](const auto& g) { return g.name == name; });
  return found == e.groups.end() ? nullptr : &*found;
}

std::vector<LeftOutTogether> units_of(const Estimate& e) {
  std::vector<LeftOutTogether> units;
  std::vector<std::vector<std::string>> all{{"polls"}, {computation_samples}, {"point-to-point", "requests"}};
  for (const std::string& name : mpi::group_names())
    if (name != "polls" && name != "point-to-point" && name != "requests") all.push_back({name});
  for (auto& names : all) {
    LeftOutTogether unit{std::move(names)};
    bool is_there = false;
    for (const std::string& name : unit.names)
      if (const EstimatedPart* part = group_named(e, name); part != nullptr) {
        is_there = true;
        unit.time += part->time;
      }
    if (is_there) units.push_back(std::move(unit));
  }
  return units;
}

void leave_out(Kept& kept, const LeftOutTogether& unit) {
  for (const std::string& name : unit.names) {
    if (name == "polls")
      std::fill(kept.begin() + static_cast<std::ptrdiff_t>(part_names().size()), kept.end(), false);
    else if (name == computation_samples)
      kept[part_of(name)] = false;
    else
      kept[part_of(name)] = kept[polls_of(part_of(name))] = false;
  }
}

RecordedSize kept_of(const std::vector<RecordedSize>& sizes, const Kept& kept) {
  RecordedSize sum;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (kept[i]) sum += sizes[i];
  return sum;
}

void say_what_is_lost(Proposal& p, const Estimate& e, const std::vector<const LeftOutTogether*>& out,
                      Nanoseconds of_functions) {
  if (!p.functions.empty())
    p.lost.push_back(fmt::format(
        "begins and ends of {} of the program, which compute {} of all processes' time: it counts for the functions "
        "around them. Their records are in the journals all the same; the filter works when the archive is made",
        counted(p.functions.size(), "function"), share(of_functions, e.lifetime)));
  for (const LeftOutTogether* unit : out) {
    const std::string name = fmt::format("{}", fmt::join(unit->names, " and "));
    if (name == "polls") {
      p.lost.emplace_back(
          "the time in tests and probes that found nothing: it counts as computation. Messages stay complete");
    } else if (name == computation_samples) {
      p.lost.emplace_back("which functions compute between calls of MPI");
    } else {
      p.lost.push_back(
          fmt::format("calls of {}, {} of all processes' time: it counts as computation, and waiting in "
                      "them is not found",
                      name, share(unit->time, e.lifetime)));
      if (unit->names.size() > 1)
        p.lost.emplace_back(
            "all messages. To leave out one of the two groups alone would leave messages with one of their events, "
            "which nothing can match");
    }
  }
}

}  // namespace

Proposal propose(const Estimate& e, std::int64_t budget) {
  Proposal p;
  p.budget = budget;
  std::vector<RecordedSize> totals(2 * part_names().size());
  for (const auto& sizes : e.by_location)
    for (std::size_t i = 0; i < sizes.size(); ++i) totals[i] += sizes[i];
  Kept all(totals.size(), true);
  const auto fits = [&](const Kept& kept, const RecordedSize& filtered) {
    return kept_of(totals, kept).archive_bytes - filtered.archive_bytes + e.definition_bytes <= budget;
  };

  std::vector<const EstimatedPart*> functions;
  for (const EstimatedPart& function : e.functions) functions.push_back(&function);
  std::stable_sort(functions.begin(), functions.end(), [](const EstimatedPart* a, const EstimatedPart* b) {
    return a->time / a->visits < b->time / b->visits;
  });
  RecordedSize filtered;
  Nanoseconds of_functions = 0;
  for (const EstimatedPart* function : functions) {
    if (fits(all, filtered)) break;
    filtered.events += function->size.events;  // the journals keep them
    filtered.archive_bytes += function->size.archive_bytes;
    of_functions += function->time;
    p.functions.push_back(function->name);
  }

  const std::vector<LeftOutTogether> units = units_of(e);
  const std::size_t sets = std::size_t{1} << units.size();
  std::vector<const LeftOutTogether*> best;
  Kept best_kept = all;
  Nanoseconds least = 0;
  const auto look_at = [&](std::size_t set, bool anyway) {
    Kept kept = all;
    std::vector<const LeftOutTogether*> out;
    Nanoseconds time = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      leave_out(kept, units[i]);
      out.push_back(&units[i]);
      time += units[i].time;
    }
    const bool is_better = !p.fits || time < least || (time == least && out.size() < best.size());
    if (!anyway && (!is_better || !fits(kept, filtered))) return;
    p.fits = !anyway;
    best = std::move(out);
    best_kept = std::move(kept);
    least = time;
  };
  if (fits(all, filtered)) {
    p.fits = true;
  } else {
    for (std::size_t set = 1; set < sets; ++set) look_at(set, false);
    if (!p.fits) look_at(sets - 1, true);
  }
  p.lost_time = least;
  for (const LeftOutTogether* unit : best)
    for (const std::string& name : unit->names)
      if (name == computation_samples)
        p.without_samples = true;
      else
        p.groups.push_back(name);
  const auto names = mpi::group_names();
  std::sort(p.groups.begin(), p.groups.end(), [&](const std::string& a, const std::string& b) {
    return std::find(names.begin(), names.end(), a) < std::find(names.begin(), names.end(), b);
  });
  p.size = kept_of(totals, best_kept);
  p.size -= filtered;
  p.size.archive_bytes += e.definition_bytes;
  std::vector<std::int64_t> journals(e.ranks);
  for (std::size_t l = 0; l < e.by_location.size(); ++l)
    journals[e.rank_of_location[l]] += kept_of(e.by_location[l], best_kept).journal_bytes;
  p.journal_bytes_of_fullest_rank = *std::max_element(journals.begin(), journals.end());
  say_what_is_lost(p, e, best, of_functions);
  return p;
}

std::string options_of(const Proposal& p, const std::string& filter_file) {
  std::string out;
  const auto add = [&](const std::string& option) { out += (out.empty() ? "" : " ") + option; };
  if (!p.groups.empty()) add(fmt::format("--mpi-functions=-{}", fmt::join(p.groups, ",-")));
  if (p.without_samples) add("--sample off");
  if (!p.functions.empty()) add("--functions " + filter_file);
  return out;
}

std::string filter_text(const Proposal& p) {
  std::string out = "# mora estimate: functions with the least time in each visit first\n";
  for (const std::string& name : p.functions) {
    out += "exclude ";
    for (const char c : name) {
      if (c == '*' || c == '?' || c == '[' || c == '\\') out += '\\';
      out += c == '#' ? '?' : c;  // would begin a comment
    }
    out += '\n';
  }
  return out;
}

}  // namespace mora::report
