/// Relative errors, and what is said of many of them.
#include "predict/prediction/check.h"

#include <algorithm>
#include <cmath>

namespace mora::predict {

namespace {

double relative(Nanoseconds predicted, Nanoseconds measured) {
  return measured == 0 ? 0 : static_cast<double>(predicted - measured) / static_cast<double>(measured);
}

void sort_worst_first(std::vector<CheckedTime>& times) {
  std::stable_sort(times.begin(), times.end(), [](const CheckedTime& a, const CheckedTime& b) {
    return std::abs(a.error()) > std::abs(b.error());
  });
}

}  // namespace

double CheckedTime::error() const { return relative(predicted, measured); }

ErrorSummary summary_of(const std::vector<CheckedTime>& times) {
  ErrorSummary s;
  s.count = times.size();
  if (times.empty()) return s;
  std::vector<double> sizes;
  for (const CheckedTime& time : times) {
    const double error = time.error();
    sizes.push_back(std::abs(error));
    s.mean_signed += error / static_cast<double>(times.size());
    if (std::abs(error) > std::abs(s.worst)) s.worst = error;
  }
  std::sort(sizes.begin(), sizes.end());
  const auto at = [&](double part) {
    const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(sizes.size())));
    return sizes[std::max<std::size_t>(rank, 1) - 1];
  };
  s.median = at(0.5);
  s.ninth_decile = at(0.9);
  return s;
}

ErrorSummary summary_of(const CorrectedTimes& times, const Prediction& p) {
  std::vector<CheckedTime> checked;
  for (const CorrectedRank& rank : times.ranks)
    if (p.measured.ranks[rank.rank] != 0)
      checked.push_back({rank.rank, "", rank.corrected, p.measured.ranks[rank.rank]});
  return summary_of(checked);
}

Check check_of(const Prediction& p) {
  Check check;
  const Nanoseconds run = p.measured.run_time;
  check.run_time_error = relative(p.machine.run_time, run);
  check.free_run_time_error = relative(p.free.run_time, run);
  check.hockney_run_time_error = relative(p.hockney.run_time, run);
  std::vector<CheckedTime> free_ranks, hockney_ranks, free_calls, hockney_calls;
  for (std::uint32_t r = 0; r < p.measured.ranks.size(); ++r) {
    const Nanoseconds measured = p.measured.ranks[r];
    if (measured == 0) continue;
    check.by_rank.push_back({r, "", p.machine.ranks[r], measured});
    free_ranks.push_back({r, "", p.free.ranks[r], measured});
    hockney_ranks.push_back({r, "", p.hockney.ranks[r], measured});
  }
  for (const PredictedCall& call : p.calls) {
    for (std::uint32_t r = 0; r < call.by_rank.size(); ++r) {
      const PredictedTime& time = call.by_rank[r];
      if (time.visits == 0 && time.measured == 0) continue;
      if (time.measured == 0 || time.measured < p.measured.ranks[r] / 100) {
        ++check.left_out;
        continue;
      }
      check.by_call.push_back({r, call.path, time.total(), time.measured});
      free_calls.push_back({r, call.path, call.free_by_rank[r], time.measured});
      hockney_calls.push_back({r, call.path, call.hockney_by_rank[r], time.measured});
    }
  }
  check.ranks = summary_of(check.by_rank);
  check.calls = summary_of(check.by_call);
  check.free_ranks = summary_of(free_ranks);
  check.free_calls = summary_of(free_calls);
  check.hockney_ranks = summary_of(hockney_ranks);
  check.hockney_calls = summary_of(hockney_calls);
  sort_worst_first(check.by_rank);
  sort_worst_first(check.by_call);
  return check;
}

}  // namespace mora::predict
