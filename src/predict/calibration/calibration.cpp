/// Ranges of one protocol, their overheads, their errors.
#include "predict/calibration/calibration.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/json/json_writer.h"
#include "base/version.h"
#include "predict/calibration/segments.h"

namespace mora::predict {

namespace {

constexpr std::uint64_t fewest_sizes = 30;  ///< with fewer a warning is given

std::vector<FitPoint> points_of(const ClassSamples& c, const char* test) {
  std::vector<FitPoint> points;
  const auto found = c.tests.find(test);
  if (found == c.tests.end()) return points;
  for (const SizeSamples& s : found->second) points.push_back({static_cast<double>(s.bytes), std::max(1.0, s.median)});
  return points;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(rank, 1) - 1];
}

/// The points between two sizes.
std::vector<FitPoint> points_between(const std::vector<FitPoint>& points, double first, double last) {
  std::vector<FitPoint> some;
  for (const FitPoint& p : points) {
    if (p.x >= first && p.x <= last) some.push_back(p);
  }
  return some;
}

/// Both overheads and what is left of the whole.
MessageLines message_lines(const FitLine& whole, FitLine send, FitLine receive, double first, double last) {
  // At both ends of the range the parts must not be more than the whole.
  double most = 1;
  for (const double x : {first, last}) {
    const double both = send.at(x) + receive.at(x);
    if (both > whole.at(x) && both > 0) most = std::min(most, whole.at(x) / both);
  }
  // The whole's line may have less of one parameter than the parts: then they get what there is of it.
  const auto part = [&](double wanted, double other, double all) {
    const double sum = most * (wanted + other);
    return sum > all ? most * wanted * all / sum : most * wanted;
  };
  MessageLines l;
  l.send_overhead_ns = part(send.fixed, receive.fixed, whole.fixed);
  l.receive_overhead_ns = part(receive.fixed, send.fixed, whole.fixed);
  l.send_overhead_ns_per_byte = part(send.slope, receive.slope, whole.slope);
  l.receive_overhead_ns_per_byte = part(receive.slope, send.slope, whole.slope);
  l.latency_ns = std::max(0.0, whole.fixed - l.send_overhead_ns - l.receive_overhead_ns);
  l.ns_per_byte = std::max(0.0, whole.slope - l.send_overhead_ns_per_byte - l.receive_overhead_ns_per_byte);
  return l;
}

void add_ranges(CalibratedClass& c, const std::vector<FitPoint>& half, const std::vector<FitPoint>& sends,
                const std::vector<FitPoint>& receives, bool rendezvous, std::vector<double>& all_errors) {
  if (half.empty()) return;
  const std::vector<double> errors = cross_validated_errors(half);
  all_errors.insert(all_errors.end(), errors.begin(), errors.end());
  for (const FitRange& range : fit_ranges(half)) {
    const double first = half[range.first].x, last = half[range.first + range.count - 1].x;
    FitLine send, receive;
    if (rendezvous) {
      send.fixed = sends.empty() ? 0 : sends.front().y;
      receive.fixed = receives.empty() ? 0 : receives.front().y;
    } else {
      const auto some_sends = points_between(sends, first, last), some_receives = points_between(receives, first, last);
      send = fit_line(some_sends, 0, some_sends.size());
      receive = fit_line(some_receives, 0, some_receives.size());
    }
    CostRange cost;
    cost.lines = message_lines(range.line, send, receive, first, last);
    cost.lines.rendezvous = rendezvous;
    cost.lines.relative_error = quantile({errors.begin() + static_cast<std::ptrdiff_t>(range.first),
                                          errors.begin() + static_cast<std::ptrdiff_t>(range.first + range.count)},
                                         0.9);
    cost.up_to_bytes = static_cast<std::uint64_t>(last);
    c.ranges.push_back(cost);
  }
}

/// To so many decimals, so that the file is short.
double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return std::round(value * unit) / unit;
}

}  // namespace

