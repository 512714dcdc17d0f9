#include "predict/calibration/sharing.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/numbers/read_number.h"

namespace mora::predict {

namespace {

constexpr std::string_view prefix = "pairs_";

const SizeSamples* with_bytes(const std::vector<SizeSamples>& all, std::uint64_t bytes) {
  for (const SizeSamples& s : all) {
    if (s.bytes == bytes) return &s;
  }
  return nullptr;
}

}  // namespace

Sharing sharing_of(const ClassSamples& samples, const MessageModel& model, std::uint32_t processors, std::uint32_t each,
                   const std::string& what) {
  const auto alone = samples.tests.find(std::string(prefix) + "1");
  if (alone == samples.tests.end())
    return {{}, fmt::format("two pairs of ranks at once need {} ranks on a node", 2 * each)};
  std::vector<RateSample> rates;
  std::uint64_t taken = 0, outliers = 0, most = 0, too_many = 0;
  for (const auto& [test, sizes] : samples.tests) {
    std::uint64_t pairs = 0;
    if (!test.starts_with(prefix) || !read_number(test.substr(prefix.size()), pairs) || pairs < 2) continue;
    if (pairs > processors / each) {
      too_many = too_many == 0 ? pairs : std::min(too_many, pairs);
      continue;
    }
    most = std::max(most, pairs);
    std::vector<RateSample> own;
    std::size_t slower = 0;
    std::uint64_t own_samples = 0, own_outliers = 0;
    for (const SizeSamples& s : sizes) {
      const SizeSamples* one = with_bytes(alone->second, s.bytes);
      if (one == nullptr || s.bytes == 0) continue;
      if (s.low > one->high) ++slower;
      own_samples += s.count + s.outliers;
      own_outliers += s.outliers;
      const double n = static_cast<double>(s.bytes);
      own.push_back({one->median - n * model.at(s.bytes).ns_per_byte, n * static_cast<double>(pairs), s.median});
    }
    if (2 * slower <= own.size()) continue;
    rates.insert(rates.end(), own.begin(), own.end());
    taken += own_samples;
    outliers += own_outliers;
  }
  if (!rates.empty()) {
    Quantity q = rate_quantity(rates, samples.name, what + "_ns_per_byte");
    q.samples = taken;
    q.outliers = outliers;
    if (q.low > 0) return {q, {}};
    return {{}, "the samples of several pairs at once say nothing: their interval holds 0"};
  }
  if (most > 0)
    return {{},
            fmt::format("{} pairs of ranks at once were not slower than one alone: it is at least {} times as fast "
                        "as one pair",
                        most, most)};
  return {{},
          fmt::format("{} pairs of ranks at once need {} processors of a node, and the ranks may use {} there",
                      too_many, too_many * each, processors)};
}

}  // namespace mora::predict
