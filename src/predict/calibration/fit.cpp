#include "predict/calibration/fit.h"

#include <algorithm>

#include "predict/calibration/quantity.h"

namespace mora::predict {

namespace {

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

}  // namespace

std::vector<FitPoint> points_of(const ClassSamples& samples, const std::string& test) {
  std::vector<FitPoint> points;
  const auto found = samples.tests.find(test);
  if (found == samples.tests.end()) return points;
  for (const SizeSamples& s : found->second) points.push_back({static_cast<double>(s.bytes), std::max(1.0, s.median)});
  return points;
}

std::vector<FitPoint> points_between(const std::vector<FitPoint>& points, double first, double last) {
  std::vector<FitPoint> some;
  for (const FitPoint& p : points) {
    if (p.x >= first && p.x <= last) some.push_back(p);
  }
  return some;
}

std::vector<CostRange> fit_parts(const std::vector<FitPoint>& whole, const std::vector<FitPoint>& sends,
                                 const std::vector<FitPoint>& receives, bool rendezvous, std::vector<double>& errors) {
  std::vector<CostRange> ranges;
  if (whole.empty()) return ranges;
  const std::vector<double> own = cross_validated_errors(whole);
  errors.insert(errors.end(), own.begin(), own.end());
  for (const FitRange& range : fit_ranges(whole)) {
    const double first = whole[range.first].x, last = whole[range.first + range.count - 1].x;
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
    cost.lines.relative_error = quantile({own.begin() + static_cast<std::ptrdiff_t>(range.first),
                                          own.begin() + static_cast<std::ptrdiff_t>(range.first + range.count)},
                                         0.9);
    cost.up_to_bytes = static_cast<std::uint64_t>(last);
    ranges.push_back(cost);
  }
  return ranges;
}

}  // namespace mora::predict
