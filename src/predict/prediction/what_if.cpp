#include "predict/prediction/what_if.h"

#include <algorithm>
#include <numeric>

namespace mora::predict {
namespace {

/// Millionths by rank that make all computations equal; ranks that compute nothing stay.
std::vector<std::uint64_t> balancing_factors(const std::vector<Nanoseconds>& computation) {
  std::vector<std::uint64_t> factors;
  const auto sum = std::accumulate(computation.begin(), computation.end(), static_cast<__int128>(0));
  for (const Nanoseconds own : computation) {
    const auto balanced =
        own <= 0 ? static_cast<__int128>(1'000'000)
                 : sum * 1'000'000 / (static_cast<__int128>(own) * static_cast<__int128>(computation.size()));
    factors.push_back(static_cast<std::uint64_t>(std::min<__int128>(balanced, __int128{1} << 40)));
  }
  return factors;
}

WhatIf entry(const char* key, const char* words, const PredictedRun& run, std::optional<double> error) {
  return {key, words, run.run_time, run.mpi_time, {}, {}, error};
}
WhatIf bounded(const char* key, const char* words, const Prediction& p, std::optional<double> error) {
  WhatIf one = entry(key, words, p.machine, error);
  one.low = p.low.run_time;
  one.high = p.high.run_time;
  return one;
}

}  // namespace

Result<std::vector<WhatIf>> what_if(const Predictor& of, const PredictionRequest& request, const Prediction& prediction,
                                    const std::optional<Check>& check) {
  PredictionRequest balanced = request;
  balanced.rank_factors = balancing_factors(prediction.computation);
  MORA_TRY(const Prediction even, of(balanced));
  const auto of_machine = check ? std::optional(check->run_time_error) : std::nullopt;
  const auto of_free = check ? std::optional(check->free_run_time_error) : std::nullopt;
  return std::vector<WhatIf>{
      bounded("machine", "this program on this machine", prediction, of_machine),
      entry("free_network", "the network costs nothing", prediction.free, of_free),
      bounded("balanced", "all ranks compute equally long", even, of_machine),
      entry("balanced_free_network", "equal computation, and the network costs nothing", even.free, of_free),
      entry("without_waiting", "no rank waits for another (a bound)", prediction.without_waiting, of_machine)};
}

}  // namespace mora::predict
