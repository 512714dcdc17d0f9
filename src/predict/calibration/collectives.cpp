#include "predict/calibration/collectives.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "mpi/schedules/algorithm.h"
#include "predict/calibration/quantity.h"
#include "replay/costs/collective_plan.h"

namespace mora::predict {

namespace {

using mpi::schedule::CollectiveCase;
using mpi::schedule::CollectiveModel;

/// All pairs of ranks are alike.
class EqualPairs final : public replay::Network {
 public:
  explicit EqualPairs(const MessageModel& model) : model_(model) {}
  replay::MessageCost message(std::uint32_t, std::uint32_t, std::uint64_t bytes) const override {
    return message_cost(model_, bytes);
  }
  mpi::schedule::Algorithm collective(const CollectiveCase& c) const override {
    return mpi::schedule::linear_algorithm(c);
  }

 private:
  const MessageModel& model_;
};

std::optional<CollectiveCase> case_of_test(const std::string& test, std::uint32_t ranks, std::uint64_t bytes) {
  using mpi::Collective;
  for (const Collective one : {Collective::barrier, Collective::bcast, Collective::reduce, Collective::allreduce,
                               Collective::gather, Collective::allgather, Collective::alltoall}) {
    if (test != mpi::to_string(one)) continue;
    CollectiveCase c;
    c.collective = one;
    c.ranks = ranks;
    c.element = 8;
    c.count = bytes / 8;
    return c;
  }
  return {};
}

}  // namespace

std::vector<CollectiveCheck> check_collectives(const ClassSamples& samples, std::uint32_t ranks,
                                               const std::string& library, const MessageModel& model) {
  // What is measured is far below; pipelines and exchanges of all with all have many messages.
  constexpr std::uint32_t most_ranks = 256;
  constexpr std::uint64_t most_bytes = 1 << 20;
  const bool is_openmpi = library.starts_with("Open MPI"), is_mpich = library.starts_with("MPICH");
  std::vector<CollectiveCheck> checks;
  if ((!is_openmpi && !is_mpich) || ranks < 2 || ranks > most_ranks) return checks;
  const EqualPairs network(model);
  std::vector<std::uint32_t> all(ranks);
  std::iota(all.begin(), all.end(), 0U);
  const auto time_of = [&](const mpi::schedule::Algorithm& algorithm) {
    const auto times = synchronous_times(replay::plan_of(algorithm, ranks), all, network);
    return static_cast<double>(*std::max_element(times.begin(), times.end()));
  };
  for (const auto& [test, sizes] : samples.tests) {
    CollectiveCheck check;
    check.operation = test;
    std::vector<double> errors, signed_errors;
    for (const SizeSamples& s : sizes) {
      const auto c = case_of_test(test, ranks, s.bytes);
      if (!c || s.median <= 0 || s.bytes > most_bytes) continue;
      const auto ruled = choose_algorithm(is_openmpi ? CollectiveModel::openmpi : CollectiveModel::mpich, *c);
      const double expected = time_of(ruled), error = (expected - s.median) / s.median;
      if (std::find(check.algorithms.begin(), check.algorithms.end(), ruled.name) == check.algorithms.end())
        check.algorithms.push_back(ruled.name);
      ++check.sizes;
      check.samples += s.count + s.outliers;
      check.outliers += s.outliers;
      errors.push_back(std::abs(error));
      signed_errors.push_back(error);
      std::string nearest = ruled.name;
      double least = std::abs(expected - s.median) - (s.high - s.low);
      for (const CollectiveModel other :
           {CollectiveModel::linear, CollectiveModel::algorithms, CollectiveModel::openmpi, CollectiveModel::mpich}) {
        const auto algorithm = choose_algorithm(other, *c);
        const double off = std::abs(time_of(algorithm) - s.median);
        if (algorithm.name == ruled.name || off >= least) continue;
        least = off;
        nearest = algorithm.name;
      }
      if (nearest != ruled.name) check.others.push_back(fmt::format("{} bytes: {}", s.bytes, nearest));
    }
    if (errors.empty()) continue;
    check.median_error = quantile(errors, 0.5);
    check.ninth_decile_error = quantile(errors, 0.9);
    check.median_signed = quantile(signed_errors, 0.5);
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace mora::predict
