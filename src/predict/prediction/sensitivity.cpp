#include "predict/prediction/sensitivity.h"

#include <algorithm>

#include "predict/prediction/requested_replay.h"

namespace mora::predict {

namespace {

constexpr double k_step = 0.125;      ///< more of a part, for its share
constexpr double k_longest = 1.01;    ///< of the run
constexpr double k_largest = 1000;    ///< factor that is tried
constexpr double k_precision = 0.01;  ///< of what the factor is above 1
constexpr int k_rounds = 40;

/// The search for one part's tolerance. Run times in ns.
class ToleranceSearch {
 public:
  explicit ToleranceSearch(CostScale (*scale)(double)) : scale_(scale) {}

  CostScale scale(double factor) const { return scale_(factor); }
  void start(Nanoseconds base, Nanoseconds after_step) {
    base_ = at_low_ = static_cast<double>(base);
    slope_ = (static_cast<double>(after_step) - base_) / k_step;
    note(1 + k_step, after_step);
  }
  bool is_over() const { return low_ >= k_largest || (high_ != 0 && high_ - low_ <= k_precision * (low_ - 1)); }
  double share() const { return base_ > 0 ? slope_ / base_ : 0; }
  std::optional<double> tolerance() const { return high_ == 0 ? std::nullopt : std::optional(low_); }

  /// What to try next; between the bounds, beyond the lower one while there is no upper one.
  double next(int round) const {
    const double limit = k_longest * base_;
    if (high_ == 0) return std::min(k_largest, 1 + 4 * (low_ - 1));
    const double straight = low_ + (limit - at_low_) / (at_high_ - at_low_) * (high_ - low_);
    // A bound that the secant put next to the result is answered by a probe just behind it.
    const double probe = k_precision / 2 * (straight - 1);
    const double wanted = round % 3 == 0 ? straight + probe : round % 3 == 1 ? straight - probe : (low_ + high_) / 2;
    return wanted > low_ && wanted < high_ ? wanted : (low_ + high_) / 2;
  }
  void note(double factor, Nanoseconds run_time) {
    const auto time = static_cast<double>(run_time);
    if (time <= k_longest * base_) {
      low_ = std::max(low_, factor);
      at_low_ = time;
    } else {
      high_ = factor;
      at_high_ = time;
    }
  }

 private:
  CostScale (*scale_)(double);
  double base_ = 0, slope_ = 0;
  double low_ = 1, at_low_ = 0;
  double high_ = 0, at_high_ = 0;  ///< 0: none is known
};

/// Run times on the machine with its costs scaled.
Result<std::vector<Nanoseconds>> run_times(replay::ReplayInput& input, const trace::Definitions& definitions,
                                           const PredictionRequest& request, const MachineNetwork& machine,
                                           const std::vector<CostScale>& scales) {
  std::vector<MachineNetwork> scaled;
  scaled.reserve(scales.size());
  std::vector<const replay::Network*> networks;
  for (const CostScale& scale : scales) networks.push_back(&scaled.emplace_back(machine.scaled(scale)));
  MORA_TRY(const std::vector<replay::Replayed> replayed, replay::replay_on(input, networks));
  std::vector<Nanoseconds> times;
  for (const replay::Replayed& one : replayed) {
    if (!one.blocked.empty()) return deadlock_error(definitions, one, request.machine_file);
    times.push_back(run_time_of(definitions, one));
  }
  return times;
}

}  // namespace

Result<std::vector<Sensitivity>> sensitivity(trace::Source& source, const PredictionRequest& request) {
  MORA_TRY(const MachineNetwork machine, MachineNetwork::make(*request.machine, request.places, request.collectives,
                                                              CostModel::machine, request.machine_file));
  std::vector<Sensitivity> parts;
  for (const auto& [key, words] : {std::pair("latency", "latency of messages"),
                                   {"bytes", "time for their bytes (1 / bandwidth)"},
                                   {"overhead", "overhead of processors, gap between messages"},
                                   {"all", "all costs of the network"}})
    parts.push_back({key, words, 0, std::nullopt});
  std::vector<ToleranceSearch> searches;
  searches.emplace_back([](double factor) { return CostScale{factor, 1, 1}; });
  searches.emplace_back([](double factor) { return CostScale{1, factor, 1}; });
  searches.emplace_back([](double factor) { return CostScale{1, 1, factor}; });
  searches.emplace_back([](double factor) { return CostScale{factor, factor, factor}; });
  std::vector<CostScale> scales = {{}};
  for (const ToleranceSearch& search : searches) scales.push_back(search.scale(1 + k_step));
  const trace::Definitions& definitions = source.definitions();
  replay::ReplayOptions options;
  options.progress = request.progress;
  replay::ReplayInput input(source, options, program_of(definitions, request));
  MORA_TRY(const std::vector<Nanoseconds> first, run_times(input, definitions, request, machine, scales));
  for (std::size_t i = 0; i < searches.size(); ++i) searches[i].start(first[0], first[i + 1]);
  for (int round = 0; round < k_rounds; ++round) {
    std::vector<std::pair<std::size_t, double>> tried;
    scales.clear();
    for (std::size_t i = 0; i < searches.size(); ++i) {
      if (searches[i].is_over()) continue;
      tried.emplace_back(i, searches[i].next(round));
      scales.push_back(searches[i].scale(tried.back().second));
    }
    if (tried.empty()) break;
    MORA_TRY(const std::vector<Nanoseconds> times, run_times(input, definitions, request, machine, scales));
    for (std::size_t t = 0; t < tried.size(); ++t) searches[tried[t].first].note(tried[t].second, times[t]);
  }
  for (std::size_t i = 0; i < searches.size(); ++i) {
    parts[i].share = searches[i].share();
    parts[i].tolerance = searches[i].tolerance();
  }
  return parts;
}

}  // namespace mora::predict
