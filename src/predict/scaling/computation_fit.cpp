/// Each stretch is that of the rank at the same relative place of the largest run, times the growth of the mean over
/// all ranks. That is right only while the imbalance of the ranks stays what it is: a part that one rank does alone has
/// a mean that falls as 1 / P, though nobody is quicker. So the slowest rank has a law of its own. Where that grows
/// otherwise than the mean by more than the limit, rank 0 and the others have a law each; where these do not stay even
/// either, the interval holds the growth of the mean and that of the slowest rank, and the user is told so. Stretches
/// of less than a hundredth of the computation need no law, but all of them together are at most a tenth. Cost: the
/// recorded calls, and up to six fits for each pair of sites. Limits: of one rank that is not rank 0 only the interval
/// knows.
#include "predict/scaling/computation_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "predict/scaling/call_fit.h"
#include "predict/scaling/laws/process_laws.h"
#include "trace/mpi_function.h"

namespace mora::predict {
namespace {

constexpr double k_small_share = 0.01;  ///< sites with less of the computation need no law
constexpr double k_most_without = 0.1;  ///< of the computation: what has no law together

using RunMeans = std::map<std::uint32_t, double>;  ///< by number of ranks

enum class RankClass : std::uint8_t { all, first, others };

struct RankTime {
  double sum = 0, count = 0;
};

/// What was recorded of a stretch.
struct StretchTimes {
  std::map<std::uint32_t, std::vector<RankTime>> by_run;                       ///< by number of ranks, then by rank
  std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> recorded;  ///< as Stretch

  template <class OnRank>
  void each(std::uint32_t ranks, RankClass of, const OnRank& on_rank) const {
    const auto at = by_run.find(ranks);
    if (at == by_run.end()) return;
    const std::size_t from = of == RankClass::others ? 1 : 0, to = of == RankClass::first ? 1 : at->second.size();
    for (std::size_t rank = from; rank < to; ++rank)
      if (at->second[rank].count > 0) on_rank(at->second[rank]);
  }
  RankTime sum(std::uint32_t ranks, RankClass of) const {
    RankTime all;
    each(ranks, of, [&](const RankTime& one) {
      all.sum += one.sum;
      all.count += one.count;
    });
    return all;
  }
  /// Of one execution.
  RunMeans means(RankClass of) const {
    RunMeans means;
    for (const auto& [ranks, by_rank] : by_run)
      if (const RankTime all = sum(ranks, of); all.count > 0) means[ranks] = all.sum / all.count;
    return means;
  }
  /// Of one execution on the slowest of the ranks that spend at least the mean in it.
  RunMeans slowest(RankClass of) const {
    RunMeans means;
    for (const auto& [ranks, by_rank] : by_run) {
      double there = 0, most = 0;
      each(ranks, of, [&](const RankTime&) { ++there; });
      const double mean = sum(ranks, of).sum / std::max(1.0, there);
      each(ranks, of, [&](const RankTime& one) {
        if (one.sum >= mean * (1 - 1e-9)) most = std::max(most, one.sum / one.count);
      });
      if (there > 0) means[ranks] = most;
    }
    return means;
  }
  double largest_of_a_rank(std::uint32_t ranks, RankClass of) const {
    double most = 0;
    each(ranks, of, [&](const RankTime& one) { most = std::max(most, one.sum); });
    return most;
  }
};

struct TimedSite {
  std::string path, what;
  bool must_carry = true;
  bool is_local = false;  ///< a call, no computation
};

class ComputationFit {
 public:
  ComputationFit(const std::vector<RecordedRun>& runs, const FitTarget& target, ScaledProgram& made)
      : runs_(runs), target_(target), made_(made), most_(runs[made.largest_run].ranks) {}

  Result<void> fit() {
    std::vector<std::map<std::uint32_t, StretchTimes>> before(made_.nodes.size());
    std::vector<StretchTimes> lasted(made_.nodes.size());
    StretchTimes after;
    for (const RecordedRun& run : runs_) {
      auto& by_rank = after.by_run[run.ranks];
      for (const RankRun& rank : run.by_rank) by_rank.push_back({static_cast<double>(rank.after), 1});
    }
    all_ = mean_in_largest(after);
    for (std::uint32_t node = 1; node < made_.nodes.size(); ++node) {
      if (!made_.program.nodes[node].is_call()) continue;
      before[node] = times_of(node, &RecordedCall::before, true);
      for (const auto& [from, times] : before[node]) all_ += mean_in_largest(times);
      if (!site_of(node).is_local) continue;
      lasted[node] = times_of(node, &RecordedCall::lasted, false)[no_node];
      if (!begins_mpi(node)) all_ += mean_in_largest(lasted[node]);
    }
    for (std::uint32_t node = 1; node < made_.nodes.size(); ++node) {
      if (!made_.program.nodes[node].is_call()) continue;
      const std::string& path = first_path(made_.program, made_.sites, node);
      for (auto& [from, times] : before[node]) {
        Stretch& stretch = made_.nodes[node].before[from];
        const std::string what =
            from == no_node ? "computation before" : "computation since " + last_of(made_.sites.sites[from].path);
        MORA_TRY(stretch.law, laws({path, what}, times));
        stretch.recorded = std::move(times.recorded);
      }
      if (!site_of(node).is_local) continue;
      MORA_TRY(made_.nodes[node].whole.law, laws({path, "duration", !begins_mpi(node), true}, lasted[node]));
      made_.nodes[node].whole.recorded = std::move(lasted[node].recorded);
    }
    MORA_TRY(made_.after, laws({"the end", "computation behind the last call"}, after));
    if (without_ > k_most_without * predicted_)
      return refused("computation", "stretches that are too short for a law",
                     fmt::format("no law predicts them, each is less than {:.0f} % of the computation, but together "
                                 "they are {:.0f} % (limit: {:.0f} %)",
                                 100 * k_small_share, 100 * without_ / predicted_, 100 * k_most_without));
    if (uneven_ != 0)
      made_.from.remarks.push_back(
          fmt::format("{} stretches: their slowest rank grows otherwise than the mean of the ranks; the figures are of "
                      "the mean's growth, the lower and upper ends hold both",
                      uneven_));
    return {};
  }

