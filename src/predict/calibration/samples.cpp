/// Lines of the file, then medians.
#include "predict/calibration/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/numbers/read_number.h"

namespace mora::predict {

namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

tl::unexpected<Error> wrong(const std::string& file, std::size_t line, const std::string& why) {
  return fail(ErrorKind::unreadable, "the samples of the calibration cannot be read", fmt::format("{}:{}", file, line),
              why, "measure again; docs/formats/calibration.md describes the file");
}

/// Sizes are compared and fitted as doubles, which hold all whole numbers up to this one.
constexpr std::int64_t largest_size = std::int64_t{1} << 53;
/// mora_calibrate draws 24 to 64, and tries some more to find the largest eager one.
constexpr std::size_t most_sizes = 1024;

double quantile_of(const std::vector<double>& sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace

SizeSamples summary_of_samples(std::uint64_t bytes, std::vector<std::int64_t> ns) {
  SizeSamples s;
  s.bytes = bytes;
  std::vector<double> sorted(ns.begin(), ns.end());
  std::sort(sorted.begin(), sorted.end());
  const double middle = quantile_of(sorted, 0.5);
  std::vector<double> deviations;
  for (const double value : sorted) deviations.push_back(std::abs(value - middle));
  std::sort(deviations.begin(), deviations.end());
  // 1.4826: of a normal distribution the scaled deviation is the standard deviation. A clock's tick is no outlier.
  const double limit = middle + 3 * std::max(1.4826 * quantile_of(deviations, 0.5), 20.0);
  const auto end = std::upper_bound(sorted.begin(), sorted.end(), limit);
  s.outliers = static_cast<std::uint64_t>(sorted.end() - end);
  sorted.erase(end, sorted.end());
  s.count = sorted.size();
  s.median = quantile_of(sorted, 0.5);
  // Of n samples the median lies between those of ranks n/2 ∓ 1.96 √n / 2 in 95 of 100 cases.
  const double n = static_cast<double>(sorted.size()), half = 0.98 * std::sqrt(n);
  s.low = sorted[static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - half)))];
  s.high = sorted[static_cast<std::size_t>(std::min(n - 1, std::ceil(n / 2 + half)))];
  s.quartile_ratio = quantile_of(sorted, 0.75) / std::max(1.0, quantile_of(sorted, 0.25));
  return s;
}

Result<CalibrationSamples> parse_samples(std::string_view text, const std::string& name) {
  CalibrationSamples samples;
  using ByPass = std::map<std::uint32_t, std::vector<std::int64_t>>;
  std::map<std::string, std::map<std::string, std::map<std::uint64_t, ByPass>>, std::less<>> values;
  std::vector<std::string> order;
  std::map<std::string, std::int64_t> eager;
  bool begins = false, ends = false;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1 && line != "# mora-calibration 1" && line != "# mora-calibration 2")
      return wrong(name, number, "it is no raw file of a calibration");
    begins = true;
    const auto fields = split(line);
    if (line.starts_with("# ")) {
      const std::string_view key = fields[0].substr(2);
      if (key == "end") ends = true;
      if (fields.size() < 2) continue;
      if (key == "library") samples.library = fields[1];
      if (key == "host") samples.host = fields[1];
      if (key == "seed") samples.seed = fields[1];
      for (const auto& [counted, into] : {std::pair{"ranks", &samples.ranks},
                                          {"ranks_of_node", &samples.ranks_of_node},
                                          {"processors_of_node", &samples.processors}}) {
        if (key == counted && !read_number(fields[1], *into))
          return wrong(name, number, fmt::format("no number of {}", counted));
      }
      std::int64_t bytes = 0;
      if (key == "eager_up_to") {
        if (fields.size() != 3 || !read_number(fields[2], bytes) || bytes > largest_size)
          return wrong(name, number, "no size");
        eager[std::string(fields[1])] = bytes;
      }
      continue;
    }
    if (line.empty() || fields[0] == "class") continue;
    std::uint32_t pass = 0;
    std::uint64_t bytes = 0;
    std::int64_t ns = 0;
    if (fields.size() != 7 || !read_number(fields[3], pass) || !read_number(fields[5], bytes) ||
        !read_number(fields[6], ns) || ns < 0)
      return wrong(name, number, "a sample has seven fields: class, from, to, pass, test, bytes, ns");
    if (bytes > static_cast<std::uint64_t>(largest_size))
      return wrong(name, number, fmt::format("a size of more than {} bytes", largest_size));
    if (fields[0] == "one_rank") {
      if (pass > 0 && fields[4] == "computation") samples.computation.push_back(ns);
      continue;
    }
    const auto [found, is_new] = values.try_emplace(std::string(fields[0]));
    if (is_new) order.push_back(found->first);
    if (pass == 0) continue;
    auto& sizes = found->second[std::string(fields[4])];
    sizes[bytes][pass].push_back(ns);
    if (sizes.size() > most_sizes)
      return wrong(name, number, fmt::format("more than {} sizes of {}", most_sizes, fields[4]));
  }
  if (!begins || !ends) return wrong(name, number, "its end is missing: the measurement was cut off");
  for (const std::string& one : order) {
    ClassSamples c;
    c.name = one;
    for (auto& [test, sizes] : values.find(one)->second) {
      for (const auto& [bytes, passes] : sizes) {
        std::vector<std::int64_t> all;
        std::vector<double> medians;
        for (const auto& [pass, ns] : passes) {
          all.insert(all.end(), ns.begin(), ns.end());
          medians.push_back(summary_of_samples(bytes, ns).median);
        }
        c.tests[test].push_back(summary_of_samples(bytes, std::move(all)));
        c.tests[test].back().passes = std::move(medians);
      }
    }
    if (const auto found = eager.find(one); found != eager.end()) c.eager_up_to = found->second;
    if (one == "all_ranks")
      samples.collectives = std::move(c);
    else
      samples.classes.push_back(std::move(c));
  }
  return samples;
}

}  // namespace mora::predict
