/// Ranges of one protocol, their overheads, their errors.
#include "predict/calibration/calibration.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json/json_writer.h"
#include "base/version.h"
#include "predict/calibration/fit.h"
#include "predict/calibration/sharing.h"

namespace mora::predict {

namespace {

constexpr std::uint64_t fewest_sizes = 30;  ///< with fewer a warning is given

/// What each further message of a train takes.
void add_gaps(const ClassSamples& from, CalibratedClass& c, Calibration& result) {
  constexpr double more = 7;  // messages of train_8 that train_1 has not
  const auto one = from.tests.find("train_1"), eight = from.tests.find("train_8");
  if (one == from.tests.end() || eight == from.tests.end()) {
    result.not_measured.push_back(c.name + ": gaps between messages: there are no samples");
    return;
  }
  std::vector<FitPoint> points;
  Quantity q{c.name, "gap_ns"};
  for (const SizeSamples& s : eight->second) {
    const auto other = std::find_if(one->second.begin(), one->second.end(),
                                    [&](const SizeSamples& first) { return first.bytes == s.bytes; });
    if (other == one->second.end()) continue;
    points.push_back({static_cast<double>(s.bytes), std::max(1.0, (s.median - other->median) / more)});
    q.samples += s.count + s.outliers;
    q.outliers += s.outliers;
    if (points.size() > 1) continue;
    q.value = points[0].y;
    q.low = std::max(0.0, (s.low - other->high) / more);
    q.high = std::max(0.0, (s.high - other->low) / more);
  }
  if (points.empty()) return;
  const std::vector<double> errors = cross_validated_errors(points);
  q.median_error = quantile(errors, 0.5);
  q.ninth_decile_error = quantile(errors, 0.9);
  result.quantities.push_back(q);
  // No gap is said of what is larger than all trains: their range ends there.
  const auto longest = static_cast<std::uint64_t>(points.back().x);
  std::vector<CostRange> ranges;
  double first = 0;
  for (const CostRange& range : c.ranges) {
    const auto own = points_between(points, first, static_cast<double>(range.up_to_bytes));
    first = static_cast<double>(range.up_to_bytes) + 1;
    const MessageLines& l = range.lines;
    ranges.push_back(range);
    if (own.size() < 2 || l.rendezvous) continue;
    const FitLine line = fit_line(own, 0, own.size());
    // Only what the slowest of both processors and the way of the bytes does not explain.
    const double x = (own.front().x + own.back().x) / 2;
    const double slowest = std::max({l.send_overhead_ns + l.send_overhead_ns_per_byte * x,
                                     l.receive_overhead_ns + l.receive_overhead_ns_per_byte * x, l.ns_per_byte * x});
    if (line.at(x) < 1.05 * slowest) continue;
    ranges.back().lines.gap_ns = line.fixed;
    ranges.back().lines.gap_ns_per_byte = line.slope;
    if (range.up_to_bytes <= longest) continue;
    ranges.back().up_to_bytes = longest;
    ranges.push_back(range);
    result.not_measured.push_back(
        fmt::format("{}: gaps between messages of more than {} bytes, the largest of a train; none are predicted",
                    c.name, longest));
  }
  c.ranges = std::move(ranges);
}

/// Messages of blocks of 8 bytes: how much longer a byte takes.
void add_blocks(const ClassSamples& from, Calibration& result) {
  const auto plain = from.tests.find("contiguous"), blocks = from.tests.find("strided");
  std::vector<RateSample> rates;
  std::uint64_t samples = 0, outliers = 0;
  if (plain != from.tests.end() && blocks != from.tests.end()) {
    for (const SizeSamples& s : blocks->second) {
      for (const SizeSamples& p : plain->second) {
        if (p.bytes != s.bytes || s.bytes == 0) continue;
        rates.push_back({p.median, static_cast<double>(s.bytes), std::max(1.0, s.median)});
        samples += s.count + s.outliers;
        outliers += s.outliers;
      }
    }
  }
  if (rates.empty()) {
    result.not_measured.push_back(from.name + ": messages of many blocks: there are no samples");
    return;
  }
  Quantity q = rate_quantity(rates, from.name, "blocks_of_8_ns_per_byte");
  q.samples = samples;
  q.outliers = outliers;
  result.quantities.push_back(q);
}

/// Memory of a node, or its connection.
void add_shared(const CalibrationSamples& samples, bool across, const std::string& what, double& into,
                Calibration& result) {
  Sharing best{{}, "no ranks are so far apart"};
  for (std::size_t i = 0; i < samples.classes.size(); ++i) {
    const ClassSamples& c = samples.classes[i];
    if ((c.name == "other_node") != across) continue;
    best = sharing_of(c, PiecewiseModel(result.classes[i].ranges), samples.processors, across ? 1 : 2, what);
    if (c.tests.count("pairs_1") != 0) break;  // its pairs were measured
  }
  if (best.ns_per_byte) {
    into = best.ns_per_byte->value;
    result.quantities.push_back(*best.ns_per_byte);
  } else {
    result.not_measured.push_back(
        fmt::format("{} that several pairs of ranks of a node share: {}", what, best.why_not));
  }
}

/// Only where all pairs are alike, and each rank has a processor.
void add_collectives(const CalibrationSamples& samples, Calibration& result) {
  const auto leave_out = [&](const std::string& why) {
    result.not_measured.push_back("collective operations: " + why);
  };
  if (samples.collectives.tests.empty()) return leave_out("there are no samples; they need all ranks on one node");
  if (samples.classes.size() != 1) return leave_out("ranks at several distances are not compared");
  if (samples.ranks > samples.processors)
    return leave_out(fmt::format("{} ranks may use {} processors", samples.ranks, samples.processors));
  result.collectives =
      check_collectives(samples.collectives, samples.ranks, samples.library, PiecewiseModel(result.classes[0].ranges));
  if (result.collectives.empty()) leave_out("the rules of this library are not known");
  for (const CollectiveCheck& check : result.collectives) {
    if (2 * check.others.size() > check.sizes)
      result.warnings.push_back(fmt::format(
          "{}: for most sizes another algorithm than the library's rules say is nearer to what was measured "
          "({})",
          check.operation, fmt::join(check.others, ", ")));
  }
}

void add_computation(const CalibrationSamples& samples, Calibration& result) {
  if (samples.computation.empty())
    result.not_measured.push_back("noise of computation: there are no samples");
  else
    result.quantities.push_back(spread_quantity(samples.computation, "computation_ninth_decile"));
}

/// To so many decimals, so that the file is short.
double rounded(double value, int decimals) {
  const double unit = std::pow(10.0, decimals);
  return std::round(value * unit) / unit;
}

constexpr int of_ns = 1, of_byte = 5, of_part = 4;  ///< decimals

void write_one_sided(JsonWriter& json, const OneSidedCosts& costs) {
  json.key("one_sided").begin_object().fields("measured_up_to_bytes", costs.measured_up_to);
  for (std::size_t i = 0; i < costs.calls.size(); ++i) {
    if (costs.calls[i].empty()) continue;
    json.key(replay::name_of(static_cast<replay::WindowCall>(i))).begin_array();
    for (const CostRange& range : costs.calls[i]) {
      const MessageLines& l = range.lines;
      json.begin_line_object();
      if (range.up_to_bytes != UINT64_MAX) json.fields("up_to_bytes", range.up_to_bytes);
      json.fields("overhead_ns", rounded(l.send_overhead_ns, of_ns));
      if (l.send_overhead_ns_per_byte > 0)
        json.fields("overhead_ns_per_byte", rounded(l.send_overhead_ns_per_byte, of_byte));
      json.fields("latency_ns", rounded(l.latency_ns, of_ns));
      if (l.ns_per_byte > 0) json.fields("ns_per_byte", rounded(l.ns_per_byte, of_byte));
      json.fields("relative_error", rounded(l.relative_error, of_part)).end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_shared(JsonWriter& json, const SharedCosts& shared) {
  json.key("shared").begin_object();
  if (shared.connection_ns_per_byte > 0)
    json.fields("connection_ns_per_byte", rounded(shared.connection_ns_per_byte, of_byte));
  if (shared.memory_ns_per_byte > 0) json.fields("memory_ns_per_byte", rounded(shared.memory_ns_per_byte, of_byte));
  json.end_object();
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
    c.ranges = fit_parts(points_between(half, 0, eager), sends, receives, false, errors);
    if (!c.ranges.empty() && from.eager_up_to) c.ranges.back().up_to_bytes = static_cast<std::uint64_t>(eager);
    const auto waiting = fit_parts(points_between(half, eager + 1, half.back().x), sends, receives, true, errors);
    c.ranges.insert(c.ranges.end(), waiting.begin(), waiting.end());
    c.ranges.back().up_to_bytes = UINT64_MAX;
    add_gaps(from, c, result);
    add_blocks(from, result);
    c.one_sided = one_sided_costs(from, result.quantities);
    if (!c.one_sided.any()) result.not_measured.push_back(c.name + ": one-sided calls: there are no samples");
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
  add_shared(samples, false, "memory", result.shared.memory_ns_per_byte, result);
  add_shared(samples, true, "connection", result.shared.connection_ns_per_byte, result);
  add_collectives(samples, result);
  add_computation(samples, result);
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
                  rounded(l.ns_per_byte, 5));
      if (l.gap_ns > 0 || l.gap_ns_per_byte > 0)
        json.fields("gap_ns", rounded(l.gap_ns, of_ns), "gap_ns_per_byte", rounded(l.gap_ns_per_byte, of_byte));
      json.fields("relative_error", rounded(l.relative_error, 4)).end_object();
    }
    json.end_array();
    if (c.one_sided.any()) write_one_sided(json, c.one_sided);
    json.end_object();
  }
  if (calibration.shared.any()) write_shared(json, calibration.shared);
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
  json.end_array();
  json.key("quantities").begin_array();
  for (const Quantity& q : calibration.quantities)
    json.line("class", q.class_name, "quantity", q.name, "value", rounded(q.value, of_byte), "low",
              rounded(q.low, of_byte), "high", rounded(q.high, of_byte), "samples", q.samples, "outliers", q.outliers,
              "cross_validated_median_error", rounded(q.median_error, of_part), "cross_validated_ninth_decile_error",
              rounded(q.ninth_decile_error, of_part));
  json.end_array().key("collectives").begin_array();
  for (const CollectiveCheck& c : calibration.collectives)
    json.line("operation", c.operation, "algorithms", list(c.algorithms), "sizes", c.sizes, "samples", c.samples,
              "outliers", c.outliers, "median_signed_error", rounded(c.median_signed, of_part), "median_error",
              rounded(c.median_error, of_part), "ninth_decile_error", rounded(c.ninth_decile_error, of_part), "nearer",
              list(c.others));
  json.end_array().fields("not_measured", list(calibration.not_measured));
  json.fields("warnings", list(calibration.warnings)).end_object().end_object();
  return json.str() + "\n";
}

}  // namespace mora::predict