 private:
  bool counts(const TimedSite& site) const { return site.must_carry && (target_.computes || site.is_local); }
  /// The call itself, without the functions around it.
  static std::string last_of(const std::string& path) {
    const auto at = path.rfind(" > ");
    return at == std::string::npos ? path : path.substr(at + 3);
  }
  const Sites::Site& site_of(std::uint32_t node) const { return made_.sites.sites[made_.program.nodes[node].site]; }
  /// How long MPI_Init lasts says something about the launcher.
  bool begins_mpi(std::uint32_t node) const {
    return trace::call_class(made_.sites.definitions.regions[site_of(node).region]) == trace::CallClass::init;
  }
  double mean_in_largest(const StretchTimes& times) const { return times.sum(most_, RankClass::all).sum / most_; }

  /// Of the calls of a site, apart by the site of the call before if `apart`.
  std::map<std::uint32_t, StretchTimes> times_of(std::uint32_t node, Nanoseconds RecordedCall::*member,
                                                 bool apart) const {
    std::map<std::uint32_t, StretchTimes> all;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const std::uint32_t ranks = runs_[run].ranks;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::vector<RecordedCall>& calls = runs_[run].by_rank[rank].calls;
        for (const std::uint32_t call : made_.program.runs[run][rank][node].calls) {
          StretchTimes& times = all[apart && call > 0 ? calls[call - 1].site : no_node];
          auto& by_rank = times.by_run[ranks];
          by_rank.resize(ranks);
          by_rank[rank].sum += static_cast<double>(calls[call].*member);
          ++by_rank[rank].count;
          if (run != made_.largest_run) continue;
          if (times.recorded.empty() || times.recorded.back().first != rank) times.recorded.push_back({rank, {}});
          times.recorded.back().second.push_back(call);
        }
      }
    }
    return all;
  }

  /// No rank of the largest run spends enough in it to need a law.
  bool is_short(const StretchTimes& times, RankClass of) const {
    return all_ > 0 && times.largest_of_a_rank(most_, of) < k_small_share * all_;
  }

  /// A law within the limit, or none.
  std::optional<FittedLaw> carrying(const RunMeans& means) const {
    auto law = fit_law(means, target_.ranks);
    return law && law->leave_one_out <= target_.limit ? std::move(law) : std::nullopt;
  }

  static LawInterval divided(LawInterval at, double by) { return {at.value / by, at.lower / by, at.upper / by}; }

  /// Growth of the slowest rank's time; nothing: it grows as the mean does, within the limit.
  std::optional<LawInterval> growth_of_slowest(const StretchTimes& times, RankClass of) const {
    const RunMeans means = times.means(of), slowest = times.slowest(of);
    if (!means.contains(most_) || !(means.at(most_) > 0)) return std::nullopt;
    double least = INFINITY, largest = 0;  // of slowest / mean
    for (const auto& [ranks, mean] : means) {
      if (!(mean > 0)) continue;
      least = std::min(least, slowest.at(ranks) / mean);
      largest = std::max(largest, slowest.at(ranks) / mean);
    }
    const double there = slowest.at(most_) / means.at(most_);
    const auto mean_law = carrying(means), own_law = carrying(slowest);
    if (mean_law && own_law) {
      const LawInterval growth = divided(own_law->at, slowest.at(most_));
      const double by_mean = mean_law->at.value / means.at(most_);
      if (std::abs(growth.value / by_mean - 1) <= target_.limit) return std::nullopt;
      return growth;
    }
    if (largest <= least * (1 + target_.limit)) return std::nullopt;
    const double by_mean = mean_law ? mean_law->at.value / means.at(most_) : 1;
    return LawInterval{by_mean, by_mean * least / there, by_mean * largest / there};
  }