Result<Calibration> calibrate(const CalibrationSamples& samples, const std::string& file) {
  Calibration result;
  result.library = samples.library;
  result.host = samples.host;
  result.seed = samples.seed;
  result.ranks = samples.ranks;
  for (const ClassSamples& from : samples.classes) {
    CalibratedClass c;
    c.name = from.name;
    const auto half = points_of(from, "half_round_trip"), sends = points_of(from, "send"),
               receives = points_of(from, "late_receive");
    if (half.size() < 2)
      return fail(ErrorKind::unreadable, "the calibration has no half round trips", file, "class " + from.name,
                  "give it more time (--budget)");
    std::vector<double> errors, widths, ratios;
    const double eager = from.eager_up_to ? static_cast<double>(*from.eager_up_to) : half.back().x;
    add_ranges(c, points_between(half, 0, eager), sends, receives, false, errors);
    if (!c.ranges.empty() && from.eager_up_to) c.ranges.back().up_to_bytes = static_cast<std::uint64_t>(eager);
    add_ranges(c, points_between(half, eager + 1, half.back().x), sends, receives, true, errors);
    c.ranges.back().up_to_bytes = UINT64_MAX;
    c.measured_up_to = static_cast<std::uint64_t>(half.back().x);
    for (const SizeSamples& s : from.tests.at("half_round_trip")) {
      ++c.sizes;
      c.samples += s.count + s.outliers;
      c.outliers += s.outliers;
      widths.push_back((s.high - s.low) / std::max(1.0, s.median));
      ratios.push_back(s.quartile_ratio);
    }
    c.median_error = quantile(errors, 0.5);
    c.ninth_decile_error = quantile(errors, 0.9);
    c.median_interval = quantile(widths, 0.5);
    c.quartile_ratio = quantile(ratios, 0.5);
    if (c.sizes < fewest_sizes)
      result.warnings.push_back(fmt::format(
          "{}: there was time for {} sizes only, which is too few to find where the library changes what it does; give "
          "it more (--budget)",
          c.name, c.sizes));
    if (c.quartile_ratio > 1.5)
      result.warnings.push_back(
          fmt::format("{}: the third quartile of a size's samples is {:.2f} times the first: other programs use these "
                      "processors, or there are fewer processors than ranks; calibrate again on an idle machine",
                      c.name, c.quartile_ratio));
    if (c.ninth_decile_error > 0.25)
      result.warnings.push_back(
          fmt::format("{}: one size in ten is {:.0f} % or more from the model", c.name, 100 * c.ninth_decile_error));
    result.classes.push_back(std::move(c));
  }
  return result;
}

std::string machine_json(const Calibration& calibration, const CalibrationNames& names) {
  JsonWriter json;
  json.begin_object().fields("format", "mora-machine 2", "name", names.name, "mpi", calibration.library);
  for (const CalibratedClass& c : calibration.classes) {
    json.key(c.name).begin_object().fields("model", "piecewise", "measured_up_to_bytes", c.measured_up_to);
    json.key("segments").begin_array();
    for (const CostRange& range : c.ranges) {
      const MessageLines& l = range.lines;
      json.begin_line_object();
      if (range.up_to_bytes != UINT64_MAX) json.fields("up_to_bytes", range.up_to_bytes);
      json.fields("protocol", l.rendezvous ? "rendezvous" : "eager", "send_overhead_ns", rounded(l.send_overhead_ns, 1),
                  "send_overhead_ns_per_byte", rounded(l.send_overhead_ns_per_byte, 5), "receive_overhead_ns",
                  rounded(l.receive_overhead_ns, 1), "receive_overhead_ns_per_byte",
                  rounded(l.receive_overhead_ns_per_byte, 5), "latency_ns", rounded(l.latency_ns, 1), "ns_per_byte",
                  rounded(l.ns_per_byte, 5), "relative_error", rounded(l.relative_error, 4));
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.key("calibration").begin_object();
  json.fields("creator", "mora " + std::string(version()), "command", names.command, "raw_file", names.raw_file, "host",
              calibration.host, "ranks", calibration.ranks, "seed", calibration.seed, "budget_seconds",
              names.budget_seconds);
  json.key("classes").begin_array();
  for (const CalibratedClass& c : calibration.classes)
    json.line("class", c.name, "sizes", c.sizes, "samples", c.samples, "outliers", c.outliers,
              "cross_validated_median_error", rounded(c.median_error, 4), "cross_validated_ninth_decile_error",
              rounded(c.ninth_decile_error, 4), "median_interval", rounded(c.median_interval, 4), "quartile_ratio",
              rounded(c.quartile_ratio, 3));
  json.end_array().fields("warnings", list(calibration.warnings)).end_object().end_object();
  return json.str() + "\n";
}

}  // namespace mora::predict