  struct TimeFit {
    TimeLaw law;
    ScaledLaw told;
    double computation = 0, without = 0;  ///< of a rank's mean: ns
    double worst_error = 0;
  };

  /// Growth of the mean from the largest run to the number of ranks asked for; what has no law stays, between the least
  /// and the most that was recorded.
  Result<TimeFit> law(const TimedSite& site, const StretchTimes& times, RankClass of,
                      const std::optional<LawInterval>& also = std::nullopt) const {
    TimeFit made;
    const RunMeans means = times.means(of);
    const auto measured = means.find(most_);
    if (measured == means.end() || !(measured->second > 0)) return made;
    const auto found = fit_law(means, target_.ranks);
    const bool carries = found && found->leave_one_out <= target_.limit;
    const bool is_small = is_short(times, of);
    if (!carries && counts(site) && !is_small) {
      const std::string why =
          !found ? fmt::format("{} runs have a time above 0 there, a law needs {}", positive(means), fewest_runs)
                 : fmt::format("the best law, {}, is {:.0f} % off at a run that is left out (limit: {:.0f} %)",
                               found->words, 100 * found->leave_one_out, 100 * target_.limit);
      return refused(site.path, site.what, why);
    }
    LawInterval growth;
    if (carries) {
      growth = divided(found->at, measured->second);
    } else {
      const auto [least, largest] = std::minmax_element(
          means.begin(), means.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      growth = divided({measured->second, least->second, largest->second}, measured->second);
    }
    if (also) growth = {growth.value, std::min(growth.lower, also->lower), std::max(growth.upper, also->upper)};
    for (const auto& [end, value] : {std::pair{FitEnd::value, growth.value}, std::pair{FitEnd::lower, growth.lower},
                                     std::pair{FitEnd::upper, growth.upper}})
      made.law.factor[static_cast<int>(end)] = std::min(value, 1e9);
    // Rank 0 is one of the ranks asked for, as it was one of those recorded.
    const double ranks_there = of == RankClass::all ? most_ : of == RankClass::first ? 1 : most_ - 1;
    const double ranks = target_.ranks,
                 part = of == RankClass::all ? 1 : (of == RankClass::first ? 1 : ranks - 1) / ranks;
    const double own = growth.value * times.sum(most_, of).sum / ranks_there;
    made.computation = own * part;
    if (!carries) made.without = own * part;
    made.told = {site.path, site.what, carries ? found->words : "as in the largest run: no law is good enough",
                 carries ? std::optional(found->leave_one_out) : std::nullopt, std::llround(own)};
    if (of != RankClass::all) made.told.what += of == RankClass::first ? " on rank 0" : " on the others";
    if (also) made.told.words += "; the slowest rank grows otherwise";
    if (carries && !is_small) made.worst_error = found->leave_one_out;
    return made;
  }

  TimeLaw take(const TimedSite& site, const TimeFit& fit) {
    if (fit.told.path.empty()) return fit.law;
    made_.from.laws.push_back(fit.told);
    made_.from.worst_error = std::max(made_.from.worst_error, fit.worst_error);
    (site.is_local ? made_.from.local : made_.from.computation) += std::llround(fit.computation);
    made_.from.unfitted += std::llround(fit.without);
    if (counts(site)) predicted_ += fit.computation, without_ += fit.without;
    return fit.law;
  }

  Result<RankTimeLaws> laws(const TimedSite& site, const StretchTimes& times) {
    RankTimeLaws made;
    std::optional<LawInterval> slowest;
    if (site.must_carry) slowest = growth_of_slowest(times, RankClass::all);
    // How uneven the others are in next to nothing does not matter.
    if (slowest && (is_short(times, RankClass::others) || !growth_of_slowest(times, RankClass::others))) {
      const auto first = law(site, times, RankClass::first), others = law(site, times, RankClass::others);
      if (first && others && !times.means(RankClass::others).empty()) {
        made.first = take(site, *first);
        made.all = take(site, *others);
        return made;
      }
    }
    if (slowest) ++uneven_;
    MORA_TRY(const TimeFit fit, law(site, times, RankClass::all, slowest));
    made.all = take(site, fit);
    return made;
  }

  static std::size_t positive(const RunMeans& means) {
    return static_cast<std::size_t>(
        std::count_if(means.begin(), means.end(), [](const auto& m) { return m.second > 0; }));
  }

  const std::vector<RecordedRun>& runs_;
  const FitTarget& target_;
  ScaledProgram& made_;
  const std::uint32_t most_;  ///< ranks of the largest run
  double all_ = 0;            ///< ns that a rank of it computes, and spends in local calls but MPI_Init
  double predicted_ = 0;      ///< … of the number of ranks asked for
  double without_ = 0;        ///< … of that without a law
  std::uint64_t uneven_ = 0;
};

}  // namespace

Result<void> fit_computation(const std::vector<RecordedRun>& runs, const FitTarget& target, ScaledProgram& made) {
  return ComputationFit(runs, target, made).fit();
}

}  // namespace mora::predict
